//! Owns the one way persisted enums are written down: explicit numbers that are never reused.
//!
//! A number that this version does not know is an error of the value, not of the file: the caller
//! decides whether an unknown number makes a record unknown. May not: give a default.

/// Declares an enum whose numbers are stored. Gives `number`, `from_number`, `name`, `from_name`,
/// `ALL`, and the codec used inside record bodies.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident : $repr:ty { $($(#[$vdoc:meta])* $variant:ident = $number:literal => $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr($repr)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)+ }

        impl $name {
            /// Every value with its stored number and its word, in the order of the numbers.
            pub const ALL: &'static [(Self, $repr, &'static str)] =
                &[$((Self::$variant, $number, $text),)+];

            /// The stored number.
            #[must_use]
            pub const fn number(self) -> $repr { self as $repr }

            /// The value with this number, if this version knows it.
            #[must_use]
            pub const fn from_number(number: $repr) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)+ _ => None }
            }

            /// The word used in JSON and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value with this word.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl bincode::Encode for $name {
            fn encode<E: bincode::enc::Encoder>(
                &self,
                encoder: &mut E,
            ) -> Result<(), bincode::error::EncodeError> {
                bincode::Encode::encode(&self.number(), encoder)
            }
        }

        impl<C> bincode::Decode<C> for $name {
            fn decode<D: bincode::de::Decoder<Context = C>>(
                decoder: &mut D,
            ) -> Result<Self, bincode::error::DecodeError> {
                let number = <$repr as bincode::Decode<C>>::decode(decoder)?;
                Self::from_number(number)
                    .ok_or(bincode::error::DecodeError::Other(concat!("unknown ", stringify!($name))))
            }
        }

        bincode::impl_borrow_decode!($name);
    };
}

//! Owns reading and writing of fixed little-endian fields. No other module does offset arithmetic
//! on received bytes; a read past the end is [`FormatError::Truncated`].

use alloc::vec::Vec;

use crate::FormatError;

/// Walks over received bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `bytes`; `what` names the structure in errors.
    #[must_use]
    pub const fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, rest: bytes }
    }

    /// Takes `count` bytes.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer are left.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(FormatError::Truncated {
                what: self.what,
                needed: count,
                found: self.rest.len(),
            }),
        }
    }

    /// Takes a fixed number of bytes as an array.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// Takes one byte.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when none is left.
    pub fn u8(&mut self) -> Result<u8, FormatError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Takes a little-endian `u16`.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer bytes are left.
    pub fn u16(&mut self) -> Result<u16, FormatError> {
        self.array().map(u16::from_le_bytes)
    }

    /// Takes a little-endian `u32`.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer bytes are left.
    pub fn u32(&mut self) -> Result<u32, FormatError> {
        self.array().map(u32::from_le_bytes)
    }

    /// Takes a little-endian `u64`.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer bytes are left.
    pub fn u64(&mut self) -> Result<u64, FormatError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Takes a little-endian `i64`.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] when fewer bytes are left.
    pub fn i64(&mut self) -> Result<i64, FormatError> {
        self.array().map(i64::from_le_bytes)
    }

    /// Takes `count` bytes that must be zero.
    ///
    /// # Errors
    /// [`FormatError::ReservedNotZero`] when one is not.
    pub fn zeros(&mut self, count: usize) -> Result<(), FormatError> {
        if self.take(count)?.iter().all(|byte| *byte == 0) {
            Ok(())
        } else {
            Err(FormatError::ReservedNotZero { what: self.what })
        }
    }

    /// Takes a magic number.
    ///
    /// # Errors
    /// [`FormatError::BadMagic`] when it is another one.
    pub fn magic(&mut self, magic: &[u8; 8]) -> Result<(), FormatError> {
        match self.array::<8>() {
            Ok(found) if found == *magic => Ok(()),
            _ => Err(FormatError::BadMagic { what: self.what }),
        }
    }

    /// What has not been taken yet.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Demands that everything was taken.
    ///
    /// # Errors
    /// [`FormatError::Trailing`] when bytes are left.
    pub const fn end(&self) -> Result<(), FormatError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(FormatError::Trailing { what: self.what, extra: self.rest.len() })
        }
    }
}

/// Collects fields in the order of a layout.
#[derive(Clone, Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// An empty writer with room for `capacity` bytes.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// Appends bytes as they are.
    pub fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends one byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.put(&[value])
    }

    /// Appends a little-endian `u16`.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    /// Appends a little-endian `u32`.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    /// Appends a little-endian `u64`.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    /// Appends a little-endian `i64`.
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    /// Appends `count` zero bytes.
    pub fn zeros(&mut self, count: usize) -> &mut Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }

    /// Appends zero bytes up to `len`; longer content stays as it is.
    pub fn pad_to(&mut self, len: usize) -> &mut Self {
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
        self
    }

    /// Bytes so far.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The finished bytes.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

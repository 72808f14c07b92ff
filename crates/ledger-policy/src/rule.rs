//! Owns the rules of the gate: their stored numbers, their names, and what is said when one decides.

use core::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $number:literal => $name:literal, $says:literal;)+) => {
        /// A rule of the gate. The numbers are stored and never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Rule { $($(#[$doc])* $variant = $number,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stored number.
            #[must_use]
            pub const fn number(self) -> u16 { self as u16 }

            /// The rule with this number, if this version knows it.
            #[must_use]
            pub const fn from_number(number: u16) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)+ _ => None }
            }

            /// The word used in JSON and in test files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What it says to whoever proposed, and what to do.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$variant => $says,)+ }
            }
        }
    };
}

rules! {
    /// Nothing spoke against it.
    Plain = 0 => "plain", "nothing speaks against it";
    /// No source was given.
    NoSource = 1 => "no_source", "no source was given, so it is a draft and background only; name one with --source";
    /// A model inferred it.
    ModelInference = 2 => "model_inference", "a model inferred it, so it is unverified and runs out unless it is confirmed";
    /// A tool or page said it.
    ToolResult = 3 => "tool_result", "a tool or a page said it, so it is unverified until a person or an independent source verifies it";
    /// It repeats a recall or a summary.
    RepeatsRecall = 4 => "repeats_recall", "it repeats what a recall or a summary already says; confirm the original instead";
    /// It may not be trusted more than what it was made from.
    Lineage = 5 => "lineage", "it is trusted no more than what it was made from";
    /// Canonical clauses are written by persons, or by a sync of their file.
    CanonicalByPersons = 6 => "canonical_by_persons", "canonical clauses are written by persons or by syncing their file; propose a note or a decision instead";
    /// An instruction needs the original message as its source.
    InstructionNeedsMessage = 7 => "instruction_needs_message", "an instruction needs the original message of a person as its source (write the message first, then --derived-from it); it is kept as a draft of the session";
    /// The same is there already.
    Duplicate = 8 => "duplicate", "a memory of this scope says the same; confirm that one, or name what this one supersedes";
    /// A secret was found.
    Secret = 9 => "secret", "it holds a secret (a key, token or password); store where the secret is kept, not the secret";
    /// Raw reasoning was found.
    HiddenReasoning = 10 => "hidden_reasoning", "it holds raw model reasoning; keep conclusions, evidence and next steps instead";
    /// Nobody answers for the layer.
    UnsettledLayer = 11 => "unsettled_layer", "the policy names no owner, lifetime and deletion for this layer, so agents cannot write to it";
    /// The same words were forgotten, or closed by a person.
    Suppressed = 12 => "suppressed", "the same words from the same source were forgotten or closed by a person; a person can write them anew";
    /// The caller has no right to it.
    Denied = 13 => "denied", "the rights of the policy do not allow it";
    /// A person decides first.
    Approval = 14 => "approval", "it counts when it is approved: see `pending list`";
    /// A guess is no episode.
    Guess = 15 => "guess", "its writer is not sure of it, so it is kept as a draft and not as an episode";
    /// Orders in words that are not a person's own are data.
    OrdersAreData = 16 => "orders_are_data", "it reads like an order and no person said it, so it is kept as data and marked";
    /// Another command of the submission was refused.
    Together = 17 => "together", "another part of the same submission was not let through, and they are recorded together or not at all";
    /// Personal data was found, and the policy refuses it.
    PersonalData = 18 => "personal_data", "it holds personal data, which the policy refuses here; leave it out";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stored_and_read_back() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_number(rule.number()), Some(*rule));
        }
        assert_eq!(Rule::from_number(u16::MAX), None);
    }
}

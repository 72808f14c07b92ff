//! Owns the text of a policy: lines `log`, `witness`, `group` and `quorum` of c2sp.org/tlog-policy,
//! and the rule in words.
//!
//! Stricter than the format where it may be: the text is UTF-8, keys are Ed25519, and there are
//! limits, above those that the format asks for.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

use super::{Group, Member, PolicyWitness, WitnessPolicy};
use crate::error::ProofError;
use crate::key::{KeyKind, VerifierKey};
use crate::text;

const WHAT: &str = "witness policy";
/// The rule that asks for nobody.
const NONE: &str = "none";
/// Most logs, witnesses and groups, each.
const MAX_LINES: usize = 64;

/// A policy that is being read.
struct Draft<'a> {
    policy: WitnessPolicy,
    names: BTreeMap<&'a str, Member>,
    /// Names that stand in a group: each may in one only, so that nobody counts twice.
    grouped: BTreeSet<&'a str>,
    keys: BTreeSet<[u8; 32]>,
    /// Whether the line with the quorum came.
    ruled: bool,
}

type Read = Result<(), &'static str>;

impl FromStr for WitnessPolicy {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, ProofError> {
        let malformed = |line, why| ProofError::Malformed { what: WHAT, line, why };
        let empty =
            Self { logs: Vec::new(), witnesses: Vec::new(), groups: Vec::new(), quorum: None };
        let mut draft = Draft {
            policy: empty,
            names: BTreeMap::new(),
            grouped: BTreeSet::new(),
            keys: BTreeSet::new(),
            ruled: false,
        };
        for (at, line) in text.split('\n').enumerate().map(|(at, line)| (at + 1, line)) {
            if line.chars().any(|c| (c < ' ' && c != '\t') || c == '\u{7f}') {
                return Err(malformed(at, "it holds a control character"));
            }
            let items: Vec<&str> =
                line.split([' ', '\t']).filter(|item| !item.is_empty()).collect();
            draft.line(&items).map_err(|why| malformed(at, why))?;
        }
        if !draft.ruled {
            return Err(malformed(0, "it has no line `quorum NAME`"));
        }
        Ok(draft.policy)
    }
}

impl<'a> Draft<'a> {
    fn line(&mut self, items: &[&'a str]) -> Read {
        match items {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["log", key] => self.log(key),
            ["log", key, _url] => self.log(key),
            ["witness", name, key] => self.witness(name, key, None),
            ["witness", name, key, url] => self.witness(name, key, Some(url)),
            ["group", name, needed, members @ ..] => self.group(name, needed, members),
            ["quorum", name] => self.quorum(name),
            _ => Err(
                "a line is `log KEY [URL]`, `witness NAME KEY [URL]`, `group NAME all|any|NUMBER NAME…` or `quorum NAME`",
            ),
        }
    }

    fn log(&mut self, key: &str) -> Read {
        let key = self.key(key, KeyKind::Note, "it is no Ed25519 key of a log, NAME+ID+KEY")?;
        self.policy.logs.push(key);
        limited(self.policy.logs.len())
    }

    fn witness(&mut self, name: &'a str, key: &str, url: Option<&str>) -> Read {
        let wrong = "it is no Ed25519 key of a witness, NAME+ID+KEY";
        let key = self.key(key, KeyKind::Cosignature, wrong)?;
        self.define(name, Member::Witness(self.policy.witnesses.len()))?;
        let (name, url) = (name.to_string(), url.map(ToString::to_string));
        self.policy.witnesses.push(PolicyWitness { name, key, url });
        limited(self.policy.witnesses.len())
    }

    fn group(&mut self, name: &'a str, needed: &str, members: &[&'a str]) -> Read {
        let count = members.len();
        let needed = match needed {
            "any" => Some(1),
            "all" => Some(count),
            number => text::decimal(number).and_then(|number| usize::try_from(number).ok()),
        };
        let needed = needed.filter(|needed| (1..=count).contains(needed));
        let needed = needed.ok_or("a group asks for `any`, `all` or 1 to all of its members")?;
        let mut places = Vec::with_capacity(count);
        for member in members {
            places.push(*self.names.get(member).ok_or("a member is not defined above")?);
            if !self.grouped.insert(member) {
                return Err("a member stands in a group already");
            }
        }
        self.define(name, Member::Group(self.policy.groups.len()))?;
        self.policy.groups.push(Group { needed, members: places });
        limited(self.policy.groups.len())
    }

    fn quorum(&mut self, name: &str) -> Read {
        if core::mem::replace(&mut self.ruled, true) {
            return Err("there is a quorum already");
        }
        self.policy.quorum = match name {
            NONE => None,
            name => Some(*self.names.get(name).ok_or("the quorum is not defined above")?),
        };
        Ok(())
    }

    /// A key that stands in the policy once.
    fn key(
        &mut self,
        typed: &str,
        kind: KeyKind,
        wrong: &'static str,
    ) -> Result<VerifierKey, &'static str> {
        let key: VerifierKey = typed.parse().map_err(|_| wrong)?;
        if key.kind() != kind {
            return Err(wrong);
        }
        if !self.keys.insert(*key.bytes()) {
            return Err("the same key stands in it twice");
        }
        Ok(key)
    }

    fn define(&mut self, name: &'a str, member: Member) -> Read {
        if name == NONE || self.names.insert(name, member).is_some() {
            return Err("the name is taken");
        }
        Ok(())
    }
}

const fn limited(count: usize) -> Read {
    if count > MAX_LINES {
        return Err("more than 64 lines of this kind");
    }
    Ok(())
}

impl WitnessPolicy {
    /// Who has to vouch, in words: `2 of (w1, w2, w3)`. Each name stands in one group, so this is
    /// no longer than the policy.
    pub(super) fn rule(&self) -> String {
        self.quorum.map_or_else(|| NONE.to_string(), |quorum| self.words(quorum))
    }

    fn words(&self, member: Member) -> String {
        match member {
            Member::Witness(at) => {
                self.witnesses.get(at).map_or_else(String::new, |witness| witness.name.clone())
            }
            Member::Group(at) => self.groups.get(at).map_or_else(String::new, |group| {
                let members: Vec<String> =
                    group.members.iter().map(|member| self.words(*member)).collect();
                format!("{} of ({})", group.needed, members.join(", "))
            }),
        }
    }
}

//! Owns who wins: the classes of authority, their order, and where a memory stands in it.
//!
//! A rank is a number, 1 is the highest. What is not verified ranks no higher than what came back from a
//! recall, and a draft no higher than a summary, whatever it calls itself. What is made from others ranks no
//! higher than the weakest of them ([`Authority::over`]).

use alloc::string::ToString;
use alloc::vec::Vec;

use ledger_format::{ActorKind, BodyType, Layer, SourceKind, Trust};
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;

/// A class of authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The original words of a direct order.
    Instruction,
    /// A canonical clause.
    Canonical,
    /// A decision of the project.
    Decision,
    /// A long-term memory with a source.
    Sourced,
    /// What came back from a recall.
    Retrieval,
    /// A compressed summary, or anything without a source.
    Compressed,
}

impl Class {
    /// Every class, in the built-in order.
    pub const ALL: [Self; 6] = [
        Self::Instruction,
        Self::Canonical,
        Self::Decision,
        Self::Sourced,
        Self::Retrieval,
        Self::Compressed,
    ];

    /// The class of a memory by what it is; lineage can only lower it.
    #[must_use]
    pub const fn of(layer: Layer, body: BodyType, source: SourceKind) -> Self {
        match (layer, body, source) {
            (_, _, SourceKind::None) => Self::Compressed,
            (Layer::Instruction, BodyType::Instruction | BodyType::Message, _) => Self::Instruction,
            (Layer::Canonical, _, _) => Self::Canonical,
            (Layer::Project, BodyType::Decision, _) => Self::Decision,
            (_, _, SourceKind::Recall) => Self::Retrieval,
            (Layer::Summary, _, _) | (_, BodyType::Summary, _) => Self::Compressed,
            _ => Self::Sourced,
        }
    }
}

/// What the rank of a memory depends on, but for what it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it is for.
    pub layer: Layer,
    /// Shape of its content.
    pub body: BodyType,
    /// Where the words came from.
    pub source: SourceKind,
    /// What kind of actor wrote it.
    pub actor: ActorKind,
    /// How far it is trusted.
    pub trust: Trust,
}

impl Standing {
    /// Whether it is a person's message in the person's own words: the original of every direct order.
    #[must_use]
    pub fn is_own_message(&self) -> bool {
        self.body == BodyType::Message
            && self.actor == ActorKind::Person
            && matches!(self.source, SourceKind::Chat | SourceKind::User)
    }

    /// Whether it is an order: its rank depends on whether its speaker may override.
    #[must_use]
    pub fn is_order(&self) -> bool {
        self.class() == Class::Instruction
    }

    fn class(&self) -> Class {
        if self.is_own_message() {
            return Class::Instruction;
        }
        Class::of(self.layer, self.body, self.source)
    }
}

/// The order of the classes, highest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    order: Vec<Class>,
}

impl Authority {
    /// The rank of a class, 1 is the highest.
    #[must_use]
    pub fn rank(&self, class: Class) -> u8 {
        let at = self.order.iter().position(|one| *one == class).unwrap_or(self.order.len());
        u8::try_from(at + 1).unwrap_or(u8::MAX)
    }

    /// The rank of a memory by itself. `overrides`: its authenticated speaker may override the
    /// canonical clauses that it is held against, and its task is open. Without that, no order outranks
    /// a canonical clause, however the classes are ordered; and only a person's own words do with it.
    #[must_use]
    pub fn of(&self, memory: &Standing, overrides: bool) -> u8 {
        let class = memory.class();
        let mut rank = self.rank(class);
        let own = memory.actor == ActorKind::Person;
        if class == Class::Instruction && !(overrides && own) {
            rank = rank.max(self.rank(Class::Canonical) + 1);
        }
        if memory.trust < Trust::Verified {
            rank = rank.max(self.rank(Class::Retrieval));
        }
        if memory.trust < Trust::Unverified {
            rank = rank.max(self.rank(Class::Compressed));
        }
        rank
    }

    /// The rank of what ranks `own` by itself and was made from what ranks `weakest` at its weakest.
    #[must_use]
    pub fn over(&self, own: u8, weakest: Option<u8>) -> u8 {
        weakest.map_or(own, |weakest| weakest.max(own))
    }

    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let whole = Class::ALL.iter().all(|class| self.order.contains(class));
        if whole && self.order.len() == Class::ALL.len() {
            return Ok(());
        }
        Err(PolicyError::new("authority.order names each class once: instruction, canonical, decision, sourced, retrieval, compressed".to_string()))
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self { order: Class::ALL.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn any_standing() -> impl Strategy<Value = Standing> {
        let layers: Vec<_> = Layer::ALL.iter().map(|one| one.0).collect();
        let bodies: Vec<_> = BodyType::ALL.iter().map(|one| one.0).collect();
        let sources: Vec<_> = SourceKind::ALL.iter().map(|one| one.0).collect();
        let actors: Vec<_> = ActorKind::ALL.iter().map(|one| one.0).collect();
        let trusts: Vec<_> = Trust::ALL.iter().map(|one| one.0).collect();
        (select(layers), select(bodies), select(sources), select(actors), select(trusts)).prop_map(
            |(layer, body, source, actor, trust)| Standing { layer, body, source, actor, trust },
        )
    }

    fn orders() -> impl Strategy<Value = Authority> {
        Just(Class::ALL.to_vec()).prop_shuffle().prop_map(|order| Authority { order })
    }

    #[test]
    fn the_six_steps_are_these() {
        let order = Authority::default();
        let of = |layer, body, source, actor, trust, overrides| {
            order.of(&Standing { layer, body, source, actor, trust }, overrides)
        };
        let (person, agent) = (ActorKind::Person, ActorKind::Agent);
        let verified = Trust::Verified;
        let message = |actor, trust, overrides| {
            of(Layer::Session, BodyType::Message, SourceKind::Chat, actor, trust, overrides)
        };
        assert_eq!(message(person, verified, true), 1, "the own words of who may override");
        assert_eq!(message(person, verified, false), 3, "the own words of anybody else");
        assert_eq!(message(agent, verified, true), 4, "words that an agent reports");
        let clause = (Layer::Canonical, BodyType::Canonical, SourceKind::File);
        assert_eq!(of(clause.0, clause.1, clause.2, person, Trust::Approved, false), 2);
        let decision = (Layer::Project, BodyType::Decision, SourceKind::Chat);
        assert_eq!(of(decision.0, decision.1, decision.2, person, verified, false), 3);
        assert_eq!(of(decision.0, decision.1, decision.2, agent, Trust::Unverified, false), 5);
        let fact = (Layer::Semantic, BodyType::Fact);
        assert_eq!(of(fact.0, fact.1, SourceKind::User, person, verified, false), 4);
        assert_eq!(of(fact.0, fact.1, SourceKind::Tool, agent, Trust::Unverified, false), 5);
        assert_eq!(of(fact.0, fact.1, SourceKind::Recall, agent, verified, false), 5);
        assert_eq!(of(fact.0, fact.1, SourceKind::None, agent, verified, false), 6);
        let summary = (Layer::Summary, BodyType::Summary);
        assert_eq!(of(summary.0, summary.1, SourceKind::Model, agent, verified, true), 6);
    }

    proptest! {
        #[test]
        fn trust_never_lowers_and_lineage_never_raises(
            order in orders(),
            memory in any_standing(),
            sources in proptest::collection::vec(any_standing(), 1..6),
            overrides in any::<bool>(),
        ) {
            let own = order.of(&memory, overrides);
            for (more, ..) in Trust::ALL {
                let other = order.of(&Standing { trust: *more, ..memory }, overrides);
                if *more >= memory.trust {
                    prop_assert!(other <= own);
                }
            }
            let ranks = sources.iter().map(|one| order.of(one, overrides));
            let weakest = ranks.clone().max();
            let over = order.over(own, weakest);
            prop_assert!(over >= own);
            for rank in ranks {
                prop_assert!(over >= rank);
            }
            // Without the right to, no order outranks a clause of its trust, whatever the order of classes.
            let clause = Standing { layer: Layer::Canonical, body: BodyType::Canonical, source: SourceKind::File, ..memory };
            if memory.is_order() {
                prop_assert!(order.of(&memory, false) >= order.of(&clause, false));
            }
        }
    }
}

//! Owns trials of a policy: proposals with the verdict that is expected of them, as a team keeps them
//! beside its policy and runs them before it sets a new one.
//!
//! What is seen in the words of a trial is handed in by the caller, as for every proposal.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ledger_format::{ActorKind, BodyType, Layer, Micros, SourceKind, Trust, Verdict};
use serde::Deserialize;

use crate::error::PolicyError;
use crate::{Case, Decision, Length, Lineage, Parts, Policy, Rule, Seen, Signals, decide};

/// A file of trials: `[[case]]` tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trials {
    case: Vec<Trial>,
}

/// One proposal and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// What it is called.
    pub name: String,
    /// Kind of actor.
    #[serde(default = "agent")]
    by: String,
    /// Shape of the content.
    #[serde(default = "note")]
    body: String,
    /// Layer asked for; none: the usual one of the body.
    layer: Option<String>,
    /// Kind of the source.
    #[serde(default = "no_source")]
    source: String,
    /// The words; none: nothing is seen in them.
    pub text: Option<String>,
    /// Least trust of what it was made from.
    made_from: Option<String>,
    /// All of that is summaries.
    #[serde(default)]
    summaries: bool,
    /// The message of a person is among it.
    #[serde(default)]
    person_said: bool,
    /// It names what it supersedes.
    #[serde(default)]
    corrects: bool,
    /// How sure its writer is.
    confidence: Option<Parts>,
    /// How similar the nearest memory of the scope is.
    similarity: Option<Parts>,
    /// How much it repeats what it was made from.
    repeats: Option<Parts>,
    /// The same words were forgotten or closed by a person.
    #[serde(default)]
    suppressed: bool,
    expect: Expected,
}

/// What is expected; what is left out may be anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    verdict: String,
    rule: Option<String>,
    trust: Option<String>,
    layer: Option<String>,
    ttl: Option<Length>,
    marked: Option<bool>,
}

/// How a trial went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// What the policy says.
    pub decision: Decision,
    /// What was expected otherwise, one sentence each; none: it passed.
    pub differs: Vec<String>,
}

impl Trial {
    /// Reads a file of trials.
    ///
    /// # Errors
    /// [`PolicyError`] with the line when it is none, or names what does not exist.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, PolicyError> {
        let trials: Trials = toml::from_str(text)
            .map_err(|error| PolicyError::new(crate::document::place(text, &error)))?;
        for trial in &trials.case {
            trial.case(Signals::default())?;
            trial.expect.check(&trial.name)?;
        }
        Ok(trials.case)
    }

    /// Tries it under a policy, with what was seen in its words.
    ///
    /// # Errors
    /// [`PolicyError`] when it names what does not exist.
    pub fn run(&self, policy: &Policy, seen: Signals) -> Result<Tried, PolicyError> {
        // An instant that no day ends at: only lengths matter here.
        let now = Micros(0);
        let decision = decide(&self.case(seen)?, policy, now);
        Ok(Tried { differs: self.expect.differs(&decision, now), decision })
    }

    fn case(&self, seen: Signals) -> Result<Case, PolicyError> {
        let wrong = |what: &str, word: &str| {
            PolicyError::new(format!("case {:?}: {word:?} is no {what}", self.name))
        };
        let body = BodyType::from_name(&self.body).ok_or_else(|| wrong("body", &self.body))?;
        let layer = match &self.layer {
            Some(name) => Layer::from_name(name).ok_or_else(|| wrong("layer", name))?,
            None => usual_layer(body),
        };
        let actor =
            ActorKind::from_name(&self.by).ok_or_else(|| wrong("kind of actor", &self.by))?;
        let source = SourceKind::from_name(&self.source)
            .ok_or_else(|| wrong("kind of source", &self.source))?;
        let made_from = self.made_from.as_ref();
        let trust = made_from
            .map(|name| Trust::from_name(name).ok_or_else(|| wrong("trust", name)))
            .transpose()?;
        let derived = trust.is_some() || self.summaries || self.person_said;
        let mut case = Case::new(actor, body, layer, source);
        case.lineage = Lineage {
            count: usize::from(derived),
            trust,
            summaries: self.summaries,
            person_said: self.person_said,
        };
        case.corrects = self.corrects;
        case.confidence = self.confidence.map(Parts::get);
        case.signals = seen;
        let similarity = self.similarity.map_or(0, Parts::get);
        case.signals.count(Seen::Similarity, similarity.into());
        case.signals.count(Seen::Neighbour, i64::from(similarity > 0));
        case.signals.count(Seen::Repeats, self.repeats.map_or(0, Parts::get).into());
        case.signals.count(Seen::Suppressed, self.suppressed.into());
        Ok(case)
    }
}

impl Expected {
    fn check(&self, name: &str) -> Result<(), PolicyError> {
        let known = |what: &str, word: Option<&String>, found: bool| match word {
            Some(word) if !found => {
                Err(PolicyError::new(format!("case {name:?} expects {word:?}, which is no {what}")))
            }
            _ => Ok(()),
        };
        let is_rule = |word: &String| Rule::ALL.iter().any(|rule| rule.name() == word);
        known("verdict", Some(&self.verdict), Verdict::from_name(&self.verdict).is_some())?;
        known("rule", self.rule.as_ref(), self.rule.as_ref().is_some_and(is_rule))?;
        let trust = self.trust.as_ref();
        known("trust", trust, trust.is_some_and(|word| Trust::from_name(word).is_some()))?;
        let layer = self.layer.as_ref();
        known("layer", layer, layer.is_some_and(|word| Layer::from_name(word).is_some()))
    }

    fn differs(&self, decision: &Decision, now: Micros) -> Vec<String> {
        let mut differs = Vec::new();
        let mut compare = |what: &str, expected: Option<String>, found: String| {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                differs.push(format!("expected {what} {expected}, found {found}"));
            }
        };
        compare("verdict", Some(self.verdict.clone()), decision.verdict.to_string());
        compare("rule", self.rule.clone(), decision.rule.to_string());
        compare("trust", self.trust.clone(), decision.trust.to_string());
        compare("layer", self.layer.clone(), decision.layer.to_string());
        let ttl = match decision.ttl_until {
            None => Length::None,
            Some(Micros::MAX) => Length::Day,
            Some(end) => Length::For(end.0.saturating_sub(now.0)),
        };
        compare("ttl", self.ttl.map(|ttl| ttl.to_string()), ttl.to_string());
        compare(
            "marked",
            self.marked.map(|yes| yes.to_string()),
            (decision.marks != 0).to_string(),
        );
        differs
    }
}

/// The layer that a body goes to when none is asked for.
#[must_use]
pub const fn usual_layer(body: BodyType) -> Layer {
    match body {
        BodyType::Message | BodyType::State => Layer::Session,
        BodyType::Fact => Layer::Semantic,
        BodyType::Episode | BodyType::Failure => Layer::Episodic,
        BodyType::Instruction => Layer::Instruction,
        BodyType::Canonical => Layer::Canonical,
        BodyType::Skill => Layer::Procedural,
        BodyType::Summary => Layer::Summary,
        _ => Layer::Project,
    }
}

fn agent() -> String {
    ActorKind::Agent.name().to_string()
}

fn note() -> String {
    BodyType::Note.name().to_string()
}

fn no_source() -> String {
    SourceKind::None.name().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(text: &str) -> Vec<String> {
        let trials = Trial::parse_all(text).expect(text);
        let run = |trial: &Trial| trial.run(&Policy::built_in(), Signals::default());
        trials.iter().flat_map(|trial| run(trial).expect("it names what exists").differs).collect()
    }

    #[test]
    fn a_trial_passes_or_says_what_differs() {
        let passes = "[[case]]\nname = \"an inference\"\nsource = \"model\"\n\
            expect = { verdict = \"committed\", rule = \"model_inference\", trust = \"unverified\", ttl = \"7d\", marked = false }";
        assert_eq!(tried(passes), [""; 0]);
        let fails = passes.replace("\"7d\"", "\"8d\"").replace("model_inference", "plain");
        assert_eq!(
            tried(&fails),
            ["expected rule plain, found model_inference", "expected ttl 8d, found 7d"]
        );
    }

    #[test]
    fn what_does_not_exist_is_said_and_not_passed_over() {
        for (text, says) in [
            (
                "[[case]]\nname = \"a\"\nbody = \"poem\"\nexpect = { verdict = \"refused\" }",
                "\"poem\" is no body",
            ),
            (
                "[[case]]\nname = \"a\"\nexpect = { verdict = \"fine\" }",
                "\"fine\", which is no verdict",
            ),
            (
                "[[case]]\nname = \"a\"\nexpect = { verdict = \"refused\", rule = \"x\" }",
                "\"x\", which is no rule",
            ),
            (
                "[[case]]\nname = \"a\"\ntest = \"x\"\nexpect = { verdict = \"refused\" }",
                "line 3: unknown field `test`",
            ),
            ("[[case]]\nname = \"a\"", "missing field `expect`"),
            ("", "missing field `case`"),
        ] {
            let error = Trial::parse_all(text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}

//! Limits, contexts, kinds, tags, words, errors, padding.

use ledger_format::names::{
    Decision, EpochReason, EraseLevel, ExpireCause, Job, ReceiptMode, ReceiptWhat, RepairKind,
    SkillPhase, Standing, SummaryPhase,
};
use ledger_format::payload::padded_length;
use ledger_format::{
    ActorKind, AliasKind, BodyType, CloseKind, Kind, Layer, Outcome, Reach, Role, SourceKind, Tag,
    Trust, Verdict, hash,
};

use crate::support::read;
use crate::support::spec::Spec;

fn owned<A: ToString, B: ToString>(
    pairs: impl IntoIterator<Item = (A, B)>,
) -> Vec<(String, String)> {
    pairs.into_iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

/// Every `pub const` of a source file with the text of its value.
fn constants(source: &str) -> Vec<(String, String)> {
    let declared = source.lines().filter_map(|line| line.strip_prefix("pub const "));
    let declared = declared.filter_map(|line| line.split_once(": "));
    declared
        .map(|(name, rest)| {
            let value = rest.split_once(" = ").unwrap().1.trim_end_matches(';');
            (name.to_lowercase(), value.replace('_', ""))
        })
        .collect()
}

#[test]
fn limits_are_the_constants() {
    let table = Spec::load().table("limits").pairs("name", "value");
    assert_eq!(table, constants(&read("src/limits.rs")));
}

#[test]
fn contexts_are_the_constants() {
    let table = Spec::load().table("contexts").pairs("name", "context");
    assert_eq!(table, owned(hash::CONTEXTS.iter().copied()));
    let source = read("src/hash.rs");
    let declared = source.lines().filter(|line| line.contains(": &str = \"memledger ")).count();
    assert_eq!(declared, hash::CONTEXTS.len(), "a context that the list does not hold");
}

#[test]
fn contexts_are_all_different_and_none_begins_another() {
    for (at, (name, context)) in hash::CONTEXTS.iter().enumerate() {
        for (_, other) in hash::CONTEXTS.iter().skip(at + 1) {
            let overlap = context.starts_with(other) || other.starts_with(context);
            assert!(!overlap, "{name}: {context} and {other}");
        }
    }
}

#[test]
fn kinds_are_those_of_the_code() {
    let spec = Spec::load();
    let table = spec.table("kinds");
    let found = owned(Kind::ALL.iter().map(|(_, number, name)| (number, name)));
    assert_eq!(table.pairs("number", "name"), found);
    let found = owned(Kind::ALL.iter().map(|(kind, ..)| (yes(kind.critical()), kind.version())));
    assert_eq!(table.pairs("critical", "version"), found);
}

#[test]
fn extension_tags_are_those_of_the_code() {
    let spec = Spec::load();
    let table = spec.table("extension_tags");
    let found = owned(Tag::ALL.iter().map(|(_, number, name)| (number, name)));
    assert_eq!(table.pairs("number", "name"), found);
    let found = owned(Tag::ALL.iter().map(|(tag, ..)| (tag.length(), yes(tag.critical()))));
    assert_eq!(table.pairs("length", "critical"), found);
}

#[test]
fn word_tables_are_those_of_the_code() {
    let spec = Spec::load();
    let mut compared = 0;
    let mut compare = |name: &str, size: usize, all: Vec<(String, String)>| {
        let table = spec.table(&format!("word:{name}"));
        assert_eq!(table.pairs("number", "word"), all, "{name}");
        assert_eq!(spec.fixed(&format!("word:{name}")), Some(size), "size of {name}");
        compared += 1;
    };
    macro_rules! compare {
        ($($name:ident $word:literal),+ $(,)?) => { $(compare(
            $word,
            size_of_val(&$name::ALL[0].1),
            owned($name::ALL.iter().map(|(_, number, word)| (number, word))),
        );)+ };
    }
    compare! {
        Layer "layer", BodyType "body_type", Trust "trust", SourceKind "source_kind",
        Verdict "verdict", ActorKind "actor_kind", AliasKind "alias_kind", CloseKind "close_kind",
        Reach "reach", Outcome "outcome", ExpireCause "expire_cause", EpochReason "epoch_reason",
        ReceiptWhat "receipt_what", ReceiptMode "receipt_mode", Decision "decision",
        Standing "standing", EraseLevel "erase_level", SkillPhase "skill_phase",
        SummaryPhase "summary_phase", RepairKind "repair_kind", Job "job", Role "role",
    }
    let tables = spec.tables.keys().filter(|name| name.starts_with("word:")).count();
    assert_eq!(compared, tables, "a word table that nothing compares");
    let declared = read("src/names.rs").matches("numbered! {").count() + 1;
    assert_eq!(compared, declared, "a word list that the specification does not hold");
}

#[test]
fn error_words_are_those_of_the_code() {
    let source = read("src/error.rs");
    let (_, arms) = source.split_once("pub const fn name(&self)").unwrap();
    let (arms, _) = arms.split_once("\n    }\n").unwrap();
    let arms = arms.lines().filter_map(|line| line.split_once("=> \"")?.1.strip_suffix("\","));
    let spec = Spec::load();
    assert_eq!(spec.table("errors").column("word"), arms.collect::<Vec<_>>());
}

/// Padmé as the paper gives it, apart from the code.
fn padme(n: u64) -> (u64, u64) {
    let step = if n <= 1024 { 64 } else { 1 << (n.ilog2() - n.ilog2().ilog2() - 1) };
    (n.div_ceil(step).max(1) * step, step)
}

#[test]
fn padding_is_padme() {
    for row in &Spec::load().table("padding").rows {
        let [n, padded, step] = [0, 1, 2].map(|at| row[at].parse::<u64>().unwrap());
        assert_eq!((padded, step), padme(n), "padding of {n}");
    }
    for n in (0..70_000).chain(1_048_000..1_050_000) {
        let padded = padded_length(n) as u64;
        assert_eq!(padded, padme(n as u64).0, "padding of {n}");
        assert_eq!(padded_length(padded_length(n)), padded_length(n), "{n} is padded twice");
    }
}

#[test]
fn the_longest_sealed_payload_is_the_one_the_text_names() {
    let longest = 24 + padded_length(9 + ledger_format::limits::PAYLOAD_BYTES) + 16;
    assert_eq!(longest, 1_081_384);
    assert!(Spec::load().text.contains("more than the longest sealed payload (1,081,384)"));
}

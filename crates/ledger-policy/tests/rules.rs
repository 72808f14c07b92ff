//! Every rule of the gate: a case in which it decides, and its neighbour in which it does not.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use ledger_format::event::memory::Write;
use ledger_format::{ActorKind, BodyType, Layer, Micros, Seq, SourceKind, Trust, Verdict};
use ledger_policy::{Case, Decision, Length, Lineage, Policy, Rule, Seen, decide};

const NOW: Micros = Micros(1_780_000_000_000_000);
const HOUR: i64 = 3_600 * 1_000_000;
const DAY: i64 = 24 * HOUR;

fn judged(case: &Case) -> Decision {
    decide(case, &Policy::built_in(), NOW)
}

fn under(document: &str, case: &Case) -> Decision {
    decide(case, &Policy::parse(&format!("format = 1\n{document}")).unwrap(), NOW)
}

/// A note of an agent that quotes a chat: nothing speaks against it.
fn plain() -> Case {
    Case::new(ActorKind::Agent, BodyType::Note, Layer::Project, SourceKind::Chat)
}

fn with(mut case: Case, change: impl FnOnce(&mut Case)) -> Case {
    change(&mut case);
    case
}

#[track_caller]
fn decides(case: &Case, verdict: Verdict, rule: Rule) -> Decision {
    let decision = judged(case);
    assert_eq!((decision.verdict, decision.rule), (verdict, rule));
    decision
}

#[test]
fn nothing_speaks_against_a_plain_note() {
    let decision = decides(&plain(), Verdict::Committed, Rule::Plain);
    assert_eq!(decision.trust, Trust::Unverified);
    assert_eq!(decision.ttl_until, None);
    assert_eq!(decision.review_by, Some(Micros(NOW.0 + 90 * DAY)), "a person looks at it");
    assert_eq!(decision.marks, 0);
}

#[test]
fn without_a_source_it_is_a_draft() {
    let sourceless = with(plain(), |case| case.source = SourceKind::None);
    assert_eq!(decides(&sourceless, Verdict::Committed, Rule::NoSource).trust, Trust::Draft);
    let person = with(sourceless, |case| case.actor = ActorKind::Person);
    assert_eq!(judged(&person).trust, Trust::Draft, "not even a person's");
    let vouched = with(person, |case| case.trust = Some(Trust::Approved));
    assert_eq!(judged(&vouched).trust, Trust::Draft, "nobody can vouch for nothing");
}

#[test]
fn an_inference_lives_a_week_in_every_layer() {
    for layer in [Layer::Project, Layer::Semantic, Layer::Episodic] {
        let inference = with(plain(), |case| {
            case.source = SourceKind::Model;
            case.layer = layer;
        });
        let decision = decides(&inference, Verdict::Committed, Rule::ModelInference);
        assert_eq!(decision.ttl_until, Some(Micros(NOW.0 + 7 * DAY)), "{layer}");
        let longer =
            with(inference.clone(), |case| case.ttl_until = Some(Micros(NOW.0 + 70 * DAY)));
        assert_eq!(judged(&longer).ttl_until, decision.ttl_until, "a model cannot ask for more");
        let shorter = with(inference, |case| case.ttl_until = Some(Micros(NOW.0 + DAY)));
        assert_eq!(judged(&shorter).ttl_until, Some(Micros(NOW.0 + DAY)));
    }
    let person = with(plain(), |case| {
        case.actor = ActorKind::Person;
        case.source = SourceKind::Model;
        case.ttl_until = Some(Micros(NOW.0 + 70 * DAY));
    });
    assert_eq!(judged(&person).ttl_until, Some(Micros(NOW.0 + 70 * DAY)), "a person can");
}

#[test]
fn tools_and_pages_never_verify_themselves() {
    for source in [SourceKind::Tool, SourceKind::Web] {
        let said = with(plain(), |case| {
            case.source = source;
            case.trust = Some(Trust::Verified);
        });
        let decision = decides(&said, Verdict::Committed, Rule::ToolResult);
        assert_eq!(decision.trust, Trust::Unverified, "an agent vouches for nothing");
        let person = with(said, |case| case.actor = ActorKind::Person);
        assert_eq!(judged(&person).trust, Trust::Verified, "a person does");
    }
}

#[test]
fn unverified_facts_run_out_and_verified_ones_are_reviewed() {
    let fact = with(plain(), |case| {
        case.body = BodyType::Fact;
        case.layer = Layer::Semantic;
    });
    let unverified = judged(&fact);
    assert_eq!((unverified.ttl_until, unverified.review_by), (Some(Micros(NOW.0 + 7 * DAY)), None));
    let verified = judged(&with(fact.clone(), |case| case.actor = ActorKind::Person));
    assert_eq!(verified.trust, Trust::Verified);
    assert_eq!((verified.ttl_until, verified.review_by), (None, Some(Micros(NOW.0 + 90 * DAY))));
    let brought = judged(&with(fact, |case| case.source = SourceKind::Import));
    assert_eq!(brought.trust, Trust::Unverified);
    assert_eq!(brought.ttl_until, None, "nothing that was brought vanishes after a week");
    assert!(brought.review_by.is_some());
}

#[test]
fn what_repeats_a_recall_is_refused_and_what_adds_to_it_is_capped() {
    let recalled = with(plain(), |case| {
        case.source = SourceKind::Recall;
        case.lineage = Lineage { count: 1, trust: Some(Trust::Draft), ..Lineage::default() };
        case.signals.count(Seen::Repeats, 9_000);
    });
    decides(&recalled, Verdict::Refused, Rule::RepeatsRecall);
    let adds = with(recalled.clone(), |case| case.signals.count(Seen::Repeats, 8_999));
    assert_eq!(decides(&adds, Verdict::Committed, Rule::Lineage).trust, Trust::Draft);
    let first_hand = with(recalled, |case| case.source = SourceKind::Chat);
    assert_eq!(judged(&first_hand).verdict, Verdict::Committed, "a chat may repeat what it quotes");
    let summarised = with(first_hand, |case| case.lineage.summaries = true);
    decides(&summarised, Verdict::Refused, Rule::RepeatsRecall);
    let resummarised = with(summarised, |case| case.body = BodyType::Summary);
    assert_eq!(judged(&resummarised).verdict, Verdict::Committed, "a summary of a summary is one");
}

#[test]
fn nothing_is_trusted_more_than_what_it_was_made_from() {
    let derived = |trust| {
        with(plain(), |case| {
            case.actor = ActorKind::Person;
            case.source = SourceKind::User;
            case.lineage = Lineage { count: 2, trust: Some(trust), ..Lineage::default() };
        })
    };
    let decision = decides(&derived(Trust::Unverified), Verdict::Committed, Rule::Lineage);
    assert_eq!(decision.trust, Trust::Unverified);
    assert_eq!(judged(&derived(Trust::Approved)).trust, Trust::Verified, "and not raised by it");
}

#[test]
fn canonical_clauses_are_written_by_persons_or_a_sync() {
    let clause = |actor, source| Case::new(actor, BodyType::Canonical, Layer::Canonical, source);
    for actor in [ActorKind::Agent, ActorKind::System, ActorKind::Service] {
        let said = clause(actor, SourceKind::Chat);
        decides(&said, Verdict::Refused, Rule::CanonicalByPersons);
        let waits = under("[gate]\ncanonical_by_agents = \"pending\"", &said);
        assert_eq!((waits.verdict, waits.persons), (Verdict::Pending, 1));
    }
    let person = judged(&clause(ActorKind::Person, SourceKind::User));
    assert_eq!((person.verdict, person.trust), (Verdict::Committed, Trust::Approved));
    let synced = judged(&clause(ActorKind::Service, SourceKind::File));
    assert_eq!(synced.verdict, Verdict::Committed);
    // The layer alone is enough: a note cannot get in beside.
    let note = Case::new(ActorKind::Agent, BodyType::Note, Layer::Canonical, SourceKind::File);
    decides(&note, Verdict::Refused, Rule::CanonicalByPersons);
}

#[test]
fn an_instruction_needs_the_original_message() {
    let order = |actor, source| Case::new(actor, BodyType::Instruction, Layer::Instruction, source);
    let told = order(ActorKind::Agent, SourceKind::Chat);
    let decision = decides(&told, Verdict::Redirected, Rule::InstructionNeedsMessage);
    assert_eq!((decision.layer, decision.trust), (Layer::Session, Trust::Draft));
    assert_eq!(decision.ttl_until, Some(Micros(NOW.0 + DAY)));
    let quoting = with(told, |case| case.lineage.person_said = true);
    assert_eq!(judged(&quoting).layer, Layer::Instruction);
    let summarised = with(quoting, |case| case.lineage.summaries = true);
    assert_eq!(judged(&summarised).verdict, Verdict::Redirected, "a summary does not qualify");
    let person = judged(&order(ActorKind::Person, SourceKind::User));
    assert_eq!((person.verdict, person.trust), (Verdict::Committed, Trust::Verified));
    let from_page = order(ActorKind::Person, SourceKind::Web);
    assert_eq!(judged(&from_page).verdict, Verdict::Redirected, "a page gives no orders");
}

#[test]
fn the_same_again_is_a_duplicate_unless_it_corrects() {
    let again = with(plain(), |case| {
        case.signals.count(Seen::Neighbour, 41);
        case.signals.count(Seen::Similarity, 9_800);
    });
    let decision = decides(&again, Verdict::Duplicate, Rule::Duplicate);
    assert_eq!(decision.duplicate_of, Some(Seq(41)));
    let less = with(again.clone(), |case| case.signals.count(Seen::Similarity, 9_799));
    assert_eq!(judged(&less).verdict, Verdict::Committed);
    let exempt: [fn(&mut Case); 6] = [
        |case| case.source = SourceKind::Import,
        |case| case.corrects = true,
        |case| case.claimed = true,
        |case| case.body = BodyType::Message,
        |case| case.body = BodyType::Episode,
        |case| case.body = BodyType::State,
    ];
    for change in exempt {
        assert_eq!(judged(&with(again.clone(), change)).verdict, Verdict::Committed);
    }
}

#[test]
fn secrets_and_hidden_reasoning_are_refused_but_for_a_clients_state() {
    for (seen, rule, field) in [
        (Seen::Secrets, Rule::Secret, "secrets"),
        (Seen::HiddenReasoning, Rule::HiddenReasoning, "hidden_reasoning"),
    ] {
        let found = with(plain(), |case| case.signals.count(seen, 1));
        decides(&found, Verdict::Refused, rule);
        decides(
            &with(found.clone(), |case| case.actor = ActorKind::Person),
            Verdict::Refused,
            rule,
        );
        let state = with(found.clone(), |case| case.body = BodyType::State);
        assert_eq!(judged(&state).verdict, Verdict::Committed);
        let allowed = under(&format!("[gate]\n{field} = \"allow\""), &found);
        assert_eq!(allowed.verdict, Verdict::Committed);
    }
}

#[test]
fn personal_data_is_marked() {
    let found = with(plain(), |case| case.signals.count(Seen::Personal, 2));
    assert_eq!(judged(&found).marks, Write::MARK_PERSONAL);
    assert_eq!(under("[gate]\npersonal = \"allow\"", &found).marks, 0);
    let refused = under("[gate]\npersonal = \"refuse\"", &found);
    assert_eq!((refused.verdict, refused.rule), (Verdict::Refused, Rule::PersonalData));
}

#[test]
fn orders_in_foreign_words_are_data() {
    let order = |actor, source, score| {
        with(Case::new(actor, BodyType::Note, Layer::Project, source), |case| {
            case.signals.count(Seen::InstructionLike, score);
        })
    };
    for source in [SourceKind::Tool, SourceKind::Web, SourceKind::File, SourceKind::Recall] {
        let decision = judged(&order(ActorKind::Agent, source, 5_000));
        assert_eq!(decision.marks, Write::MARK_INSTRUCTION_LIKE, "{source}");
        assert_eq!(decision.verdict, Verdict::Committed, "kept as data");
        assert_eq!(judged(&order(ActorKind::Agent, source, 4_999)).marks, 0);
    }
    assert_eq!(judged(&order(ActorKind::Person, SourceKind::User, 10_000)).marks, 0);
    let pasted = judged(&order(ActorKind::Person, SourceKind::Web, 10_000));
    assert_eq!(pasted.marks, Write::MARK_INSTRUCTION_LIKE, "a person who pastes a page");
}

#[test]
fn a_layer_nobody_answers_for_takes_no_writes_of_agents() {
    let unsettled = "[layers.project]\nttl = \"none\"";
    let decision = under(unsettled, &plain());
    assert_eq!((decision.verdict, decision.rule), (Verdict::Refused, Rule::UnsettledLayer));
    let person = with(plain(), |case| case.actor = ActorKind::Person);
    assert_eq!(under(unsettled, &person).verdict, Verdict::Committed);
    let settled = "[layers.project]\nowner = \"us\"\nttl = \"none\"\ndeletion = \"close\"";
    assert_eq!(under(settled, &plain()).verdict, Verdict::Committed);
}

#[test]
fn what_a_person_put_away_is_not_derived_again() {
    let again = with(plain(), |case| case.signals.count(Seen::Suppressed, 12));
    decides(&again, Verdict::Refused, Rule::Suppressed);
    let person = with(again, |case| case.actor = ActorKind::Person);
    assert_eq!(judged(&person).verdict, Verdict::Committed, "a new word is a new memory");
}

#[test]
fn who_has_no_right_is_refused_first() {
    let denied = with(plain(), |case| {
        case.signals.count(Seen::Denied, 3);
        case.signals.count(Seen::Secrets, 1);
    });
    decides(&denied, Verdict::Refused, Rule::Denied);
}

#[test]
fn what_needs_approval_waits_for_the_most_persons_asked_for() {
    let document = "[[approvals]]\nlayer = \"project\"\n\
                    [[approvals]]\nbody = \"note\"\nby = [\"agent\"]\npersons = 2";
    let decision = under(document, &plain());
    assert_eq!((decision.verdict, decision.persons), (Verdict::Pending, 2));
    let elsewhere = with(plain(), |case| {
        case.layer = Layer::Episodic;
        case.body = BodyType::Episode;
    });
    assert_eq!(under(document, &elsewhere).verdict, Verdict::Committed);
    let person = with(plain(), |case| case.actor = ActorKind::Person);
    assert_eq!(under(document, &person).verdict, Verdict::Committed);
}

#[test]
fn a_guess_is_no_episode() {
    let episode = |confidence| {
        with(plain(), |case| {
            case.body = BodyType::Episode;
            case.layer = Layer::Episodic;
            case.confidence = confidence;
        })
    };
    decides(&episode(Some(2_999)), Verdict::Redirected, Rule::Guess);
    assert_eq!(judged(&episode(Some(3_000))).verdict, Verdict::Committed);
    assert_eq!(judged(&episode(None)).verdict, Verdict::Committed);
}

#[test]
fn a_day_ends_with_the_day() {
    let slot = with(plain(), |case| {
        case.layer = Layer::Day;
        case.day_end = Micros(NOW.0 + 5 * HOUR);
    });
    assert_eq!(judged(&slot).ttl_until, Some(Micros(NOW.0 + 5 * HOUR)));
    assert_eq!(Length::Day.end(NOW, slot.day_end), Some(slot.day_end));
}

//! Names and strings that look wrong. Those that are no names are refused; everything else comes back
//! byte for byte.

use ledger_format::{ActorKind, BodyType, SourceKind, limits};
use memledger::answer::Text;
use memledger::civil::When;
use memledger::{
    Actor, Command, Content, ErrorKind::Invalid, Filter, Scope, Source, Submission, Terms,
};
use replay_tests::desk::Desk;
use replay_tests::witness::at;

/// The big list of naughty strings, as text and, where it can be one, as a name.
#[test]
fn naughty_strings_come_back_byte_for_byte() {
    let Some(path) = super::real_data::real("unicode/blns.json") else {
        return;
    };
    let list: Vec<String> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(list.len() > 500);
    let mut desk = Desk::open();
    let mut written = Vec::new();
    for (at, text) in list.into_iter().enumerate() {
        if text.trim().is_empty() {
            desk.refuses_write("nothing", Invalid, |p| p.content = Content::Text(text));
            continue;
        }
        let named = !text.trim().is_empty()
            && text.len() <= limits::NAME_BYTES
            && !text.chars().any(char::is_control);
        let id = desk.takes(&text, |p| {
            p.content = Content::Text(text.clone());
            // Some differ in case only: in slots of their own they are no duplicates.
            p.key = Some(format!("string {at}"));
            p.tags.extend(named.then(|| text.clone()));
        });
        written.push((id, text, named));
    }
    let desk = desk.opened_again();
    let names = written.iter().filter(|(.., named)| *named).count();
    assert!(names > 450, "{names}");
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    for (id, text, named) in &written {
        let item = snapshot.get(id).unwrap().unwrap();
        assert_eq!(item.text, Text::Words(text.clone()));
        assert_eq!(item.tags, Vec::from_iter(named.then(|| text.clone())));
    }
    for (id, text, _) in written.iter().filter(|(.., named)| *named).step_by(9) {
        let filter = Filter { tag: Some(text.clone()), ..Filter::default() };
        let found = snapshot.list(&filter).unwrap().items;
        assert!(found.iter().any(|item| item.id == *id), "{text:?}");
        assert!(found.iter().all(|item| item.tags == [text.as_str()]), "{text:?}");
    }
    drop(snapshot);
    desk.done(2);
}

#[test]
fn names_that_are_none_are_refused() {
    let mut desk = Desk::open();
    let known = desk.takes("a text", |_| ());
    let long = "n".repeat(limits::NAME_BYTES + 1);
    let bad = ["", " \u{3000}", "a\nb", "a\u{0}", "\u{7f}", "\u{9b}31m", long.as_str()];
    for name in bad.map(str::to_owned) {
        desk.refuses_write("subject", Invalid, |p| p.subjects = vec!["Ann".into(), name.clone()]);
        desk.refuses_write("tag", Invalid, |p| p.tags = vec![name.clone()]);
        desk.refuses_write("key", Invalid, |p| p.key = Some(name.clone()));
        desk.refuses_write("domain", Invalid, |p| p.domain = Some(name.clone()));
        let fact = |subject: &str, predicate: &str| Content::Fact {
            subject: subject.into(),
            predicate: predicate.into(),
            object: "x".into(),
        };
        desk.refuses_write("term", Invalid, |p| p.content = fact(&name, "is"));
        desk.refuses_write("term", Invalid, |p| p.content = fact("it", &name));
        let body = serde_json::json!({ "subject": "it", "predicate": name, "object": "x" });
        desk.refuses_write("term in a body", Invalid, |p| {
            (p.content, p.body) = (Content::Body(body), Some(BodyType::Fact));
        });
        let actor = Actor { kind: ActorKind::Person, name: name.clone() };
        desk.refuses_write("writer", Invalid, |p| p.by = Some(actor.clone()));
        let using = Command::Use { memories: vec![known], reason: None };
        let by = Terms { by: Some(actor), ..Terms::default() };
        desk.refuses("actor", Invalid, Submission::of(using.clone(), by));
        let keyed = Terms { idempotency_key: Some(name.clone()), ..Terms::default() };
        desk.refuses("idempotency key", Invalid, Submission::of(using, keyed));
        desk.refuses_command(
            "person",
            Invalid,
            Command::Forget { memories: vec![known], subject: Some(name.clone()), reason: None },
        );
        assert!(format!("org/{name}").parse::<Scope>().is_err(), "{name:?}");
    }
    for (kind, uri) in [(SourceKind::None, "x"), (SourceKind::Chat, ""), (SourceKind::Chat, "a\nb")]
    {
        let source = Source { kind, uri: uri.into() };
        desk.refuses_write("source", Invalid, |p| p.source = Some(source));
    }
    desk.takes("names at the limit", |p| {
        let name = "n".repeat(limits::NAME_BYTES);
        (p.tags, p.subjects, p.key) = (vec![name.clone()], vec![name.clone()], Some(name));
    });
    desk.done(7 * 11 + 3);
}

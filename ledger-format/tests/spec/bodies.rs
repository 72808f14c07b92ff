//! The body tables against the encoding.

use ledger_format::{Event, Kind};

use crate::support::arb::Gen;
use crate::support::fixup;
use crate::support::spec::Spec;

/// Encodes samples of every kind and calls `check` with kind, body and whether options are set.
fn samples(check: impl Fn(&Spec, Kind, &[u8], bool)) {
    let spec = Spec::load();
    for (kind, ..) in Kind::ALL {
        let full = fixup::event(*kind, &mut Gen::Full(0)).encode().unwrap();
        let empty = fixup::event(*kind, &mut Gen::Empty(0)).encode().unwrap();
        check(&spec, *kind, &full, true);
        check(&spec, *kind, &empty, false);
    }
}

#[test]
fn every_kind_has_one_body_table() {
    let spec = Spec::load();
    let mut tables: Vec<_> =
        spec.tables.keys().filter_map(|name| name.strip_prefix("body:")).collect();
    let mut kinds: Vec<_> = Kind::ALL.iter().map(|(.., name)| *name).collect();
    kinds.sort_unstable();
    tables.sort_unstable();
    assert_eq!(tables, kinds);
    for (_, number, name) in Kind::ALL {
        let heading = format!("\n#### {number} `{name}`\n");
        assert_eq!(spec.text.matches(&heading).count(), 1, "heading of {name}");
    }
}

#[test]
fn tables_decode_every_body_to_its_last_byte_and_encode_it_again() {
    samples(|spec, kind, body, _| {
        let value = spec.decode_body(kind.name(), body).unwrap_or_else(|e| panic!("{kind}: {e}"));
        assert_eq!(spec.encode_body(kind.name(), &value), body, "{kind}");
    });
}

#[test]
fn tables_give_the_length_of_every_body() {
    samples(|spec, kind, body, full| {
        let value = spec.decode_body(kind.name(), body).unwrap();
        let predicted: usize = spec
            .table(&format!("body:{kind}"))
            .pairs("field", "type")
            .iter()
            .map(|(field, ty)| length(spec, ty, &value[field], full))
            .sum();
        assert_eq!(predicted, body.len(), "{kind}");
    });
}

/// The length that a type word predicts. Options are all there or all none, as the sample says.
fn length(spec: &Spec, ty: &str, value: &serde_json::Value, full: bool) -> usize {
    let inside = |outer: &str| ty.strip_prefix(outer)?.strip_prefix('<')?.strip_suffix('>');
    if let Some(inner) = inside("option") {
        // Rules can take an option away: a memory that was never true has no interval.
        let there = full && !value.is_null();
        return 1 + if there { length(spec, inner, value, full) } else { 0 };
    }
    if let Some(inner) = inside("list") {
        let items = value.as_array().unwrap();
        return 8 + items.iter().map(|item| length(spec, inner, item, full)).sum::<usize>();
    }
    if ty.starts_with("struct:") {
        let fields = spec.table(ty).pairs("field", "type");
        return fields.iter().map(|(field, ty)| length(spec, ty, &value[field], full)).sum();
    }
    match ty {
        "string" => 8 + value.as_str().unwrap().len(),
        "bytes" => 8 + value.as_str().unwrap().len() / 2,
        _ => spec.fixed(ty).unwrap(),
    }
}

#[test]
fn full_samples_set_every_option_and_empty_ones_none() {
    let spec = Spec::load();
    for (kind, _, name) in Kind::ALL {
        let least = spec.least_of_table(&format!("body:{name}"));
        let empty = fixup::event(*kind, &mut Gen::Empty(0)).encode().unwrap();
        let value = spec.decode_body(name, &empty).unwrap();
        let listed = value.as_object().unwrap().values().any(|field| {
            field.as_array().is_some_and(|list| !list.is_empty()) || field.is_string()
        });
        assert!(empty.len() == least || listed, "{name} has something beside its least");
        let full = fixup::event(*kind, &mut Gen::Full(0)).encode().unwrap();
        let nulls = spec.decode_body(name, &full).unwrap();
        let nulls = nulls.as_object().unwrap().values().filter(|field| field.is_null()).count();
        let allowed = if *kind == Kind::Close { 2 } else { 0 };
        assert!(nulls <= allowed, "{name} leaves {nulls} options out");
    }
}

#[test]
fn bodies_decode_as_the_event_they_came_from() {
    for (kind, number, name) in Kind::ALL {
        for mut g in [Gen::Full(40), Gen::Empty(40)] {
            let event = fixup::event(*kind, &mut g);
            let body = event.encode().unwrap();
            let again = Event::decode(*number, kind.version(), kind.critical(), &body);
            assert_eq!(again.as_ref(), Ok(&event), "{name}");
        }
    }
}

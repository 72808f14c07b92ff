//! The layout tables against encoded structures.

use ledger_format::{
    ClockFlags, Kind, PayloadRef, Record, Seq, anchor, batch, hash, key_page, limits, payload_file,
    record, segment,
};

use crate::sample::{self, Sample};
use crate::support::fixed;
use crate::support::spec::Spec;
use crate::support::words::number;

fn all() -> Vec<Sample> {
    vec![
        sample::record(),
        sample::reference(),
        sample::batch(),
        sample::segment(),
        sample::payload_file(),
        sample::anchor(),
        sample::key_file_header(),
        sample::key_page(),
    ]
}

#[test]
fn fields_follow_one_another_without_gaps() {
    let spec = Spec::load();
    let layouts = spec.tables.iter().filter(|(_, table)| table.columns[0] == "offset");
    let mut seen = 0;
    for (name, _) in layouts {
        let mut end = 0;
        for field in spec.layout(name) {
            assert_eq!(field.offset, end, "{name}.{}", field.name);
            end += field.size;
            let fixed = spec.fixed(&field.ty);
            assert!(fixed.is_none_or(|size| size == field.size), "{name}.{}", field.name);
        }
        seen += 1;
    }
    assert_eq!(seen, 12, "layout tables");
}

#[test]
fn sizes_are_the_constants() {
    let spec = Spec::load();
    for (table, size) in [
        ("record_header", record::HEADER_BYTES),
        ("payload_reference", PayloadRef::BYTES),
        ("batch_header", batch::HEADER_BYTES),
        ("batch_trailer", batch::TRAILER_BYTES),
        ("segment_header", segment::HEADER_BYTES),
        ("payload_file_header", payload_file::HEADER_BYTES),
        ("anchor", anchor::BYTES),
        ("key_file_header", limits::PAGE_BYTES),
        ("key_page", limits::PAGE_BYTES),
        ("extension_header", 6),
        ("payload_frame", 9),
        ("associated_data", 25),
    ] {
        assert_eq!(spec.layout_size(table), size, "{table}");
    }
    let slots = spec.layout("key_page").pop().unwrap();
    assert_eq!(slots.offset, key_page::PAGE_HEADER_BYTES);
    assert_eq!(slots.size, key_page::SLOT_BYTES * limits::PAGE_SLOTS);
    assert!(spec.layout("segment_header")[11].size >= 32 * limits::FRONTIER_LEVELS);
}

#[test]
fn every_field_is_where_the_table_says() {
    let spec = Spec::load();
    for sample in all() {
        let fields = spec.fields(sample.table, &sample.bytes);
        let named: Vec<_> = fields.as_object().unwrap().keys().collect();
        let mut compared = 0;
        for (name, expected) in &sample.fields {
            assert_eq!(&fields[*name], expected, "{}.{name}", sample.table);
            compared += 1;
        }
        let check = named.iter().filter(|name| **name == "check").count();
        assert_eq!(compared + check, named.len(), "{}: a field not compared", sample.table);
    }
}

#[test]
fn reserved_fields_are_zero() {
    let spec = Spec::load();
    for sample in all() {
        for field in spec.layout(sample.table).iter().filter(|field| field.ty == "zero") {
            let bytes = &sample.bytes[field.offset..field.offset + field.size];
            assert!(bytes.iter().all(|byte| *byte == 0), "{}.{}", sample.table, field.offset);
        }
    }
}

#[test]
fn checks_cover_what_the_table_says() {
    let spec = Spec::load();
    let mut compared = 0;
    for sample in all() {
        for field in spec.layout(sample.table).iter().filter(|field| field.ty == "check") {
            let covered = field.covered(&sample.bytes);
            let stored = &sample.bytes[field.offset..field.offset + field.size];
            assert_eq!(stored, hash::check(&covered).0, "{}", sample.table);
            assert_eq!(covered.len() + 16, sample.bytes.len(), "{}", sample.table);
            compared += 1;
        }
    }
    assert_eq!(compared, 6, "structures with a check");
}

#[test]
fn magics_are_the_constants() {
    let spec = Spec::load();
    for (table, magic) in [
        ("batch_header", batch::MAGIC),
        ("segment_header", segment::MAGIC),
        ("payload_file_header", payload_file::MAGIC),
        ("anchor", anchor::MAGIC),
        ("key_file_header", key_page::HEADER_MAGIC),
        ("key_page", key_page::PAGE_MAGIC),
    ] {
        let first = spec.layout(table).remove(0);
        assert_eq!(first.ty, "magic");
        assert_eq!(first.meaning.trim_matches('`').as_bytes(), magic, "{table}");
    }
}

#[test]
fn record_flags_are_the_bits_of_the_table() {
    let named = Spec::load().table("record_flags").pairs("bit", "name");
    for (bit, name) in named {
        let mut header = fixed::header(Kind::Pin, 1);
        header.kind_version = 99;
        header.critical = name == "critical";
        header.clock = ClockFlags {
            behind: name == "behind",
            jump_confirmed: name == "jump_confirmed",
            declared: name == "declared",
        };
        let bytes = Record::new(header, Vec::new()).encode().unwrap();
        assert_eq!(bytes[6], 1 << bit.parse::<u8>().unwrap(), "{name}");
    }
}

#[test]
fn a_record_is_header_body_references_extensions() {
    let spec = Spec::load();
    let sample = sample::record();
    let fields = spec.fields("record_header", &sample.bytes);
    let length = |name: &str| usize::try_from(fields[name].as_u64().unwrap()).unwrap();
    let body = 112..112 + length("body_length");
    let references = body.end..body.end + 80 * length("payload_count");
    let extensions = references.end..references.end + length("extension_length");
    assert_eq!(extensions.end, sample.bytes.len());
    assert_eq!(sample.bytes[body], [0xaa; 300]);
    assert_eq!(sample.bytes[references.start..][..80], sample::reference().bytes);
    let extension = &sample.bytes[extensions];
    let fields = spec.fields("extension_header", extension);
    assert_eq!(fields["tag"], 500);
    assert_eq!(fields["flags"], 0);
    assert_eq!(fields["length"], 3);
    assert_eq!(extension[6..], [1, 2, 3]);
}

#[test]
fn a_batch_is_header_frames_trailer() {
    let (made, _) = fixed::first_batch();
    let spec = Spec::load();
    let mut rest = &made.bytes[160..];
    for (at, record) in made.records.iter().enumerate() {
        let length = usize::try_from(number(&rest[..2])).unwrap();
        assert_eq!(&rest[2..2 + length], record, "record {at}");
        assert_eq!(spec.fields("record_header", record)["seq"], at.to_string());
        rest = &rest[2 + length..];
    }
    let trailer = spec.fields("batch_trailer", rest);
    assert_eq!(trailer["root"], made.root.to_string());
    assert_eq!(trailer["hash"], made.hash.to_string());
    assert_eq!(rest.len(), 64);
    assert_eq!(made.header.first, Seq(0));
}

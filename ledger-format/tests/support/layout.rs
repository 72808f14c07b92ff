//! Reads fields of fixed layouts by the offsets and sizes of `SPEC.md`.

use serde_json::{Map, Value, json};

use super::hex;
use super::spec::Spec;
use super::words::number;

/// One row of a layout table.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) meaning: String,
}

impl Spec {
    pub(crate) fn layout(&self, table: &str) -> Vec<Field> {
        let table = self.table(table);
        assert_eq!(table.columns, ["offset", "size", "field", "type", "meaning"]);
        let row = |row: &Vec<String>| Field {
            offset: row[0].parse().unwrap(),
            size: row[1].parse().unwrap(),
            name: row[2].clone(),
            ty: row[3].clone(),
            meaning: row[4].clone(),
        };
        table.rows.iter().map(row).collect()
    }

    /// Bytes that a layout takes.
    pub(crate) fn layout_size(&self, table: &str) -> usize {
        self.layout(table).last().map_or(0, |field| field.offset + field.size)
    }

    /// Every named field of a structure as JSON.
    pub(crate) fn fields(&self, table: &str, bytes: &[u8]) -> Value {
        let mut fields = Map::new();
        for field in self.layout(table) {
            let bytes = &bytes[field.offset..field.offset + field.size];
            if field.ty != "zero" {
                fields.insert(field.name.clone(), field.value(bytes));
            }
        }
        Value::Object(fields)
    }
}

impl Field {
    /// The value of the field, in the forms that [`super::words`] uses.
    pub(crate) fn value(&self, bytes: &[u8]) -> Value {
        match self.ty.as_str() {
            "u8" | "u16" | "u32" => json!(number(bytes)),
            "u64" => json!(number(bytes).to_string()),
            "i64" => json!(number(bytes).cast_signed().to_string()),
            "magic" => json!(String::from_utf8(bytes.to_vec()).unwrap()),
            _ => json!(hex::short(bytes)),
        }
    }
}

impl Spec {
    /// Computes the check of a structure anew, over the bytes that its table names.
    pub(crate) fn recheck(&self, table: &str, bytes: &mut [u8]) {
        let field = self.layout(table).into_iter().find(|field| field.ty == "check").unwrap();
        let check = ledger_format::hash::check(&field.covered(bytes));
        bytes[field.offset..field.offset + field.size].copy_from_slice(&check.0);
    }
}

impl Field {
    /// The bytes that a check covers, from its "over bytes A to B and C to D".
    pub(crate) fn covered(&self, bytes: &[u8]) -> Vec<u8> {
        let ranges = self.meaning.strip_prefix("over bytes ").unwrap().replace(',', "");
        let range = |range: &str| {
            let (first, last) = range.split_once(" to ").unwrap();
            bytes[first.parse().unwrap()..=last.parse().unwrap()].to_vec()
        };
        ranges.split(" and ").flat_map(range).collect()
    }
}

//! Reads the tables of `SPEC.md`.

use std::collections::BTreeMap;

/// A table: its column names and its rows.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

pub(crate) struct Spec {
    pub(crate) text: String,
    pub(crate) tables: BTreeMap<String, Table>,
}

impl Spec {
    pub(crate) fn load() -> Self {
        let text = super::read("SPEC.md");
        let mut tables = BTreeMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(name) = line.strip_prefix("<!-- table:") else { continue };
            let name = name.strip_suffix(" -->").expect("a table marker is closed");
            let mut rows = lines.by_ref().take_while(|line| line.starts_with('|')).map(cells);
            let columns = rows.next().unwrap_or_else(|| panic!("table {name} has no head"));
            let rule = rows.next().unwrap_or_else(|| panic!("table {name} has no rule"));
            assert!(rule.iter().all(|cell| cell == "---"), "table {name} has no rule");
            let table = Table { rows: rows.collect(), columns };
            let width = table.columns.len();
            assert!(table.rows.iter().all(|row| row.len() == width), "table {name} is uneven");
            assert!(tables.insert(name.to_owned(), table).is_none(), "two tables {name}");
        }
        Self { text, tables }
    }

    pub(crate) fn table(&self, name: &str) -> &Table {
        self.tables.get(name).unwrap_or_else(|| panic!("SPEC.md has no table {name}"))
    }

    /// The text of a code block after `<!-- bytes:NAME -->`.
    pub(crate) fn block(&self, name: &str) -> &str {
        let marker = format!("<!-- bytes:{name} -->\n```\n");
        let (_, rest) = self.text.split_once(&marker).unwrap_or_else(|| panic!("no block {name}"));
        rest.split_once("```").expect("a block is closed").0
    }
}

impl Table {
    /// The cells of one column.
    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let at = self.columns.iter().position(|column| column == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.columns));
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// Two columns as pairs.
    pub(crate) fn pairs(&self, first: &str, second: &str) -> Vec<(String, String)> {
        let first = self.column(first).into_iter().map(str::to_owned);
        first.zip(self.column(second).into_iter().map(str::to_owned)).collect()
    }
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    let inner = inner.unwrap_or_else(|| panic!("not a row: {line}"));
    let inner = inner.replace("\\|", "\u{0}");
    inner.split('|').map(|cell| cell.trim().replace('\u{0}', "|").replace('\\', "")).collect()
}

//! Real data that lies beside the workspace, read with nothing of the product, and the rule for
//! histories applied naively.

use std::path::{Path, PathBuf};

use ledger_format::Micros;

/// A folder or file of real data; none, said aloud: it is not there. With `MEMLEDGER_REQUIRE_DATA=1`
/// that is a failure.
pub fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var_os("MEMLEDGER_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "MEMLEDGER_REQUIRE_DATA=1, and {} is not there", path.display());
    println!("SKIPPED: {} is not there; this test proves nothing here", path.display());
    None
}

/// One row of an index.
pub struct Row {
    pub author: Micros,
    pub claim: Micros,
    pub text: Option<String>,
}

/// A document with all its rows.
pub struct Document {
    pub name: String,
    pub rows: Vec<Row>,
}

impl Document {
    /// The text in force at `valid`: of the rows known at `claim` the one with the greatest author
    /// date up to `valid`, of equal ones the later row.
    pub fn in_force(&self, claim: Micros, valid: Micros) -> Option<&str> {
        let known = self.rows.iter().enumerate();
        let known = known.filter(|(_, row)| row.claim <= claim && row.author <= valid);
        known.max_by_key(|(at, row)| (row.author, *at)).and_then(|(_, row)| row.text.as_deref())
    }

    /// Each boundary, and one second before and after.
    pub fn around(&self, boundary: fn(&Row) -> Micros) -> Vec<Micros> {
        let three =
            |row: &Row| [-1, 0, 1].map(|second| Micros(boundary(row).0 + second * 1_000_000));
        let mut all: Vec<Micros> = self.rows.iter().flat_map(three).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Every document below a folder, in the order of their names.
pub fn documents(dir: &Path) -> Vec<Document> {
    let mut found = Vec::new();
    search(dir, dir, &mut found);
    found.sort_by(|a: &Document, b: &Document| a.name.cmp(&b.name));
    found
}

fn search(top: &Path, dir: &Path, found: &mut Vec<Document>) {
    if dir.join("index.tsv").is_file() {
        let name = dir.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
        found.push(Document { name, rows: rows(dir) });
    }
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(top, &path, found);
        }
    }
}

fn rows(dir: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(dir.join("index.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let removed = cells[8] == "(deleted)";
        Row {
            author: instant(cells[2]),
            claim: instant(cells[3]),
            text: (!removed).then(|| std::fs::read_to_string(dir.join(cells[8])).unwrap()),
        }
    };
    table.split('\n').skip(1).filter(|line| !line.is_empty()).map(row).collect()
}

/// `2018-04-19T15:46:13-07:00`, by counting days.
pub fn instant(text: &str) -> Micros {
    let number = |from: usize, to: usize| text[from..to].parse::<i64>().unwrap();
    let days = days_before(number(0, 4), number(5, 7)) + number(8, 10) - 1;
    let seconds = number(11, 13) * 3600 + number(14, 16) * 60 + number(17, 19);
    let offset = match &text[19..] {
        "Z" => 0,
        zone => {
            let minutes = number(20, 22) * 60 + number(23, 25);
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    Micros((days * 86_400 + seconds - offset * 60) * 1_000_000)
}

/// The first instant of a year in UTC.
pub fn year(year: i64) -> Micros {
    Micros(days_before(year, 1) * 86_400 * 1_000_000)
}

/// Days from 1970-01-01 to the first of a month, by the Gregorian rule for every year.
fn days_before(year: i64, month: i64) -> i64 {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year: i64| 365 + i64::from(leap(year));
    let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months: i64 = lengths.iter().take(month as usize - 1).sum();
    let after: i64 = (1970..year).map(length).sum();
    let before: i64 = (year..1970).map(length).sum();
    after - before + months
}

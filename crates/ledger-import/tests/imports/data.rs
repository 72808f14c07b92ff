//! Real data beside the workspace, and the rule for histories applied naively.

use std::path::{Path, PathBuf};

use memledger::format::Micros;

/// A folder of real data; none: it is not there, and this machine need not have it.
pub(super) fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var_os("MEMLEDGER_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "MEMLEDGER_REQUIRE_DATA=1, and {} is not there", path.display());
    println!("SKIPPED: {} is not there; this test proves nothing here", path.display());
    None
}

/// A row of an index, read with nothing of the importer.
pub(super) struct Row {
    pub(super) author: Micros,
    pub(super) claim: Micros,
    pub(super) text: Option<String>,
}

pub(super) fn rows(dir: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(dir.join("index.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        Row {
            author: instant(cells[2]),
            claim: instant(cells[3]),
            text: (cells[8] != "(deleted)")
                .then(|| std::fs::read_to_string(dir.join(cells[8])).unwrap()),
        }
    };
    table.split('\n').skip(1).filter(|line| !line.is_empty()).map(row).collect()
}

/// The text in force at `valid`, of the rows known at `claim`.
pub(super) fn in_force(rows: &[Row], claim: Micros, valid: Micros) -> Option<&str> {
    let known = rows.iter().enumerate();
    let known = known.filter(|(_, row)| row.claim <= claim && row.author <= valid);
    known.max_by_key(|(at, row)| (row.author, *at)).and_then(|(_, row)| row.text.as_deref())
}

/// `2018-04-19T15:46:13-07:00`, by counting days from 1970 on.
pub(super) fn instant(text: &str) -> Micros {
    let number = |from: usize, to: usize| text[from..to].parse::<i64>().unwrap();
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let years: i64 = (1970..year).map(|year| 365 + i64::from(leap(year))).sum();
    let months: i64 = lengths[..usize::try_from(month - 1).unwrap()].iter().sum();
    let seconds = number(11, 13) * 3600 + number(14, 16) * 60 + number(17, 19);
    let offset = match &text[19..] {
        "Z" => 0,
        zone => {
            let minutes = number(20, 22) * 60 + number(23, 25);
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    Micros(((years + months + day - 1) * 86_400 + seconds - offset * 60) * 1_000_000)
}

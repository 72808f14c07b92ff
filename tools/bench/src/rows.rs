//! Owns what was measured: one line for each figure, kept in a file as soon as it is known, so that
//! a run that was stopped goes on behind its last part. May not: measure.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::measure::Spread;

/// Who is measured where nobody else is named.
pub(crate) const OURS: &str = "memledger";

/// One figure.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Records of the ledger it was measured on; 0: it has no size.
    pub(crate) size: u64,
    pub(crate) name: String,
    pub(crate) who: String,
    pub(crate) unit: String,
    pub(crate) goal: String,
    pub(crate) spread: Spread,
}

/// All figures of a run.
pub(crate) struct Rows {
    file: Option<File>,
    rows: Vec<Row>,
    done: BTreeSet<(u64, String)>,
    /// The size that is measured.
    pub(crate) size: u64,
}

impl Rows {
    /// Figures that are only printed.
    pub(crate) fn printed() -> Self {
        Self { file: None, rows: Vec::new(), done: BTreeSet::new(), size: 0 }
    }

    /// Figures that are kept in a file, with those that are in it.
    pub(crate) fn kept(path: &Path) -> Self {
        let mut rows = Self::printed();
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            rows.load(line);
        }
        rows.file = Some(OpenOptions::new().create(true).append(true).open(path).unwrap());
        rows
    }

    fn load(&mut self, line: &str) {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["done", size, part] => {
                self.done.insert((size.parse().unwrap(), (*part).to_owned()));
            }
            ["row", size, name, who, unit, goal, median, low, high] => {
                let spread = Spread {
                    median: median.parse().unwrap(),
                    low: low.parse().unwrap(),
                    high: high.parse().unwrap(),
                };
                self.rows.push(Row {
                    size: size.parse().unwrap(),
                    name: (*name).to_owned(),
                    who: (*who).to_owned(),
                    unit: (*unit).to_owned(),
                    goal: (*goal).to_owned(),
                    spread,
                });
            }
            _ => panic!("this line of the kept figures does not read: {line}"),
        }
    }

    fn keep(&mut self, line: &str) {
        if let Some(file) = &mut self.file {
            writeln!(file, "{line}").unwrap();
        }
    }

    /// Runs a part once, whatever happens to the run.
    pub(crate) fn part(&mut self, name: &str, run: impl FnOnce(&mut Self)) {
        let part = (self.size, name.to_owned());
        if self.done.contains(&part) {
            return;
        }
        // Figures of a part that was stopped half way are measured again.
        run(self);
        self.keep(&format!("done\t{}\t{name}", self.size));
        self.done.insert(part);
    }

    /// A figure of anybody, in some unit.
    pub(crate) fn figure(&mut self, name: &str, who: &str, unit: &str, spread: Spread) {
        self.add(name, who, unit, "", spread);
    }

    /// A goal and what was reached.
    pub(crate) fn goal(&mut self, name: &str, goal: &str, spread: Spread) {
        self.add(name, OURS, "", goal, spread);
    }

    fn add(&mut self, name: &str, who: &str, unit: &str, goal: &str, spread: Spread) {
        let Spread { median, low, high } = spread;
        let size = self.size;
        println!("{}", line(name, who, unit, goal, spread));
        self.keep(&format!("row\t{size}\t{name}\t{who}\t{unit}\t{goal}\t{median}\t{low}\t{high}"));
        self.rows
            .retain(|row| (row.size, row.name.as_str(), row.who.as_str()) != (size, name, who));
        let [name, who, unit, goal] = [name, who, unit, goal].map(str::to_owned);
        self.rows.push(Row { size, name, who, unit, goal, spread });
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All figures as tables, one for each size.
    pub(crate) fn markdown(&self) -> String {
        let sizes: BTreeSet<u64> = self.rows.iter().map(|row| row.size).collect();
        let mut out = String::from(
            "# Measured\n\nMedian [lowest..highest]. Written by `bench`; figures of a busy machine show its neighbours.\n",
        );
        for size in sizes {
            let title = if size == 0 { "Of no size".into() } else { format!("{size} records") };
            write!(out, "\n## {title}\n\n| figure | who | reached | goal |\n|---|---|---|---|\n")
                .unwrap();
            for Row { name, who, unit, goal, spread, .. } in
                self.rows.iter().filter(|row| row.size == size)
            {
                writeln!(out, "| {name} | {who} | {spread} {unit} | {goal} |").unwrap();
            }
        }
        out
    }
}

fn line(name: &str, who: &str, unit: &str, goal: &str, spread: Spread) -> String {
    let goal = if goal.is_empty() { String::new() } else { format!("  goal {goal}") };
    format!("{name:<58} {who:<12} {spread} {unit}{goal}")
}

//! Owns numbers: medians, spreads, ratios, and the one way they are printed.

use std::time::{Duration, Instant};

/// Runs `work` and returns how long it took.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}

/// Processor time of this process so far, all threads, also those that ended. In steps of 10 ms.
pub(crate) fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    // Fields 14 and 15 of proc(5), counted from 1 with the name as the second.
    (ticks(11) + ticks(12)) / 100.0
}

/// Median, lowest and highest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let low = *values.first().unwrap();
        let high = *values.last().unwrap();
        Self { median: values[values.len() / 2], low, high }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} [{:.2}..{:.2}]", self.median, self.low, self.high)
    }
}

/// The value below which a share of the values lies.
pub(crate) fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

pub(crate) fn title(text: &str) {
    println!("\n## {text}\n");
}

/// A goal and what was reached.
pub(crate) fn goal(name: &str, goal: &str, reached: &dyn std::fmt::Display) {
    println!("{name:<52} goal {goal:<12} reached {reached}");
}

//! Owns numbers: medians, spreads, ratios, and the one way they are printed.

use std::time::{Duration, Instant};

/// Runs `work` and returns how long it took.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}

/// Processor time of this process so far in seconds, all threads, also those that ended.
pub(crate) fn cpu_seconds() -> f64 {
    spent().as_secs_f64()
}

/// Runs `work` and returns how much processor time the process spent in it, on all threads: what
/// other programs on the machine do does not count.
pub(crate) fn cpu<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = spent();
    let value = work();
    (value, spent().saturating_sub(start))
}

fn spent() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// Memory of this process that is in use, in bytes.
pub(crate) fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

/// The most memory that was in use since the last call of [`forget_peak`].
pub(crate) fn peak_bytes() -> u64 {
    status_bytes("VmHWM:")
}

/// Begins a new peak at what is in use now.
pub(crate) fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

fn status_bytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
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

    /// A figure that was measured once, or counted.
    pub(crate) const fn one(value: f64) -> Self {
        Self { median: value, low: value, high: value }
    }

    /// The middle of many single operations, from the 10th percentile to the 99th.
    pub(crate) fn middle(values: &mut [f64]) -> Self {
        let mut at = |share| percentile(values, share);
        let [median, low, high] = [0.5, 0.1, 0.99].map(&mut at);
        Self { median, low, high }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = if self.median >= 100.0 { 0 } else { 2 };
        let Self { median, low, high } = self;
        if low == high {
            return write!(f, "{median:.digits$}");
        }
        write!(f, "{median:.digits$} [{low:.digits$}..{high:.digits$}]")
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

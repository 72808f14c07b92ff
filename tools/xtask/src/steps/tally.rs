//! Counts tests from the closing lines of their runners.

use std::fmt;

/// Which runner writes the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// `test result: ok. 3 passed; 0 failed; 0 ignored; …`, once for each binary.
    Cargo,
    /// `Ran 3 tests in 0.1s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`.
    Unittest,
}

/// Tests by their result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Tests that were really executed.
    pub(crate) fn total(self) -> usize {
        self.passed + self.failed
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    /// Takes one line of output into account.
    pub(crate) fn read(&mut self, counter: Counter, line: &str) {
        match counter {
            Counter::Cargo => self.read_cargo(line),
            Counter::Unittest => self.read_unittest(line),
        }
    }

    fn read_cargo(&mut self, line: &str) {
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for (count, what) in counts.split(';').filter_map(|part| part.trim().split_once(' ')) {
            let count = count.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }

    /// `Ran` counts every test, so what the verdict line names is moved out of the passed ones.
    fn read_unittest(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("Ran ").filter(|rest| rest.contains(" test")) {
            self.passed += rest.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
        }
        let verdict = line.strip_prefix("OK (").or_else(|| line.strip_prefix("FAILED ("));
        let Some(parts) = verdict.and_then(|rest| rest.trim_end().strip_suffix(')')) else {
            return;
        };
        for (what, count) in parts.split(", ").filter_map(|part| part.split_once('=')) {
            let count = count.parse().unwrap_or(0);
            match what {
                "failures" | "errors" | "unexpected successes" => self.failed += count,
                "skipped" => self.skipped += count,
                _ => continue,
            }
            self.passed = self.passed.saturating_sub(count);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(counter: Counter, output: &str) -> Tally {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.read(counter, line));
        tally
    }

    #[test]
    fn cargo_binaries_add_up() {
        let output = "running 3 tests\n\
            test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        assert_eq!(tally(Counter::Cargo, output), Tally { passed: 5, failed: 1, skipped: 1 });
        assert_eq!(tally(Counter::Cargo, "a test result: ok. 9 passed"), Tally::default());
    }

    #[test]
    fn unittest_failures_and_skips_are_no_passes() {
        let failed = "Ran 10 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=3)\n";
        assert_eq!(tally(Counter::Unittest, failed), Tally { passed: 4, failed: 3, skipped: 3 });
        let passed = "Ran 1 test in 0.1s\n\nOK\n";
        assert_eq!(tally(Counter::Unittest, passed), Tally { passed: 1, failed: 0, skipped: 0 });
        assert_eq!(tally(Counter::Unittest, "Ran 0 tests in 0.0s\n\nOK\n").total(), 0);
    }

    #[test]
    fn the_closing_line_is_plain() {
        let tally = Tally { passed: 2, failed: 0, skipped: 0 };
        assert_eq!(tally.to_string(), "2 passed, 0 failed");
        assert_eq!(Tally { skipped: 1, ..tally }.to_string(), "2 passed, 0 failed, 1 skipped");
    }
}

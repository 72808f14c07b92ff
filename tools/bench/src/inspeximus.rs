//! The Python package inspeximus as a peer: what one more keyed memory with a receipt costs at 200,
//! 1,000 and 4,000 records. It is installed into an environment of its own that goes with the run;
//! where that cannot be done, it is said and nothing is measured.

use std::path::Path;
use std::process::Command;

use crate::chart;
use crate::measure::{Spread, title};
use crate::rows::Rows;

const NAME: &str = "inspeximus";
const PACKAGE: &str = "inspeximus==3.23.1";
const SIZES: [&str; 3] = ["200", "1000", "4000"];

pub(crate) fn run(rows: &mut Rows) {
    title(&format!("{PACKAGE}: one more keyed memory with a receipt"));
    let dir = tempfile::tempdir().unwrap();
    if let Err(why) = measure(dir.path(), rows) {
        println!("{NAME} is not measured: {why}");
    }
}

fn measure(dir: &Path, rows: &mut Rows) -> Result<(), String> {
    let place = dir.join("env");
    done(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
    let python = place.join("bin/python");
    done(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps", PACKAGE]))?;
    let script = dir.join("measure.py");
    std::fs::write(&script, include_str!("inspeximus.py")).map_err(|error| error.to_string())?;
    let text = done(Command::new(&python).arg(&script).args(SIZES))?;
    let mut found = Vec::new();
    let before = rows.size;
    for line in text.lines() {
        let values: Vec<f64> = line
            .split(' ')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|_| line.to_owned())?;
        let [size, cpu, low, high, wall, fast, slow] = values.as_slice() else {
            return Err(format!("this is not what the script prints: {line}"));
        };
        rows.size = *size as u64;
        let micros = Spread { median: cpu * 1e3, low: low * 1e3, high: high * 1e3 };
        rows.figure(chart::APPEND, NAME, "us", micros);
        let wall = Spread { median: *wall, low: *fast, high: *slow };
        rows.figure("one durable memory, wall", NAME, "ms", wall);
        found.push((*size, micros.median));
    }
    rows.size = before;
    if let [(least, first), .., (most, last)] = found.as_slice() {
        let slope = (last - first) / (most - least) * 1e3;
        rows.figure(
            "more CPU for each 1,000 records that are there",
            NAME,
            "us",
            Spread::one(slope),
        );
        let times = Spread::one(last / first);
        rows.figure("CPU of a write at 4,000 records / at 200", NAME, "", times);
    }
    Ok(())
}

fn done(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}", words.trim().lines().last().unwrap_or_default()))
}

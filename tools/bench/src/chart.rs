//! Owns the drawing: cost against size, one small picture for each kind of cost, both axes by powers
//! of ten. May not: measure, or leave out who is slower or faster.

use std::fmt::Write as _;

use crate::rows::{OURS, Row};

/// What is drawn: the figures of one name.
pub(crate) const CHARTS: [(&str, &str); 5] = [
    (APPEND, "processor time of one more record"),
    (OPEN, "opening what was closed, until it can be read"),
    (POINT, "one memory as it was known then"),
    (WHOLE, "all that held at one record"),
    (BYTES, "bytes on disk for one memory"),
];
pub(crate) const APPEND: &str = "append, CPU per record";
pub(crate) const OPEN: &str = "open";
pub(crate) const POINT: &str = "point as-of read";
pub(crate) const WHOLE: &str = "whole-state listing, per item";
pub(crate) const BYTES: &str = "bytes per memory";

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
/// Room for words around a picture: left, top, right, bottom.
const ROOM: [f64; 4] = [64.0, 44.0, 120.0, 40.0];
const OTHERS: [&str; 7] =
    ["#c0504d", "#4f81bd", "#9bbb59", "#8064a2", "#f79646", "#4bacc6", "#7f7f7f"];

/// The whole drawing, as an SVG file.
pub(crate) fn svg(rows: &[Row]) -> String {
    let charts: Vec<String> = CHARTS
        .iter()
        .enumerate()
        .filter_map(|(number, (name, words))| {
            let left = (number % 2) as f64 * WIDTH;
            let top = (number / 2) as f64 * HEIGHT;
            let found: Vec<&Row> =
                rows.iter().filter(|row| row.name == *name && row.size > 0).collect();
            let picture = Picture::of(&found)?.draw(&found, words);
            Some(format!("<g transform=\"translate({left} {top})\">{picture}</g>\n"))
        })
        .collect();
    let height = HEIGHT * CHARTS.len().div_ceil(2) as f64;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{1}</svg>\n",
        WIDTH * 2.0,
        charts.concat()
    )
}

/// The ranges of both axes, as powers of ten.
struct Picture {
    x: (f64, f64),
    y: (f64, f64),
}

impl Picture {
    /// Room for all figures. None where nothing was measured.
    fn of(rows: &[&Row]) -> Option<Self> {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) = values
                .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
            let (low, high) = (low.log10().floor(), high.log10().ceil());
            (low, high.max(low + 1.0))
        };
        if rows.is_empty() {
            return None;
        }
        let positive = |value: f64| value.max(1e-6);
        Some(Self {
            x: range(&mut rows.iter().map(|row| row.size as f64)),
            y: range(&mut rows.iter().map(|row| positive(row.spread.median))),
        })
    }

    fn place(&self, size: f64, value: f64) -> (f64, f64) {
        let [left, top, right, bottom] = ROOM;
        let share = |value: f64, (low, high): (f64, f64)| (value.log10() - low) / (high - low);
        let x = left + share(size, self.x) * (WIDTH - left - right);
        let y = HEIGHT - bottom - share(value.max(1e-6), self.y) * (HEIGHT - top - bottom);
        (x, y)
    }

    fn draw(&self, rows: &[&Row], words: &str) -> String {
        let unit = rows.first().map_or("", |row| row.unit.as_str());
        let mut out =
            format!("<text x=\"{}\" y=\"24\" font-size=\"13\">{words} ({unit})</text>", ROOM[0]);
        self.grid(&mut out);
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            if !names.contains(&row.who.as_str()) {
                names.push(&row.who);
            }
        }
        let mut labels = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let ours = *name == OURS;
            let colour = if ours { "#000000" } else { OTHERS[number % OTHERS.len()] };
            let mut series: Vec<&&Row> = rows.iter().filter(|row| row.who == *name).collect();
            series.sort_by_key(|row| row.size);
            let end = self.line(&mut out, &series, colour, if ours { 2.5 } else { 1.5 });
            labels.push((end, *name, colour));
        }
        write_labels(&mut out, labels);
        out
    }

    fn grid(&self, out: &mut String) {
        let powers = |(low, high): (f64, f64)| (low as i32..=high as i32).map(|at| 10f64.powi(at));
        for size in powers(self.x) {
            let (x, bottom) = self.place(size, 10f64.powf(self.y.0));
            let (_, top) = self.place(size, 10f64.powf(self.y.1));
            write!(out, "<path d=\"M{x:.1} {bottom:.1}V{top:.1}\" stroke=\"#dddddd\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>", bottom + 16.0, short(size)).unwrap();
        }
        for value in powers(self.y) {
            let (left, y) = self.place(10f64.powf(self.x.0), value);
            let (right, _) = self.place(10f64.powf(self.x.1), value);
            write!(out, "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#dddddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", left - 6.0, y + 4.0, short(value)).unwrap();
        }
    }

    /// Draws one series with its spread; gives where it ends.
    fn line(&self, out: &mut String, series: &[&&Row], colour: &str, width: f64) -> (f64, f64) {
        let mut path = String::new();
        let mut end = (0.0, 0.0);
        for (number, row) in series.iter().enumerate() {
            let size = row.size as f64;
            let (x, y) = self.place(size, row.spread.median);
            let (low, high) =
                (self.place(size, row.spread.low).1, self.place(size, row.spread.high).1);
            write!(path, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' }).unwrap();
            write!(out, "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>").unwrap();
            end = (x, y);
        }
        write!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        )
        .unwrap();
        end
    }
}

/// Names beside the ends of their lines, moved apart where they would lie over each other.
fn write_labels(out: &mut String, mut labels: Vec<((f64, f64), &str, &str)>) {
    labels.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let mut last = f64::MIN;
    for ((_, y), name, colour) in labels {
        let y = y.max(last + 12.0);
        last = y;
        let x = WIDTH - ROOM[2] + 8.0;
        write!(out, "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>", y + 4.0)
            .unwrap();
    }
}

/// A power of ten in few characters.
fn short(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{}G", value / 1e9),
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => format!("{value}"),
    }
}

//! Hex as vectors hold it: two digits a byte, and `(xx*n)` for a run of n equal bytes.

/// Runs from this length on are written short.
const RUN: usize = 24;

pub(crate) fn plain(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn short(bytes: &[u8]) -> String {
    bytes
        .chunk_by(|a, b| a == b)
        .map(|run| match run {
            [byte, ..] if run.len() >= RUN => format!("({byte:02x}*{})", run.len()),
            _ => plain(run),
        })
        .collect()
}

pub(crate) fn parse(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(run) = rest.strip_prefix('(') {
            let (inside, after) = run.split_once(')').expect("a run is closed");
            let (byte, count) = inside.split_once('*').expect("a run has a count");
            let count = count.parse::<usize>().expect("a count");
            bytes.resize(bytes.len() + count, u8::from_str_radix(byte, 16).expect("a byte"));
            rest = after;
        } else {
            let (byte, after) = rest.split_at(2);
            bytes.push(u8::from_str_radix(byte, 16).expect("a byte"));
            rest = after;
        }
    }
    bytes
}

/// 32 bytes a line.
pub(crate) fn lines(bytes: &[u8]) -> String {
    bytes.chunks(32).map(|line| plain(line) + "\n").collect()
}

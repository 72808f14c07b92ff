//! Real texts that lie beside the workspace.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A folder or file of real data; none, said aloud: it is not there. With `MEMLEDGER_REQUIRE_DATA=1`
/// that is a failure.
pub fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var_os("MEMLEDGER_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "MEMLEDGER_REQUIRE_DATA=1, and {} is not there", path.display());
    println!("SKIPPED: {} is not there; this test proves nothing here", path.display());
    None
}

pub fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every file below a folder whose name ends so, in order.
pub fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every string in a value.
pub fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|value| strings(value, out)),
        Value::Object(all) => all.values().for_each(|value| strings(value, out)),
        _ => {}
    }
}

/// The text of every turn of LoCoMo.
pub fn locomo() -> Option<Vec<String>> {
    let turns = |path: PathBuf| {
        let file = json(&path);
        let sessions = file["conversation"].as_object().unwrap().values();
        let turns: Vec<String> = sessions
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(|turn| turn["text"].as_str().map(str::to_owned))
            .collect();
        turns
    };
    let files = files(&real("locomo")?, ".json").into_iter();
    Some(
        files
            .filter(|path| !path.to_string_lossy().contains("corrected"))
            .flat_map(turns)
            .collect(),
    )
}

/// Every string of twenty bytes and more in the transcripts: messages, tool calls and their results.
pub fn transcripts() -> Option<Vec<String>> {
    let dir = real("transcripts")?;
    let mut out = Vec::new();
    for path in files(&dir, ".jsonl") {
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            strings(&serde_json::from_str(line).unwrap(), &mut out);
        }
    }
    for ending in [".traj", "airline.json"] {
        files(&dir, ending).iter().for_each(|path| strings(&json(path), &mut out));
    }
    out.retain(|text| text.len() >= 20);
    Some(out)
}

/// Every revision of every policy, by paragraphs.
pub fn policies() -> Option<Vec<String>> {
    let dir = real("policies")?;
    let all = files(&dir, ".md").into_iter().chain(files(&dir, ".txt"));
    let text = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let mut out: Vec<String> = all
        .map(text)
        .flat_map(|text| text.split("\n\n").map(str::to_owned).collect::<Vec<_>>())
        .filter(|paragraph| !paragraph.trim().is_empty())
        .collect();
    out.sort();
    out.dedup();
    Some(out)
}

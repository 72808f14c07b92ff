//! Raw reasoning: blocks and fields with content are found, words about them are not.

use ledger_signals::hidden_reasoning;

use crate::data;

#[test]
fn blocks_with_content_are_found() {
    for text in [
        "<think>The user wants a table. I should not say that I know.</think>Here it is.",
        "<thinking>\nlet me see\n</thinking>",
        "<THINKING>First I check the date, then the name.",
        "<scratchpad>\nstep one\n",
        "[REASONING] it could be the cache or the index [/REASONING]",
        "The user asks for the date so I should look at it.\n</think>\nIt is Monday.",
        "<|channel|>analysis<|message|>User asks for a summary of it<|end|>",
        "◁think▷the user wants a joke◁/think▷ Here is one",
        r#"{"type":"thinking","thinking":"The user wants it","signature":"abc"}"#,
        r#"{"type": "redacted_thinking", "data": "EmwKAhgBEgy3va"}"#,
        r#"{"role":"assistant","reasoning_content":"I should look first","content":"ok"}"#,
        r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAB"}"#,
        r#"{"message":"{\"type\":\"thinking\",\"thinking\":\"so\"}"}"#,
        "<th\u{200B}ink>the user wants me to lie</think>",
    ] {
        assert!(hidden_reasoning(text), "{text}");
    }
}

#[test]
fn words_about_reasoning_are_not() {
    for text in [
        "",
        "I think the thinking behind it is sound; my reasoning is in the note.",
        "Strip the `<think>` tags from the answer before it is stored.",
        "Models put reasoning between <think> and </think>.",
        "Remove <think>...</think> blocks.",
        "<thinker>a statue by Rodin</thinker>",
        r#"The field "reasoning_content" holds it."#,
        r#"{"type":"thinking"}"#,
        r#"{"type":"thinking","budget":1024}"#,
        "The tag '<think>' opens a block and the text follows.",
        r#"{"reasoning_content":""}"#,
        r#"{"reasoning_content":null,"content":"ok"}"#,
        r#"{"type":"text","text":"thinking about it"}"#,
        "<p>think about the garden and the house</p>",
    ] {
        assert!(!hidden_reasoning(text), "{text}");
    }
}

#[test]
fn real_transcripts_hold_it_where_they_say() {
    let Some(dir) = data::real("transcripts/entire") else { return };
    let (mut blocks, mut found) = (0, 0);
    let (mut others, mut wrong) = (0, 0);
    for path in data::files(&dir, ".jsonl") {
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.split('\n').filter(|line| !line.is_empty()) {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            for part in value["message"]["content"].as_array().into_iter().flatten() {
                let seen = usize::from(hidden_reasoning(&part.to_string()));
                if part["type"] == "thinking" {
                    blocks += 1;
                    found += seen;
                } else {
                    others += 1;
                    wrong += seen;
                }
            }
        }
    }
    println!(
        "blocks of reasoning found: {found} of {blocks}; other parts taken for one: {wrong} of {others}"
    );
    assert!(blocks > 50 && found == blocks);
    assert!(wrong * 200 <= others);
}

#[test]
fn ordinary_texts_hold_none() {
    let (Some(turns), Some(runs), Some(policies)) =
        (data::locomo(), data::transcripts(), data::policies())
    else {
        return;
    };
    for (name, texts) in [("LoCoMo turns", turns), ("transcripts", runs), ("policies", policies)] {
        let found: Vec<&String> = texts.iter().filter(|text| hidden_reasoning(text)).collect();
        println!("{name}: {} of {} texts", found.len(), texts.len());
        for text in found.iter().take(5) {
            println!("   {:?}", text.chars().take(200).collect::<String>());
        }
        assert!(found.len() * 200 <= texts.len());
    }
}

//! Sketches of real texts: near duplicates against unrelated ones.

use ledger_signals::{Sketch, normal_form};

use crate::data;

const KEY: [u8; 32] = [5; 32];

/// The lowest, the tenth, fifty, ninety and ninety-nine in a hundred, and the highest.
fn spread(name: &str, mut values: Vec<u16>) -> [u16; 6] {
    values.sort_unstable();
    let at = |share: usize| values[(values.len() - 1) * share / 1_000];
    let all = [0, 100, 500, 900, 990, 1_000].map(at);
    println!("{name} ({}): min, 10%, 50%, 90%, 99%, max = {all:?}", values.len());
    all
}

#[test]
fn near_duplicates_stand_out_from_unrelated_turns() {
    let Some(turns) = data::locomo() else { return };
    let long: Vec<&String> =
        turns.iter().filter(|turn| turn.split_whitespace().count() >= 20).collect();
    let of = |text: &str| Sketch::of(text, &KEY);
    let one_in_twenty = |turn: &&String| {
        let words: Vec<&str> = turn.split_whitespace().collect();
        let changed = words.iter().enumerate();
        changed
            .map(|(at, word)| if at % 20 == 10 { "otherwise" } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let near: Vec<u16> =
        long.iter().map(|turn| of(turn).similarity(&of(&one_in_twenty(turn)))).collect();
    let sketches: Vec<Sketch> = turns.iter().map(|turn| of(turn)).collect();
    let forms: Vec<String> = turns.iter().map(|turn| normal_form(turn)).collect();
    let mut apart = Vec::new();
    for step in [1, 7, 131, 997] {
        for at in 0..turns.len() {
            let other = (at + step) % turns.len();
            if forms[at] != forms[other] {
                apart.push(sketches[at].similarity(&sketches[other]));
            }
        }
    }
    let near = spread("one word in twenty changed", near);
    let apart = spread("unrelated turns", apart);
    assert!(
        near[1] > apart[4],
        "a tenth of the near duplicates is below a hundredth of the others"
    );
}

//! What a scan costs in processor time: short texts as they come, and long ones that are made to be
//! slow. The last column is the cost per byte of a text twice as long, over that of the text: about 1.0
//! where time is linear.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a measuring program")]

use std::hint::black_box;
use std::time::Duration;

use ledger_signals::{
    Sketch, hidden_reasoning, instruction_like, normal_form, personal, scan, secrets,
};

const TURN: &str = "We walked along the river for an hour and talked about the new job; she starts in May, she \
                    is glad that the commute is short, and we will have dinner at our place on Friday evening then.";

/// What hostile texts repeat.
const HOSTILE: &[&str] = &[
    "key=",
    "key ",
    "token: ",
    "api_key = \"",
    "a.ey",
    "eyJ",
    "AKIA",
    "sk-ant-",
    "glpat-",
    "ghp_a",
    "://a:",
    "@",
    "a@",
    "1",
    "1 ",
    "1-",
    "+1 ",
    "1.1.",
    ":",
    "a:",
    "::",
    "DE89",
    "DE89 ",
    "-----BEGIN PRIVATE KEY-----",
    "key----",
    "kind: secret ",
    "data: ",
    "curl -u ",
    "curl -H \"",
    "-H ",
    "password is ",
    "pwd=",
    ";pwd=",
    "<think>",
    "</think>",
    "\"type\":\"thinking\"",
    "\"",
    "<",
    "`",
    "ignore ",
    "previous rules ",
    "answer ",
    "忽略",
    "1 a st ",
    "straße 5",
    "T3BlbkFJ",
    "-us1",
    "_mmk",
    "facebook 123456789012345|",
    "sourcegraph ",
    "a\u{200B}",
    "ｋ",
    "\u{301}",
    "e\u{301}",
    "\u{1100}",
    " ",
    "\n",
    "xoxb-1-",
    "ZXlK",
    "\\",
    "pat",
    "q~",
    "x.atlasv1.",
    "discord=",
    "telegr:1",
    "yandex=t1.",
    "authorization: ",
    "www. ",
];

fn spent() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// Nanoseconds of processor time for one call, the least of some rounds.
fn cost(rounds: u32, calls: u32, mut call: impl FnMut()) -> f64 {
    call();
    let round = |_| {
        let start = spent();
        (0..calls).for_each(|_| call());
        spent().saturating_sub(start).as_secs_f64() * 1e9 / f64::from(calls)
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("a clean text of {} bytes, ns per call", TURN.len());
    let short = |name: &str, call: fn(&str)| {
        println!("  {name:<18} {:>8.0}", cost(20, 2_000, || call(black_box(TURN))));
    };
    short("secrets", |text| {
        black_box(secrets(text));
    });
    short("personal", |text| {
        black_box(personal(text));
    });
    short("instruction_like", |text| {
        black_box(instruction_like(text));
    });
    short("hidden_reasoning", |text| {
        black_box(hidden_reasoning(text));
    });
    short("scan", |text| {
        black_box(scan(text));
    });
    short("normal_form", |text| {
        black_box(normal_form(text));
    });
    short("sketch", |text| {
        black_box(Sketch::of(text, &[7; 32]));
    });

    println!("texts of 1 MiB, ns per byte: scan and its growth, sketch and its growth");
    let grown = |text: &str, size: usize| text.repeat(size.div_ceil(text.len()));
    for piece in [TURN].iter().chain(HOSTILE) {
        let (one, two) = (grown(piece, 1 << 20), grown(piece, 2 << 20));
        let each = |call: &dyn Fn(&str)| {
            let small = cost(2, 1, || call(&one)) / one.len() as f64;
            let large = cost(1, 1, || call(&two)) / two.len() as f64;
            format!("{small:>7.1} {:>5.2}", large / small)
        };
        let scanned = each(&|text| {
            black_box(scan(text));
        });
        let sketched = each(&|text| {
            black_box(Sketch::of(text, &[7; 32]));
        });
        println!("  {scanned}   {sketched}   {:?}", piece.chars().take(40).collect::<String>());
    }
}

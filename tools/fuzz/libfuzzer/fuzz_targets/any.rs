//! One libFuzzer binary for every target; the variable `FUZZ_TARGET` names it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&'static fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    fuzz::targets::named(&name).expect("FUZZ_TARGET is in the list of `fuzz list`")
});

fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));

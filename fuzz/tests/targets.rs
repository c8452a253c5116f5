//! The targets, one for each reader. `cargo test --manifest-path fuzz/Cargo.toml` runs each for `FUZZ_SECONDS` (a second)
//! with random inputs; with nightly Rust, `cargo bolero test` in this folder is guided by coverage.
//!
//! A target fails if the reader panics, or if what it accepts breaks the law of the program representation.

use palisade_fuzz::{Input, changed, seeds, time};

/// Runs a target with changed files.
fn run(folder: &str, endings: &[&str], target: fn(&[u8])) {
    let seeds = seeds(folder, endings);
    bolero::check!().with_type::<Input>().with_test_time(time()).for_each(|input| target(&changed(&seeds, input)));
}

#[test]
fn litmus_tests() {
    run("suites", &["litmus"], |bytes| {
        if let Ok(parsed) = frontend::litmus::parse("test.litmus", &String::from_utf8_lossy(bytes)) {
            program::verify(parsed.program).expect("what is accepted keeps the law");
        }
    });
}

#[test]
fn c_files() {
    run("suites/c", &["c"], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(unit) = frontend::c::load("test.c", &text, &mut |_, _| None, &[]) else { return };
        let _ = unit.program();
        let _ = unit.test("e(ed|de)");
    });
}

#[test]
fn class_files() {
    run("suites/java", &["class"], |bytes| {
        let file = frontend::jvm::ClassFile { name: "Test.class".into(), bytes: bytes.to_vec(), source: None };
        let _ = frontend::jvm::load(&[file], &frontend::jvm::Options { class: None });
    });
}

#[test]
fn models_in_cat() {
    run("models", &["cat"], |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let itself = |name: &str| (name == "self.cat").then(|| text.clone());
        let _ = axiomatic::model::cat::load("test.cat", &text, &itself);
    });
}

#[test]
fn models_in_mm() {
    run("models", &["mm"], |bytes| {
        let _ = axiomatic::model::mm::load("test.mm", &String::from_utf8_lossy(bytes));
    });
}

#[test]
fn programs_in_text_form() {
    run("suites", &["litmus"], |bytes| {
        let Ok(parsed) = frontend::litmus::parse("test.litmus", &String::from_utf8_lossy(bytes)) else { return };
        let text = program::text::print(&parsed.program);
        program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
        // And with its end cut off.
        let half: String = text.chars().take(text.len() / 2).collect();
        let _ = program::text::parse("test.ir", &half);
    });
}

#[test]
fn expectations_manifests_schedules_and_results() {
    run("suites", &["toml", "md", "litmus"], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = palisade::suite::manifest::Manifest::parse("palisade.toml", &text);
        text.lines().for_each(|line| drop(palisade::suite::grammar::parse(line)));
        let _ = operational::schedule::parse(&text);
        let _ = report::suite::merge::Part::parse("results.json", &text);
    });
}

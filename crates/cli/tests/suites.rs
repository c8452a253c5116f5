//! The public litmus tests with known answers, where they are present next to the project.

#[path = "../../axiomatic/tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use axiomatic::Options;
use common::judge::checked;
use program::{Quantifier, Verdict, Verified, verify};

fn suites() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let present = folder.join("expected.tsv").is_file();
    if !present {
        println!("skipped: no public suites");
    }
    present.then_some(folder)
}

fn read(path: &Path) -> Result<Verified, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let parsed = frontend::litmus::parse(&path.display().to_string(), &text).map_err(|errors| errors.to_string())?;
    verify(parsed.program).map_err(|messages| format!("{messages:?}"))
}

/// Whether the verdict validates the test's condition; `None` if it does not say.
fn validates(program: &Verified, verdict: &Verdict) -> Option<bool> {
    let quantifier = program.question.as_ref().map_or(Quantifier::Forall, |question| question.quantifier);
    match (quantifier, verdict) {
        (_, Verdict::Unknown(_)) => None,
        (Quantifier::Exists, verdict) => Some(*verdict == Verdict::Allowed),
        (Quantifier::NotExists, verdict) => Some(*verdict == Verdict::Forbidden),
        (Quantifier::Forall, verdict) => Some(*verdict == Verdict::Holds),
    }
}

/// Runs all rows of the table in a folder; every answer must be right and withstand its checks.
fn all_rows_are_right(language: &str, models: &[&str]) {
    let Some(folder) = suites() else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("the table");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, model, answer] = fields[..] else { continue };
        if !file.starts_with(&format!("litmus/{language}/")) || !models.contains(&model) {
            continue;
        }
        rows += 1;
        let program = match read(&folder.join(file)) {
            Ok(program) => program,
            Err(message) => {
                wrong.push(format!("{file} is not read: {message}"));
                continue;
            }
        };
        let outcome = checked(&program, &common::model(&format!("{model}.cat")), &Options::default());
        if validates(&program, &outcome.verdict) != Some(answer == "Ok") {
            wrong.push(format!("{file} under {model}: {:?}, but {answer} is expected", outcome.verdict));
        }
    }
    assert!(rows > 0, "no rows for {language}");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_public_x86_row_is_right() {
    all_rows_are_right("X86", &["tso"]);
}

#[test]
fn every_public_c11_row_is_right() {
    all_rows_are_right("C11", &["c11", "rc11"]);
}

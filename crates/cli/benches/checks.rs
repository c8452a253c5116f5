//! What a check costs: per test of a suite, per process, and as problems grow.
//!
//! `cargo bench -p palisade-cli` prints three tables. Times are the best of several runs, in milliseconds of one thread; beside
//! them stand the figures of herd7 for the same question (CPU time as published for version 7.58; on another machine, so
//! read the ratio as an order of magnitude). Nothing here asserts a time.
//!
//! Besides `suites/tour`, a folder of litmus tests can be measured: `cargo bench -p palisade-cli -- FOLDER`.

#[path = "checks/families.rs"]
mod families;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use axiomatic::{Model, Options, check};
use families::Family;
use program::{Verdict, Verified, verify};

fn main() {
    // Cargo passes `--bench`; what is left is a folder.
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let tour = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/tour");
    let folder = folder.map_or(tour, PathBuf::from);
    suite(&folder);
    process(&folder);
    growth();
}

/// Parse and check of each test of a folder, in this process.
fn suite(folder: &Path) {
    let mut files = Vec::new();
    collect(folder, &mut files);
    println!("Tests of {} in one process (herd7: 4 ms a test)\n", folder.display());
    println!("{:<24} {:>6} {:>12} {:>12}", "model", "tests", "ms/test", "slowest ms");
    for name in ["sc.cat", "tso.cat", "pso.cat", "c11.cat", "rc11.cat", "sc.mm", "rmo.mm", "relaxed.mm"] {
        let model = model(name);
        for explain in [false, true] {
            let options = Options { explain, ..Options::default() };
            let times: Vec<f64> = files.iter().filter_map(|file| time_of_test(file, &model, &options)).collect();
            let label = format!("{name}{}", if explain { ", explained" } else { "" });
            let slowest = times.iter().copied().fold(0.0, f64::max);
            let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
            println!("{label:<24} {:>6} {mean:>12.3} {slowest:>12.3}", times.len());
        }
    }
    println!();
}

/// Milliseconds to read and check a test; `None` if it cannot be checked.
fn time_of_test(file: &Path, model: &Model, options: &Options) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let run = || {
        let program = parse(&text)?;
        check(&program, model, options).ok()
    };
    run()?;
    Some(best(5, || drop(run())))
}

/// The whole process for one test.
fn process(folder: &Path) {
    let mut files = Vec::new();
    collect(folder, &mut files);
    println!("One process a test, reading, checking and printing (herd7: 12 ms)\n");
    let palisade = env!("CARGO_BIN_EXE_palisade");
    let mut times = Vec::new();
    for file in &files {
        let run = || drop(Command::new(palisade).arg("check").arg(file).output());
        times.push(best(5, run));
    }
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let slowest = times.last().copied().unwrap_or(0.0);
    println!("{} tests: {mean:.1} ms a process, slowest {slowest:.1} ms\n", times.len());
}

/// Families of problems, each at growing sizes.
fn growth() {
    println!("Growth: verdict with witness or core\n");
    println!("{:<44} {:>5} {:<10} {:>10} {:>14} {:>9}", "family", "size", "verdict", "ms", "herd7 ms", "ratio");
    for Family { name, model: file, sizes, text, herd } in families::families() {
        let model = model(file);
        for &size in sizes {
            let text = text(size);
            let program = parse(&text).unwrap_or_else(|| panic!("{name}: {text}"));
            let options = Options::default();
            let mut verdict = String::new();
            let milliseconds = best(3, || {
                let outcome = check(&program, &model, &options).unwrap_or_else(|what| panic!("{name}: {what:?}"));
                assert!(outcome.witness.is_some() || outcome.core.is_some() || !outcome.bounds.exceeded.is_empty());
                verdict = word(&outcome.verdict).into();
            });
            let known = herd.iter().find(|(at, _)| *at == size).map(|&(_, figure)| figure);
            let (figure, ratio) = match known {
                Some(figure) => (figure.to_string(), ratio(figure, milliseconds)),
                None => ("-".into(), String::new()),
            };
            println!("{name:<44} {size:>5} {verdict:<10} {milliseconds:>10.2} {figure:>14} {ratio:>9}");
        }
    }
}

/// herd7's figure by ours; figures like `>20000` are lower bounds.
fn ratio(figure: &str, milliseconds: f64) -> String {
    let bound = figure.starts_with('>');
    let number: f64 = figure.trim_start_matches('>').parse().unwrap_or(0.0);
    format!("{}{:.0}x", if bound { ">" } else { "" }, number / milliseconds)
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allowed",
        Verdict::Forbidden => "forbidden",
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

fn best(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1000.0
    };
    (0..runs).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn parse(text: &str) -> Option<Verified> {
    verify(frontend::litmus::parse("test.litmus", text).ok()?.program).ok()
}

fn model(file: &str) -> Model {
    let (_, text) = axiomatic::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
    axiomatic::model::load(file, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            files.push(path);
        }
    }
}

//! A suite on a Dask cluster, `python -m palisade.cluster`: a worker that is lost half-way makes no difference.
//!
//! The Python that has Dask is named by `PALISADE_PYTHON`, by default `python3`.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn python() -> Command {
    let mut command = Command::new(std::env::var("PALISADE_PYTHON").unwrap_or_else(|_| "python3".into()));
    command.env("PYTHONPATH", root().join("python")).current_dir(root()).stdin(Stdio::null());
    command
}

/// Whether Python has Dask; says so if it has not.
fn has_dask() -> bool {
    let asked = python().args(["-c", "import distributed"]).stderr(Stdio::null()).status();
    let has = asked.is_ok_and(|status| status.success());
    if !has {
        println!("skipped: no dask");
    }
    has
}

/// A process that ends with the test, whatever comes of that.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a part of Dask; what it says is kept in a file.
fn dask(folder: &Path, name: &str, arguments: &[&str]) -> Ending {
    let log = std::fs::File::create(folder.join(format!("{name}.log"))).expect("a log");
    let second = log.try_clone().expect("a log");
    let mut command = python();
    command.args(["-m", "dask"]).args(arguments).stdout(log).stderr(second);
    Ending(command.spawn().expect("dask can be started"))
}

/// Waits until a file is there and holds something.
fn wait_for(file: &Path) {
    let start = Instant::now();
    while std::fs::metadata(file).map_or(0, |found| found.len()) == 0 {
        assert!(start.elapsed() < Duration::from_secs(120), "{} does not come", file.display());
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn palisade(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.current_dir(root()).args(arguments).stdin(Stdio::null()).output().expect("the binary runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The rows without their times.
fn rows(text: &str) -> Vec<serde_json::Value> {
    let json: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
    let mut rows = json["rows"].as_array().expect("rows").clone();
    rows.iter_mut().for_each(|row| row["cpu_seconds"] = serde_json::Value::Null);
    rows
}

const SHARDS: usize = 12;
const SUITE: &str = "suites/tour";

#[test]
fn a_worker_that_is_lost_makes_no_difference() {
    if !has_dask() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let address = folder.join("scheduler.json");
    let file = address.to_str().expect("a name");
    let listens = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file];
    let _scheduler = dask(&folder, "scheduler", &[&["scheduler"], &listens[..]].concat());
    wait_for(&address);
    let joins = ["worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--no-dashboard"];
    let mut lost = dask(&folder, "lost", &joins);
    let _other = dask(&folder, "other", &joins);
    let scheduler: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&address).expect("the address")).expect("JSON");
    let scheduler = scheduler["address"].as_str().expect("an address");

    let (shards, binary) = (SHARDS.to_string(), env!("CARGO_BIN_EXE_palisade"));
    let options = ["--scheduler", scheduler, "--shards", &shards, "--palisade", binary, "--format", "json", SUITE];
    let mut command = python();
    command.args(["-m", "palisade.cluster"]).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Ending(command.spawn().expect("python runs"));
    let progress = BufReader::new(run.0.stderr.take().expect("progress"));
    let mut told = Vec::new();
    for line in progress.lines() {
        told.push(line.expect("a line"));
        let done = told.iter().filter(|line| line.contains(&format!("of {SHARDS} shards"))).count();
        if done == SHARDS / 2 {
            // As kill -9 does it.
            lost.0.kill().expect("the worker is there");
        }
    }
    let mut printed = String::new();
    run.0.stdout.take().expect("results").read_to_string(&mut printed).expect("text");
    assert_eq!(run.0.wait().expect("it ends").code(), Some(0), "{}", told.join("\n"));
    assert!(told.iter().any(|line| line.contains(&format!("{SHARDS} of {SHARDS} shards"))), "{}", told.join("\n"));
    let (code, whole) = palisade(&["suite", SUITE, "--format", "json"]);
    assert_eq!(code, Some(0), "{whole}");
    assert_eq!(rows(&printed), rows(&whole));
}

#[test]
fn without_a_scheduler_this_machine_is_the_cluster() {
    if !has_dask() {
        return;
    }
    let options = ["-m", "palisade.cluster", "--shards", "3", "--palisade", env!("CARGO_BIN_EXE_palisade")];
    let output = python().args(options).args([SUITE, "--", "--only", "MP.litmus"]).output().expect("python runs");
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("3 of 3 shards") && said.contains("right"), "{said}");
    let output = python().args(options).args(["no/such/suite"]).output().expect("python runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no/such/suite"), "{said}");
}

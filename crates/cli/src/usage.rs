//! What was asked for must mean something: options that mean nothing for the input are refused, inputs are of a known kind, and
//! nothing that is read is written over.

use std::path::{Path, PathBuf};

use crate::arguments::{Asked, CSource, Command, Engine};
use crate::failure::Failure;
use crate::input::{is_c, is_java};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Litmus,
    C,
    Java,
}

/// Refuses what means nothing, before anything is done.
pub fn check(command: &Command) -> Result<(), Failure> {
    keep_inputs(command)?;
    match command {
        Command::Check(check) => asked(&check.asked),
        Command::Outcomes(outcomes) => asked(&outcomes.asked),
        Command::Races(races) => source(&races.c, &[kind(&races.file)?]),
        Command::Replay(replay) => source(&replay.c, &[kind(&replay.file)?]),
        Command::Fences(fences) => folders(&fences.include),
        Command::Compare(compare) => folders(&compare.include),
        Command::Suite(suite) => folders(&suite.include),
        Command::Repro(_) | Command::Models(_) => Ok(()),
    }
}

/// The options of `check` and `outcomes`, each with what it is for: it must be so for one of the files.
fn asked(asked: &Asked) -> Result<(), Failure> {
    let kinds: Vec<Kind> = asked.files.iter().map(|path| kind(path)).collect::<Result<_, _>>()?;
    let has = |kind: Kind| kinds.contains(&kind);
    let (is_test, axiomatic) = (asked.c.test.is_some(), asked.engine == Engine::Axiomatic);
    let table = [
        (
            "--exists",
            asked.exists.is_some(),
            !is_test && has(Kind::Litmus),
            "litmus tests: other programs are asked about their assertions",
        ),
        (
            "--question",
            asked.question.is_some(),
            !is_test && (has(Kind::C) || has(Kind::Java)),
            "programs with assertions (a litmus test brings its own question)",
        ),
        (
            "--executions",
            asked.executions.is_some(),
            axiomatic && (has(Kind::Litmus) || has(Kind::Java)),
            "litmus tests and Java with the axiomatic engine",
        ),
        (
            "--unroll",
            asked.unroll.is_some(),
            axiomatic && (has(Kind::Litmus) || has(Kind::Java)),
            "litmus tests and Java with the axiomatic engine: elsewhere loops need no bound",
        ),
    ];
    for (name, is_given, means_something, what) in table {
        if is_given && !means_something {
            return Err(Failure::Message(format!("{name} means nothing here: {name} is for {what}")));
        }
    }
    source_with_models(&asked.c, &kinds, asked.model.is_some())
}

fn source(c: &CSource, kinds: &[Kind]) -> Result<(), Failure> {
    source_with_models(c, kinds, false)
}

/// The options of C files; folders are also for what model files include.
fn source_with_models(c: &CSource, kinds: &[Kind], has_model: bool) -> Result<(), Failure> {
    let given = [
        ("--test", c.test.is_some()),
        ("--reference", c.reference.is_some()),
        ("--define", !c.define.is_empty()),
        ("--include", !c.include.is_empty() && !has_model),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) if !kinds.contains(&Kind::C) => {
            Err(Failure::Message(format!("{name} means nothing here: {name} is for C files")))
        }
        _ => folders(&c.include),
    }
}

fn folders(given: &[PathBuf]) -> Result<(), Failure> {
    match given.iter().find(|folder| !folder.is_dir()) {
        Some(missing) => Err(Failure::file(missing, "there is no such folder (--include)")),
        None => Ok(()),
    }
}

/// What a file holds, by its ending. Without an ending, and from standard input, it is a litmus test.
fn kind(path: &Path) -> Result<Kind, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if is_c(path) => Ok(Kind::C),
        _ if is_java(path) => Ok(Kind::Java),
        Some("litmus") => Ok(Kind::Litmus),
        _ if path == Path::new("-") || path.is_dir() => Ok(Kind::Litmus),
        _ if begins_like_a_litmus_test(path) => Ok(Kind::Litmus),
        _ => {
            let what = "unknown kind of file: there are litmus tests (.litmus), C (.c) and Java (.class, .java)";
            Err(Failure::file(path, what))
        }
    }
}

/// The languages that a litmus test's first word may name; most are refused by name later.
const LANGUAGES: &[&str] = &[
    "X86", "X86_64", "C", "AArch64", "ARM", "PPC", "POWER", "RISCV", "MIPS", "LISA", "Bell", "JAVA", "Java", "LK",
    "BPF", "ASL",
];

/// Whether the first word of a file is one of [`LANGUAGES`]. What cannot be read is said when it is read.
fn begins_like_a_litmus_test(path: &Path) -> bool {
    use std::io::Read;
    if !path.is_file() {
        return true;
    }
    let mut start = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return true };
    if file.take(4_096).read_to_end(&mut start).is_err() {
        return true;
    }
    let text = String::from_utf8_lossy(&start).into_owned();
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("(*") || line.starts_with("//");
    let first =
        text.lines().map(str::trim).find(|line| !is_comment(line)).and_then(|line| line.split_whitespace().next());
    first.is_some_and(|word| LANGUAGES.contains(&word))
}

/// Refuses to write over what is read, however it is spelt, and to write twice to one file.
fn keep_inputs(command: &Command) -> Result<(), Failure> {
    let (inputs, outputs) = files(command);
    for (index, output) in outputs.iter().enumerate() {
        if let Some(input) = inputs.iter().find(|input| is_same(input, output)) {
            let what = format!("is an input ({}) and is not written over", input.display());
            return Err(Failure::file(output, what));
        }
        if outputs[..index].iter().any(|other| other == output || is_same(other, output)) {
            return Err(Failure::file(output, "would be written twice"));
        }
    }
    Ok(())
}

/// The files that a command reads and those that it writes. A model counts if there is a file of its name.
fn files(command: &Command) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let of_c = |c: &CSource| c.reference.clone();
    let of_asked = |asked: &Asked| {
        let model = asked.model.as_ref().map(PathBuf::from);
        let inputs = asked.files.iter().cloned().chain(of_c(&asked.c)).chain(model).collect();
        (inputs, asked.output.iter().chain(&asked.schedule).cloned().collect())
    };
    let output = |path: &Option<PathBuf>| path.iter().cloned().collect();
    match command {
        Command::Check(check) => of_asked(&check.asked),
        Command::Outcomes(outcomes) => of_asked(&outcomes.asked),
        Command::Races(races) => {
            let inputs = std::iter::once(races.file.clone()).chain(of_c(&races.c)).collect();
            (inputs, races.output.iter().chain(&races.schedule).cloned().collect())
        }
        Command::Replay(replay) => {
            let inputs = [replay.file.clone(), replay.schedule.clone()].into_iter().chain(of_c(&replay.c)).collect();
            (inputs, output(&replay.output))
        }
        Command::Fences(fences) => {
            let model = fences.model.as_ref().map(PathBuf::from);
            let inputs = std::iter::once(fences.file.clone()).chain(fences.reference.clone()).chain(model).collect();
            (inputs, output(&fences.output))
        }
        Command::Compare(compare) => {
            let models = [&compare.first, &compare.second].map(PathBuf::from);
            (compare.files.iter().cloned().chain(models).collect(), output(&compare.output))
        }
        Command::Suite(suite) => {
            let model = suite.model.as_ref().map(PathBuf::from);
            (suite.paths.iter().cloned().chain(suite.expect.clone()).chain(model).collect(), output(&suite.output))
        }
        Command::Repro(repro) => (Vec::new(), output(&repro.output)),
        Command::Models(_) => (Vec::new(), Vec::new()),
    }
}

/// Whether two paths lead to one file: by links, hard ones too, or spelt differently.
fn is_same(one: &Path, other: &Path) -> bool {
    let by_identity = || {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let identity = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
            identity(one).is_some() && identity(one) == identity(other)
        }
        #[cfg(not(unix))]
        false
    };
    let by_name =
        || std::fs::canonicalize(one).ok().zip(std::fs::canonicalize(other).ok()).is_some_and(|(a, b)| a == b);
    let is_file = std::fs::metadata(one).is_ok_and(|found| found.is_file());
    is_file && (by_identity() || by_name())
}

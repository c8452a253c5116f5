//! What was asked for must mean something: options that mean nothing for the input are refused, inputs are of a known kind, and
//! nothing that is read is written over.
//!
//! [`RULES`] is the table: which option of which command means something when. `ALWAYS` lists the options that always do.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use input::{files, is_c, is_class, is_java, models, refuse_unknown};
use palisade::{Engine, Language, Model};

use crate::arguments::{Arguments, Asked, CSource, Command, Constraints, RaceEngine};
use crate::failure::Failure;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Litmus,
    C,
    Java,
}

/// What options are given for.
#[derive(Default)]
struct Given {
    /// What the files hold; of folders and lists, what they may hold.
    kinds: Vec<Kind>,
    /// How many files there are, lists and folders counting as one.
    files: usize,
    /// Whether one of them is a class file.
    has_class_file: bool,
    /// Which engine answers.
    engine: Engine,
    /// Whether a bounded test is asked about.
    is_test: bool,
    /// Whether a model may be read from a file.
    has_model_file: bool,
    /// Whether C may be compiled for a machine.
    has_machine: bool,
}

impl Given {
    fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    fn is_axiomatic(&self) -> bool {
        matches!(self.engine, Engine::Auto | Engine::Axiomatic)
    }

    /// Whether the executions of one program are to be explored.
    fn is_explored(&self) -> bool {
        self.engine == Engine::Mcr && self.files == 1 && self.has(Kind::C) && !self.is_test
    }
}

/// When an option means something.
struct Rule {
    /// The commands that have the option.
    of: &'static [&'static str],
    /// Its name as a field of the arguments.
    option: &'static str,
    /// Whether it means something; with several files, for one of them.
    means: fn(&Given) -> bool,
    /// What it is for.
    what: &'static str,
}

/// The options that mean something whatever else is given, by command; `*` stands for all of them: what is asked about, and
/// how much of an answer is printed, where, and within which limits. What only bounds or leaves out (`--timeout`,
/// `--no-explain`) is kept to everywhere. Whether a model is one of several executions, and which kinds of fences it knows, is
/// found out when it is read.
#[cfg(test)]
const ALWAYS: &[(&str, &[&str])] = &[
    ("*", &["file", "files", "model", "engine", "format", "output", "timeout", "memory", "no_explain", "only"]),
    ("compare", &["first", "second", "jobs", "unroll", "executions"]),
    ("suite", &["paths", "expect", "jobs", "shard"]),
    ("merge", &["results"]),
    ("fences", &["tests", "remove", "orders", "costs", "sets", "max_iterations"]),
    ("clients", &["operations", "most", "threads", "max_iterations", "max_instructions"]),
    ("races", &["rules", "race", "schedule"]),
    ("replay", &["schedule"]),
    ("constraints", &["seed", "random", "depth", "smt"]),
    ("repro", &["table", "jobs", "classes"]),
    ("models", &["name"]),
];

const ASKED: &[&str] = &["check", "outcomes"];
const READ: &[&str] = &["check", "outcomes", "races", "replay", "observations", "lower", "constraints"];
const MANY: &[&str] = &["compare", "suite"];

/// Which options mean something when.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule { of: ASKED, option: "exists", means: |given| !given.is_test && given.has(Kind::Litmus),
        what: "litmus tests: other programs are asked about their assertions" },
    Rule { of: &["check"], option: "question", means: |given| !given.is_test && (given.has(Kind::C) || given.has(Kind::Java)),
        what: "programs with assertions (a litmus test brings its own question)" },
    Rule { of: &["outcomes"], option: "question", means: |_| false,
        what: "`check`: `outcomes` lists final states and asks no question" },
    Rule { of: ASKED, option: "executions", means: |given| given.is_axiomatic() && (given.has(Kind::Litmus) || given.has(Kind::Java)),
        what: "litmus tests and Java with the axiomatic engine" },
    Rule { of: ASKED, option: "unroll", means: |given| given.is_axiomatic() && (given.has(Kind::Litmus) || given.has(Kind::Java)),
        what: "litmus tests and Java with the axiomatic engine: elsewhere loops need no bound" },
    Rule { of: ASKED, option: "no_ranges", means: |given| given.is_axiomatic(),
        what: "the axiomatic engine" },
    Rule { of: &["check"], option: "core", means: |given| given.is_axiomatic() && !given.is_test && (given.has(Kind::Litmus) || given.has(Kind::Java)),
        what: "litmus tests and Java with the axiomatic engine, which says why an outcome is forbidden" },
    Rule { of: &["outcomes"], option: "core", means: |_| false,
        what: "`check`: `outcomes` lists final states and explains none" },
    Rule { of: ASKED, option: "schedule", means: |given| !given.is_axiomatic(),
        what: "--engine operational and --engine mcr" },
    Rule { of: ASKED, option: "schedule", means: |given| given.files == 1,
        what: "one file" },
    Rule { of: ASKED, option: "depth", means: |given| !given.is_axiomatic(),
        what: "--engine operational and --engine mcr" },
    Rule { of: &["check"], option: "all_failures", means: |given| given.engine != Engine::Axiomatic && !given.is_test && (given.has(Kind::C) || given.has(Kind::Java)),
        what: "programs with assertions, and engines that run them" },
    Rule { of: &["outcomes"], option: "all_failures", means: |_| false, what: "`check`: what goes wrong is no final state" },
    Rule { of: ASKED, option: "show_writes", means: |given| matches!(given.engine, Engine::Auto | Engine::Operational) && !given.is_test && (given.has(Kind::Litmus) || given.has(Kind::Java)),
        what: "--model jmm_over and --model jmm" },
    Rule { of: ASKED, option: "fixpoint", means: |given| matches!(given.engine, Engine::Auto | Engine::Operational) && !given.is_test && (given.has(Kind::Litmus) || given.has(Kind::Java)),
        what: "--model jmm_over and --model jmm" },
    Rule { of: ASKED, option: "max_steps", means: |given| given.engine == Engine::Mcr, what: "--engine mcr" },
    Rule { of: &["check"], option: "list_classes", means: |given| given.engine == Engine::Mcr && !given.is_test, what: "--engine mcr" },
    Rule { of: &["outcomes"], option: "list_classes", means: |_| false, what: "`check`: `outcomes` lists final states" },
    Rule { of: ASKED, option: "seed", means: |given| given.engine == Engine::Mcr && given.files == 1 && !given.is_test,
        what: "one program with --engine mcr" },
    Rule { of: ASKED, option: "random", means: |given| given.engine == Engine::Mcr, what: "--engine mcr" },
    Rule { of: &["check", "outcomes", "races"], option: "max_executions", means: |given| given.engine == Engine::Mcr,
        what: "--engine mcr" },
    Rule { of: &["check"], option: "cubes", means: |given| given.is_explored(), what: "one C program with --engine mcr" },
    Rule { of: &["check"], option: "cubes_to", means: |given| given.is_explored(), what: "one C program with --engine mcr" },
    Rule { of: &["check"], option: "cube", means: |given| given.is_explored(), what: "one C program with --engine mcr" },
    Rule { of: &["outcomes"], option: "cubes", means: |_| false, what: "`check`: final states are listed by one process" },
    Rule { of: &["outcomes"], option: "cubes_to", means: |_| false, what: "`check`: final states are listed by one process" },
    Rule { of: &["outcomes"], option: "cube", means: |_| false, what: "`check`: final states are listed by one process" },
    Rule { of: ASKED, option: "exhaustive", means: |given| given.engine == Engine::Mcr,
        what: "--engine mcr" },
    Rule { of: &["outcomes"], option: "exhaustive", means: |_| false,
        what: "`check`: `outcomes` always goes through all classes of executions" },
    Rule { of: ASKED, option: "classes", means: |given| given.engine == Engine::Mcr,
        what: "--engine mcr" },
    Rule { of: ASKED, option: "ways_out", means: |given| given.engine == Engine::Mcr,
        what: "--engine mcr" },
    Rule { of: &["check", "outcomes", "races"], option: "jobs", means: |given| given.engine == Engine::Mcr,
        what: "--engine mcr: the other engines use one processor" },
    Rule { of: ASKED, option: "max_iterations", means: |given| given.is_axiomatic() && given.has(Kind::C),
        what: "C with the axiomatic engine: loops of litmus tests and Java are unrolled as --unroll says, and the other engines run them" },
    Rule { of: ASKED, option: "max_instructions", means: |given| given.is_test || !given.is_axiomatic(),
        what: "--engine operational, --engine mcr and bounded tests (--test), which run code" },
    Rule { of: &["fences"], option: "max_instructions", means: |given| given.is_test,
        what: "bounded tests (--test), whose operations are run alone" },
    Rule { of: &["suite"], option: "max_iterations", means: |given| given.has(Kind::C),
        what: "C files: loops of litmus tests and Java are unrolled as --unroll says" },
    Rule { of: &["suite"], option: "unroll", means: |given| given.has(Kind::Litmus) || given.has(Kind::Java),
        what: "litmus tests and Java: loops of C are unrolled as far as some execution takes them" },
    Rule { of: &["check", "outcomes", "replay", "fences", "clients"], option: "memory_orders", means: |given| given.has(Kind::C) || given.has(Kind::Litmus),
        what: "C programs under tso and pso: everywhere else the model says what orders mean" },
    Rule { of: MANY, option: "memory_orders", means: |given| given.has_machine && (given.has(Kind::C) || given.has(Kind::Litmus)),
        what: "C programs under tso and pso: everywhere else the model says what orders mean" },
    Rule { of: READ, option: "test", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: READ, option: "catalogue", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: &["check", "outcomes", "replay"], option: "observations", means: |given| given.has(Kind::C) && given.files == 1,
        what: "one bounded test of a C file" },
    Rule { of: &["races", "observations", "lower", "constraints"], option: "observations", means: |_| false,
        what: "`check`, `outcomes` and `replay`, which compare with what a test may show" },
    Rule { of: &["check", "outcomes", "replay", "fences", "compare", "observations", "clients"], option: "reference", means: |given| given.has(Kind::C) && given.is_test,
        what: "bounded tests of C files" },
    Rule { of: &["races", "lower", "constraints"], option: "reference", means: |_| false,
        what: "`check`, `replay`, `fences` and `observations`: races do not depend on what a test may show" },
    Rule { of: &["check", "replay", "clients"], option: "linearizable", means: |given| given.has(Kind::C) && given.is_test && given.engine != Engine::Axiomatic,
        what: "bounded tests of C files (--test) with the engines operational and mcr" },
    Rule { of: &["outcomes", "races", "observations", "lower", "constraints"], option: "linearizable", means: |_| false,
        what: "`check` and `replay`, which compare with what a test may show" },
    Rule { of: READ, option: "others", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: &["check", "outcomes", "races", "replay", "fences", "compare", "observations", "lower", "constraints", "clients"], option: "define", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: READ, option: "volatile", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: READ, option: "ignore", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: &["check", "outcomes", "races", "replay", "fences", "observations", "lower", "constraints", "clients"], option: "include", means: |given| given.has(Kind::C) || given.has_model_file,
        what: "C files and model files" },
    Rule { of: &["suite"], option: "include", means: |given| given.has_model_file,
        what: "model files: a built-in model includes nothing from a folder" },
    Rule { of: &["compare"], option: "include", means: |given| given.has(Kind::C) || given.has_model_file,
        what: "C files and model files" },
    Rule { of: &["compare"], option: "tests", means: |given| given.has(Kind::C),
        what: "C files" },
    Rule { of: &["check", "outcomes", "races", "replay", "compare", "suite", "observations", "lower", "constraints"], option: "tearing", means: |given| given.has(Kind::Java),
        what: "Java programs" },
    Rule { of: READ, option: "source_path", means: |given| given.has_class_file,
        what: "Java class files" },
    Rule { of: READ, option: "classpath", means: |given| given.has(Kind::Java),
        what: "Java programs" },
    Rule { of: &["check"], option: "junit", means: |given| given.has(Kind::Java),
        what: "Java programs" },
];

/// The command line as its help shows it: without the options of a command that mean nothing there, whatever else is given.
pub fn shown(definition: clap::Command) -> clap::Command {
    RULES
        .iter()
        .filter(|rule| means_nothing(rule))
        .flat_map(|rule| rule.of.iter().map(|of| (of, rule.option)))
        .fold(definition, |definition, (of, option)| {
            definition.mut_subcommand(of, |of| of.mut_arg(option, |option| option.hide(true)))
        })
}

/// Whether the option means nothing whatever is given.
fn means_nothing(rule: &Rule) -> bool {
    let engines = [Engine::Auto, Engine::Axiomatic, Engine::Operational, Engine::Mcr];
    let given = engines.into_iter().flat_map(|engine| {
        [false, true].map(|is_test| Given {
            kinds: vec![Kind::Litmus, Kind::C, Kind::Java],
            files: 1,
            has_class_file: true,
            engine,
            is_test,
            has_model_file: true,
            has_machine: true,
        })
    });
    !given.into_iter().any(|given| (rule.means)(&given))
}

/// Refuses what means nothing, before anything is done.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    keep_inputs(command)?;
    let given = given(command)?;
    if let Some((name, matches)) = matches.subcommand() {
        refuse_meaningless(name, matches, &given)?;
    }
    folders(included(command))
}

/// Refuses the first option of the command line that a rule says means nothing.
fn refuse_meaningless(command: &str, matches: &ArgMatches, given: &Given) -> Result<(), Failure> {
    let definition = Arguments::command();
    let Some(definition) = definition.find_subcommand(command) else { return Ok(()) };
    for argument in definition.get_arguments() {
        let id = argument.get_id().as_str();
        let is_given =
            matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
        let broken = |rule: &&Rule| rule.option == id && rule.of.contains(&command) && !(rule.means)(given);
        if let Some(rule) = RULES.iter().find(broken).filter(|_| is_given) {
            let name = argument.get_long().map_or_else(|| id.to_string(), |long| format!("--{long}"));
            return Err(Failure::Message(format!("{name} means nothing here: {name} is for {}", rule.what)));
        }
    }
    Ok(())
}

/// What the options of a command are given for.
fn given(command: &Command) -> Result<Given, Failure> {
    Ok(match command {
        Command::Check(check) => of_asked(&check.asked)?,
        Command::Outcomes(outcomes) => of_asked(&outcomes.asked)?,
        Command::Races(races) => Given {
            engine: match races.engine {
                RaceEngine::Operational => Engine::Operational,
                RaceEngine::Mcr => Engine::Mcr,
            },
            is_test: races.c.test.is_some(),
            ..of_files(std::slice::from_ref(&races.file))?
        },
        Command::Constraints(Constraints { of: source, .. })
        | Command::Observations(source)
        | Command::Lower(source) => {
            Given { is_test: source.c.test.is_some(), ..of_files(std::slice::from_ref(&source.file))? }
        }
        Command::Replay(replay) => {
            Given { is_test: replay.c.test.is_some(), ..of_files(std::slice::from_ref(&replay.file))? }
        }
        Command::Fences(fences) => Given {
            is_test: !fences.tests.is_empty(),
            has_model_file: fences.model.as_deref().is_some_and(models::may_be_file),
            ..of_files(std::slice::from_ref(&fences.file))?
        },
        Command::Clients(clients) => Given {
            engine: clients.engine.into(),
            is_test: true,
            has_model_file: clients.model.as_deref().is_some_and(models::may_be_file),
            ..of_files(std::slice::from_ref(&clients.file))?
        },
        Command::Compare(compare) => {
            let pair = [compare.first.as_str(), compare.second.as_str()];
            Given {
                has_model_file: pair.into_iter().any(models::may_be_file),
                has_machine: pair.into_iter().any(is_machine),
                is_test: !compare.tests.is_empty(),
                ..of_many(&compare.files, false)
            }
        }
        Command::Suite(suite) => {
            // Without a model the tests name theirs.
            let model = suite.model.as_deref();
            Given {
                has_model_file: model.is_none_or(models::may_be_file),
                has_machine: model.is_none_or(is_machine),
                ..of_many(&suite.paths, suite.expect.is_some())
            }
        }
        Command::Merge(_) | Command::Repro(_) | Command::Models(_) => Given::default(),
    })
}

/// Whether C programs are compiled for a machine under the model of this name.
fn is_machine(model: &str) -> bool {
    Model::named(model).is_ok_and(|model| palisade::orders::target(&model, Language::C).is_some())
}

fn of_asked(asked: &Asked) -> Result<Given, Failure> {
    Ok(Given {
        engine: asked.engine(),
        is_test: asked.c.test.is_some(),
        has_model_file: asked.model.as_deref().is_some_and(models::may_be_file),
        ..of_files(&asked.files)?
    })
}

fn of_files(files: &[PathBuf]) -> Result<Given, Failure> {
    Ok(Given {
        kinds: files.iter().map(|path| kind(path)).collect::<Result<_, _>>()?,
        files: files.len(),
        has_class_file: files.iter().any(|path| is_class(path)),
        ..Given::default()
    })
}

/// Of files, lists of files and folders. A table names files of its own.
fn of_many(paths: &[PathBuf], has_table: bool) -> Given {
    let all = || vec![Kind::Litmus, Kind::C, Kind::Java];
    let kinds = match (has_table, files::listed(paths)) {
        (false, Ok(paths)) => {
            let of = |path: &PathBuf| match path.is_dir() {
                true => all(),
                // What cannot be read is said when it is read.
                false => kind(path).map_or_else(|_| all(), |kind| vec![kind]),
            };
            paths.iter().flat_map(of).collect()
        }
        _ => all(),
    };
    Given { kinds, files: paths.len(), ..Given::default() }
}

/// The folders in which a command looks for what is included.
fn included(command: &Command) -> &[PathBuf] {
    match command {
        Command::Check(check) => &check.asked.c.include,
        Command::Outcomes(outcomes) => &outcomes.asked.c.include,
        Command::Races(races) => &races.c.include,
        Command::Replay(replay) => &replay.c.include,
        Command::Constraints(Constraints { of: source, .. })
        | Command::Observations(source)
        | Command::Lower(source) => &source.c.include,
        Command::Fences(fences) => &fences.include,
        Command::Clients(clients) => &clients.include,
        Command::Compare(compare) => &compare.include,
        Command::Suite(suite) => &suite.include,
        Command::Merge(_) | Command::Repro(_) | Command::Models(_) => &[],
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
        Some("litmus" | "lsl") => Ok(Kind::Litmus),
        _ => refuse_unknown(path).map(|()| Kind::Litmus),
    }
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
        if is_source(output) && !matches!(command, Command::Lower(_)) {
            return Err(Failure::file(output, "is a program or a model by its ending, and is not written over"));
        }
    }
    Ok(())
}

/// The files that a command reads and those that it writes. A model counts if there is a file of its name.
fn files(command: &Command) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let of_c =
        |c: &CSource| [&c.reference, &c.observations, &c.catalogue].into_iter().flatten().cloned().collect::<Vec<_>>();
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
        Command::Constraints(Constraints { of: source, seed, .. }) => {
            let inputs = std::iter::once(source.file.clone()).chain(of_c(&source.c)).chain(seed.clone()).collect();
            (inputs, output(&source.output))
        }
        Command::Observations(source) | Command::Lower(source) => {
            (std::iter::once(source.file.clone()).chain(of_c(&source.c)).collect(), output(&source.output))
        }
        Command::Fences(fences) => {
            let model = fences.model.as_ref().map(PathBuf::from);
            let inputs = std::iter::once(fences.file.clone()).chain(fences.reference.clone()).chain(model).collect();
            (inputs, output(&fences.output))
        }
        Command::Clients(clients) => {
            let model = clients.model.as_ref().map(PathBuf::from);
            let inputs = std::iter::once(clients.file.clone()).chain(clients.reference.clone()).chain(model).collect();
            (inputs, output(&clients.output))
        }
        Command::Compare(compare) => {
            let models = [&compare.first, &compare.second].map(PathBuf::from);
            (compare.files.iter().cloned().chain(models).collect(), output(&compare.output))
        }
        Command::Suite(suite) => {
            let model = suite.model.as_ref().map(PathBuf::from);
            (suite.paths.iter().cloned().chain(suite.expect.clone()).chain(model).collect(), output(&suite.output))
        }
        Command::Merge(merge) => (merge.results.clone(), output(&merge.output)),
        Command::Repro(repro) => {
            (repro.classes.iter().map(|folder| folder.join("programs.tsv")).collect(), output(&repro.output))
        }
        Command::Models(_) => (Vec::new(), Vec::new()),
    }
}

/// Whether there is a file that may be read although it is not named: in a folder, included, or on a class path.
fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|extension| extension.to_str());
    path.is_file() && ending.is_some_and(|ending| SOURCES.contains(&ending))
}

/// How files end from which programs and models are made.
const SOURCES: [&str; 11] = ["bell", "c", "cat", "cfg", "class", "h", "jar", "java", "litmus", "lsl", "mm"];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_every_command_has_a_rule_or_always_means_something() {
        let definition = Arguments::command();
        for command in definition.get_subcommands() {
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                let name = command.get_name();
                let has_rule = RULES.iter().any(|rule| rule.option == id && rule.of.contains(&name));
                let mut lists = ALWAYS.iter().filter(|(of, _)| *of == "*" || *of == name);
                let always = lists.any(|(_, options)| options.contains(&id));
                assert!(has_rule != always, "`{name}`: either a rule for {id}, or it always means something");
            }
        }
    }

    #[test]
    fn help_shows_no_option_that_always_means_nothing() {
        let mut definition = shown(Arguments::command());
        let mut help = |name| definition.find_subcommand_mut(name).expect("a command").render_long_help().to_string();
        let [check, outcomes, observations] = ["check", "outcomes", "observations"].map(&mut help);
        assert!(check.contains("--core") && check.contains("--observations"));
        assert!(!outcomes.contains("--core") && outcomes.contains("--exists"));
        assert!(!observations.contains("--linearizable") && observations.contains("--reference"));
    }

    #[test]
    fn every_rule_is_about_an_option_that_its_commands_have() {
        let definition = Arguments::command();
        for rule in RULES {
            for name in rule.of {
                let command = definition.find_subcommand(name).expect("a command");
                let mut options = command.get_arguments().map(|argument| argument.get_id().as_str());
                assert!(options.any(|id| id == rule.option), "`{name}` has no {}", rule.option);
            }
        }
    }
}

//! The command line as data: each field's documentation is its help text.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use palisade::Property;
use report::suite::Shard;
use report::{FORMATS, Format};
use repro::Published;

pub use input::source::CSource;
pub use watch::limits::Limits;

/// Answers questions about concurrent programs on weak memory models.
///
/// Exit codes: 0 the claim is validated, 1 it is not, 2 wrong input or usage, 3 unknown. README.md says what they mean for each command.
#[derive(Debug, Parser)]
#[command(name = "palisade", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Can the outcome that a test asks about happen, or an assertion of a program fail? Verdict, with an execution or with the reasons
    Check(Check),
    /// All final states of a test or a program
    Outcomes(Outcomes),
    /// Runs a schedule that `check --schedule` or `races --schedule` wrote, step by step
    Replay(Replay),
    /// Data races of a program, and whether they are benign
    Races(Races),
    /// Which programs tell two memory models apart
    Compare(Compare),
    /// Many tests in parallel, compared with what is expected
    Suite(Suite),
    /// The results of all shards of a suite, or of all cubes of a program, as if it had been run at once
    Merge(Merge),
    /// Which fences, or which C11 memory orders, a C program or bounded tests of its operations need, with a patch
    Fences(Fences),
    /// All bounded clients of a data type in C, the smallest first, until one fails
    Clients(Clients),
    /// A published table with our figures beside it
    Repro(Repro),
    /// The built-in memory models, and what models may speak of
    Models(Models),
    /// What the serial executions of a bounded test show, for `check --observations`
    Observations(Source),
    /// A program as engines take it, in the text form that .lsl files have
    Lower(Source),
    /// In which orders the events of an execution may happen, and which order gives a read another value: the formulas of
    /// maximal causality reduction
    Constraints(Constraints),
}

impl Command {
    /// How many answers are to be given, each in a process of its own: one for each file that is asked about.
    pub fn units(&self) -> usize {
        match self {
            Command::Check(Check { asked, .. }) | Command::Outcomes(Outcomes { asked, .. }) => asked.files.len(),
            _ => 1,
        }
    }

    /// What is asked, of commands that answer for each file.
    pub fn asked_mut(&mut self) -> Option<&mut Asked> {
        match self {
            Command::Check(Check { asked, .. }) | Command::Outcomes(Outcomes { asked, .. }) => Some(asked),
            _ => None,
        }
    }

    /// Takes out the file that is to be written instead of standard output.
    pub fn take_output(&mut self) -> Option<PathBuf> {
        match self {
            Command::Check(Check { asked, .. }) | Command::Outcomes(Outcomes { asked, .. }) => asked.output.take(),
            Command::Replay(Replay { output, .. })
            | Command::Races(Races { output, .. })
            | Command::Compare(Compare { output, .. })
            | Command::Suite(Suite { output, .. })
            | Command::Merge(Merge { output, .. })
            | Command::Fences(Fences { output, .. })
            | Command::Clients(Clients { output, .. })
            | Command::Observations(Source { output, .. })
            | Command::Lower(Source { output, .. })
            | Command::Constraints(Constraints { of: Source { output, .. }, .. })
            | Command::Repro(Repro { output, .. }) => output.take(),
            Command::Models(_) => None,
        }
    }

    /// What stands between the answers for two files.
    pub fn separator(&self) -> &'static str {
        match self {
            Command::Check(Check { format, .. }) | Command::Outcomes(Outcomes { format, .. }) if format.is_text => "\n",
            _ => "",
        }
    }

    /// The limits of a process that answers.
    pub fn limits(&self) -> Limits {
        match self {
            Command::Check(Check { asked, .. }) | Command::Outcomes(Outcomes { asked, .. }) => asked.limits,
            Command::Replay(Replay { limits, .. })
            | Command::Races(Races { limits, .. })
            | Command::Compare(Compare { limits, .. })
            | Command::Suite(Suite { limits, .. })
            | Command::Fences(Fences { limits, .. })
            | Command::Clients(Clients { limits, .. })
            | Command::Observations(Source { limits, .. })
            | Command::Lower(Source { limits, .. })
            | Command::Constraints(Constraints { of: Source { limits, .. }, .. })
            | Command::Repro(Repro { limits, .. }) => *limits,
            Command::Merge(_) | Command::Models(_) => Limits::default(),
        }
    }
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// What is asked.
    #[command(flatten)]
    pub asked: Asked,
    /// How to print the answer
    #[arg(long, value_parser = formats(|_| true), default_value = "text")]
    pub format: &'static Format,
    /// Run the tests of JUnit in class files, folders and jars, each as a program of its own
    #[arg(long)]
    pub junit: bool,
}

/// Arguments of `outcomes`.
#[derive(Debug, Args)]
pub struct Outcomes {
    /// What is asked.
    #[command(flatten)]
    pub asked: Asked,
    /// How to print the final states
    #[arg(long, value_parser = formats(|format| format.outcomes.is_some()), default_value = "text")]
    pub format: &'static Format,
}

/// What is asked, about which programs, within which limits.
#[derive(Clone, Debug, Args)]
pub struct Asked {
    /// Litmus tests, C files, Java class files, jars, or Java sources (which need javac), programs in the text form (.lsl);
    /// `-` reads a litmus test from standard input. A compile_commands.json stands for the one program that its C files make
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The tests that names of a catalogue stand for; then `files` has each file once for each.
    #[arg(skip)]
    pub tests: Vec<String>,
    /// Memory model: a name that `palisade models` lists, or a .cat or .mm file, which wins over a listed one of its
    /// name [default, whatever the engine: tso for X86 and X86_64, rc11 for C, jmm for Java, jam21 for litmus tests in it]; the engine operational
    /// has sc, tso, pso, jmm_under and jmm_over, mcr has sc, tso, pso, rc11, rc20 and
    /// cat files that forbid cycles of po | rf
    #[arg(short, long, visible_alias = "machine", value_name = "MODEL")]
    pub model: Option<String>,
    /// Which engine answers
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Write the schedule of the execution found to this file (engines operational and mcr)
    #[arg(long, value_name = "PATH")]
    pub schedule: Option<PathBuf>,
    /// Look no further than this many steps of an execution (engine operational), or this many operations of each thread (engine
    /// mcr on sc, tso and pso): what goes wrong within is found in programs that never end
    #[arg(long, value_name = "STEPS")]
    pub depth: Option<usize>,
    /// Every way in which something goes wrong, each with an execution, not only the first (under sc, tso, pso, jmm, jmm_under and
    /// jmm_over)
    #[arg(long, conflicts_with = "list_classes")]
    pub all_failures: bool,
    /// List the writes that jmm_over knows in the end: which values each thread may write to each variable (--model jmm_over and
    /// --model jmm)
    #[arg(long)]
    pub show_writes: bool,
    /// From which executions jmm_over learns what may be written (--model jmm_over and --model jmm)
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub fixpoint: Fixpoint,
    /// The engine mcr.
    #[command(flatten)]
    pub mcr: Mcr,
    /// Ask for this outcome instead of the test's own question: '0:EAX==0 && x==1', or as in litmus tests
    #[arg(long, value_name = "CONDITION")]
    pub exists: Option<String>,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory_orders: Option<MemoryOrders>,
    /// C programs.
    #[command(flatten)]
    pub c: CSource,
    /// What to ask of a program with assertions [default: always]
    #[arg(long, value_name = "QUESTION", value_parser = property())]
    pub question: Option<Property>,
    /// How often loops are unrolled [default: 3]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,
    /// How far code is followed.
    #[command(flatten)]
    pub bounds: Bounds,
    /// Do not find out first which numbers and which writes reads may see, so that what that is worth can be measured
    /// (axiomatic engine)
    #[arg(long)]
    pub no_ranges: bool,
    /// How many executions may justify one, under a model of several [default: as many as the program can need]
    #[arg(long, value_name = "K")]
    pub executions: Option<usize>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Do without the reasons of a forbidden outcome, and without executions of `outcomes`
    #[arg(long)]
    pub no_explain: bool,
    /// Which reasons to give for a forbidden outcome
    #[arg(long, value_enum, default_value_t)]
    pub core: Reasons,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Which reasons to give for a forbidden outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reasons {
    /// A core of which each member is needed
    #[default]
    Minimal,
    /// A core as the solver finds it, which is faster: members may be superfluous
    Any,
}

impl From<Reasons> for palisade::Reasons {
    fn from(reasons: Reasons) -> palisade::Reasons {
        match reasons {
            Reasons::Minimal => palisade::Reasons::Minimal,
            Reasons::Any => palisade::Reasons::Any,
        }
    }
}

/// From which executions jmm_over learns what may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Fixpoint {
    /// From those in which every write comes that was foreseen
    #[default]
    Valid,
    /// From others, too, where they come to their end, as JPR's figure 7 is printed: more executions
    Printed,
    /// A write is only foreseen together with what led to it, as JPR's section V proposes: fewer executions, and slower
    Followed,
}

impl From<Fixpoint> for palisade::Fixpoint {
    fn from(fixpoint: Fixpoint) -> palisade::Fixpoint {
        match fixpoint {
            Fixpoint::Valid => palisade::Fixpoint::Valid,
            Fixpoint::Printed => palisade::Fixpoint::Printed,
            Fixpoint::Followed => palisade::Fixpoint::Followed,
        }
    }
}

/// What the memory orders of C11 accesses mean on machines that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryOrders {
    /// What they are compiled to: a seq_cst store is a store and a full fence, on pso a release store comes after a store-store
    /// fence
    Compiled,
    /// Nothing: every access is a plain one
    Ignored,
}

/// How far code is followed. What goes on beyond makes the answer unknown.
#[derive(Clone, Copy, Debug, Args)]
pub struct Bounds {
    /// How many iterations of a loop of a C program are tried at most (axiomatic engine): each loop is unrolled as far as
    /// some execution takes it
    #[arg(long, value_name = "N", default_value_t = Bounds::default().max_iterations)]
    pub max_iterations: u32,
    /// How many instructions a thread is followed that does not meet shared memory (engines operational and mcr), and an
    /// operation of a bounded test that is run alone
    #[arg(long, value_name = "N", default_value_t = Bounds::default().max_instructions)]
    pub max_instructions: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        let palisade::Bounds { max_iterations, max_instructions } = palisade::Bounds::default();
        Bounds { max_iterations, max_instructions }
    }
}

impl From<Bounds> for palisade::Bounds {
    fn from(Bounds { max_iterations, max_instructions }: Bounds) -> palisade::Bounds {
        palisade::Bounds { max_iterations, max_instructions }
    }
}

impl From<MemoryOrders> for palisade::MemoryOrders {
    fn from(orders: MemoryOrders) -> palisade::MemoryOrders {
        match orders {
            MemoryOrders::Compiled => palisade::MemoryOrders::Compiled,
            MemoryOrders::Ignored => palisade::MemoryOrders::Ignored,
        }
    }
}

impl From<Mcr> for palisade::Mcr {
    fn from(Mcr { max_executions, max_steps, random, exhaustive, classes, ways_out, jobs, .. }: Mcr) -> palisade::Mcr {
        let classes = match classes {
            Classes::Values => palisade::Classes::Values,
            Classes::Mazurkiewicz => palisade::Classes::Mazurkiewicz,
        };
        let ways_out = match ways_out {
            WaysOut::States => palisade::WaysOut::States,
            WaysOut::Solver => palisade::WaysOut::Solver,
            WaysOut::Printed => palisade::WaysOut::Printed,
        };
        let first = random.map_or(palisade::First::InTurn, palisade::First::Random);
        palisade::Mcr { max_executions, max_steps, first, exhaustive, classes, ways_out, jobs, cube: None }
    }
}

impl Asked {
    /// What is asked about the file of this number.
    pub fn unit(&self, number: usize) -> Asked {
        let test = self.tests.get(number % self.tests.len().max(1)).or(self.c.test.as_ref()).cloned();
        Asked { c: CSource { test, ..self.c.clone() }, ..self.clone() }
    }

    /// Which executions are to be listed.
    pub fn listing(&self) -> palisade::Listing {
        match (self.mcr.list_classes, self.all_failures) {
            (true, _) => palisade::Listing::Classes,
            (false, true) => palisade::Listing::Failures,
            (false, false) => palisade::Listing::Nothing,
        }
    }

    /// Who is to answer.
    pub fn engine(&self) -> palisade::Engine {
        self.engine.into()
    }
}

impl From<Engine> for palisade::Engine {
    fn from(engine: Engine) -> palisade::Engine {
        match engine {
            Engine::Auto => palisade::Engine::Auto,
            Engine::Axiomatic => palisade::Engine::Axiomatic,
            Engine::Operational => palisade::Engine::Operational,
            Engine::Mcr => palisade::Engine::Mcr,
        }
    }
}

/// Options of the engine mcr.
#[derive(Clone, Debug, Default, Args)]
pub struct Mcr {
    /// Give up after this many executions (engine mcr)
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// Find all classes of executions, also after a failure was found (engine mcr)
    #[arg(long)]
    pub exhaustive: bool,
    /// Give up where an execution has more than this many steps (engine mcr on sc, tso and pso) [default: 100000]
    #[arg(long, value_name = "N")]
    pub max_steps: Option<usize>,
    /// List the classes of executions, each with what threads read and a schedule (engine mcr on sc, tso and pso)
    #[arg(long)]
    pub list_classes: bool,
    /// Begin with the execution of this schedule, which --schedule wrote (engine mcr on sc, tso and pso)
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "random")]
    pub seed: Option<PathBuf>,
    /// Begin with an execution by chance, from this number (engine mcr on sc, tso and pso)
    #[arg(long, value_name = "NUMBER")]
    pub random: Option<u64>,
    /// Which executions are of one class on sc, tso and pso (engine mcr); under rc11 and rc20 classes are graphs
    #[arg(long, value_enum, default_value_t = Classes::Values, value_name = "WHICH")]
    pub classes: Classes,
    /// How to find what else reads could get (engine mcr on sc, tso and pso)
    #[arg(long, value_enum, default_value_t = WaysOut::States, value_name = "HOW")]
    pub ways_out: WaysOut,
    /// How many processors to use (engine mcr) [default: all]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Divide the exploration into this many parts, one file each, for other processes or machines (engine mcr)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub cubes: Option<u32>,
    /// The folder for the files of --cubes
    #[arg(long, value_name = "FOLDER", default_value = "cubes")]
    pub cubes_to: PathBuf,
    /// Explore only the part that this file of --cubes names; `palisade merge` puts the answers of all parts together (as JSON)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cubes", "max_executions"])]
    pub cube: Option<PathBuf>,
}

/// Which executions the engine mcr takes to be of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Classes {
    /// Those in which all reads get the same values: the fewest
    #[default]
    Values,
    /// Those in which conflicting accesses have the same order, as dynamic partial order reduction has them: execution graphs
    Mazurkiewicz,
}

/// How the engine mcr finds ways out of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WaysOut {
    /// By listing states; classes with too many are given to the solver
    #[default]
    States,
    /// By solving
    Solver,
    /// By solving, in the encoding that was published: it leaves executions out where stores wait in buffers
    Printed,
}

/// Engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Whichever of the others is best for the question, of those that have the model; large questions are given to several of
    /// them side by side
    #[default]
    Auto,
    /// Looks for an execution that satisfies the axioms of a model; loops are unrolled
    Axiomatic,
    /// Runs the program on a machine and looks at all its states
    Operational,
    /// Runs the program on a machine, once for each way in which its reads can get their values; under rc11, rc20 and model files,
    /// builds each execution graph once
    Mcr,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The schedule
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    /// C programs.
    #[command(flatten)]
    pub c: CSource,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory_orders: Option<MemoryOrders>,
    /// How to print the steps
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `observations` and `lower`.
#[derive(Debug, Args)]
pub struct Source {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// C programs.
    #[command(flatten)]
    pub c: CSource,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `constraints`.
#[derive(Debug, Args)]
pub struct Constraints {
    /// The program.
    #[command(flatten)]
    pub of: Source,
    /// Machine: sc, tso or pso
    #[arg(short, long, visible_alias = "machine", value_name = "MODEL", default_value = "sc")]
    pub model: String,
    /// The execution, as `check --schedule` wrote it [default: thread after thread, each as far as it gets]
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "random")]
    pub seed: Option<PathBuf>,
    /// An execution by chance, from this number
    #[arg(long, value_name = "NUMBER")]
    pub random: Option<u64>,
    /// Look no further than this many steps of the execution
    #[arg(long, value_name = "STEPS", default_value_t = 1_000)]
    pub depth: usize,
    /// Print them in SMT-LIB
    #[arg(long)]
    pub smt: bool,
}

/// Arguments of `races`.
#[derive(Debug, Args)]
pub struct Races {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// In whose executions: sc, tso or pso
    #[arg(short, long, visible_alias = "machine", value_name = "MODEL", default_value = "sc")]
    pub model: String,
    /// Whose rules say what happens before what [default: jmm for Java, else c11]
    #[arg(long, value_enum)]
    pub rules: Option<RaceRules>,
    /// How to look for races
    #[arg(long, value_enum, default_value_t = RaceEngine::Operational)]
    pub engine: RaceEngine,
    /// Show only the race with this number, with the steps of an execution
    #[arg(long, value_name = "N")]
    pub race: Option<usize>,
    /// Write the schedule of the race that --race names, else of the first, to this file
    #[arg(long, value_name = "PATH")]
    pub schedule: Option<PathBuf>,
    /// Give up after this many executions (engine mcr)
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// How many processors to use (engine mcr) [default: all]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// C programs.
    #[command(flatten)]
    pub c: CSource,
    /// How to print the races
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// How races are looked for. Both find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RaceEngine {
    /// By looking at all states
    Operational,
    /// By running the program once for each way in which its reads can get their values, and asking the solver about other
    /// orders; for programs whose executions all come to an end
    Mcr,
}

/// Rules of happens-before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RaceRules {
    /// The Java memory model
    Jmm,
    /// C11
    C11,
}

impl From<RaceRules> for program::Rules {
    fn from(rules: RaceRules) -> program::Rules {
        match rules {
            RaceRules::Jmm => program::Rules::Jmm,
            RaceRules::C11 => program::Rules::C11,
        }
    }
}

/// Questions about a program's assertions.
fn property() -> impl TypedValueParser<Value = Property> {
    let values = [
        PossibleValue::new("always").help("Do all assertions hold in every execution?"),
        PossibleValue::new("possible").help("Is there an execution in which all assertions hold?"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "possible" => Property::Possible,
        _ => Property::Always,
    })
}

/// Arguments of `suite`.
#[derive(Debug, Args)]
pub struct Suite {
    /// Litmus tests, programs in C, Java and the text form, or folders of them; in folders, sources that say what they expect, or
    /// all that a `palisade.toml` does not exclude. A Java source with its class file beside it is not compiled. A file whose
    /// name begins with `@` lists such paths, one on each line
    #[arg(value_name = "PATH", required_unless_present = "expect")]
    pub paths: Vec<PathBuf>,
    /// What is expected: lines `file <tab> model <tab> answer`, files relative to this one [default: comments
    /// `expect MODEL ANSWER` in the tests]
    #[arg(long, value_name = "TSV")]
    pub expect: Option<PathBuf>,
    /// Only tests in folders or under models of this name; if there are none, those whose path or model contains it
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Only this model; a file stands for the model of its name
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Look for what a model file includes in this folder, too
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Look for torn variables of Java in all tests, not only in those that ask for it
    #[arg(long)]
    pub tearing: bool,
    /// Run only this part of the rows: the second of eight is 2/8. `palisade merge` puts the JSON results of all parts
    /// together
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    /// How many tests to run at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory_orders: Option<MemoryOrders>,
    /// How often loops are unrolled [default: 3]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,
    /// How many iterations of a loop of a C program are tried at most
    #[arg(long, value_name = "N", default_value_t = Bounds::default().max_iterations)]
    pub max_iterations: u32,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = SuiteFormat::Text)]
    pub format: SuiteFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// What `palisade suite --shard I/N --format json` printed, for each shard, or `palisade check --cube FILE --format json`, for
    /// each cube
    #[arg(required = true, value_name = "RESULT")]
    pub results: Vec<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = MergeFormat::Text)]
    pub format: MergeFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The first model: a name that `palisade models` lists, or a .cat or .mm file
    #[arg(value_name = "MODEL1")]
    pub first: String,
    /// The second model
    #[arg(value_name = "MODEL2")]
    pub second: String,
    /// Litmus tests, C and Java programs, or folders of them, as for `suite`
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Bounded test of the operations of the C files: 'e(ed|de)' calls e, then in two threads e and d, and d and e; may be given more
    /// than once [default: programs start at main]
    #[arg(long = "test", value_name = "TEST")]
    pub tests: Vec<String>,
    /// C file with the same operations, whose serial executions say what the tests may show [default: those of the file
    /// itself]
    #[arg(long, value_name = "FILE", requires = "tests")]
    pub reference: Option<PathBuf>,
    /// Define a macro in C files
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for what C files and model files include in this folder, too
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory_orders: Option<MemoryOrders>,
    /// How often loops are unrolled
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub unroll: u32,
    /// How many executions may justify one, under a model of several [default: as many as the program can need]
    #[arg(long, value_name = "K")]
    pub executions: Option<usize>,
    /// Look for torn variables of Java: plain long and double ones are read and written in two halves
    #[arg(long)]
    pub tearing: bool,
    /// How many programs to compare at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// How to print the comparison
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `fences`.
#[derive(Debug, Args)]
pub struct Fences {
    /// C file with a data type and its operations, or with `main`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Bounded test that is to pass: 'e(ed|de)' calls e, then in two threads e and d, and d and e; may be given more than
    /// once [default: no assertion of the program that starts at main may fail]
    #[arg(long = "test", value_name = "TEST")]
    pub tests: Vec<String>,
    /// Memory model: a name that `palisade models` lists, or a .cat or .mm file, which wins over a listed one of its name [default: rc11]
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// C file with the same operations, whose serial executions say what the tests may show [default: those of the file
    /// itself]
    #[arg(long, value_name = "FILE", requires = "tests")]
    pub reference: Option<PathBuf>,
    /// Define a macro in C files
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for what C files and models include in this folder, too
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Take out the fences that the file has and look for the whole set; fences of locks stay
    #[arg(long, alias = "from-scratch", conflicts_with = "orders")]
    pub remove: bool,
    /// Look for the weakest memory orders of the C11 atomics that are there, instead of fences
    #[arg(long)]
    pub orders: bool,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "orders")]
    pub memory_orders: Option<MemoryOrders>,
    /// What a kind of fence or order costs: store-load=4 [default: load-load, store-store, load-store, acquire, release 2,
    /// store-load 4, seq_cst 8, aliased-loads, data-dependent-loads 1]
    #[arg(long = "cost", value_name = "KIND=N")]
    pub costs: Vec<String>,
    /// Look for up to so many sets of the same least cost
    #[arg(long = "all", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub sets: u32,
    /// How far code is followed.
    #[command(flatten)]
    pub bounds: Bounds,
    /// How to print the sets
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `clients`.
#[derive(Debug, Args)]
pub struct Clients {
    /// C file with a data type and its operations
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The operations that clients call, with commas between [default: all that a bounded test may name]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub operations: Vec<String>,
    /// How many operations a client has at most, those that run before the threads included
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = up_to(64))]
    pub most: usize,
    /// How many threads a client has at most; clients that differ only in the order of their threads are looked at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = up_to(16))]
    pub threads: usize,
    /// Memory model: a name that `palisade models` lists, or a .cat or .mm file, which wins over a listed one of its name [default: rc11]
    #[arg(short, long, visible_alias = "machine", value_name = "MODEL")]
    pub model: Option<String>,
    /// Which engine answers
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Ask whether clients are linearisable: operations that had returned before others were called come before them in the serial
    /// execution, too (sc, tso, rc11 and rc20)
    #[arg(long)]
    pub linearizable: bool,
    /// C file with the same operations, whose serial executions say what clients may show [default: those of the file itself]
    #[arg(long, value_name = "FILE")]
    pub reference: Option<PathBuf>,
    /// Define a macro in C files
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for what C files and model files include in this folder, too
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// What the memory orders of C11 accesses mean under tso and pso [default: compiled]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory_orders: Option<MemoryOrders>,
    /// How far code is followed.
    #[command(flatten)]
    pub bounds: Bounds,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// A number from 1 on.
fn up_to(most: u64) -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=most).map(|number| number as usize)
}

/// Arguments of `repro`.
#[derive(Debug, Args)]
pub struct Repro {
    /// The table
    #[arg(value_name = "TABLE", value_parser = tables())]
    pub table: &'static Published,
    /// Only rows whose test, program or model has this name; if there are none, those that contain it
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Folder with compiled classes that take the place of our programs, by their names in the table (mcr-1 to mcr-5): `Dekker.class`
    /// with `main`, or what its file `programs.tsv` says: a line for each, with the name in the table, the class (with `#method` for a
    /// test of JUnit), and the arguments of `main`, with tabs between
    #[arg(long, value_name = "FOLDER")]
    pub classes: Option<PathBuf>,
    /// How many rows to compute at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// How to print the table
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
}

fn tables() -> impl TypedValueParser<Value = &'static Published> {
    let value = |table: &Published| PossibleValue::new(table.name).help(table.title.trim_end_matches('.'));
    PossibleValuesParser::new(repro::TABLES.iter().map(value))
        .try_map(|name| repro::named(&name).ok_or("there is no such table"))
}

/// Arguments of `models`.
#[derive(Debug, Args)]
pub struct Models {
    /// Print this model's file
    pub name: Option<String>,
}

/// Reads the name of a format of answers that fits.
fn formats(fits: fn(&&Format) -> bool) -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().filter(fits).map(|format| PossibleValue::new(format.name).help(format.help));
    let find = |name: String| FORMATS.iter().find(|format| format.name == name).ok_or("there is no such format");
    PossibleValuesParser::new(names).try_map(find)
}

/// Formats of `compare`, `races`, `replay`, `fences`, `clients` and `repro`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Plain words and tables
    Text,
    /// One object, schema 1
    Json,
}

/// Formats of a suite's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuiteFormat {
    /// What is not right, and a summary
    Text,
    /// One object with every row, schema 1
    Json,
    /// JUnit XML, for continuous integration
    Junit,
    /// As herd7 prints, test after test
    Herd,
}

/// Formats of results that are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MergeFormat {
    /// What is not right, and a summary
    Text,
    /// One object with every row, schema 1
    Json,
    /// JUnit XML, for continuous integration
    Junit,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}

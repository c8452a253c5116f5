//! What is asked of a program.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontend::c::{self, Unit};
use frontend::jvm::{self, ClassFile};
use frontend::litmus;
use operational::bounded::{Recorded, has_commits, record, record_with_marks, record_with_order};
use operational::console;
use program::{
    Diagnostics, FunctionId, InstructionKind, Language, Observable, Observation, Pointer, Program, Property,
    Proposition, Quantifier, Question, ThreadId, Unsupported, Value, Verified, verify,
};

use crate::refusal::Refusal;

/// A question about a program.
#[derive(Clone, Debug)]
pub enum Task {
    /// Of threads that all run from the start, the question that they bring along about their final states; or if they bring
    /// none, about their assertions. Litmus tests, and Java classes with annotated threads.
    Litmus(Verified, Property),
    /// Of a program that starts at `main`, about its assertions, and whether something else goes wrong.
    Whole(Whole),
    /// Of some calls of the operations of a data type, whether every execution shows what some serial execution shows.
    Test(Test),
}

/// A program that starts at `main`.
#[derive(Clone, Debug)]
pub struct Whole {
    /// What is asked of its assertions.
    pub property: Property,
    /// The program.
    pub forms: Forms,
}

/// A program as engines run it, and with the threads that it starts unfolded, for the engine that solves. A front end may be
/// able to make only one of the two.
#[derive(Clone, Debug)]
pub enum Forms {
    /// One form is for all: the engine that solves follows the starts of threads itself.
    One(Verified),
    /// Both.
    Two {
        /// As it is run.
        run: Verified,
        /// With its threads unfolded.
        unfolded: Box<Verified>,
    },
    /// It can be run; why it cannot be unfolded.
    OnlyRun(Verified, Diagnostics),
    /// It can be unfolded; why it cannot be run.
    OnlyUnfolded(Verified, Diagnostics),
}

/// A bounded test of a data type.
#[derive(Clone, Debug)]
pub struct Test {
    /// How it is written: `e(ed|de)`.
    pub notation: String,
    /// The calls.
    pub program: Verified,
    /// What says what may be shown, and its file; `None` if the serial executions of the program itself do.
    pub reference: Option<(String, Reference)>,
    /// In which order serial executions must have the operations.
    pub criterion: Criterion,
}

/// In which order a serial execution must have the operations to explain an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Those of each thread in the order in which it calls them: sequential consistency, as in the CheckFence thesis.
    #[default]
    Sequential,
    /// Those that had returned before another was called come before it, too: linearisability.
    Linearizable,
}

/// What says what a bounded test may show, in place of its own serial executions.
#[derive(Clone, Debug)]
pub enum Reference {
    /// The serial executions of the same calls of a reference implementation.
    Program(Box<Verified>),
    /// Observations that were written down, see [`crate::observations`].
    Observations(Arc<BTreeSet<Observation>>),
}

impl Task {
    /// Whether it is a bounded test whose operations say where they take effect.
    pub(crate) fn has_commits(&self) -> bool {
        matches!(self, Task::Test(test) if test.has_commits())
    }

    /// A litmus test, in herd's format, with its own question.
    pub fn litmus(name: &str, text: &str) -> Result<Task, Refusal> {
        Ok(Task::Litmus(verified(litmus::parse(name, text)?.program)?, Property::default()))
    }

    /// The program that starts at `main` of a C file, which includes nothing but the standard headers.
    pub fn c(name: &str, text: &str) -> Result<Task, Refusal> {
        Task::whole(unit(name, text, c::Entry::Main)?.program()?)
    }

    /// A bounded test of the operations of a C file, which includes nothing but the standard headers.
    pub fn test(name: &str, text: &str, notation: &str) -> Result<Task, Refusal> {
        Ok(Task::Test(Test::of(&unit(name, text, c::Entry::Test(notation.into()))?, notation, None)?))
    }

    /// A program in the text form of the representation ([`program::text`]): a bounded test if its operations show something, a whole
    /// program if it starts threads, else threads that run from the start, with their question or their assertions.
    pub fn text(name: &str, text: &str) -> Result<Task, Refusal> {
        let program = verified(program::text::parse(name, text)?)?;
        let has = |wanted: fn(&InstructionKind) -> bool| program.instructions().any(|one| wanted(&one.kind));
        let (shows, starts) = (
            has(|kind| matches!(kind, InstructionKind::Observe { .. })),
            has(|kind| matches!(kind, InstructionKind::Spawn { .. })),
        );
        Ok(match () {
            () if program.question.is_some() => Task::Litmus(program, Property::default()),
            () if shows => Task::Test(Test {
                notation: program.name.clone(),
                program,
                reference: None,
                criterion: Criterion::default(),
            }),
            () if starts => Task::Whole(Whole { property: Property::default(), forms: Forms::One(program) }),
            () => Task::Litmus(program, Property::default()),
        })
    }

    /// The program of Java classes: the annotated threads of a class if there are any, else its `main`.
    pub fn java(files: &[ClassFile], class: &str) -> Result<Task, Refusal> {
        let load = || jvm::load(files, &jvm::Options { class: Some(class.into()) }).map(|parsed| parsed.program);
        if jvm::has_annotated_threads(files) {
            return Ok(Task::Litmus(verified(load()?)?, Property::default()));
        }
        Task::main(jvm::program(files, class), load())
    }

    /// Whether the assertions of a program that starts at `main` hold.
    pub fn whole(program: Program) -> Result<Task, Refusal> {
        Ok(Task::Whole(Whole { property: Property::default(), forms: Forms::One(verified(program)?) }))
    }

    /// Whether the assertions of a program hold of which a front end makes two forms: as it is run, and with its threads unfolded.
    pub fn main(run: Result<Program, Diagnostics>, unfolded: Result<Program, Diagnostics>) -> Result<Task, Refusal> {
        let lawful = |program: Program| {
            let sources = program.sources.clone();
            verify(program).map_err(|messages| Diagnostics { sources, messages })
        };
        let forms = match (run.and_then(lawful), unfolded.and_then(lawful)) {
            (Err(refused), Err(_)) => return Err(refused.into()),
            (Ok(run), Ok(unfolded)) => Forms::Two { run, unfolded: Box::new(unfolded) },
            (Ok(run), Err(why)) => Forms::OnlyRun(run, why),
            (Err(why), Ok(unfolded)) => Forms::OnlyUnfolded(unfolded, why),
        };
        Ok(Task::Whole(Whole { property: Property::default(), forms }))
    }

    /// The program that is asked about; of two forms the one that is run, if there is one.
    pub fn program(&self) -> &Program {
        self.checked()
    }

    /// That program, known to keep the law of programs.
    pub(crate) fn checked(&self) -> &Verified {
        match self {
            Task::Litmus(program, _) | Task::Test(Test { program, .. }) => program,
            Task::Whole(whole) => whole.forms.program(),
        }
    }

    /// What is asked of assertions.
    pub fn property(&self) -> Property {
        match self {
            Task::Litmus(_, property) => *property,
            Task::Whole(whole) => whole.property,
            Task::Test(_) => Property::Always,
        }
    }

    /// The same program, asked this about its assertions.
    #[must_use]
    pub fn asking(self, property: Property) -> Task {
        match self {
            Task::Litmus(program, _) => Task::Litmus(program, property),
            Task::Whole(whole) => Task::Whole(Whole { property, ..whole }),
            Task::Test(test) => Task::Test(test),
        }
    }

    /// The same question of other forms of its programs.
    pub(crate) fn map(&self, change: &dyn Fn(Verified) -> Result<Verified, Refusal>) -> Result<Task, Refusal> {
        Ok(match self {
            Task::Litmus(program, property) => Task::Litmus(change(program.clone())?, *property),
            Task::Whole(whole) => Task::Whole(Whole { property: whole.property, forms: whole.forms.map(change)? }),
            Task::Test(test) => Task::Test(Test { program: change(test.program.clone())?, ..test.clone() }),
        })
    }

    /// The language of the program.
    pub fn language(&self) -> Language {
        self.program().language
    }
}

impl Forms {
    /// The program; of two forms the one that is run.
    fn program(&self) -> &Verified {
        match self {
            Forms::One(program) | Forms::OnlyRun(program, _) | Forms::OnlyUnfolded(program, _) => program,
            Forms::Two { run, .. } => run,
        }
    }

    /// The program as engines run it; why there is none.
    pub fn run(&self) -> Result<&Verified, &Diagnostics> {
        match self {
            Forms::OnlyUnfolded(_, why) => Err(why),
            _ => Ok(self.program()),
        }
    }

    fn map(&self, change: &dyn Fn(Verified) -> Result<Verified, Refusal>) -> Result<Forms, Refusal> {
        Ok(match self {
            Forms::One(program) => Forms::One(change(program.clone())?),
            Forms::Two { run, unfolded } => {
                Forms::Two { run: change(run.clone())?, unfolded: Box::new(change((**unfolded).clone())?) }
            }
            Forms::OnlyRun(program, why) => Forms::OnlyRun(change(program.clone())?, why.clone()),
            Forms::OnlyUnfolded(program, why) => Forms::OnlyUnfolded(change(program.clone())?, why.clone()),
        })
    }
}

impl Reference {
    /// A reference implementation.
    pub fn of(program: Verified) -> Reference {
        Reference::Program(Box::new(program))
    }
}

impl Test {
    /// A test of the operations of a C file.
    pub fn of(unit: &Unit, notation: &str, reference: Option<(String, &Unit)>) -> Result<Test, Refusal> {
        let program = verified(unit.test(notation)?)?;
        let of_reference =
            |(name, unit): (String, &Unit)| Ok::<_, Refusal>((name, Reference::of(verified(unit.test(notation)?)?)));
        let reference = reference.map(of_reference).transpose()?;
        Ok(Test { notation: notation.into(), program, reference, criterion: Criterion::default() })
    }

    /// The test as reports speak of it: how many observations serial executions show, if they were all found.
    pub(crate) fn subject(&self, observations: Option<usize>) -> report::Subject {
        let reference = self.reference.as_ref().map(|(file, _)| file.clone());
        let linearizable = self.criterion == Criterion::Linearizable;
        let (notation, has_commits) = (self.notation.clone(), self.has_commits());
        report::Subject::Test(report::Test { notation, observations, reference, linearizable, has_commits })
    }

    /// Whether its operations say where they take effect.
    pub(crate) fn has_commits(&self) -> bool {
        has_commits(&self.program)
    }

    /// The same test, of which linearisability is asked.
    #[must_use]
    pub fn linearizable(self) -> Test {
        Test { criterion: Criterion::Linearizable, ..self }
    }

    /// The test as engines run it: it writes down what it shows, and what its criterion needs.
    pub(crate) fn recorded(&self) -> Result<Recorded, Unsupported> {
        match self.criterion {
            Criterion::Sequential => record(&self.program),
            Criterion::Linearizable => record_with_order(&self.program),
        }
    }

    /// The test as it is explored in execution graphs under a model without a machine: what its criterion needs, the graphs say.
    pub(crate) fn recorded_for_graphs(&self) -> Result<Recorded, Unsupported> {
        match self.criterion {
            Criterion::Sequential => record(&self.program),
            Criterion::Linearizable => record_with_marks(&self.program),
        }
    }
}

fn unit(name: &str, text: &str, entry: c::Entry) -> Result<Unit, Diagnostics> {
    c::load_with(name, text, &mut |_, _| None, &[], &c::Options { entry, ..c::Options::default() })
}

/// The program with its law checked. A breach is an error of the front end, shown like any other.
pub fn verified(program: Program) -> Result<Verified, Refusal> {
    let sources = program.sources.clone();
    verify(program).map_err(|messages| Diagnostics { sources, messages }.into())
}

/// The question that every execution answers: of interest is how each ends.
pub(crate) fn any_execution(observed: Vec<Observable>) -> Question {
    let (quantifier, proposition) = (Quantifier::Exists, Proposition::Constant(true));
    Question { quantifier, proposition, filter: None, observed, span: None }
}

/// The program asked for any execution, so that its final states are those of its threads' local variables. A program
/// with a question of its own stays as it is.
pub fn asked_for_states(program: Verified) -> Result<Verified, Refusal> {
    if program.question.is_some() {
        return Ok(program);
    }
    let mut program = program.into_program();
    let observed = local_variables(&program);
    program.question = Some(any_execution(observed));
    verified(program)
}

/// A program of Java that starts at `main`, asked for what is in its static fields in the end, and for what it prints where an engine keeps
/// that.
pub fn asked_for_fields(program: Verified, keeps_text: bool) -> Result<Verified, Refusal> {
    if program.question.is_some() {
        return Ok(program);
    }
    let mut program = program.into_program();
    let mut observed: Vec<Observable> =
        static_fields(&program).into_iter().map(|field| Observable::Memory(Pointer::to(field))).collect();
    if keeps_text && console::prints(&program) {
        observed.push(Observable::Memory(Pointer::to(console::add(&mut program))));
    }
    program.question = Some(any_execution(observed));
    verified(program)
}

/// The static fields of the user's classes to which something is stored. These are the first globals of a program; those of libraries have
/// names with their package.
fn static_fields(program: &Program) -> Vec<u32> {
    let is_part = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.is_empty();
    let is_field = |name: &str| name.split(['.', '$']).all(is_part) && !LIBRARIES.iter().any(|of| name.starts_with(of));
    let of_user = program.globals.iter().take_while(|global| is_field(&global.name)).count() as u32;
    let stored = |instruction: &InstructionKind| match instruction {
        InstructionKind::Store { address, .. } | InstructionKind::ReadModifyWrite { address, .. } => {
            match address.constant() {
                Some(Value::Pointer(pointer)) if pointer.path.is_empty() => Some(pointer.allocation),
                _ => None,
            }
        }
        _ => None,
    };
    let functions = run_by_threads(program);
    let instructions = functions.iter().flat_map(|id| program.function(*id).instructions());
    let stored: BTreeSet<u32> = instructions.filter_map(|one| stored(&one.kind)).collect();
    stored.into_iter().filter(|field| *field < of_user).collect()
}

/// The functions that threads may call, which the setup is not.
fn run_by_threads(program: &Program) -> BTreeSet<FunctionId> {
    let mut open: Vec<FunctionId> = program.threads.iter().map(|thread| thread.entry).collect();
    let mut known = BTreeSet::new();
    while let Some(function) = open.pop() {
        if known.insert(function) {
            open.extend(program.function(function).instructions().flat_map(|one| one.kind.callees()));
        }
    }
    known
}

/// How the names of static fields of library classes begin.
const LIBRARIES: [&str; 6] = ["java.", "javax.", "jdk.", "sun.", "palisade.", "System."];

/// The registers of each thread's first function that stand for variables of the source.
fn local_variables(program: &Program) -> Vec<Observable> {
    let mut observed = Vec::new();
    for (thread, ThreadId(id)) in program.threads.iter().zip((0..).map(ThreadId)) {
        let registers = &program.function(thread.entry).registers;
        let is_variable = |name: &str| name.chars().next().is_some_and(char::is_alphabetic);
        let ids = (0..).map(program::RegisterId).zip(registers).filter(|(_, name)| is_variable(name));
        observed.extend(ids.map(|(register, _)| Observable::Register(ThreadId(id), register)));
    }
    observed
}

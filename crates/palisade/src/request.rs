//! What a request and its answer are made of.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axiomatic::Reasons;
use mcr::graphs;
use mcr::histories::first::First;
use operational::{Fixpoint, Machine, Reduction, Schedule, schedule};
use program::{Language, Listing, Outcome, Program, Property, Verdict, Verified};

use crate::cube::Cube;
use crate::engine::Engine;
use crate::model::Model;
use crate::orders::MemoryOrders;
use crate::task::{Task, any_execution};

/// A question: what is asked, under which model, of which engine.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What is asked.
    pub task: &'a Task,
    /// Under which model.
    pub model: &'a Model,
    /// Who is to answer.
    pub engine: Engine,
    /// How.
    pub options: Options,
}

/// What is wanted of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The verdict.
    #[default]
    Verdict,
    /// The verdict, and all final states if the program has a question about them.
    VerdictAndStates,
    /// All final states.
    States,
}

/// How a request is answered.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is wanted.
    pub wanted: Wanted,
    /// Whether the evidence is wanted: why an outcome is forbidden, an execution of each final state.
    pub explain: bool,
    /// How good the reasons for a forbidden outcome must be.
    pub reasons: Reasons,
    /// Whether the flags of a model are asked about besides.
    pub flags: bool,
    /// What memory orders of C11 mean on machines that have none; `None` is what they are compiled to, where that counts.
    pub memory_orders: Option<MemoryOrders>,
    /// How often the loops of a litmus test are unrolled.
    pub unroll: u32,
    /// How many executions may justify one, under a model of several; `None` is as many as the program can need.
    pub executions: Option<usize>,
    /// How far code is followed.
    pub bounds: Bounds,
    /// Whether the axiomatic engine finds out first which numbers and writes reads may see.
    pub ranges: bool,
    /// How many steps of an execution the engine operational looks at, and how many operations of a thread the engine mcr.
    pub depth: Option<usize>,
    /// Which executions are to be listed beside the answer.
    pub listing: Listing,
    /// From which executions the passes of jmm_over learn what may be written.
    pub fixpoint: Fixpoint,
    /// Whether the writes are wanted that jmm_over knows in the end.
    pub show_writes: bool,
    /// What the engine mcr does.
    pub mcr: Mcr,
    /// When to give up.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            wanted: Wanted::default(),
            explain: true,
            reasons: Reasons::default(),
            flags: true,
            memory_orders: None,
            unroll: 3,
            executions: None,
            bounds: Bounds::default(),
            ranges: true,
            depth: None,
            listing: Listing::Nothing,
            fixpoint: Fixpoint::default(),
            show_writes: false,
            mcr: Mcr::default(),
            limits: Limits::default(),
        }
    }
}

/// How far code is followed. What goes on beyond makes the answer unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many iterations of a loop of a C program are tried at most (axiomatic engine).
    pub max_iterations: u32,
    /// How many instructions a thread is followed that does not meet shared memory.
    pub max_instructions: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_iterations: 32, max_instructions: operational::Limits::default().stretch }
    }
}

/// What the engine mcr does.
#[derive(Clone, Debug, Default)]
pub struct Mcr {
    /// Give up after so many executions.
    pub max_executions: Option<u64>,
    /// Give up where an execution has more steps.
    pub max_steps: Option<usize>,
    /// The execution to begin with, on machines.
    pub first: First,
    /// Find all classes of executions, also after a failure was found.
    pub exhaustive: bool,
    /// Which executions are of one class, on machines.
    pub classes: Classes,
    /// How to find what else reads could get.
    pub ways_out: WaysOut,
    /// How many processors to use; all if none is given.
    pub jobs: Option<usize>,
    /// The part of the executions that is to be explored; all if none is given.
    pub cube: Option<Arc<Cube>>,
}

/// Which executions the engine mcr takes to be of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Classes {
    /// Those in which all reads get the same values.
    #[default]
    Values,
    /// Those in which all accesses of each location that conflict have the same order, as dynamic partial order reduction has them:
    /// execution graphs.
    Mazurkiewicz,
}

/// How the engine mcr finds ways out of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaysOut {
    /// By listing states; classes with too many are given to the solver.
    #[default]
    States,
    /// By solving.
    Solver,
    /// By solving, in the encoding that was published: it leaves executions out where stores wait in buffers.
    Printed,
}

/// When to give up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Once this is set, searches end soon, with what they have found.
    pub interrupt: Arc<AtomicBool>,
    /// About so many bytes the states of a search may take.
    pub bytes: Option<u64>,
    /// So many states a search may keep.
    pub states: Option<u64>,
    /// So many conflicts a solver may meet for one question.
    pub conflicts: Option<u64>,
}

impl Limits {
    /// What a search over states may spend.
    pub fn of_search(&self) -> operational::Limits {
        let limits = operational::Limits::default();
        let (states, bytes) = (self.states.unwrap_or(limits.states), self.bytes.unwrap_or(limits.bytes));
        operational::Limits { interrupt: self.interrupt.clone(), states, bytes, ..limits }
    }

    /// What a solver may spend.
    pub fn of_solver(&self) -> sat::Budget {
        sat::Budget { interrupt: self.interrupt.clone(), conflicts: self.conflicts }
    }
}

/// Who wants to know how far an answer is.
pub trait Progress: Sync {
    /// So many final states were found.
    fn states(&self, _found: u64) {}
    /// So many executions gave so many classes, of which some were looked at.
    fn classes(&self, _executions: u64, _classes: u64, _looked_at: u64) {}
    /// So many execution graphs came to their end, so many others wait at theirs, of about so many in all.
    fn graphs(&self, _executions: u64, _blocked: u64, _estimate: u64) {}
    /// So many sets of fences were tried.
    fn sets(&self, _tried: u64) {}
    /// So many clients of a data type were asked about, of so many.
    fn clients(&self, _tried: u64, _all: u64) {}
    /// The check of a bounded test by axioms has come so far.
    fn stage(&self, _stage: Stage) {}
}

/// How far the check of a bounded test by axioms has come. It is encoded and solved in turn until no loop needs another iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What serial executions show is known: the specification was mined.
    Mined,
    /// The test is encoded, and the solver begins.
    Encoded,
    /// The solver has found that some loop needs another iteration.
    Solved,
}

/// Nobody wants to know.
pub struct Silent;

impl Progress for Silent {}

/// An answer: the outcome, what it is the outcome of, and who gave it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The program as the engine saw it.
    pub program: Verified,
    /// The model's name.
    pub model: String,
    /// The engine that decided.
    pub engine: Engine,
    /// What was asked of assertions.
    pub property: Property,
    /// What kind of question it was.
    pub subject: report::Subject,
    /// The verdict and its evidence.
    pub outcome: Outcome,
    /// How to make the execution found happen again, of engines that run programs.
    pub run: Option<Run>,
    /// How the execution graph found comes about, of the engine that explores graphs.
    pub growth: Option<Growth>,
}

/// How an execution graph comes about.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The program that was explored.
    pub program: Verified,
    /// Who goes on, and how.
    pub schedule: graphs::Schedule,
}

/// What an engine that ran a program can tell besides.
#[derive(Clone, Debug)]
pub struct Run {
    /// The machine.
    pub machine: Machine,
    /// The schedule of the execution found, and how it is to be run.
    pub schedule: Option<(Schedule, Reduction)>,
    /// What was explored, in words.
    pub explored: String,
    /// Whether an execution as asked about was found; `None` if that is not known. A machine that only approximates a model may
    /// know this without a verdict.
    pub found: Option<bool>,
}

impl Answer {
    /// The answer as reports take it, for the program of this file.
    pub fn shown<'a>(&'a self, file: &'a str) -> report::Answer<'a> {
        report::Answer {
            file,
            program: &self.program,
            model: &self.model,
            engine: self.engine.name(),
            property: self.property,
            subject: &self.subject,
            outcome: &self.outcome,
        }
    }

    /// The answer in plain words.
    pub fn text(&self, file: &str) -> String {
        report::text::answer(&self.shown(file))
    }

    /// Whether it decides the question.
    pub fn is_decided(&self) -> bool {
        !matches!(self.outcome.verdict, Verdict::Unknown(_))
    }

    /// The answer of an engine that was ended for this reason: it is why a verdict is unknown, or final states are missing.
    #[must_use]
    pub fn ended_because(mut self, reason: Option<String>) -> Answer {
        let Some(reason) = reason else { return self };
        if let Verdict::Unknown(own) = &mut self.outcome.verdict {
            own.clone_from(&reason);
        }
        self.outcome.incomplete.iter_mut().for_each(|own| own.clone_from(&reason));
        self
    }

    /// The schedule of the execution found, written down.
    pub fn schedule(&self) -> Option<String> {
        if let Some(growth) = &self.growth {
            return Some(graphs::schedule::print(&growth.schedule, &self.model));
        }
        let run = self.run.as_ref()?;
        let (found, reduction) = run.schedule.as_ref()?;
        Some(schedule::print(found, run.machine, *reduction))
    }

    /// The program that [`Answer::schedule`] is a schedule of.
    pub fn scheduled(&self) -> &Verified {
        self.growth.as_ref().map_or(&self.program, |growth| &growth.program)
    }

    /// The steps of the execution found that concern more than one thread, as a table. Those of Java are told in its words, with
    /// the stack of the exception, and so is the failure from now on.
    pub fn steps(&mut self) -> Option<String> {
        let run = self.run.as_ref()?;
        let (found, reduction) = run.schedule.as_ref()?;
        let limits = operational::Limits::default();
        let replayed = operational::replay(&self.program, run.machine, *reduction, found, &limits).ok()?;
        if self.program.language != Language::Java {
            return Some(format!("\nThe steps to it:\n\n{}", report::replay::shared_table(&self.program, &replayed)));
        }
        let failure = self.outcome.failure.as_mut()?;
        *failure = report::calls::named(&self.program, &replayed, failure);
        let stack = report::calls::stack(&self.program, &replayed);
        Some(format!("{stack}\nThe steps to it:\n\n{}", report::calls::table(&self.program, &replayed)))
    }
}

impl<'a> Request<'a> {
    /// A question with the usual options, to the engine that is best for it.
    pub fn new(task: &'a Task, model: &'a Model) -> Request<'a> {
        Request { task, model, engine: Engine::Auto, options: Options::default() }
    }
}

/// A program as it is shown before anything is known of it: where its final states are wanted, and it has no question of its own, it is
/// not asked about its assertions.
pub fn before_an_answer(program: &Program, wanted: Wanted) -> Cow<'_, Program> {
    let asks_itself = program.question.is_some() || program.language == Language::Ir;
    match wanted {
        Wanted::States if !asks_itself => {
            Cow::Owned(Program { question: Some(any_execution(Vec::new())), ..program.clone() })
        }
        _ => Cow::Borrowed(program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_final_states_is_not_told_of_assertions() {
        let program = Program { name: "p".into(), language: Language::C, ..Program::default() };
        let asked = |wanted| report::words::question(&before_an_answer(&program, wanted), Property::Always, "sc");
        assert_eq!(asked(Wanted::States), "Has p any execution, under sc?");
        assert_eq!(asked(Wanted::Verdict), "Do all assertions of p hold in every execution, under sc?");
    }
}

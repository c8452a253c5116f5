//! Answers: verdict, evidence, and what may be concluded from them.

use crate::execution::{EventId, Execution, State};
use crate::ir::AssertSort;
use crate::observation::Observation;
use crate::source::Location;

/// In which direction an engine errs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Guarantee {
    #[default]
    /// Neither: it finds exactly the executions that the model allows.
    Exact,
    /// It may miss executions: what it finds is allowed, what it does not find may be allowed too.
    Under,
    /// It may find executions that the model forbids: what it does not find is forbidden.
    Over,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The outcome asked for can happen.
    Allowed,
    /// The outcome asked for cannot happen.
    Forbidden,
    /// The property holds in every execution.
    Holds,
    /// The property fails in some execution.
    Violated,
    /// Not decided, and why.
    Unknown(String),
}

impl Default for Verdict {
    fn default() -> Verdict {
        Verdict::Unknown("not looked at yet".into())
    }
}

impl Guarantee {
    /// What an engine with this guarantee may conclude when asked whether an execution exists: `found` says whether it
    /// found one; `incomplete` is the reason why its search did not cover everything within its own terms (a loop bound
    /// that can be exceeded, a time limit), if there is one.
    pub fn conclude(self, found: bool, incomplete: Option<String>) -> Verdict {
        match (self, found, incomplete) {
            (Guarantee::Exact | Guarantee::Under, true, _) => Verdict::Allowed,
            (Guarantee::Exact | Guarantee::Over, false, None) => Verdict::Forbidden,
            (_, false, Some(reason)) => Verdict::Unknown(reason),
            (Guarantee::Under, false, None) => {
                Verdict::Unknown("not found, but this engine does not find every execution".into())
            }
            (Guarantee::Over, true, _) => {
                Verdict::Unknown("found, but this engine also finds executions that the model forbids".into())
            }
        }
    }
}

/// What is asked of a program that brings no question but assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Property {
    /// Whether every execution comes to its end without a failed assertion, another error, or a deadlock.
    #[default]
    Always,
    /// Whether some execution does.
    Possible,
}

/// What a member of a core is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoreMemberKind {
    /// A named axiom of the model.
    Axiom,
    /// A statement of the program.
    Program,
    /// The asked outcome, or an assertion.
    Assertion,
}

/// One constraint that is needed for the outcome to be impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreMember {
    /// Axiom, program line or assertion.
    pub kind: CoreMemberKind,
    /// The axiom's name, the statement's text (of one of several accesses on a line: which), what a cell holds initially, or
    /// the condition's text.
    pub name: String,
    /// Of an axiom: what it says, in the words of the model.
    pub formula: Option<String>,
    /// Where it stands: in the model's file or in the program's.
    pub location: Option<Location>,
    /// The thread's name, for program lines.
    pub thread: Option<String>,
}

/// A set of constraints that exclude the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Core {
    /// Axioms first, then program lines in order, then assertions.
    pub members: Vec<CoreMember>,
    /// Whether each member is needed: without any one of them the outcome would be possible.
    pub minimal: bool,
}

/// An execution that has the forbidden outcome, keeps all axioms of the core but one, and shows how it breaks that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the broken axiom.
    pub axiom: String,
    /// The execution.
    pub execution: Execution,
    /// The offending cycle (or path, if the axiom is not about cycles): each step from an event to the next, with the
    /// relations that make it up, as the model names them. Empty if the axiom is not of that form.
    pub cycle: Vec<Step>,
}

/// A step of an offending cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// From here,
    pub from: EventId,
    /// to here,
    pub to: EventId,
    /// by this relation: `fr`, `po`, `mfence`.
    pub relation: String,
}

/// The bounds that an answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Bounds {
    /// How often each loop was unrolled; empty for programs without loops.
    pub unroll: Option<u32>,
    /// Loops that can run longer than that, by place in the source.
    pub exceeded: Vec<Location>,
    /// Where each loop has a bound of its own: by place in the source, how often its body ran at most, not counting iterations
    /// that make no difference.
    pub loops: Vec<(Location, u32)>,
}

/// Figures about how an answer was found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Name and number, in the order to be shown: `events`, `variables`, `clauses`, `solver calls`.
    pub figures: Vec<(String, u64)>,
}

/// What is wrong with an execution that breaks a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of thing.
    pub kind: FailureKind,
    /// What, in words.
    pub message: String,
    /// The statement, if it is one.
    pub location: Option<Location>,
    /// The name of the thread, if a single one is at fault.
    pub thread: Option<String>,
    /// The threads that wait, when no thread can go on.
    pub waiting: Vec<WaitingThread>,
    /// The events of the witness that it is about, where it is about two of them: accesses that nothing orders.
    pub events: Vec<EventId>,
    /// Where the thread goes on in the witness after the step that fails: its first event after that.
    pub until: Option<EventId>,
}

impl Failure {
    /// A failure of no known thread.
    pub fn new(kind: FailureKind, message: impl Into<String>, location: Option<Location>) -> Failure {
        let (waiting, events) = (Vec::new(), Vec::new());
        Failure { kind, message: message.into(), location, thread: None, waiting, events, until: None }
    }
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingThread {
    /// Its name.
    pub thread: String,
    /// What it waits for, in words: `the monitor lock`.
    pub what: String,
    /// Where it waits.
    pub location: Option<Location>,
}

impl Outcome {
    /// The outcome with a witness that ends where it goes wrong: what threads do after the step that fails, and what others do because
    /// of that, is no part of it. If the failure itself depends on such events, as it may where values come out of thin air, they stay.
    #[must_use]
    pub fn ending_with_failure(mut self) -> Outcome {
        let (Some(witness), Some(failure)) = (&self.witness, &mut self.failure) else { return self };
        let after = |&event: &EventId| witness.ids().find(|&later| witness.po(event, later));
        let first: Vec<EventId> = failure.events.iter().filter_map(after).chain(failure.until.take()).collect();
        let Some((shorter, ids)) = witness.without(&first, &failure.events) else { return self };
        failure.events = failure.events.iter().filter_map(|id| ids[id.0 as usize]).collect();
        self.witness = Some(shorter);
        self
    }
}

/// What kind of failure an assertion is.
impl From<AssertSort> for FailureKind {
    fn from(sort: AssertSort) -> FailureKind {
        match sort {
            AssertSort::Assertion => FailureKind::Assertion,
            AssertSort::Exception => FailureKind::Exception,
            AssertSort::Exit => FailureKind::Exit,
            AssertSort::Error | AssertSort::Unsupported => FailureKind::Error,
        }
    }
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An assertion of the program is false.
    Assertion,
    /// Nothing catches an exception.
    Exception,
    /// The program ends itself, and says that something is wrong.
    Exit,
    /// The program does something that has no meaning: an access through null, a computation with undefined values.
    Error,
    /// Threads wait for each other for ever.
    Deadlock,
    /// A loop need never see what another thread writes.
    StaleLoop,
    /// A thread waits for ever for a notification that was given before it waited.
    LostWakeup,
    /// What the operations of a bounded test show has no explanation by a serial execution.
    Observation,
}

/// What an engine answers to a question about a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The verdict on the question: whether an execution as asked exists (`Allowed`, `Forbidden`), or whether a
    /// property holds.
    pub verdict: Verdict,
    /// In which direction the engine errs.
    pub guarantee: Guarantee,
    /// An execution as asked, if there is one.
    pub witness: Option<Execution>,
    /// Of a property that the witness breaks: how.
    pub failure: Option<Failure>,
    /// The text of a schedule file that makes the witness happen again, where an engine runs programs.
    pub schedule: Option<String>,
    /// Of a bounded test: what the witness shows.
    pub observation: Option<Observation>,
    /// Why there is none.
    pub core: Option<Core>,
    /// The core as a picture: an execution that would have the outcome, and what is wrong with it.
    pub violation: Option<Violation>,
    /// The final states, each with an execution if asked for, when all were asked for.
    pub states: Option<Vec<(State, Option<Execution>)>>,
    /// Names of the model's `flag` checks that some execution raises (for instance a data race).
    pub flags: Vec<String>,
    /// What of the program means nothing under the model, one sentence each without a full stop.
    pub warnings: Vec<String>,
    /// Why what was counted or listed may lack something although the verdict is decided, if everything was to be found.
    pub incomplete: Option<String>,
    /// Whether the program has no execution at all under the model: any claim about all of them is empty.
    pub vacuous: bool,
    /// Whether no execution comes to its end: in each some thread waits or runs for ever.
    pub endless: bool,
    /// The part of the executions that was looked at, if not all were to be.
    pub part: Option<Part>,
    /// Executions that were asked for beside the witness: one for each class, or for each way in which something goes wrong.
    pub listed: Vec<Listed>,
    /// What a machine that foresees writes knows to be written, if that was asked for.
    pub writes: Vec<KnownWrite>,
    /// The bounds used.
    pub bounds: Bounds,
    /// Figures.
    pub statistics: Statistics,
}

/// Which executions are to be listed beside the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// None.
    #[default]
    Nothing,
    /// One for each way in which something goes wrong.
    Failures,
    /// One for each class.
    Classes,
}

/// One of several executions that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What sort of execution it is: how it ends, or what goes wrong.
    pub what: String,
    /// Its course in short, on one line.
    pub course: String,
    /// The text of a schedule file that makes it happen again.
    pub schedule: Option<String>,
}

/// A write that some execution makes, as a machine knows that foresees writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownWrite {
    /// The cell, in words; after `@` the thread that makes the object.
    pub cell: String,
    /// The thread; `None` for what the cell holds at first.
    pub thread: Option<String>,
    /// Which of the thread's writes to the cell it is, from 1 on; 0 for what the cell holds at first.
    pub number: u32,
    /// The value.
    pub value: String,
    /// Where that is followed: an execution that foresees the write must have all the writes of one of these.
    pub needs: Vec<Vec<String>>,
}

/// One of the parts into which the executions of a program were divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which it is, from 1 on.
    pub index: usize,
    /// How many there are.
    pub of: usize,
    /// What tells the question from others; see [`crate::text::fingerprint`].
    pub question: String,
    /// Whether all of it was looked at, or the answer found in it.
    pub is_complete: bool,
}

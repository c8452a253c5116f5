//! What an answer looks like as JSON: schema 1, as types. `crates/report/schema/answer.schema.json` is made from them.
//!
//! Fields stand in the order in which they are printed. Keys may be added within a schema, never removed or changed.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// A number or string of the program: integers are numbers, an undefined value is null, all others are strings.
type Constant = Json;

/// Pairs of ids of events.
pub type Pairs = Vec<[u32; 2]>;

/// An answer.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer<'a> {
    /// The number of this schema: 1.
    pub schema: u32,
    /// The file asked about.
    pub file: &'a str,
    /// The memory model.
    pub model: &'a str,
    /// Who answered.
    pub engine: &'a str,
    /// The question in plain words.
    pub question: String,
    /// `allowed`, `forbidden` for litmus questions; `holds`, `violated` for properties; `unknown`.
    #[cfg_attr(test, schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    /// Only with `unknown`: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// `exact`, `under` (may miss executions), `over` (may find too many).
    #[cfg_attr(test, schemars(with = "words::Guarantee"))]
    pub guarantee: &'static str,
    /// An execution with the outcome.
    pub witness: Option<Execution>,
    /// Why there is none: a minimal set of axioms, program lines and assertions that exclude it.
    pub core: Option<Vec<CoreMember<'a>>>,
    /// Only when all final states were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<FinalState>>,
    /// How far loops were followed.
    pub bounds: Bounds,
    /// Figures by name.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, u64>"))]
    pub stats: Map<String, Json>,
    /// `validated`, `refuted`, `undecided`: what has become of the test's quantifier.
    #[cfg_attr(test, schemars(with = "words::Claim"))]
    pub claim: &'static str,
    /// Names of raised flags.
    pub flags: &'a [String],
    /// Sentences: what of the program means nothing under the model.
    pub warnings: &'a [String],
    /// Whether torn variables were looked for, where some may tear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tearing: Option<bool>,
    /// How often a wait may end without a notification in each call of the function that waits, where some waits may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spurious_wakeups: Option<u32>,
    /// Whether there is no execution at all.
    pub vacuous: bool,
    /// Only of a part of the executions (`--cube`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cube: Option<Cube<'a>>,
    /// Only where in every execution some thread waits or runs for ever.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, schemars(default))]
    pub endless: bool,
    /// Only where the verdict is decided, but all executions were to be counted and were not: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<&'a str>,
    /// An execution with the outcome that breaks one axiom.
    pub violation: Option<Violation<'a>>,
    /// Only of a bounded test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<Test<'a>>,
    /// Only where a property is violated in a known way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure<'a>>,
    /// Only where a program was run and the witness can be run again: the text of the schedule file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<&'a str>,
    /// Only where executions were to be listed: one for each class, or for each way in which something goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Vec<Listed<'a>>>,
    /// Only where it was asked for: what the machine jmm_over knows to be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<KnownWrite<'a>>>,
    /// Only of a bounded test with a witness: what the setup (thread null) and each thread showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<Vec<Sequence>>,
    /// Only of a bounded test with a witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<Reordering<'a>>,
}

/// A place in a source text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span {
    /// The file.
    pub file: String,
    /// From 1; 0 is what is not known of a Java class without its source.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What stands there.
    pub text: String,
}

/// An execution.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Execution {
    /// Its events; program order is the order of the events of a thread.
    pub events: Vec<Event>,
    /// Reads-from.
    pub rf: Pairs,
    /// Coherence order.
    pub co: Pairs,
    /// From-reads.
    pub fr: Pairs,
    /// Read-modify-writes.
    pub rmw: Pairs,
    /// Address dependencies.
    pub addr: Pairs,
    /// Data dependencies.
    pub data: Pairs,
    /// Control dependencies.
    pub ctrl: Pairs,
    /// The relations of the model.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Pairs>"))]
    pub named: Map<String, Json>,
    /// The final state.
    #[cfg_attr(test, schemars(with = "words::State"))]
    pub state: Map<String, Constant>,
    /// Under a model of several executions: those that justify this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub justification: Vec<Justifying>,
}

/// One of the executions that justify another.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Justifying {
    /// The execution.
    pub execution: Execution,
    /// The sets of its events that the model chose, by name.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Vec<u32>>"))]
    pub sets: Map<String, Json>,
}

/// An event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// Its number.
    pub id: u32,
    /// Its name in the other reports.
    pub name: String,
    /// Its thread; null for initial writes.
    pub thread: Option<String>,
    /// What it is.
    #[cfg_attr(test, schemars(with = "words::Kind"))]
    pub kind: &'static str,
    /// The cell.
    pub location: Option<String>,
    /// The value.
    #[cfg_attr(test, schemars(with = "Option<words::Constant>"))]
    pub value: Constant,
    /// Its memory order.
    pub order: &'static str,
    /// The annotations of the access.
    pub tags: Vec<String>,
    /// Where in the source.
    pub span: Option<Span>,
    /// Under a model of several executions: a number that means the same in all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<u32>,
    /// The operation of a lock or the like that it is part of, or what it does to the life of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub does: Option<String>,
    /// In a bounded test: the number of its operation in the thread, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<u32>,
    /// In a bounded test: the number of its atomic block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic: Option<u32>,
}

/// A member of a core.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoreMember<'a> {
    /// `axiom`, `program`, `assertion`.
    #[cfg_attr(test, schemars(with = "words::Member"))]
    pub kind: &'static str,
    /// The name of the axiom, or the line.
    pub name: &'a str,
    /// Where.
    pub span: Option<Span>,
    /// Of a program line: its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a str>,
    /// Of an axiom: what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<&'a str>,
}

/// A final state.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FinalState {
    /// Values by name.
    #[cfg_attr(test, schemars(with = "words::State"))]
    pub state: Map<String, Constant>,
    /// An execution that ends so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Execution>,
}

/// How far loops were followed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bounds {
    /// How often every loop was unrolled, if that was one number.
    pub unroll: Option<u32>,
    /// Loops that some execution would take further.
    pub exceeded: Vec<Span>,
    /// Where each loop has a bound of its own.
    pub loops: Vec<Loop>,
}

/// A loop with its bound.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loop {
    /// Where.
    pub location: Span,
    /// How many iterations it had at most.
    pub iterations: u32,
}

/// An execution that breaks an axiom.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Violation<'a> {
    /// The axiom.
    pub axiom: &'a str,
    /// The cycle that it forbids.
    pub cycle: Vec<Step<'a>>,
    /// The execution.
    pub execution: Execution,
}

/// A step of a cycle.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step<'a> {
    /// The id of an event.
    pub from: u32,
    /// The id of an event.
    pub to: u32,
    /// What relates the two.
    pub relation: Cow<'a, str>,
}

/// An execution that is listed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed<'a> {
    /// How it ends, and what threads read, or what goes wrong.
    pub what: &'a str,
    /// The text of its schedule file.
    pub schedule: Option<&'a str>,
}

/// A write that some execution makes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnownWrite<'a> {
    /// Its cell.
    pub cell: &'a str,
    /// Its thread; none for what the cell holds at first.
    pub thread: Option<&'a str>,
    /// Which of the thread's writes to the cell it is, from 1 on.
    pub number: u32,
    /// The value.
    pub value: &'a str,
    /// What an execution must have that foresees it, where that is followed: all of one of these.
    pub needs: &'a [Vec<String>],
}

/// A part of the executions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cube<'a> {
    /// Which it is, from 1 on.
    pub index: usize,
    /// How many there are.
    pub of: usize,
    /// What tells the question from others.
    pub question: &'a str,
    /// Whether all of it was looked at, or the answer found in it.
    pub complete: bool,
}

/// A bounded test.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test<'a> {
    /// The test as written.
    pub notation: &'a str,
    /// How many different things serial executions show.
    pub observations: Option<usize>,
    /// The file whose serial executions say what the test may show.
    pub reference: Option<&'a str>,
    /// Whether serial executions must keep the order of operations that do not overlap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, schemars(default))]
    pub linearizable: bool,
}

/// What goes wrong.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure<'a> {
    /// In which way.
    #[cfg_attr(test, schemars(with = "words::Failure"))]
    pub kind: &'static str,
    /// In words.
    pub message: &'a str,
    /// Where.
    pub span: Option<Span>,
    /// The thread, if a single one is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a str>,
    /// The threads that wait for ever.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub waiting: Vec<Waiting<'a>>,
    /// The events of the witness that it is about, if nothing orders two of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub events: Vec<u32>,
}

/// A thread that waits for ever.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waiting<'a> {
    /// Which.
    pub thread: &'a str,
    /// What for.
    #[serde(rename = "for")]
    pub what: &'a str,
    /// Where.
    pub span: Option<Span>,
}

/// What the operations of a thread of a bounded test showed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sequence {
    /// The thread; null for the setup.
    pub thread: Option<String>,
    /// Its operations.
    pub operations: Vec<Operation>,
}

/// What an operation showed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Operation {
    /// Its name.
    pub operation: String,
    /// Arguments and results by label.
    #[cfg_attr(test, schemars(with = "words::State"))]
    pub values: Map<String, Constant>,
}

/// In which order memory may have seen the events of a witness.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reordering<'a> {
    /// Whether the witness is an interleaving of the threads.
    pub interleaving: bool,
    /// The order, by ids.
    pub order: Vec<u32>,
    /// Whether the model gave it.
    pub is_models: bool,
    /// A shortest cycle of `po`, `rf`, `co`, `fr` and `atomic` (from one event to another of the same atomic block).
    pub cycle: Vec<Step<'a>>,
    /// Which of its steps of program order the order turns round.
    pub turned: Pairs,
}

/// What strings may be, for the schema.
#[cfg(test)]
pub mod words {
    use schemars::JsonSchema;

    macro_rules! words {
        ($name:ident: $($word:literal = $variant:ident),+) => {
            #[derive(JsonSchema)]
            #[allow(dead_code, missing_docs)]
            pub enum $name {
                $(#[serde(rename = $word)] $variant),+
            }
        };
    }

    words!(Verdict: "allowed" = Allowed, "forbidden" = Forbidden, "holds" = Holds, "violated" = Violated, "unknown" = Unknown);
    words!(Guarantee: "exact" = Exact, "under" = Under, "over" = Over);
    words!(Claim: "validated" = Validated, "refuted" = Refuted, "undecided" = Undecided);
    words!(Member: "axiom" = Axiom, "program" = Program, "assertion" = Assertion);
    words!(Kind: "read" = Read, "write" = Write, "fence" = Fence, "lock" = Lock, "unlock" = Unlock, "start" = Start,
        "end" = End, "special" = Special);
    words!(Failure: "assertion" = Assertion, "exception" = Exception, "exit" = Exit, "error" = Error,
        "deadlock" = Deadlock, "stale loop" = StaleLoop, "lost wake-up" = LostWakeup, "observation" = Observation);

    /// A value of the program: an integer, or anything else as text.
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, missing_docs)]
    pub enum Constant {
        Integer(i64),
        Text(String),
    }

    /// Values by name; null is undefined.
    pub type State = std::collections::BTreeMap<String, Option<Constant>>;
}

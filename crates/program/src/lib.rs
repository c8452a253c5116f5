//! The program representation that every front end produces and every engine consumes, and the form of every answer.
//!
//! - [`ir`] is the representation: functions of basic blocks over registers, with some twenty instructions;
//!   [`text`] is its text form (it round-trips), [`mod@verify`] the law that engines rely on, [`flow`] the order,
//!   dominators and loops of a function's blocks, and [`liveness`] what of its registers is still read.
//! - [`value`] and [`operator`] say what values are and what operators compute; the concrete evaluator here and the
//!   symbolic one of the axiomatic engine follow the same definitions.
//! - [`build`] is how front ends write functions, [`mod@tidy`] how these are put in order.
//! - [`compile`] makes fences of C11's memory orders, for machines that know no orders.
//! - [`condition`] is the question that a program brings along.
//! - [`execution`], [`observation`], [`outcome`] and [`mod@replay`] are what engines answer with.
//! - [`language`] says what follows from the language that a program is written in.
//! - [`source`] and [`diagnostic`] carry positions and messages, [`layout`] the names of the parts of objects.

pub mod build;
pub mod compile;
pub mod condition;
pub mod counter;
pub mod diagnostic;
pub mod execution;
pub mod flow;
mod id;
pub mod ir;
pub mod language;
pub mod layout;
pub mod liveness;
pub mod observation;
pub mod operator;
pub mod outcome;
pub mod replay;
mod simplification;
pub mod source;
pub mod text;
pub mod tidy;
pub mod value;
pub mod verify;

pub use build::Builder;
pub use condition::{Comparator, Observable, Proposition, Quantifier, Question, Term};
pub use diagnostic::{Diagnostic, Diagnostics, Severity, Unsupported};
pub use execution::{Event, EventId, EventKind, Execution, State};
pub use flow::Flow;
pub use ir::{
    Access, AssertSort, Block, BlockId, Extent, Function, FunctionId, Global, GlobalId, Instruction, InstructionKind,
    Operand, Order, Program, RegisterId, Storage, Terminator, Thread, ThreadId, Update,
};
pub use language::{Language, Rules};
pub use layout::Layout;
pub use liveness::Liveness;
pub use observation::{Observation, Shown};
pub use operator::Operator;
pub use outcome::{
    Bounds, Core, CoreMember, CoreMemberKind, Failure, FailureKind, Guarantee, KnownWrite, Listed, Listing, Outcome,
    Part, Property, Statistics, Verdict, Violation, WaitingThread,
};
pub use replay::{Call, End, RacyAccess, Replay, Step, StepKind};
pub use simplification::Simplification;
pub use source::{FileId, Kind, Location, Sources, Span};
pub use value::{Int, Pointer, Value};
pub use verify::{Verified, verify};

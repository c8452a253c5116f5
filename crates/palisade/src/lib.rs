//! Ask a question of a concurrent program under a memory model, and get an answer with its evidence.
//!
//! A [`Task`] is what is asked: the question of a litmus test, whether the assertions of a whole program hold, or whether a
//! bounded test of a data type shows only what serial executions show. A [`Model`] is under what it is asked; an [`Engine`]
//! is a way to the answer, and never changes the question. [`Request::answer`] puts them together.
//!
//! # A litmus test
//!
//! ```
//! use palisade::{Model, Request, Task, Verdict};
//!
//! let text = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
//!             exists (0:EAX=0 /\\ 1:EAX=0)\n";
//! let task = Task::litmus("SB.litmus", text)?;
//! let answer = Request::new(&task, &Model::named("tso")?).answer()?;
//! assert_eq!(answer.outcome.verdict, Verdict::Allowed);
//! println!("{}", answer.text("SB.litmus"));
//! # Ok::<(), palisade::Refusal>(())
//! ```
//!
//! # A whole program in C
//!
//! ```
//! use palisade::{Model, Request, Task, Verdict};
//!
//! let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y; int a, b;\n\
//!             void *one(void *p) { atomic_store(&x, 1); a = atomic_load(&y); return 0; }\n\
//!             int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); atomic_store(&y, 1); b = atomic_load(&x);\n\
//!             pthread_join(t, 0); assert(a + b > 0); return 0; }\n";
//! let task = Task::c("sb.c", text)?;
//! let answer = Request::new(&task, &Model::named("rc11")?).answer()?;
//! assert_eq!(answer.outcome.verdict, Verdict::Holds);
//! # Ok::<(), palisade::Refusal>(())
//! ```
//!
//! # A bounded test of a data type
//!
//! Two threads count up once each; whatever happens, what the calls give must be what some serial order of them gives.
//!
//! ```
//! use palisade::{Model, Request, Task, Verdict};
//!
//! let text = "int n;\nvoid i(void) { n = 0; }\nint c(void) { int seen = n; n = seen + 1; return seen; }\n";
//! let task = Task::test("counter.c", text, "i(c|c)")?;
//! let answer = Request::new(&task, &Model::named("sc")?).answer()?;
//! assert_eq!(answer.outcome.verdict, Verdict::Violated);
//! # Ok::<(), palisade::Refusal>(())
//! ```
//!
//! # Data races
//!
//! ```
//! use palisade::{Model, RaceRequest, Task};
//!
//! let text = "#include <pthread.h>\nint x;\nvoid *one(void *p) { x = 1; return 0; }\n\
//!             int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); x = 2; pthread_join(t, 0); return 0; }\n";
//! let found = RaceRequest::new(&Task::c("race.c", text)?, &Model::named("sc")?).search()?;
//! assert_eq!(found.races.races.len(), 1);
//! # Ok::<(), palisade::Refusal>(())
//! ```
//!
//! # Where is what
//!
//! [`mod@task`], [`model`] and [`engine`] are what a request is made of; [`mod@request`] puts them together, and `answer` answers:
//! by `axioms` with the axiomatic engine, by `machines` with those that run programs, by `graphs` with execution graphs, by
//! `auto` with the one that is fastest, by `bounds` with those of Java's memory model. `expected` runs operations serially to
//! find what a bounded test may show, which `bounded` compares with what engines that run programs find, and which [`observations`] writes down and reads; [`catalogue`] has tests with names. `orders` compiles memory orders for machines that have none, [`warnings`] says what of a
//! program means nothing under a model. [`races`], [`fences`], [`mod@compare`] and [`clients`] are the other questions;
//! [`first`] runs a program once, and has the formula of an execution. [`mod@suite`] is
//! what is expected of many programs, as data.

mod annotations;
mod answer;
mod auto;
mod axioms;
mod bounded;
mod bounds;
pub mod catalogue;
pub mod clients;
pub mod compare;
pub mod cube;
pub mod cubes;
pub mod engine;
mod expected;
mod expression;
pub mod fences;
pub mod first;
pub mod graphs;
mod machines;
pub mod model;
pub mod observations;
pub mod orders;
pub mod origin;
mod processors;
pub mod races;
mod refusal;
pub mod request;
mod sections;
mod sequential;
mod shown;
pub mod spelling;
mod steps;
pub mod stress;
pub mod suite;
pub mod task;
pub mod warnings;

pub use axiomatic::Reasons;
pub use engine::Engine;
pub use mcr::histories::first::First;
pub use model::Model;
pub use operational::Fixpoint;
pub use orders::MemoryOrders;
pub use program::{Language, Listing, Property, Verdict};
pub use races::RaceRequest;
pub use refusal::Refusal;
pub use request::{
    Answer, Bounds, Classes, Limits, Mcr, Options, Progress, Request, Run, Silent, Stage, Wanted, WaysOut,
};
pub use task::{Criterion, Task, Test};

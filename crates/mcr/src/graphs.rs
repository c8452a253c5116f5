//! Execution graphs of models in which no execution has a cycle of program order and reads-from: one for each class.
//!
//! The answers are exact: every graph that the model allows is made once, up to iterations of loops without effect
//! ([`mod@without_effect`]), and nothing else is. A class is reads-from and coherence. What ends early, because of a limit
//! or because a thread takes too many steps, concludes nothing from not finding an execution.
//!
//! - [`mod@recognise`] says which models can be explored; [`consistent`] what keeps a graph consistent, [`machine`] what does so on sc, tso and pso, [`mod@race`] what a data race
//!   is.
//! - [`judge`](mod@judge) lets a model judge graphs by what it says: [`closed`], [`extend`] and [`shapes`] decide whether that is enough, [`atoms`]
//!   is its vocabulary, [`relational`] evaluates its axioms.
//! - [`graph`] is a graph of [`event`]s; [`local`] runs threads from event to event, before which they stand [`poised`]; [`memo`]
//!   remembers what they did, [`address`] knows locations, [`own`] memory that one thread alone sees; [`reuse`] says where it would
//!   make a difference that freed memory is reused.
//! - [`mod@prepare`] puts calls in place, and [`setup`](mod@setup) makes what runs before the threads one of them.
//! - [`mod@explore`] is the exploration, [`share`] what each of several workers does of it, [`missed`] finds threads that wait for
//!   ever; [`symmetry`] leaves out executions that differ by the exchange of threads alone, which [`starter`] keeps to itself;
//!   [`answer`](mod@answer) is the answer to a question, [`witness`] an execution to show,
//!   [`failure`] what goes wrong in it; [`schedule`](mod@schedule) writes down how it comes about, [`mod@replay`] lets it happen again.

pub mod address;
pub mod answer;
pub mod atoms;
pub mod closed;
pub mod consistent;
pub mod event;
pub mod explore;
pub mod extend;
pub mod failure;
pub mod graph;
pub mod judge;
pub mod local;
pub mod machine;
pub mod memo;
pub mod missed;
pub mod number;
pub mod own;
pub mod poised;
pub mod prepare;
pub mod race;
pub mod recognise;
pub mod relational;
pub mod replay;
pub mod reuse;
pub mod schedule;
pub mod setup;
pub mod shapes;
pub mod share;
pub mod starter;
pub mod symmetry;
pub mod without_effect;
pub mod witness;

pub use answer::{Answer, Divided, Options, answer, answer_on, divide, divide_on};
pub use explore::Figures;
pub use recognise::{has_happens_before, recognise};
pub use schedule::Schedule;
pub use share::Cube;

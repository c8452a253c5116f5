//! Operational engines: a program, a memory machine and a search give an outcome.
//!
//! - [`interpret`] takes one instruction of one thread after the other; [`memory`] says how accesses meet memory on each
//!   machine, [`synchronize`] how threads wait for each other. [`state`] and [`word`] are what it works on, [`choices`] what
//!   it picks where the program leaves a choice, and an [`observer`] can watch.
//! - [`liveness`], [`canonical`] and [`store`] recognise states that were seen before.
//! - [`serial`] finds what a bounded test shows when its operations run one after the other.

pub mod canonical;
pub mod choices;
pub mod interpret;
pub mod limits;
pub mod liveness;
pub mod loops;
pub mod memory;
pub mod observer;
pub mod serial;
pub mod state;
pub mod store;
pub mod synchronize;
pub mod word;

pub use limits::Limits;
pub use memory::Machine;

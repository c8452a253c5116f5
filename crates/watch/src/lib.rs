//! Work under watch: what is asked is done in processes of its own, within limits of time and memory, with a sign of life on
//! the terminal, and ends in an answer, "unknown" with the reason if need be.
//!
//! - [`limits`] asks searches to stop; [`supervise`] ends processes that do not, with their units of work; [`signals`] has what
//!   that needs of the system.
//! - [`parallel`] does many things at once, [`progress`] shows that something happens.
//! - [`failure`] says how a process ends, and what it says when it cannot do what was asked.
//!
//! Besides `cli` this is the only crate that touches processes, the clock and the terminal; files are `input`'s, arguments `cli`'s.

pub mod failure;
pub mod limits;
pub mod parallel;
pub mod progress;
pub mod signals;
pub mod supervise;

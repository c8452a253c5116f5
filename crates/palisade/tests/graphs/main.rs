//! Execution graphs against the solver, against brute force and against the states of machines.

mod bounded;
mod common;
mod litmus;
mod machines;
mod models;
mod replays;
mod whole;

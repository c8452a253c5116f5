//! Litmus tests, C and JVM class files, lowered to [`program::Program`].
//!
//! - [`litmus`] reads herd's litmus format: X86 and X86_64 machine code, and C with C11 atomics.
//! - [`c`] reads C programs, and bounded tests of data types written in C.
//!   `cells` cuts memory with bytes into cells that every access covers as a whole.
//! - [`jvm`] reads class files: threads by annotation or by `Thread`, assertions, monitors, volatile fields.
//!
//! `prune` drops the functions and globals of a program that nothing leads to.

pub mod c;
mod cells;
pub mod jvm;
pub mod litmus;
mod prune;

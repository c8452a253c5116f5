//! Litmus tests, C and JVM class files, lowered to [`program::Program`].
//!
//! - [`litmus`] reads herd's litmus format: X86 and X86_64 machine code, and C with C11 atomics.
//! - [`c`] reads C programs, and bounded tests of data types written in C.
//! - [`jvm`] reads class files: threads by annotation or by `Thread`, assertions, monitors, volatile fields.

pub mod c;
pub mod jvm;
pub mod litmus;

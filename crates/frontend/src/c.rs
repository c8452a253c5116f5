//! C programs with C11 atomics, pthreads, and the library of the CheckFence thesis.

pub mod preprocess;

//! Maximal causality reduction: one execution for each class of executions in which every thread reads the same values.

pub mod trace;

pub mod encode;

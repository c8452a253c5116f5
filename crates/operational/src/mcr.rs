//! Maximal causality reduction: one execution for each class of executions in which every thread reads the same values.

pub mod classes;
pub mod explore;
pub mod graph;
pub mod history;
pub mod machine;
pub mod project;
pub mod trace;

pub mod encode;

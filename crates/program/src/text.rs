//! The text form of programs.

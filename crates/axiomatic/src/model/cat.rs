//! cat

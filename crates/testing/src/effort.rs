//! How many random programs a test looks at.
//!
//! A test names the number of its long form. `cargo test` looks at the first quarter of them, with the same seeds;
//! `EFFORT=full cargo test` looks at all, as CI does once a day.

use std::fmt::Debug;

/// A number of the long form, or of what must be found in it, as it is in this run.
pub fn programs<N: TryFrom<u64, Error: Debug>>(number: u64) -> N {
    let is_full = std::env::var_os("EFFORT").is_some_and(|effort| effort == "full");
    let number = if is_full { number } else { number.div_ceil(4) };
    N::try_from(number).expect("a small number")
}

//! C11's memory orders under the models of machines: a C program means what it is compiled to, unless orders are to be ignored.

use program::Verified;
use program::compile::{Target, compile_orders};

use crate::arguments::MemoryOrders;
use crate::failure::Failure;
use crate::input::verified;

/// The machines that programs are compiled for, by the names of the models that come along. A file called like one of them is
/// shown by its path, and sees the orders as they stand.
const TARGETS: &[(&str, Target)] = &[
    ("tso", Target::TotalStoreOrder),
    ("tso.cat", Target::TotalStoreOrder),
    ("pso", Target::PartialStoreOrder),
    ("pso.cat", Target::PartialStoreOrder),
];

/// The machine that a program of this language is compiled for under a model, if it is.
pub fn target(model: &str, language: &str) -> Option<Target> {
    let known = TARGETS.iter().find(|(name, _)| *name == model && language == "C");
    known.map(|(_, target)| *target)
}

/// The program as the model, or the machine of that name, is to see it.
pub fn compiled(program: Verified, model: &str, orders: Option<MemoryOrders>) -> Result<Verified, Failure> {
    match (target(model, &program.language), orders) {
        (Some(target), None | Some(MemoryOrders::Compiled)) => verified(compile_orders(program.into_program(), target)),
        (None, Some(_)) => {
            let what =
                "--memory-orders is for C programs under tso and pso: everywhere else the model says what orders mean";
            Err(Failure::Message(what.into()))
        }
        _ => Ok(program),
    }
}

/// The same for commands with several models: what is said about orders holds where it counts.
pub fn compiled_where_it_counts(
    program: Verified,
    model: &str,
    orders: Option<MemoryOrders>,
) -> Result<Verified, Failure> {
    let orders = orders.filter(|_| target(model, &program.language).is_some());
    compiled(program, model, orders)
}

//! C11's memory orders under the models of machines: a C program means what it is compiled to, unless orders are to be ignored.

use program::compile::{Target, compile_orders};
use program::{Language, Verified};

use crate::model::Model;
use crate::refusal::Refusal;
use crate::task::verified;

/// What the memory orders of C11 accesses mean on machines that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOrders {
    /// What they are compiled to: a seq_cst store is a store and a full fence, on pso a release store comes after a store-store
    /// fence.
    Compiled,
    /// Nothing: every access is a plain one.
    Ignored,
}

impl MemoryOrders {
    /// Its name on the command line and in expectations.
    pub fn name(self) -> &'static str {
        match self {
            MemoryOrders::Compiled => "compiled",
            MemoryOrders::Ignored => "ignored",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<MemoryOrders> {
        [MemoryOrders::Compiled, MemoryOrders::Ignored].into_iter().find(|orders| orders.name() == name)
    }
}

/// The machines that programs are compiled for, by the names of the built-in models. A model file sees the orders as
/// they stand.
const TARGETS: &[(&str, Target)] = &[
    ("tso", Target::TotalStoreOrder),
    ("tso.cat", Target::TotalStoreOrder),
    ("pso", Target::PartialStoreOrder),
    ("pso.cat", Target::PartialStoreOrder),
];

/// The machine that a program of this language is compiled for under a model, if it is.
pub fn target(model: &Model, language: Language) -> Option<Target> {
    let is_compiled = language.has_memory_orders() && !model.is_of_file();
    let known = TARGETS.iter().find(|(name, _)| *name == model.name() && is_compiled);
    known.map(|(_, target)| *target)
}

/// The program as the model is to see it.
pub fn compiled(program: Verified, model: &Model, orders: Option<MemoryOrders>) -> Result<Verified, Refusal> {
    match (target(model, program.language), orders) {
        (Some(target), None | Some(MemoryOrders::Compiled)) => verified(compile_orders(program.into_program(), target)),
        (None, Some(_)) => {
            let what =
                "--memory-orders is for C programs under tso and pso: everywhere else the model says what orders mean";
            Err(Refusal::Question(what.into()))
        }
        _ => Ok(program),
    }
}

/// What is said about orders, where it counts: for questions to several models at once.
pub fn where_they_count(model: &Model, language: Language, orders: Option<MemoryOrders>) -> Option<MemoryOrders> {
    orders.filter(|_| target(model, language).is_some())
}

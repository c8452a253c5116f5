//! What a bounded test shows in one execution, and whether a serial execution shows it, too.

use operational::serial::linear::Linear;
use operational::{Machine, Reduction, Schedule, replay};
use program::{Shown, Value};
use report::cells::Cells;

use crate::expected::{Serial, expected};
use crate::model::Model;
use crate::orders::{self, MemoryOrders};
use crate::refusal::Refusal;
use crate::request::{Bounds, Limits};
use crate::task::{Criterion, Reference, Test};

impl Test {
    /// The test as a model sees it.
    pub fn on(&self, model: &Model, memory_orders: Option<MemoryOrders>) -> Result<Test, Refusal> {
        let program = orders::compiled(self.program.clone(), model, memory_orders)?;
        Ok(Test { program, ..self.clone() })
    }

    /// What it shows in an execution that comes to its end, in words, and whether a serial execution shows it.
    pub fn shown(
        &self,
        (schedule, machine, reduction): (&Schedule, Machine, Reduction),
        limits: &Limits,
    ) -> Result<(String, bool), Refusal> {
        let refused = |unsupported| Refusal::unsupported(&self.program, unsupported);
        let recorded = self.recorded().map_err(refused)?;
        let again = replay(&recorded.asking, machine, reduction, schedule, &operational::Limits::default());
        let execution = again.map(|again| again.execution).unwrap_or_default();
        let observation = recorded.observation(&execution.state);
        let cells = Cells::of(&recorded.asking, &execution);
        let is_serial = match expected(self, Bounds::default(), limits).map_err(refused)? {
            Serial::Expected(expected) => expected.observations.contains(&observation),
            Serial::Trouble(_) => false,
        };
        let mut text = String::from("\nWhat the operations showed:\n");
        let names = std::iter::once("setup").chain(self.program.threads.iter().map(|thread| thread.name.as_str()));
        for (name, operations) in names.zip(&observation) {
            for Shown { operation, values } in operations {
                let value = |value: &Value| cells.value(&recorded.asking, value);
                let values: Vec<String> = values.iter().map(|(label, of)| format!("{label}={}", value(of))).collect();
                text.push_str(&format!("  {name}: {operation}  {}\n", values.join(", ")));
            }
        }
        let keeps_order = match self.criterion {
            Criterion::Linearizable if is_serial => {
                let limits = limits.of_search();
                let mut linear = self.serial_executions(&limits)?;
                linear.explains(&observation, &recorded.returned(&execution.state)).map_err(refused)? != Some(false)
            }
            _ => true,
        };
        let verdict = match (is_serial, keeps_order) {
            (true, true) => "A serial execution shows this, too.",
            (true, false) if self.has_commits() => {
                "A serial execution shows this, but none in which operations come in the order in which they took effect."
            }
            (true, false) => {
                "A serial execution shows this, but none that keeps the order of operations which do not overlap."
            }
            (false, _) => "No serial execution shows this.",
        };
        Ok((format!("{text}{verdict}\n"), is_serial && keeps_order))
    }

    /// The serial executions that say what may be shown, to be run again one operation after another.
    pub(crate) fn serial_executions<'a>(&'a self, limits: &'a operational::Limits) -> Result<Linear<'a>, Refusal> {
        let program = match &self.reference {
            None => &self.program,
            Some((_, Reference::Program(reference))) => reference,
            Some((_, Reference::Observations(_))) => {
                let what = "observations that were written down do not say in which order operations came: \
                            linearisability needs the code that showed them (--reference)";
                return Err(Refusal::Question(what.into()));
            }
        };
        Linear::new(program, limits).map_err(|unsupported| Refusal::unsupported(program, unsupported))
    }
}

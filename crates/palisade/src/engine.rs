//! The engines: ways to the answer of one question.
//!
//! An engine never changes the question: one that does not have the model refuses and names those that do.

use operational::Machine;

use crate::model::{Model, shipped_names};
use crate::refusal::Refusal;
use crate::spelling::hint;

/// A way to an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Whichever of the others is best for the question; see `auto`.
    #[default]
    Auto,
    /// Looks for an execution that satisfies the axioms of a model; loops are unrolled.
    Axiomatic,
    /// Runs the program on a machine and looks at all its states.
    Operational,
    /// Makes one execution for each class: runs the program on a machine, once for each way in which its reads can get their
    /// values, or builds execution graphs of the model.
    Mcr,
}

/// The machines of the engine mcr.
const MCR_MACHINES: &[Machine] = &[Machine::Sc, Machine::Tso, Machine::Pso];

impl Engine {
    /// The engines that answer themselves.
    pub const REAL: [Engine; 3] = [Engine::Axiomatic, Engine::Operational, Engine::Mcr];

    /// Its name on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Axiomatic => "axiomatic",
            Engine::Operational => "operational",
            Engine::Mcr => "mcr",
        }
    }

    /// The machines of an engine that runs programs.
    pub fn machines(self) -> &'static [Machine] {
        match self {
            Engine::Auto | Engine::Axiomatic => &[],
            Engine::Operational => &Machine::ALL,
            Engine::Mcr => MCR_MACHINES,
        }
    }

    /// Whether it has a model.
    pub fn has(self, model: &Model) -> bool {
        match self {
            Engine::Auto => true,
            Engine::Axiomatic => model.axioms().is_some(),
            Engine::Operational => self.has_machine_of(model),
            Engine::Mcr => self.has_machine_of(model) || self.explores_graphs_of(model),
        }
    }

    fn has_machine_of(self, model: &Model) -> bool {
        model.machine().is_some_and(|one| self.machines().contains(&one))
    }

    /// Whether it answers by execution graphs of the model.
    pub fn explores_graphs_of(self, model: &Model) -> bool {
        let is_known = |axioms: &axiomatic::Model| mcr::graphs::recognise(axioms).is_ok();
        self == Engine::Mcr && !self.has_machine_of(model) && model.axioms().is_some_and(is_known)
    }

    /// The machine on which it runs programs under a model.
    pub fn machine(self, model: &Model) -> Result<Machine, Refusal> {
        let wanted = model.machine().filter(|machine| self.machines().contains(machine));
        wanted.ok_or_else(|| Refusal::Question(self.lacks(model)))
    }

    /// Why it cannot be asked about a model, and what can be asked instead.
    pub fn lacks(self, model: &Model) -> String {
        let name = model.name();
        let first = format!("the engine {} does not have the model {name}", self.name());
        let own: Vec<&str> = self.machines().iter().map(|machine| machine.name()).collect();
        let has = if own.is_empty() { String::new() } else { format!(": it has {} (--model)", own.join(", ")) };
        let others: Vec<Engine> = Engine::REAL.into_iter().filter(|engine| engine.has(model)).collect();
        let given = model.axioms().filter(|_| self == Engine::Mcr && model.is_of_file());
        if let Some(reason) = given.and_then(|axioms| mcr::graphs::judge::judge(axioms).err()) {
            return format!(
                "the engine mcr cannot explore the model {name}: {reason}; it is answered by --engine axiomatic"
            );
        }
        let elsewhere = match (&others[..], model.is_of_file()) {
            (_, true) => "; model files are for --engine axiomatic".to_string(),
            ([], false) => hint(name, own.iter().copied().chain(shipped_names())),
            (others, false) => {
                let others: Vec<String> = others.iter().map(|other| format!("--engine {}", other.name())).collect();
                format!("; {name} is answered by {}", others.join(" and "))
            }
        };
        format!("{first}{has}{elsewhere}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Language;

    fn model(name: &str) -> Model {
        Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    #[test]
    fn an_engine_is_asked_about_the_model_of_the_language_or_refuses() {
        for name in Language::ALL.into_iter().filter_map(Language::default_model) {
            for engine in [Engine::Operational, Engine::Mcr] {
                match engine.machine(&model(name)) {
                    Ok(machine) => assert_eq!(machine.name(), name),
                    Err(refusal) => {
                        let said = refusal.to_string();
                        assert!(said.contains(name) && said.contains("--engine axiomatic"), "{said}");
                    }
                }
            }
        }
        assert_eq!(Engine::Operational.machine(&model("jmm-over")), Ok(Machine::JmmOver));
        assert!(Engine::Mcr.machine(&model("jmm_over")).is_err());
    }

    #[test]
    fn a_refusal_names_the_engines_that_have_the_model() {
        let said = |engine: Engine, name| engine.lacks(&model(name));
        assert!(
            said(Engine::Operational, "rc11").ends_with("; rc11 is answered by --engine axiomatic and --engine mcr")
        );
        assert!(said(Engine::Mcr, "c11").ends_with("; c11 is answered by --engine axiomatic"));
        assert!(said(Engine::Mcr, "jmm_over").ends_with("; jmm_over is answered by --engine operational"));
        assert!(Model::named("tos").is_err_and(|refusal| refusal.to_string().contains("did you mean tso?")));
    }
}

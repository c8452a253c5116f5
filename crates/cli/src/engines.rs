//! Which model a program is meant for, and which engine has which model.
//!
//! An engine never changes the question: without `--model` every engine is asked about the model of the program's language,
//! and one that does not have it refuses and names those that do.

use operational::Machine;

use crate::arguments::Engine;
use crate::failure::Failure;
use crate::models;
use crate::spelling::hint;

/// The model that programs of a language are meant for.
pub const DEFAULT_MODELS: &[(&str, &str)] =
    &[("X86", "tso"), ("X86_64", "tso"), ("C", "rc11"), ("Java", "jmm-revised")];

/// The machines of the engine mcr.
const MCR_MACHINES: &[Machine] = &[Machine::Sc, Machine::Tso, Machine::Pso];

/// The model that a program is meant for when none is given.
pub fn default_model(language: &str) -> Result<&'static str, Failure> {
    let known = DEFAULT_MODELS.iter().find(|(known, _)| *known == language);
    known.map(|(_, model)| *model).ok_or_else(|| {
        Failure::Message(format!("there is no model that programs in {language} are meant for: give --model"))
    })
}

/// An engine's name on the command line and in answers.
pub fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::Axiomatic => "axiomatic",
        Engine::Operational => "operational",
        Engine::Mcr => "mcr",
    }
}

/// The machines of an engine that runs programs.
fn machines(engine: Engine) -> &'static [Machine] {
    match engine {
        Engine::Axiomatic => &[],
        Engine::Operational => &Machine::ALL,
        Engine::Mcr => MCR_MACHINES,
    }
}

/// The machine on which an engine is to run a program of this language: the model that was given, else that of the language.
pub fn machine(engine: Engine, given: Option<&str>, language: &str) -> Result<Machine, Failure> {
    let model = match given {
        Some(model) => model,
        None => default_model(language)?,
    };
    let wanted = Machine::named(model).filter(|machine| machines(engine).contains(machine));
    wanted.ok_or_else(|| Failure::Message(lacks(engine, model, given.is_none().then_some(language))))
}

/// Which engines have a model of this name, if one has.
pub fn engines_with(model: &str) -> Vec<&'static str> {
    let runs = |engine: Engine| Machine::named(model).is_some_and(|machine| machines(engine).contains(&machine));
    let all = [Engine::Axiomatic, Engine::Operational, Engine::Mcr];
    let has = |engine: &Engine| runs(*engine) || *engine == Engine::Axiomatic && models::find_shipped(model).is_some();
    all.into_iter().filter(has).map(name).collect()
}

/// Why an engine cannot be asked about a model, and what can be asked instead.
fn lacks(engine: Engine, model: &str, language: Option<&str>) -> String {
    let own: Vec<&str> = machines(engine).iter().map(|machine| machine.name()).collect();
    let whose = language.map_or(String::new(), |language| format!(", the model of programs in {language}"));
    let first = format!("the engine {} does not have the model {model}{whose}", name(engine));
    let has = format!("it has {} (--model)", own.join(", "));
    let others = engines_with(model);
    let elsewhere = match (&others[..], is_file(model)) {
        ([], true) => "; model files are for --engine axiomatic".to_string(),
        ([], false) => hint(model, own.iter().copied().chain(models::shipped_names())),
        (others, _) => {
            let others: Vec<String> = others.iter().map(|other| format!("--engine {other}")).collect();
            format!("; {model} is answered by {}", others.join(" and "))
        }
    };
    format!("{first}: {has}{elsewhere}")
}

fn is_file(model: &str) -> bool {
    model.ends_with(".cat") || model.ends_with(".mm") || model.contains(std::path::MAIN_SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_asked_about_the_model_of_the_language_or_refuses() {
        for (language, model) in DEFAULT_MODELS {
            for engine in [Engine::Operational, Engine::Mcr] {
                match machine(engine, None, language) {
                    Ok(machine) => assert_eq!(machine.name(), *model),
                    Err(failure) => {
                        let said = failure.summary();
                        assert!(said.contains(model) && said.contains("--engine axiomatic"), "{said}");
                    }
                }
            }
        }
        assert_eq!(machine(Engine::Mcr, None, "X86_64").ok(), Some(Machine::Tso));
        assert_eq!(machine(Engine::Operational, Some("jmm-over"), "Java").ok(), Some(Machine::JmmOver));
        assert!(machine(Engine::Mcr, Some("jmm_over"), "Java").is_err());
    }

    #[test]
    fn a_refusal_names_the_engines_that_have_the_model() {
        let said = |engine, model| machine(engine, Some(model), "C").map_err(|failure| failure.summary()).unwrap_err();
        assert!(said(Engine::Mcr, "rc11").ends_with("; rc11 is answered by --engine axiomatic"));
        assert!(said(Engine::Mcr, "jmm_over").ends_with("; jmm_over is answered by --engine operational"));
        assert!(said(Engine::Mcr, "tos").ends_with("; did you mean tso?"));
        assert!(said(Engine::Operational, "./tso.cat").ends_with("; model files are for --engine axiomatic"));
    }
}

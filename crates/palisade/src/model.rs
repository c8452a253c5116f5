//! Memory models by name: their axioms, and the machine that has the same executions.

use axiomatic::model::{header, load, shipped};
use axiomatic::vocabulary;
use operational::Machine;
use program::{Diagnostics, Language};

use crate::refusal::Refusal;
use crate::spelling::nearest;

/// A memory model.
#[derive(Clone, Debug)]
pub struct Model {
    name: String,
    axioms: Option<axiomatic::Model>,
    machine: Option<Machine>,
    bounds: Option<[Machine; 2]>,
    is_of_file: bool,
}

/// A model that machines bound from below and from above, where its axioms do not take a program or come to no end.
struct Bounded {
    name: &'static str,
    /// The built-in model with its axioms.
    exact: &'static str,
    bounds: [Machine; 2],
}

const BOUNDED: [Bounded; 1] =
    [Bounded { name: "jmm", exact: "jmm-revised", bounds: [Machine::JmmUnder, Machine::JmmOver] }];

impl Model {
    /// The built-in model of this name: `tso`, or `sc.mm` to be exact.
    pub fn named(name: &str) -> Result<Model, Refusal> {
        let machine = Machine::named(name);
        let bounded = BOUNDED.iter().find(|bounded| bounded.name == name);
        let shipped = find_shipped(bounded.map_or(name, |bounded| bounded.exact));
        let axioms = shipped.map(|(file, text)| load(file, text, &include_shipped)).transpose()?;
        if axioms.is_none() && machine.is_none() {
            return Err(Refusal::Question(unknown(name)));
        }
        let bounds = bounded.map(|bounded| bounded.bounds);
        Ok(Model { name: name.into(), axioms, machine, bounds, is_of_file: false })
    }

    /// The model that programs of a language are meant for.
    pub fn of(language: Language) -> Result<Model, Refusal> {
        let name = language.default_model().ok_or_else(|| {
            let programs = if language == Language::Ir { "the text form".into() } else { language.to_string() };
            Refusal::Question(format!("there is no model that programs in {programs} are meant for: give --model"))
        })?;
        Model::named(name)
    }

    /// Reads a model, `.cat` or `.mm` by the ending of `file`, to be shown under this name. What it includes is asked for by
    /// name; what is not found so is looked for among the built-in models.
    pub fn read(
        name: &str,
        file: &str,
        text: &str,
        include: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Model, Diagnostics> {
        let include = |name: &str| include(name).or_else(|| include_shipped(name));
        let mut axioms = load(file, text, &include)?;
        axioms.name = name.into();
        Ok(Model { name: name.into(), axioms: Some(axioms), machine: None, bounds: None, is_of_file: true })
    }

    /// The name under which its answers are shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its axioms, unless it is a machine alone.
    pub fn axioms(&self) -> Option<&axiomatic::Model> {
        self.axioms.as_ref()
    }

    /// The machine that has its executions, if there is one.
    pub fn machine(&self) -> Option<Machine> {
        self.machine
    }

    /// The machines that bound it from below and from above, if it is asked for together with these.
    pub fn bounds(&self) -> Option<[Machine; 2]> {
        self.bounds
    }

    /// Whether it is a model with happens-before that execution graphs know, without a machine: rc11 or rc20.
    pub fn has_happens_before(&self) -> bool {
        self.machine.is_none() && self.axioms.as_ref().is_some_and(mcr::graphs::has_happens_before)
    }

    /// Whether it was read from a file.
    pub fn is_of_file(&self) -> bool {
        self.is_of_file
    }
}

/// That there is no model of this name, and what could be meant.
fn unknown(name: &str) -> String {
    let names = names();
    let machines = Machine::ALL.iter().map(|machine| machine.name());
    let meant = nearest(name, names.iter().copied().chain(machines));
    let meant = meant.map_or(String::new(), |meant| format!("did you mean {meant}? "));
    format!("there is no model `{name}`: {meant}give one of {}, or the path of a .cat or .mm file", names.join(", "))
}

/// A shipped model by its file name, or by its stem: then the first of that stem.
pub fn find_shipped(name: &str) -> Option<(&'static str, &'static str)> {
    let by = |matches: &dyn Fn(&str) -> bool| shipped().iter().copied().find(|(file, _)| matches(file));
    by(&|file| file == name).or_else(|| by(&|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)))
}

/// The names under which built-in models are asked for.
pub fn names() -> Vec<&'static str> {
    shipped_names().into_iter().chain(BOUNDED.iter().map(|bounded| bounded.name)).collect()
}

/// What a model is that has no file of its own.
pub fn description(name: &str) -> Option<String> {
    let bounded = BOUNDED.iter().find(|bounded| bounded.name == name)?;
    let Bounded { exact, bounds: [under, over], .. } = bounded;
    let (under, over) = (under.name(), over.name());
    Some(format!("{exact} and its bounds, {under} from below and {over} from above: the first that decides answers"))
}

/// The shortest name of each shipped model.
pub fn shipped_names() -> Vec<&'static str> {
    let name = |&(file, _): &(&'static str, &'static str)| {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if find_shipped(stem).is_some_and(|(found, _)| found == file) { stem } else { file }
    };
    shipped().iter().map(name).collect()
}

/// The built-in models, each with what its file says of it, and the vocabulary of models.
pub fn listing() -> String {
    let mut text = String::from("Models (`palisade models NAME` prints the file):\n");
    for (name, (_, content)) in shipped_names().into_iter().zip(shipped()) {
        let header = header(content);
        let title = header.name.split_once(": ").map_or(header.name, |(_, title)| title);
        text.push_str(&format!("\n  {name}: {title}\n"));
        let lines = [("source", header.source), ("deviations", header.deviations), ("relation", header.relation)];
        for (key, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
            text.push_str(&format!("    {key}: {value}\n"));
        }
    }
    for (name, said) in BOUNDED.iter().filter_map(|bounded| Some((bounded.name, description(bounded.name)?))) {
        text.push_str(&format!("\n  {name}: {said}\n"));
    }
    for (title, words) in [("Sets", vocabulary::SETS), ("Relations", vocabulary::RELATIONS)] {
        text.push_str(&format!("\n{title} that a model may speak of:\n"));
        let width = words.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
        words.iter().for_each(|(word, meaning)| text.push_str(&format!("  {word:<width$}  {meaning}\n")));
    }
    text
}

fn include_shipped(name: &str) -> Option<String> {
    find_shipped(name).map(|(_, text)| text.to_string())
}

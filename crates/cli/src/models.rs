//! Finding the model that is meant, and the command `models`.

use std::path::{Path, PathBuf, is_separator};

use axiomatic::model::{Model, header, load, shipped};
use axiomatic::vocabulary;

use crate::arguments::Models;
use crate::engines::{default_model, engines_with};
use crate::failure::{Exit, Failure, write};
use crate::input;
use crate::spelling::nearest;

/// A model that was asked for.
pub struct NamedModel {
    /// The model.
    pub model: Model,
    /// The name under which its answers are shown: that of a shipped model, or the path of a file. A file that is called
    /// like a shipped model is told from it by its folder.
    pub shown: String,
    /// The name under which answers are expected: a path stands for its file's stem.
    pub expected: String,
}

/// Loads a model: the file of that name if there is one, else the shipped model (`sc`, or `sc.mm` to be exact).
///
/// What a file includes is looked for beside it, then in these folders, then among the shipped models.
pub fn find(name: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    let path = Path::new(name);
    match (names_file(name), find_shipped(name)) {
        (true, _) => Ok(of_file(name, load_file(path, folders)?)),
        (false, Some((file, text))) => match load_bare(path, folders) {
            Some(model) => Ok(of_file(name, model)),
            None => of_shipped(name, (file, text)),
        },
        (false, None) if path.is_file() => Ok(of_file(name, load_file(path, folders)?)),
        (false, None) => Err(Failure::Message(unknown(name))),
    }
}

/// The model that is given, else the shipped one for programs of the language.
pub fn find_or_default(given: Option<&str>, language: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    match given {
        Some(name) => find(name, folders),
        None => find_shipped_first(default_model(language)?, folders),
    }
}

/// The shipped model of that name, whatever files there are; a model of another name as [`find`] finds it.
pub fn find_shipped_first(name: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    match find_shipped(name) {
        Some(shipped) => of_shipped(name, shipped),
        None => find(name, folders),
    }
}

fn of_shipped(name: &str, (file, text): (&str, &str)) -> Result<NamedModel, Failure> {
    let model = load(file, text, &include_shipped)?;
    Ok(NamedModel { model, shown: name.into(), expected: name.into() })
}

fn of_file(name: &str, model: Model) -> NamedModel {
    let path = Path::new(name);
    let shown = if find_shipped(name).is_some() { Path::new(".").join(path) } else { path.into() };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    NamedModel { model, shown: shown.display().to_string(), expected: stem.into() }
}

/// Whether a name means a file, whatever the shipped models are called: one with a folder, or with the ending of a model
/// if there is such a file or no shipped model of that name.
fn names_file(name: &str) -> bool {
    let ends = name.ends_with(".cat") || name.ends_with(".mm");
    name.contains(is_separator) || ends && (Path::new(name).is_file() || find_shipped(name).is_none())
}

/// The model in a file that is called like a shipped model, without any ending. Programs and folders are called so, too: what
/// holds no model is not meant.
fn load_bare(path: &Path, folders: &[PathBuf]) -> Option<Model> {
    let model = path.is_file().then(|| load_file(path, folders).ok()).flatten()?;
    (!model.axioms.is_empty()).then_some(model)
}

fn load_file(path: &Path, folders: &[PathBuf]) -> Result<Model, Failure> {
    let text = input::read(path)?;
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let include = |included: &str| {
        let mut places = std::iter::once(&beside).chain(folders).map(|folder| folder.join(included));
        let found = places.find(|place| place.is_file()).and_then(|place| input::read(&place).ok());
        found.map(|text| text.text).or_else(|| include_shipped(included))
    };
    let model = load(&text.name, &text.text, &include)?;
    if model.axioms.is_empty() {
        return Err(Failure::file(path, "holds no model: without any axiom every execution would be allowed"));
    }
    Ok(model)
}

/// That there is no model of this name, and what could be meant.
fn unknown(name: &str) -> String {
    let engines = engines_with(name);
    if !engines.is_empty() {
        let engines: Vec<String> = engines.iter().map(|engine| format!("--engine {engine}")).collect();
        return format!(
            "the engine axiomatic does not have the model {name}: it is answered by {}",
            engines.join(" and ")
        );
    }
    let names = shipped_names();
    let meant = nearest(name, names.iter().copied()).map_or(String::new(), |meant| format!("did you mean {meant}? "));
    format!("there is no model `{name}`: {meant}give one of {}, or the path of a .cat or .mm file", names.join(", "))
}

/// A shipped model by its file name, or by its stem: then the first of that stem.
pub fn find_shipped(name: &str) -> Option<(&'static str, &'static str)> {
    let by = |matches: &dyn Fn(&str) -> bool| shipped().iter().copied().find(|(file, _)| matches(file));
    by(&|file| file == name).or_else(|| by(&|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)))
}

/// The shortest name of each shipped model.
pub fn shipped_names() -> Vec<&'static str> {
    let name = |&(file, _): &(&'static str, &'static str)| {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if find_shipped(stem).is_some_and(|(found, _)| found == file) { stem } else { file }
    };
    shipped().iter().map(name).collect()
}

fn include_shipped(name: &str) -> Option<String> {
    find_shipped(name).map(|(_, text)| text.to_string())
}

/// The command `models`: lists the shipped models and the vocabulary, or prints a model's file.
pub fn models(arguments: &Models) -> Result<Exit, Failure> {
    let text = match &arguments.name {
        Some(name) => match find_shipped(name) {
            Some((_, text)) => text.to_string(),
            None => {
                let names = shipped_names().join(", ");
                return Err(Failure::Message(format!("there is no model `{name}`: the shipped ones are {names}")));
            }
        },
        None => listing(),
    };
    write(None, &text)?;
    Ok(Exit::Validated)
}

fn listing() -> String {
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
    for (title, words) in [("Sets", vocabulary::SETS), ("Relations", vocabulary::RELATIONS)] {
        text.push_str(&format!("\n{title} that a model may speak of:\n"));
        let width = words.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
        words.iter().for_each(|(word, meaning)| text.push_str(&format!("  {word:<width$}  {meaning}\n")));
    }
    text
}

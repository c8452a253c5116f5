//! Finding the model that is meant, and the command `models`.

use std::path::Path;

use axiomatic::model::{Model, header, load, shipped};
use axiomatic::vocabulary;

use crate::arguments::Models;
use crate::failure::{Exit, Failure, write};
use crate::input;

/// Loads a model by the name of a shipped one (`sc`, or `sc.mm` to be exact) or by the path of a `.cat` or `.mm` file.
///
/// What a file includes is looked for beside it and then among the shipped models.
pub fn find(name: &str) -> Result<Model, Failure> {
    if let Some((file, text)) = find_shipped(name) {
        return Ok(load(file, text, &include_shipped)?);
    }
    let path = Path::new(name);
    let is_path = name.contains(std::path::MAIN_SEPARATOR) || name.ends_with(".cat") || name.ends_with(".mm");
    if !is_path && !path.is_file() {
        let names = shipped_names().join(", ");
        return Err(Failure::Message(format!(
            "there is no model `{name}`: give one of {names}, or the path of a .cat or .mm file"
        )));
    }
    let text = input::read(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let include = |included: &str| {
        let beside = std::fs::read_to_string(folder.join(included)).ok();
        beside.or_else(|| include_shipped(included))
    };
    Ok(load(&text.name, &text.text, &include)?)
}

/// The model that a program is meant for when none is given.
pub fn default_name(language: &str) -> Result<&'static str, Failure> {
    match language {
        "X86" | "X86_64" => Ok("tso"),
        "C" => Ok("rc11"),
        "Java" => Ok("jmm-revised"),
        other => {
            Err(Failure::Message(format!("there is no model that programs in {other} are meant for: give --model")))
        }
    }
}

/// The name under which a model's answers are shown and expected: a path stands for its file's stem.
pub fn display_name(name: &str) -> &str {
    if find_shipped(name).is_some() {
        return name;
    }
    Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name)
}

/// A shipped model by its file name, or by its stem: then the first of that stem.
pub fn find_shipped(name: &str) -> Option<(&'static str, &'static str)> {
    let by = |matches: &dyn Fn(&str) -> bool| shipped().iter().copied().find(|(file, _)| matches(file));
    by(&|file| file == name).or_else(|| by(&|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)))
}

/// The shortest name of each shipped model.
fn shipped_names() -> Vec<&'static str> {
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

//! Finding the model that is meant: a file, or a shipped one.

use std::path::{Path, PathBuf, is_separator};

use palisade::model::find_shipped;
use palisade::{Language, Model};
use watch::failure::Failure;

use crate::files;

/// A model that was asked for.
pub struct NamedModel {
    /// The model. A file is shown by its path, so that one that is called like a shipped model is told from it.
    pub model: Model,
    /// The name under which answers are expected: a path stands for its file's stem.
    pub expected: String,
}

/// Loads a model: the file of that name if there is one, else the shipped model (`sc`, or `sc.mm` to be exact).
///
/// What a file includes is looked for beside it, then in these folders, then among the shipped models.
pub fn find(name: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    let path = Path::new(name);
    if names_file(name) || find_shipped(name).is_none() && path.is_file() {
        return load_file(name, folders);
    }
    match load_bare(name, folders).filter(|_| find_shipped(name).is_some()) {
        Some(found) => Ok(found),
        None => named(name),
    }
}

/// The model that is given, else the shipped one for programs of the language.
pub fn find_or_default(given: Option<&str>, language: Language, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    match given {
        Some(name) => find(name, folders),
        None => {
            let model = Model::of(language)?;
            Ok(NamedModel { expected: model.name().into(), model })
        }
    }
}

/// The shipped model of that name, whatever files there are; a model of another name as [`find`] finds it.
pub fn find_shipped_first(name: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    match Model::named(name) {
        Ok(model) => Ok(NamedModel { model, expected: name.into() }),
        Err(_) => find(name, folders),
    }
}

fn named(name: &str) -> Result<NamedModel, Failure> {
    Ok(NamedModel { model: Model::named(name)?, expected: name.into() })
}

/// Whether a name means a file, whatever the shipped models are called: one with a folder, or with the ending of a model
/// if there is such a file or no shipped model of that name.
fn names_file(name: &str) -> bool {
    let ends = name.ends_with(".cat") || name.ends_with(".mm");
    name.contains(is_separator) || ends && (Path::new(name).is_file() || find_shipped(name).is_none())
}

/// Whether a model of this name may be read from a file, which may include others.
pub fn may_be_file(name: &str) -> bool {
    names_file(name) || Path::new(name).is_file() || find_shipped(name).is_none()
}

/// The model in a file that is called like a shipped model, without any ending. Programs and folders are called so, too: what
/// holds no model is not meant.
fn load_bare(name: &str, folders: &[PathBuf]) -> Option<NamedModel> {
    Path::new(name).is_file().then(|| load_file(name, folders).ok()).flatten()
}

fn load_file(name: &str, folders: &[PathBuf]) -> Result<NamedModel, Failure> {
    let path = Path::new(name);
    let text = files::read(path)?;
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let include = |included: &str| {
        let mut places = std::iter::once(&beside).chain(folders).map(|folder| folder.join(included));
        let found = places.find(|place| place.is_file()).and_then(|place| files::read(&place).ok());
        found.map(|text| text.text)
    };
    let shown = if find_shipped(name).is_some() { Path::new(".").join(path) } else { path.into() };
    let model = Model::read(&shown.display().to_string(), &text.name, &text.text, &include)?;
    if model.axioms().is_none_or(|axioms| axioms.axioms.is_empty()) {
        return Err(Failure::file(path, "holds no model: without any axiom every execution would be allowed"));
    }
    let expected = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(name).into();
    Ok(NamedModel { model, expected })
}

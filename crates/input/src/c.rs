//! C files with what they include, as a whole program or as a bounded test of their operations.

use std::path::Path;

use frontend::c::{self, Entry, Options, SourceFile, Unit};
use palisade::catalogue::{self, Catalogue};
use palisade::{Task, Test};
use watch::failure::Failure;

use crate::files::{Text, name, read};
use crate::project;
use crate::source::{CSource, Volatile};

/// What a C file asks: whether its assertions hold, or what a bounded test of its operations shows.
pub fn task(path: &Path, source: &CSource) -> Result<Task, Failure> {
    let test = match &source.test {
        Some(test) if catalogue::is_name(test) => match &*named(test, source)? {
            [one] => Some(one.clone()),
            all => {
                let what = format!("--test {test} names {} tests: here one is asked about", all.len());
                return Err(Failure::Message(what));
            }
        },
        test => test.clone(),
    };
    let entry = test.clone().map_or(Entry::Main, Entry::Test);
    let options = Options { entry, ..Options::default() };
    let unit = unit_by(path, source, &options)?;
    let Some(notation) = &test else { return Ok(Task::whole(unit.program()?)?) };
    let reference = source.reference.as_ref().map(|path| Ok((name(path), unit_by(path, source, &options)?)));
    let reference = reference.transpose().map_err(|failure: Failure| failure)?;
    let reference = reference.as_ref().map(|(name, unit)| (name.clone(), unit));
    let test = Test::of(&unit, notation, reference)?;
    let test = if source.linearizable { test.linearizable() } else { test };
    Ok(Task::Test(match &source.observations {
        Some(file) => test.with_observations(&name(file), &read(file)?.text)?,
        None => test,
    }))
}

/// Tests, with those in place that are given by names of the tests of the thesis.
pub fn all_named(tests: &[String]) -> Result<Vec<String>, Failure> {
    let source = CSource::default();
    let found = tests.iter().map(|test| match catalogue::is_name(test) {
        true => named(test, &source),
        false => Ok(vec![test.clone()]),
    });
    Ok(found.collect::<Result<Vec<_>, Failure>>()?.concat())
}

/// The tests that are given by name; none if it is not by names that a test is given.
pub fn named_tests(source: &CSource) -> Result<Vec<String>, Failure> {
    let names = source.test.as_ref().filter(|test| catalogue::is_name(test));
    names.map_or(Ok(Vec::new()), |names| named(names, source))
}

/// The tests that names, with commas between, stand for.
fn named(names: &str, source: &CSource) -> Result<Vec<String>, Failure> {
    let catalogue = match &source.catalogue {
        Some(file) => Catalogue::parse(&name(file), &read(file)?.text)?,
        None => Catalogue::thesis()?,
    };
    Ok(catalogue.select(names)?)
}

/// Reads a C file, all of whose functions may be called.
pub fn unit(path: &Path, source: &CSource) -> Result<Unit, Failure> {
    unit_by(path, source, &Options::default())
}

/// Reads a C file with the places marked where a statement could be put in.
pub fn unit_with_places(path: &Path, source: &CSource) -> Result<Unit, Failure> {
    unit_by(path, source, &Options { marks_places: true, ..Options::default() })
}

/// Reads a C file, or all files of a program, and what they include: from the file's own folder, then from those on the command line.
fn unit_by(path: &Path, source: &CSource, options: &Options) -> Result<Unit, Failure> {
    let volatile_is_relaxed = source.volatile == Some(Volatile::Relaxed);
    let ignored = source.ignore.iter().map(|kind| kind.error()).collect();
    let options = &Options { volatile_is_relaxed, ignored, ..options.clone() };
    let files = project::files(path, source)?;
    let texts = files.iter().map(|file| read(&file.path)).collect::<Result<Vec<Text>, Failure>>()?;
    let mut include = |number: usize, name: &str, from: &str| {
        let beside = Path::new(from).parent().unwrap_or(Path::new("")).to_path_buf();
        let folders = std::iter::once(&beside).chain(&files[number].folders);
        let found = folders.map(|folder| folder.join(name)).find(|path| path.is_file())?;
        Some((found.display().to_string(), read(&found).ok()?.text))
    };
    let sources = texts.iter().zip(&files).map(|(text, file)| SourceFile {
        path: &text.name,
        text: &text.text,
        defines: &file.defines,
        undefines: &file.undefines,
        before: &file.before,
    });
    match &sources.collect::<Vec<SourceFile>>()[..] {
        [one] if one.undefines.is_empty() && one.before.is_empty() => {
            Ok(c::load_with(one.path, one.text, &mut |name, from| include(0, name, from), one.defines, options)?)
        }
        all => Ok(c::load_all(all, &mut include, options)?),
    }
}

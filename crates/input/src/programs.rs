//! Compiled programs in Java that a user has in place of those of a published table.

use std::path::{Path, PathBuf};

use palisade::{Refusal, Task};
use program::{Diagnostics, Verified};
use watch::failure::Failure;

use crate::java::{self, Source};
use crate::source::CSource;

/// A folder of classes, and which of them stand for which programs.
#[derive(Clone, Debug, Default)]
pub struct Given {
    folder: Option<PathBuf>,
    /// The name in the table, the class, and the arguments of `main`.
    named: Vec<(String, String, Vec<String>)>,
}

/// The file of a folder that says which classes stand for which programs.
const LIST: &str = "programs.tsv";

impl Given {
    /// The programs of a folder.
    pub fn read(folder: &Path) -> Result<Given, Failure> {
        let list = folder.join(LIST);
        let mut given = Given { folder: Some(folder.into()), named: Vec::new() };
        if !list.is_file() {
            return Ok(given);
        }
        let text = crate::files::read(&list)?;
        for (number, line) in (1..).zip(text.text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            if line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t').map(String::from);
            let (Some(name), Some(class)) = (fields.next(), fields.next()) else {
                let what = format!("{}:{number}: a name of the table and a class are expected", text.name);
                return Err(Failure::Message(what));
            };
            given.named.push((name, class, fields.collect()));
        }
        Ok(given)
    }

    /// The program for `java/NAME` of a table, if the folder has one.
    pub fn program(&self, name: &str) -> Option<Result<Verified, Refusal>> {
        let (folder, name) = (self.folder.as_ref()?, name.strip_prefix("java/")?);
        let listed = self.named.iter().find(|(own, ..)| own == name);
        let (class, arguments) = match listed {
            Some((_, class, arguments)) => (class.as_str(), arguments.as_slice()),
            None => (name, &[][..]),
        };
        let (class, test) = class.split_once('#').map_or((class, None), |(class, test)| (class, Some(test)));
        let class = class.strip_suffix(".class").unwrap_or(class).replace('.', "/");
        let file = folder.join(format!("{class}.class"));
        if listed.is_none() && !file.is_file() {
            return None;
        }
        let path = test.map_or_else(|| file.clone(), |test| PathBuf::from(format!("{}#{test}", file.display())));
        Some(load(&path, folder, arguments))
    }
}

fn load(path: &Path, folder: &Path, arguments: &[String]) -> Result<Verified, Refusal> {
    let source = CSource { classpath: vec![folder.into()], ..CSource::default() };
    let wrong = |failure: Failure| match failure {
        Failure::Diagnostics(diagnostics) => Refusal::Input(diagnostics),
        other => Refusal::Question(other.summary()),
    };
    let program = match java::task(path, &source, Source::UseClassFile).map_err(wrong)?.task {
        Task::Whole(whole) => whole.forms.run().map_err(|why: &Diagnostics| Refusal::Input(why.clone()))?.clone(),
        Task::Litmus(program, _) | Task::Test(palisade::Test { program, .. }) => program,
    };
    match arguments.is_empty() {
        true => Ok(program),
        false => palisade::task::verified(frontend::jvm::with_arguments(program.into_program(), arguments)),
    }
}

//! Class files for the tests of this crate.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

use frontend::jvm::{ClassFile, Options, Parsed, load};
use program::Program;

/// Where the tests' own classes are.
pub fn classes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes")
}

/// Where the suite of Java programs is.
pub fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java")
}

/// The class file of a class and those of its nested classes, with the source beside them.
pub fn files(folder: &Path, class: &str) -> Vec<ClassFile> {
    let belongs = |name: &str| name == format!("{class}.class") || name.starts_with(&format!("{class}$"));
    let mut names: Vec<String> = names(folder, "class").into_iter().filter(|name| belongs(name)).collect();
    // The class itself first.
    names.sort_by_key(|name| (name.contains('$'), name.clone()));
    let text = std::fs::read_to_string(folder.join(format!("{class}.java"))).expect("a source");
    let file = |name: String| ClassFile {
        bytes: std::fs::read(folder.join(&name)).expect("a class file"),
        source: Some((format!("{class}.java"), text.clone())),
        name,
    };
    names.into_iter().map(file).collect()
}

/// The names of the files with an extension, in order.
pub fn names(folder: &Path, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut names: Vec<String> =
        files.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Reads a program that must be right.
pub fn read(folder: &Path, class: &str) -> Parsed {
    let parsed = load(&files(folder, class), &Options::default()).unwrap_or_else(|errors| panic!("{errors}"));
    program::verify(parsed.program.clone()).unwrap_or_else(|breaches| panic!("{class}: {breaches:?}"));
    parsed
}

/// Its text form without the first two lines.
pub fn shown(program: &Program) -> String {
    program::text::print(program).lines().skip(2).map(|line| format!("{line}\n")).collect()
}

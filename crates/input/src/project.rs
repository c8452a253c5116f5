//! The C files of one program: those on the command line, or those that a `compile_commands.json` lists.

use std::path::{Path, PathBuf};

use serde_json::Value;
use watch::failure::Failure;

use crate::files::read;
use crate::source::CSource;

/// A C file, with how it is compiled.
#[derive(Clone, Debug)]
pub struct CFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its macros.
    pub defines: Vec<(String, String)>,
    /// Macros that it does not have, though others do.
    pub undefines: Vec<String>,
    /// Files that are read before it.
    pub before: Vec<String>,
    /// Where it looks for what it includes.
    pub folders: Vec<PathBuf>,
}

/// Whether a file is a compilation database, as build tools write it.
pub fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "compile_commands.json")
}

/// The files of a program.
pub fn files(path: &Path, source: &CSource) -> Result<Vec<CFile>, Failure> {
    let own = |path: &PathBuf| CFile {
        path: path.clone(),
        defines: defines(&source.define),
        undefines: Vec::new(),
        before: Vec::new(),
        folders: source.include.clone(),
    };
    let mut files = if is_database(path) { listed(path, source)? } else { vec![own(&path.to_path_buf())] };
    files.extend(source.others.iter().map(own));
    Ok(files)
}

/// The C files of a compilation database, each once.
fn listed(path: &Path, source: &CSource) -> Result<Vec<CFile>, Failure> {
    let wrong = |what: &str| Failure::file(path, what);
    let database: Value = serde_json::from_str(&read(path)?.text).map_err(|error| wrong(&error.to_string()))?;
    let commands = database.as_array().ok_or_else(|| wrong("a compilation database is a list of commands"))?;
    let home = path.parent().unwrap_or(Path::new(""));
    let mut files: Vec<CFile> = Vec::new();
    for command in commands {
        let text = |key: &str| command.get(key).and_then(Value::as_str);
        let folder = home.join(text("directory").unwrap_or_default());
        let file = folder.join(text("file").ok_or_else(|| wrong("a command names no file"))?);
        if file.extension().is_none_or(|extension| extension != "c") || files.iter().any(|other| other.path == file) {
            continue;
        }
        let arguments = match command.get("arguments").and_then(Value::as_array) {
            Some(list) => list.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            None => words(text("command").unwrap_or_default()),
        };
        let mut compiled = compiled(&arguments, &folder);
        compiled.path = file;
        compiled.defines.extend(defines(&source.define));
        compiled.folders.extend(source.include.iter().cloned());
        files.push(compiled);
    }
    if files.is_empty() { Err(wrong("it lists no C file")) } else { Ok(files) }
}

/// What a compiler's arguments say of macros, folders, and files that are read first.
fn compiled(arguments: &[String], folder: &Path) -> CFile {
    let (defined, undefines, before, folders) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut file = CFile { path: PathBuf::new(), defines: defined, undefines, before, folders };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value_of = |option: &str| match argument.strip_prefix(option) {
            Some("") => rest.next().cloned(),
            found => found.map(str::to_string),
        };
        if let Some(given) = value_of("-D") {
            for (name, value) in defines(&[given]) {
                file.undefines.retain(|other| *other != name);
                file.defines.push((name, value));
            }
        } else if let Some(name) = value_of("-U") {
            file.defines.retain(|(other, _)| other.split('(').next() != Some(&name));
            file.undefines.push(name);
        } else if argument == "-include" {
            file.before.extend(rest.next().map(|name| in_folder(folder, name)));
        } else if let Some(given) = ["-I", "-isystem", "-iquote"].iter().find_map(|option| value_of(option)) {
            file.folders.push(folder.join(given));
        }
    }
    file
}

/// The path of a file that `-include` names: it is looked for where the compiler runs, then among the folders.
fn in_folder(folder: &Path, name: &str) -> String {
    let here = folder.join(name);
    if here.is_file() { here.display().to_string() } else { name.to_string() }
}

/// `NAME` or `NAME=VALUE`, as for a C compiler.
fn defines(given: &[String]) -> Vec<(String, String)> {
    let split = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.to_string(), value.to_string()),
        None => (text.clone(), "1".to_string()),
    };
    given.iter().map(split).collect()
}

/// The words of a command line, as a shell takes them apart: quotes and backslashes keep blanks together.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_apart_as_a_shell_does() {
        assert_eq!(words(r#"cc -DX='"a b"' "-I my dir" a\ b.c"#), ["cc", r#"-DX="a b""#, "-I my dir", "a b.c"]);
    }

    #[test]
    fn macros_and_folders_are_found_with_and_without_a_blank() {
        let arguments = ["cc", "-DA", "-D", "B=2", "-Iinclude", "-isystem", "/usr/x", "-O2"].map(String::from);
        let file = compiled(&arguments, Path::new("/home"));
        assert_eq!(file.defines, [("A".into(), "1".into()), ("B".into(), "2".into())]);
        assert_eq!(file.folders, [PathBuf::from("/home/include"), PathBuf::from("/usr/x")]);
    }

    #[test]
    fn the_last_of_several_options_for_a_macro_counts() {
        let arguments = ["-DA", "-UA", "-U", "B", "-DB=1", "-include", "x.h", "-U__GNUC__"].map(String::from);
        let file = compiled(&arguments, Path::new("/nowhere"));
        assert_eq!(file.defines, [("B".into(), "1".into())]);
        assert_eq!(file.undefines, ["A", "__GNUC__"]);
        assert_eq!(file.before, ["x.h"]);
    }
}

//! Which tests to run under which models, and what is expected of them.
//!
//! Expectations come from a table (`--expect`) or from comments in the tests: `expect MODEL ANSWER [OPTION...]`, or
//! `expect error TEXT` for a test that must be rejected with a message that contains the text. Options are `unroll=N` and,
//! of Java programs, `--tearing`.
//! A program with assertions is asked in the words of the answer: `allowed` and `forbidden` answer whether an execution
//! exists in which all of them hold, everything else whether they hold in every execution.

use std::path::{Path, PathBuf};

use report::Property;
use serde_json::{Value as Json, json};

use crate::arguments::Suite;
use crate::failure::Failure;
use crate::files;

/// One test under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The file to read.
    pub path: PathBuf,
    /// The file as shown: relative to the table, or as given.
    pub shown: String,
    /// The model; without one, that which the test's language is meant for.
    pub model: Option<String>,
    /// What is expected.
    pub answer: Option<Expected>,
    /// What to ask of a program with assertions.
    pub property: Property,
    /// How often to unroll loops, if the expectation says.
    pub unroll: Option<u32>,
    /// Whether torn variables of Java are looked for.
    pub tearing: bool,
}

impl Expectation {
    /// As a unit of work for another process.
    pub fn to_json(&self) -> Json {
        let answer = match &self.answer {
            Some(Expected::Error(part)) => json!({ "error": part }),
            answer => json!(answer.as_ref().map(Expected::text)),
        };
        let is_possible = self.property == Property::Possible;
        json!({
            "path": files::path_to_json(&self.path),
            "shown": self.shown,
            "model": self.model,
            "answer": answer,
            "possible": is_possible,
            "unroll": self.unroll,
            "tearing": self.tearing,
        })
    }

    /// A unit of work.
    pub fn from_json(unit: &Json) -> Option<Expectation> {
        let answer = match &unit["answer"] {
            Json::Null => None,
            Json::String(word) => Some(Expected::parse(word)?),
            object => Some(Expected::Error(object["error"].as_str()?.to_string())),
        };
        Some(Expectation {
            path: files::path_from_json(&unit["path"])?,
            shown: unit["shown"].as_str()?.to_string(),
            model: unit["model"].as_str().map(str::to_string),
            answer,
            property: if unit["possible"] == true { Property::Possible } else { Property::Always },
            unroll: unit["unroll"].as_u64().and_then(|bound| u32::try_from(bound).ok()),
            tearing: unit["tearing"] == true,
        })
    }
}

/// What is expected of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The test's claim is validated (`Ok`, `pass`) or not (`No`, `fail`), in the words of the expectation.
    Claim(bool, String),
    /// This verdict.
    Verdict(String),
    /// The test is rejected with a message that contains this.
    Error(String),
}

impl Expected {
    /// Reads an answer; `None` for a word that is not one.
    fn parse(word: &str) -> Option<Expected> {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "ok" | "pass" => Some(Expected::Claim(true, word.into())),
            "no" | "fail" => Some(Expected::Claim(false, word.into())),
            "allowed" | "forbidden" | "holds" | "violated" | "unknown" => Some(Expected::Verdict(lower)),
            _ => None,
        }
    }

    /// The question about assertions that this is an answer to.
    fn property(&self) -> Property {
        match self {
            Expected::Verdict(word) if word == "allowed" || word == "forbidden" => Property::Possible,
            _ => Property::Always,
        }
    }

    /// The expectation as it was written.
    pub fn text(&self) -> String {
        match self {
            Expected::Claim(_, word) => word.clone(),
            Expected::Verdict(word) => word.clone(),
            Expected::Error(part) => format!("error {part}"),
        }
    }
}

/// All that is to be run, in order; under this model only, if one is given.
pub fn collect(arguments: &Suite, model: Option<&str>) -> Result<Vec<Expectation>, Failure> {
    let mut expectations = match &arguments.expect {
        Some(table) => from_table(table, &arguments.paths)?,
        None => from_files(&arguments.paths)?,
    };
    if let Some(name) = model {
        if arguments.expect.is_some() {
            expectations.retain(|expectation| expectation.model.as_deref() == Some(name));
        } else {
            restrict(&mut expectations, name);
        }
    }
    if let Some(part) = &arguments.only {
        keep_only(&mut expectations, part);
    }
    Ok(expectations)
}

/// Keeps the tests in folders or under models of this name; if there are none, those whose path or model contains it.
fn keep_only(expectations: &mut Vec<Expectation>, part: &str) {
    let is_named = |row: &Expectation| {
        row.model.as_deref() == Some(part) || Path::new(&row.shown).components().any(|c| c.as_os_str() == part)
    };
    let contains =
        |row: &Expectation| row.shown.contains(part) || row.model.as_deref().is_some_and(|model| model.contains(part));
    if expectations.iter().any(is_named) {
        expectations.retain(is_named);
    } else {
        expectations.retain(contains);
    }
}

/// Keeps what is expected under one model; tests that say nothing about it are run all the same.
fn restrict(expectations: &mut Vec<Expectation>, model: &str) {
    let all = std::mem::take(expectations);
    for rows in all.chunk_by(|a, b| a.path == b.path) {
        let own: Vec<Expectation> = rows.iter().filter(|row| row.model.as_deref() == Some(model)).cloned().collect();
        match rows.first() {
            Some(first) if own.is_empty() && !matches!(first.answer, Some(Expected::Error(_))) => {
                expectations.push(Expectation { model: Some(model.into()), answer: None, ..first.clone() });
            }
            _ => expectations.extend(own),
        }
    }
}

/// The rows of a table whose files lie under one of `paths`; all rows if there are none.
fn from_table(table: &Path, paths: &[PathBuf]) -> Result<Vec<Expectation>, Failure> {
    let text = files::read(table)?.text;
    let folder = table.parent().unwrap_or(Path::new(""));
    let resolve = |path: &Path| {
        std::fs::canonicalize(path).map_err(|error| Failure::file(path, format!("cannot be read: {error}")))
    };
    let roots: Vec<PathBuf> = paths.iter().map(|path| resolve(path)).collect::<Result<_, _>>()?;
    let base = resolve(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    let mut expectations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let row =
            table_row(line, folder).map_err(|what| Failure::file(table, format!("line {}: {what}", index + 1)))?;
        if roots.is_empty() || roots.iter().any(|root| base.join(&row.shown).starts_with(root)) {
            expectations.push(row);
        }
    }
    Ok(expectations)
}

fn table_row(line: &str, folder: &Path) -> Result<Expectation, String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [file, model, answer, ..] = fields[..] else {
        return Err("expected three fields with tabs between: file, model, answer".into());
    };
    let answer = Expected::parse(answer).ok_or_else(|| format!("`{answer}` is not an answer"))?;
    Ok(Expectation {
        path: folder.join(file),
        shown: file.into(),
        model: Some(model.into()),
        property: answer.property(),
        answer: Some(answer),
        unroll: None,
        tearing: false,
    })
}

/// The tests under `paths`, with what their comments expect.
fn from_files(paths: &[PathBuf]) -> Result<Vec<Expectation>, Failure> {
    let mut expectations = Vec::new();
    for path in files(paths)? {
        // What a class file expects stands in its source.
        // What cannot be read says so in its row, beside the others.
        let is_readable = !is_class(&path) && path.is_file();
        let text = if is_readable {
            files::read(&path).map_or_else(|_| String::new(), |read| read.text)
        } else {
            String::new()
        };
        let found = from_comments(&path, &text).map_err(|what| Failure::file(&path, what))?;
        expectations.extend(found);
    }
    Ok(expectations)
}

fn is_class(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "class")
}

/// The files that are given or listed, and the tests in the folders that are given: litmus tests, and Java sources that say what
/// they expect, so that classes which tests use are not taken for tests.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in &files::listed(paths)? {
        if path == Path::new("-") {
            return Err(Failure::Message(
                "tests are read from files: `-` is for check, outcomes, races and replay".into(),
            ));
        } else if path.is_dir() {
            let first = files.len();
            find_tests(path, &mut files)?;
            files[first..].sort();
        } else if path.exists() && !path.is_file() {
            return Err(Failure::file(path, "is neither a file nor a folder"));
        } else if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::file(path, format!("cannot be read: {error}")));
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn find_tests(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // Links to folders are not followed: they could lead back here.
        if entry.file_type().map_err(failed)?.is_dir() {
            find_tests(&path, files)?;
        } else if path.is_file() && is_test(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file in a folder is a test. A source that cannot be read is taken for one, so that the error is seen.
fn is_test(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("litmus") => true,
        Some("java") => match files::read(path) {
            Ok(source) => source.text.lines().any(|line| comment_words(line).is_some()),
            Err(_) => true,
        },
        _ => false,
    }
}

/// What the comments of a test expect; without any, the test is run under its default model and nothing is expected.
fn from_comments(path: &Path, text: &str) -> Result<Vec<Expectation>, String> {
    let plain = Expectation {
        path: path.into(),
        shown: path.display().to_string(),
        model: None,
        answer: None,
        property: Property::Always,
        unroll: None,
        tearing: false,
    };
    let mut expectations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(words) = comment_words(line) else { continue };
        let at = |what: String| format!("line {}: {what}", index + 1);
        let row = match words[..] {
            ["error", ..] => Expectation { answer: Some(Expected::Error(words[1..].join(" "))), ..plain.clone() },
            [model, answer, ref keys @ ..] => {
                let Some(expected) = Expected::parse(answer) else {
                    return Err(at(format!("`{answer}` is not an answer")));
                };
                let (unroll, tearing) = options(keys).map_err(at)?;
                let property = expected.property();
                let (model, answer) = (Some(model.into()), Some(expected));
                Expectation { model, answer, property, unroll, tearing, ..plain.clone() }
            }
            _ => return Err(at("`expect` needs a model and an answer".into())),
        };
        expectations.push(row);
    }
    Ok(if expectations.is_empty() { vec![plain] } else { expectations })
}

/// The words after `expect` in a line that starts so, whatever opens or closes a comment around it: no language we read
/// has a line that starts with that word outside of a comment.
fn comment_words(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let inner = ["(*", "/*", "//", "#", "*"].iter().find_map(|opening| line.strip_prefix(opening)).unwrap_or(line);
    let inner = inner.trim_end_matches("*)").trim_end_matches("*/");
    let mut words = inner.split_whitespace();
    (words.next() == Some("expect")).then(|| words.collect())
}

/// How often to unroll loops, and whether to look for torn variables.
fn options(words: &[&str]) -> Result<(Option<u32>, bool), String> {
    let (mut bound, mut tearing) = (None, false);
    for word in words {
        match (*word, word.split_once('=')) {
            ("--tearing", _) => tearing = true,
            (_, Some(("unroll", value))) => {
                bound = Some(value.parse().map_err(|_| format!("`{value}` is not a number of unrollings"))?);
            }
            _ => return Err(format!("`{word}` is not known here: options are unroll=N and --tearing")),
        }
    }
    Ok((bound, tearing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_expect_answers() {
        let text =
            "C test\n(* A test.\n   expect rc11 forbidden unroll=5 *)\n// expect tso Ok\n(* expected nothing *)\n";
        let rows = from_comments(Path::new("t.litmus"), text).expect("well-formed");
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.model.as_deref(), row.answer.as_ref().map(Expected::text), row.unroll))
            .collect();
        let expected =
            [(Some("rc11"), Some("forbidden".to_string()), Some(5)), (Some("tso"), Some("Ok".to_string()), None)];
        assert_eq!(shown, expected);
        assert!(from_comments(Path::new("t"), "// expect tso maybe").is_err());
        assert!(from_comments(Path::new("t"), "// expect tso Ok depth=3").is_err());
    }

    #[test]
    fn a_name_of_a_folder_or_model_keeps_only_that() {
        let row = |shown: &str, model: &str| Expectation {
            path: shown.into(),
            shown: shown.into(),
            model: Some(model.into()),
            answer: None,
            property: Property::Always,
            unroll: None,
            tearing: false,
        };
        let all = vec![row("l/C11/a.litmus", "rc11"), row("l/ARM/C11-A.litmus", "arm"), row("l/X/b.litmus", "c11")];
        let kept = |part: &str| {
            let mut rows = all.clone();
            keep_only(&mut rows, part);
            rows.into_iter().map(|row| row.shown).collect::<Vec<_>>()
        };
        assert_eq!(kept("C11"), ["l/C11/a.litmus"]);
        assert_eq!(kept("C11-"), ["l/ARM/C11-A.litmus"]);
        assert_eq!(kept("c11"), ["l/X/b.litmus"]);
        assert_eq!(kept("1"), ["l/C11/a.litmus", "l/ARM/C11-A.litmus", "l/X/b.litmus"]);
    }

    #[test]
    fn a_row_of_a_table_needs_three_fields() {
        assert!(table_row("a.litmus\ttso\tOk", Path::new("suite")).is_ok());
        assert!(table_row("a.litmus tso Ok", Path::new("suite")).is_err());
        assert!(table_row("a.litmus\ttso\tperhaps", Path::new("suite")).is_err());
    }
}

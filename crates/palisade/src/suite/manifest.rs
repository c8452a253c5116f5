//! `palisade.toml`: what holds for a tree of tests.
//!
//! ```toml
//! models = ["sc", "tso"]        # for tests that name none; or model = "tso"
//! engine = "auto"               # for rows that name none
//! timeout = 60                  # seconds for each row
//! unroll = 3
//! define = ["SIZE=2"]           # in all C files
//! exclude = ["lib/**", "*_ref.c"]
//!
//! [expect]                      # of files that cannot carry comments
//! "bytecode/Queue.class" = ["tso holds engine=mcr", "pso violated"]
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use program::{Diagnostic, Diagnostics, Severity, Sources, Span};
use serde::Deserialize;
use toml::Spanned;

use super::grammar::{self, Wrong, parse as parse_row};
use super::{How, Stated};

/// The name of the file.
pub const FILE: &str = "palisade.toml";

/// What the file of a tree says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The models of rows that name none.
    pub models: Vec<String>,
    /// How rows are answered that do not say.
    pub how: How,
    /// What is no test: patterns of paths from the folder of the file.
    exclude: Vec<String>,
    /// What is expected of files, by their paths from the folder of the file.
    expect: BTreeMap<String, Vec<Stated>>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    model: Option<String>,
    #[serde(default)]
    models: Vec<String>,
    engine: Option<Spanned<String>>,
    timeout: Option<Spanned<f64>>,
    unroll: Option<u32>,
    #[serde(default)]
    define: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    expect: BTreeMap<String, Vec<Spanned<String>>>,
}

impl Manifest {
    /// Reads the text of a `palisade.toml`.
    pub fn parse(name: &str, text: &str) -> Result<Manifest, Diagnostics> {
        let wrong_at = |wrong: Wrong| diagnostics(name, text, wrong);
        let of_toml = |error: toml::de::Error| {
            let message = error.message().lines().next().unwrap_or_default().to_string();
            wrong_at(Wrong { message, at: error.span().unwrap_or(0..0) })
        };
        let written: Written = toml::from_str(text).map_err(of_toml)?;
        let engine = written
            .engine
            .map(|engine| located(&engine, |name| grammar::engine(name)))
            .transpose()
            .map_err(wrong_at)?;
        let seconds = |seconds: &f64| Duration::try_from_secs_f64(*seconds).map_err(|error| error.to_string());
        let timeout = written.timeout.map(|timeout| located(&timeout, seconds)).transpose().map_err(wrong_at)?;
        let how = How { engine, timeout, unroll: written.unroll, defines: written.define, ..How::default() };
        let mut expect = BTreeMap::new();
        for (file, lines) in written.expect {
            let rows = lines.iter().map(|line| rows(text, line)).collect::<Result<Vec<_>, _>>().map_err(wrong_at)?;
            expect.insert(file, rows.concat());
        }
        let models = written.model.into_iter().chain(written.models).collect();
        Ok(Manifest { models, how, exclude: written.exclude, expect })
    }

    /// Whether a path from the folder of the file is no test. A pattern without a slash is about names, in any folder.
    pub fn excludes(&self, inner: &Path) -> bool {
        let path = inner.to_string_lossy().replace('\\', "/");
        let name = path.rsplit('/').next().unwrap_or_default();
        self.exclude.iter().any(|pattern| match pattern.contains('/') {
            true => matches(pattern.as_bytes(), path.as_bytes()),
            false => matches(pattern.as_bytes(), name.as_bytes()),
        })
    }

    /// What it expects of a path from its folder.
    pub fn expects(&self, inner: &Path) -> &[Stated] {
        let path = inner.to_string_lossy().replace('\\', "/");
        self.expect.get(&path).map_or(&[], Vec::as_slice)
    }

    /// The files of which it expects something.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.expect.keys().map(String::as_str)
    }

    /// The rows of a file: what its comments and this file expect, each with what it does not say filled in, by what was given
    /// for this run first; where nothing is expected, it is to be answered all the same.
    pub fn rows(&self, inner: &Path, stated: Vec<Stated>, given: &How) -> Vec<Stated> {
        let mut rows = stated;
        rows.extend(self.expects(inner).iter().cloned());
        if rows.is_empty() {
            rows.push(Stated { model: None, answer: None, how: How::default() });
        }
        rows.into_iter().flat_map(|row| self.filled(row, given)).collect()
    }

    fn filled(&self, row: Stated, given: &How) -> Vec<Stated> {
        let how = row.how.or(given).or(&self.how);
        let is_rejected = matches!(row.answer, Some(super::Expected::Error(_)));
        if row.model.is_some() || self.models.is_empty() || is_rejected {
            return vec![Stated { how, ..row }];
        }
        let under = |model: &String| Stated { model: Some(model.clone()), how: how.clone(), ..row.clone() };
        self.models.iter().map(under).collect()
    }
}

/// Reads a value; what is wrong with it is said with its place.
fn located<T, U>(value: &Spanned<T>, read: impl Fn(&T) -> Result<U, String>) -> Result<U, Wrong> {
    read(value.get_ref()).map_err(|message| Wrong { message, at: value.span() })
}

/// The rows of an expectation. Its bytes are those of the file unless it is written with escapes.
fn rows(text: &str, line: &Spanned<String>) -> Result<Vec<Stated>, Wrong> {
    let (span, value) = (line.span(), line.get_ref());
    let is_verbatim = text.get(span.start + 1..span.end.saturating_sub(1)) == Some(value);
    parse_row(value).map_err(|Wrong { message, at }| {
        let start = span.start + 1;
        Wrong { message, at: if is_verbatim { start + at.start..start + at.end } else { span.clone() } }
    })
}

fn diagnostics(name: &str, text: &str, wrong: Wrong) -> Diagnostics {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let span = Some(Span::new(file, wrong.at.start, wrong.at.end));
    Diagnostics { sources, messages: vec![Diagnostic::new(Severity::Error, wrong.message, span)] }
}

/// Whether a path matches a pattern: `?` is any letter but a slash, `*` any number of them, `**` also slashes.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        // `**/` may also stand for no folder.
        [b'*', b'*', b'/', rest @ ..] if matches(rest, path) => true,
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|skipped| matches(rest, &path[skipped..])),
        [b'*', rest @ ..] => {
            let longest = path.iter().position(|letter| *letter == b'/').unwrap_or(path.len());
            (0..=longest).any(|skipped| matches(rest, &path[skipped..]))
        }
        [b'?', rest @ ..] => path.split_first().is_some_and(|(letter, path)| *letter != b'/' && matches(rest, path)),
        [letter, rest @ ..] => path.split_first().is_some_and(|(own, path)| own == letter && matches(rest, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    fn read(text: &str) -> Manifest {
        Manifest::parse("palisade.toml", text).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    #[test]
    fn it_fills_in_what_rows_do_not_say() {
        let manifest = read(
            "models = [\"sc\", \"tso\"]\nengine = \"mcr\"\ntimeout = 2\ndefine = [\"A\"]\n\
             [expect]\n\"a/B.class\" = [\"holds\", \"pso violated engine=operational\"]\n",
        );
        let rows = manifest.rows(Path::new("a/B.class"), Vec::new(), &How::default());
        let shown: Vec<(&str, Option<Engine>)> =
            rows.iter().map(|row| (row.model.as_deref().unwrap_or("-"), row.how.engine)).collect();
        let mcr = Some(Engine::Mcr);
        assert_eq!(shown, [("sc", mcr), ("tso", mcr), ("pso", Some(Engine::Operational))]);
        assert!(rows.iter().all(|row| row.how.timeout == Some(Duration::from_secs(2)) && row.how.defines == ["A"]));
        let unjudged =
            manifest.rows(Path::new("c.litmus"), Vec::new(), &How { engine: Some(Engine::Auto), ..How::default() });
        assert!(unjudged.iter().all(|row| row.how.engine == Some(Engine::Auto)));
        assert!(unjudged.len() == 2 && unjudged.iter().all(|row| row.answer.is_none()));
    }

    #[test]
    fn patterns_exclude_paths() {
        let manifest = read("exclude = [\"lib/**\", \"*_ref.c\", \"a/?.c\", \"**/old/*.c\"]\n");
        for excluded in ["lib/a/b.java", "lib/c.c", "x/y/set_ref.c", "set_ref.c", "a/b.c", "old/a.c", "x/y/old/a.c"] {
            assert!(manifest.excludes(Path::new(excluded)), "{excluded}");
        }
        for kept in ["library/a.c", "a/bb.c", "b/a/b.c", "x/old/y/a.c", "set_ref.cc"] {
            assert!(!manifest.excludes(Path::new(kept)), "{kept}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_line_and_column() {
        for (text, said) in [
            ("engin = \"mcr\"\n", "palisade.toml:1:1: error: unknown field `engin`"),
            ("unroll = 3\nengine = \"mrc\"\n", "palisade.toml:2:10: error: there is no engine `mrc`"),
            ("timeout = -1.0\n", "palisade.toml:1:11: error: "),
            ("[expect]\n\"a.c\" = [\"tso hold\"]\n", "palisade.toml:2:15: error: `hold` is not an answer"),
            ("[expect\n", "palisade.toml:1:8: error: "),
        ] {
            let wrong = Manifest::parse("palisade.toml", text).expect_err(text).to_string();
            assert!(wrong.starts_with(said), "{wrong}");
        }
    }
}

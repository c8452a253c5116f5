//! Bounded tests with names, as data: a name and a test in its notation on each line, `#` begins a comment.
//!
//! [`Catalogue::thesis`] has those of the CheckFence thesis (figure 8.2).

use program::{Diagnostic, Diagnostics, Sources, Span};

use crate::refusal::Refusal;
use crate::spelling;

/// Named bounded tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Each name and its test, in the order of the file. No name twice.
    tests: Vec<(String, String)>,
}

/// Whether what was given for a test is a name, names, or a pattern of names: a test itself has its threads in parentheses.
pub fn is_name(test: &str) -> bool {
    !test.contains('(') && !test.trim().is_empty()
}

impl Catalogue {
    /// Reads a catalogue; `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<Catalogue, Refusal> {
        let mut sources = Sources::new();
        let id = sources.add(file, text);
        let (mut catalogue, mut messages, mut start) = (Catalogue::default(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let span = Span::new(id, start, start + line.trim_end().len());
            start += line.len();
            let line = line.split('#').next().unwrap_or_default().trim();
            match line.split_once(char::is_whitespace) {
                None if line.is_empty() => {}
                Some((name, test)) if is_name(name) && !is_name(test) => {
                    if catalogue.tests.iter().any(|(known, _)| known == name) {
                        messages.push(Diagnostic::error(format!("there are two tests `{name}`"), span));
                    }
                    catalogue.tests.push((name.into(), test.trim().into()));
                }
                _ => messages.push(Diagnostic::error("a name and a test are expected, as in `T0 (e|d)`", span)),
            }
        }
        if messages.is_empty() { Ok(catalogue) } else { Err(Diagnostics { sources, messages }.into()) }
    }

    /// The tests of the CheckFence thesis.
    pub fn thesis() -> Result<Catalogue, Refusal> {
        Catalogue::parse("thesis.tests", include_str!("../suites/c/thesis.tests"))
    }

    /// The tests that are meant, each in its notation: by names with commas between, in which `*` stands for any letters.
    pub fn select(&self, names: &str) -> Result<Vec<String>, Refusal> {
        let mut found = Vec::new();
        for pattern in names.split(',').map(str::trim) {
            let before = found.len();
            let meant = self.tests.iter().filter(|(name, _)| matches(pattern, name));
            found.extend(meant.map(|(_, test)| test.clone()));
            if found.len() == before {
                return Err(self.unknown(pattern));
            }
        }
        Ok(found)
    }

    fn unknown(&self, pattern: &str) -> Refusal {
        let names: Vec<&str> = self.tests.iter().map(|(name, _)| name.as_str()).collect();
        let like = spelling::hint(pattern, names);
        let what = "a test itself has its threads in parentheses, as in (e|d)";
        Refusal::Question(format!("no test of the catalogue is called {pattern}; {what}{like}"))
    }
}

/// Whether a pattern, in which `*` stands for any letters, means a name.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((first, rest)) => name.strip_prefix(first).is_some_and(|name| {
            let mut ends = (0..=name.len()).filter(|&end| name.is_char_boundary(end));
            ends.any(|end| matches(rest, &name[end..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_name_list_and_pattern() {
        let thesis = Catalogue::thesis().unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(thesis.tests.len(), 27);
        assert_eq!(thesis.select("T0").ok(), Some(vec!["(e|d)".to_string()]));
        assert_eq!(thesis.select("Sac, D0").map(|found| found.len()).ok(), Some(2));
        assert_eq!(thesis.select("Tpc*").map(|found| found.len()).ok(), Some(5));
        assert_eq!(thesis.select("*i*").map(|found| found.len()).ok(), Some(2));
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is_like_it() {
        let thesis = Catalogue::thesis().unwrap_or_else(|refusal| panic!("{refusal}"));
        let refusal = thesis.select("Tpc7").err().map(|refusal| refusal.to_string()).unwrap_or_default();
        assert!(
            refusal.starts_with("no test of the catalogue is called Tpc7; ") && refusal.contains("did you mean Tpc"),
            "{refusal}"
        );
    }

    #[test]
    fn a_line_that_is_no_test_is_refused_with_its_place() {
        for (text, what) in [
            ("T0\n", "a name and a test are expected"),
            ("# all\nT0 e d\n", "a name and a test are expected"),
            ("T0 (e|d)\nT0 (d|d)\n", "there are two tests `T0`"),
        ] {
            let refusal = Catalogue::parse("own.tests", text).err().map(|refusal| refusal.to_string());
            assert!(refusal.is_some_and(|refusal| refusal.contains(what) && refusal.contains("own.tests:")), "{text}");
        }
    }
}

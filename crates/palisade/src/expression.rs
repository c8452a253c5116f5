//! Regular expressions as Java has them, as far as the outcomes of tests are named by such: alternatives, groups, sets of letters,
//! `.`, `\d`, `\w`, `\s`, and repetition. What else there is, is not read, and nothing is said of what it would fit.

use std::collections::BTreeSet;

/// What a text may look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// One letter among these, or one that is not.
    One { ranges: Vec<(char, char)>, is_other: bool },
    /// One after the other.
    Sequence(Vec<Expression>),
    /// One of these.
    Either(Vec<Expression>),
    /// So often; with no upper bound as often as one likes.
    Repeated { inner: Box<Expression>, least: usize, most: Option<usize> },
}

/// Letters that mean something else than themselves.
const SPECIAL: &str = "\\^$.|?*+()[]{}";
/// Groups and repetitions inside of each other, and how often something is repeated: beyond that an expression is not read.
const MOST: usize = 100;

/// Whether a text stands for itself alone.
pub fn is_literal(text: &str) -> bool {
    !text.contains(|letter| SPECIAL.contains(letter))
}

impl Expression {
    /// Reads an expression, if all that it has is known here.
    pub fn read(text: &str) -> Option<Expression> {
        let mut letters = Letters { rest: text };
        let found = either(&mut letters, 0)?;
        letters.rest.is_empty().then_some(found)
    }

    /// Whether a whole text looks so.
    pub fn fits(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().collect();
        self.ends(&letters, BTreeSet::from([0])).contains(&letters.len())
    }

    /// The places to which the expression leads from some places.
    fn ends(&self, text: &[char], from: BTreeSet<usize>) -> BTreeSet<usize> {
        match self {
            Expression::One { ranges, is_other } => {
                let is_meant = |letter: &char| ranges.iter().any(|(low, high)| (low..=high).contains(&letter));
                let is_next = |at: &usize| text.get(*at).is_some_and(|letter| is_meant(letter) != *is_other);
                from.into_iter().filter(is_next).map(|at| at + 1).collect()
            }
            Expression::Sequence(parts) => parts.iter().fold(from, |from, part| part.ends(text, from)),
            Expression::Either(ways) => ways.iter().flat_map(|way| way.ends(text, from.clone())).collect(),
            Expression::Repeated { inner, least, most } => {
                let mut last = (0..*least).fold(from, |from, _| inner.ends(text, from));
                let mut all = last.clone();
                // More often than the text has letters, nothing new is reached.
                for _ in *least..most.unwrap_or(least + text.len()).min(least + text.len()) {
                    last = inner.ends(text, last);
                    all.extend(&last);
                }
                all
            }
        }
    }
}

/// What is still to be read.
struct Letters<'a> {
    rest: &'a str,
}

impl Letters<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    /// Goes past a text if it is next.
    fn has(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn either(letters: &mut Letters, depth: usize) -> Option<Expression> {
    let mut ways = vec![sequence(letters, depth)?];
    while letters.has("|") {
        ways.push(sequence(letters, depth)?);
    }
    Some(Expression::Either(ways))
}

fn sequence(letters: &mut Letters, depth: usize) -> Option<Expression> {
    let mut parts = Vec::new();
    while !letters.rest.is_empty() && !letters.rest.starts_with(['|', ')']) {
        let one = one(letters, depth)?;
        parts.push(repeated(letters, one)?);
    }
    Some(Expression::Sequence(parts))
}

fn one(letters: &mut Letters, depth: usize) -> Option<Expression> {
    let one = |ranges: Vec<(char, char)>, is_other: bool| Some(Expression::One { ranges, is_other });
    match letters.next()? {
        '(' if depth < MOST => {
            if letters.rest.starts_with('?') && !letters.has("?:") {
                return None;
            }
            let inner = either(letters, depth + 1)?;
            letters.has(")").then_some(inner)
        }
        '[' => set(letters),
        '.' => one(vec![('\n', '\n'), ('\r', '\r')], true),
        '\\' => escaped(letters).and_then(|(ranges, is_other)| one(ranges, is_other)),
        letter if SPECIAL.contains(letter) => None,
        letter => one(vec![(letter, letter)], false),
    }
}

/// What follows a backslash: letters, and whether all but these are meant.
fn escaped(letters: &mut Letters) -> Option<(Vec<(char, char)>, bool)> {
    let word = || vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
    let space = || vec![(' ', ' '), ('\t', '\r')];
    Some(match letters.next()? {
        'd' => (vec![('0', '9')], false),
        'D' => (vec![('0', '9')], true),
        'w' => (word(), false),
        'W' => (word(), true),
        's' => (space(), false),
        'S' => (space(), true),
        letter if letter.is_alphanumeric() => return None,
        letter => (vec![(letter, letter)], false),
    })
}

/// A set of letters, behind its opening bracket.
fn set(letters: &mut Letters) -> Option<Expression> {
    let is_other = letters.has("^");
    let mut ranges = Vec::new();
    loop {
        let low = match letters.next()? {
            ']' if !ranges.is_empty() => return Some(Expression::One { ranges, is_other }),
            '[' | ']' | '&' | '^' => return None,
            '\\' => match escaped(letters)? {
                (more, false) if more.len() == 1 && more[0].0 == more[0].1 => more[0].0,
                (more, false) => {
                    ranges.extend(more);
                    continue;
                }
                _ => return None,
            },
            letter => letter,
        };
        let is_range = letters.rest.starts_with('-') && !letters.rest.starts_with("-]");
        let high = if is_range && letters.has("-") { letters.next()? } else { low };
        if SPECIAL.contains(high) && is_range || high < low {
            return None;
        }
        ranges.push((low, high));
    }
}

/// An expression with how often it comes.
fn repeated(letters: &mut Letters, inner: Expression) -> Option<Expression> {
    let (least, most) = match letters.rest.chars().next() {
        Some('*') => (0, None),
        Some('+') => (1, None),
        Some('?') => (0, Some(1)),
        Some('{') => {
            let (bounds, rest) = letters.rest[1..].split_once('}')?;
            letters.rest = rest;
            let (least, most) = bounds.split_once(',').unwrap_or((bounds, bounds));
            let least: usize = least.parse().ok()?;
            let most = if most.is_empty() { None } else { Some(most.parse().ok()?) };
            if least.max(most.unwrap_or(0)) > MOST || most.is_some_and(|most| most < least) {
                return None;
            }
            return again(letters, inner, least, most);
        }
        _ => return Some(inner),
    };
    letters.next();
    again(letters, inner, least, most)
}

/// What repeats may be as short as it can, which means the same for a whole text; to keep what was taken does not.
fn again(letters: &mut Letters, inner: Expression, least: usize, most: Option<usize>) -> Option<Expression> {
    letters.has("?");
    let is_more = letters.rest.starts_with(['*', '+', '?', '{']);
    (!is_more).then(|| Expression::Repeated { inner: Box::new(inner), least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_fit_as_in_java() {
        for (pattern, text, expected) in [
            ("0, 1", "0, 1", true),
            ("0, 1", "0, 10", false),
            (".*", "-1, 2", true),
            ("1, .*", "1, 0", true),
            ("1, .*", "0, 1", false),
            ("\\d+, -1", "42, -1", true),
            ("\\d+, -1", ", -1", false),
            ("(1, 2|2, 1)", "2, 1", true),
            ("(1, 2|2, 1)", "1, 1", false),
            ("0, 0|1, 1", "1, 1", true),
            ("0|1, 1", "0, 1", false),
            ("[01], [^0]", "1, 2", true),
            ("[01], [^0]", "1, 0", false),
            ("[-1-3]", "-", true),
            ("[a-c\\d]{2}", "b7", true),
            ("[a-c\\d]{2}", "b", false),
            ("-?\\d{1,2}", "-12", true),
            ("-?\\d{1,2}", "123", false),
            ("(?:ab)*?c", "ababc", true),
            ("(a*)*b", "aaab", true),
            ("\\[\\]", "[]", true),
        ] {
            let read = Expression::read(pattern).unwrap_or_else(|| panic!("{pattern} is not read"));
            assert_eq!(read.fits(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_read() {
        for pattern in
            ["(1", "1)", "[1", "*", "a**", "a*+", "(?=a)", "\\bx", "\\1", "a{", "a{2,1}", "a{9999}", "^a", "[a&&b]"]
        {
            assert_eq!(Expression::read(pattern), None, "{pattern}");
        }
    }
}

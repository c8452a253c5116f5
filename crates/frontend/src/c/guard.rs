//! Refuses texts that the parser cannot take: it recurses for every level of nesting and has no limit of its own.

use std::ops::Range;

/// Brackets inside brackets.
const DEEPEST: usize = 48;
/// Tokens without a `;`, `,` or brace between them: operators and prefixes nest too.
const LONGEST: usize = 400;
/// `else if` in one function: each nests in the one before.
const MOST_ELSE: usize = 100;

/// `++` and `--` in one row of prefixes: the parser tries each both as one operator and as two.
const MOST_STEPS: usize = 6;

/// What is too deep in a preprocessed text, and where.
pub fn too_deep(text: &str) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let (mut depth, mut braces, mut run, mut chain, mut at) = (0usize, 0usize, 0usize, 0usize, 0usize);
    let mut steps = 0usize;
    while at < bytes.len() {
        let start = at;
        at += token_length(bytes, at);
        match bytes[start] {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        run += 1;
        match bytes[start] {
            sign @ (b'+' | b'-') => steps += usize::from(bytes.get(at) == Some(&sign)),
            b'*' | b'&' | b'!' | b'~' | b'(' => {}
            _ => steps = 0,
        }
        match bytes[start] {
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            b'e' if &bytes[start..at] == b"else" => chain += 1,
            _ => {}
        }
        if matches!(bytes[start], b';' | b',' | b'{' | b'}') {
            run = 0;
        }
        if braces == 0 {
            chain = 0;
        }
        if depth > DEEPEST {
            return Some(("the brackets are nested too deeply", start..at));
        }
        if steps > MOST_STEPS {
            return Some(("too many signs in a row", start..at));
        }
        if run > LONGEST {
            return Some(("this statement is too long", start..at));
        }
        if chain > MOST_ELSE {
            return Some(("too many `else` in one function", start..at));
        }
    }
    None
}

/// The tokens of a text, with where they start; blanks are none.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let start = at;
        at += bytes.get(at).map(|_| token_length(bytes, at))?;
        Some((start, text.get(start..at).unwrap_or("?")))
    })
}

/// The length of the token at an offset; strings and words are one token.
fn token_length(bytes: &[u8], at: usize) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let rest = &bytes[at..];
    match rest[0] {
        quote @ (b'"' | b'\'') => {
            let mut length = 1;
            while length < rest.len() && rest[length] != quote && rest[length] != b'\n' {
                length += if rest[length] == b'\\' { 2 } else { 1 };
            }
            (length + 1).min(rest.len())
        }
        first if is_word(&first) => rest.iter().take_while(|byte| is_word(byte)).count(),
        _ => 1,
    }
}

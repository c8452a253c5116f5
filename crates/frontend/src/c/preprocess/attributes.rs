//! GCC's attributes. Those that only warn, hint or place are left out of the text; others are refused.

use program::{Diagnostic, Span, Unsupported};

use super::token::{Kind, Token};

/// Attributes that do not change what a program does.
const HARMLESS: &[&str] = &[
    "access",
    "aligned",
    "alloc_size",
    "always_inline",
    "artificial",
    "cold",
    "const",
    "deprecated",
    "fallthrough",
    "flatten",
    "format",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "noclone",
    "noinline",
    "nonnull",
    "noreturn",
    "nothrow",
    "pure",
    "returns_nonnull",
    "sentinel",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
];

/// How many tokens after `__attribute__` belong to it, and what is wrong with it.
pub(super) fn attribute(tokens: &[Token], place: Span) -> (usize, Option<Diagnostic>) {
    let Some(length) = in_parentheses(tokens) else {
        return (0, Some(Diagnostic::error("`__attribute__` without its parentheses", place)));
    };
    let mut depth = 0;
    for token in &tokens[..length] {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") => depth -= 1,
            () if depth == 2 && token.kind == Kind::Identifier && !is_harmless(&token.text) => {
                let what = format!("the attribute `{}`", token.text);
                return (length, Some(Unsupported::new(what, Some(token.place)).into()));
            }
            () => {}
        }
    }
    (length, None)
}

fn is_harmless(name: &str) -> bool {
    let bare = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name);
    HARMLESS.contains(&bare)
}

/// The length of what stands in parentheses at the start.
fn in_parentheses(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") => depth -= 1,
            () => {}
        }
        if depth == 0 {
            return (index > 0).then_some(index + 1);
        }
    }
    None
}

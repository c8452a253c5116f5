//! GCC's attributes. Those that only warn, hint or place are left out of the text; others are refused.

use program::{Diagnostic, Span, Unsupported};

use super::rewrite::in_parentheses;
use super::token::{Kind, Token};

/// Attributes that do not change what a program does.
const HARMLESS: &[&str] = &[
    "access",
    "aligned",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "common",
    "const",
    "counted_by",
    "deprecated",
    "designated_init",
    "error",
    "externally_visible",
    "fallthrough",
    "fd_arg",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "may_alias",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "nocf_check",
    "noclone",
    "nocommon",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noplt",
    "noreturn",
    "nothrow",
    "null_terminated_string_arg",
    "optimize",
    "patchable_function_entry",
    "pure",
    "retain",
    "returns_nonnull",
    "returns_twice",
    "section",
    "sentinel",
    "stack_protect",
    "target",
    "tls_model",
    "unavailable",
    "uninitialized",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
    "weak",
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

/// Whether an attribute does not change what a program does.
pub(super) fn is_harmless(name: &str) -> bool {
    let bare = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name);
    HARMLESS.contains(&bare)
}

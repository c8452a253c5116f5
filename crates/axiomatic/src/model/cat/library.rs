//! What herd gives to every model, and what its library files give to those that include them; in our own words.

/// Definitions that every model starts with.
pub(super) const PRELUDE: &str = include_str!("library/prelude.cat");

/// The text of a built-in file.
pub(super) fn file(name: &str) -> Option<&'static str> {
    Some(match name {
        // All of what these define is in the prelude already.
        "stdlib.cat" | "cross.cat" | "compat.cat" => "",
        "cos.cat" | "cos-opt.cat" | "cos-ok-opt.cat" | "cos-no-opt.cat" | "co.cat" => include_str!("library/cos.cat"),
        "filters.cat" => include_str!("library/filters.cat"),
        "x86fences.cat" | "fences.cat" => include_str!("library/x86fences.cat"),
        "c11_cos.cat" => include_str!("library/c11_cos.cat"),
        "c11_los.cat" => include_str!("library/c11_los.cat"),
        "c11_base.cat" => include_str!("library/c11_base.cat"),
        _ => return None,
    })
}

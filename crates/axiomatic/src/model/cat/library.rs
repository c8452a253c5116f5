//! What herd gives to every model, and what its library files give to those that include them; in our own words.

/// Definitions that every model starts with.
pub(super) const PRELUDE: &str = include_str!("library/prelude.cat");

/// The product of sets of orders, as models write it.
pub(super) const PRODUCTS: &str = include_str!("library/product.cat");

/// What the functions are called there.
pub(super) const PRODUCT_NAMES: [&str; 3] = ["gathering", "folding", "mapping"];

/// The file that says that the model speaks of the parts of read-modify-writes: see [`crate::model::EventView`].
pub(super) const PARTS: &str = "palisade.cat";

/// The text of a built-in file. A file of that name beside the model is not read: those of herd itself are programs that
/// enumerate orders, where these speak of them.
pub(super) fn file(name: &str) -> Option<&'static str> {
    Some(match name {
        PARTS => "",
        // All of what these define is in the prelude already.
        "stdlib.cat" | "cross.cat" | "ncross.cat" | "compat.cat" => "",
        // The kernel's file that finds the orders of lock operations, too, of which no program has any.
        "lock.cat" | "cos.cat" | "cos-opt.cat" | "cos-ok-opt.cat" | "cos-no-opt.cat" | "ncos.cat" | "co.cat" => {
            include_str!("library/cos.cat")
        }
        "filters.cat" => include_str!("library/filters.cat"),
        "x86fences.cat" | "fences.cat" => include_str!("library/x86fences.cat"),
        "c11_cos.cat" => include_str!("library/c11_cos.cat"),
        "c11_los.cat" => include_str!("library/c11_los.cat"),
        "c11_base.cat" => include_str!("library/c11_base.cat"),
        // Ours: what the models of Java's access modes share.
        "access_modes.cat" => include_str!("library/access_modes.cat"),
        _ => return None,
    })
}

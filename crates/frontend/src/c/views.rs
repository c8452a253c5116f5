//! Whether memory may be accessed as different types: only then accesses can meet in part of their bytes, and are looked at by
//! `crate::cells`, which costs time.
//!
//! A union, a copy byte by byte, and a pointer that becomes one to another type make such views; so do pointers of one type that become
//! `void *` or integers where pointers of another type come from such. In which direction this errs: a program without such views may
//! be said to have some.

use super::types::{Shape, Type};

/// The conversions of pointers that were seen.
#[derive(Default)]
pub struct Views {
    /// Whether some memory is seen as two types.
    found: bool,
    /// What pointers point to that become `void *` or integers.
    given: Vec<Shape>,
    /// What pointers point to that are made of `void *` and integers.
    taken: Vec<Shape>,
}

impl Views {
    /// Whether some memory may be accessed as different types.
    pub fn any(&self) -> bool {
        self.found || self.given.iter().any(|given| self.taken.iter().any(|taken| taken != given))
    }

    /// Memory is seen as something else.
    pub fn add(&mut self) {
        self.found = true;
    }

    /// A pointer becomes one to another type.
    pub fn repoint(&mut self, from: &Type, to: &Type) {
        match (&from.shape, &to.shape) {
            (a, b) if a == b => {}
            (Shape::Void, Shape::Function(_)) | (Shape::Function(_), Shape::Void) => {}
            (Shape::Integer(a), Shape::Integer(b)) if a.width == b.width => {}
            (Shape::Void, _) => self.comes_from_anything(to),
            (_, Shape::Void) => self.becomes_anything(from),
            _ => self.found = true,
        }
    }

    /// A pointer to this type becomes a `void *` or an integer.
    pub fn becomes_anything(&mut self, from: &Type) {
        insert(&mut self.given, from);
    }

    /// A pointer to this type is made of a `void *` or an integer.
    pub fn comes_from_anything(&mut self, to: &Type) {
        insert(&mut self.taken, to);
    }
}

fn insert(shapes: &mut Vec<Shape>, of: &Type) {
    if !shapes.contains(&of.shape) {
        shapes.push(of.shape.clone());
    }
}

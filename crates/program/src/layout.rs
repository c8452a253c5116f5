//! Layouts: which part of an object lies at which byte. Reports name cells by them; nothing else depends on them.

use std::sync::Arc;

/// The parts of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One value of so many bytes.
    Scalar(u64),
    /// Elements one after the other.
    Array {
        /// The bytes from one to the next.
        stride: u64,
        /// What each of them is.
        element: Arc<Layout>,
    },
    /// Members.
    Record {
        /// How many bytes they take together.
        size: u64,
        /// Name, first byte and layout of each; the members of a union overlap. An unnamed member has no name.
        fields: Vec<(String, u64, Layout)>,
    },
}

impl Layout {
    /// How the part is written that starts at a byte, after the name of the object: `.next`, `[2].data`, nothing for the object
    /// itself. Where the byte is past the end it belongs to the next object of that type; `+3` is the fourth byte of a value.
    pub fn part(&self, offset: u64) -> String {
        match self {
            Layout::Scalar(size) | Layout::Record { size, .. } if *size > 0 && offset >= *size => {
                format!("[{}]{}", offset / size, self.part(offset % size))
            }
            Layout::Scalar(_) if offset == 0 => String::new(),
            Layout::Array { stride, element } if *stride > 0 => {
                format!("[{}]{}", offset / stride, element.part(offset % stride))
            }
            Layout::Record { fields, .. } => {
                let starts = |(_, first, of): &&(String, u64, Layout)| *first <= offset && offset - first < of.size();
                // Of members that start at the same byte, as those of a union do, the first.
                match fields.iter().rev().filter(starts).max_by_key(|(_, first, _)| *first) {
                    Some((name, first, of)) if name.is_empty() => of.part(offset - first),
                    Some((name, first, of)) => format!(".{name}{}", of.part(offset - first)),
                    None => format!("+{offset}"),
                }
            }
            _ => format!("+{offset}"),
        }
    }

    /// How many bytes it has; an array, whose length is not kept here, all that follow.
    fn size(&self) -> u64 {
        match self {
            Layout::Scalar(size) | Layout::Record { size, .. } => *size,
            Layout::Array { .. } => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_the_source_writes_them() {
        let slot = Layout::Record {
            size: 16,
            fields: vec![("data".into(), 0, Layout::Scalar(8)), ("len".into(), 8, Layout::Scalar(4))],
        };
        let buf = Layout::Array { stride: 16, element: Arc::new(slot.clone()) };
        let queue =
            Layout::Record { size: 40, fields: vec![("buf".into(), 0, buf), ("head".into(), 32, Layout::Scalar(4))] };
        let parts = |layout: &Layout, offsets: &[u64]| offsets.iter().map(|at| layout.part(*at)).collect::<Vec<_>>();
        assert_eq!(parts(&slot, &[0, 8, 10, 13, 24]), [".data", ".len", ".len+2", "+13", "[1].len"]);
        assert_eq!(parts(&queue, &[0, 24, 32]), [".buf[0].data", ".buf[1].len", ".head"]);
        assert_eq!(parts(&Layout::Scalar(4), &[0, 2, 8]), ["", "+2", "[2]"]);
    }
}

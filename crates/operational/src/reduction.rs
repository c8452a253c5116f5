//! Which interleavings are tried.

/// Which interleavings are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// Those that can make a difference: steps that no other thread sees are taken at once, see [`crate::turn`].
    #[default]
    Persistent,
    /// All, instruction by instruction.
    None,
    /// All, operation by operation: a thread that goes runs on while nobody else could notice. For schedules that are to be
    /// read: what threads do stands where it is said, and nothing else happens.
    Own,
}

//! Numbers of things: a type for each kind of thing, so that a cell is not taken for a value.

macro_rules! id {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// None of them. A number of its own instead of an `Option`: lists of these are long, and compared and hashed.
            pub const NONE: $name = $name(u32::MAX);

            /// The one at this place of a list.
            #[inline]
            pub fn at(place: usize) -> $name {
                $name(place as u32)
            }

            /// Its place in lists of what is known of each.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether it is one.
            #[inline]
            pub fn is_some(self) -> bool {
                self != $name::NONE
            }
        }
    };
}

id! {
    /// A node of the trees of histories: a history of a thread.
    NodeId
}

id! {
    /// A class, in the order in which they were found.
    ClassId
}

id! {
    /// A thread, the same in all executions: see [`super::history`].
    ThreadId
}

id! {
    /// A cell of memory, or a monitor, which is one; the same in all executions.
    CellId
}

id! {
    /// A value; equal numbers are equal values, in all executions and traces of an exploration.
    ValueId
}

id! {
    /// A cell of one trace, which numbers those that it mentions densely: see [`super::trace`].
    TraceCell
}

id! {
    /// A monitor of one trace, numbered as its cells are.
    TraceMonitor
}

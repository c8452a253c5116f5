//! Numbers of the parts of a program, each of a type of its own.
//!
//! [`crate::Program`] and [`crate::Function`] are indexed by them: `program[function]`, `function[block]`.

/// Index of a thread in [`crate::Program::threads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// Index of a global in [`crate::Program::globals`]; also the allocation number of pointers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// Index of a function in [`crate::Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// Index of a register in [`crate::Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

/// Index of a block in [`crate::Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// How ids and places in lists are made of each other.
macro_rules! places {
    ($($id:ident),*) => {
        $(impl $id {
            /// The id of what stands at this place of its list.
            #[inline]
            pub fn at(index: usize) -> $id {
                $id(index as u32)
            }

            /// The place in its list.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

places!(ThreadId, GlobalId, FunctionId, RegisterId, BlockId);

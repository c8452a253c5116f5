//! What a fence orders on a machine with store buffers.

use program::Access;

use crate::memory::{Machine, ordering};

/// What a fence orders on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceOrder {
    /// Nothing; but it counts as an event of an atomic block.
    Nothing,
    /// Everything: it waits for the thread's stores.
    Full,
    /// Stores with later stores.
    Stores,
    /// Stores with later loads.
    Loads,
}

/// What a fence orders on a machine; `None` if it is not known.
pub fn fence_order(machine: Machine, access: &Access) -> Option<FenceOrder> {
    if !machine.has_buffers() {
        return Some(FenceOrder::Nothing);
    }
    let ordering = ordering(access)?;
    let is_tso = machine == Machine::Tso;
    Some(match (ordering.store_load, ordering.store_store) {
        (true, stores) if stores || is_tso => FenceOrder::Full,
        (true, _) => FenceOrder::Loads,
        (false, true) if !is_tso => FenceOrder::Stores,
        _ => FenceOrder::Nothing,
    })
}

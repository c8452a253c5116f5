//! What a fence orders on a machine with store buffers.

use program::{Access, Order};

use crate::machine::Machine;

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
    let in_order = machine.keeps_stores_in_order();
    Some(match (ordering.store_load, ordering.store_store) {
        (true, stores) if stores || in_order => FenceOrder::Full,
        (true, _) => FenceOrder::Loads,
        (false, true) if !in_order => FenceOrder::Stores,
        _ => FenceOrder::Nothing,
    })
}

/// What a fence orders: stores with later loads, stores with later stores. Loads stay before what follows them anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ordering {
    store_load: bool,
    store_store: bool,
}

/// Fences that order nothing that buffers could reorder.
const WITHOUT_EFFECT: [&str; 8] = ["LFENCE", "LL", "LS", "AL", "DDL", "CD", Access::COMPILED, Access::COMMIT];

/// What a fence orders; `None` if it is not known. The sets `SL` and `SS` of the axiomatic engine.
fn ordering(access: &Access) -> Option<Ordering> {
    let full = access.order == Order::SeqCst;
    let releases = full || matches!(access.order, Order::Release | Order::AcquireRelease);
    let mut ordering = Ordering { store_load: full, store_store: releases };
    for tag in &access.tags {
        match &**tag {
            "MFENCE" => ordering = Ordering { store_load: true, store_store: true },
            "SL" => ordering.store_load = true,
            // What a constructor wrote to final fields gets to memory before what it is published by.
            "SFENCE" | "SS" | "freeze" => ordering.store_store = true,
            tag if WITHOUT_EFFECT.contains(&tag) => {}
            _ => return None,
        }
    }
    let is_known = !access.tags.is_empty() || !matches!(access.order, Order::Plain);
    is_known.then_some(ordering)
}

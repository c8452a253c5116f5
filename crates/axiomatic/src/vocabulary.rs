//! The sets and relations that a model may use without defining them: the events of an execution, seen by name.
//!
//! A name stands for the same thing in every language and model; a set that a program has no event of is empty. They
//! are listed here for the model languages and for `palisade models`. What a set contains is decided here, too
//! (`belongs`), what a relation contains where the events of a program become matrices (`bind`).
//!
//! What models rely on:
//! - In cat models the events are herd's: a read-modify-write of C that succeeds is one event, both in `R` and in `W`; a locked
//!   instruction of x86 is two, related by `rmw` but not by `po`; see the module `herd`.
//! - In `.mm` models, and in cat models that include `palisade.cat`, every read-modify-write is two events, its read before its
//!   write in `po`. Both are in `X`, and in `atomic-block` with each other. Everywhere one that fails is its read alone.
//! - Initial writes are in `W`, `M` and `IW`, but neither in `A` nor in `po`.
//! - `loc` relates accesses only, each with itself too. `int` relates events with themselves.
//! - A fence is in every set whose order it gives: `MFENCE` and C11 seq_cst fences in `LL`, `LS`, `SL` and `SS`; acquire
//!   fences in `LL` and `LS`; release fences in `LS` and `SS`; acq_rel fences in those three; `SFENCE` in `SS`; `LFENCE` in
//!   `LL`.

use program::{Access, EventKind, Order};

/// Sets of events, with what they contain.
pub const SETS: &[(&str, &str)] = &[
    ("W", "writes, initial writes included"),
    ("R", "reads"),
    ("M", "reads and writes"),
    ("F", "fences"),
    ("IW", "initial writes"),
    ("FW", "coherence-last writes"),
    ("A", "atomic accesses: of C11 all that are not plain, of machines those of a read-modify-write"),
    ("NA", "plain accesses"),
    ("RLX", "C11 relaxed"),
    ("CON", "C11 consume"),
    ("ACQ", "C11 acquire"),
    ("REL", "C11 release"),
    ("ACQ_REL", "C11 acquire and release"),
    ("SC", "C11 seq_cst"),
    ("V", "accesses of volatile objects; in litmus tests in Java, full fences too"),
    ("O", "Java opaque"),
    ("RA", "Java acquire and release"),
    ("FINAL", "accesses of final fields"),
    ("X", "accesses of a read-modify-write"),
    ("RMW", "C11 read-modify-writes that succeed; with palisade.cat, both their events"),
    ("AMO", "accesses of a locked instruction"),
    ("MFENCE", "x86 mfence"),
    ("SFENCE", "x86 sfence"),
    ("LFENCE", "x86 lfence"),
    ("LL", "CheckFence's load-load fence"),
    ("LS", "CheckFence's load-store fence"),
    ("SL", "CheckFence's store-load fence"),
    ("SS", "CheckFence's store-store fence"),
    ("AL", "CheckFence's aliased-loads fence"),
    ("DDL", "CheckFence's data-dependent-loads fence"),
    ("CD", "CheckFence's control-dependent fence"),
];

/// Relations between events, with what they relate.
pub const RELATIONS: &[(&str, &str)] = &[
    ("po", "program order: events of one thread, first to last"),
    ("rf", "reads-from: a write to the reads that see it"),
    ("co", "coherence: writes of one location, a strict total order for each, initial writes first"),
    ("fr", "from-read: a read to the writes that overwrite what it saw"),
    ("loc", "accesses of the same location"),
    ("int", "events of the same thread"),
    ("ext", "events of different threads, or one of them initial"),
    (
        "same-instance",
        "events of the same instruction, or of the same statement of a litmus test, each with itself too",
    ),
    ("iico_data", "inside of an instruction: a read to the write that is computed from it"),
    ("iico_ctrl", "inside of an instruction: the read of an exchange or compare-exchange to its write"),
    ("iico_order", "inside of an instruction: what is merely ordered; nothing"),
    ("sm", "accesses of the same memory: each with itself, as all accesses of a location have one width"),
    ("si", "each event with itself"),
    ("addr", "address dependency: a read to an access whose address was computed from it"),
    ("data", "data dependency: a read to a write whose value was computed from it"),
    ("ctrl", "control dependency: a read to the events after a branch that was computed from it"),
    ("rmw", "the read of a read-modify-write to its write, where these are two events"),
    ("amo", "the part of rmw that is one instruction, not a load-linked and a store-conditional"),
    ("atomic-block", "events of the same atomic block or read-modify-write, both ways and to themselves"),
    (
        "allocates",
        "in whole programs in C: the allocation of heap memory that is never freed to the accesses of it by other threads",
    ),
    ("frees", "in whole programs in C: the writes of memory to where another thread frees it or its life ends"),
    ("ends-before", "the end of a thread to the start of every thread that is ordered after it, directly or not"),
];

// What the executions of programs with monitors, thread starts and joins have besides, and models of several executions
// of one program. Only `.mm` models use these names.
//
// A model of several executions speaks of the main one and of E_1..E_k. The name of a set or relation alone means the main
// execution, with `@i` after it E_i: `po@2`. These are absolute: nothing is in a set of an execution, and no pair in a
// relation, that is not executed there. The same action may be executed in several executions.

/// Sets of actions, with what they contain.
pub const ACTION_SETS: &[(&str, &str)] = &[
    ("executed", "the actions of the execution, initial writes included; only in models of several executions"),
    ("L", "locks of a monitor"),
    ("U", "unlocks of a monitor"),
    ("S", "thread starts, one for each thread, before all else of it in program order"),
    ("E", "thread ends, one for each thread, after all else of it in program order"),
    ("special", "special actions: what the outside world sees"),
];

/// Relations between actions, with what they relate.
pub const ACTION_RELATIONS: &[(&str, &str)] = &[
    ("monitor", "locks and unlocks of the same monitor, each with itself too"),
    ("val", "reads, writes and special actions of the same value, each with itself too"),
    (
        "matching",
        "the lock that begins an outermost critical section to the unlock that ends it; nothing for inner ones",
    ),
    ("freezes", "the freeze of a final field, at the end of the constructor that sets it, to the reads of the field"),
    (
        "dereferences",
        "to an access of an object by a thread that did not make it, from one read of the object's address by that thread \
         before it (Java language specification, 17.5.1, dereference chain)",
    ),
    (
        "memory-chain",
        "a write of an address to the reads that see it, what is in `dereferences`, and to a write of an object's address \
         by a thread that did not make it, from one read of that address by that thread before it (17.5.1)",
    ),
];

/// Sets of which there is one for each thread, location (`#` and a number from 0) or execution (`@` and a number from 1).
pub const ACTION_FAMILIES: &[(&str, &str)] = &[
    ("thread", "`thread#t`: the actions of a thread"),
    ("location", "`location#c`: the accesses of a location, its initial write included"),
    ("value", "`value=n`: the reads, writes and special actions of the integer n"),
    (
        "same-value",
        "`same-value@i`: the writes that, if E_i and the main execution both execute them, write the same value",
    ),
    (
        "same-location",
        "`same-location@i`: the actions that, if E_i and the main execution both execute them, have the same location and \
         monitor, or have neither",
    ),
];

/// The number that the events of a set `value=n` have.
pub(crate) fn value_of_set(set: &str) -> Option<i64> {
    set.strip_prefix("value=")?.parse().ok()
}

/// Whether a set is that of the events with an annotation (see [`Access::ANNOTATIONS`]).
pub fn is_annotation(set: &str) -> bool {
    set.starts_with('\'')
}

/// Whether an event with this access belongs to a set of the vocabulary.
pub fn belongs(set: &str, kind: EventKind, initial: bool, access: &Access) -> bool {
    let (read, write, fence) = (kind == EventKind::Read, kind == EventKind::Write, kind == EventKind::Fence);
    let tagged = |tag: &str| access.tags.iter().any(|other| &**other == tag);
    let order = |order: Order| access.order == order && !initial;
    // Which of the four basic orderings a fence keeps: by its own name, or as part of a larger fence.
    let full = tagged("MFENCE") || order(Order::SeqCst);
    let acquires = full || order(Order::Acquire) || order(Order::AcquireRelease) || order(Order::Consume);
    let releases = full || order(Order::Release) || order(Order::AcquireRelease);
    match set {
        "W" => write,
        "R" => read,
        "M" => read || write,
        "F" => fence,
        "IW" => initial,
        "executed" => true,
        "L" => kind == EventKind::Lock,
        "U" => kind == EventKind::Unlock,
        "S" => kind == EventKind::Start,
        "E" => kind == EventKind::End,
        "special" => kind == EventKind::Special,
        "A" => (read || write) && !initial && (access.order != Order::Plain || tagged("X")),
        "NA" => (read || write) && access.order == Order::Plain && !tagged("X"),
        "RLX" => order(Order::Relaxed),
        "CON" => order(Order::Consume),
        "ACQ" => order(Order::Acquire),
        "REL" => order(Order::Release),
        "ACQ_REL" => order(Order::AcquireRelease),
        "SC" => order(Order::SeqCst),
        "LL" => fence && (acquires || tagged("LFENCE") || tagged("LL")),
        "LS" => fence && (acquires || releases || tagged("LS")),
        "SL" => fence && (full || tagged("SL")),
        "SS" => fence && (releases || tagged("SFENCE") || tagged("SS") || tagged("freeze")),
        "RMW" => tagged("X"),
        "FINAL" => (read || write) && tagged("final"),
        "AMO" => tagged("X") && access.order == Order::Plain,
        "O" => order(Order::Relaxed),
        "RA" => order(Order::Acquire) || order(Order::Release),
        "V" => tagged("V") || tagged("volatile"),
        tag if is_annotation(tag) => {
            tagged(tag) || read && tagged(&format!("R{tag}")) || write && tagged(&format!("W{tag}"))
        }
        tag => tagged(tag),
    }
}

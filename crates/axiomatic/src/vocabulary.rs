//! The sets and relations that a model may use without defining them: the events of an execution, seen by name.
//!
//! A name stands for the same thing in every language and model; a set that a program has no event of is empty. What
//! each name contains is decided in one place, where the events of a program become matrices (`encode`), and listed
//! here for the model languages and for `palisade models`.
//!
//! What models rely on:
//! - A read-modify-write is two events, its read before its write in `po`; one that fails is its read alone. Both are in
//!   `X`, and in `atomic-block` with each other.
//! - Initial writes are in `W`, `M` and `IW`, but neither in `A` nor in `po`.
//! - `loc` relates accesses only, each with itself too. `int` relates events with themselves.
//! - A fence is in every set whose order it gives: `MFENCE` and C11 seq_cst fences in `LL`, `LS`, `SL` and `SS`; acquire
//!   fences in `LL` and `LS`; release fences in `LS` and `SS`; acq_rel fences in those three; `SFENCE` in `SS`; `LFENCE` in
//!   `LL`.

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
    ("V", "accesses of volatile objects"),
    ("X", "accesses of a read-modify-write"),
    ("RMW", "C11 atomic read-modify-writes, both their events"),
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
    ("addr", "address dependency: a read to an access whose address was computed from it"),
    ("data", "data dependency: a read to a write whose value was computed from it"),
    ("ctrl", "control dependency: a read to the events after a branch that was computed from it"),
    ("rmw", "the read of a read-modify-write to its write"),
    ("amo", "the part of rmw that is one instruction, not a load-linked and a store-conditional"),
    ("atomic-block", "events of the same atomic block or read-modify-write, both ways and to themselves"),
];

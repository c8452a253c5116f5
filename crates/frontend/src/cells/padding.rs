//! Padding is set and copied with the objects that have it ([`PADDING_TAG`]), so that views of their bytes find it. Where no access of
//! another kind can read it, this costs and changes nothing, and is left out, unless only it may show that memory is too small.
//!
//! In which direction this errs: what is left out is read by nobody, by the points-to analysis, which finds too many readers.

use std::collections::BTreeSet;

use program::{InstructionKind, Operand, Program, Value};

use super::places::{Class, Site, Values};
use super::{At, END_TAG, Meeting, PADDING_TAG, Touch, meeting};

/// Leaves out accesses of padding: all, if nothing is accessed as another type.
pub(super) fn leave_out(program: &mut Program, has_views: bool) {
    if !program.instructions().any(|instruction| is_padding(&instruction.kind)) {
        return;
    }
    let ends = program.instructions().any(|instruction| is_tagged(&instruction.kind, END_TAG));
    let needed = if has_views || ends { needed(program, &super::places::values(program)) } else { BTreeSet::new() };
    for (function, code) in program.functions.iter_mut().enumerate() {
        for (block, code) in code.blocks.iter_mut().enumerate() {
            let mut number = 0;
            code.instructions.retain(|instruction| {
                let at = (function, block, number);
                number += 1;
                !is_padding(&instruction.kind) || needed.contains(&at)
            });
        }
    }
}

fn is_padding(kind: &InstructionKind) -> bool {
    is_tagged(kind, PADDING_TAG)
}

fn is_tagged(kind: &InstructionKind, tag: &str) -> bool {
    let (InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. }) = kind else { return false };
    access.has(tag)
}

/// Whether an access may be the only one that leaves its object.
fn may_leave(program: &Program, values: &Values, touch: &Touch, kind: &InstructionKind) -> bool {
    let fits = |class: &Class| match size(program, values, class.site) {
        Some(size) => class.modulus == 0 && class.residue >= 0 && class.residue + touch.bytes <= size,
        None => false,
    };
    is_tagged(kind, END_TAG) && !touch.classes.iter().all(fits)
}

/// How many bytes the blocks of a site have, if that is constant.
fn size(program: &Program, values: &Values, site: Site) -> Option<i64> {
    let extent = match (site, values.instruction(program, site)) {
        (Site::Global(id), _) => program.globals.get(id as usize)?.extent.as_ref()?,
        (_, Some(InstructionKind::Allocate { extent: Some(extent), .. })) => extent,
        _ => return None,
    };
    match &extent.size {
        Operand::Constant(Value::Int(size)) => Some(size.signed()),
        _ => None,
    }
}

/// The accesses of padding that other reads depend on.
fn needed(program: &Program, values: &Values) -> BTreeSet<At> {
    let touches = super::touches(program, values);
    let kind = |touch: &Touch| &program.functions[touch.at.0].blocks[touch.at.1].instructions[touch.at.2].kind;
    let (padding, others): (Vec<&Touch>, Vec<&Touch>) = touches.iter().partition(|touch| is_padding(kind(touch)));
    let reads = |touch: &&Touch| !matches!(kind(touch), InstructionKind::Store { .. });
    let mut readers: Vec<&Touch> = others.into_iter().filter(reads).collect();
    let leaves = |touch: &&Touch| may_leave(program, values, touch, kind(touch));
    let (loads, mut stores): (Vec<&Touch>, Vec<&Touch>) = padding.into_iter().partition(reads);
    let mut needed: BTreeSet<At> = BTreeSet::new();
    let mut is_first = true;
    while !readers.is_empty() || is_first {
        let may_leave = |store: &&Touch| is_first && leaves(store);
        let (read, unread): (Vec<&Touch>, Vec<&Touch>) =
            stores.into_iter().partition(|store| may_leave(store) || readers.iter().any(|reader| meet(store, reader)));
        is_first = false;
        stores = unread;
        let copied =
            |load: &&&Touch| read.iter().any(|store| store.at.0 == load.at.0 && copies(kind(load), kind(store)));
        readers = loads.iter().filter(|load| !needed.contains(&load.at)).filter(copied).copied().collect();
        needed.extend(read.iter().chain(&readers).map(|touch| touch.at));
    }
    needed.extend(loads.into_iter().filter(leaves).map(|load| load.at));
    needed
}

/// Whether two accesses may meet in some byte.
fn meet(one: &Touch, other: &Touch) -> bool {
    let site = |site: Site| other.classes.iter().filter(move |class| class.site == site);
    one.classes.iter().any(|a| site(a.site).any(|b| !matches!(meeting(a, one.bytes, b, other.bytes), Meeting::Never)))
}

/// Whether a store writes what a load has read.
fn copies(load: &InstructionKind, store: &InstructionKind) -> bool {
    match (load, store) {
        (InstructionKind::Load { target, .. }, InstructionKind::Store { value, .. }) => {
            *value == Operand::Register(*target)
        }
        _ => false,
    }
}

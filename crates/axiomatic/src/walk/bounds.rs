//! Whether accesses lie within their blocks of memory. Most blocks have a size that the program says; where it is computed, the walk
//! remembers what it is, and what is accessed before the walk comes to the allocation, as other threads may do, waits for that.

use std::collections::BTreeMap;

use program::{Extent, Global, InstructionKind, Operator, Span, Storage, ThreadId, Unsupported, Value};

use super::{Decision, Domain, State, Walk};

/// The sizes of blocks that are computed.
pub(super) struct Sizes<D: Domain> {
    /// By block: its size, a number of 64 bits.
    known: BTreeMap<u32, D::Value>,
    /// Accesses of blocks that the walk has not come to.
    waiting: Vec<Access<D>>,
}

impl<D: Domain> Default for Sizes<D> {
    fn default() -> Sizes<D> {
        Sizes { known: BTreeMap::new(), waiting: Vec::new() }
    }
}

/// An access of a block whose size is computed.
struct Access<D: Domain> {
    block: u32,
    name: String,
    offset: i64,
    bytes: u8,
    thread: ThreadId,
    span: Option<Span>,
    /// When the thread comes to it.
    guard: D::Guard,
    /// When it is an access of this block, there.
    here: D::Guard,
}

impl<D: Domain> Sizes<D> {
    /// Checks accesses of blocks that the walk has come to since. What it has not come to is never allocated.
    pub(super) fn check_what_waits(mut self, domain: &mut D) -> Result<(), Unsupported> {
        for access in std::mem::take(&mut self.waiting) {
            if let Some(size) = self.known.get(&access.block) {
                access.check(size, domain).map_err(|what| Unsupported::new(what, access.span))?;
            }
        }
        Ok(())
    }
}

impl<D: Domain> Access<D> {
    fn check(&self, size: &D::Value, domain: &mut D) -> Result<(), String> {
        let known = domain.numbers(size).filter(|sizes| sizes.len() == 1);
        if let Some(size) = known.and_then(|sizes| sizes.first().copied()) {
            if let Some(wrong) = Extent::trespass(&self.name, size as u64, self.offset, self.bytes) {
                check_never(domain, &self.guard, &self.here, &wrong, self.span);
            }
            return Ok(());
        }
        let last = self.offset.saturating_add(i64::from(self.bytes) - 1);
        let wrong =
            format!("an access out of bounds: bytes {} to {last} of `{}`, which has fewer", self.offset, self.name);
        if self.offset < 0 {
            check_never(domain, &self.guard, &self.here, &wrong, self.span);
            return Ok(());
        }
        let last = domain.constant(&Value::int(last, 64));
        let is_within = domain.apply(&Operator::LtUnsigned, &[last, size.clone()])?;
        let (is_within, _) = domain.decide(&is_within, Decision { thread: self.thread, span: self.span, read: false });
        let always = domain.truth(true);
        let fine = domain.select_guard(&self.here, &is_within, &always);
        domain.check(&self.guard, &fine, &wrong, self.span);
        Ok(())
    }
}

/// It goes wrong whenever it is `here`.
fn check_never<D: Domain>(domain: &mut D, guard: &D::Guard, here: &D::Guard, wrong: &str, span: Option<Span>) {
    let (never, always) = (domain.truth(false), domain.truth(true));
    let fine = domain.select_guard(here, &never, &always);
    domain.check(guard, &fine, wrong, span);
}

impl<D: Domain> Walk<'_, D> {
    /// Remembers the size of a block if it is computed.
    pub(super) fn note_size(&mut self, block: u32, extent: Option<&Extent>, state: &State<D>) {
        let Some(extent) = extent.filter(|extent| extent.known_size().is_none()) else { return };
        let (size, _) = self.operand(&extent.size, state);
        self.sizes.known.insert(block, size);
    }

    /// Of two blocks whose sizes are computed, one is only allocated again as the other if they have the same.
    pub(super) fn assume_same_size(
        &mut self,
        guard: &D::Guard,
        chosen: &D::Guard,
        (own, other): (u32, u32),
    ) -> Result<(), String> {
        let known = &self.sizes.known;
        let Some((own, other)) = known.get(&own).cloned().zip(known.get(&other).cloned()) else { return Ok(()) };
        let is_same = self.domain.apply(&Operator::Eq, &[own, other])?;
        let decision = Decision { thread: self.unrolled.thread, span: None, read: false };
        let (is_same, _) = self.domain.decide(&is_same, decision);
        let guard = self.domain.both(guard, chosen);
        self.domain.assume(&guard, &is_same);
        Ok(())
    }

    /// An access must lie within its block of memory, and must not write to a constant.
    pub(super) fn check_bounds(
        &mut self,
        kind: &InstructionKind,
        span: Option<Span>,
        state: &State<D>,
    ) -> Result<(), String> {
        let (InstructionKind::Load { address, access, .. }
        | InstructionKind::Store { address, access, .. }
        | InstructionKind::ReadModifyWrite { address, access, .. }) = kind
        else {
            return Ok(());
        };
        if access.bytes == 0 {
            return Ok(());
        }
        let writes = !matches!(kind, InstructionKind::Load { .. });
        let (address, _) = self.operand(address, state);
        for (cell, here) in self.domain.targets(&address) {
            let block = self.unrolling.sizes.get(&cell.allocation).zip(cell.bytes());
            let wrong = block.and_then(|((name, size), offset)| Extent::trespass(name, *size, offset, access.bytes));
            let is_constant = writes && self.program.globals.get(cell.allocation as usize).is_some_and(is_constant);
            let constant = is_constant.then(|| Extent::constant(&self.program.allocation_name(cell.allocation)));
            if let Some(wrong) = wrong.or(constant) {
                check_never(self.domain, &state.guard, &here, &wrong, span);
            }
            let of_unknown = cell.bytes().filter(|_| !self.unrolling.sizes.contains_key(&cell.allocation));
            if let Some(offset) = of_unknown.filter(|_| !super::is_marker(&cell)) {
                let made = self.unrolling.made().find(|made| made.number == cell.allocation);
                let Some(name) = made.map(|made| made.name.to_string()) else { continue };
                let (block, bytes, thread) = (cell.allocation, access.bytes, self.unrolled.thread);
                let guard = state.guard.clone();
                self.check_later(Access { block, name, offset, bytes, thread, span, guard, here })?;
            }
        }
        Ok(())
    }

    /// Checks an access of a block whose size is computed, or lets it wait for the walk to come to the allocation.
    fn check_later(&mut self, access: Access<D>) -> Result<(), String> {
        match self.sizes.known.get(&access.block).cloned() {
            Some(size) => access.check(&size, self.domain),
            None => {
                self.sizes.waiting.push(access);
                Ok(())
            }
        }
    }
}

fn is_constant(global: &Global) -> bool {
    global.extent.as_ref().is_some_and(|extent| extent.storage == Storage::ReadOnly)
}

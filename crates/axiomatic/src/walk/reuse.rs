//! Memory that is freed and allocated again: which block an allocation gets, and the marker events that say so.

use super::*;

impl<D: Domain> Walk<'_, D> {
    /// An `allocate` without reuse: the copy's own block. Where the model asks what orders accesses after their allocation, and others
    /// run, this is a write of the cell that says that the block is allocated.
    pub(super) fn allocate(
        &mut self,
        node: usize,
        own: u32,
        span: Option<Span>,
        state: &State<D>,
    ) -> Result<D::Value, Unsupported> {
        if self.extras.allocations && !state.alone && self.unrolling.heap.contains(&own) {
            let cell = self.domain.constant(&Value::Pointer(Pointer { allocation: own, path: vec![GIVEN_OUT] }));
            let (one, always) = (self.domain.constant(&Value::int(1, 8)), self.domain.truth(true));
            let access = vec![(Access::ordered(Order::Acquire), always)];
            let mut site = self.site(node, EventKind::Write, span, access, state);
            (site.address, site.value, site.atomic) = (Some(cell), Some(one), None);
            self.domain.event(site).map_err(|what| Unsupported::new(what, span))?;
        }
        Ok(self.domain.constant(&Value::Pointer(Pointer::to(own))))
    }

    /// An `allocate` with reuse: this copy's own block, or one that was freed.
    pub(super) fn reuse(
        &mut self,
        node: usize,
        own: u32,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<D::Value, Unsupported> {
        let refuse = |what: String| Unsupported::new(what, span);
        let size = |block: &u32| self.unrolling.sizes.get(block).map(|(_, size)| *size);
        let blocks: Vec<u32> =
            self.unrolling.reusable.iter().copied().filter(|block| size(block) == size(&own)).collect();
        let own_pointer = Value::Pointer(Pointer::to(own));
        if state.alone {
            // Which block a thread gets makes no difference while it is alone.
            let pointer = self.domain.constant(&own_pointer);
            let cell = self.domain.constant(&Value::Pointer(Pointer { allocation: own, path: vec![GIVEN_OUT] }));
            let (one, always) = (self.domain.constant(&Value::int(1, 8)), self.domain.truth(true));
            self.remember(&cell, &one, &always, span, state).map_err(refuse)?;
            return Ok(pointer);
        }
        let choice = self.domain.choose(0, blocks.len() as i64 - 1, 16);
        let mut pointer = self.domain.constant(&own_pointer);
        let mut is_other = self.domain.truth(false);
        for (index, &block) in blocks.iter().enumerate().filter(|&(_, &block)| block != own) {
            let index = self.domain.constant(&Value::int(index as i64, 16));
            let chosen = self.domain.apply(&Operator::Eq, &[choice.clone(), index]).map_err(refuse)?;
            let decision = Decision { thread: self.unrolled.thread, span: None, read: false };
            let (chosen, _) = self.domain.decide(&chosen, decision);
            self.assume_same_size(&state.guard, &chosen, (own, block)).map_err(refuse)?;
            let other = self.domain.constant(&Value::Pointer(Pointer::to(block)));
            pointer = self.domain.select(&chosen, &other, &pointer).map_err(refuse)?;
            is_other = self.domain.either(&is_other, &chosen);
        }
        // The block's own cell says that it is fresh, or was freed; taking it is one step.
        let atomic = self.next_atomic_block();
        let marker = self.domain.constant(&Value::int(GIVEN_OUT, 64));
        let cell = self.domain.apply(&Operator::Offset, &[pointer.clone(), marker]).map_err(refuse)?;
        let access = Access::ordered(Order::Acquire);
        let held = self.marker(node, EventKind::Read, (&cell, None), (&access, atomic), span, state)?;
        let (fresh, back) = (self.domain.constant(&Value::int(FRESH, 8)), self.domain.constant(&Value::int(0, 8)));
        let wanted = self.domain.select(&is_other, &back, &fresh).map_err(refuse)?;
        let free = self.domain.apply(&Operator::Eq, &[held, wanted]).map_err(refuse)?;
        let decision = Decision { thread: self.unrolled.thread, span: None, read: true };
        let (free, _) = self.domain.decide(&free, decision);
        self.domain.assume(&state.guard, &free);
        let taken = self.domain.constant(&Value::int(1, 8));
        self.marker(node, EventKind::Write, (&cell, Some(taken)), (&access, atomic), span, state)?;
        self.marker_fences(node, ["LL", "LS"], span, state)?;
        Ok(pointer)
    }

    /// A block is freed, after all accesses to it.
    pub(super) fn free(
        &mut self,
        node: usize,
        address: &Operand,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let refuse = |what: String| Unsupported::new(what, span);
        let (pointer, _) = self.operand(address, state);
        let cell = self.marker_of(&pointer).map_err(refuse)?;
        let is_held = |held: D::Value, walk: &mut Self| {
            let one = walk.domain.constant(&Value::int(1, 8));
            let held = walk.domain.apply(&Operator::Eq, &[held, one])?;
            let decision = Decision { thread: walk.unrolled.thread, span: None, read: true };
            Ok(walk.domain.decide(&held, decision).0)
        };
        let back = self.domain.constant(&Value::int(0, 8));
        if state.alone {
            let held = self.recall(&cell, span, state).map_err(refuse)?;
            let held = is_held(held, self).map_err(refuse)?;
            self.domain.check(&state.guard.clone(), &held, NOT_GIVEN_OUT, span);
            let always = self.domain.truth(true);
            return self.remember(&cell, &back, &always, span, state).map_err(refuse);
        }
        self.marker_fences(node, ["LS", "SS"], span, state)?;
        let atomic = self.next_atomic_block();
        let access = Access::ordered(Order::Release);
        let held =
            self.marker(node, EventKind::Read, (&cell, None), (&Access::ordered(Order::Relaxed), atomic), span, state)?;
        let held = is_held(held, self).map_err(refuse)?;
        self.domain.check(&state.guard.clone(), &held, NOT_GIVEN_OUT, span);
        self.marker(node, EventKind::Write, (&cell, Some(back)), (&access, atomic), span, state)?;
        Ok(())
    }

    /// The life of a variable ends.
    pub(super) fn end_life(
        &mut self,
        node: usize,
        address: &Operand,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let refuse = |what: String| Unsupported::new(what, span);
        let (pointer, _) = self.operand(address, state);
        if self.domain.targets(&pointer).is_empty() {
            return Ok(());
        }
        let cell = self.marker_of(&pointer).map_err(refuse)?;
        let (over, always) = (self.domain.constant(&Value::int(0, 8)), self.domain.truth(true));
        if state.alone {
            return self.remember(&cell, &over, &always, span, state).map_err(refuse);
        }
        let access = vec![(Access::ordered(Order::Relaxed), always)];
        let mut site = self.site(node, EventKind::Write, span, access, state);
        (site.address, site.value) = (Some(cell), Some(over));
        self.domain.event(site).map(|_| ()).map_err(refuse)
    }

    /// What is accessed next must not have been freed, and its life must not have ended.
    pub(super) fn live(
        &mut self,
        node: usize,
        address: &Operand,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let refuse = |what: String| Unsupported::new(what, span);
        let (pointer, _) = self.operand(address, state);
        let mut marker: Option<D::Value> = None;
        let mut name = None;
        let mut is_block = self.domain.truth(false);
        let mut all_end = true;
        for (cell, here) in self.domain.targets(&pointer) {
            let ends = self.unrolling.ending.contains(&cell.allocation);
            if !ends && !self.unrolling.reusable.contains(&cell.allocation) {
                continue;
            }
            all_end &= ends;
            name = name.or_else(|| self.unrolling.sizes.get(&cell.allocation).map(|(name, _)| name.clone()));
            let own = Value::Pointer(Pointer { allocation: cell.allocation, path: vec![GIVEN_OUT] });
            let own = self.domain.constant(&own);
            marker = Some(match marker {
                Some(marker) => self.domain.select(&here, &own, &marker).map_err(refuse)?,
                None => own,
            });
            is_block = self.domain.either(&is_block, &here);
        }
        let Some(marker) = marker else { return Ok(()) };
        let guard = self.domain.both(&state.guard, &is_block);
        let held = match state.alone {
            true => self.recall(&marker, span, state).map_err(refuse)?,
            false => {
                let always = self.domain.truth(true);
                // A plain read: where races are errors, it must come before the end and after the beginning of the block.
                let access = vec![(Access::plain(), always)];
                let mut site = self.site(node, EventKind::Read, span, access, state);
                // What does not end is not asked about, so a thread may go on without this event.
                (site.address, site.guard, site.with_node) = (Some(marker), guard.clone(), false);
                let (_, value) = self.domain.event(site).map_err(refuse)?;
                value.unwrap_or_else(|| self.domain.constant(&Value::Undefined))
            }
        };
        let freed = self.domain.constant(&Value::int(0, 8));
        let is_live = self.domain.apply(&Operator::Ne, &[held, freed]).map_err(refuse)?;
        let decision = Decision { thread: self.unrolled.thread, span: None, read: true };
        let (is_live, _) = self.domain.decide(&is_live, decision);
        let name = name.as_deref().unwrap_or("a block");
        let wrong = if all_end { Extent::left(name) } else { Extent::ended(name) };
        self.domain.check(&guard, &is_live, &wrong, span);
        Ok(())
    }

    /// The cell that says whether the block is allocated that a pointer points to the start of. What points elsewhere has a
    /// cell of its own, which says no.
    pub(super) fn marker_of(&mut self, pointer: &D::Value) -> Result<D::Value, String> {
        let mut cell: Option<D::Value> = None;
        for (target, here) in self.domain.targets(pointer) {
            let is_start = target.path.iter().all(|&offset| offset == 0);
            let mut path = if is_start { Vec::new() } else { target.path };
            path.push(GIVEN_OUT);
            let marker = Pointer { allocation: target.allocation, path };
            let marker = self.domain.constant(&Value::Pointer(marker));
            cell = Some(match cell {
                Some(cell) => self.domain.select(&here, &marker, &cell)?,
                None => marker,
            });
        }
        Ok(cell.unwrap_or_else(|| self.domain.constant(&Value::Undefined)))
    }

    pub(super) fn next_atomic_block(&mut self) -> u32 {
        *self.atomic_blocks += 1;
        *self.atomic_blocks - 1
    }

    /// An access to the cell that says whether a block is allocated.
    pub(super) fn marker(
        &mut self,
        node: usize,
        kind: EventKind,
        (cell, value): (&D::Value, Option<D::Value>),
        (access, atomic): (&Access, u32),
        span: Option<Span>,
        state: &State<D>,
    ) -> Result<D::Value, Unsupported> {
        let always = self.domain.truth(true);
        let mut site = self.site(node, kind, span, vec![(access.clone(), always)], state);
        (site.address, site.value, site.atomic) = (Some(cell.clone()), value, Some(atomic));
        let (_, value) = self.domain.event(site).map_err(|what| Unsupported::new(what, span))?;
        Ok(value.unwrap_or_else(|| self.domain.constant(&Value::Undefined)))
    }

    pub(super) fn marker_fences(
        &mut self,
        node: usize,
        tags: [&str; 2],
        span: Option<Span>,
        state: &State<D>,
    ) -> Result<(), Unsupported> {
        for tag in tags {
            let always = self.domain.truth(true);
            let site = self.site(node, EventKind::Fence, span, vec![(Access::plain().tagged(tag), always)], state);
            self.domain.event(site).map_err(|what| Unsupported::new(what, span))?;
        }
        Ok(())
    }
}

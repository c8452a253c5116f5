//! What the machine jmm_over does where an access, an allocation, a start of a thread or an error comes. See [`crate::relax`].

use std::rc::Rc;

use program::{Access, Language, Operand, Order, Span};

use super::Interpreter;
use crate::choices::Choices;
use crate::happens_before::{Read, Source, acquires, is_moded, is_volatile, releases};
use crate::machine::{is_final, is_identity};
use crate::relax::{Fixpoint, KnownWrite, needs};
use crate::state::State;
use crate::stop::{Fault, Stop, fault, unsupported};
use crate::word::{Address, Word};

impl Interpreter<'_> {
    /// Whether the access goes by the rules of jmm_over for plain accesses; refuses what these do not cover.
    pub(crate) fn is_relaxed(&mut self, cell: Address, access: &Access, span: Option<Span>) -> Result<bool, Stop> {
        if self.direct {
            return Ok(false);
        }
        let Some(relaxed) = &mut self.relaxed else { return Ok(false) };
        if is_identity(access) {
            return Ok(false);
        }
        let is_plain = (access.order == Order::Plain || is_moded(access)) && !is_volatile(access);
        if is_moded(access) && relaxed.fixpoint == Fixpoint::Followed {
            return unsupported("an access in acquire or release mode where jmm_over follows what writes need", span);
        }
        if !is_plain && !is_volatile(access) {
            return unsupported("an access that is neither plain nor volatile on the machine jmm_over", span);
        }
        if !relaxed.is_of_one_kind(cell, is_plain) {
            return unsupported("a variable with plain and volatile accesses on the machine jmm_over", span);
        }
        Ok(is_plain)
    }

    /// Whether a load, which is the next instruction, may be taken at once: see [`crate::turn`].
    pub(crate) fn sees_only_the_past(
        &mut self,
        state: &State,
        thread: usize,
        address: &Operand,
        access: &Access,
    ) -> bool {
        if self.relaxed.is_none() || access.order != Order::Plain || is_volatile(access) {
            return false;
        }
        let Word::Pointer(cell) = self.operand(state, thread, address) else { return false };
        let (Some(relaxed), Some(history)) = (&mut self.relaxed, &state.history) else { return false };
        if !relaxed.sequential {
            let known = relaxed.known.get(&cell);
            return known.is_none_or(|known| history.future(thread, cell, Some(known)).next().is_none());
        }
        if relaxed.contested.contains(&cell) {
            return false;
        }
        if !history.is_ordered(thread, cell) {
            relaxed.met_unordered = true;
            relaxed.contested.insert(cell);
            return false;
        }
        relaxed.readers.entry(cell).or_default().insert(history.name(thread));
        true
    }

    /// The value that a plain read sees; and of a write that is still to come whose it is, and after how many others.
    pub(crate) fn relaxed_read(
        &mut self,
        state: &mut State,
        thread: usize,
        (cell, access): (Address, &Access),
        held: Word,
        choices: &mut Choices,
    ) -> Result<(Word, Option<(u32, u32)>), Stop> {
        let (Some(relaxed), Some(history)) = (&self.relaxed, &state.history) else { return Ok((held, None)) };
        if relaxed.sequential {
            return Ok((held, None));
        }
        if relaxed.fixpoint == Fixpoint::Followed {
            let seen = needs::read(relaxed, state, thread, (cell, held), choices)?;
            self.words.allocations(seen.0, &mut |allocation| relaxed.reach(state, allocation));
            return Ok(seen);
        }
        let known = relaxed.known.get(&cell);
        let acquires = acquires(access.order);
        let past = history.past(thread, (cell, acquires), held, known);
        let future = history.future(thread, cell, known);
        let is_other =
            |(_, _, value, releases): &KnownWrite| !(past.contains(&(*value, None)) || acquires && *releases);
        let mut future: Vec<KnownWrite> = future.filter(is_other).collect();
        future.dedup_by_key(|(name, number, value, _)| (*name, *number, *value));
        let ways = past.len() + future.len();
        let picked = if ways == 1 { 0 } else { choices.pick(ways as u32) as usize };
        if let Some((value, released)) = past.get(picked) {
            let acquired = state.history().zip(released.as_ref());
            acquired.into_iter().for_each(|(history, released)| history.acquire_by_mode(thread, released));
            return Ok((*value, None));
        }
        let seen = future[picked - past.len()];
        state.history().into_iter().for_each(|history| history.impose(thread, cell, seen));
        self.words.allocations(seen.2, &mut |allocation| relaxed.reach(state, allocation));
        Ok((seen.2, Some((seen.0, seen.1))))
    }

    /// A plain write comes.
    pub(crate) fn relaxed_write(
        &mut self,
        state: &mut State,
        thread: usize,
        (cell, access): (Address, &Access),
        held: Word,
        value: Word,
    ) -> Result<(), Stop> {
        let (Some(relaxed), Some(history)) = (&mut self.relaxed, state.history()) else { return Ok(()) };
        if relaxed.sequential {
            let names = &history.path().names;
            let me = names[thread];
            relaxed.writers.entry(cell).or_default().extend(names.iter().map(|name| (me, *name)));
        }
        let number = history.number_of_writes(thread, cell);
        if number >= relaxed.most_writes {
            relaxed.cut = true;
            return Err(Stop::Dropped);
        }
        let was_justified = history.is_justified();
        if !history.meets(thread, cell, number, value) {
            return Err(Stop::Dropped);
        }
        history.written(thread, cell, held, value, releases(access.order));
        if !history.keeps_final_fields() {
            return Err(Stop::Dropped);
        }
        let needs = history.needs();
        match (history.is_justified(), was_justified) {
            (true, true) => relaxed.note(cell, (history.name(thread), number, value, releases(access.order)), &needs),
            (true, false) => {
                let written = history.written_so_far().into_iter();
                written.for_each(|(cell, write)| relaxed.note(cell, write, &needs));
            }
            (false, _) => {}
        }
        Ok(())
    }

    /// The number of an object that a thread makes at its next instruction.
    pub(crate) fn relaxed_object(&mut self, state: &mut State, thread: usize, initial: (u32, Word)) -> Option<u32> {
        let frame = state.threads[thread].frames.last().copied()?;
        let (relaxed, history) = (self.relaxed.as_mut()?, state.history()?);
        let path = history.path();
        let site = (frame.function.0, frame.block.0, frame.next);
        let made = Rc::make_mut(&mut path.made);
        let place = made.binary_search_by_key(&(thread as u32, site), |(other, _)| *other).unwrap_or_else(|place| {
            made.insert(place, ((thread as u32, site), 0));
            place
        });
        let number = made[place].1;
        made[place].1 += 1;
        let object = relaxed.object((path.names[thread], site, number), initial);
        relaxed.reach(state, object);
        Some(object)
    }

    /// A thread starts another.
    pub(crate) fn relaxed_start(&mut self, state: &mut State, parent: usize, span: Option<Span>) -> Result<(), Stop> {
        let threads = self.program.threads.len() as u32;
        let (Some(relaxed), Some(history)) = (&mut self.relaxed, state.history()) else { return Ok(()) };
        let path = history.path();
        // Handles are numbers in the order of starts, which one thread alone determines. Those of Java are kept in volatile
        // fields, so that no read sees that of another execution.
        let starter = *relaxed.starter.get_or_insert(path.names[parent]);
        if starter != path.names[parent] && self.program.language != Language::Java {
            return unsupported("threads that are started by several threads on the machine jmm_over", span);
        }
        let name = relaxed.child(path.names[parent], path.started[parent], threads);
        Rc::make_mut(&mut path.names).push(name);
        let started = Rc::make_mut(&mut path.started);
        started[parent] += 1;
        started.push(0);
        Ok(())
    }

    /// Holds an error back; whether this machine does that.
    pub(crate) fn relaxed_fault(&mut self, state: &mut State, thread: usize, fault: &Fault) -> bool {
        let (Some(relaxed), Some(history)) = (&mut self.relaxed, state.history()) else { return false };
        let known = relaxed.faults.iter().position(|(other, known)| *other == thread && known == fault);
        let number = known.unwrap_or_else(|| {
            relaxed.faults.push((thread, fault.clone()));
            relaxed.faults.len() - 1
        });
        history.path().fault.get_or_insert(number);
        true
    }

    /// The end of a constructor that has set a final field.
    pub(crate) fn freeze_field(&mut self, state: &mut State, thread: usize, field: &Operand) -> Result<(), Stop> {
        let Word::Pointer(field) = self.operand(state, thread, field) else {
            return fault("what is no field is frozen", None::<Span>);
        };
        let depth = self.words.pointer(field).path.len();
        if self.is_relaxed_pass()
            && let Some(history) = state.history()
        {
            history.freezes(thread, field, depth);
        }
        Ok(())
    }

    fn is_relaxed_pass(&self) -> bool {
        !self.direct && self.relaxed.as_ref().is_some_and(|relaxed| !relaxed.sequential && relaxed.has_final_fields)
    }

    /// A read has seen a value; of a write that is still to come, `future` says which.
    pub(crate) fn note_read(
        &mut self,
        state: &mut State,
        thread: usize,
        (cell, access, is_plain): (Address, &Access, bool),
        value: Word,
        future: Option<(u32, u32)>,
    ) -> Result<(), Stop> {
        if !self.is_relaxed_pass() {
            return Ok(());
        }
        let (Some(relaxed), Some(history)) = (&self.relaxed, state.history()) else { return Ok(()) };
        let name = history.name(thread);
        let is_foreign = relaxed.maker(cell.allocation).is_some_and(|maker| maker != name);
        let object = match value {
            Word::Pointer(address) => Some(address.allocation),
            _ => None,
        };
        let made = object.and_then(|object| Some((object, relaxed.maker(object)?)));
        let address = made.filter(|(_, maker)| *maker != name);
        if !is_foreign && address.is_none() {
            return Ok(());
        }
        let sources = match future {
            _ if !is_plain => vec![Source::Unknown],
            Some((writer, number)) => vec![Source::Write(writer, number)],
            None => {
                let mut sources = history.sources(thread, cell, value);
                if sources.is_empty() || relaxed.may_come(history, thread, cell, value) {
                    sources.push(Source::Unknown);
                }
                sources
            }
        };
        let depth = self.words.pointer(cell).path.len();
        let read = Read { thread: name, cell, depth, is_final: is_final(access), is_foreign, address, sources };
        let reads = &mut history.final_fields().reads;
        if let Err(place) = reads.binary_search(&read) {
            reads.insert(place, read);
        }
        if history.keeps_final_fields() { Ok(()) } else { Err(Stop::Dropped) }
    }
}

use super::*;
use program::{Access, Pointer, Value};

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

fn event(thread: Option<u32>, kind: EventKind, cell: u32) -> Event {
    Event {
        thread: thread.map(ThreadId),
        kind,
        cell: Some(Pointer::to(cell)),
        value: Some(Value::int(0, 32)),
        access: Access::plain(),
        span: None,
        atomic: None,
        operation: Some(0),
    }
}

/// Any execution of a small program: threads of accesses to two cells, some of them in atomic blocks, where each read sees
/// any write of its cell and the writes of each cell come in any order.
fn any_execution(numbers: &mut Numbers) -> Execution {
    let mut execution = Execution::default();
    execution.events.extend((0..2).map(|cell| event(None, EventKind::Write, cell)));
    for thread in 0..2 + numbers.below(2) as u32 {
        let mut block = None;
        for _ in 0..2 + numbers.below(2) {
            let kind = if numbers.below(2) == 0 { EventKind::Read } else { EventKind::Write };
            block = match (numbers.below(4), block) {
                (0, _) => Some(execution.events.len() as u32),
                (1, block) => block,
                _ => None,
            };
            let one = Event { atomic: block, ..event(Some(thread), kind, numbers.below(2) as u32) };
            execution.events.push(one);
        }
    }
    for cell in 0..2 {
        let is_write = |&id: &EventId| {
            let event = execution.event(id);
            event.kind == EventKind::Write && event.cell == Some(Pointer::to(cell))
        };
        let mut writes: Vec<EventId> = execution.ids().filter(is_write).collect();
        for index in 1..writes.len() {
            let other = 1 + numbers.below(writes.len() - 1);
            writes.swap(index, other);
        }
        for (index, &first) in writes.iter().enumerate() {
            execution.co.extend(writes[index + 1..].iter().map(|&second| (first, second)));
        }
        let is_read = |&id: &EventId| {
            let event = execution.event(id);
            event.kind == EventKind::Read && event.cell == Some(Pointer::to(cell))
        };
        let reads: Vec<EventId> = execution.ids().filter(is_read).collect();
        execution.rf.extend(reads.into_iter().map(|read| (writes[numbers.below(writes.len())], read)));
    }
    execution
}

/// Whether running the threads in some interleaving, atomic blocks at once, gives just this execution.
fn can_interleave(execution: &Execution) -> bool {
    let mut threads: Vec<Vec<EventId>> = vec![Vec::new(); 3];
    for id in execution.ids() {
        execution.event(id).thread.into_iter().for_each(|thread| threads[thread.0 as usize].push(id));
    }
    go(execution, &threads, &mut vec![0; 3], &[EventId(0), EventId(1)], None)
}

/// Goes on from where each thread is, with the last write of each cell; `inside` is the thread whose block is under way.
fn go(
    execution: &Execution,
    threads: &[Vec<EventId>],
    at: &mut Vec<usize>,
    last: &[EventId],
    inside: Option<usize>,
) -> bool {
    if at.iter().zip(threads).all(|(&at, thread)| at == thread.len()) {
        return true;
    }
    for thread in 0..threads.len() {
        let Some(&id) = threads[thread].get(at[thread]) else { continue };
        if inside.is_some_and(|inside| inside != thread) {
            continue;
        }
        let event = execution.event(id);
        let cell = event.cell.as_ref().map_or(0, |cell| cell.allocation as usize);
        let mut last = last.to_vec();
        let fits = match event.kind {
            EventKind::Read => execution.rf.contains(&(last[cell], id)),
            _ => {
                let later_than_all = execution.co.contains(&(last[cell], id));
                last[cell] = id;
                later_than_all
            }
        };
        let next = threads[thread].get(at[thread] + 1).map(|&next| execution.event(next).atomic);
        let stays = event.atomic.is_some() && next == Some(event.atomic);
        at[thread] += 1;
        let found = fits && go(execution, threads, at, &last, stays.then_some(thread));
        at[thread] -= 1;
        if found {
            return true;
        }
    }
    false
}

#[test]
fn there_is_a_cycle_just_if_no_interleaving_gives_the_execution() {
    let mut numbers = Numbers(7);
    let mut counts = [0, 0];
    for _ in 0..20_000 {
        let execution = any_execution(&mut numbers);
        let found = reordering(&execution);
        assert_eq!(found.is_interleaving(), can_interleave(&execution), "{execution:?}");
        counts[usize::from(found.is_interleaving())] += 1;
    }
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
}

#[test]
fn the_order_explains_what_every_load_sees_and_breaks_the_cycle() {
    let mut numbers = Numbers(11);
    for _ in 0..5_000 {
        let execution = any_execution(&mut numbers);
        let found = reordering(&execution);
        let at = positions(&execution, &found.order);
        assert_eq!(found.order.len(), execution.events.len() - 2);
        for (from, to, relation) in communication(&execution) {
            assert!(at[from.0 as usize] < at[to.0 as usize], "{relation} {from:?} {to:?}: {execution:?} {found:?}");
        }
        // Where a model does not keep atomic blocks together, no order of events explains the execution.
        let pairs = communication(&execution).iter().map(|&(from, to, _)| (from, to)).collect();
        let is_atomic = Units::of(&execution).is_acyclic(&pairs);
        assert!(found.cycle.is_empty() || !is_atomic || !found.turned.is_empty(), "{execution:?} {found:?}");
        assert!(!found.cycle.is_empty() || found.moved.is_empty(), "{execution:?} {found:?}");
        for (index, step) in found.cycle.iter().enumerate() {
            let next = &found.cycle[(index + 1) % found.cycle.len()];
            assert_eq!(step.to, next.from, "the cycle has a gap");
            let is_real = match step.relation.as_str() {
                "po" => execution.po(step.from, step.to),
                "rf" => execution.rf.contains(&(step.from, step.to)),
                "co" => execution.co.contains(&(step.from, step.to)),
                "fr" => execution.fr().contains(&(step.from, step.to)),
                _ => execution.event(step.from).atomic == execution.event(step.to).atomic,
            };
            assert!(is_real, "{step:?}");
        }
    }
}

/// Message passing with the fences given: data, flag; flag, data.
fn message_passing(writer: Option<&str>, reader: Option<&str>) -> Execution {
    let mut execution = Execution::default();
    let mut add = |thread: Option<u32>, kind: EventKind, cell: u32| {
        execution.events.push(event(thread, kind, cell));
        EventId(execution.events.len() as u32 - 1)
    };
    let inits = [add(None, EventKind::Write, 0), add(None, EventKind::Write, 1)];
    let mut events = Vec::new();
    for (thread, kind, fence) in [(0, EventKind::Write, writer), (1, EventKind::Read, reader)] {
        let cells = if thread == 0 { [0, 1] } else { [1, 0] };
        events.push(add(Some(thread), kind, cells[0]));
        if fence.is_some() {
            add(Some(thread), EventKind::Fence, 0);
        }
        events.push(add(Some(thread), kind, cells[1]));
    }
    for event in execution.events.iter_mut().filter(|event| event.kind == EventKind::Fence) {
        let tag = if event.thread == Some(ThreadId(0)) { writer } else { reader };
        event.access = Access::plain().tagged(tag.unwrap_or_default());
        (event.cell, event.value) = (None, None);
    }
    execution.co = vec![(inits[0], events[0]), (inits[1], events[1])];
    execution.rf = vec![(events[1], events[2]), (inits[0], events[3])];
    execution
}

/// The thread whose accesses are turned round.
fn turned_in(execution: &Execution) -> Vec<u32> {
    let found = reordering(execution);
    found.turned.iter().filter_map(|&(from, _)| execution.event(from).thread).map(|thread| thread.0).collect()
}

#[test]
fn what_a_fence_keeps_apart_is_not_turned_round() {
    assert_eq!(turned_in(&message_passing(Some("SS"), None)), [1]);
    assert_eq!(turned_in(&message_passing(None, Some("LL"))), [0]);
    assert_eq!(turned_in(&message_passing(Some("LL"), Some("LL"))), [0], "the writer's fence is about loads");
    assert_eq!(reordering(&message_passing(None, None)).cycle.len(), 4);
}

#[test]
fn the_order_that_the_model_gives_decides() {
    for (kept, thread) in [((2, 3), 1), ((4, 5), 0)] {
        let mut execution = message_passing(None, None);
        let mut pairs: Vec<_> = communication(&execution).iter().map(|&(from, to, _)| (from, to)).collect();
        pairs.push((EventId(kept.0), EventId(kept.1)));
        execution.named = vec![("order".into(), pairs)];
        assert!(reordering(&execution).is_models);
        assert_eq!(turned_in(&execution), [thread]);
    }
}

#[test]
fn a_load_of_a_store_of_its_own_may_come_before_it() {
    // Store buffering, where each thread first sees its own store.
    let mut execution = Execution::default();
    execution.events.extend((0..2).map(|cell| event(None, EventKind::Write, cell)));
    for thread in 0..2 {
        execution.events.push(event(Some(thread), EventKind::Write, thread));
        execution.events.push(event(Some(thread), EventKind::Read, thread));
        execution.events.push(event(Some(thread), EventKind::Read, 1 - thread));
    }
    let id = EventId;
    execution.co = vec![(id(0), id(2)), (id(1), id(5))];
    execution.rf = vec![(id(2), id(3)), (id(1), id(4)), (id(5), id(6)), (id(0), id(7))];
    let found = reordering(&execution);
    assert_eq!(found.turned.len(), 1);
    let late: Vec<_> = found.moved.iter().filter(|(_, moved)| **moved == Moved::Late).map(|(&id, _)| id).collect();
    assert!(late == [id(2)] || late == [id(5)], "one store is late, and nothing else: {found:?}");
    assert_eq!(found.moved.len(), 1);
}

#[test]
fn nonsense_gives_some_order() {
    let mut execution = message_passing(None, None);
    execution.co = vec![(EventId(2), EventId(3)), (EventId(3), EventId(2)), (EventId(2), EventId(2))];
    assert_eq!(reordering(&execution).order.len(), 4);
    assert_eq!(reordering(&Execution::default()), Reordering::default());
}

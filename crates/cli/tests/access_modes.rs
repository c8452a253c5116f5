//! Litmus tests in Java: the model `jam21` against a judge that shares nothing with it but what an event is. All candidate
//! executions of random programs are tried, and all orders in which events can be pushed to memory.

use std::collections::BTreeSet;
use std::fmt::Write;

use palisade::{Model, Options, Request, Task, Wanted};
use program::{EventKind, Execution, Order, State};
use testing::campaign;
use testing::candidates::{self, permutations};
use testing::random::Random;

/// A relation on up to 64 events: by event the set of those that it is related to.
#[derive(Clone, PartialEq, Eq)]
struct Relation(Vec<u64>);

impl Relation {
    fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let row = |x| (0..count).filter(|&y| holds(x, y)).fold(0, |row, y| row | 1 << y);
        Relation((0..count).map(row).collect())
    }

    fn has(&self, x: usize, y: usize) -> bool {
        self.0[x] >> y & 1 == 1
    }

    fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn then(&self, other: &Relation) -> Relation {
        let count = self.0.len();
        Relation::of(count, |x, z| (0..count).any(|y| self.has(x, y) && other.has(y, z)))
    }

    fn back(&self) -> Relation {
        Relation::of(self.0.len(), |x, y| self.has(y, x))
    }

    fn cut(&self, keep: impl Fn(usize, usize) -> bool) -> Relation {
        Relation::of(self.0.len(), |x, y| self.has(x, y) && keep(x, y))
    }

    fn closed(&self) -> Relation {
        let mut closed = self.clone();
        for middle in 0..self.0.len() {
            for x in 0..self.0.len() {
                if closed.has(x, middle) {
                    closed.0[x] |= closed.0[middle];
                }
            }
        }
        closed
    }

    fn is_acyclic(&self) -> bool {
        let closed = self.closed();
        (0..self.0.len()).all(|x| !closed.has(x, x))
    }
}

/// Whether `jam21` allows an execution, by its definition. A read-modify-write, here two events, is one: its read, which has the
/// write's part, too.
fn allows(execution: &Execution) -> bool {
    let count = execution.events.len();
    let second: Vec<usize> = execution.rmw.iter().map(|(_, write)| write.0 as usize).collect();
    let whole = |event: usize| {
        let pair = execution.rmw.iter().find(|(_, write)| write.0 as usize == event);
        pair.map_or(event, |(read, _)| read.0 as usize)
    };
    let event = |x: usize| &execution.events[x];
    let mode = |x: usize| if event(x).thread.is_none() { Order::Plain } else { event(x).access.order };
    let is_part = |x: usize| second.contains(&x);
    let is_update = |x: usize| execution.rmw.iter().any(|(read, _)| read.0 as usize == x);
    let reads = |x: usize| event(x).kind == EventKind::Read;
    let writes = |x: usize| !is_part(x) && (event(x).kind == EventKind::Write || is_update(x));
    let fence = |x: usize| event(x).kind == EventKind::Fence;
    let initial = |x: usize| event(x).thread.is_none();
    let same = |x: usize, y: usize| event(x).cell.is_some() && event(x).cell == event(y).cell;
    let pairs = |list: &[(program::EventId, program::EventId)]| {
        let has = |x, y| list.iter().any(|&(a, b)| (whole(a.0 as usize), whole(b.0 as usize)) == (x, y));
        Relation::of(count, |x, y| x != y && has(x, y))
    };
    let (rf, co) = (pairs(&execution.rf), pairs(&execution.co));
    // Each statement of these programs makes one access.
    let po = Relation::of(count, |x, y| {
        !is_part(x) && !is_part(y) && x < y && !initial(x) && event(x).thread == event(y).thread
    });
    let volatile = |x: usize| mode(x) == Order::SeqCst;
    let opaque = |x: usize| mode(x) != Order::Plain;
    if !po.or(&rf).cut(|_, y| opaque(y)).is_acyclic() {
        return false;
    }
    let releases = |x: usize| writes(x) && (mode(x) == Order::Release || volatile(x));
    let acquires = |x: usize| reads(x) && (mode(x) == Order::Acquire || volatile(x));
    let across = |order: Order| po.cut(|_, y| fence(y) && mode(y) == order).then(&po);
    let fences = across(Order::Release).cut(|_, y| writes(y)).or(&across(Order::Acquire).cut(|x, _| reads(x)));
    let full = across(Order::SeqCst).or(&po.cut(|x, y| volatile(x) && volatile(y)));
    let within = po.cut(|x, y| releases(y) || acquires(x)).or(&fences).or(&full);
    let last = |x: usize| writes(x) && (0..count).all(|y| !co.has(x, y));
    let before_last = Relation::of(count, |x, y| writes(x) && last(y) && same(x, y) && x != y);
    let must = before_last.or(&rf).or(&po).closed();
    let pushed: Vec<usize> = (0..count).filter(|&x| full.0[x] != 0).collect();
    let coherent = |push: &Relation| {
        let visible = within.or(&rf).or(&push.then(&full)).closed().or(&po.cut(same));
        let written = |r: &Relation| r.cut(|x, y| writes(x) && writes(y) && same(x, y) && x != y);
        let read_back = rf.then(&po).then(&rf.back());
        let mut order = written(&visible)
            .or(&written(&visible.then(&rf.back())))
            .or(&written(&visible.then(&po)))
            .or(&written(&read_back).cut(|x, y| opaque(x) && opaque(y)))
            .or(&co.cut(|x, y| is_update(x) && is_update(y)))
            .or(&Relation::of(count, |x, y| initial(x) && writes(y) && !initial(y) && same(x, y)))
            .or(&before_last);
        let seen = rf.cut(|_, y| is_update(y)).back();
        loop {
            let more = order.or(&written(&seen.then(&order)));
            if more == order {
                return order.is_acyclic();
            }
            order = more;
        }
    };
    permutations(&pushed).into_iter().any(|chain| {
        let place = |x: usize| chain.iter().position(|&y| y == x);
        let push = Relation::of(count, |x, y| matches!((place(x), place(y)), (Some(x), Some(y)) if x < y));
        let kept = pushed.iter().all(|&x| pushed.iter().all(|&y| !must.has(x, y) || push.has(x, y)));
        kept && coherent(&push)
    })
}

/// Which statements a random test has.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    /// All modes, read-modify-writes and fences.
    Any,
    /// Reads and writes that are plain, acquire or release.
    Ordered,
}

/// A random test: two or three threads with up to three statements each, on two locations.
fn random_test(random: &mut Random, sort: Sort) -> String {
    let threads = 2 + random.below(2);
    let mut text = String::from("Java random\n{ x=0; y=0; ");
    (0..threads).for_each(|thread| _ = write!(text, "{thread}:X=x; {thread}:Y=y; "));
    text.push_str("}\n");
    // From above nothing is known of final memory.
    let mut observed = String::from(if sort == Sort::Any { "x; y;" } else { "" });
    for thread in 0..threads {
        let _ = writeln!(text, "Thread{thread} {{");
        for number in 0..1 + random.below(if threads == 2 { 3 } else { 2 }) {
            let handle = ["X", "Y"][random.below(2) as usize];
            let value = 1 + random.below(2);
            let mode = |random: &mut Random, modes: [&'static str; 4]| modes[random.below(4) as usize];
            let update = ["", "Acquire", "Release"][random.below(3) as usize];
            let (sets, gets) = match sort {
                Sort::Any => (["", "Opaque", "Release", "Volatile"], ["", "Opaque", "Acquire", "Volatile"]),
                Sort::Ordered => (["", "", "Release", "Release"], ["", "", "Acquire", "Acquire"]),
            };
            let (statement, has_result) = match random.below(if sort == Sort::Any { 10 } else { 7 }) {
                0..=3 => (format!("{handle}.set{}({value});", mode(random, sets)), false),
                4..=6 => (format!("{handle}.get{}();", mode(random, gets)), true),
                7 => (format!("{handle}.getAndAdd{update}(1);"), true),
                8 => (format!("{handle}.compareAndExchange{update}({}, 2);", random.below(2)), true),
                _ => (["fullFence();", "acquireFence();", "releaseFence();"][random.below(3) as usize].into(), false),
            };
            if has_result {
                let _ = write!(text, "  int r{number} = ");
                let _ = write!(observed, " {thread}:r{number};");
            }
            let _ = writeln!(text, "{statement}");
        }
        text.push_str("}\n");
    }
    let _ = write!(text, "locations [{observed}]\nexists (true)\n");
    text
}

fn states(task: &Task, model: &str) -> BTreeSet<State> {
    let options = Options { wanted: Wanted::States, explain: false, ..Options::default() };
    let model = Model::named(model).expect("a model");
    let answer = Request { options, ..Request::new(task, &model) }.answer().expect("an answer");
    answer.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect()
}

fn compare(first: u64, times: u64) {
    let tally = campaign::run(first, times, |random, tally| {
        let text = random_test(random, Sort::Any);
        let task = Task::litmus("random.litmus", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
        let program = palisade::task::verified(task.program().clone()).expect("verified");
        let Some(expected) = candidates::states(&program, &mut |execution| allows(execution)) else { return };
        let found = states(&task, "jam21");
        assert!(found == expected, "{text}\njam21: {found:#?}\nby brute force: {expected:#?}");
        tally.count("compared");
    });
    assert!(tally.of("compared") * 2 > times, "{tally:?}");
}

#[test]
fn jam21_is_its_definition_on_random_programs() {
    compare(0, 60);
}

#[test]
#[ignore = "takes minutes; TIMES=n compares n programs, SEED=n others"]
fn jam21_is_its_definition_on_many_random_programs() {
    let (first, times) = campaign::asked(2_000);
    compare(first, times);
}

/// What `jam21-java` allows is found from above, where that speaks of the same modes.
fn compare_from_above(first: u64, times: u64) {
    let tally = campaign::run(first, times, |random, tally| {
        let text = random_test(random, Sort::Ordered);
        if text.contains("locations []") {
            return;
        }
        let task = Task::litmus("random.litmus", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
        let [exact, above] = ["jam21-java", "jmm_over"].map(|model| states(&task, model));
        assert!(exact.is_subset(&above), "{text}\njam21-java: {exact:#?}\nfrom above: {above:#?}");
        tally.count(if above.len() == exact.len() { "same" } else { "more" });
    });
    assert!(tally.of("same") * 2 > times, "{tally:?}");
}

#[test]
fn jmm_over_finds_what_access_modes_allow_on_random_programs() {
    compare_from_above(0, 150);
}

#[test]
#[ignore = "takes minutes; TIMES=n compares n programs, SEED=n others"]
fn jmm_over_finds_what_access_modes_allow_on_many_random_programs() {
    let (first, times) = campaign::asked(5_000);
    compare_from_above(first, times);
}

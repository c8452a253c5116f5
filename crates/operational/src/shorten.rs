//! Schedules that are easier to read: with fewer changes from one thread to another, without what does not take part.
//!
//! Greedy, and the same every time: a change is tried, the schedule is run, and the change is kept if what was found is found
//! again. So the result is no longer than the schedule given, but there may be a shorter one. After [`MOST_MOVES`] moves the
//! best schedule so far is taken.
//!
//! 1. *Leave out.* The last moves of each thread, and flushes of stores that nobody misses.
//! 2. *Put together.* Moves of a thread between two changes of thread are brought to the thread's moves before and after.

use std::sync::atomic::Ordering;

use program::{End, Failure, State as FinalState, Verified};

use crate::choices::Choices;
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::memory::Machine;
use crate::observer::Observer;
use crate::replay;
use crate::replay::{failure, final_state, thread_name};
use crate::schedule::{Move, Schedule};
use crate::search::{Reduction, Runner};
use crate::state::State;
use crate::turn::{Action, Halt, setup_once};

/// How many moves are run to make a schedule shorter.
pub const MOST_MOVES: usize = 200_000;

/// Watches runs and says when what is wanted has happened.
pub trait Watching: Observer {
    /// A run starts.
    fn restart(&mut self);
    /// Whether it has happened: no later move is needed.
    fn is_seen(&self) -> bool;
}

/// Watches nothing.
struct Unwatched;

impl Observer for Unwatched {}

impl Watching for Unwatched {
    fn restart(&mut self) {}

    fn is_seen(&self) -> bool {
        false
    }
}

/// What a shorter schedule must still lead to.
enum Goal {
    /// A thread stops at this error.
    Failure(Failure),
    /// Threads wait for each other in this way; or an error that counts only in an execution that comes to its end.
    End(End),
    /// All threads come to their end, with this final state.
    State(FinalState),
    /// The watcher sees it.
    Seen,
}

/// A schedule that leads to the same end. What is given is to be run with [`Reduction::Own`], and so is what comes back.
pub fn shorten(program: &Verified, machine: Machine, schedule: &Schedule, limits: &Limits) -> Schedule {
    let Ok(before) = replay(program, machine, Reduction::Own, schedule, limits) else { return schedule.clone() };
    let goal = match &before.end {
        End::Failed(failure) => Goal::Failure(failure.clone()),
        End::Finished => Goal::State(FinalState::default()),
        End::Unfinished => return schedule.clone(),
    };
    let short = Shortening::new(program, machine, limits, goal, &mut Unwatched).run(schedule);
    match replay(program, machine, Reduction::Own, &short, limits) {
        Ok(after) if after.end == before.end => short,
        _ => schedule.clone(),
    }
}

/// A schedule in which the watcher still sees what it sees in this one.
pub fn shorten_until<W: Watching>(
    program: &Verified,
    machine: Machine,
    schedule: &Schedule,
    limits: &Limits,
    watching: &mut W,
) -> Schedule {
    Shortening::new(program, machine, limits, Goal::Seen, watching).run(schedule)
}

/// How often a schedule changes from one thread to another.
pub fn switches(schedule: &Schedule) -> usize {
    let threads: Vec<usize> = schedule.moves.iter().map(|taken| thread(taken.action)).collect();
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn thread(action: Action) -> usize {
    match action {
        Action::Step(thread) | Action::Flush(thread, _) => thread,
    }
}

/// A move that means the same wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    Step(usize, Vec<u32>),
    /// The store with this index among those of a thread gets to memory.
    Flush(usize, usize),
}

impl Act {
    fn thread(&self) -> usize {
        match self {
            Act::Step(thread, _) | Act::Flush(thread, _) => *thread,
        }
    }
}

/// What is in the buffers: of each thread how many stores it had, and the numbers of those that are not in memory.
#[derive(Default)]
struct Buffers(Vec<(usize, Vec<usize>)>);

impl Buffers {
    fn of(&mut self, thread: usize) -> &mut (usize, Vec<usize>) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, (0, Vec::new()));
        }
        &mut self.0[thread]
    }

    /// The action that an act is now.
    fn action(&mut self, act: &Act) -> Option<Action> {
        match act {
            Act::Step(thread, _) => Some(Action::Step(*thread)),
            Act::Flush(thread, store) => {
                let place = self.of(*thread).1.iter().position(|other| other == store)?;
                Some(Action::Flush(*thread, place))
            }
        }
    }

    fn happens(&mut self, action: Action, state: &State) {
        let (Action::Step(thread) | Action::Flush(thread, _)) = action;
        let count = state.threads.get(thread).map_or(0, |thread| thread.buffer.len());
        let (issued, waiting) = self.of(thread);
        if let Action::Flush(_, place) = action {
            waiting.remove(place);
        }
        while waiting.len() < count {
            waiting.push(*issued);
            *issued += 1;
        }
    }
}

/// What a run that led to the goal did, up to there.
struct Reached {
    acts: Vec<Act>,
    moves: Vec<Move>,
}

impl Reached {
    /// Fewer changes of thread count first.
    fn cost(&self) -> (usize, usize) {
        (self.acts.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count(), self.acts.len())
    }
}

struct Shortening<'s, 'a, W> {
    program: &'a Verified,
    machine: Machine,
    limits: &'s Limits,
    runner: Runner<'a>,
    goal: Goal,
    watching: &'s mut W,
    schedule: Schedule,
    /// How many moves may still be run.
    moves: usize,
}

impl<'s, 'a, W: Watching> Shortening<'s, 'a, W> {
    fn new(
        program: &'a Verified,
        machine: Machine,
        limits: &'s Limits,
        goal: Goal,
        watching: &'s mut W,
    ) -> Shortening<'s, 'a, W> {
        let runner = Runner::new(program, machine, Reduction::Own, limits);
        Shortening {
            program,
            machine,
            limits,
            runner,
            goal,
            watching,
            schedule: Schedule::default(),
            moves: MOST_MOVES,
        }
    }

    fn run(mut self, schedule: &Schedule) -> Schedule {
        self.schedule = Schedule { moves: Vec::new(), ..schedule.clone() };
        let first = self.acts(schedule).and_then(|acts| self.try_out(acts));
        let Some(mut best) = first else { return schedule.clone() };
        // A final state is that of all moves.
        if !matches!(self.goal, Goal::State(_)) {
            self.leave_out(&mut best);
        }
        self.put_together(&mut best);
        Schedule { moves: best.moves, ..self.schedule }
    }

    /// The schedule as acts; also finds out what the goal is.
    fn acts(&mut self, schedule: &Schedule) -> Option<Vec<Act>> {
        let mut state = self.start()?;
        let (mut acts, mut buffers) = (Vec::new(), Buffers::default());
        for Move { action, choices } in &schedule.moves {
            acts.push(match action {
                Action::Step(thread) => Act::Step(*thread, choices.clone()),
                Action::Flush(thread, place) => Act::Flush(*thread, *buffers.of(*thread).1.get(*place)?),
            });
            match self.runner.advance(&mut state, Some(*action), &mut Choices::given(choices.clone()), self.watching) {
                Ok(()) => buffers.happens(*action, &state),
                Err(Halt { stop: Stop::Failed(_), .. }) => return Some(acts),
                Err(_) => return None,
            }
        }
        match &self.goal {
            Goal::State(_) => self.goal = Goal::State(final_state(self.program, &self.runner.interpreter, &state)),
            // It did not stop there: it counts because of how the execution ends.
            Goal::Failure(failure) => self.goal = Goal::End(End::Failed(failure.clone())),
            Goal::End(_) | Goal::Seen => {}
        }
        Some(acts)
    }

    fn start(&mut self) -> Option<State> {
        let interpreter = &mut self.runner.interpreter;
        interpreter.held.clear();
        let mut state = setup_once(interpreter, &mut Choices::given(self.schedule.setup.clone())).ok()?;
        self.watching.restart();
        let mut choices = Choices::given(self.schedule.start.clone());
        self.runner.advance(&mut state, None, &mut choices, self.watching).ok()?;
        Some(state)
    }

    /// Runs these acts; `None` if they do not lead to the goal.
    fn try_out(&mut self, acts: Vec<Act>) -> Option<Reached> {
        self.moves = self.moves.checked_sub(acts.len())?;
        if self.limits.interrupt.load(Ordering::Relaxed) {
            return None;
        }
        let mut state = self.start()?;
        let (mut moves, mut buffers) = (Vec::new(), Buffers::default());
        for (number, act) in acts.iter().enumerate() {
            let action = buffers.action(act)?;
            if !self.runner.interpreter.actions(&state).contains(&action) {
                return None;
            }
            let choices = if let Act::Step(_, choices) = act { choices.clone() } else { Vec::new() };
            let result =
                self.runner.advance(&mut state, Some(action), &mut Choices::given(choices.clone()), self.watching);
            moves.push(Move { action, choices });
            let is_reached = match (&result, &self.goal) {
                (Ok(()) | Err(Halt { stop: Stop::Failed(_), .. }), Goal::Seen) => self.watching.is_seen(),
                (Err(Halt { thread, stop: Stop::Failed(fault) }), Goal::Failure(wanted)) => {
                    let found = failure(self.program, fault, &thread_name(self.program, *thread));
                    let is_there = found.location.is_none() || found.location == wanted.location;
                    is_there && Failure { location: wanted.location.clone(), ..found } == *wanted
                }
                _ => false,
            };
            if is_reached {
                return Some(Reached { acts: acts[..=number].to_vec(), moves });
            }
            result.ok()?;
            buffers.happens(action, &state);
        }
        self.is_end(&state, &moves).then_some(Reached { acts, moves })
    }

    /// Whether what is wanted of the end of an execution is there.
    fn is_end(&self, state: &State, moves: &[Move]) -> bool {
        match &self.goal {
            Goal::Failure(_) | Goal::Seen => false,
            Goal::State(wanted) => {
                let is_over = (0..state.threads.len()).all(|thread| state.is_over(thread));
                is_over && final_state(self.program, &self.runner.interpreter, state) == *wanted
            }
            Goal::End(wanted) => {
                let schedule = Schedule { moves: moves.to_vec(), ..self.schedule.clone() };
                let replayed = replay(self.program, self.machine, Reduction::Own, &schedule, self.limits);
                replayed.is_ok_and(|replayed| replayed.end == *wanted)
            }
        }
    }

    /// Takes these acts if they lead to the goal at less cost.
    fn take(&mut self, best: &mut Reached, acts: Vec<Act>) -> bool {
        let better = self.try_out(acts).filter(|reached| reached.cost() < best.cost());
        let is_better = better.is_some();
        if let Some(better) = better {
            *best = better;
        }
        is_better
    }

    fn leave_out(&mut self, best: &mut Reached) {
        let last = best.acts.iter().map(Act::thread).max().unwrap_or(0);
        for thread in (0..=last).rev() {
            self.stop_early(best, |act| act.thread() == thread);
        }
        // Stores of a thread may be needed although what it does after them is not.
        for thread in (0..=last).rev() {
            self.stop_early(best, |act| matches!(act, Act::Step(own, _) if *own == thread));
        }
        for place in (0..best.acts.len()).rev() {
            if matches!(best.acts.get(place), Some(Act::Flush(..))) {
                let mut acts = best.acts.clone();
                acts.remove(place);
                self.leave(best, acts);
            }
        }
    }

    /// Fewer acts are better, however often they change the thread.
    fn leave(&mut self, best: &mut Reached, acts: Vec<Act>) -> bool {
        let shorter = self.try_out(acts).filter(|reached| reached.acts.len() < best.acts.len());
        let is_shorter = shorter.is_some();
        if let Some(shorter) = shorter {
            *best = shorter;
        }
        is_shorter
    }

    /// Leaves out as many of the last acts of a sort as possible.
    fn stop_early(&mut self, best: &mut Reached, is_one: impl Fn(&Act) -> bool) {
        let (mut least, mut most) = (0, best.acts.iter().filter(|act| is_one(act)).count());
        while least < most {
            // None at all is what is hoped for.
            let kept = if least == 0 { 0 } else { (least + most) / 2 };
            let mut count = 0;
            let mut acts = best.acts.clone();
            acts.retain(|act| {
                count += usize::from(is_one(act));
                !is_one(act) || count <= kept
            });
            if self.leave(best, acts) { most = kept } else { least = kept + 1 }
        }
    }

    fn put_together(&mut self, best: &mut Reached) {
        while self.join_some(best) {}
    }

    /// Brings the acts of some stretch to others of its thread; whether that helped.
    fn join_some(&mut self, best: &mut Reached) -> bool {
        let stretches = stretches(&best.acts);
        for (number, own) in stretches.iter().enumerate() {
            let is_own = |other: &&Stretch| other.thread == own.thread;
            let before = stretches[..number].iter().rev().find(is_own);
            let after = stretches[number + 1..].iter().find(is_own);
            let splits = match (before, after) {
                (None, None) => continue,
                (Some(_), None) => own.end..=own.end,
                (None, Some(_)) => own.start..=own.start,
                (Some(_), Some(_)) => own.start..=own.end,
            };
            for split in splits.rev() {
                let (to, from) =
                    (before.map_or(own.start, |before| before.end), after.map_or(own.end, |after| after.start));
                let old = &best.acts;
                let parts = [
                    &old[..to],
                    &old[own.start..split],
                    &old[to..own.start],
                    &old[own.end..from],
                    &old[split..own.end],
                    &old[from..],
                ];
                let acts = parts.concat();
                if self.take(best, acts) {
                    return true;
                }
            }
        }
        false
    }
}

/// Acts of one thread without one of another between.
struct Stretch {
    thread: usize,
    start: usize,
    end: usize,
}

fn stretches(acts: &[Act]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (place, act) in acts.iter().enumerate() {
        match stretches.last_mut().filter(|last| last.thread == act.thread()) {
            Some(last) => last.end = place + 1,
            None => stretches.push(Stretch { thread: act.thread(), start: place, end: place + 1 }),
        }
    }
    stretches
}

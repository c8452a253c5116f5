//! A race that should be there, with the clocks of [`mod@operational::races`] as the judge.

use program::{Span, Verified};

use operational::choices::Choices;
use operational::happens_before::{Clocks, Pair, Rules};
use operational::limits::Limits;
use operational::memory::Machine;
use operational::observer::{MemoryEvent, Observer, Sync};
use operational::races::{Places, Race, Watch, places, race as race_of};
use operational::schedule::{Move, Schedule};
use operational::search::{Reduction, Runner};
use operational::shorten::{Watching, shorten_until};
use operational::state::State;
use operational::turn::setup_once;
use operational::word::Words;

/// Two statements, each with whether it writes, and with the thread if the statement has no place.
pub(super) type Statements = [(Option<Span>, bool, u32); 2];

/// The race of these two statements, sorted, in an execution, with a short schedule; `None` if there is none.
pub(super) fn race(
    program: &Verified,
    (machine, rules): (Machine, Rules),
    schedule: &Schedule,
    statements: Statements,
    limits: &Limits,
) -> Option<(Places, Race)> {
    let mut sought = Sought { watch: Watch::new(program, clocks(program, rules)), program, rules, statements };
    let schedule = shorten_until(program, machine, schedule, limits, &mut sought);
    sought.restart();
    let mut runner = Runner::new(program, machine, Reduction::Own, limits);
    let mut state = setup_once(&mut runner.interpreter, &mut Choices::given(schedule.setup.clone())).ok()?;
    runner.advance(&mut state, None, &mut Choices::given(schedule.start.clone()), &mut sought).ok()?;
    for Move { action, choices } in &schedule.moves {
        let result = runner.advance(&mut state, Some(*action), &mut Choices::given(choices.clone()), &mut sought);
        if result.is_err() {
            break;
        }
    }
    let (pair, of) = sought.watch.pairs.iter().find(|(pair, _)| sought.is_it(pair))?;
    Some((places(program, pair), race_of(&runner.interpreter, pair, *of, (schedule, Reduction::Own))))
}

fn clocks(program: &Verified, rules: Rules) -> Clocks {
    Clocks::new(rules, program.threads.len())
}

/// Watches until the two statements race.
struct Sought<'a> {
    watch: Watch<'a>,
    program: &'a Verified,
    rules: Rules,
    statements: Statements,
}

impl Sought<'_> {
    fn is_it(&self, pair: &Pair) -> bool {
        let mut found = [&pair.first, &pair.second].map(|access| {
            let thread = if access.span.is_none() { access.thread as u32 } else { 0 };
            (access.span, access.writes, thread)
        });
        found.sort();
        found == self.statements
    }
}

impl Watching for Sought<'_> {
    fn restart(&mut self) {
        self.watch = Watch::new(self.program, clocks(self.program, self.rules));
    }

    fn is_seen(&self) -> bool {
        self.watch.pairs.iter().any(|(pair, _)| self.is_it(pair))
    }
}

impl Observer for Sought<'_> {
    fn event(&mut self, event: MemoryEvent, state: &State, words: &Words) {
        self.watch.event(event, state, words);
    }

    fn sync(&mut self, sync: Sync) {
        self.watch.sync(sync);
    }

    fn flush(&mut self, thread: usize, index: usize, state: &State) {
        self.watch.flush(thread, index, state);
    }

    fn atomic(&mut self, thread: usize, begins: bool) {
        self.watch.atomic(thread, begins);
    }

    fn renumbered(&mut self, numbers: &[u32]) {
        self.watch.renumbered(numbers);
    }

    fn allocated(&mut self, allocation: u32) {
        self.watch.allocated(allocation);
    }

    fn freed(&mut self, thread: usize, allocation: u32, span: Option<Span>) {
        self.watch.freed(thread, allocation, span);
    }

    fn given(&mut self, thread: usize, allocation: u32, is_new: bool, span: Option<Span>) {
        self.watch.given(thread, allocation, is_new, span);
    }
}

//! Bounded tests of C data types with the engines that run programs.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use operational::bounded::{Recorded, record};
use operational::{Limits, Machine, Reduction, Schedule, replay};
use program::{
    Comparator, Failure as Wrong, FailureKind, Observation, Outcome, Program, Proposition, Question, Shown, State,
    Term, Unsupported, Value, Verdict, Verified, verify,
};
use report::cells::Cells;
use report::{Answer, Property};

use crate::answer::{Task, Wanted, offer, with_reason};
use crate::arguments::{Asked, Bounds, CSource, MemoryOrders};
use crate::c::{Expected, SERIAL_OBSERVATIONS, Test, expected};
use crate::failure::{Exit, Failure};
use crate::limits::{Guard, Watch, watched};
use crate::mcr::steps;
use crate::operational::{How, Ran, write_schedule};
use crate::{input, orders, warnings};

/// An engine that runs programs.
pub struct Engine {
    /// Its name in answers.
    pub name: &'static str,
    /// Runs a program.
    pub run: fn(&Asked, &Verified, Machine, How, &Watch) -> Result<Ran, Unsupported>,
    /// The machine that is meant.
    pub machine: fn(&Asked, &Verified) -> Result<Machine, Failure>,
}

/// Reads a bounded test of the operations of a C file.
pub fn read(path: &Path, notation: &str, source: &CSource) -> Result<Test, Failure> {
    if !input::is_c(path) {
        return Err(Failure::file(path, "--test is for C files"));
    }
    Test::read(path, notation, source)
}

/// The test as a machine runs it, and the same so that it writes down what it shows.
pub fn compiled(
    test: Test,
    machine: Machine,
    memory_orders: Option<MemoryOrders>,
) -> Result<(Test, Recorded), Failure> {
    let test = Test { program: orders::compiled(test.program, machine.name(), memory_orders)?, ..test };
    let recorded = record(&test.program).map_err(|unsupported| Failure::unsupported(&test.program, unsupported))?;
    Ok((test, recorded))
}

/// What a test shows in an execution that comes to its end, in words, and whether a serial execution shows it.
pub fn shown(
    path: &Path,
    notation: &str,
    source: &CSource,
    memory_orders: Option<MemoryOrders>,
    (schedule, machine, reduction): (&Schedule, Machine, Reduction),
) -> Result<(String, bool), Failure> {
    let (test, recorded) = compiled(read(path, notation, source)?, machine, memory_orders)?;
    let unsupported = |unsupported| Failure::unsupported(&test.program, unsupported);
    let again = replay(&recorded.asking, machine, reduction, schedule, &Limits::default());
    let execution = again.map(|again| again.execution).unwrap_or_default();
    let observation = recorded.observation(&execution.state);
    let cells = Cells::of(&recorded.asking, &execution);
    let expected = watched(|watch| expected(&test, Bounds::default(), watch)).map_err(unsupported)?;
    let is_serial = expected.is_ok_and(|expected| expected.observations.contains(&observation));
    let mut text = String::from("\nWhat the operations showed:\n");
    let names = std::iter::once("setup").chain(test.program.threads.iter().map(|thread| thread.name.as_str()));
    for (name, operations) in names.zip(&observation) {
        for Shown { operation, values } in operations {
            let value = |value: &Value| cells.value(&recorded.asking, value);
            let values: Vec<String> = values.iter().map(|(label, of)| format!("{label}={}", value(of))).collect();
            text.push_str(&format!("  {name}: {operation}  {}\n", values.join(", ")));
        }
    }
    let verdict = if is_serial { "A serial execution shows this, too." } else { "No serial execution shows this." };
    Ok((format!("{text}{verdict}\n"), is_serial))
}

/// The answer for a bounded test of the operations of a C file.
pub fn answer(
    asked: &Asked,
    path: &Path,
    notation: &str,
    task: Task,
    engine: &Engine,
) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    if task.wanted != Wanted::Verdict {
        return Err(Failure::file(path, "a bounded test has a verdict, no final states"));
    }
    let test = read(path, notation, &asked.c)?;
    let machine = (engine.machine)(asked, &test.program)?;
    let (test, recorded) = compiled(test, machine, asked.memory_orders)?;
    let _guard = Guard::start(asked.limits)?;
    let reference = asked.c.reference.as_deref().map(input::name);
    let mut shown = report::Test { notation: notation.into(), observations: None, reference, is_whole: false };
    offer(asked, (&file, &recorded.program), Some(&shown), (machine.name(), engine.name), task);
    let checking = Checking { asked, test: &test, recorded: &recorded, machine, engine };
    let ran = watched(|watch| checking.check(watch));
    let mut ran = ran.map_err(|unsupported| Failure::unsupported(&recorded.program, unsupported))?;
    task.warn(&mut ran.outcome, warnings::on(&test.program, machine, asked.memory_orders));
    write_schedule(asked, (&file, &recorded.program), machine, &ran)?;
    // What the operations showed is best seen in the execution, an error in the steps to it.
    let has_steps = task.is_text && ran.wrong.is_some();
    let steps = if has_steps { steps(&recorded.program, machine, &mut ran) } else { String::new() };
    let serial = ran.outcome.statistics.figures.iter().find(|(name, _)| name == SERIAL_OBSERVATIONS);
    shown.observations = serial.map(|&(_, count)| count as usize);
    let answer = Answer {
        file: &file,
        program: &recorded.program,
        model: machine.name(),
        engine: engine.name,
        property: Property::Always,
        test: Some(&shown),
        outcome: &ran.outcome,
    };
    let mut text = (task.print)(&answer, start.elapsed().as_secs_f64());
    text.push_str(&steps);
    if task.is_text {
        text.push_str(&ran.explored);
    }
    Ok((text, (task.exit)(&answer)))
}

struct Checking<'a> {
    asked: &'a Asked,
    test: &'a Test,
    recorded: &'a Recorded,
    machine: Machine,
    engine: &'a Engine,
}

impl Checking<'_> {
    /// Looks for an execution that goes wrong, then for one that shows what no serial execution does.
    fn check(&self, watch: &Watch) -> Result<Ran, Unsupported> {
        let Expected { observations, .. } = match expected(self.test, self.asked.bounds, watch)? {
            Ok(expected) => expected,
            Err(outcome) => {
                let outcome = with_reason(*outcome, watch);
                return Ok(Ran { outcome, wrong: None, schedule: None, explored: String::new() });
            }
        };
        let mut ran = self.run(&self.recorded.program, false, watch)?;
        if ran.outcome.verdict == Verdict::Holds {
            let all = self.run(&self.recorded.asking, true, watch)?;
            ran = match self.unexpected(&all.outcome, &observations) {
                Some((state, observation)) => self.showing(&state, observation, watch)?,
                None => Ran { outcome: without_states(all.outcome), schedule: None, ..all },
            };
        }
        ran.outcome.statistics.figures.push((SERIAL_OBSERVATIONS.into(), observations.len() as u64));
        Ok(ran)
    }

    fn run(&self, program: &Verified, all_states: bool, watch: &Watch) -> Result<Ran, Unsupported> {
        let how = How { all_states, ..How::default() };
        (self.engine.run)(self.asked, program, self.machine, how, watch)
    }

    /// A final state with an observation that is not among these.
    fn unexpected(&self, outcome: &Outcome, expected: &BTreeSet<Observation>) -> Option<(State, Observation)> {
        let states = outcome.states.iter().flatten().map(|(state, _)| state);
        let mut shown = states.map(|state| (state.clone(), self.recorded.observation(state)));
        shown.find(|(_, observation)| !expected.contains(observation))
    }

    /// An execution that ends in this state.
    fn showing(&self, state: &State, observation: Observation, watch: &Watch) -> Result<Ran, Unsupported> {
        let is = |(observable, value): &(program::Observable, Value)| {
            Proposition::Compare(Comparator::Eq, Term::Observable(observable.clone()), Term::Value(value.clone()))
        };
        let proposition = Proposition::And(state.iter().map(is).collect());
        let question = self.recorded.asking.question.clone().map(|question| Question { proposition, ..question });
        let program = Program { question, ..(*self.recorded.asking).clone() };
        let program = verify(program).map_err(|_| Unsupported::new("the question about what was shown", None))?;
        let mut ran = self.run(&program, false, watch)?;
        // What the cells hold is said by the observation.
        ran.outcome.witness.iter_mut().for_each(|witness| witness.state.clear());
        ran.outcome = Outcome {
            verdict: Verdict::Violated,
            failure: Some(Wrong::new(FailureKind::Observation, "no serial execution shows this", None)),
            observation: Some(observation),
            ..ran.outcome
        };
        Ok(ran)
    }
}

/// A test has no final states; that there are some says that it holds, unless some are missing.
fn without_states(outcome: Outcome) -> Outcome {
    let verdict = match outcome.verdict {
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
        _ => Verdict::Holds,
    };
    Outcome { verdict, states: None, witness: None, schedule: None, ..outcome }
}

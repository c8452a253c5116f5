//! A first execution of a program, and the formula that maximal causality reduction has for an execution.

use operational::choices::Choices;
use operational::interpret::Stop;
use operational::observer::Nobody;
use operational::schedule::Move;
use operational::search::Runner;
use operational::turn::{Action, setup_once};
use operational::{Limits, Machine, Reduction, Schedule, replay};
use program::Verified;
use report::constraints::{self, Constraints};

use crate::annotations;
use crate::refusal::Refusal;

/// How the first execution goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Thread by thread, each as far as it gets, stores at once.
    InTurn,
    /// At each step who goes is left to chance, from this seed.
    Random(u64),
}

/// How an execution is printed that has formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// For SMT solvers.
    Smt,
}

/// The schedule of an execution of so many moves at most.
pub fn schedule(program: &Verified, machine: Machine, way: Way, most: usize) -> Result<Schedule, Refusal> {
    let limits = Limits::default();
    let mut runner = Runner::new(program, machine, Reduction::Own, &limits);
    let mut schedule = Schedule::default();
    let mut setup = Choices::default();
    let state = setup_once(&mut runner.interpreter, &mut setup);
    schedule.setup = setup.taken().to_vec();
    let Ok(mut state) = state else { return Ok(schedule) };
    let mut start = Choices::default();
    if runner.advance(&mut state, None, &mut start, &mut Nobody).is_err() {
        return Ok(schedule);
    }
    schedule.start = start.taken().to_vec();
    let mut chance = match way {
        Way::InTurn => None,
        Way::Random(seed) => Some(seed.wrapping_mul(2).wrapping_add(1)),
    };
    while schedule.moves.len() < most {
        let mut actions = runner.interpreter.actions(&state);
        shuffle(&mut actions, &mut chance);
        let mut moved = false;
        for action in actions {
            let (mut next, mut choices) = (state.clone(), Choices::default());
            let end = runner.advance(&mut next, Some(action), &mut choices, &mut Nobody);
            let choices = choices.taken().to_vec();
            match end {
                Ok(()) => state = next,
                Err(halt) => match halt.stop {
                    Stop::Waits(_) | Stop::Dropped => continue,
                    Stop::Unsupported(unsupported) => return Err(Refusal::unsupported(program, unsupported)),
                    // The execution goes wrong, or as far as it is followed.
                    Stop::Failed(_) | Stop::Limit(_) => return Ok(with(schedule, action, choices)),
                },
            }
            schedule = with(schedule, action, choices);
            moved = true;
            break;
        }
        if !moved {
            break;
        }
    }
    Ok(schedule)
}

fn with(mut schedule: Schedule, action: Action, choices: Vec<u32>) -> Schedule {
    schedule.moves.push(Move { action, choices });
    schedule
}

/// Another order of the actions, by chance (xorshift).
fn shuffle(actions: &mut [Action], chance: &mut Option<u64>) {
    let Some(state) = chance else { return };
    for last in (1..actions.len()).rev() {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let other = (*state % (last as u64 + 1)) as usize;
        actions.swap(last, other);
    }
}

/// The formula of an execution: in which orders its events may happen on a machine, and which order gives a read another value.
pub fn formula(
    program: &Verified,
    (schedule, reduction): (&Schedule, Reduction),
    machine: Machine,
    form: Form,
) -> Result<String, Refusal> {
    annotations::refuse(program, "in these formulas")?;
    let Some(rules) = constraints::Machine::named(machine.name()) else {
        return Err(Refusal::Question(format!("there are formulas on sc, tso and pso, not on {}", machine.name())));
    };
    let replayed = replay(program, machine, reduction, schedule, &Limits::default());
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(replay::Mismatch::Unsupported(unsupported)) => {
            return Err(Refusal::unsupported(program, unsupported));
        }
        Err(replay::Mismatch::Move(number, what)) => {
            return Err(Refusal::Question(format!("the schedule does not fit the program: at move {number} {what}")));
        }
    };
    let constraints = Constraints::of(program, &replayed.execution, &replayed.between_threads, rules);
    Ok(match form {
        Form::Text => constraints.text(),
        Form::Smt => constraints.smt(),
    })
}

//! The commands `observations`, `lower` and `constraints`: what is known of a program, or of one execution.

use operational::{Machine, Reduction, schedule};
use palisade::first::{self, Form, Way};
use palisade::observations::{Observed, observed};
use palisade::races::program_on;
use palisade::{Bounds, Model, Refusal, Task};

use crate::arguments::{CSource, Constraints, Source};
use crate::failure::{Exit, Failure, write};
use crate::files::read;
use crate::limits::{Guard, watched};
use input::Ask;

/// The command `observations`. Exit code 1 if already serial executions go wrong, 3 if they could not all be run.
pub fn observations(arguments: &Source) -> Result<Exit, Failure> {
    let Task::Test(test) = task(arguments)? else {
        return Err(Failure::Message("observations are those of a bounded test: name one with --test".into()));
    };
    let _guard = Guard::start(arguments.limits)?;
    match watched(|watch| observed(&test, Bounds::default(), &watch.limits(arguments.limits)))? {
        Observed::All(text) => {
            write(None, &text)?;
            Ok(Exit::Validated)
        }
        Observed::Trouble(why) => {
            eprintln!("no observations: {why}");
            Ok(Exit::Refuted)
        }
        Observed::Unfinished(why) => {
            eprintln!("no observations: {why}");
            Ok(Exit::Unknown)
        }
    }
}

/// The command `lower`.
pub fn lower(arguments: &Source) -> Result<Exit, Failure> {
    write(None, &program::text::print(task(arguments)?.program()))?;
    Ok(Exit::Validated)
}

/// The command `constraints`.
pub fn constraints(arguments: &Constraints) -> Result<Exit, Failure> {
    let model = Model::named(&arguments.model)?;
    let Some(machine) = Machine::named(model.name()) else {
        return Err(
            Refusal::Question(format!("there are formulas on sc, tso and pso, not under {}", model.name())).into()
        );
    };
    let program = program_on(&task(&arguments.of)?, &model, None)?;
    let _guard = Guard::start(arguments.of.limits)?;
    let (schedule, reduction) = match &arguments.seed {
        Some(file) => {
            let text = read(file)?;
            let wrong = |what: String| Failure::Message(format!("{}: {what}", text.name));
            let (schedule, _, reduction) = schedule::parse(&text.text).map_err(wrong)?;
            (schedule, reduction)
        }
        None => {
            let way = arguments.random.map_or(Way::InTurn, Way::Random);
            (first::schedule(&program, machine, way, arguments.depth)?, Reduction::Own)
        }
    };
    let form = if arguments.smt { Form::Smt } else { Form::Text };
    write(None, &first::formula(&program, (&schedule, reduction), machine, form)?)?;
    Ok(Exit::Validated)
}

fn task(Source { file, c, .. }: &Source) -> Result<Task, Failure> {
    Ok(input::task(file, Ask { exists: None, property: None, source: c as &CSource })?.task)
}

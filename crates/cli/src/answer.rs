//! The commands `check` and `outcomes`: files in, one answer each, the worst exit code out.

use std::path::Path;
use std::time::Instant;

use ::operational::Machine;
use axiomatic::unroll::Rounds;
use axiomatic::whole::Checked;
use axiomatic::{Assertions, Model, Options};
use program::{Outcome, Program, Unsupported, Verdict, Verified};
use report::{Answer, Property, dot, herd, html, json, svg, text};

use crate::arguments::{self, AnswerFormat, Asked, Check, Engine, Mcr, Outcomes, OutcomesFormat, WaysOut};
use crate::failure::{Exit, Failure, write};
use crate::input::{self, Ask};
use crate::limits::{Guard, Watch, watched};
use crate::models::NamedModel;
use crate::progress::{Progress, with_spinner};
use crate::supervise::{self, Role};
use crate::{c, java, mcr, models, operational, orders, warnings};

/// The engine's name in answers.
pub const ENGINE: &str = "axiomatic";

/// What is done with each file.
#[derive(Clone, Copy)]
pub struct Task {
    /// What is wanted.
    pub wanted: Wanted,
    /// Whether the evidence is wanted.
    pub explain: bool,
    /// Prints an answer that took so many seconds.
    pub print: fn(&Answer, f64) -> String,
    /// The exit code that an answer asks for.
    pub exit: fn(&Answer) -> Exit,
    /// Whether words may follow the answer.
    pub is_text: bool,
    /// Whether the format has room for warnings.
    pub shows_warnings: bool,
}

impl Task {
    /// Puts warnings into an answer, or on standard error where its format has no room for them.
    pub fn warn(&self, outcome: &mut Outcome, warnings: Vec<String>) {
        if !self.shows_warnings {
            warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        }
        outcome.warnings = warnings;
    }
}

/// What is wanted of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The verdict.
    Verdict,
    /// The verdict, and all final states if the program has a question about them.
    VerdictAndStates,
    /// All final states.
    States,
}

/// The command `check`.
pub fn check(arguments: &Check) -> Result<Exit, Failure> {
    let format = arguments.format;
    let is_picture = matches!(format, AnswerFormat::Html | AnswerFormat::Dot | AnswerFormat::Svg);
    if is_picture && arguments.asked.files.len() > 1 {
        return Err(Failure::Message("this format shows one test: give one file".into()));
    }
    let print: fn(&Answer, f64) -> String = match format {
        AnswerFormat::Text => |answer, _| text::answer(answer),
        AnswerFormat::Json => |answer, _| json::answer(answer),
        AnswerFormat::Html => |answer, _| html::answer(answer),
        AnswerFormat::Dot => |answer, _| dot::answer(answer),
        AnswerFormat::Svg => |answer, _| svg::answer(answer),
        AnswerFormat::Herd => herd::answer,
    };
    let wanted = if format == AnswerFormat::Herd { Wanted::VerdictAndStates } else { Wanted::Verdict };
    let explain = !arguments.asked.no_explain;
    let shows_warnings = matches!(format, AnswerFormat::Text | AnswerFormat::Json | AnswerFormat::Html);
    run(
        &arguments.asked,
        Task { wanted, explain, print, exit: Exit::of, is_text: format == AnswerFormat::Text, shows_warnings },
    )
}

/// The command `outcomes`. It claims nothing, so its exit code says only whether all states were found.
pub fn outcomes(arguments: &Outcomes) -> Result<Exit, Failure> {
    let format = arguments.format;
    if format == OutcomesFormat::Html && arguments.asked.files.len() > 1 {
        return Err(Failure::Message("this format shows one test: give one file".into()));
    }
    let print: fn(&Answer, f64) -> String = match format {
        OutcomesFormat::Text => |answer, _| text::outcomes(answer),
        OutcomesFormat::Json => |answer, _| json::answer(answer),
        OutcomesFormat::Html => |answer, _| html::answer(answer),
        OutcomesFormat::Herd => herd::answer,
    };
    if arguments.asked.question.is_some() {
        return Err(Failure::Message(
            "`outcomes` lists final states and asks no question: use `check --question`".into(),
        ));
    }
    let exit = |answer: &Answer| match answer.outcome.verdict {
        Verdict::Unknown(_) => Exit::Unknown,
        _ => Exit::Validated,
    };
    let explain = !arguments.asked.no_explain;
    let shows_warnings = format != OutcomesFormat::Herd;
    run(
        &arguments.asked,
        Task { wanted: Wanted::States, explain, print, exit, is_text: format == OutcomesFormat::Text, shows_warnings },
    )
}

/// Answers for the file that this process is for; see [`crate::supervise`].
fn run(asked: &Asked, task: Task) -> Result<Exit, Failure> {
    let number = match supervise::role() {
        Some(Role::Unit(number)) => number,
        _ => 0,
    };
    let Some(path) = asked.files.get(number) else { return Ok(Exit::Validated) };
    offer_nothing_read(asked, path, task)?;
    match answer(asked, path, task) {
        Ok((text, exit)) => {
            write(None, &text)?;
            Ok(exit)
        }
        Err(failure) => {
            failure.show();
            Ok(Exit::WrongInput)
        }
    }
}

/// Leaves the answer that is given if the program cannot even be read within the limits.
fn offer_nothing_read(asked: &Asked, path: &Path, task: Task) -> Result<(), Failure> {
    let (file, program) = (input::name(path), input::nothing_read(path)?);
    let engine = match asked.engine {
        Engine::Axiomatic => ENGINE,
        Engine::Operational => operational::ENGINE,
        Engine::Mcr => mcr::ENGINE,
    };
    offer(asked, (&file, &program), None, (asked.model.as_deref().unwrap_or_default(), engine), task);
    Ok(())
}

/// Leaves the answer "unknown" for the case that this process has to be ended.
pub fn offer(
    asked: &Asked,
    (file, program): (&str, &Program),
    test: Option<&report::Test>,
    (model, engine): (&str, &str),
    task: Task,
) {
    let property = asked.question.map(Property::from).unwrap_or_default();
    supervise::offer(|reason| {
        let outcome = &Outcome { verdict: Verdict::Unknown(reason.into()), ..Outcome::default() };
        (task.print)(&Answer { file, program, model, engine, property, test, outcome }, 0.0)
    });
}

/// The answer for one file, printed, with its exit code.
fn answer(asked: &Asked, path: &Path, task: Task) -> Result<(String, Exit), Failure> {
    if asked.engine == Engine::Mcr {
        return mcr::answer(asked, path, task);
    }
    refuse_options_of_mcr(asked)?;
    if asked.engine == Engine::Operational {
        return operational::answer(asked, path, task);
    }
    if asked.schedule.is_some() {
        return Err(Failure::Message("--schedule is for --engine operational and --engine mcr".into()));
    }
    if asked.depth.is_some() {
        return Err(Failure::Message("--depth is for --engine operational".into()));
    }
    let start = Instant::now();
    let file = input::name(path);
    let ask = Ask { exists: asked.exists.as_deref(), property: asked.question.map(Property::from), c: Some(&asked.c) };
    let property = ask.property.unwrap_or_default();
    if let Some(notation) = &asked.c.test {
        return test(asked, path, notation, task);
    }
    let mut program = input::program(path, ask).map_err(|failure| with_other_engine(asked, path, failure))?;
    if input::is_c(path) {
        return whole(asked, path, &program, task);
    }
    if task.wanted == Wanted::States {
        program = input::ask_for_states(program)?;
    }
    let all_states = task.wanted != Wanted::Verdict && program.question.is_some();
    let (name, model) = &model_for(asked, &program)?;
    program = orders::compiled(program, name, asked.memory_orders)?;
    let _guard = Guard::start(asked.limits)?;
    offer(asked, (&file, &program), None, (name, ENGINE), task);
    let outcome = watched(|watch| {
        let options = Options {
            rounds: Rounds::of_each(asked.unroll.unwrap_or(3)),
            executions: asked.executions,
            assertions: assertions(property),
            explain: task.explain,
            budget: budget(watch),
            ..Options::default()
        };
        let outcome = solve(&program, model, &options, all_states);
        outcome.map(|outcome| with_reason(outcome, watch))
    });
    let mut outcome = outcome.map_err(|unsupported| not_modelled(asked, path, &program, unsupported))?;
    task.warn(&mut outcome, warnings::under(&program, name, model, asked.memory_orders));
    let answer =
        Answer { file: &file, program: &program, model: name, engine: ENGINE, property, test: None, outcome: &outcome };
    Ok(((task.print)(&answer, start.elapsed().as_secs_f64()), (task.exit)(&answer)))
}

fn refuse_options_of_mcr(asked: &Asked) -> Result<(), Failure> {
    let Mcr { max_executions, exhaustive, ways_out, jobs } = &asked.mcr;
    let given = [
        ("--max-executions", max_executions.is_some()),
        ("--exhaustive", *exhaustive),
        ("--ways-out", *ways_out != WaysOut::default()),
        ("--jobs", jobs.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::Message(format!("{name} is for --engine mcr"))),
        None => Ok(()),
    }
}

/// The answer for a bounded test of the operations of a C file.
fn test(asked: &Asked, path: &Path, notation: &str, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    if !input::is_c(path) {
        return Err(Failure::file(path, "--test is for C files"));
    }
    if task.wanted != Wanted::Verdict {
        return Err(Failure::file(path, "a bounded test has a verdict, no final states"));
    }
    let mut test = c::Test::read(path, notation, &asked.c)?;
    let (name, model) = &model_for(asked, &test.program)?;
    test.program = orders::compiled(test.program, name, asked.memory_orders)?;
    let reference = asked.c.reference.as_deref().map(input::name);
    let mut shown = report::Test { notation: notation.into(), observations: None, reference, is_whole: false };
    let _guard = Guard::start(asked.limits)?;
    offer(asked, (&file, &test.program), Some(&shown), (name, ENGINE), task);
    let outcome = watched(|watch| {
        let options = Options { explain: task.explain, budget: budget(watch), ..Options::default() };
        let outcome = with_spinner(|| c::check(&test, model, asked.bounds, &options, watch));
        outcome.map(|outcome| with_reason(outcome, watch))
    });
    let mut outcome = outcome.map_err(|unsupported| Failure::unsupported(&test.program, unsupported))?;
    task.warn(&mut outcome, warnings::under(&test.program, name, model, asked.memory_orders));
    let (program, property) = (&*test.program, Property::Always);
    let serial = outcome.statistics.figures.iter().find(|(name, _)| name == c::SERIAL_OBSERVATIONS);
    shown.observations = serial.map(|&(_, count)| count as usize);
    let test = Some(&shown);
    let answer = Answer { file: &file, program, model: name, engine: ENGINE, property, test, outcome: &outcome };
    Ok(((task.print)(&answer, start.elapsed().as_secs_f64()), (task.exit)(&answer)))
}

/// The answer for the program that starts at `main` of a C file.
fn whole(asked: &Asked, path: &Path, program: &Verified, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    if task.wanted != Wanted::Verdict || asked.question == Some(arguments::Question::Possible) {
        let what = "a C program is asked whether all its assertions hold; other questions are for --engine operational";
        return Err(Failure::file(path, what));
    }
    let (name, model) = &model_for(asked, program)?;
    let program = &orders::compiled(program.clone(), name, asked.memory_orders)?;
    let test = report::Test::whole();
    let _guard = Guard::start(asked.limits)?;
    offer(asked, (&file, program), Some(&test), (name, ENGINE), task);
    let checked = watched(|watch| {
        let options = Options { explain: task.explain, budget: budget(watch), ..Options::default() };
        let checked = with_spinner(|| c::check_whole(program, model, asked.bounds, &options));
        checked.map(|Checked { program, outcome }| Checked { program, outcome: with_reason(outcome, watch) })
    });
    let warnings = warnings::under(program, name, model, asked.memory_orders);
    let Checked { program, mut outcome } =
        checked.map_err(|unsupported| not_modelled(asked, path, program, unsupported))?;
    task.warn(&mut outcome, warnings);
    let (property, test, outcome) = (Property::Always, Some(&test), &outcome);
    let answer = Answer { file: &file, program: &program, model: name, engine: ENGINE, property, test, outcome };
    Ok(((task.print)(&answer, start.elapsed().as_secs_f64()), (task.exit)(&answer)))
}

/// A Java program that cannot be read for this engine may be one that another engine runs: then its command is named.
fn with_other_engine(asked: &Asked, path: &Path, failure: Failure) -> Failure {
    let Failure::Diagnostics(mut diagnostics) = failure else { return failure };
    let runs_whole =
        || java::run_program(path, &[]).is_ok_and(|parsed| input::verified(parsed.program).is_ok_and(|it| runs(&it)));
    if input::is_java(path)
        && runs_whole()
        && let Some(last) = diagnostics.messages.last_mut()
    {
        last.notes.push(format!("another engine runs this program: {}", other_command(asked, path)));
    }
    Failure::Diagnostics(diagnostics)
}

/// What the engine does not model. If another engine runs the program, its command is named.
fn not_modelled(asked: &Asked, path: &Path, program: &Verified, unsupported: Unsupported) -> Failure {
    let mut message = program::Diagnostic::from(unsupported);
    if runs(program) {
        message.notes.push(format!("another engine runs this program: {}", other_command(asked, path)));
    }
    Failure::diagnostics(program, vec![message])
}

/// Whether the operational engine has something to say about a program, found out by a few steps.
fn runs(program: &Verified) -> bool {
    let limits = ::operational::Limits { states: 100, ..::operational::Limits::default() };
    let options = ::operational::Options { limits, ..::operational::Options::default() };
    ::operational::check(program, Machine::Sc, &options).is_ok()
}

/// The command that asks the operational engine about a file: on the model that was asked for if it is a machine of it.
pub fn other_command(asked: &Asked, path: &Path) -> String {
    let given = asked.model.as_deref().filter(|model| Machine::named(model).is_some());
    let usual = if input::is_java(path) { "jmm_over" } else { "sc" };
    let defines: String = asked.c.define.iter().map(|define| format!(" -D {define}")).collect();
    format!("palisade check {} --engine operational --model {}{defines}", path.display(), given.unwrap_or(usual))
}

fn model_for(asked: &Asked, program: &Verified) -> Result<(String, Model), Failure> {
    let found = models::find_or_default(asked.model.as_deref(), &program.language, &asked.c.include)?;
    let NamedModel { model, shown, .. } = found;
    Ok((shown, model))
}

/// The same question in the engine's words.
pub fn assertions(property: Property) -> Assertions {
    match property {
        Property::Always => Assertions::Always,
        Property::Possible => Assertions::Possible,
    }
}

/// The verdict, or all final states, with a sign of life on the terminal.
pub fn solve(program: &Verified, model: &Model, options: &Options, all_states: bool) -> Result<Outcome, Unsupported> {
    if !all_states {
        return with_spinner(|| axiomatic::check(program, model, options));
    }
    let progress = Progress::new(None, "final states");
    axiomatic::outcomes(program, model, options, &mut |found| progress.at(found as u64))
}

/// What the engine may spend: it ends when the watch says so.
pub fn budget(watch: &Watch) -> sat::Budget {
    sat::Budget { interrupt: watch.interrupt.clone(), conflicts: None }
}

/// An unknown verdict of a search that was ended says why it was ended; so do counts that are not complete.
pub fn with_reason(mut outcome: Outcome, watch: &Watch) -> Outcome {
    let Some(reason) = watch.reason() else { return outcome };
    if let Verdict::Unknown(own) = &mut outcome.verdict {
        own.clone_from(&reason);
    }
    outcome.incomplete.iter_mut().for_each(|own| own.clone_from(&reason));
    outcome
}

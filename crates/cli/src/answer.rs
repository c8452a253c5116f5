//! The commands `check` and `outcomes`: files in, one answer each, the worst exit code out.

use std::path::Path;
use std::time::Instant;

use input::{Ask, files, is_java, models};
use operational::Reduction;
use palisade::request::before_an_answer;
use palisade::{Answer, Engine, First, Model, Options, Refusal, Request, Task, Verdict, Wanted};
use program::{Diagnostics, Guarantee, Language, Outcome, Program, Statistics};
use report::Subject;
use report::format::{Format, Print};

use crate::arguments::{Asked, CSource, Check, Fixpoint, Outcomes};
use crate::cubes;
use crate::failure::{Exit, Failure, show, write};
use crate::limits::{Guard, Watch, watched};
use crate::origin;
use crate::progress::live;
use crate::supervise::{self, Role};

/// What is done with each answer.
#[derive(Clone, Copy)]
struct Printing {
    /// What is wanted.
    wanted: Wanted,
    /// How it looks.
    format: &'static Format,
    /// Prints an answer that took so many seconds.
    print: Print,
    /// The exit code that an answer asks for.
    exit: fn(&report::Answer) -> Exit,
}

/// The command `check`.
pub fn check(arguments: &Check) -> Result<Exit, Failure> {
    let format = arguments.format;
    let wanted = if format.needs_states { Wanted::VerdictAndStates } else { Wanted::Verdict };
    run(&arguments.asked, Printing { wanted, format, print: format.answer, exit: Exit::of })
}

/// The command `outcomes`. It claims nothing, so its exit code says only whether all states were found.
pub fn outcomes(arguments: &Outcomes) -> Result<Exit, Failure> {
    let format = arguments.format;
    let exit = |answer: &report::Answer| match answer.outcome.verdict {
        Verdict::Unknown(_) => Exit::Unknown,
        _ => Exit::Validated,
    };
    let print = format.outcomes.unwrap_or(format.answer);
    run(&arguments.asked, Printing { wanted: Wanted::States, format, print, exit })
}

/// Answers for the file that this process is for; see [`crate::supervise`].
fn run(asked: &Asked, printing: Printing) -> Result<Exit, Failure> {
    if printing.format.is_page && asked.files.len() > 1 {
        return Err(Failure::Message("this format shows one test: give one file".into()));
    }
    let number = match supervise::role() {
        Some(Role::Unit(number)) => number,
        _ => 0,
    };
    let Some(path) = asked.files.get(number) else { return Ok(Exit::Validated) };
    let asked = &asked.unit(number);
    let (file, program) = (files::name(path), input::nothing_read(path)?);
    let model = asked.model.as_deref().unwrap_or_default();
    offer(asked, (&file, &program, &Subject::Litmus), model, printing);
    match answer(asked, path, printing) {
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

/// Leaves the answer "unknown" for the case that this process has to be ended.
fn offer(asked: &Asked, (file, program, subject): (&str, &Program, &Subject), model: &str, printing: Printing) {
    let (engine, property) = (asked.engine().name(), asked.question.unwrap_or_default());
    let program = &*before_an_answer(program, printing.wanted);
    supervise::offer(|reason| {
        let outcome = &Outcome { verdict: Verdict::Unknown(reason.into()), ..Outcome::default() };
        (printing.print)(&report::Answer { file, program, model, engine, property, subject, outcome }, 0.0)
    });
}

/// The answer for one file, printed, with its exit code.
fn answer(asked: &Asked, path: &Path, printing: Printing) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = files::name(path);
    let ask = Ask { exists: asked.exists.as_deref(), property: asked.question, source: &asked.c };
    let input = input::task(path, ask)?;
    if let Some(test) = input.stress.as_ref().filter(|_| is_stress_table(asked, printing)) {
        refuse_table_as(printing)?;
        let _guard = Guard::start(asked.limits)?;
        return watched(|watch| {
            let options = options(asked, Wanted::States, watch);
            let table = palisade::stress::table(&file, &input.task, test, &options)?;
            let text = match printing.format.name {
                "html" => report::stress::html(&table),
                "junit" => report::stress::junit(&table),
                _ => report::stress::text(&table),
            };
            Ok((text, table.claim().into()))
        });
    }
    let model = models::find_or_default(asked.model.as_deref(), input.task.language(), &asked.c.include)?.model;
    refuse_executions(asked.executions, &[&model])?;
    refuse_writes(asked, &model)?;
    let _guard = Guard::start(asked.limits)?;
    offer(asked, (&file, input.task.program(), &subject(&input.task)), model.name(), printing);
    if let Some(parts) = asked.mcr.cubes {
        return watched(|watch| {
            let options = options(asked, printing.wanted, watch);
            let request = Request { task: &input.task, model: &model, engine: asked.engine(), options };
            let said = cubes::divide(&request, parts as usize, &asked.mcr.cubes_to, &file)?;
            Ok((said, Exit::Validated))
        });
    }
    let cube = asked.mcr.cube.as_deref().map(cubes::read).transpose()?;
    let seed = asked.mcr.seed.as_deref().map(|file| seed(file, &model)).transpose()?;
    let answered = watched(|watch| {
        let mut options = options(asked, printing.wanted, watch);
        options.mcr.cube = cube.clone();
        options.mcr.first = seed.clone().unwrap_or(options.mcr.first);
        let request = Request { task: &input.task, model: &model, engine: asked.engine(), options };
        let answered = live(|progress| request.answer_with(progress));
        answered.map(|answer| with_reason(answer, watch))
    });
    let mut answer = answered.map_err(|refusal| with_other_engine(asked, path, &input.task, refusal))?;
    if answer.engine == Engine::Axiomatic
        && let Some(warnings) = &input.warnings
    {
        show(warnings);
    }
    if !printing.format.shows_warnings {
        answer.outcome.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    }
    write_schedule(asked, &file, &answer)?;
    let steps = if printing.format.is_text { steps(&mut answer) } else { None };
    let shown = answer.shown(&file);
    let mut text = (printing.print)(&shown, start.elapsed().as_secs_f64());
    if printing.format.is_text {
        text.extend(steps);
        text.push_str(&report::text::listed(&shown.outcome.listed));
        text.push_str(&report::text::writes(&shown.outcome.writes));
        text.push_str(&decided(asked, &answer));
    }
    Ok((text, (printing.exit)(&shown)))
}

/// Whether the table of a test of jcstress is asked for: all outcomes, under the usual model.
fn is_stress_table(asked: &Asked, printing: Printing) -> bool {
    let is_usual = asked.model.as_deref().is_none_or(|name| Some(name) == Language::Java.default_model());
    is_usual && asked.engine() == Engine::Auto && printing.wanted == Wanted::States
}

/// The table of a test of jcstress is there as text, page and test suite.
fn refuse_table_as(printing: Printing) -> Result<(), Failure> {
    match printing.format.name {
        "text" | "html" | "junit" => Ok(()),
        other => Err(Failure::Message(format!(
            "the table of a test of jcstress is printed as text, html or junit, not as {other}: name a model (--model tso) for the final \
             states under it"
        ))),
    }
}

/// What kind of question is asked, as it is shown before anything is known.
fn subject(task: &Task) -> Subject {
    match task {
        Task::Test(test) => Subject::Test(report::Test { notation: test.notation.clone(), ..report::Test::default() }),
        Task::Litmus(..) | Task::Whole(_) => Subject::Litmus,
    }
}

fn options(asked: &Asked, wanted: Wanted, watch: &Watch) -> Options {
    Options {
        wanted,
        explain: !asked.no_explain,
        reasons: asked.core.into(),
        memory_orders: asked.memory_orders.map(Into::into),
        unroll: asked.unroll.unwrap_or(Options::default().unroll),
        executions: asked.executions,
        bounds: asked.bounds.into(),
        depth: asked.depth,
        listing: asked.listing(),
        fixpoint: asked.fixpoint.into(),
        show_writes: asked.show_writes,
        ranges: !asked.no_ranges,
        mcr: asked.mcr.clone().into(),
        limits: watch.limits(asked.limits),
        ..Options::default()
    }
}

/// The execution of a schedule file, to begin with.
fn seed(file: &Path, model: &Model) -> Result<First, Failure> {
    let text = files::read(file)?;
    let wrong = |what: String| Failure::Message(format!("{}: {what}", text.name));
    let (schedule, machine, reduction) = operational::schedule::parse(&text.text).map_err(wrong)?;
    if machine.name() != model.name() {
        return Err(wrong(format!("the schedule is one of {}, not of {}", machine.name(), model.name())));
    }
    match reduction {
        Reduction::Own => Ok(First::Along(schedule)),
        _ => Err(wrong("only schedules that --engine mcr writes can be explored from".into())),
    }
}

/// The steps of an execution that goes wrong, which say more than its relations.
fn steps(answer: &mut Answer) -> Option<String> {
    let is_java = answer.program.language == Language::Java;
    let is_by_class = is_java || answer.engine == Engine::Mcr || matches!(answer.subject, Subject::Test(_));
    let is_whole = answer.program.question.is_none();
    // What the operations of a test showed is best seen in the execution, an error in the steps to it.
    let goes_wrong = answer.outcome.failure.is_some() && answer.outcome.observation.is_none();
    let steps = if (is_by_class || is_whole) && goes_wrong { answer.steps()? } else { return None };
    answer.outcome.witness = None;
    Some(steps)
}

/// Who decided, if that was left open or is not who was asked, and what was explored.
fn decided(asked: &Asked, answer: &Answer) -> String {
    let named = asked.engine();
    let bound = answer.run.as_ref().map(|run| run.machine).filter(|machine| machine.guarantee() != Guarantee::Exact);
    let who = bound.map_or(String::new(), |machine| format!(" on {}", machine.name()));
    let who = format!("{}{who}", answer.engine.name());
    match &answer.run {
        None if named != Engine::Auto && named != answer.engine => {
            format!("\nDecided by the engine {who}: the engine {} comes to no end.\n", named.name())
        }
        None if named == Engine::Auto && answer.is_decided() && names_engine(answer) => {
            format!("\nDecided by the engine {who}: {}.\n", figures(&answer.outcome.statistics))
        }
        None if answer.engine == Engine::Mcr => format!("\nExplored: {}.\n", figures(&answer.outcome.statistics)),
        Some(run) if named == Engine::Auto && answer.is_decided() => {
            format!("\nDecided by the engine {who}: {}.\n", run.explored)
        }
        Some(run) if !run.explored.is_empty() => format!("\nExplored: {}.\n", run.explored),
        _ => String::new(),
    }
}

/// Whether who decided is said where nothing was run: the solver is who is asked about litmus tests and bounded tests.
fn names_engine(answer: &Answer) -> bool {
    match answer.subject {
        Subject::Whole => true,
        Subject::Test(_) => answer.engine == Engine::Mcr,
        _ => false,
    }
}

/// What an engine did, in numbers: `80 executions, 2239 events`.
fn figures(statistics: &Statistics) -> String {
    let shown = statistics.figures.iter().filter(|(_, number)| *number > 0);
    let shown: Vec<String> = shown.map(|(name, number)| format!("{number} {name}")).collect();
    if shown.is_empty() { "nothing".into() } else { shown.join(", ") }
}

/// Writes the schedule down, if that is wanted.
fn write_schedule(asked: &Asked, file: &str, answer: &Answer) -> Result<(), Failure> {
    let Some(path) = &asked.schedule else { return Ok(()) };
    match answer.schedule() {
        Some(text) => {
            write(Some(path), &origin::added(&text, file, answer.scheduled(), (&asked.c, asked.memory_orders)))
        }
        None => {
            eprintln!("no schedule was written: no execution as asked was found");
            Ok(())
        }
    }
}

/// An unknown verdict of a search that was ended says why it was ended; so do counts that are not complete.
pub fn with_reason(answer: Answer, watch: &Watch) -> Answer {
    answer.ended_because(watch.reason())
}

/// What is not modelled. If another engine runs the program, its command is named.
fn with_other_engine(asked: &Asked, path: &Path, task: &Task, refusal: Refusal) -> Failure {
    let Refusal::Input(Diagnostics { sources, mut messages }) = refusal else { return refusal.into() };
    let asks_solver = matches!(asked.engine(), Engine::Auto | Engine::Axiomatic);
    if asks_solver
        && runs(task)
        && let Some(last) = messages.last_mut()
    {
        last.notes.push(format!("another engine runs this program: {}", other_command(asked, path)));
    }
    Failure::Diagnostics(Diagnostics { sources, messages })
}

/// Whether the operational engine has something to say about a program, found out by a few steps.
fn runs(task: &Task) -> bool {
    let Ok(model) = Model::named("sc") else { return false };
    let options = Options { depth: Some(3), explain: false, ..Options::default() };
    Request { task, model: &model, engine: Engine::Operational, options }.answer().is_ok()
}

/// The command that asks the operational engine about a file: on the model that was asked for if it is a machine of it.
fn other_command(asked: &Asked, path: &Path) -> String {
    let is_machine = |name: &&str| Model::named(name).is_ok_and(|model| Engine::Operational.has(&model));
    let given = asked.model.as_deref().filter(is_machine);
    let usual = if is_java(path) { "jmm_over" } else { "sc" };
    let CSource { test, catalogue: _, observations, reference, others, define, include, .. } = &asked.c;
    let CSource { volatile, ignore, tearing, source_path, classpath, .. } = &asked.c;
    let mut options: Vec<String> = Vec::new();
    options.extend(test.iter().map(|test| format!("--test '{test}'")));
    options.extend(observations.iter().map(|path| format!("--observations {}", path.display())));
    options.extend(reference.iter().map(|path| format!("--reference {}", path.display())));
    options.extend(others.iter().map(|path| format!("--with {}", path.display())));
    options.extend(define.iter().map(|define| format!("-D {define}")));
    options.extend(include.iter().map(|folder| format!("-I {}", folder.display())));
    options.extend(volatile.iter().map(|how| format!("--volatile {}", how.name())));
    options.extend(ignore.iter().map(|kind| format!("--ignore {}", kind.name())));
    options.extend(tearing.then(|| "--tearing".to_string()));
    options.extend(source_path.iter().map(|folder| format!("--source-path {}", folder.display())));
    options.extend(classpath.iter().map(|path| format!("--classpath {}", path.display())));
    let options: String = options.into_iter().map(|option| format!(" {option}")).collect();
    format!("palisade check {} --engine operational --model {}{options}", path.display(), given.unwrap_or(usual))
}

/// Refuses to speak of what jmm_over knows to be written where jmm_over is not asked.
fn refuse_writes(asked: &Asked, model: &Model) -> Result<(), Failure> {
    let is_bounded = model.name() == "jmm_over" || model.bounds().is_some();
    let option = match () {
        () if is_bounded => return Ok(()),
        () if asked.show_writes => "--show-writes",
        () if asked.fixpoint != Fixpoint::default() => "--fixpoint",
        () => return Ok(()),
    };
    let what = format!("{option} means nothing here: {option} is for --model jmm_over and --model jmm");
    Err(Failure::Message(what))
}

/// Refuses a number of executions where no model is one of several.
pub fn refuse_executions(executions: Option<usize>, models: &[&Model]) -> Result<(), Failure> {
    let is_speculative = |model: &&Model| model.axioms().is_some_and(|axioms| axioms.is_speculative());
    if executions.is_none() || models.iter().any(is_speculative) {
        return Ok(());
    }
    let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
    let what =
        "--executions means nothing here: --executions is for models of several executions, as jmm-revised is, not for";
    Err(Failure::Message(format!("{what} {}", names.join(" and "))))
}

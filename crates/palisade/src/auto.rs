//! The engine that is best for a question, without a choice of the user: the model is the same for all of them, so that any
//! decisive answer is the answer.
//!
//! Engines that have the model stand in an order that was measured ([`order`]). The first begins alone; if it has not decided
//! after [`HEAD_START`], the second begins beside it on another processor, then, each later than the one before, the others; the first
//! decisive answer ends them all. So small questions are answered in the same way every time, and large ones by whoever is faster: what is
//! endless for one engine may be a few states for the last. The question that a litmus test brings
//! is left to one engine at a time: why an outcome is forbidden takes longer to say than that it is. An engine that refuses the
//! program, or ends undecided, makes room for the next at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use program::{Language, Outcome, Property, Verdict};
use report::Subject;

use crate::engine::Engine;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Classes, Limits, Options, Progress, Request, Silent, Wanted};
use crate::task::{Criterion, Forms, Task};
use crate::{axioms, graphs, machines, sequential, steps};

/// How long the first engine is alone. The second is ahead of the third for twice as long, and so on.
const HEAD_START: Duration = Duration::from_secs(1);
/// How often it is looked whether the request was interrupted.
const TICK: Duration = Duration::from_millis(10);
/// Stack of an engine's thread: deeply nested formulas are walked recursively.
const STACK: usize = 256 << 20;

/// The engines that may answer, the most promising first. The reasons, in seconds on two cores:
///
/// - Litmus tests are small, and the solver says why an outcome is forbidden.
/// - Whole programs on sc, tso and pso: the search over states takes 0.15 s for a futex mutex with three threads on tso and mcr
///   more than 19, fib(5) 0.85 against 7.1; stacks and test-and-test-and-set locks are the other way round. On the thirty whole
///   programs of `suites/c` under tso both take up to 0.03 s, the solver up to 0.88.
/// - Whole programs under rc11: execution graphs take hundredths of a second on most programs of `suites/c`, the solver seconds
///   where there are locks.
/// - Bounded tests: the solver explains failures best; mcr is often ten times as fast on tests with few operations, and far
///   behind on those with many, so both are tried.
///
/// Whether an engine has the model is looked up only when its turn comes.
fn order<'a>(task: &'a Task, model: &'a Model, options: &'a Options) -> impl Iterator<Item = Engine> + 'a {
    let usual = match task {
        Task::Litmus(..) => [Engine::Axiomatic, Engine::Operational, Engine::Mcr],
        Task::Whole(_) => [Engine::Operational, Engine::Mcr, Engine::Axiomatic],
        Task::Test(_) => [Engine::Axiomatic, Engine::Mcr, Engine::Operational],
    };
    usual.into_iter().filter(|engine| engine.has(model) && takes(*engine, task, options))
}

/// A way to the answer of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// An engine that has the model.
    Engine(Engine),
    /// The states of sc, where they decide; see `sequential`.
    Sequential,
    /// Execution graphs on a machine.
    Graphs,
}

/// The ways to the answer, the most promising first. Execution graphs of programs with locks are few, those of condition variables
/// are many: there sc is next, before the solver, which takes minutes for a buffer with two threads at each end. Nested monitors in
/// loops take the models of Java minutes, and sc 0.02 s. On sc, tso and pso graphs are second: four threads of a Treiber stack take
/// them 0.4 s and all states 14, fib(5) on tso 0.08 against 3; where few states have many orders it is the other way round.
fn ways(task: &Task, model: &Model, options: &Options) -> Vec<Way> {
    let mut ways: Vec<Way> = order(task, model, options).map(Way::Engine).collect();
    if sequential::takes(task, model, options) {
        ways.insert(ways.len().min(1), Way::Sequential);
    }
    if graphs::takes_machine(task, model, options) {
        ways.insert(ways.len().min(1), Way::Graphs);
    }
    ways
}

/// Whether an engine takes the question; what it does not take would be refused.
fn takes(engine: Engine, task: &Task, options: &Options) -> bool {
    match (engine, task) {
        (Engine::Axiomatic, Task::Test(test)) if test.criterion == Criterion::Linearizable => false,
        (Engine::Axiomatic, Task::Whole(whole)) => match &whole.forms {
            Forms::One(_) => options.wanted == Wanted::Verdict && whole.property == Property::Always,
            Forms::Two { .. } | Forms::OnlyUnfolded(..) => true,
            Forms::OnlyRun(..) => false,
        },
        // What Java prints is kept by one engine alone.
        (Engine::Mcr, Task::Whole(whole)) if options.wanted == Wanted::States => {
            whole.forms.run().is_ok() && task.language() != Language::Java
        }
        (_, Task::Whole(whole)) => whole.forms.run().is_ok(),
        _ => true,
    }
}

/// Asks one engine.
pub fn ask(
    task: &Task,
    model: &Model,
    engine: Engine,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Answer, Refusal> {
    steps::check_loads(task.program(), model, engine)?;
    match engine {
        Engine::Axiomatic => axioms::answer(task, model, options, progress),
        engine if engine.explores_graphs_of(model) => graphs::answer(task, model, options, progress),
        Engine::Mcr if options.mcr.classes == Classes::Mazurkiewicz => graphs::answer(task, model, options, progress),
        engine => machines::answer(task, model, engine, options, progress),
    }
}

/// What comes of a way; nothing if it says nothing about the model.
fn go(
    way: Way,
    task: &Task,
    model: &Model,
    options: &Options,
    progress: &dyn Progress,
) -> Option<Result<Answer, Refusal>> {
    match way {
        Way::Engine(engine) => Some(ask(task, model, engine, options, progress)),
        Way::Sequential => sequential::answer(task, model, options, progress).transpose(),
        Way::Graphs => Some(graphs::answer(task, model, options, progress)),
    }
}

/// Answers with whichever engine is first to decide.
pub fn answer(request: &Request<'_>, task: &Task, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let ended = match task {
        Task::Litmus(..) if !sequential::takes(task, request.model, &request.options) => {
            in_turn(request, task, order(task, request.model, &request.options), progress)
        }
        _ => match ways(task, request.model, &request.options)[..] {
            [] => Ended::default(),
            [Way::Engine(only)] => return ask(task, request.model, only, &request.options, progress),
            ref ways => {
                let contestants: Vec<_> = ways.iter().map(|&way| (request.model, way)).collect();
                race(request, task, &contestants, progress)?
            }
        },
    };
    match ended.answer() {
        Some(answered) => answered,
        // The engine that the model is for says what is missing.
        None => ask(task, request.model, likely(request.model), &request.options, progress),
    }
}

/// Asks several models, each by the engine that it is for, until one decides. The models say nothing about the program that
/// contradicts another of them. The states of sc are first: most errors show there, in steps that are read most easily, and what has
/// no data race needs nothing else. Annotated threads are few and short: there the first model begins, which says most.
pub fn under_any(
    request: &Request<'_>,
    task: &Task,
    models: &[&Model],
    progress: &dyn Progress,
) -> Result<Ended, Refusal> {
    let mut contestants: Vec<_> = models.iter().map(|&model| (model, Way::Engine(likely(model)))).collect();
    if sequential::takes(task, request.model, &request.options) {
        let place = usize::from(matches!(task, Task::Litmus(..))).min(contestants.len());
        contestants.insert(place, (request.model, Way::Sequential));
    }
    race(request, task, &contestants, progress)
}

/// What engines came to so far.
#[derive(Default)]
pub struct Ended {
    /// The decisive answer.
    pub decided: Option<Answer>,
    /// The answers that leave the question open.
    pub undecided: Vec<Answer>,
    /// The answer of a way that came to no end, or to which it did not come, because of a limit: with a greater one it might decide.
    stopped: Option<Answer>,
    /// The first refusal.
    refusal: Option<Refusal>,
}

impl Ended {
    /// Notes what came of a way; whether that decides. What stopped a search of sc is no reason of an engine that has the model.
    fn note(&mut self, way: Way, came: Option<Result<Answer, Refusal>>) -> bool {
        match came {
            Some(Ok(answer)) if answer.is_decided() => {
                self.decided = Some(answer);
                return true;
            }
            Some(Ok(answer)) if way == Way::Sequential => self.stopped = Some(answer),
            Some(Ok(answer)) => self.undecided.push(answer),
            Some(Err(_)) if way == Way::Sequential => {}
            Some(Err(refusal)) => drop(self.refusal.get_or_insert(refusal)),
            None => {}
        }
        false
    }

    /// Notes that a way was not gone, since the request was interrupted.
    fn note_unasked(&mut self, task: &Task, model: &Model) {
        self.stopped.get_or_insert_with(|| interrupted(task, model));
    }

    /// The decisive answer, else the first that was given, else that of who was stopped, else the first refusal; nothing if nobody was
    /// asked.
    pub fn answer(self) -> Option<Result<Answer, Refusal>> {
        let given = self.decided.or_else(|| self.undecided.into_iter().next()).or(self.stopped);
        given.map(Ok).or(self.refusal.map(Err))
    }
}

/// The answer of an engine that did not begin before the request was interrupted.
fn interrupted(task: &Task, model: &Model) -> Answer {
    let subject = match task {
        Task::Litmus(..) => Subject::Litmus,
        Task::Whole(_) => Subject::Whole,
        Task::Test(test) => test.subject(None),
    };
    Answer {
        program: task.checked().clone(),
        model: model.name().into(),
        engine: likely(model),
        property: task.property(),
        subject,
        outcome: Outcome { verdict: Verdict::Unknown("interrupted".into()), ..Outcome::default() },
        run: None,
        growth: None,
    }
}

/// Asks one engine after the other until one decides.
fn in_turn(
    request: &Request<'_>,
    task: &Task,
    mut engines: impl Iterator<Item = Engine>,
    progress: &dyn Progress,
) -> Ended {
    let mut ended = Ended::default();
    while let Some(engine) = engines.next() {
        let came = ask(task, request.model, engine, &request.options, progress);
        if ended.note(Way::Engine(engine), Some(came)) {
            break;
        }
        if request.options.limits.interrupt.load(Ordering::Relaxed) {
            engines.next().iter().for_each(|_| ended.note_unasked(task, request.model));
            break;
        }
    }
    ended
}

/// An engine that has the model, to say why it does not take the question.
fn likely(model: &Model) -> Engine {
    Engine::REAL.into_iter().find(|engine| engine.has(model)).unwrap_or(Engine::Axiomatic)
}

/// What a way tells of.
enum News {
    States(u64),
    Classes(u64, u64, u64),
    Graphs(u64, u64, u64),
    Sets(u64),
    /// It has come to its end.
    Came(Way, Box<Option<Result<Answer, Refusal>>>),
}

/// Hands on how far a way is.
struct Forward(Sender<News>);

impl Progress for Forward {
    // Nobody listens any more if another way was first.
    fn states(&self, found: u64) {
        let _ = self.0.send(News::States(found));
    }

    fn classes(&self, executions: u64, classes: u64, looked_at: u64) {
        let _ = self.0.send(News::Classes(executions, classes, looked_at));
    }

    fn graphs(&self, executions: u64, blocked: u64, estimate: u64) {
        let _ = self.0.send(News::Graphs(executions, blocked, estimate));
    }

    fn sets(&self, tried: u64) {
        let _ = self.0.send(News::Sets(tried));
    }
}

/// One request, answered in several ways at once. Who is not first is told to end, and not waited for: while it builds an encoding
/// it does not hear that.
struct Race<'a> {
    request: &'a Request<'a>,
    task: Arc<Task>,
    contestants: &'a [(&'a Model, Way)],
    /// One for each of them: set when it is to end.
    interrupts: Vec<Arc<AtomicBool>>,
    news: Sender<News>,
}

fn race(
    request: &Request<'_>,
    task: &Task,
    contestants: &[(&Model, Way)],
    progress: &dyn Progress,
) -> Result<Ended, Refusal> {
    let (news, heard) = channel();
    let interrupts = contestants.iter().map(|_| Arc::default()).collect();
    let race = Race { request, task: Arc::new(task.clone()), contestants, interrupts, news };
    let result = race.run(&heard, progress);
    race.end_all();
    result
}

impl Race<'_> {
    fn run(&self, heard: &Receiver<News>, progress: &dyn Progress) -> Result<Ended, Refusal> {
        let begun = Instant::now();
        let (mut next, mut working) = (0, 0);
        let mut ended = Ended::default();
        loop {
            let may_begin = working == 0 || begun.elapsed() >= HEAD_START * (next * (next + 1) / 2) as u32;
            if next < self.contestants.len() && may_begin {
                self.begin(next)?;
                (next, working) = (next + 1, working + 1);
            }
            match heard.recv_timeout(TICK) {
                Ok(News::States(found)) => progress.states(found),
                Ok(News::Classes(executions, classes, looked_at)) => progress.classes(executions, classes, looked_at),
                Ok(News::Graphs(executions, blocked, estimate)) => progress.graphs(executions, blocked, estimate),
                Ok(News::Sets(tried)) => progress.sets(tried),
                Ok(News::Came(way, came)) => {
                    if ended.note(way, *came) {
                        return Ok(ended);
                    }
                    working -= 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.request.options.limits.interrupt.load(Ordering::Relaxed) {
                self.end_all();
                for (model, _) in &self.contestants[next..] {
                    ended.note_unasked(&self.task, model);
                }
                next = self.contestants.len();
            }
            if working == 0 && next == self.contestants.len() {
                break;
            }
        }
        Ok(ended)
    }

    fn end_all(&self) {
        self.interrupts.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
    }

    /// Lets a way begin. Only the first shows how far it is.
    fn begin(&self, number: usize) -> Result<(), Refusal> {
        let interrupt = self.interrupts[number].clone();
        let limits = Limits { interrupt, ..self.request.options.limits.clone() };
        let options = Options { limits, ..self.request.options.clone() };
        let (model, way) = self.contestants[number];
        let (model, task, news) = (model.clone(), self.task.clone(), self.news.clone());
        let work = move || {
            let forward = Forward(news.clone());
            let progress: &dyn Progress = if number == 0 { &forward } else { &Silent };
            let came = go(way, &task, &model, &options, progress);
            let _ = news.send(News::Came(way, Box::new(came)));
        };
        let started = std::thread::Builder::new().stack_size(STACK).spawn(work);
        started.map(drop).map_err(|error| Refusal::Question(format!("a thread cannot be started: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SB: &str = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";
    const MAIN: &str = "#include <assert.h>\nint x;\nint main(void) { assert(x == 0); return 0; }\n";
    const COUNTER: &str = "int n;\nvoid i(void) { n = 0; }\nint c(void) { int seen = n; n = seen + 1; return seen; }\n";

    fn engines(task: &Result<Task, Refusal>, model: &str, options: &Options) -> Vec<Engine> {
        let (Ok(task), Ok(model)) = (task, Model::named(model)) else { return Vec::new() };
        order(task, &model, options).collect()
    }

    #[test]
    fn engines_that_have_the_model_stand_in_order() {
        use Engine::*;
        let options = Options::default();
        let litmus = Task::litmus("SB.litmus", SB);
        assert_eq!(engines(&litmus, "tso", &options), [Axiomatic, Operational, Mcr]);
        assert_eq!(engines(&litmus, "rc11", &options), [Axiomatic, Mcr]);
        assert_eq!(engines(&litmus, "jmm_over", &options), [Operational]);
        let whole = Task::c("main.c", MAIN);
        assert_eq!(engines(&whole, "tso", &options), [Operational, Mcr, Axiomatic]);
        assert_eq!(engines(&whole, "rc11", &options), [Mcr, Axiomatic]);
        assert_eq!(engines(&whole, "c11", &options), [Axiomatic]);
        let test = Task::test("counter.c", COUNTER, "i(c|c)");
        assert_eq!(engines(&test, "pso", &options), [Axiomatic, Mcr, Operational]);
    }

    #[test]
    fn who_would_refuse_is_not_asked() {
        use Engine::*;
        let states = Options { wanted: Wanted::States, ..Options::default() };
        let whole = Task::c("main.c", MAIN);
        assert_eq!(engines(&whole, "sc", &states), [Operational, Mcr]);
        let possible = whole.map(|task| task.asking(Property::Possible));
        assert_eq!(engines(&possible, "sc", &Options::default()), [Operational, Mcr]);
    }

    #[test]
    fn a_refusal_is_no_answer_where_a_limit_kept_others_from_answering() {
        let task = Task::litmus("SB.litmus", SB).unwrap_or_else(|refusal| panic!("{refusal}"));
        let model = Model::named("tso").unwrap_or_else(|refusal| panic!("{refusal}"));
        let refused = || Some(Err(Refusal::Question("not supported".into())));
        let answer = |came: Option<Result<Answer, Refusal>>, is_unasked: bool| {
            let mut ended = Ended::default();
            ended.note(Way::Engine(Engine::Axiomatic), refused());
            ended.note(Way::Sequential, came);
            if is_unasked {
                ended.note_unasked(&task, &model);
            }
            ended.answer()
        };
        let is_unknown =
            |given: Option<Result<Answer, Refusal>>| matches!(given, Some(Ok(answer)) if !answer.is_decided());
        assert!(is_unknown(answer(None, true)));
        assert!(is_unknown(answer(Some(Ok(interrupted(&task, &model))), false)));
        assert!(matches!(answer(refused(), false), Some(Err(_))));
        assert!(matches!(answer(None, false), Some(Err(_))));
    }

    #[test]
    fn an_interrupted_request_ends_undecided_or_decided() {
        let task = Task::test("counter.c", COUNTER, "i(cc|cc)").unwrap_or_else(|refusal| panic!("{refusal}"));
        let model = Model::named("sc").unwrap_or_else(|refusal| panic!("{refusal}"));
        let request = Request::new(&task, &model);
        request.options.limits.interrupt.store(true, Ordering::Relaxed);
        let answer = request.answer().unwrap_or_else(|refusal| panic!("{refusal}"));
        assert!(answer.engine != Engine::Auto);
    }
}

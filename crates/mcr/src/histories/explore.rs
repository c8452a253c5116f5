//! The exploration: one execution for each class.
//!
//! A class is taken from those not looked at yet; for each of its events that could get something else than it does in the class,
//! [`super::graph`] lists how far executions of the class can come before. Where no known class goes the same way, the program is run
//! that way and on to its end, which gives a new class. When none is left every class is known: take an execution of a
//! class that is not, and its longest prefix that some known class has; its next step is an event that gets something else
//! than in that class, and there a new class would have been found.
//!
//! An event needs no look if an earlier class does the same in all that can happen before it: what is found there is the same.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use program::{Observable, Unsupported, Verified};

use operational::choices::Choices;
use operational::interpret::{Interpreter, Stop, has_assumptions};
use operational::limits::Limits;
use operational::memory::Machine;
use operational::turn::{Halt, run_setup};

use super::classes::Classes;
use super::encode::Form;
use super::first::First;
use super::follow::{Follower, given};
use super::graph::{self, EndState, ExploredClass, Goal, Walk};
use super::history::iteration::Iterations;
use super::history::{Forest, Op};
use super::id::{CellId, ClassId, NodeId, ThreadId};
use super::machine::Configuration;
use super::project::Keep;
use super::question::{Question, Target, Viewed, after, awaited, nodes, question};
use super::solve::{Solved, Solving, view};
use super::trace::{Escape, Step, Trace};

/// Answer questions about classes, perhaps several at a time.
pub trait Workers {
    /// How many questions they want at once.
    fn at_once(&self) -> usize;
    /// Answers questions by [`graph::explore`], in their order.
    fn answer(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<ExploredClass>>;
    /// Hears how far the exploration has come: its figures, and how many of its classes were looked at.
    fn progress(&self, figures: &Figures, looked_at: u64) {
        let _ = (figures, looked_at);
    }
}

/// Answers one question after the other.
#[derive(Default)]
pub struct Alone(RefCell<Walk>);

impl Alone {
    /// Answers until this becomes true.
    pub fn until(interrupt: Arc<AtomicBool>) -> Alone {
        Alone(RefCell::new(Walk::until(interrupt)))
    }
}

impl Workers for Alone {
    fn at_once(&self) -> usize {
        1
    }

    fn answer(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<ExploredClass>> {
        let walk = &mut *self.0.borrow_mut();
        questions.iter().map(|(trace, goal)| graph::explore(trace, machine, goal, most, walk)).collect()
    }
}

/// Figures of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Runs of the program.
    pub executions: u64,
    /// Distinct classes among them, without those that do not count.
    pub classes: u64,
    /// Runs that gave a class that was known.
    pub redundant: u64,
    /// Runs that do not count: an assumption was false.
    pub dropped: u64,
    /// Runs that do not count: a thread stopped in a loop that it would have left.
    pub abandoned: u64,
    /// Runs that did not go the way that was found for them. That is an error here; the answer is unknown then.
    pub lost: u64,
    /// How often was asked what else an event could get.
    pub queries: u64,
    /// States looked at to answer.
    pub states: u64,
    /// Questions to the solver.
    pub solver_queries: u64,
    /// Instructions interpreted.
    pub instructions: u64,
}

impl Figures {
    /// Adds the figures of another exploration.
    pub fn add(&mut self, other: &Figures) {
        self.executions += other.executions;
        self.classes += other.classes;
        self.redundant += other.redundant;
        self.dropped += other.dropped;
        self.abandoned += other.abandoned;
        self.lost += other.lost;
        self.queries += other.queries;
        self.states += other.states;
        self.solver_queries += other.solver_queries;
        self.instructions += other.instructions;
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All threads are over.
    Finished,
    /// A thread stopped at an error.
    Failed,
    /// Threads wait for each other for ever.
    Stuck,
    /// It does not count.
    Dropped,
    /// It does not count: it is the start of others, in which a thread repeats a loop before it leaves it.
    Abandoned,
    /// It could not be followed to its end.
    Cut,
    /// It has not come to its end yet: it is shown again when it has.
    Unfinished,
}

/// What an exploration is told to do after a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on.
    Continue,
    /// Stop: the answer is known.
    Finish,
}

/// How far an exploration may go.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Executions.
    pub executions: u64,
    /// States for one question; with more the class is given to the solver.
    pub states: usize,
    /// Whether all classes are given to the solver, and in which encoding.
    pub solver: Option<Form>,
    /// Steps of an execution: every one is kept.
    pub steps: usize,
    /// Operations of a thread. With fewer than it has, every execution within the bound is looked at all the same.
    pub operations: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { executions: u64::MAX, states: 1_000_000, solver: None, steps: LONGEST, operations: u32::MAX }
    }
}

/// An exploration of all classes of a program on a machine.
pub struct Exploration<'a> {
    forest: Forest<'a>,
    roots: Vec<NodeId>,
    classes: Classes,
    limits: Limits,
    budget: Budget,
    /// Cells whose last values are asked for.
    observed: Vec<CellId>,
    figures: Figures,
    /// The classes of which was not noted yet what may be worth asking.
    unseen: Unseen,
    /// The last class that was given to the solver.
    solved: Option<ClassId>,
    /// What is still to be asked about them.
    open: VecDeque<(Rc<Viewed>, Target)>,
    /// How many executions were too long.
    cut: u32,
    /// How many were long, and shown before they went on.
    long: u32,
    /// How many steps the first one had, once it came to its end.
    first_steps: Option<usize>,
    /// Whether there was an execution to run, but no room for it in the budget.
    is_spent: bool,
    has_assumptions: bool,
    /// Why not all classes were found, if so.
    incomplete: Option<String>,
}

/// How many steps an execution may have, unless the budget says otherwise.
const LONGEST: usize = 100_000;
/// After so many steps the first execution is shown before it goes on,
const LONG_AT_FIRST: usize = 10_000;
/// and others after so many, or twice as many as the first one had: loops that may go on for ever make executions longer and longer.
const LONG: usize = 1_000;
/// What else a thread of a class could do is not asked if it has more events than this part of the steps.
const PART_OF_STEPS: usize = 10;
/// After so many executions that were longer there is no hope to find all classes.
const MOST_CUT: u32 = 8;

/// For so many executions, and while so many states were looked at, the newest class comes first.
const DEEP_EXECUTIONS: u64 = 1_000;
const DEEP_STATES: u64 = 1_000_000;
/// Executions that have so many times the steps of the first are no more near it,
const NEAR: usize = 2;
/// nor are those with more steps than this.
const NEAR_STEPS: usize = 500;

/// The classes that were not looked at yet. All are in the end: the order in which that happens says nothing about which classes there are.
#[derive(Default)]
struct Unseen {
    /// Those whose executions are not much longer than the first, oldest first.
    near: VecDeque<ClassId>,
    /// The others, oldest first: executions that get longer and longer keep nothing waiting.
    far: VecDeque<ClassId>,
    /// How many steps the execution of a near class may have.
    steps: Option<usize>,
    /// How many were taken out.
    taken: u64,
}

impl Unseen {
    /// Adds a class, whose execution has so many steps.
    fn add(&mut self, class: ClassId, steps: usize) {
        let most = *self.steps.get_or_insert(NEAR_STEPS.min(NEAR * steps));
        let list = if steps <= most { &mut self.near } else { &mut self.far };
        list.push_back(class);
    }

    fn next_near(&mut self) -> Option<ClassId> {
        let next = self.near.pop_front();
        self.taken += u64::from(next.is_some());
        next
    }

    fn oldest(&mut self) -> Option<ClassId> {
        let is_near = self.near.front().is_some_and(|near| self.far.front().is_none_or(|far| near < far));
        let next = if is_near { self.near.pop_front() } else { self.far.pop_front() };
        self.taken += u64::from(next.is_some());
        next
    }
}

/// What the visitor of an exploration is called with.
pub type Visit<'v> = &'v mut dyn FnMut(&mut Forest, &Executed) -> Next;

/// An execution that gave a new class.
pub struct Executed {
    /// How it ended.
    pub ending: Ending,
    /// Its last configuration, with its steps.
    pub configuration: Configuration,
    /// If all threads are over and there is a question about memory: executions of the same class for all that memory may
    /// hold at the end, this one or another like it included.
    pub others: Vec<Configuration>,
}

/// The ways in which the setup can choose.
pub fn setups(program: &Verified, limits: &Limits) -> Result<Vec<Vec<u32>>, Halt> {
    let mut interpreter = Interpreter::new(program, Machine::Sc);
    interpreter.longest = limits.stretch;
    Ok(run_setup(&mut interpreter)?.into_iter().map(|(setup, _)| setup).collect())
}

impl<'a> Exploration<'a> {
    /// An exploration after the setup chose so.
    pub fn new(
        program: &'a Verified,
        machine: Machine,
        setup: &[u32],
        limits: &Limits,
        budget: &Budget,
        iterations: Iterations,
    ) -> Result<Exploration<'a>, Stop> {
        let mut forest = Forest::new(program, machine, setup, limits, iterations)?;
        forest.most_operations = budget.operations;
        let observed = observed(&mut forest);
        let roots = forest.initial_nodes();
        Ok(Exploration {
            forest,
            roots,
            classes: Classes::new(),
            limits: Limits { depth: limits.depth.min(budget.steps), ..limits.clone() },
            budget: budget.clone(),
            observed,
            figures: Figures::default(),
            unseen: Unseen::default(),
            solved: None,
            open: VecDeque::new(),
            cut: 0,
            long: 0,
            first_steps: None,
            is_spent: false,
            has_assumptions: has_assumptions(program),
            incomplete: None,
        })
    }

    /// Finds all classes; each new one is shown. The order in which they are found does not depend on the workers.
    pub fn run(&mut self, visit: Visit, workers: &dyn Workers) -> Next {
        self.run_from(&First::InTurn, visit, workers).1
    }

    /// Finds all classes, of which the first is that of a given execution. Gives how much of a schedule was followed besides.
    pub fn run_from(&mut self, first: &First, visit: Visit, workers: &dyn Workers) -> (Option<usize>, Next) {
        let mut start = Configuration::new(&self.roots);
        let followed = first.take(&mut start, &mut self.forest);
        (followed, self.run_on(start, visit, workers))
    }

    fn run_on(&mut self, first: Configuration, visit: Visit, workers: &dyn Workers) -> Next {
        if self.go_to_end(first, visit, workers) == Next::Finish {
            return Next::Finish;
        }
        while !self.is_exhausted() {
            if self.budget.solver.is_some() {
                let Some(class) = self.unseen.oldest() else { break };
                workers.progress(&self.figures, self.unseen.taken);
                if self.solve(class, visit, workers) == Next::Finish {
                    return Next::Finish;
                }
                continue;
            }
            let questions = self.questions(workers.at_once());
            if questions.is_empty() {
                // There may be more to ask, but no time.
                self.is_exhausted();
                break;
            }
            let answers = self.ask(&questions, workers);
            workers.progress(&self.figures, self.unseen.taken);
            for (question, found) in questions.iter().zip(answers) {
                let next = match found {
                    Some(found) => self.follow(question, &found, visit, workers),
                    None => self.solve_once(&question.viewed, visit, workers),
                };
                if next == Next::Finish {
                    return Next::Finish;
                }
            }
        }
        Next::Continue
    }

    /// The next things to ask, at most so many; none if everything was asked.
    fn questions(&mut self, most: usize) -> Vec<Question> {
        // What comes next depends on the answer.
        let most = if self.goes_deep() { 1 } else { most };
        let mut questions = Vec::new();
        while questions.len() < most && !self.is_interrupted() {
            let Some((viewed, target)) = self.next_target() else { break };
            questions.extend(question(&mut self.forest, &self.classes, &viewed, target));
        }
        questions
    }

    /// Whether the newest class comes first: what goes wrong only after several changes of a usual execution is found sooner.
    fn goes_deep(&self) -> bool {
        let has_more = self.figures.executions < DEEP_EXECUTIONS && self.figures.states < DEEP_STATES;
        has_more && self.budget.solver.is_none()
    }

    /// What may be worth asking next.
    fn next_target(&mut self) -> Option<(Rc<Viewed>, Target)> {
        if self.goes_deep() {
            while let Some(class) = self.unseen.next_near() {
                let targets = self.targets(class);
                self.open.extend(targets.into_iter().rev());
            }
            if let Some(target) = self.open.pop_back() {
                return Some(target);
            }
        }
        while self.open.is_empty() {
            let class = self.unseen.oldest()?;
            let targets = self.targets(class);
            self.open.extend(targets);
        }
        self.open.pop_front()
    }

    /// What may be worth asking about a class.
    fn targets(&mut self, class: ClassId) -> Vec<(Rc<Viewed>, Target)> {
        let viewed = Rc::new(Viewed::new(&self.forest, &self.classes, class, Keep::Shared));
        let most = (self.budget.steps / PART_OF_STEPS).max(1);
        if viewed.projection.trace.threads.iter().any(|thread| thread.events.len() > most) {
            // Each question would look at all of them: there is no hope to come to an end.
            self.incomplete.get_or_insert(format!("a thread shares more than {most} accesses"));
            return Vec::new();
        }
        viewed.targets().map(|target| (viewed.clone(), target)).collect()
    }

    /// Where the threads of the program start.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The figures.
    pub fn figures(&self) -> Figures {
        Figures { instructions: self.forest.instructions(), ..self.figures.clone() }
    }

    /// Why not all classes were found, if so.
    pub fn incomplete(&self) -> Option<String> {
        self.incomplete.clone().or_else(|| self.forest.cut.clone())
    }

    /// What is not modelled, if something was met.
    pub fn unsupported(&self) -> Option<&Unsupported> {
        self.forest.unsupported.as_ref()
    }

    fn is_interrupted(&self) -> bool {
        self.limits.interrupt.load(Ordering::Relaxed)
    }

    fn is_exhausted(&mut self) -> bool {
        let done = self.figures.executions;
        let interrupted = self.is_interrupted();
        if interrupted {
            self.incomplete.get_or_insert(format!("the exploration was stopped after {done} executions"));
        }
        interrupted || self.is_spent || self.cut >= MOST_CUT || self.forest.unsupported.is_some()
    }

    /// Whether the budget has no room for one more execution, where there is one to run.
    fn has_no_room(&mut self) -> bool {
        let done = self.figures.executions;
        if done >= self.budget.executions {
            self.is_spent = true;
            self.incomplete.get_or_insert(format!("the exploration was ended after {done} executions"));
        }
        self.is_spent
    }

    /// Runs the program to its end. If that is far, the visitor is shown how far it came, and may have enough: an execution
    /// that may be endless must not keep others waiting.
    fn go_to_end(&mut self, mut configuration: Configuration, visit: Visit, workers: &dyn Workers) -> Next {
        let depth = self.limits.depth;
        let long = self.first_steps.map_or(LONG_AT_FIRST, |steps| LONG.max(2 * steps));
        let is_patient = self.long >= MOST_CUT || depth <= long;
        let mut ended = configuration.go_on(&mut self.forest, if is_patient { depth } else { long });
        if !ended && !is_patient {
            self.long += 1;
            let others = Vec::new();
            let executed = Executed { ending: Ending::Unfinished, configuration, others };
            if visit(&mut self.forest, &executed) == Next::Finish {
                return Next::Finish;
            }
            configuration = executed.configuration;
            ended = configuration.go_on(&mut self.forest, depth);
        }
        self.executed(configuration, ended, visit, workers)
    }

    /// An execution came to its end.
    fn executed(&mut self, configuration: Configuration, ended: bool, visit: Visit, workers: &dyn Workers) -> Next {
        self.figures.executions += 1;
        self.first_steps.get_or_insert(configuration.moves.len());
        if !ended {
            self.cut += 1;
            let depth = self.limits.depth;
            self.incomplete.get_or_insert(format!(
                "an execution has more than {depth} steps (if threads run for ever, a search over all states can end)"
            ));
        }
        let Some(class) = self.classes.insert(&configuration.at, &self.forest) else {
            self.figures.redundant += 1;
            return Next::Continue;
        };
        self.unseen.add(class, configuration.moves.len());
        let mut configuration = configuration;
        let mut ending = self.ending(class, ended);
        let is_open = match ending {
            Ending::Stuck => true,
            Ending::Failed => self.has_assumptions,
            _ => false,
        };
        if is_open && configuration.has_waiting(&self.forest) {
            match self.waiting_without_effect(class, configuration.clone(), workers) {
                Some(stuck) => configuration = stuck,
                None => ending = Ending::Abandoned,
            }
        }
        match ending {
            Ending::Dropped => self.figures.dropped += 1,
            Ending::Abandoned => self.figures.abandoned += 1,
            _ => self.figures.classes += 1,
        }
        let others = match ending {
            Ending::Finished if !self.observed.is_empty() => self.variants(class, false, workers),
            _ => Vec::new(),
        };
        visit(&mut self.forest, &Executed { ending, configuration, others })
    }

    /// An execution of a class after which the threads that stand in loops repeat them for ever, if there is one.
    fn waiting_without_effect(
        &mut self,
        class: ClassId,
        first: Configuration,
        workers: &dyn Workers,
    ) -> Option<Configuration> {
        if first.waits_without_effect(&mut self.forest) {
            return Some(first);
        }
        let variants = self.variants(class, true, workers);
        variants.into_iter().find(|variant| variant.waits_without_effect(&mut self.forest))
    }

    fn ending(&self, class: ClassId, ended: bool) -> Ending {
        let ends = self.classes.ends(class).iter().filter(|end| **end != NodeId::NONE);
        let ops: Vec<&Op> = ends.map(|end| &self.forest.node(*end).op).collect();
        let any = |sort: &dyn Fn(&Op) -> bool| ops.iter().any(|op| sort(op));
        let is_cut = !ended || any(&|op| matches!(op, Op::Cut));
        match () {
            () if any(&|op| matches!(op, Op::Dropped)) => Ending::Dropped,
            // Whether it counts is known only at its end, if there are assumptions.
            () if is_cut && self.has_assumptions => Ending::Cut,
            () if any(&|op| matches!(op, Op::Failed(_))) => Ending::Failed,
            () if is_cut => Ending::Cut,
            () if self.forest.program.ends_with_main && matches!(ops.first(), Some(Op::End)) => Ending::Finished,
            () if any(&|op| !matches!(op, Op::End)) => Ending::Stuck,
            () => Ending::Finished,
        }
    }

    /// Executions of a class for all that memory may hold at the end: all of it if threads wait, else what is asked for.
    fn variants(&mut self, class: ClassId, has_waiting: bool, workers: &dyn Workers) -> Vec<Configuration> {
        let keep = if has_waiting { Keep::All } else { Keep::And(&self.observed) };
        let viewed = Viewed::new(&self.forest, &self.classes, class, keep);
        let awaited = if has_waiting { awaited(&mut self.forest, &viewed.projection) } else { Vec::new() };
        let goal = Goal::Ends { memory: true, awaited };
        let question = Question { viewed: Rc::new(viewed), goal };
        let answers = self.ask(std::slice::from_ref(&question), workers);
        let Some(found) = answers.into_iter().next().flatten() else {
            let most = self.budget.states;
            let reason = format!("a class has more than {most} states, and its final values of memory are asked for");
            self.incomplete.get_or_insert(reason);
            return Vec::new();
        };
        let Viewed { projection, ends, .. } = &*question.viewed;
        let mut variants = Vec::new();
        for end in &found.ends {
            if nodes(projection, ends, end, ThreadId::NONE, NodeId::NONE) != *ends {
                continue;
            }
            let mut follower =
                Follower::new(&self.roots, (&question.viewed.projection, &question.viewed.ends), &mut self.forest);
            let goes = follower.steps(&mut self.forest, &found.escape(end).steps);
            if goes && follower.configuration.at == *ends {
                variants.push(follower.configuration);
            } else {
                self.lost();
            }
        }
        variants
    }

    fn ask(&mut self, questions: &[Question], workers: &dyn Workers) -> Vec<Option<ExploredClass>> {
        self.figures.queries += questions.len() as u64;
        let asked: Vec<(&Trace, &Goal)> =
            questions.iter().map(|question| (&question.viewed.projection.trace, &question.goal)).collect();
        let answers = workers.answer(&asked, self.forest.machine, self.budget.states);
        let states = answers.iter().map(|found| found.as_ref().map_or(0, |found| found.states));
        self.figures.states += states.sum::<u64>();
        answers
    }

    /// Gives a class to the solver because one of its questions has too many states.
    fn solve_once(&mut self, viewed: &Rc<Viewed>, visit: Visit, workers: &dyn Workers) -> Next {
        if self.solved == Some(viewed.class) || self.is_interrupted() {
            return Next::Continue;
        }
        self.solved = Some(viewed.class);
        self.solve(viewed.class, visit, workers)
    }

    /// Finds the untried branches of a class by solving.
    fn solve(&mut self, class: ClassId, visit: Visit, workers: &dyn Workers) -> Next {
        let form = self.budget.solver.unwrap_or_default();
        if form == Form::Printed && self.forest.machine.has_buffers() {
            self.incomplete.get_or_insert("the encoding as printed leaves executions out".into());
        }
        let (viewed, blocks) = match view(&mut self.forest, &self.classes, class) {
            Ok(viewed) => viewed,
            Err(what) => {
                let most = self.budget.states;
                self.incomplete.get_or_insert(format!("a class has more than {most} states, and {what}"));
                return Next::Continue;
            }
        };
        let mut solving = Solving::new(&viewed, &blocks, self.forest.machine, form);
        let budget = sat::Budget { interrupt: self.limits.interrupt.clone(), conflicts: None };
        loop {
            let known = self.classes.len();
            let next = match solving.next(&self.forest, &self.classes, &budget) {
                Solved::Escape(end, escape) => self.take(&viewed, &end, &escape, visit, workers),
                Solved::Stuck(steps) => self.go_to(&viewed, &steps, visit, workers),
                Solved::Nothing | Solved::Interrupted => break,
            };
            if next == Next::Finish {
                return Next::Finish;
            }
            if self.is_exhausted() {
                break;
            }
            if self.classes.len() == known {
                self.lost();
                break;
            }
        }
        self.figures.solver_queries += solving.queries();
        Next::Continue
    }

    /// Runs the program wherever something was found that no known class has.
    fn follow(&mut self, question: &Question, found: &ExploredClass, visit: Visit, workers: &dyn Workers) -> Next {
        let Viewed { projection, ends, .. } = &*question.viewed;
        let Goal::Escape { thread, event, ref alternatives, .. } = question.goal else {
            return self.follow_to_ends(question, found, visit, workers);
        };
        let node = projection.trace.threads[thread.index()].events[event as usize].node;
        for end in &found.ends {
            if self.is_exhausted() {
                return Next::Continue;
            }
            let after = after(&self.forest, node, alternatives, end.label);
            let nodes = after.map(|after| nodes(projection, ends, end, thread, after));
            if nodes.is_some_and(|nodes| self.classes.some_passes(nodes.into_iter(), ClassId::NONE)) {
                continue;
            }
            if self.take(&question.viewed, end, &found.escape(end), visit, workers) == Next::Finish {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    /// Runs the program to where threads wait for each other.
    fn follow_to_ends(
        &mut self,
        question: &Question,
        found: &ExploredClass,
        visit: Visit,
        workers: &dyn Workers,
    ) -> Next {
        let Viewed { projection, ends, .. } = &*question.viewed;
        for end in &found.ends {
            let nodes = nodes(projection, ends, end, ThreadId::NONE, NodeId::NONE);
            if self.classes.contains(&nodes) {
                continue;
            }
            if self.is_exhausted() {
                return Next::Continue;
            }
            if self.go_to(&question.viewed, &found.escape(end).steps, visit, workers) == Next::Finish {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    /// Runs the program along these steps, after which threads wait for each other.
    fn go_to(&mut self, viewed: &Viewed, steps: &[Step], visit: Visit, workers: &dyn Workers) -> Next {
        let mut follower = Follower::new(&self.roots, (&viewed.projection, &viewed.ends), &mut self.forest);
        if !follower.steps(&mut self.forest, steps) {
            return self.lost();
        }
        if self.has_no_room() {
            return Next::Continue;
        }
        let mut configuration = follower.configuration;
        let stuck = configuration.at.clone();
        let ended = configuration.go_on(&mut self.forest, self.limits.depth);
        if configuration.at != stuck {
            // An atomic block that depends on several values was taken to wait, but does not.
            return Next::Continue;
        }
        self.executed(configuration, ended, visit, workers)
    }

    /// Runs the program along an escape, and on to its end.
    fn take(&mut self, viewed: &Viewed, end: &EndState, escape: &Escape, visit: Visit, workers: &dyn Workers) -> Next {
        let projection = &viewed.projection;
        let node = projection.trace.threads[escape.thread.index()].events[escape.event as usize].node;
        let is_block = self.forest.node(node).op == Op::Begin;
        // A block is tried with all choices.
        let mut choices =
            Choices::given(if is_block { Vec::new() } else { given(&self.forest, &projection.trace, escape) });
        loop {
            let mut follower = Follower::new(&self.roots, (&viewed.projection, &viewed.ends), &mut self.forest);
            let goes = follower.steps(&mut self.forest, &escape.steps);
            if !goes {
                return self.lost();
            }
            choices.rewind();
            let label = follower.leave(&mut self.forest, escape.thread, escape.event, &mut choices);
            // What a block got is not said by one label.
            if !is_block && label != Some(escape.label) {
                return self.lost();
            }
            if label.is_some() && !(is_block && self.is_old(viewed, end, &follower, escape.thread)) {
                if !follower.steps(&mut self.forest, &escape.after) {
                    return self.lost();
                }
                if self.has_no_room() {
                    return Next::Continue;
                }
                if self.go_to_end(follower.configuration, visit, workers) == Next::Finish {
                    return Next::Finish;
                }
            }
            if !is_block || !choices.next_combination() {
                return Next::Continue;
            }
        }
    }

    /// Whether a known class goes where an atomic block went.
    fn is_old(&self, viewed: &Viewed, end: &EndState, follower: &Follower, thread: ThreadId) -> bool {
        let child = follower.configuration.at[thread.index()];
        let nodes = nodes(&viewed.projection, &viewed.ends, end, thread, child);
        self.classes.some_passes(nodes.into_iter(), ClassId::NONE)
    }

    /// The program did not go as foreseen. That would be an error here, and makes the answer unknown.
    fn lost(&mut self) -> Next {
        self.figures.lost += 1;
        self.incomplete.get_or_insert("an execution that should be possible could not be run".into());
        Next::Continue
    }
}

/// The cells of memory that the question asks for.
fn observed(forest: &mut Forest) -> Vec<CellId> {
    let Some(question) = &forest.program.question else { return Vec::new() };
    let mut pointers = Vec::new();
    let mut look = |observable: &Observable| {
        if let Observable::Memory(pointer) = observable {
            pointers.push(pointer.clone());
        }
    };
    question.observed.iter().for_each(&mut look);
    question.proposition.observables(&mut look);
    question.filter.iter().for_each(|filter| filter.observables(&mut look));
    pointers.iter().map(|pointer| forest.cell_of(pointer)).collect()
}

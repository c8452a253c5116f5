//! Answering a request.

use axiomatic::model::meaning::knows_annotations;
use mcr::histories::first::First;
use operational::Machine;
use program::{Language, Listing, Verdict, Verified};

use crate::engine::Engine;
use crate::refusal::Refusal;
use crate::request::{Answer, Classes, Mcr, Options, Progress, Request, Silent, Wanted, WaysOut};
use crate::task::{Criterion, Task, asked_for_fields, asked_for_states, verified};
use crate::{annotations, auto, bounds, cubes, graphs, orders, origin, sections, steps, warnings};

impl Request<'_> {
    /// Answers.
    pub fn answer(&self) -> Result<Answer, Refusal> {
        self.answer_with(&Silent)
    }

    /// Answers, and tells on the way how far it is.
    pub fn answer_with(&self, progress: &dyn Progress) -> Result<Answer, Refusal> {
        if matches!(self.task, Task::Test(_)) && self.options.wanted != Wanted::Verdict {
            return Err(Refusal::Question("a bounded test has a verdict, no final states".into()));
        }
        self.refuse_criterion()?;
        self.refuse_annotations()?;
        self.refuse_of_graphs()?;
        let task = &self.prepared()?;
        let mut answer = self.answered(task, progress)?;
        origin::add(self.task.program(), &mut answer.outcome);
        let unspoken = warnings::under(self.task.program(), self.model, self.options.memory_orders);
        answer.outcome.warnings.splice(..0, unspoken);
        if matches!(answer.outcome.verdict, Verdict::Holds | Verdict::Forbidden) {
            answer.outcome.warnings.extend(warnings::left_out(self.task.program()));
        }
        Ok(answer)
    }

    /// The answer of the engines that are asked.
    fn answered(&self, task: &Task, progress: &dyn Progress) -> Result<Answer, Refusal> {
        if let Some(cube) = &self.options.mcr.cube {
            return cubes::answer(task, self.model, cube, &self.options, progress);
        }
        match (self.lister()?, bounds::of(self, task)) {
            (Engine::Auto, Some(bounds)) => bounds::answer(self, task, bounds, progress),
            (Engine::Auto, None) => auto::answer(self, task, progress),
            (engine, _) if engine.explores_graphs_of(self.model) => {
                graphs::answer_alone(task, self.model, &self.options, progress)
            }
            (engine, _) => auto::ask(task, self.model, engine, &self.options, progress),
        }
    }

    /// What the primitives of the Linux kernel mean is said by the axioms of models that know their annotations.
    fn refuse_annotations(&self) -> Result<(), Refusal> {
        let knowing = self.model.axioms().filter(|axioms| knows_annotations(axioms));
        let asks_axioms = matches!(self.engine, Engine::Auto | Engine::Axiomatic);
        match knowing {
            Some(axioms) if asks_axioms => annotations::refuse_unnamed(self.task.program(), axioms),
            Some(_) => annotations::refuse(self.task.program(), &format!("with --engine {}", self.engine.name())),
            None => annotations::refuse(self.task.program(), &format!("under {}", self.model.name())),
        }
    }

    /// Linearisability is asked where an order of operations is known: on machines whose stores get to memory in order, and where a model
    /// says what happens before what.
    fn refuse_criterion(&self) -> Result<(), Refusal> {
        let asks = matches!(self.task, Task::Test(test) if test.criterion == Criterion::Linearizable);
        let machine = self.model.machine();
        if !asks || matches!(self.engine, Engine::Auto | Engine::Mcr) && self.model.has_happens_before() {
            return Ok(());
        }
        if machine == Some(Machine::Tso) && self.task.has_commits() {
            let what = "operations that say where they take effect (lsl_commit) are asked about on sc: to say it would be a fence on tso";
            return Err(Refusal::Question(what.into()));
        }
        if matches!(machine, Some(Machine::Sc | Machine::Tso)) && self.engine != Engine::Axiomatic {
            return Ok(());
        }
        let what = "linearisability is asked on sc and tso, of the engines that run programs (operational, mcr), and in execution graphs \
                    (mcr) under rc11 and rc20: elsewhere it is not said which operation comes before which";
        Err(Refusal::Question(what.into()))
    }

    /// Whether the engine mcr is to explore execution graphs.
    fn is_by_graphs(&self) -> bool {
        let graphs = self.engine.explores_graphs_of(self.model) || self.options.mcr.classes == Classes::Mazurkiewicz;
        self.engine == Engine::Mcr && graphs
    }

    /// Options about the executions of a machine mean nothing for execution graphs, which are built event by event.
    fn refuse_of_graphs(&self) -> Result<(), Refusal> {
        let Mcr { max_steps, first, ways_out, .. } = &self.options.mcr;
        let options = [
            ("--depth", self.options.depth.is_some()),
            ("--max-steps", max_steps.is_some()),
            ("--random", matches!(first, First::Random(_))),
            ("--seed", matches!(first, First::Along(_))),
            ("--ways-out", *ways_out != WaysOut::States),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.is_by_graphs() => {
                let what = "means nothing here: it is for classes of values on sc, tso and pso, and execution graphs are explored";
                Err(Refusal::Question(format!("{option} {what}")))
            }
            _ => Ok(()),
        }
    }

    /// Who answers: executions are listed by engines that run programs.
    fn lister(&self) -> Result<Engine, Refusal> {
        let runs = |engine: Engine| engine.machine(self.model).is_ok();
        let by_graphs = self.is_by_graphs();
        match (self.options.listing, self.engine) {
            (Listing::Nothing, engine) => Ok(engine),
            (Listing::Failures, Engine::Auto) if self.model.bounds().is_some() => Ok(Engine::Auto),
            (Listing::Failures, Engine::Auto) if runs(Engine::Operational) => Ok(Engine::Operational),
            (Listing::Failures, Engine::Operational) => Ok(Engine::Operational),
            (_, Engine::Mcr) if !by_graphs => Ok(Engine::Mcr),
            (Listing::Failures, _) => {
                let what =
                    "all failures are listed where a program is run: under sc, tso, pso, jmm, jmm_under and jmm_over";
                Err(Refusal::Question(what.into()))
            }
            (Listing::Classes, _) => {
                let what = "classes are listed by the engine mcr on sc, tso and pso, where they are what threads read";
                Err(Refusal::Question(what.into()))
            }
        }
    }

    /// The task as the model sees it.
    pub(crate) fn prepared(&self) -> Result<Task, Refusal> {
        let Options { memory_orders, wanted, .. } = &self.options;
        let knows_blocks = self.model.axioms().is_none_or(|axioms| axioms.mentions("atomic-block"));
        let compiled = |program: Verified| {
            steps::check(&program, self.model, *memory_orders)?;
            let program = orders::compiled(program, self.model, *memory_orders)?;
            match knows_blocks || program.language != Language::C {
                true => Ok(program),
                false => verified(sections::as_locks(program.into_program())),
            }
        };
        let task = self.task.map(&compiled)?;
        // Only engines that run them list the final states of programs without a question.
        let is_c = matches!(task, Task::Whole(_)) && task.program().language == Language::C;
        let is_axiomatic = self.engine == Engine::Axiomatic;
        let is_java = matches!(task, Task::Whole(_)) && task.program().language == Language::Java;
        if is_java && *wanted == Wanted::States && !is_axiomatic {
            let keeps_text = self.engine != Engine::Mcr;
            return task.map(&|program| asked_for_fields(program, keeps_text));
        }
        if *wanted != Wanted::States || is_c && is_axiomatic { Ok(task) } else { task.map(&asked_for_states) }
    }
}

//! The data races of a program, and whether they are benign: those of a Java program are if its assertions hold on the machine
//! jmm_over, which has all executions that Java allows.

use mcr::histories::explore::{Budget, Figures};
use operational::{Limits as SearchLimits, Machine, Options, Race, Races, schedule};
use program::{Rules, Verdict, Verified};
pub use report::races::Effect;
use report::races::{Beyond, Explored};
use report::replay::shared_table;

use crate::annotations;
use crate::engine::Engine;
use crate::model::Model;
use crate::orders;
use crate::processors::Processors;
use crate::refusal::Refusal;
use crate::request::{Limits, Progress, Silent};
use crate::task::{Task, Test};

/// With the engine mcr no more states than this are searched to find out whether races are benign: it is used where there are
/// too many.
const MOST_STATES: u64 = 20_000;

/// A search for data races.
#[derive(Clone, Debug)]
pub struct RaceRequest<'a> {
    /// The program: what is asked about it does not matter.
    pub task: &'a Task,
    /// In whose executions: sc, tso or pso.
    pub model: &'a Model,
    /// Whose rules say what happens before what; those of the language if none are given.
    pub rules: Option<Rules>,
    /// Operational looks at all states, mcr at one execution of each class and asks a solver about other orders.
    pub engine: Engine,
    /// The engine mcr gives up after so many executions.
    pub max_executions: Option<u64>,
    /// How many processors the engine mcr uses.
    pub jobs: Option<usize>,
    /// When to give up.
    pub limits: Limits,
}

/// The races, and what they do.
#[derive(Clone, Debug)]
pub struct FoundRaces {
    /// The program that was run.
    pub program: Verified,
    /// The machine that they are of.
    pub machine: Machine,
    /// The races.
    pub races: Races,
    /// What the engine mcr explored.
    pub figures: Option<Figures>,
    /// What is known about the races together.
    pub effect: Effect,
    /// Why there may be more races that only executions have which are not sequentially consistent, if those were looked for.
    pub beyond_incomplete: Option<String>,
}

impl FoundRaces {
    /// No race, since nothing was looked at.
    pub fn nothing(program: Verified) -> FoundRaces {
        let races = Races { races: Vec::new(), states: 0, incomplete: None };
        let (figures, effect, beyond_incomplete) = (None, Effect::None, None);
        FoundRaces { program, machine: Machine::Sc, races, figures, effect, beyond_incomplete }
    }

    /// The races as reports take them.
    pub fn shown(&self) -> report::races::Races<'_> {
        let explored = match &self.figures {
            None => Explored::States(self.races.states),
            Some(Figures { executions, classes, solver_queries, .. }) => Explored::Classes {
                executions: *executions,
                classes: *classes,
                states: self.races.states,
                solver_queries: *solver_queries,
            },
        };
        report::races::Races {
            program: &self.program,
            machine: self.machine.name(),
            races: self.races.races.iter().map(|race| self.shown_race(race)).collect(),
            effect: &self.effect,
            incomplete: self.races.incomplete.as_deref(),
            beyond_incomplete: self.beyond_incomplete.as_deref(),
            explored,
        }
    }

    fn shown_race<'a>(&self, race: &'a Race) -> report::races::Race<'a> {
        let limits = SearchLimits::default();
        let replayed = operational::replay(&self.program, race.machine, race.reduction, &race.schedule, &limits);
        let steps = replayed.map_or_else(|_| String::new(), |replayed| shared_table(&self.program, &replayed));
        let accesses = [&race.first, &race.second];
        let beyond = match race.machine {
            Machine::JmmUnder => Some(Beyond::Allowed),
            Machine::JmmOver => Some(Beyond::Possible),
            _ => None,
        };
        report::races::Race { cell: &race.cell, accesses, schedule: written(race), steps, beyond }
    }
}

/// The machine whose executions are looked at for data races under a model.
fn machine_of(model: &Model) -> Result<Machine, Refusal> {
    let machines = [Machine::Sc, Machine::Tso, Machine::Pso];
    let known = machines.into_iter().find(|machine| machine.name() == model.name() && !model.is_of_file());
    known.ok_or_else(|| {
        let name = model.name();
        let what = format!(
            "data races are listed for sc, tso and pso, not for {name}; `palisade check` finds the first one under rc11 and rc20"
        );
        Refusal::Question(what)
    })
}

/// The schedule of the execution with a race, written down.
pub fn written(race: &Race) -> String {
    schedule::print(&race.schedule, race.machine, race.reduction)
}

impl<'a> RaceRequest<'a> {
    /// A search by all states, with the rules of the language.
    pub fn new(task: &'a Task, model: &'a Model) -> RaceRequest<'a> {
        RaceRequest {
            task,
            model,
            rules: None,
            engine: Engine::Operational,
            max_executions: None,
            jobs: None,
            limits: Limits::default(),
        }
    }

    /// Looks for races.
    pub fn search(&self) -> Result<FoundRaces, Refusal> {
        self.search_with(&Silent)
    }

    /// Looks for races, and tells on the way how far it is.
    pub fn search_with(&self, progress: &dyn Progress) -> Result<FoundRaces, Refusal> {
        let machine = machine_of(self.model)?;
        let program = program_on(self.task, self.model, None)?;
        annotations::refuse(&program, "in a list of data races")?;
        let rules = self.rules.unwrap_or(program.language.race_rules());
        let (mut races, figures) = self.races(&program, (machine, rules), progress)?;
        let effect = self.effect(&program, &races, rules);
        // Without a data race on sc there is none elsewhere.
        let may_have_more = rules == Rules::Jmm && machine == Machine::Sc && self.engine != Engine::Mcr;
        let has_more = may_have_more && !races.races.is_empty();
        let beyond_incomplete = if has_more { self.beyond(&program, &mut races) } else { None };
        Ok(FoundRaces { program, machine, races, figures, effect, beyond_incomplete })
    }

    /// Adds races that only executions have which are not sequentially consistent: those from below, which are certain, and then those from
    /// above. Why there may be more, if so.
    fn beyond(&self, program: &Verified, races: &mut Races) -> Option<String> {
        let limits = SearchLimits { states: MOST_STATES, ..self.limits.of_search() };
        let mut incomplete = None;
        for machine in [Machine::JmmUnder, Machine::JmmOver] {
            incomplete = match operational::races::beyond(program, &races.races, machine, &limits) {
                Ok(found) => {
                    races.races.extend(found.races);
                    found.incomplete
                }
                Err(unsupported) => Some(format!("jmm_over does not support {}", unsupported.what)),
            };
        }
        incomplete
    }

    fn races(
        &self,
        program: &Verified,
        (machine, rules): (Machine, Rules),
        progress: &dyn Progress,
    ) -> Result<(Races, Option<Figures>), Refusal> {
        let limits = self.limits.of_search();
        let found = match self.engine {
            Engine::Mcr => {
                let executions = self.max_executions.unwrap_or(u64::MAX);
                let budget = Budget { executions, ..Budget::default() };
                let options = mcr::Options { limits, budget, ..mcr::Options::default() };
                let processors = Processors::new(self.jobs, self.limits.interrupt.clone(), progress);
                let found = mcr::histories::race::races(program, machine, rules, &options, &processors);
                found.map(|found| (found.races, Some(found.figures)))
            }
            _ => operational::races(program, machine, rules, &limits).map(|races| (races, None)),
        };
        found.map_err(|unsupported| Refusal::unsupported(program, unsupported))
    }

    /// Asks jmm_over whether the assertions hold although there are races.
    fn effect(&self, program: &Verified, found: &Races, rules: Rules) -> Effect {
        if found.races.is_empty() {
            return Effect::None;
        }
        if rules != Rules::Jmm {
            return Effect::Open(None);
        }
        let limits = self.limits.of_search();
        let limits = match self.engine {
            Engine::Mcr => SearchLimits { states: MOST_STATES, ..limits },
            _ => limits,
        };
        let options = Options { limits, ..Options::default() };
        match operational::check(program, Machine::JmmOver, &options) {
            Err(unsupported) => Effect::Open(Some(format!("jmm_over does not support {}", unsupported.what))),
            Ok(answered) => match (&answered.outcome.verdict, &answered.failure) {
                (Verdict::Holds, _) => Effect::Benign,
                (_, Some(wrong)) => Effect::Open(Some(format!("on jmm_over: {}", wrong.message))),
                (Verdict::Unknown(reason), None) => Effect::Open(Some(format!("on jmm_over: {reason}"))),
                _ => Effect::Open(None),
            },
        }
    }
}

/// The program of a task as a machine runs it, whatever is asked about it.
pub fn program_on(
    task: &Task,
    model: &Model,
    memory_orders: Option<orders::MemoryOrders>,
) -> Result<Verified, Refusal> {
    let program = match task {
        Task::Litmus(program, _) => program,
        Task::Whole(whole) => whole.forms.run().map_err(|why| Refusal::Input(why.clone()))?,
        Task::Test(test) => {
            let program = orders::compiled(test.program.clone(), model, memory_orders)?;
            let recorded = Test { program: program.clone(), ..test.clone() }.recorded();
            return Ok(recorded.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?.program);
        }
    };
    orders::compiled(program.clone(), model, memory_orders)
}

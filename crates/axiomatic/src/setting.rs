//! A program under a model, unrolled and analysed, before anything is encoded.

use std::borrow::Cow;
use std::sync::Arc;

use program::{Access, InstructionKind, Observable, Order, Property, ThreadId, Unsupported, Update, Verified};
use relation::Expr;

use crate::choice::Choices;
use crate::flag::LATE_STORE;
use crate::flow::flow_of;
use crate::idle::{Loops, keeps_races, loops_with_idle_iterations};
use crate::inline::Inlined;
use crate::model::{Axiom, AxiomKind, EventView, Model, Range, Shape};
use crate::options::Options;
use crate::symmetry;
use crate::unroll::{Iterations, Unrolling, unroll};
use crate::values::{Unseen, Values, values, whole_values};
use crate::walk::whole::Whole;
use crate::walk::{Extras, Unfolded};

/// Who starts the threads of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nobody: they run from the start, as in a litmus test or a bounded test.
    Threads,
    /// The first one, as `main` of a whole program does: see the module `whole`.
    Whole,
}

/// How a question uses the pipeline: what the user set, and what the question itself decides from one search to the next.
#[derive(Clone)]
pub struct Plan<'a> {
    /// What the user set.
    pub options: &'a Options,
    /// How many iterations of loops there are in this search.
    pub iterations: Iterations,
    /// Who starts the threads.
    pub form: Form,
    /// Whether executions are looked for in which threads wait for ever, and only these.
    pub deadlocks: bool,
    /// Accesses that are left open, and what they may be.
    pub choices: Option<Arc<Choices>>,
    /// Pairs of a write and a read of which it is known that the read cannot see the write.
    pub unseen: Unseen,
}

impl<'a> Plan<'a> {
    /// One search, as the user set it.
    pub fn new(options: &'a Options) -> Plan<'a> {
        let iterations = options.iterations.clone();
        Plan { options, iterations, form: Form::Threads, deadlocks: false, choices: None, unseen: Unseen::default() }
    }
}

/// A program under a model, with what is known about it before anything is encoded.
pub struct Setting<'a> {
    /// The program without calls.
    pub inlined: &'a Inlined<'a>,
    /// That program.
    pub program: &'a Verified,
    /// The model, instantiated for the program.
    pub model: Cow<'a, Model>,
    /// The program without calls and loops.
    pub unrolling: Unrolling,
    /// Of a whole program: how its first thread starts the others.
    pub whole: Option<Whole>,
    /// What loads may give.
    pub values: Values,
    /// Which events there are besides accesses.
    pub extras: Extras,
    /// How many executions beside the main one are looked for, under a model of several.
    pub executions: usize,
    /// How many the program can need.
    pub enough_executions: usize,
    /// Groups of threads that can be exchanged.
    pub symmetry: Vec<Vec<ThreadId>>,
    /// What is asked of a program without a question.
    pub property: Property,
    /// How accesses may be strengthened.
    pub choices: Option<Arc<Choices>>,
    /// Which writes no execution lets a read see.
    pub unseen: Unseen,
    /// Loops whose iterations are left out if they make no difference.
    pub loops: Loops,
    /// Whether a data race makes the program wrong.
    pub may_race: bool,
}

impl<'a> Setting<'a> {
    /// Unrolls and analyses; threads that `told_apart` mentions are not exchanged.
    pub fn new(
        inlined: &'a Inlined<'a>,
        model: &'a Model,
        plan: &Plan,
        told_apart: &[Observable],
    ) -> Result<Setting<'a>, Unsupported> {
        let program = &*inlined.program;
        let ordered = !program.thread_order.is_empty() && model.mentions("ends-before");
        let boundaries = ordered || model.mentions("S") || model.mentions("E");
        let allocations = plan.form == Form::Whole && model.mentions("allocates") && publishes_weakly(program);
        let ends = plan.form == Form::Whole && model.mentions("frees") && frees(program);
        let specials = model.mentions("special");
        let extras = Extras { boundaries, specials, deadlocks: plan.deadlocks, allocations, ends };
        let unrolling = unroll(program, &plan.iterations)?;
        let flow = flow_of(program, model);
        let (values, whole) = match plan.form {
            Form::Whole => {
                let (values, whole) = whole_values(inlined, &unrolling, extras, flow)?;
                (values, Some(whole))
            }
            Form::Threads => {
                let unfolded = Unfolded { inlined, unrolling: &unrolling, whole: None, extras };
                (values(unfolded, flow, &plan.unseen)?, None)
            }
        };
        let values = if plan.options.ranges { values } else { values.without_ranges() };
        refuse_what_is_not_modelled(program, model, &values)?;
        // Threads that are started may get different arguments.
        let mut symmetry = match plan.form {
            Form::Whole => Vec::new(),
            Form::Threads => symmetry::interchangeable(program, told_apart),
        };
        // A race makes a whole program wrong, and an iteration may race and make no other difference.
        let is_race = |axiom: &Axiom| axiom.kind == AxiomKind::Flag && axiom.name != LATE_STORE;
        let may_race = plan.form == Form::Whole && model.axioms.iter().any(is_race);
        let loops = match plan.options.leave_out_idle_iterations && (!may_race || keeps_races(model)) {
            true => loops_with_idle_iterations(program, model),
            false => Loops::new(),
        };
        let (mut executions, mut enough_executions) = (0, 0);
        if model.is_speculative() {
            enough_executions = executions_needed(&values);
            executions = plan.options.executions.unwrap_or(enough_executions).max(1);
            symmetry.clear();
        }
        let shape = Shape { threads: unrolling.threads.len(), locations: values.cells.len(), executions };
        let model = model.instantiate(shape);
        let property = plan.options.property;
        Ok(Setting {
            inlined,
            program,
            model,
            unrolling,
            whole,
            values,
            extras,
            executions,
            enough_executions,
            symmetry,
            property,
            choices: plan.choices.clone(),
            unseen: plan.unseen.clone(),
            loops,
            may_race,
        })
    }

    /// The program as it is walked.
    pub fn unfolded(&self) -> Unfolded<'_> {
        Unfolded { inlined: self.inlined, unrolling: &self.unrolling, whole: self.whole.as_ref(), extras: self.extras }
    }
}

/// How many executions are enough.
///
/// Only a read that may see a write unordered with it makes what follows differ between executions; every other read sees
/// in each execution what happens before it there. Such a racy read takes two steps: the write it will see is committed,
/// then the read, which from the next execution on sees that write, so that what depends on it is right there. After all
/// racy reads one more step commits every write that is left, and one more every read, since a read is committed only
/// after the write it sees.
/// Whether some atomic access could hand a pointer from one thread to another without ordering the two: it writes one and does not
/// release, or reads one and does not acquire. Plain accesses that do so race.
fn publishes_weakly(program: &Verified) -> bool {
    let may_be_pointer = |access: &Access| access.order != Order::Plain && (access.bytes == 0 || access.bytes >= 8);
    let acquires = |order: Order| matches!(order, Order::Acquire | Order::AcquireRelease | Order::SeqCst);
    let releases = |order: Order| matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst);
    let is_weak = |kind: &InstructionKind| match kind {
        InstructionKind::Load { access, .. } => may_be_pointer(access) && !acquires(access.order),
        InstructionKind::Store { access, .. } => may_be_pointer(access) && !releases(access.order),
        InstructionKind::ReadModifyWrite { access, update, .. } => {
            let fails_weakly = matches!(update, Update::CompareExchange { failure, .. } if !acquires(failure.order));
            may_be_pointer(access) && (!acquires(access.order) || !releases(access.order) || fails_weakly)
        }
        _ => false,
    };
    program.instructions().any(|instruction| is_weak(&instruction.kind))
}

/// Whether memory is freed, or the lives of variables end, while others may know of it.
fn frees(program: &Verified) -> bool {
    let ends = |kind: &InstructionKind| matches!(kind, InstructionKind::Free { .. } | InstructionKind::End { .. });
    let asks = |kind: &InstructionKind| matches!(kind, InstructionKind::Live { .. });
    program.instructions().any(|instruction| ends(&instruction.kind))
        && program.instructions().any(|instruction| asks(&instruction.kind))
}

fn executions_needed(values: &Values) -> usize {
    2 * values.racy_reads + 2
}

/// Whether some axiom or choice depends on the order of the writes of a cell, which decides final values.
fn orders_writes(model: &Model) -> bool {
    let mut spoken_of: Vec<_> = model.axioms.iter().flat_map(|axiom| axiom.formula.expressions()).collect();
    for existential in &model.existentials {
        match &existential.range {
            Range::Linearisation { on, contains } => spoken_of.extend([*on, *contains]),
            Range::Relation(sets) => spoken_of.extend(sets),
        }
    }
    model.formulas.occurs(spoken_of, &|expr| matches!(expr, Expr::Base(name) if matches!(&**name, "co" | "fr")))
}

/// What the engine does not model, and what the model does not speak of and so cannot give a meaning.
fn refuse_what_is_not_modelled(program: &Verified, model: &Model, values: &Values) -> Result<(), Unsupported> {
    let refuse = |what: &str| Err(Unsupported::new(format!("{what} under the model {}", model.name), None));
    let observes_memory = program.question.as_ref().is_some_and(|question| {
        let mut found = question.observed.iter().any(|observable| matches!(observable, Observable::Memory(_)));
        question.filter.iter().for_each(|filter| {
            filter.observables(&mut |observable| found |= matches!(observable, Observable::Memory(_)));
        });
        found
    });
    // Models of herd's have an order of the writes of each cell, whether they speak of it or not.
    let is_ordered = model.view == EventView::Herd || orders_writes(model);
    if (observes_memory || !values.last.is_empty()) && !is_ordered {
        return refuse("a question about final values of memory");
    }
    if !program.thread_order.is_empty() && !model.mentions("ends-before") {
        return refuse("an order of threads");
    }
    if !values.monitors.is_empty() && !model.mentions("L") {
        return refuse("a monitor");
    }
    Ok(())
}

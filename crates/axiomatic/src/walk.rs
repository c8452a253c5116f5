//! One walk over an unrolled program, for any domain of values.
//!
//! The walk follows each thread's graph in topological order, keeps registers and path conditions, joins them where
//! paths meet, and reports each memory event to the domain. [`mod@crate::values`] walks with sets of values, to find what
//! each access may touch; [`crate::symbolic`] with circuits. Both see the same events in the same order.

use program::{
    Access, BlockId, EventKind, Instruction, InstructionKind, Operand, Operator, Pointer, RegisterId, Span, Terminator,
    ThreadId, Unsupported, Update, Value, Verified,
};

use crate::unroll::{Target, Unrolled};

/// Reads on which something depends, each with when it does. Sorted by event.
pub type Dependencies<G> = Vec<(usize, G)>;

/// A memory event as the walk meets it.
pub struct Site<D: Domain> {
    /// Its thread.
    pub thread: ThreadId,
    /// Index of its node in the thread's graph.
    pub node: usize,
    /// What it is.
    pub kind: EventKind,
    /// When it is executed.
    pub guard: D::Guard,
    /// Its address, or its monitor; `None` for other events.
    pub address: Option<D::Value>,
    /// What it writes or shows; `None` for other events.
    pub value: Option<D::Value>,
    /// How the model sees it, with when (a compare-exchange differs between success and failure).
    pub accesses: Vec<(Access, D::Guard)>,
    /// The statement.
    pub span: Option<Span>,
    /// Reads that its address depends on.
    pub addr: Dependencies<D::Guard>,
    /// Reads that the value it writes depends on.
    pub data: Dependencies<D::Guard>,
    /// Reads that its being executed depends on.
    pub ctrl: Dependencies<D::Guard>,
    /// For the write of a read-modify-write: its read.
    pub read: Option<usize>,
    /// The atomic block it belongs to, numbered within the program.
    pub atomic: Option<u32>,
}

/// A domain of values and path conditions.
pub trait Domain: Sized {
    /// A path condition.
    type Guard: Clone + PartialEq;
    /// A value.
    type Value: Clone;

    /// The constant condition.
    fn truth(&mut self, truth: bool) -> Self::Guard;
    /// Both conditions.
    fn both(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    /// Either condition; at most one of them is true.
    fn either(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    /// `first` under `when`, else `second`.
    fn select_guard(&mut self, when: &Self::Guard, first: &Self::Guard, second: &Self::Guard) -> Self::Guard;
    /// Whether a value counts as true, and the opposite. The statement is what the value decides about.
    fn decide(&mut self, value: &Self::Value, thread: ThreadId, span: Option<Span>) -> (Self::Guard, Self::Guard);

    /// A constant.
    fn constant(&mut self, value: &Value) -> Self::Value;
    /// An operator's result.
    fn apply(&mut self, operator: &Operator, operands: &[Self::Value]) -> Result<Self::Value, String>;
    /// `first` under `when`, else `second`.
    fn select(&mut self, when: &Self::Guard, first: &Self::Value, second: &Self::Value) -> Result<Self::Value, String>;
    /// Any integer from `low` to `high`.
    fn choose(&mut self, low: i64, high: i64, width: u8) -> Self::Value;
    /// What the statement gives, as the rest of the program sees it.
    fn result(&mut self, value: Self::Value, thread: ThreadId, span: Option<Span>) -> Self::Value;

    /// Corrects how the model sees an event: known only after the value it read.
    fn accesses(&mut self, event: usize, accesses: Vec<(Access, Self::Guard)>);
    /// A memory event; gives its index and, for a read, the value read.
    fn event(&mut self, site: Site<Self>) -> Result<(usize, Option<Self::Value>), String>;
    /// The thread would go round a loop once more than allowed, under this condition.
    fn pruned(&mut self, thread: ThreadId, head: BlockId, guard: &Self::Guard);
    /// Executions in which `guard` is true but not `condition` do not count.
    fn assume(&mut self, guard: &Self::Guard, condition: &Self::Guard);
    /// The program asserts `condition` whenever `guard` is true.
    fn assertion(&mut self, guard: &Self::Guard, condition: &Self::Guard, message: &str, span: Option<Span>);
    /// The thread ends with these registers.
    fn finish(&mut self, thread: ThreadId, registers: Vec<Self::Value>);
}

/// Which events there are besides reads, writes, fences, locks and unlocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The start and the end of each thread.
    pub boundaries: bool,
    /// What the outside world sees.
    pub specials: bool,
}

/// Walks all threads.
pub fn walk<D: Domain>(
    program: &Verified,
    threads: &[Unrolled],
    extras: Extras,
    domain: &mut D,
) -> Result<(), Unsupported> {
    let mut atomic_blocks = 0;
    for unrolled in threads {
        Walk { program, unrolled, extras, domain, atomic_blocks: &mut atomic_blocks }.thread()?;
    }
    Ok(())
}

/// The state of a thread at a point of its graph.
struct State<D: Domain> {
    guard: D::Guard,
    registers: Vec<(D::Value, Dependencies<D::Guard>)>,
    /// Control dependencies by the node of the branch, with the block that ends each.
    ctrl: Vec<(usize, Option<BlockId>, Dependencies<D::Guard>)>,
    atomic: Option<u32>,
}

impl<D: Domain> Clone for State<D> {
    fn clone(&self) -> Self {
        State {
            guard: self.guard.clone(),
            registers: self.registers.clone(),
            ctrl: self.ctrl.clone(),
            atomic: self.atomic,
        }
    }
}

struct Walk<'a, D: Domain> {
    program: &'a Verified,
    unrolled: &'a Unrolled,
    extras: Extras,
    domain: &'a mut D,
    atomic_blocks: &'a mut u32,
}

impl<D: Domain> Walk<'_, D> {
    fn thread(mut self) -> Result<(), Unsupported> {
        let thread = &self.program.threads[self.unrolled.thread.0 as usize];
        let function = self.program.function(thread.entry);
        let undefined = self.domain.constant(&Value::Undefined);
        let mut registers = vec![(undefined, Vec::new()); function.registers.len()];
        for (parameter, argument) in function.parameters.iter().zip(&thread.arguments) {
            registers[parameter.0 as usize].0 = self.domain.constant(argument);
        }
        let guard = self.domain.truth(true);
        let start = State { guard, registers, ctrl: Vec::new(), atomic: None };
        self.boundary(EventKind::Start, &start)?;
        let mut arriving: Vec<Option<State<D>>> = self.unrolled.nodes.iter().map(|_| None).collect();
        arriving[0] = Some(start);
        let mut ended: Option<State<D>> = None;
        for node in 0..self.unrolled.nodes.len() {
            // A node that nothing arrives at is reached only through pruned jumps.
            let Some(mut state) = arriving[node].take() else { continue };
            let block = self.unrolled.nodes[node].block;
            state.ctrl.retain(|(_, join, _)| *join != Some(block));
            let block = &function.blocks[block.0 as usize];
            let mut allocations = self.unrolled.nodes[node].allocations.iter().map(|(number, _)| *number);
            for instruction in &block.instructions {
                match &instruction.kind {
                    InstructionKind::Allocate { target, reuse: false, .. } => {
                        let Some(number) = allocations.next() else { continue };
                        let pointer = self.domain.constant(&Value::Pointer(Pointer::to(number)));
                        set(&mut state, *target, pointer, Vec::new());
                    }
                    _ => self.instruction(node, instruction, &mut state)?,
                }
            }
            for (target, state) in self.terminator(node, &block.terminator, state)? {
                match target {
                    Some(Target::Node(next)) => {
                        let merged = match arriving[next].take() {
                            Some(other) => self.join(other, state)?,
                            None => state,
                        };
                        arriving[next] = Some(merged);
                    }
                    Some(Target::Pruned(index)) => {
                        let head = self.unrolled.loops[index].head;
                        self.domain.pruned(self.unrolled.thread, head, &state.guard);
                    }
                    None => {
                        ended = Some(match ended.take() {
                            Some(other) => self.join(other, state)?,
                            None => state,
                        });
                    }
                }
            }
        }
        if let Some(state) = &ended {
            self.boundary(EventKind::End, state)?;
        }
        let registers = match ended {
            Some(state) => state.registers.into_iter().map(|(value, _)| value).collect(),
            None => {
                let undefined = self.domain.constant(&Value::Undefined);
                vec![undefined; function.registers.len()]
            }
        };
        self.domain.finish(self.unrolled.thread, registers);
        Ok(())
    }

    /// The start or end of the thread, if such events are wanted.
    fn boundary(&mut self, kind: EventKind, state: &State<D>) -> Result<(), Unsupported> {
        if self.extras.boundaries {
            let always = self.domain.truth(true);
            let mut site = self.site(0, kind, None, vec![(Access::plain(), always)], state);
            site.ctrl.clear();
            self.domain.event(site).map_err(|what| Unsupported::new(what, None))?;
        }
        Ok(())
    }

    /// Where the terminator leads, and in which state; `None` for the end of the thread.
    #[allow(clippy::type_complexity)]
    fn terminator(
        &mut self,
        node: usize,
        terminator: &Terminator,
        mut state: State<D>,
    ) -> Result<Vec<(Option<Target>, State<D>)>, Unsupported> {
        let targets = &self.unrolled.nodes[node].successors;
        Ok(match terminator {
            Terminator::Return(_) => vec![(None, state)],
            Terminator::Jump(_) => vec![(Some(targets[0]), state)],
            Terminator::Branch { condition, join, span, .. } => {
                let (value, dependencies) = self.operand(condition, &state);
                if !dependencies.is_empty() {
                    state.ctrl.push((node, *join, dependencies));
                }
                let (taken, not_taken) = self.domain.decide(&value, self.unrolled.thread, *span);
                let mut other = state.clone();
                state.guard = self.domain.both(&state.guard, &taken);
                other.guard = self.domain.both(&other.guard, &not_taken);
                vec![(Some(targets[0]), state), (Some(targets[1]), other)]
            }
        })
    }

    /// The state after two paths meet.
    fn join(&mut self, first: State<D>, second: State<D>) -> Result<State<D>, Unsupported> {
        let when = first.guard.clone();
        let guard = self.domain.either(&first.guard, &second.guard);
        let mut registers = Vec::with_capacity(first.registers.len());
        for (a, b) in first.registers.iter().zip(&second.registers) {
            let value = self.domain.select(&when, &a.0, &b.0).map_err(|what| Unsupported::new(what, None))?;
            registers.push((value, self.join_dependencies(&when, &a.1, &b.1)));
        }
        let mut ctrl = Vec::new();
        for (node, join, dependencies) in &first.ctrl {
            let other = second.ctrl.iter().find(|(other, ..)| other == node);
            let other = other.map_or(&[][..], |(_, _, dependencies)| dependencies);
            ctrl.push((*node, *join, self.join_dependencies(&when, dependencies, other)));
        }
        for (node, join, dependencies) in &second.ctrl {
            if !first.ctrl.iter().any(|(other, ..)| other == node) {
                ctrl.push((*node, *join, self.join_dependencies(&when, &[], dependencies)));
            }
        }
        Ok(State { guard, registers, ctrl, atomic: first.atomic })
    }

    fn join_dependencies(
        &mut self,
        when: &D::Guard,
        a: &[(usize, D::Guard)],
        b: &[(usize, D::Guard)],
    ) -> Dependencies<D::Guard> {
        let mut events: Vec<usize> = a.iter().chain(b).map(|&(event, _)| event).collect();
        events.sort_unstable();
        events.dedup();
        let never = self.domain.truth(false);
        let find = |list: &[(usize, D::Guard)], event: usize| {
            list.iter().find(|&&(other, _)| other == event).map_or(never.clone(), |(_, guard)| guard.clone())
        };
        let domain = &mut *self.domain;
        events.into_iter().map(|e| (e, domain.select_guard(when, &find(a, e), &find(b, e)))).collect()
    }

    fn instruction(&mut self, node: usize, instruction: &Instruction, state: &mut State<D>) -> Result<(), Unsupported> {
        let span = instruction.span;
        let refuse = |what: String| Unsupported::new(what, span);
        let thread = self.unrolled.thread;
        match &instruction.kind {
            InstructionKind::Assign { target, operator, operands } => {
                let (values, dependencies): (Vec<_>, Vec<_>) =
                    operands.iter().map(|operand| self.operand(operand, state)).unzip();
                let value = self.domain.apply(operator, &values).map_err(refuse)?;
                let value = self.domain.result(value, thread, span);
                let dependencies = self.merge(dependencies);
                set(state, *target, value, dependencies);
            }
            InstructionKind::Load { target, address, access } => {
                let always = self.domain.truth(true);
                let accesses = vec![(access.clone(), always.clone())];
                let mut site = self.site(node, EventKind::Read, span, accesses, state);
                (site.address, site.addr) = self.address(address, state);
                let (event, value) = self.domain.event(site).map_err(refuse)?;
                let value = value.unwrap_or_else(|| self.domain.constant(&Value::Undefined));
                let value = self.domain.result(value, thread, span);
                set(state, *target, value, vec![(event, always)]);
            }
            InstructionKind::Store { address, value, access } => {
                let always = self.domain.truth(true);
                let accesses = vec![(access.clone(), always)];
                let mut site = self.site(node, EventKind::Write, span, accesses, state);
                (site.address, site.addr) = self.address(address, state);
                let (value, data) = self.operand(value, state);
                site.value = Some(self.domain.result(value, thread, span));
                site.data = data;
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::ReadModifyWrite { target, address, update, access } => {
                self.read_modify_write(node, *target, address, update, access, span, state).map_err(refuse)?;
            }
            InstructionKind::Fence { access } => {
                let always = self.domain.truth(true);
                let site = self.site(node, EventKind::Fence, span, vec![(access.clone(), always)], state);
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Assert { condition, message } => {
                let (value, _) = self.operand(condition, state);
                let (holds, _) = self.domain.decide(&value, thread, span);
                self.domain.assertion(&state.guard, &holds, message, span);
            }
            InstructionKind::Assume { condition } | InstructionKind::Await { condition } => {
                let (value, _) = self.operand(condition, state);
                let (holds, _) = self.domain.decide(&value, thread, span);
                self.domain.assume(&state.guard, &holds);
            }
            InstructionKind::Choose { target, low, high, width } => {
                let value = self.domain.choose(*low, *high, *width);
                set(state, *target, value, Vec::new());
            }
            InstructionKind::Lock { monitor } | InstructionKind::Unlock { monitor } => {
                let is_lock = matches!(instruction.kind, InstructionKind::Lock { .. });
                let kind = if is_lock { EventKind::Lock } else { EventKind::Unlock };
                let always = self.domain.truth(true);
                let mut site = self.site(node, kind, span, vec![(Access::plain(), always)], state);
                (site.address, site.addr) = self.address(monitor, state);
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Observe { value, .. } if self.extras.specials => {
                let always = self.domain.truth(true);
                let mut site = self.site(node, EventKind::Special, span, vec![(Access::plain(), always)], state);
                let (value, data) = self.operand(value, state);
                (site.value, site.data) = (Some(value), data);
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Observe { .. } => {}
            InstructionKind::AtomicBegin => {
                state.atomic = Some(*self.atomic_blocks);
                *self.atomic_blocks += 1;
            }
            InstructionKind::AtomicEnd => state.atomic = None,
            other => return Err(refuse(format!("the instruction `{}` in this engine", name(other)))),
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn read_modify_write(
        &mut self,
        node: usize,
        target: RegisterId,
        address: &Operand,
        update: &Update,
        access: &Access,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), String> {
        let thread = self.unrolled.thread;
        let always = self.domain.truth(true);
        let access = &exclusive(access);
        let atomic = state.atomic.unwrap_or_else(|| {
            *self.atomic_blocks += 1;
            *self.atomic_blocks - 1
        });
        let (address, addr) = self.address(address, state);
        let mut read = self.site(node, EventKind::Read, span, vec![(access.clone(), always.clone())], state);
        (read.address, read.addr, read.atomic) = (address.clone(), addr.clone(), Some(atomic));
        let mut write = self.site(node, EventKind::Write, span, vec![(access.clone(), always.clone())], state);
        (write.address, write.addr, write.atomic) = (address, addr, Some(atomic));
        let (event, old) = self.domain.event(read)?;
        let old = old.unwrap_or_else(|| self.domain.constant(&Value::Undefined));
        let (value, data) = match update {
            Update::Exchange(operand) => self.operand(operand, state),
            Update::Apply(operator, operand) => {
                let (operand, data) = self.operand(operand, state);
                (self.domain.apply(operator, &[old.clone(), operand])?, data)
            }
            Update::CompareExchange { expected, desired, success, weak, failure } => {
                let (expected, dependencies) = self.operand(expected, state);
                let equal = self.domain.apply(&Operator::Eq, &[old.clone(), expected])?;
                let equal = if *weak {
                    let luck = self.domain.choose(0, 1, 32);
                    self.domain.apply(&Operator::And, &[equal, luck])?
                } else {
                    equal
                };
                let (succeeds, fails) = self.domain.decide(&equal, thread, None);
                write.guard = self.domain.both(&write.guard, &succeeds);
                let failure = exclusive(failure);
                if failure != *access {
                    self.domain.accesses(event, vec![(access.clone(), succeeds.clone()), (failure, fails)]);
                }
                let dependencies = self.merge(vec![dependencies, vec![(event, always.clone())]]);
                let (one, zero) = (Value::int(1, 32), Value::int(0, 32));
                let (one, zero) = (self.domain.constant(&one), self.domain.constant(&zero));
                let flag = self.domain.select(&succeeds, &one, &zero)?;
                let flag = self.domain.result(flag, thread, span);
                set(state, *success, flag, dependencies);
                self.operand(desired, state)
            }
        };
        write.value = Some(self.domain.result(value, thread, span));
        (write.data, write.read) = (data, Some(event));
        self.domain.event(write)?;
        let old = self.domain.result(old, thread, span);
        set(state, target, old, vec![(event, always)]);
        Ok(())
    }

    fn site(
        &mut self,
        node: usize,
        kind: EventKind,
        span: Option<Span>,
        accesses: Vec<(Access, D::Guard)>,
        state: &State<D>,
    ) -> Site<D> {
        let ctrl = self.merge(state.ctrl.iter().map(|(_, _, dependencies)| dependencies.clone()).collect());
        Site {
            thread: self.unrolled.thread,
            node,
            kind,
            guard: state.guard.clone(),
            address: None,
            value: None,
            accesses,
            span,
            addr: Vec::new(),
            data: Vec::new(),
            ctrl,
            read: None,
            atomic: state.atomic,
        }
    }

    fn address(&mut self, operand: &Operand, state: &State<D>) -> (Option<D::Value>, Dependencies<D::Guard>) {
        let (value, dependencies) = self.operand(operand, state);
        (Some(value), dependencies)
    }

    fn operand(&mut self, operand: &Operand, state: &State<D>) -> (D::Value, Dependencies<D::Guard>) {
        match operand {
            Operand::Register(register) => state.registers[register.0 as usize].clone(),
            Operand::Constant(value) => (self.domain.constant(value), Vec::new()),
        }
    }

    /// The union of dependencies.
    fn merge(&mut self, parts: Vec<Dependencies<D::Guard>>) -> Dependencies<D::Guard> {
        let mut all: Dependencies<D::Guard> = Vec::new();
        for (event, guard) in parts.into_iter().flatten() {
            match all.iter_mut().find(|(other, _)| *other == event) {
                Some((_, known)) if *known != guard => {
                    let always = self.domain.truth(true);
                    *known = self.domain.select_guard(&known.clone(), &always, &guard);
                }
                Some(_) => {}
                None => all.push((event, guard)),
            }
        }
        all.sort_by_key(|&(event, _)| event);
        all
    }
}

fn set<D: Domain>(state: &mut State<D>, register: RegisterId, value: D::Value, dependencies: Dependencies<D::Guard>) {
    state.registers[register.0 as usize] = (value, dependencies);
}

/// The access as that of a read-modify-write: in the set `X`, also when it fails to write.
fn exclusive(access: &Access) -> Access {
    if access.tags.iter().any(|tag| &**tag == "X") { access.clone() } else { access.clone().tagged("X") }
}

fn name(kind: &InstructionKind) -> &'static str {
    match kind {
        InstructionKind::Allocate { .. } => "allocate, with reuse,",
        InstructionKind::Free { .. } => "free",
        InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. } => "call",
        InstructionKind::Spawn { .. } => "spawn",
        InstructionKind::Join { .. } => "join",
        InstructionKind::Wait { .. } => "wait",
        InstructionKind::Notify { .. } => "notify",
        InstructionKind::Park => "park",
        InstructionKind::Unpark { .. } => "unpark",
        _ => "instruction",
    }
}

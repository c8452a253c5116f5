//! Executions by brute force: every path of every thread with every value that its loads might give, every choice of `rf`
//! and `co`. Nothing here is shared with the engine but the program representation and the form of executions.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Access, BlockId, Event, EventId, EventKind, Execution, InstructionKind, Observable, Operand, Operator, Pointer,
    RegisterId, State, Terminator, ThreadId, Update, Value, Verified,
};

/// What a thread does on one path, given what its loads give. Events by their place in the thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub events: Vec<Event>,
    pub rmw: Vec<(usize, usize)>,
    pub addr: Vec<(usize, usize)>,
    pub data: Vec<(usize, usize)>,
    pub ctrl: Vec<(usize, usize)>,
    pub registers: Vec<Value>,
}

/// The values that the next read of a thread may give: from its place in the thread and its cell.
type Oracle<'a> = &'a dyn Fn(usize, &Pointer) -> Vec<Value>;

/// Reads that a value was computed from.
type Sources = BTreeSet<usize>;

#[derive(Clone)]
struct Run {
    trace: Trace,
    sources: Vec<Sources>,
    /// Branches that still decide, by the block that ends each.
    branches: Vec<(Option<BlockId>, Sources)>,
    block: usize,
    instruction: usize,
}

/// Every trace of a thread of up to `length` events; `None` if there are more than `limit`.
pub fn traces(program: &Verified, thread: ThreadId, oracle: Oracle, limit: usize, length: usize) -> Option<Vec<Trace>> {
    let start = &program[thread];
    let function = program.function(start.entry);
    let mut registers = vec![Value::Undefined; function.registers.len()];
    for (parameter, argument) in function.parameters.iter().zip(&start.arguments) {
        registers[parameter.index()] = argument.clone();
    }
    let trace =
        Trace { events: vec![], rmw: vec![], addr: vec![], data: vec![], ctrl: vec![], registers: registers.clone() };
    let sources = vec![Sources::new(); registers.len()];
    let mut open = vec![Run { trace, sources, branches: Vec::new(), block: 0, instruction: 0 }];
    let mut ended = Vec::new();
    while let Some(mut run) = open.pop() {
        if open.len() + ended.len() > limit {
            return None;
        }
        if run.trace.events.len() > length {
            continue;
        }
        let block = &function.blocks[run.block];
        if let Some(instruction) = block.instructions.get(run.instruction) {
            run.instruction += 1;
            open.extend(run.step(thread, &instruction.kind, instruction.span, oracle));
            continue;
        }
        match &block.terminator {
            Terminator::Return(_) => ended.push(run.trace),
            Terminator::Jump(target) => open.push(run.goto(*target)),
            Terminator::Branch { condition, then, otherwise, join, .. } => {
                let (value, sources) = run.operand(condition);
                run.branches.push((*join, sources));
                open.push(run.goto(if value.truth() == Some(true) { *then } else { *otherwise }));
            }
        }
    }
    Some(ended)
}

impl Run {
    fn goto(mut self, block: BlockId) -> Run {
        (self.block, self.instruction) = (block.0 as usize, 0);
        self.branches.retain(|(join, _)| *join != Some(block));
        self
    }

    fn operand(&self, operand: &Operand) -> (Value, Sources) {
        match operand {
            Operand::Register(register) => {
                let index = register.0 as usize;
                (self.trace.registers[index].clone(), self.sources[index].clone())
            }
            Operand::Constant(value) => (value.clone(), Sources::new()),
        }
    }

    fn set(&mut self, register: RegisterId, value: Value, sources: Sources) {
        self.trace.registers[register.index()] = value;
        self.sources[register.0 as usize] = sources;
    }

    /// Adds an event. Its address is known to be a pointer if it has one: see `step`.
    fn event(&mut self, thread: ThreadId, kind: EventKind, address: Option<&Operand>, access: &Access) -> usize {
        let index = self.trace.events.len();
        let cell = address.and_then(|address| {
            let (value, sources) = self.operand(address);
            self.trace.addr.extend(sources.into_iter().map(|read| (read, index)));
            if let Value::Pointer(cell) = value { Some(cell) } else { None }
        });
        let deciding: Sources = self.branches.iter().flat_map(|(_, sources)| sources.iter().copied()).collect();
        self.trace.ctrl.extend(deciding.into_iter().map(|read| (read, index)));
        let thread = Some(thread);
        self.trace.events.push(Event {
            thread,
            kind,
            cell,
            value: None,
            access: access.clone(),
            span: None,
            atomic: None,
            operation: None,
        });
        index
    }

    fn write(&mut self, event: usize, value: Value, sources: Sources) {
        self.trace.data.extend(sources.into_iter().map(|read| (read, event)));
        self.trace.events[event].value = Some(value);
    }

    /// One run for each value that the read may give.
    fn read(self, event: usize, oracle: Oracle) -> Vec<(Run, Value)> {
        let cell = self.trace.events[event].cell.clone().expect("a cell");
        let with = |value: Value| {
            let mut run = self.clone();
            run.trace.events[event].value = Some(value.clone());
            (run, value)
        };
        oracle(event, &cell).into_iter().map(with).collect()
    }

    fn step(
        mut self,
        thread: ThreadId,
        kind: &InstructionKind,
        span: Option<program::Span>,
        oracle: Oracle,
    ) -> Vec<Run> {
        let first = self.trace.events.len();
        if let InstructionKind::Load { address, .. }
        | InstructionKind::Store { address, .. }
        | InstructionKind::ReadModifyWrite { address, .. } = kind
            && !matches!(self.operand(address).0, Value::Pointer(_))
        {
            // A guess that leads here is wrong: no program given to this enumerator runs into an error.
            return Vec::new();
        }
        let mut runs = match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let (values, sources): (Vec<Value>, Vec<Sources>) =
                    operands.iter().map(|operand| self.operand(operand)).unzip();
                self.set(*target, operator.apply(&values), sources.into_iter().flatten().collect());
                vec![self]
            }
            InstructionKind::Load { target, address, access } => {
                let event = self.event(thread, EventKind::Read, Some(address), access);
                let finish = |(mut run, value): (Run, Value)| {
                    run.set(*target, value, [event].into());
                    run
                };
                self.read(event, oracle).into_iter().map(finish).collect()
            }
            InstructionKind::Store { address, value, access } => {
                let event = self.event(thread, EventKind::Write, Some(address), access);
                let (value, sources) = self.operand(value);
                self.write(event, value, sources);
                vec![self]
            }
            InstructionKind::Fence { access } => {
                self.event(thread, EventKind::Fence, None, access);
                vec![self]
            }
            InstructionKind::ReadModifyWrite { target, address, update, access } => {
                let access = &marked(access);
                let event = self.event(thread, EventKind::Read, Some(address), access);
                let update =
                    |(run, old): (Run, Value)| run.update(thread, event, *target, address, update, access, old);
                self.read(event, oracle).into_iter().flat_map(update).collect()
            }
            InstructionKind::Assume { condition } | InstructionKind::Await { condition } => {
                if self.operand(condition).0.truth() == Some(true) { vec![self] } else { Vec::new() }
            }
            other => panic!("not enumerated: {other:?}"),
        };
        for run in &mut runs {
            run.trace.events[first..].iter_mut().for_each(|event| event.span = span);
        }
        runs
    }

    #[allow(clippy::too_many_arguments)]
    fn update(
        mut self,
        thread: ThreadId,
        read: usize,
        target: RegisterId,
        address: &Operand,
        update: &Update,
        access: &Access,
        old: Value,
    ) -> Vec<Run> {
        let write = |mut run: Run, value: Value, sources: Sources| {
            let event = run.event(thread, EventKind::Write, Some(address), access);
            run.trace.rmw.push((read, event));
            run.write(event, value, sources);
            run
        };
        match update {
            Update::Exchange(operand) => {
                let (value, sources) = self.operand(operand);
                let mut run = write(self, value, sources);
                run.set(target, old, [read].into());
                vec![run]
            }
            Update::Apply(operator, operand) => {
                let (operand, sources) = self.operand(operand);
                let mut run = write(self, operator.apply(&[old.clone(), operand]), sources);
                run.set(target, old, [read].into());
                vec![run]
            }
            Update::CompareExchange { expected, desired, success, weak, failure } => {
                let (expected, mut compared) = self.operand(expected);
                compared.insert(read);
                let (desired, sources) = self.operand(desired);
                let equal = Operator::Eq.apply(&[old.clone(), expected]).truth() == Some(true);
                let mut runs = Vec::new();
                if equal {
                    let mut run = write(self.clone(), desired, sources);
                    run.set(*success, Value::int(1, 32), compared.clone());
                    run.set(target, old.clone(), [read].into());
                    runs.push(run);
                }
                if !equal || *weak {
                    self.trace.events[read].access = marked(failure);
                    self.set(*success, Value::int(0, 32), compared);
                    self.set(target, old, [read].into());
                    runs.push(self);
                }
                runs
            }
        }
    }
}

/// The access as that of a read-modify-write.
fn marked(access: &Access) -> Access {
    if access.tags.iter().any(|tag| &**tag == "X") { access.clone() } else { access.clone().tagged("X") }
}

fn initial(program: &Verified, cell: &Pointer) -> Value {
    let global = &program.globals[cell.allocation as usize];
    let given = global.cells.iter().find(|(path, _)| *path == cell.path);
    given.map_or(&global.default, |(_, value)| value).clone()
}

/// What each cell may hold: initial values, stored constants, and what traces store, as far as a value can come that
/// passes each store once.
fn domains(program: &Verified) -> Option<BTreeMap<Pointer, BTreeSet<Value>>> {
    let mut domains: BTreeMap<Pointer, BTreeSet<Value>> = BTreeMap::new();
    let mut everywhere: BTreeSet<Value> = BTreeSet::new();
    let mut forwarding = 0;
    let instructions = program.threads.iter().flat_map(|thread| &program.function(thread.entry).blocks);
    for instruction in instructions.flat_map(|block| &block.instructions) {
        let (address, value) = match &instruction.kind {
            InstructionKind::Store { address, value, .. } => (address, value),
            InstructionKind::ReadModifyWrite { address, update, .. } => match update {
                Update::Exchange(value) | Update::CompareExchange { desired: value, .. } => (address, value),
                Update::Apply(..) => {
                    forwarding += 1;
                    continue;
                }
            },
            _ => continue,
        };
        match (address, value) {
            (Operand::Constant(Value::Pointer(cell)), Operand::Constant(value)) => {
                domains.entry(cell.clone()).or_default().insert(value.clone());
            }
            (_, Operand::Constant(value)) => {
                everywhere.insert(value.clone());
            }
            _ => forwarding += 1,
        }
    }
    for _ in 0..=forwarding {
        let known = domains.clone();
        let oracle = |_: usize, cell: &Pointer| values(program, &known, &everywhere, cell);
        for thread in 0..program.threads.len() {
            for trace in traces(program, ThreadId(thread as u32), &oracle, 4000, 40)? {
                for event in trace.events.iter().filter(|event| event.kind == EventKind::Write) {
                    let (cell, value) = (event.cell.clone().expect("a cell"), event.value.clone().expect("a value"));
                    domains.entry(cell).or_default().insert(value);
                }
            }
        }
    }
    everywhere.into_iter().for_each(|value| domains.values_mut().for_each(|set| _ = set.insert(value.clone())));
    Some(domains)
}

fn values(
    program: &Verified,
    domains: &BTreeMap<Pointer, BTreeSet<Value>>,
    everywhere: &BTreeSet<Value>,
    cell: &Pointer,
) -> Vec<Value> {
    let mut values: BTreeSet<Value> = domains.get(cell).cloned().unwrap_or_default();
    values.extend(everywhere.iter().cloned());
    values.insert(initial(program, cell));
    values.into_iter().collect()
}

/// The final states of the executions that `allowed` accepts; `None` if there are too many candidates to try.
pub fn states(program: &Verified, allowed: &mut dyn FnMut(&Execution) -> bool) -> Option<BTreeSet<State>> {
    let domains = domains(program)?;
    let nothing = BTreeSet::new();
    let oracle = |_: usize, cell: &Pointer| values(program, &domains, &nothing, cell);
    let threads = (0..program.threads.len() as u32).map(|thread| traces(program, ThreadId(thread), &oracle, 4000, 40));
    let threads: Vec<Vec<Trace>> = threads.collect::<Option<_>>()?;
    let combinations: usize = threads.iter().map(Vec::len).product();
    let mut search = Search { program, allowed, found: BTreeSet::new(), left: 12_000 };
    let mut chosen = vec![0; threads.len()];
    if combinations > 300_000 {
        return None;
    }
    let exchanges = exchanges(program, &threads);
    for mut number in 0..combinations {
        for (index, traces) in threads.iter().enumerate() {
            chosen[index] = number % traces.len();
            number /= traces.len();
        }
        let exchanged: Vec<&Exchange> = chosen.iter().zip(&exchanges).map(|(&choice, of)| &of[choice]).collect();
        if exchanged.iter().all(|trace| trace.is_fed_by(&exchanged)) {
            let traces: Vec<&Trace> = chosen.iter().zip(&threads).map(|(&choice, traces)| &traces[choice]).collect();
            search.combination(&traces)?;
        }
    }
    Some(search.found)
}

/// What a trace reads that is not initial, and what it writes: cells with values, by number.
#[derive(Default)]
struct Exchange {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
}

impl Exchange {
    /// Whether each of its reads has a write to see: most combinations of traces fail here.
    fn is_fed_by(&self, traces: &[&Exchange]) -> bool {
        self.reads.iter().all(|read| traces.iter().any(|trace| trace.writes.contains(read)))
    }
}

fn exchanges(program: &Verified, threads: &[Vec<Trace>]) -> Vec<Vec<Exchange>> {
    let mut numbers = BTreeMap::new();
    threads.iter().map(|traces| traces.iter().map(|trace| exchange(program, trace, &mut numbers)).collect()).collect()
}

fn exchange<'t>(
    program: &Verified,
    trace: &'t Trace,
    numbers: &mut BTreeMap<(&'t Pointer, &'t Value), usize>,
) -> Exchange {
    let mut exchange = Exchange::default();
    for event in &trace.events {
        let (Some(cell), Some(value)) = (&event.cell, &event.value) else { continue };
        let next = numbers.len();
        let number = *numbers.entry((cell, value)).or_insert(next);
        match event.kind {
            EventKind::Write => _ = exchange.writes.insert(number),
            EventKind::Read if *value != initial(program, cell) => _ = exchange.reads.insert(number),
            _ => {}
        }
    }
    exchange
}

struct Search<'a> {
    program: &'a Verified,
    allowed: &'a mut dyn FnMut(&Execution) -> bool,
    found: BTreeSet<State>,
    /// How many executions may still be tried.
    left: usize,
}

impl Search<'_> {
    /// All choices of `rf` and `co` between these traces; `None` when there are too many.
    fn combination(&mut self, traces: &[&Trace]) -> Option<()> {
        let mut execution = assemble(self.program, traces);
        let event = |id: EventId| execution.event(id);
        let reads: Vec<EventId> = execution.ids().filter(|&id| event(id).kind == EventKind::Read).collect();
        let mut writes: BTreeMap<&Pointer, Vec<EventId>> = BTreeMap::new();
        for id in execution.ids().filter(|&id| event(id).kind == EventKind::Write) {
            writes.entry(event(id).cell.as_ref().expect("a cell")).or_default().push(id);
        }
        let orders = |of_cell: &Vec<EventId>| {
            permutations(&of_cell[1..]).into_iter().map(|rest| [&of_cell[..1], &rest].concat()).collect()
        };
        let sources = |read: &EventId| {
            let of_cell = event(*read).cell.as_ref().and_then(|cell| writes.get(cell)).into_iter().flatten().copied();
            of_cell.filter(|&write| event(*read).value == event(write).value).collect()
        };
        let orders: Vec<Vec<Vec<EventId>>> = writes.values().map(orders).collect();
        let sources: Vec<Vec<EventId>> = reads.iter().map(sources).collect();
        for order in choices(&orders) {
            execution.co = order.iter().flat_map(|chain| pairs(chain)).collect();
            let last: Vec<EventId> = order.iter().filter_map(|chain| chain.last().copied()).collect();
            execution.state = final_state(self.program, &execution, traces, &last);
            if self.found.contains(&execution.state) {
                continue;
            }
            for choice in choices(&sources) {
                self.left = self.left.checked_sub(1)?;
                execution.rf = choice.iter().zip(&reads).map(|(&&write, &read)| (write, read)).collect();
                if (self.allowed)(&execution) {
                    self.found.insert(execution.state.clone());
                    break;
                }
            }
        }
        Some(())
    }
}

/// The traces side by side, after an initial write of each cell; without `rf`, `co` and state.
fn assemble(program: &Verified, traces: &[&Trace]) -> Execution {
    let mut cells: BTreeSet<Pointer> =
        traces.iter().flat_map(|trace| trace.events.iter().filter_map(|event| event.cell.clone())).collect();
    for observable in program.question.iter().flat_map(|question| &question.observed) {
        if let Observable::Memory(cell) = observable {
            cells.insert(cell.clone());
        }
    }
    let mut execution = Execution::default();
    for cell in cells {
        let value = Some(initial(program, &cell));
        let access = Access::plain();
        let write = Event {
            thread: None,
            kind: EventKind::Write,
            cell: Some(cell),
            value,
            access,
            span: None,
            atomic: None,
            operation: None,
        };
        execution.events.push(write);
    }
    for trace in traces {
        let first = execution.events.len();
        let id = |local: usize| EventId((first + local) as u32);
        execution.events.extend(trace.events.iter().cloned());
        let Execution { rmw, addr, data, ctrl, .. } = &mut execution;
        for (all, own) in [(rmw, &trace.rmw), (addr, &trace.addr), (data, &trace.data), (ctrl, &trace.ctrl)] {
            all.extend(own.iter().map(|&(x, y)| (id(x), id(y))));
        }
    }
    for (number, (read, write)) in execution.rmw.clone().into_iter().enumerate() {
        for event in [read, write] {
            execution.events[event.0 as usize].atomic = Some(number as u32);
        }
    }
    execution
}

fn final_state(program: &Verified, execution: &Execution, traces: &[&Trace], last: &[EventId]) -> State {
    let value = |observable: &Observable| match observable {
        Observable::Register(thread, register) => traces[thread.0 as usize].registers[register.index()].clone(),
        Observable::Memory(cell) => {
            let write = last.iter().map(|&id| execution.event(id)).find(|event| event.cell.as_ref() == Some(cell));
            write.and_then(|write| write.value.clone()).expect("a last write")
        }
    };
    let observed = &program.question.as_ref().expect("a question").observed;
    observed.iter().map(|observable| (observable.clone(), value(observable))).collect()
}

/// One element of each list, in all ways.
fn choices<T>(lists: &[Vec<T>]) -> Vec<Vec<&T>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        all = all.iter().flat_map(|chosen| list.iter().map(|next| [&chosen[..], &[next]].concat())).collect();
    }
    all
}

/// All orders of a list.
pub fn permutations<T: Copy>(list: &[T]) -> Vec<Vec<T>> {
    let Some((&first, rest)) = list.split_first() else { return vec![Vec::new()] };
    let insert = |order: &Vec<T>, at: usize| [&order[..at], &[first], &order[at..]].concat();
    permutations(rest)
        .iter()
        .flat_map(|order| (0..=order.len()).map(|at| insert(order, at)).collect::<Vec<_>>())
        .collect()
}

/// Each element with each later one.
pub fn pairs<T: Copy>(chain: &[T]) -> Vec<(T, T)> {
    (0..chain.len()).flat_map(|x| chain[x + 1..].iter().map(move |&later| (chain[x], later))).collect()
}

/// Whether the threads of the program, given what the reads of the execution give, do exactly what the execution says:
/// events, dependencies, and the final state.
pub fn replay(program: &Verified, execution: &Execution) -> Result<(), String> {
    let mut registers: Vec<Vec<Vec<Value>>> = Vec::new();
    for thread in (0..program.threads.len() as u32).map(ThreadId) {
        let is_replayed = |id: &EventId| {
            let event = execution.event(*id);
            let kind = matches!(event.kind, EventKind::Read | EventKind::Write | EventKind::Fence);
            kind && event.thread == Some(thread)
        };
        let ids: Vec<EventId> = execution.ids().filter(is_replayed).collect();
        let oracle = |event: usize, _: &Pointer| {
            let given = ids.get(event).and_then(|&id| execution.event(id).value.clone());
            given.into_iter().collect()
        };
        let traces = traces(program, thread, &oracle, 4000, ids.len()).unwrap_or_default();
        let local = |pairs: &[(EventId, EventId)]| {
            let place = |id: EventId| ids.iter().position(|&other| other == id);
            let mut local: Vec<(usize, usize)> =
                pairs.iter().filter_map(|&(x, y)| Some((place(x)?, place(y)?))).collect();
            local.sort_unstable();
            local
        };
        let sorted = |pairs: &[(usize, usize)]| {
            let mut pairs = pairs.to_vec();
            pairs.sort_unstable();
            pairs
        };
        let fits = |trace: &&Trace| {
            trace.events.iter().cloned().eq(ids.iter().map(|&id| Event { atomic: None, ..execution.event(id).clone() }))
                && sorted(&trace.rmw) == local(&execution.rmw)
                && sorted(&trace.addr) == local(&execution.addr)
                && sorted(&trace.data) == local(&execution.data)
                && sorted(&trace.ctrl) == local(&execution.ctrl)
        };
        let fitting: Vec<Vec<Value>> = traces.iter().filter(fits).map(|trace| trace.registers.clone()).collect();
        if fitting.is_empty() {
            return Err(format!("thread {} does not do this; it does one of {traces:?}", thread.0));
        }
        registers.push(fitting);
    }
    for (observable, value) in &execution.state {
        let right = match observable {
            Observable::Register(thread, register) => {
                registers[thread.index()].iter().any(|registers| registers[register.index()] == *value)
            }
            Observable::Memory(cell) => execution.ids().any(|id| {
                let event = execution.event(id);
                let overwritten = execution.co.iter().any(|&(earlier, _)| earlier == id);
                event.kind == EventKind::Write
                    && event.cell.as_ref() == Some(cell)
                    && event.value.as_ref() == Some(value)
                    && !overwritten
            }),
        };
        if !right {
            return Err(format!("{observable:?} does not end as {value:?}"));
        }
    }
    Ok(())
}

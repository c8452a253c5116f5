//! Functions for the arguments that they are given: what is known of a program's memory before its threads start is put in
//! place of what computes it.
//!
//! Each function is walked with what is known of its registers at each block: a value, or the class of an object. A block is written
//! once for each combination of classes, so that the class of an object whose method is called is known. The class of an object that is
//! read from memory is known if only objects of one class are written to such cells anywhere. Branches whose condition is
//! known go one way, final fields of objects that exist before the threads start are read at once, and so
//! are globals whose address is nowhere but in accesses and which no access that is left writes. Nothing else changes: the
//! program has the same executions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::liveness::live_at_start;
use program::tidy::compact;
use program::{
    Block, BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, Pointer, RegisterId, Span,
    Terminator, Unsupported, Value,
};

use crate::interpret::Interpreter;
use crate::machine::is_final;
use crate::state::State;

/// What is known of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    /// Its value.
    Value(Value),
    /// That it points to an object of that class, or perhaps is 0.
    Object { class: Arc<str>, may_be_null: bool },
    /// That it points to this cell of an object of that class.
    Cell { class: Arc<str>, path: Vec<i64> },
    /// Nothing.
    Nothing,
}

impl Known {
    fn truth(&self) -> Option<bool> {
        match self {
            Known::Value(value) => value.truth(),
            Known::Object { may_be_null: false, .. } => Some(true),
            Known::Cell { .. } => Some(true),
            Known::Object { .. } | Known::Nothing => None,
        }
    }
}

/// What is known of the registers of a function at a block.
type Registers = Vec<Known>;

/// A place of a function and what is known there, which becomes a block.
#[derive(Clone)]
struct Point {
    block: BlockId,
    /// The instruction of the block that comes next.
    next: usize,
    registers: Registers,
}

/// So many points there are for one place, and so many sorts of results of a function; where there would be more, less is known.
const MOST_SORTS: usize = 8;

/// A function for some arguments, and what is known of its results.
#[derive(Clone)]
struct Made {
    function: FunctionId,
    /// What is known of its results, in each of the cases in which their classes differ. If there are several, a further result
    /// is the number of the case.
    cases: Vec<Vec<Known>>,
    /// Whether it only computes.
    is_pure: bool,
}

/// Of what class the objects are that a cell of objects of a class may hold; `None` if there are several. What is no object has none.
pub type Contents = BTreeMap<(Arc<str>, Vec<i64>), Option<Arc<str>>>;

/// Makes functions for arguments.
pub struct Specialiser<'a, 'p> {
    interpreter: &'a mut Interpreter<'p>,
    /// Memory when the threads start.
    start: &'a State,
    /// What classes the objects that exist then have.
    classes: &'a [Arc<str>],
    /// The globals that nothing writes, as far as is known.
    constant: &'a BTreeSet<u32>,
    /// What cells hold, as far as is known; `None` if that is not known of any.
    held: Option<&'a Contents>,
    /// What the functions that were made write.
    pub stored: Contents,
    /// Whether they also write to cells of which nothing is known.
    pub scatters: bool,
    /// What cannot be made with what is known of cells so far.
    pub refused: Option<Unsupported>,
    /// The functions that were made.
    pub functions: Vec<Function>,
    made: Vec<((FunctionId, Vec<Known>), Made)>,
    open: Vec<FunctionId>,
}

impl<'a, 'p> Specialiser<'a, 'p> {
    /// Nothing was made yet.
    pub fn new(
        interpreter: &'a mut Interpreter<'p>,
        start: &'a State,
        classes: &'a [Arc<str>],
        constant: &'a BTreeSet<u32>,
        held: Option<&'a Contents>,
    ) -> Specialiser<'a, 'p> {
        let (functions, made, open) = (Vec::new(), Vec::new(), Vec::new());
        let (stored, scatters, refused) = (Contents::new(), false, None);
        Specialiser { interpreter, start, classes, constant, held, stored, scatters, refused, functions, made, open }
    }

    /// The function for these arguments.
    pub fn call_with(&mut self, id: FunctionId, arguments: Vec<Value>) -> Result<FunctionId, Unsupported> {
        let arguments = arguments.into_iter().map(Known::Value).collect();
        Ok(self.call(id, arguments)?.function)
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Known>) -> Result<Made, Unsupported> {
        let key = (id, arguments);
        if let Some((_, made)) = self.made.iter().find(|(known, _)| *known == key) {
            return Ok(made.clone());
        }
        let function = &self.interpreter.program[id];
        if self.open.contains(&id) {
            let what = format!("recursion (`{}` calls itself) in this engine", function.name);
            return Err(Unsupported::new(what, function.span));
        }
        self.open.push(id);
        let mut registers = vec![Known::Value(Value::Undefined); function.registers.len()];
        for (parameter, argument) in function.parameters.iter().zip(&key.1) {
            registers[parameter.index()] = argument.clone();
        }
        let made = self.function(function, registers);
        self.open.pop();
        let made = made?;
        self.made.push((key, made.clone()));
        Ok(made)
    }

    /// Makes a function that begins with these registers.
    fn function(&mut self, function: &Function, registers: Registers) -> Result<Made, Unsupported> {
        let live = live_at_start(function);
        let mut points = vec![Point { block: BlockId(0), next: 0, registers }];
        let mut cases: Vec<Vec<Known>> = Vec::new();
        let mut open = vec![0];
        while let Some(point) = open.pop() {
            let (followers, returned) = self.follow(function, &points[point].clone())?;
            for follower in followers {
                open.extend(self.enter(&mut points, forgetting(follower, &live)));
            }
            if let Some(values) = returned {
                self.add(&mut cases, values);
            }
        }
        self.write(function, &live, &points, cases)
    }

    /// Where a function goes on from a point: behind a call whose results are of several sorts, else behind the block.
    fn follow(&mut self, function: &Function, point: &Point) -> Result<(Vec<Point>, Option<Vec<Known>>), Unsupported> {
        let block = &function[point.block];
        let mut registers = point.registers.clone();
        for (number, instruction) in block.instructions.iter().enumerate().skip(point.next) {
            let cases = self.step(instruction, &registers)?;
            if cases.len() != 1 {
                let behind = |registers| Point { block: point.block, next: number + 1, registers };
                return Ok((cases.into_iter().map(behind).collect(), None));
            }
            registers = cases.into_iter().next().unwrap_or(registers);
        }
        let returned = match &block.terminator {
            Terminator::Return(values) => Some(values.iter().map(|value| known(value, &registers)).collect()),
            _ => None,
        };
        let next = |(block, registers)| Point { block, next: 0, registers };
        Ok((arrivals(&block.terminator, &registers).into_iter().map(next).collect(), returned))
    }

    /// Puts a point among those of its place; gives its number if something new is known there.
    fn enter(&self, points: &mut Vec<Point>, new: Point) -> Option<usize> {
        let is_there = |point: &Point| (point.block, point.next) == (new.block, new.next);
        let there: Vec<usize> = (0..points.len()).filter(|&number| is_there(&points[number])).collect();
        let fits = |&&number: &&usize| self.fits(&points[number].registers, &new.registers);
        let full = || there.last().filter(|_| there.len() >= MOST_SORTS);
        let Some(&place) = there.iter().find(fits).or_else(full) else {
            points.push(new);
            return Some(points.len() - 1);
        };
        let joined = self.join_all(&points[place].registers, &new.registers);
        let is_new = joined != points[place].registers;
        points[place].registers = joined;
        is_new.then_some(place)
    }

    /// Puts what is known of results among the cases.
    fn add(&self, cases: &mut Vec<Vec<Known>>, values: Vec<Known>) {
        let place = cases.iter().position(|case| self.fits(case, &values));
        match place.or((cases.len() >= MOST_SORTS).then_some(MOST_SORTS - 1)) {
            Some(place) => cases[place] = self.join_all(&cases[place], &values),
            None => cases.push(values),
        }
    }

    /// The class of what a register points to, if that is known.
    fn class<'k>(&'k self, known: &'k Known) -> Option<&'k Arc<str>> {
        match known {
            Known::Object { class, .. } => Some(class),
            Known::Value(Value::Pointer(pointer)) => {
                let globals = self.interpreter.program.globals.len();
                let is_object = pointer.path.is_empty() && pointer.allocation as usize >= globals;
                self.classes.get(pointer.allocation as usize).filter(|_| is_object)
            }
            _ => None,
        }
    }

    fn join(&self, one: &Known, other: &Known) -> Known {
        let is_null = |known: &Known| matches!(known, Known::Value(value) if value.truth() == Some(false));
        let may_be_null = |known: &Known| is_null(known) || matches!(known, Known::Object { may_be_null: true, .. });
        let object = |class: &Arc<str>| {
            let may_be_null = may_be_null(one) || may_be_null(other);
            Known::Object { class: class.clone(), may_be_null }
        };
        match (self.class(one), self.class(other)) {
            _ if one == other => one.clone(),
            (Some(class), Some(same)) if class == same => object(class),
            (Some(class), None) if is_null(other) => object(class),
            (None, Some(class)) if is_null(one) => object(class),
            _ => Known::Nothing,
        }
    }

    fn join_all(&self, one: &[Known], other: &[Known]) -> Registers {
        one.iter().zip(other).map(|(a, b)| self.join(a, b)).collect()
    }

    /// Whether no class is forgotten if these are taken together.
    fn fits(&self, one: &[Known], other: &[Known]) -> bool {
        let has_class = |known: &Known| self.class(known).is_some();
        let fits = |(a, b): (&Known, &Known)| has_class(&self.join(a, b)) || !has_class(a) && !has_class(b);
        one.iter().zip(other).all(fits)
    }

    /// The point of this place that knows no more than this.
    fn point(&self, points: &[Point], wanted: &Point) -> BlockId {
        let is_there = |point: &Point| (point.block, point.next) == (wanted.block, wanted.next);
        let covers = |point: &Point| self.join_all(&point.registers, &wanted.registers) == point.registers;
        let found = points.iter().position(|point| is_there(point) && covers(point));
        BlockId(found.unwrap_or(0) as u32)
    }

    /// Writes a function, given its points and cases of results.
    fn write(
        &mut self,
        function: &Function,
        live: &[program::liveness::Registers],
        points: &[Point],
        cases: Vec<Vec<Known>>,
    ) -> Result<Made, Unsupported> {
        let mut made = Function { blocks: Vec::new(), ..function.clone() };
        let mut chains: Vec<Block> = Vec::new();
        for point in points {
            let source = &function[point.block];
            let mut block =
                Block { instructions: Vec::new(), terminator: source.terminator.clone(), span: source.span };
            let mut registers = point.registers.clone();
            let mut split = None;
            for (number, instruction) in source.instructions.iter().enumerate().skip(point.next) {
                let after = self.rewrite(instruction, &registers, &mut block.instructions, &mut made.registers)?;
                if after.len() != 1 {
                    let behind = |registers| Point { block: point.block, next: number + 1, registers };
                    split = Some(after.into_iter().map(|registers| self.point(points, &behind(registers))).collect());
                    break;
                }
                registers = after.into_iter().next().unwrap_or(registers);
            }
            match split {
                Some(targets) => choose(&mut block, targets, points.len(), &mut chains, &mut made.registers),
                None => self.leave(&mut block, (live, points, &cases), &registers),
            }
            made.blocks.push(block);
        }
        made.blocks.extend(chains);
        made.results += usize::from(cases.len() > 1);
        let is_pure = made.instructions().all(|instruction| matches!(instruction.kind, InstructionKind::Assign { .. }));
        compact(&mut made);
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(made);
        Ok(Made { function: id, cases, is_pure })
    }

    /// Writes how a block ends.
    fn leave(
        &self,
        block: &mut Block,
        (live, points, cases): (&[program::liveness::Registers], &[Point], &[Vec<Known>]),
        registers: &Registers,
    ) {
        let go_to = |(next, registers): &(BlockId, Registers)| {
            let wanted = Point { block: *next, next: 0, registers: registers.clone() };
            self.point(points, &forgetting(wanted, live))
        };
        let followers = arrivals(&block.terminator, registers);
        match (&mut block.terminator, &followers[..]) {
            (Terminator::Return(values), _) => {
                let given: Vec<Known> = values.iter().map(|value| known(value, registers)).collect();
                let case = cases.iter().position(|case| self.join_all(case, &given) == *case).unwrap_or(0);
                values.iter_mut().for_each(|value| put_in_place(value, registers));
                values.extend((cases.len() > 1).then(|| Operand::Constant(Value::int(case as i64, 32))));
            }
            (terminator, [only]) => *terminator = Terminator::Jump(go_to(only)),
            (Terminator::Branch { condition, then, otherwise, join, .. }, [first, second]) => {
                put_in_place(condition, registers);
                (*then, *otherwise, *join) = (go_to(first), go_to(second), None);
            }
            _ => {}
        }
    }

    /// What is known after an instruction, in each case; none where it is not known what is called.
    fn step(&mut self, instruction: &Instruction, registers: &Registers) -> Result<Vec<Registers>, Unsupported> {
        let cases = match &instruction.kind {
            InstructionKind::Assign { operator, operands, .. } => {
                vec![vec![self.computed(operator, operands, registers)]]
            }
            InstructionKind::Load { address, access, .. } => {
                vec![vec![self.loaded(&known(address, registers), is_final(access))]]
            }
            InstructionKind::Allocate { name, .. } => {
                vec![vec![Known::Object { class: name.clone(), may_be_null: false }]]
            }
            InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. } => {
                let Some(made) = self.called(instruction, registers)? else { return Ok(Vec::new()) };
                made.cases
            }
            _ => Vec::new(),
        };
        let targets = instruction.kind.targets();
        let after = |found: &Vec<Known>| {
            let mut registers = registers.clone();
            for (number, target) in targets.iter().enumerate() {
                registers[target.index()] = found.get(number).cloned().unwrap_or(Known::Nothing);
            }
            registers
        };
        Ok(if cases.is_empty() { vec![after(&Vec::new())] } else { cases.iter().map(after).collect() })
    }

    fn computed(&mut self, operator: &Operator, operands: &[Operand], registers: &Registers) -> Known {
        let operands: Vec<Known> = operands.iter().map(|operand| known(operand, registers)).collect();
        if let ([object @ (Known::Object { .. } | Known::Cell { .. })], Operator::Copy) = (&operands[..], operator) {
            return object.clone();
        }
        if let [Known::Object { class, .. } | Known::Cell { class, .. }, ..] = &operands[..] {
            return self.cell(operator, class, &operands).unwrap_or(Known::Nothing);
        }
        let mut words = Vec::new();
        for operand in &operands {
            let Known::Value(value) = operand else { return Known::Nothing };
            words.push(self.interpreter.words.word(value));
        }
        let result = self.interpreter.words.apply(operator, &words);
        match self.interpreter.words.value(result) {
            Value::Undefined => Known::Nothing,
            value => Known::Value(value),
        }
    }

    /// The cell that is computed from an object of a class, or one of its cells, if the result is one.
    fn cell(&mut self, operator: &Operator, class: &Arc<str>, operands: &[Known]) -> Option<Known> {
        let words = &mut self.interpreter.words;
        let path = match operands.first()? {
            Known::Cell { path, .. } => path.clone(),
            _ => Vec::new(),
        };
        let mut given = vec![words.word(&Value::Pointer(Pointer { allocation: 0, path }))];
        for operand in &operands[1..] {
            let Known::Value(value) = operand else { return None };
            given.push(words.word(value));
        }
        let result = words.apply(operator, &given);
        match words.value(result) {
            Value::Pointer(Pointer { path, .. }) => Some(Known::Cell { class: class.clone(), path }),
            _ => None,
        }
    }

    /// What is known of what a load gives: its value if that is always the same, or else the class.
    fn loaded(&mut self, address: &Known, is_final: bool) -> Known {
        let of_class = |specialiser: &Self| {
            let class = specialiser.held?.get(&specialiser.place(address)?)?.clone()?;
            Some(Known::Object { class, may_be_null: true })
        };
        let otherwise = of_class(self).unwrap_or(Known::Nothing);
        let Known::Value(Value::Pointer(pointer)) = address else { return otherwise };
        let exists = (pointer.allocation as usize) < self.start.heap.len();
        if !exists || !is_final && !self.constant.contains(&pointer.allocation) {
            return otherwise;
        }
        let address = self.interpreter.words.address(pointer);
        match self.start.held(address).map(|word| self.interpreter.words.value(word)) {
            Some(Value::Undefined) | None => otherwise,
            Some(value) => Known::Value(value),
        }
    }

    /// Of what class the object is that an address points into, and to which of its cells.
    fn place(&self, address: &Known) -> Option<(Arc<str>, Vec<i64>)> {
        match address {
            Known::Value(Value::Pointer(pointer)) => {
                Some((self.classes.get(pointer.allocation as usize)?.clone(), pointer.path.clone()))
            }
            Known::Cell { class, path } => Some((class.clone(), path.clone())),
            Known::Object { class, .. } => Some((class.clone(), Vec::new())),
            _ => None,
        }
    }

    /// Notes what an instruction writes.
    fn note(&mut self, kind: &InstructionKind, registers: &Registers) {
        let (InstructionKind::Store { address, .. } | InstructionKind::ReadModifyWrite { address, .. }) = kind else {
            return;
        };
        let place = self.place(&known(address, registers));
        let values = kind.operands().into_iter().skip(1).map(|value| known(value, registers));
        let contents: Vec<_> = values.filter_map(|value| self.content(&value)).collect();
        let Some(place) = place else {
            self.scatters = true;
            return;
        };
        contents.into_iter().for_each(|class| hold(&mut self.stored, place.clone(), class));
    }

    /// The class of a value that is an object; `None` if it is none.
    fn content(&self, value: &Known) -> Option<Option<Arc<str>>> {
        match value {
            Known::Value(Value::Pointer(pointer)) => Some(class_of(pointer, self.classes)),
            Known::Value(Value::Int(_) | Value::Undefined) => None,
            Known::Object { class, .. } => Some(Some(class.clone())),
            Known::Value(Value::Composite(..)) | Known::Cell { .. } | Known::Nothing => Some(None),
        }
    }

    /// The function that a call calls, made for what is known of its arguments; nothing if that is not known yet.
    fn called(&mut self, instruction: &Instruction, registers: &Registers) -> Result<Option<Made>, Unsupported> {
        let arguments = |operands: &[Operand]| operands.iter().map(|operand| known(operand, registers)).collect();
        match &instruction.kind {
            InstructionKind::Call { function, arguments: given, .. } => {
                self.call(*function, arguments(given)).map(Some)
            }
            InstructionKind::CallVirtual { table, arguments: given, .. } => {
                let arguments: Vec<Known> = arguments(given);
                let class = match arguments.first() {
                    Some(Known::Object { class, .. }) => Some(class.clone()),
                    Some(Known::Value(Value::Pointer(pointer))) => {
                        self.classes.get(pointer.allocation as usize).cloned()
                    }
                    _ => None,
                };
                let of_class = class.and_then(|class| table.iter().find(|(name, _)| *name == class));
                let is_same =
                    table.iter().all(|(_, function)| Some(*function) == table.first().map(|(_, first)| *first));
                match of_class.or(table.first().filter(|_| is_same)) {
                    Some((_, function)) => self.call(*function, arguments).map(Some),
                    None => {
                        let what = "a method of an object whose class is not known";
                        self.refused.get_or_insert(Unsupported::new(what, instruction.span));
                        Ok(None)
                    }
                }
            }
            _ => Err(Unsupported::new("a call", instruction.span)),
        }
    }

    /// Writes what is left of an instruction; gives what is known after it, in each case.
    fn rewrite(
        &mut self,
        instruction: &Instruction,
        before: &Registers,
        written: &mut Vec<Instruction>,
        names: &mut Vec<String>,
    ) -> Result<Vec<Registers>, Unsupported> {
        let after = self.step(instruction, before)?;
        self.note(&instruction.kind, before);
        let mut targets = instruction.kind.targets();
        let is_call = matches!(instruction.kind, InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. });
        let callee = if is_call { self.called(instruction, before)? } else { None };
        if after.is_empty() {
            return Ok(after);
        }
        let computes = matches!(instruction.kind, InstructionKind::Assign { .. } | InstructionKind::Load { .. });
        if let [registers] = &after[..]
            && (computes || callee.as_ref().is_some_and(|callee| callee.is_pure))
            && let Some(values) = values(&targets, registers)
        {
            written.extend(values.into_iter().map(|(target, value)| copy(target, value, instruction.span)));
            return Ok(after);
        }
        if after.len() > 1 {
            targets.push(RegisterId(names.len() as u32));
            names.push("case".into());
        }
        let mut kind = instruction.kind.clone();
        if let (
            Some(callee),
            InstructionKind::Call { arguments, .. } | InstructionKind::CallVirtual { arguments, .. },
        ) = (callee, &instruction.kind)
        {
            kind = InstructionKind::Call { function: callee.function, arguments: arguments.clone(), targets };
        }
        kind.operands_mut().into_iter().for_each(|operand| put_in_place(operand, before));
        written.push(Instruction { kind, span: instruction.span });
        Ok(after)
    }
}

/// The class of an object that exists when the threads start; `None` of a part of one, as strings and arrays are.
pub fn class_of(pointer: &Pointer, classes: &[Arc<str>]) -> Option<Arc<str>> {
    classes.get(pointer.allocation as usize).filter(|_| pointer.path.is_empty()).cloned()
}

/// Adds to what a cell may hold an object of a class; `None` if its class is not known.
pub fn hold(contents: &mut Contents, place: (Arc<str>, Vec<i64>), class: Option<Arc<str>>) {
    let held = contents.entry(place).or_insert_with(|| class.clone());
    if *held != class {
        *held = None;
    }
}

/// The values of registers, if all are known.
fn values(targets: &[RegisterId], registers: &Registers) -> Option<Vec<(RegisterId, Value)>> {
    let value = |target: &RegisterId| match &registers[target.index()] {
        Known::Value(value) => Some((*target, value.clone())),
        _ => None,
    };
    targets.iter().map(value).collect()
}

fn copy(target: RegisterId, value: Value, span: Option<Span>) -> Instruction {
    let operands = vec![Operand::Constant(value)];
    Instruction { kind: InstructionKind::Assign { target, operator: Operator::Copy, operands }, span }
}

/// A point without what is known of registers that nobody reads any more.
fn forgetting(mut point: Point, live: &[program::liveness::Registers]) -> Point {
    if point.next == 0 {
        let live = &live[point.block.0 as usize];
        let registers = point.registers.iter_mut().enumerate();
        registers.filter(|(number, _)| !live.contains(*number)).for_each(|(_, known)| *known = Known::Nothing);
    }
    point
}

/// Ends a block behind a call that gives the number of a case as its last result: with the target of that case. `first` is the
/// number of the first of the blocks that are put behind all others.
fn choose(block: &mut Block, targets: Vec<BlockId>, first: usize, chains: &mut Vec<Block>, names: &mut Vec<String>) {
    let Some(InstructionKind::Call { targets: results, .. }) = block.instructions.last().map(|last| &last.kind) else {
        return;
    };
    let Some(&case) = results.last() else { return };
    let mut ends: Vec<Block> = Vec::new();
    let count = targets.len().saturating_sub(1);
    for (number, &then) in targets.iter().enumerate().take(count) {
        let condition = RegisterId(names.len() as u32);
        names.push("is case".into());
        let operands = vec![Operand::Register(case), Operand::Constant(Value::int(number as i64, 32))];
        let kind = InstructionKind::Assign { target: condition, operator: Operator::Eq, operands };
        // The last two cases are told apart by one question.
        let otherwise = match number + 1 == count {
            true => targets[count],
            false => BlockId((first + chains.len() + number) as u32),
        };
        let condition = Operand::Register(condition);
        let terminator = Terminator::Branch { condition, then, otherwise, join: None, span: None };
        ends.push(Block { instructions: vec![Instruction { kind, span: None }], terminator, span: None });
    }
    let mut ends = ends.into_iter();
    if let Some(own) = ends.next() {
        block.instructions.extend(own.instructions);
        block.terminator = own.terminator;
    }
    chains.extend(ends);
}

fn known(operand: &Operand, registers: &Registers) -> Known {
    match operand {
        Operand::Register(register) => registers[register.index()].clone(),
        Operand::Constant(value) => Known::Value(value.clone()),
    }
}

fn put_in_place(operand: &mut Operand, registers: &Registers) {
    if let Known::Value(value) = known(operand, registers)
        && value != Value::Undefined
    {
        *operand = Operand::Constant(value);
    }
}

/// The blocks that may come next, with what is known there.
fn arrivals(terminator: &Terminator, registers: &Registers) -> Vec<(BlockId, Registers)> {
    let Terminator::Branch { condition, then, otherwise, .. } = terminator else {
        return terminator.successors().into_iter().map(|next| (next, registers.clone())).collect();
    };
    match known(condition, registers).truth() {
        Some(true) => vec![(*then, registers.clone())],
        Some(false) => vec![(*otherwise, registers.clone())],
        None => {
            vec![(*then, assuming(condition, true, registers)), (*otherwise, assuming(condition, false, registers))]
        }
    }
}

/// What is known if a condition is true, or is not.
fn assuming(condition: &Operand, truth: bool, registers: &Registers) -> Registers {
    let mut registers = registers.clone();
    if let Operand::Register(register) = condition
        && let Known::Object { class, .. } = registers[register.index()].clone()
    {
        registers[register.index()] = match truth {
            true => Known::Object { class, may_be_null: false },
            false => Known::Value(Value::int(0, 32)),
        };
    }
    registers
}

//! The syntax of instructions: how each is printed, and how it is parsed; so are terminators, operators and accesses.

use super::cursor::{Cursor, Parsed};
use super::lexer::Kind;
use super::print::{Printer, list};
use super::{ORDERS, name};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::operator::Operator;

impl Printer<'_> {
    /// The instruction without its targets.
    pub(super) fn action(&self, at: FunctionId, kind: &InstructionKind) -> String {
        use InstructionKind::*;
        let op = |operand: &Operand| self.operand(at, operand);
        let ops = |operands: &[Operand]| list(operands, op);
        match kind {
            // Without the mark, the target of the next instruction would read as the first operand.
            Assign { operator, operands, .. } if operands.is_empty() => format!("{operator} ()"),
            Assign { operator, operands, .. } => format!("{operator} {}", ops(operands)),
            Load { address, access: a, .. } => format!("load {} {}", op(address), access(a)),
            Store { address, value, access: a } => format!("store {}, {} {}", op(address), op(value), access(a)),
            ReadModifyWrite { address, update, access: a, .. } => match update {
                Update::Exchange(value) => format!("exchange {}, {} {}", op(address), op(value), access(a)),
                Update::Apply(operator, value) => {
                    format!("update {}, {operator} {} {}", op(address), op(value), access(a))
                }
                Update::CompareExchange { expected, desired, weak, failure, .. } => format!(
                    "compare_exchange{} {}, {}, {} {} else {}",
                    if *weak { "_weak" } else { "" },
                    op(address),
                    op(expected),
                    op(desired),
                    access(a),
                    access(failure)
                ),
            },
            Fence { access: a } => format!("fence {}", access(a)),
            Freeze { address } => format!("freeze {}", op(address)),
            Lock { monitor } => format!("lock {}", op(monitor)),
            Unlock { monitor } => format!("unlock {}", op(monitor)),
            Allocate { default, name: class, reuse, extent, .. } => {
                let reuse = if *reuse { " reuse" } else { "" };
                let extent = extent.as_ref().map_or(String::new(), |extent| format!(" {}", self.extent(at, extent)));
                format!("allocate {} = {}{reuse}{extent}", name(class), self.value(default))
            }
            Free { address } => format!("free {}", op(address)),
            End { address } => format!("end {}", op(address)),
            Live { address } => format!("live {}", op(address)),
            Identify { .. } => "identify".into(),
            Call { function, arguments, .. } => format!("call {}({})", self.callee(*function), ops(arguments)),
            CallVirtual { table, arguments, .. } => {
                let table = list(table, |(class, function)| format!("{}: {}", name(class), self.callee(*function)));
                format!("call_virtual {{ {table} }}({})", ops(arguments))
            }
            Spawn { function, arguments, .. } => format!("spawn {}({})", self.callee(*function), ops(arguments)),
            Join { thread } => format!("join {}", op(thread)),
            Wait { monitor } => format!("wait {}", op(monitor)),
            Notify { monitor, all: false } => format!("notify {}", op(monitor)),
            Notify { monitor, all: true } => format!("notify_all {}", op(monitor)),
            Park => "park".into(),
            Unpark { thread } => format!("unpark {}", op(thread)),
            Assert { condition, message, sort, text } => {
                let sort = match sort {
                    AssertSort::Assertion => "",
                    AssertSort::Exception => " exception",
                    AssertSort::Exit => " exit",
                    AssertSort::Error => " error",
                    AssertSort::Unsupported => " unsupported",
                };
                let text = text.as_ref().map_or(String::new(), |text| format!(" text {}", op(text)));
                format!("assert {}, {}{sort}{text}", op(condition), name(message))
            }
            Assume { condition } => format!("assume {}", op(condition)),
            Await { condition } => format!("await {}", op(condition)),
            Observe { label, value } => format!("observe {}, {}", name(label), op(value)),
            Choose { low, high, width, .. } => format!("choose {low}..{high}:i{width}"),
            AtomicBegin => "atomic_begin".into(),
            AtomicEnd => "atomic_end".into(),
        }
    }
}

/// The order and the tags.
fn access(access: &Access) -> String {
    let order = ORDERS.iter().find(|(order, _)| *order == access.order).map_or("?", |(_, word)| word);
    let bytes = if access.bytes == 0 { String::new() } else { format!(":{}", access.bytes) };
    if access.tags.is_empty() {
        return format!("{order}{bytes}");
    }
    format!("{order}{{{}}}{bytes}", list(&access.tags, |tag| name(tag)))
}

impl Cursor {
    /// A terminator, if one comes next.
    pub fn terminator(&mut self) -> Parsed<Option<Terminator>> {
        let start = self.here();
        let terminator = if self.eat_word("jump") {
            Terminator::Jump(self.block()?)
        } else if self.eat_word("branch") {
            let condition = self.operand()?;
            self.mark(",")?;
            let then = self.block()?;
            self.mark(",")?;
            let otherwise = self.block()?;
            let join = if self.eat_word("join") { Some(self.block()?) } else { None };
            Terminator::Branch { condition, then, otherwise, join, span: Some(self.since(start)) }
        } else if self.eat_word("return") {
            let some = self.is_mark("%") || self.at_value();
            Terminator::Return(if some { self.list(Cursor::operand)? } else { Vec::new() })
        } else {
            return Ok(None);
        };
        Ok(Some(terminator))
    }

    pub fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.here();
        let targets = if self.is_mark("%") { self.targets()? } else { Vec::new() };
        let kind = self.kind(targets)?;
        Ok(Instruction { kind, span: Some(self.since(start)) })
    }

    fn targets(&mut self) -> Parsed<Vec<RegisterId>> {
        let targets = self.list(|cursor| Ok(RegisterId(cursor.register()?)))?;
        self.mark(":=")?;
        Ok(targets)
    }

    /// The rest of an instruction, after its targets.
    fn kind(&mut self, targets: Vec<RegisterId>) -> Parsed<InstructionKind> {
        use InstructionKind::*;
        let start = self.here();
        let Kind::Word(word) = self.peek().clone() else {
            return self.expected("an instruction or terminator");
        };
        // Before anything is read, so that the message points to the word.
        let one = || match targets[..] {
            [target] => Ok(target),
            _ => Err(wrong_targets(&word, "one target", start)),
        };
        match word.as_str() {
            "call" | "call_virtual" => return self.call(targets),
            "compare_exchange" | "compare_exchange_weak" => return self.compare_exchange(&targets),
            "load" | "exchange" | "update" => {
                let target = one()?;
                return self.access_with_target(&word, target);
            }
            "allocate" => {
                let target = one()?;
                self.advance();
                let name = self.shared_name()?;
                self.mark("=")?;
                let (default, reuse) = (self.value()?, self.eat_word("reuse"));
                return Ok(Allocate { target, default, name, reuse, extent: self.extent()? });
            }
            "spawn" => {
                let target = one()?;
                self.advance();
                return Ok(Spawn { target, function: self.callee()?, arguments: self.arguments()? });
            }
            "identify" => {
                let target = one()?;
                self.advance();
                return Ok(Identify { target });
            }
            "choose" => {
                let target = one()?;
                self.advance();
                let low = self.number("the least integer")?;
                self.mark("..")?;
                let high = self.number("the greatest integer")?;
                self.mark(":")?;
                return Ok(Choose { target, low, high, width: self.lettered('i', "a width such as `i32`")? });
            }
            _ => {}
        }
        if let Some(simple) = self.without_target(&word)? {
            return if targets.is_empty() { Ok(simple) } else { Err(wrong_targets(&word, "no target", start)) };
        }
        let operator = self.operator()?;
        let target = one()?;
        Ok(Assign { target, operator, operands: self.operands()? })
    }

    /// The instructions that have no target; `None` if the word starts none of them.
    fn without_target(&mut self, word: &str) -> Parsed<Option<InstructionKind>> {
        use InstructionKind::*;
        let known = [
            "store",
            "fence",
            "freeze",
            "lock",
            "unlock",
            "free",
            "end",
            "live",
            "join",
            "wait",
            "notify",
            "notify_all",
            "park",
            "unpark",
            "assert",
            "assume",
            "await",
            "observe",
            "atomic_begin",
            "atomic_end",
        ];
        if !known.contains(&word) {
            return Ok(None);
        }
        self.advance();
        Ok(Some(match word {
            "store" => {
                let address = self.operand()?;
                self.mark(",")?;
                Store { address, value: self.operand()?, access: self.access()? }
            }
            "fence" => Fence { access: self.access()? },
            "freeze" => Freeze { address: self.operand()? },
            "lock" => Lock { monitor: self.operand()? },
            "unlock" => Unlock { monitor: self.operand()? },
            "free" => Free { address: self.operand()? },
            "end" => End { address: self.operand()? },
            "live" => Live { address: self.operand()? },
            "join" => Join { thread: self.operand()? },
            "wait" => Wait { monitor: self.operand()? },
            "notify" => Notify { monitor: self.operand()?, all: false },
            "notify_all" => Notify { monitor: self.operand()?, all: true },
            "park" => Park,
            "unpark" => Unpark { thread: self.operand()? },
            "assert" => {
                let condition = self.operand()?;
                self.mark(",")?;
                let message = self.shared_name()?;
                let sorts = [
                    ("exception", AssertSort::Exception),
                    ("exit", AssertSort::Exit),
                    ("error", AssertSort::Error),
                    ("unsupported", AssertSort::Unsupported),
                ];
                let sort = sorts.into_iter().find(|(word, _)| self.eat_word(word));
                let sort = sort.map_or(AssertSort::Assertion, |(_, sort)| sort);
                let text = if self.eat_word("text") { Some(self.operand()?) } else { None };
                Assert { condition, message, sort, text }
            }
            "assume" => Assume { condition: self.operand()? },
            "await" => Await { condition: self.operand()? },
            "observe" => {
                let label = self.shared_name()?;
                self.mark(",")?;
                Observe { label, value: self.operand()? }
            }
            "atomic_begin" => AtomicBegin,
            _ => AtomicEnd,
        }))
    }

    /// `load`, `exchange` or `update`.
    fn access_with_target(&mut self, word: &str, target: RegisterId) -> Parsed<InstructionKind> {
        self.advance();
        let address = self.operand()?;
        if word == "load" {
            return Ok(InstructionKind::Load { target, address, access: self.access()? });
        }
        self.mark(",")?;
        let update = match word {
            "update" => Update::Apply(self.operator()?, self.operand()?),
            _ => Update::Exchange(self.operand()?),
        };
        Ok(InstructionKind::ReadModifyWrite { target, address, update, access: self.access()? })
    }

    fn compare_exchange(&mut self, targets: &[RegisterId]) -> Parsed<InstructionKind> {
        let &[target, success] = targets else {
            return Err(wrong_targets("compare_exchange", "two targets: the old value and the success", self.here()));
        };
        let weak = self.is_word("compare_exchange_weak");
        self.advance();
        let address = self.operand()?;
        self.mark(",")?;
        let expected = self.operand()?;
        self.mark(",")?;
        let desired = self.operand()?;
        let access = self.access()?;
        self.word("else")?;
        let update = Update::CompareExchange { expected, desired, success, weak, failure: self.access()? };
        Ok(InstructionKind::ReadModifyWrite { target, address, update, access })
    }

    fn call(&mut self, targets: Vec<RegisterId>) -> Parsed<InstructionKind> {
        if self.eat_word("call") {
            let function = self.callee()?;
            return Ok(InstructionKind::Call { function, arguments: self.arguments()?, targets });
        }
        self.word("call_virtual")?;
        let table = self.enclosed("{", "}", |cursor| {
            let class = cursor.shared_name()?;
            cursor.mark(":")?;
            Ok((class, cursor.callee()?))
        })?;
        Ok(InstructionKind::CallVirtual { table, arguments: self.arguments()?, targets })
    }

    pub fn callee(&mut self) -> Parsed<FunctionId> {
        self.function().map(FunctionId)
    }

    fn arguments(&mut self) -> Parsed<Vec<Operand>> {
        self.enclosed("(", ")", Cursor::operand)
    }

    /// `()`, or at least one operand.
    fn operands(&mut self) -> Parsed<Vec<Operand>> {
        if self.is_mark("(") { self.arguments() } else { self.list(Cursor::operand) }
    }

    fn operand(&mut self) -> Parsed<Operand> {
        if self.is_mark("%") {
            return Ok(Operand::Register(RegisterId(self.register()?)));
        }
        if self.at_value() { Ok(Operand::Constant(self.value()?)) } else { self.expected("a register or a value") }
    }

    fn block(&mut self) -> Parsed<BlockId> {
        self.lettered('b', "a block such as `b0`").map(BlockId)
    }

    fn access(&mut self) -> Parsed<Access> {
        let order = match self.peek() {
            Kind::Word(word) => ORDERS.iter().find(|(_, w)| w == word).map(|(order, _)| *order),
            _ => None,
        };
        let Some(order) = order else {
            return self.expected("a memory order such as `plain`");
        };
        self.advance();
        let tags = if self.is_mark("{") { self.enclosed("{", "}", Cursor::shared_name)? } else { Vec::new() };
        let mut bytes = 0;
        if self.is_mark(":") {
            self.advance();
            bytes = self.number("a number of bytes")?;
        }
        Ok(Access { order, tags, bytes })
    }

    /// How an allocation lies in memory, if that is said.
    pub fn extent(&mut self) -> Parsed<Option<Extent>> {
        let storage = match self.peek() {
            Kind::Word(word) => super::STORAGES.iter().find(|(_, w)| w == word).map(|(storage, _)| *storage),
            _ => None,
        };
        let Some(storage) = storage else { return Ok(None) };
        self.advance();
        let size = self.operand()?;
        self.word("align")?;
        Ok(Some(Extent { size, align: self.number("an alignment")?, storage }))
    }

    pub fn operator(&mut self) -> Parsed<Operator> {
        let Kind::Word(word) = self.peek().clone() else {
            return self.expected("an operator");
        };
        if let Some(operator) = Operator::named(&word) {
            self.advance();
            return Ok(operator);
        }
        if !["resize", "step", "element", "element_or_end", "make", "get", "set"].contains(&word.as_str()) {
            return self.expected("an instruction, a terminator or an operator");
        }
        self.advance();
        self.mark("[")?;
        let operator = match word.as_str() {
            "resize" => self.resize()?,
            "step" => Operator::Step(self.number("a number of bytes")?),
            "element" | "element_or_end" => {
                let size = self.number("a number of bytes")?;
                self.mark(",")?;
                Operator::Element { size, count: self.number("a number of elements")?, past: word != "element" }
            }
            _ => self.composite(&word)?,
        };
        self.mark("]")?;
        Ok(operator)
    }

    fn resize(&mut self) -> Parsed<Operator> {
        let signed = matches!(self.peek(), Kind::Word(word) if word.starts_with('s'));
        let width = self.lettered(if signed { 's' } else { 'u' }, "`s` or `u` and a width, such as `s32`")?;
        Ok(Operator::Resize { width, signed })
    }

    fn composite(&mut self, word: &str) -> Parsed<Operator> {
        let tag = self.shared_name()?;
        self.mark(",")?;
        let number = self.number("a number of fields, or of a field")?;
        Ok(match word {
            "make" => Operator::Make(tag, number),
            "get" => Operator::Get(tag, number),
            _ => Operator::Set(tag, number),
        })
    }
}

fn wrong_targets(word: &str, takes: &str, span: crate::source::Span) -> Diagnostic {
    Diagnostic::error(format!("`{word}` takes {takes}"), span)
}

//! Expressions, lowered to instructions.

use program::{BlockId, Diagnostic, Operand, Operator, RegisterId, Span, Terminator, Unsupported, Value};

use super::lower::Lowering;
use super::place::Place;
use super::syntax::{Calls, Expression, ExpressionKind};
use super::typed::{Into, Typed, VOID};
use crate::litmus::types::{INT, Type};

impl Lowering<'_> {
    /// Evaluates an expression that must have a value.
    pub fn value(&mut self, expression: &Expression, into: Into) -> Result<Typed, Diagnostic> {
        let typed = self.evaluate(expression, into)?;
        if typed.declared == VOID {
            return Err(Diagnostic::error("this expression has no value", expression.span));
        }
        Ok(typed)
    }

    /// Evaluates an expression.
    pub fn evaluate(&mut self, expression: &Expression, into: Into) -> Result<Typed, Diagnostic> {
        match &expression.kind {
            ExpressionKind::Number(value, declared) => Ok(number(*value, *declared)),
            ExpressionKind::Name(name) => self.name(name, expression.span),
            ExpressionKind::Unary(operator, inner) => self.unary(operator, inner, into),
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.value(left, None)?;
                let right = self.value(right, None)?;
                self.binary(operator, left, right, into, expression.span)
            }
            ExpressionKind::Logical(operator, left, right) => self.logical(operator, left, right),
            ExpressionKind::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            ExpressionKind::Assign(operator, target, value) => self.assignment(*operator, target, value),
            ExpressionKind::Step { target, up, old } => self.step(target, *up, *old, expression.span),
            ExpressionKind::Cast(declared, inner) => {
                let inner = self.value(inner, None)?;
                let operand = self.convert(inner, *declared)?;
                Ok(Typed { operand, declared: *declared })
            }
            ExpressionKind::Dereference(_) | ExpressionKind::Index(..) => {
                let place = self.place(expression)?;
                Ok(self.read(&place, into))
            }
            ExpressionKind::Address(inner) => self.address(inner),
            ExpressionKind::Call(name, arguments) => match self.calls {
                Calls::Atomics => self.call(name, arguments, into, expression.span),
                Calls::Handles => self.fence(name, arguments, expression.span),
            },
            ExpressionKind::Method(..) if self.calls == Calls::Atomics => {
                Err(Unsupported::new("the call of a method", Some(expression.span)).into())
            }
            ExpressionKind::Method(receiver, name, arguments) => {
                self.method((receiver, name), arguments, into, expression.span)
            }
            ExpressionKind::Sequence(first, second) => {
                self.evaluate(first, None)?;
                self.evaluate(second, into)
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Typed, Diagnostic> {
        if let Some(variable) = self.variable_or_closed(name, span) {
            return Ok(Typed { operand: variable.home, declared: variable.declared });
        }
        match name {
            "NULL" | "false" => return Ok(number(0, INT)),
            "true" => return Ok(number(1, INT)),
            _ => {}
        }
        let error = Diagnostic::error(format!("the variable `{name}` is not declared"), span);
        let location = self.memory.knows(name);
        Err(if location {
            error.note(format!("a thread reaches the location `{name}` through a parameter"))
        } else {
            error
        })
    }

    fn unary(&mut self, operator: &str, inner: &Expression, into: Into) -> Result<Typed, Diagnostic> {
        let inner_span = inner.span;
        let inner = self.value(inner, None)?;
        if operator == "!" {
            return Ok(self.result(Operator::IsFalse, vec![inner.operand], INT, into));
        }
        if inner.declared.is_pointer() {
            return Err(Diagnostic::error(format!("`{operator}` of a pointer"), inner_span));
        }
        let declared = promoted(inner.declared);
        let operand = self.convert(inner, declared)?;
        let operator = match operator {
            "-" => Operator::Neg,
            "~" => Operator::Not,
            _ => return Ok(Typed { operand, declared }),
        };
        if let Operand::Constant(Value::Int(int)) = &operand {
            let value = if operator == Operator::Neg { int.signed().wrapping_neg() } else { !int.signed() };
            return Ok(number(value, declared));
        }
        Ok(self.result(operator, vec![operand], declared, into))
    }

    /// Applies a binary operator.
    fn binary(
        &mut self,
        operator: &str,
        left: Typed,
        right: Typed,
        into: Into,
        span: Span,
    ) -> Result<Typed, Diagnostic> {
        if left.declared.is_pointer() || right.declared.is_pointer() {
            return self.pointer_arithmetic(operator, left, right, into, span);
        }
        if operator == "<<" || operator == ">>" {
            let declared = promoted(left.declared);
            let shifted = self.convert(left, declared)?;
            let operator = match (operator, declared.signed) {
                ("<<", _) => Operator::Shl,
                (_, true) => Operator::ShrSigned,
                (_, false) => Operator::ShrUnsigned,
            };
            return Ok(self.result(operator, vec![shifted, right.operand], declared, into));
        }
        let declared = common(left.declared, right.declared);
        let (operator, comparison, swapped) = integer_operator(operator, declared.signed)
            .ok_or_else(|| Diagnostic::error(format!("unknown operator `{operator}`"), span))?;
        let left = self.convert(left, declared)?;
        let right = self.convert(right, declared)?;
        let operands = if swapped { vec![right, left] } else { vec![left, right] };
        Ok(self.result(operator, operands, if comparison { INT } else { declared }, into))
    }

    fn pointer_arithmetic(
        &mut self,
        operator: &str,
        left: Typed,
        right: Typed,
        into: Into,
        span: Span,
    ) -> Result<Typed, Diagnostic> {
        let both = left.declared.is_pointer() && right.declared.is_pointer();
        match operator {
            "==" => Ok(self.result(Operator::Eq, vec![left.operand, right.operand], INT, into)),
            "!=" => Ok(self.result(Operator::Ne, vec![left.operand, right.operand], INT, into)),
            "+" if !both => {
                let (pointer, offset) = if left.declared.is_pointer() { (left, right) } else { (right, left) };
                Ok(self.advance(pointer, offset.operand, into))
            }
            "-" if both => {
                let declared = Type::integer(64, true);
                Ok(self.result(Operator::Distance, vec![left.operand, right.operand], declared, into))
            }
            "-" if left.declared.is_pointer() => {
                let back = self.code.compute(Operator::Neg, vec![right.operand], self.span);
                Ok(self.advance(left, back, into))
            }
            _ => Err(Unsupported::new(format!("`{operator}` with a pointer"), Some(span)).into()),
        }
    }

    /// The pointer moved by a number of elements.
    pub fn advance(&mut self, pointer: Typed, elements: Operand, into: Into) -> Typed {
        let zero = matches!(&elements, Operand::Constant(Value::Int(int)) if !int.is_true());
        if zero {
            return pointer;
        }
        self.result(Operator::Advance, vec![pointer.operand, elements], pointer.declared, into)
    }

    /// `a && b`, `a || b`: the right side is evaluated only if it matters, unless that makes no difference; in a test in Java
    /// always, as herd7 does.
    fn logical(&mut self, operator: &str, left: &Expression, right: &Expression) -> Result<Typed, Diagnostic> {
        let first = self.truth(left)?;
        if right.is_pure() || self.calls == Calls::Handles {
            let second = self.truth(right)?;
            let operator = if operator == "&&" { Operator::And } else { Operator::Or };
            return Ok(self.result(operator, vec![first, second], INT, None));
        }
        let result = self.code.temporary();
        self.code.assign(result, Operator::Copy, vec![first], self.span);
        let (evaluate, behind) = (self.code.block(None), self.code.block(None));
        let (then, otherwise) = if operator == "&&" { (evaluate, behind) } else { (behind, evaluate) };
        self.branch(Operand::Register(result), then, otherwise, Some(behind));
        self.code.write_in(evaluate);
        let second = self.truth(right)?;
        self.code.assign(result, Operator::Copy, vec![second], self.span);
        self.code.continue_in(behind);
        Ok(Typed { operand: Operand::Register(result), declared: INT })
    }

    /// 1 if the expression is true, else 0.
    fn truth(&mut self, expression: &Expression) -> Result<Operand, Diagnostic> {
        let value = self.value(expression, None)?;
        let known = match &expression.kind {
            ExpressionKind::Logical(..) | ExpressionKind::Unary("!", _) => true,
            ExpressionKind::Binary(operator, ..) => ["==", "!=", "<", "<=", ">", ">="].contains(operator),
            _ => false,
        };
        if known {
            return Ok(value.operand);
        }
        if let Operand::Constant(constant) = &value.operand
            && let Some(truth) = constant.truth()
        {
            return Ok(Operand::Constant(Value::int(i64::from(truth), 32)));
        }
        Ok(self.truth_of(&value, 32))
    }

    fn conditional(
        &mut self,
        condition: &Expression,
        then: &Expression,
        otherwise: &Expression,
    ) -> Result<Typed, Diagnostic> {
        let condition = self.value(condition, None)?.operand;
        if then.is_pure() && otherwise.is_pure() {
            let (first, second) = (self.value(then, None)?, self.value(otherwise, None)?);
            let pointers = first.declared.is_pointer() || second.declared.is_pointer();
            let declared = if pointers { first.declared } else { common(first.declared, second.declared) };
            let operands = vec![condition, self.convert(first, declared)?, self.convert(second, declared)?];
            return Ok(self.result(Operator::Select, operands, declared, None));
        }
        let result = self.code.temporary();
        let [then_block, else_block, behind] = [(); 3].map(|()| self.code.block(None));
        self.branch(condition, then_block, else_block, Some(behind));
        let first = self.alternative(then_block, then, result, behind)?;
        let second = self.alternative(else_block, otherwise, result, behind)?;
        if !first.same_values(second) {
            return Err(Unsupported::new("a choice between values of different widths", Some(self.span)).into());
        }
        self.code.write_in(behind);
        Ok(Typed { operand: Operand::Register(result), declared: first })
    }

    /// One side of a conditional expression; gives its type.
    fn alternative(
        &mut self,
        block: BlockId,
        expression: &Expression,
        result: RegisterId,
        behind: BlockId,
    ) -> Result<Type, Diagnostic> {
        self.code.write_in(block);
        let value = self.value(expression, None)?;
        self.code.assign(result, Operator::Copy, vec![value.operand], self.span);
        self.code.end(Terminator::Jump(behind));
        Ok(value.declared)
    }

    /// `a = b`, `a += b`.
    fn assignment(
        &mut self,
        operator: Option<&'static str>,
        target: &Expression,
        value: &Expression,
    ) -> Result<Typed, Diagnostic> {
        let Some(operator) = operator else {
            return self.plain_assignment(target, value);
        };
        let place = self.place(target)?;
        let old = self.read(&place, None);
        let value = self.value(value, None)?;
        let new = self.binary(operator, old, value, None, target.span)?;
        self.write(&place, new)
    }

    fn plain_assignment(&mut self, target: &Expression, value: &Expression) -> Result<Typed, Diagnostic> {
        if let ExpressionKind::Name(name) = &target.kind {
            if self.variable_or_closed(name, target.span).is_none() {
                let value = self.value(value, None)?;
                let declared = Type { volatile: false, ..value.declared };
                let register = self.declare_implicitly(name, declared, target.span)?;
                return self.write(&Place::Variable(register, declared), value);
            }
            if let Place::Variable(register, declared) = self.place(target)? {
                self.assign(register, declared, value)?;
                return Ok(Typed { operand: Operand::Register(register), declared });
            }
        }
        let place = self.place(target)?;
        let value = self.value(value, None)?;
        self.write(&place, value)
    }

    /// `a++`, `--a`.
    fn step(&mut self, target: &Expression, up: bool, old: bool, span: Span) -> Result<Typed, Diagnostic> {
        let place = self.place(target)?;
        let mut before = self.read(&place, None);
        if old && matches!(place, Place::Variable(..)) {
            before.operand = self.code.compute(Operator::Copy, vec![before.operand], self.span);
        }
        let after = self.binary(if up { "+" } else { "-" }, before.clone(), number(1, INT), None, span)?;
        let after = self.write(&place, after)?;
        Ok(if old { before } else { after })
    }

    /// Applies an operator, writing to `into` if that has the right type.
    fn result(&mut self, operator: Operator, operands: Vec<Operand>, declared: Type, into: Into) -> Typed {
        let target = self.target(into, declared);
        self.code.assign(target, operator, operands, self.span);
        Typed { operand: Operand::Register(target), declared }
    }

    /// The register to write a value of a type to.
    pub fn target(&mut self, into: Into, declared: Type) -> RegisterId {
        match into {
            Some((register, wanted)) if declared.same_values(wanted) => register,
            _ => self.code.temporary(),
        }
    }
}

/// A constant.
pub(super) fn number(value: i64, declared: Type) -> Typed {
    Typed { operand: Operand::Constant(Value::int(value, declared.width)), declared }
}

/// The type after integer promotion.
fn promoted(declared: Type) -> Type {
    if declared.width < 32 { INT } else { Type::integer(declared.width, declared.signed) }
}

/// The common type of two operands.
fn common(left: Type, right: Type) -> Type {
    let (left, right) = (promoted(left), promoted(right));
    match left.width.cmp(&right.width) {
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Equal => Type::integer(left.width, left.signed && right.signed),
    }
}

/// The operator on integers, whether it is a comparison, and whether its operands change places.
fn integer_operator(symbol: &str, signed: bool) -> Option<(Operator, bool, bool)> {
    let pick = |if_signed: Operator, if_unsigned: Operator| if signed { if_signed } else { if_unsigned };
    let (operator, comparison, swapped) = match symbol {
        "+" => (Operator::Add, false, false),
        "-" => (Operator::Sub, false, false),
        "*" => (Operator::Mul, false, false),
        "/" => (pick(Operator::DivSigned, Operator::DivUnsigned), false, false),
        "%" => (pick(Operator::RemSigned, Operator::RemUnsigned), false, false),
        "&" => (Operator::And, false, false),
        "|" => (Operator::Or, false, false),
        "^" => (Operator::Xor, false, false),
        "==" => (Operator::Eq, true, false),
        "!=" => (Operator::Ne, true, false),
        "<" => (pick(Operator::LtSigned, Operator::LtUnsigned), true, false),
        "<=" => (pick(Operator::LeSigned, Operator::LeUnsigned), true, false),
        ">" => (pick(Operator::LtSigned, Operator::LtUnsigned), true, true),
        ">=" => (pick(Operator::LeSigned, Operator::LeUnsigned), true, true),
        _ => return None,
    };
    Some((operator, comparison, swapped))
}

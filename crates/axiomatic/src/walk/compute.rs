//! What operators compute, and what is wrong with them outside of their domain.

use super::*;

impl<D: Domain> Walk<'_, D> {
    /// What an operator computes; an error where it is not defined on its operands.
    pub(super) fn compute(
        &mut self,
        operator: &Operator,
        operands: &[Operand],
        origin: Origin,
        state: &State<D>,
    ) -> Result<(D::Value, Dependencies<D::Guard>), String> {
        let span = origin.span;
        let (values, dependencies): (Vec<_>, Vec<_>) =
            operands.iter().map(|operand| self.operand(operand, state)).unzip();
        if self.asks_for_unknown_bits(operator, operands, &values) {
            return Err(Operator::UNKNOWN_BITS.to_string());
        }
        // What does not fit is an error already; the value need not be undefined besides.
        let value = self.domain.apply(operator.wrapping(), &values)?;
        self.domain.index(&state.guard, operator, &values, span);
        if !carries_undefined(operator) {
            let compares = matches!(operator, Operator::Eq | Operator::Ne);
            let check = if compares { Check::Comparison } else { Check::Operands };
            if operator.divides() {
                for value in &values {
                    let defined = self.domain.passes(Check::Operands, &[], value);
                    self.domain.check(&state.guard, &defined, &operator.misuse(true), span);
                }
            }
            let overflows = operator.wrapping() != operator;
            let fine = self.domain.passes(check, &values, &value);
            let wrong = if overflows { operator.misuse(true) } else { wrong_operands(operator) };
            self.domain.check(&state.guard, &fine, &wrong, span);
            if overflows {
                let fits = self.domain.fits(operator, &values, &value);
                self.domain.check(&state.guard, &fits, &wrong_operands(operator), span);
            }
        }
        let value = self.domain.result(value, origin);
        Ok((value, self.merge(dependencies)))
    }

    /// Whether an operator may be asked for bits of an address that are not known. Of a register that holds no pointer nothing is
    /// known here.
    fn asks_for_unknown_bits(&mut self, operator: &Operator, operands: &[Operand], values: &[D::Value]) -> bool {
        let mut possible: Vec<Vec<Value>> = Vec::new();
        for (operand, value) in operands.iter().zip(values) {
            let pointers = self.domain.targets(value).into_iter().map(|(pointer, _)| Value::Pointer(pointer));
            possible.push(pointers.chain(operand.constant().cloned()).collect());
        }
        match &possible[..] {
            [of] => of.iter().any(|a| operator.asks_for_unknown_bits(std::slice::from_ref(a))),
            [of, with] => {
                of.iter().any(|a| with.iter().any(|b| operator.asks_for_unknown_bits(&[a.clone(), b.clone()])))
            }
            _ => false,
        }
    }
}

/// Whether undefined operands are no error: the operator only passes them on.
fn carries_undefined(operator: &Operator) -> bool {
    matches!(operator, Operator::Copy | Operator::Make(..) | Operator::Set(..) | Operator::Select)
}

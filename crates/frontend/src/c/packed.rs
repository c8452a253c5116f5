//! Packed words (CheckFence thesis, section 7.2.5): functions of certain names make, read and change one word of several
//! fields. `lsl_make_T` names the fields by its parameters; `lsl_get_T_f` and `lsl_set_T_f` take one. Their bodies are not
//! looked at: the word is a composite value.

use lang_c::ast;
use program::Operator;

use super::lower::{Bytes, Lowered, Lowering, Typed};

impl Lowering<'_> {
    /// Notes the packed words that the declared functions make.
    pub fn find_packed(&mut self) {
        for (name, declared) in &self.functions {
            let Some(tag) = name.strip_prefix("lsl_make_") else { continue };
            let fields = declared.signature.parameters.iter().map(|(name, _)| name.clone());
            if let Some(fields) = fields.collect::<Option<Vec<String>>>() {
                self.packed.insert(tag.to_string(), fields);
            }
        }
    }

    /// The operator that a function of packed words stands for.
    fn packed_operator(&self, name: &str) -> Option<Operator> {
        if let Some(tag) = name.strip_prefix("lsl_make_") {
            let fields = self.packed.get(tag)?;
            return Some(Operator::Make(tag.into(), u8::try_from(fields.len()).ok()?));
        }
        let (rest, get) = match name.strip_prefix("lsl_get_") {
            Some(rest) => (rest, true),
            None => (name.strip_prefix("lsl_set_")?, false),
        };
        let mut found = None;
        for (tag, fields) in &self.packed {
            let field = rest.strip_prefix(tag.as_str()).and_then(|rest| rest.strip_prefix('_'));
            if let Some(index) = field.and_then(|field| fields.iter().position(|known| known == field)) {
                let index = u8::try_from(index).ok()?;
                let tag = tag.as_str().into();
                found = Some(if get { Operator::Get(tag, index) } else { Operator::Set(tag, index) });
            }
        }
        found
    }

    /// Whether a function makes, reads or changes packed words: its body is not lowered.
    pub fn is_packed(&self, name: &str) -> bool {
        self.packed_operator(name).is_some()
    }

    /// A call of such a function; `None` if it is none.
    pub fn packed_call(&mut self, name: &str, call: &ast::CallExpression, at: Bytes) -> Option<Lowered<Typed>> {
        let operator = self.packed_operator(name)?;
        Some(self.packed_value(name, operator, call, at))
    }

    fn packed_value(
        &mut self,
        name: &str,
        operator: Operator,
        call: &ast::CallExpression,
        at: Bytes,
    ) -> Lowered<Typed> {
        let Some(declared) = self.functions.get(name).cloned() else {
            return Err(self.error(format!("the function `{name}` is not declared"), at));
        };
        let parameters = &declared.signature.parameters;
        if parameters.len() != operator.arity() {
            return Err(self.error(format!("`{name}` should have {} parameters", operator.arity()), at));
        }
        self.exactly(&call.arguments, parameters.len(), name, at)?;
        let mut operands = Vec::new();
        for (argument, (_, of)) in call.arguments.iter().zip(parameters) {
            let value = self.value_for(of, argument)?;
            operands.push(self.convert(value, of, argument.span)?.operand);
        }
        let operand = self.code.compute(operator, operands, self.here);
        Ok(Typed { operand, of: declared.signature.result.unqualified() })
    }
}

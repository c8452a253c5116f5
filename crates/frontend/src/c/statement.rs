//! Statements.

use lang_c::ast::{self, Expression, Statement};
use lang_c::span::Node;
use program::{Access, BlockId, InstructionKind, Operand, Operator, RegisterId, Span, Terminator, Value};

use super::lower::{Around, Bytes, Label, Leaving, Lowered, Lowering, Typed};
use super::types::Type;

/// More cases than a switch may have, ranges written out.
const MOST_CASES: usize = 1024;

impl Lowering<'_> {
    /// Lowers a statement. What is wrong with a part of it is noted, and the rest lowered all the same.
    pub fn statement(&mut self, statement: &Node<Statement>) -> Lowered<()> {
        let at = statement.span;
        let before = self.here;
        self.here = self.span(at);
        let done = match &statement.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::Compound(items) => {
                self.compound(items, at);
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => self.value(expression).map(|_| ()),
            Statement::If(statement) => self.if_statement(&statement.node),
            Statement::Switch(statement) => self.switch(&statement.node, at),
            Statement::While(statement) => self.while_loop(&statement.node, at),
            Statement::DoWhile(statement) => self.do_loop(&statement.node, at),
            Statement::For(statement) => self.for_loop(&statement.node, at),
            Statement::Goto(label) => {
                self.go_to(&label.node.name, label.span);
                Ok(())
            }
            Statement::Continue => self.leave(|around| Some((around.next?, around.scopes.1)), "continue", at),
            Statement::Break => self.leave(|around| Some((around.behind, around.scopes.0)), "break", at),
            Statement::Return(value) => self.return_statement(value.as_deref(), at),
            Statement::Asm(assembly) => self.assembly(&assembly.node, at),
        };
        self.here = before;
        done
    }

    /// Lowers a block in a scope of its own.
    pub fn compound(&mut self, items: &[Node<ast::BlockItem>], at: Bytes) {
        self.open_scope();
        for item in items {
            self.mark_place(item.span);
            let done = self.block_item(item);
            if self.note(done).is_none()
                && let ast::BlockItem::Declaration(declaration) = &item.node
            {
                self.refuse_declaration(&declaration.node);
            }
        }
        let text = self.text.get(at.start..at.end).unwrap_or("").trim_end();
        if text.ends_with('}') {
            let brace = at.start + text.len() - 1;
            self.mark_place(Bytes { start: brace, end: brace + 1 });
        }
        self.end_scopes(self.scopes.len() - 1);
        self.scopes.pop();
    }

    /// Marks the place before this text, if places are wanted.
    fn mark_place(&mut self, at: Bytes) {
        if self.marks_places
            && let Some(span) = self.span(at)
        {
            let before = Span { end: span.start, ..span };
            self.code.emit(InstructionKind::Fence { access: Access::place() }, Some(before));
        }
    }

    fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Lowered<()> {
        match &item.node {
            ast::BlockItem::Declaration(declaration) => self.local_declaration(declaration),
            ast::BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            ast::BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// A block as an expression: its value is that of its last statement.
    pub fn statement_expression(&mut self, statement: &Node<Statement>) -> Lowered<Typed> {
        let Statement::Compound(items) = &statement.node else {
            self.statement(statement)?;
            return Ok(Typed::void());
        };
        let Some((last, items)) = items.split_last() else { return Ok(Typed::void()) };
        self.open_scope();
        let mut done = items.iter().try_for_each(|item| self.block_item(item)).map(|()| Typed::void());
        if done.is_ok() {
            done = match &last.node {
                ast::BlockItem::Statement(Node { node: Statement::Expression(Some(value)), .. }) => self.value(value),
                _ => self.block_item(last).map(|()| Typed::void()),
            };
        }
        // An object is its own value, which is still used.
        if !done.as_ref().is_ok_and(|value| value.of.is_record()) {
            self.end_scopes(self.scopes.len() - 1);
        }
        self.scopes.pop();
        done
    }

    fn labeled(&mut self, labeled: &ast::LabeledStatement) -> Lowered<()> {
        match &labeled.label.node {
            ast::Label::Identifier(name) => {
                let block = self.label(&name.node.name, name.span);
                let around = self.scopes.iter().map(|scope| scope.number).collect();
                let entry = self.frame.labels.get_mut(&name.node.name);
                let twice = entry.is_some_and(|entry| entry.scopes.replace(around).is_some());
                if twice {
                    return Err(self.error(format!("the label `{}` stands twice", name.node.name), name.span));
                }
                self.code.continue_in(block);
            }
            _ => match self.frame.cases.last_mut().map(|cases| cases.pop_front()) {
                Some(Some(block)) => self.code.continue_in(block),
                _ => return Err(self.error("a case outside of a switch", labeled.label.span)),
            },
        }
        self.statement(&labeled.statement)
    }

    /// The block of a label.
    fn label(&mut self, name: &str, at: Bytes) -> BlockId {
        if let Some(label) = self.frame.labels.get(name) {
            return label.block;
        }
        let block = self.code.block(None);
        self.frame.labels.insert(name.to_string(), Label { block, scopes: None, at });
        block
    }

    /// Jumps to a label. Which variables end is known once all labels are.
    fn go_to(&mut self, name: &str, at: Bytes) {
        let label = self.label(name, at);
        let scopes = self.scopes.iter().skip(self.ending_scopes(1));
        let homes = scopes.flat_map(|scope| scope.homes.iter().map(|home| (scope.number, *home)));
        let homes: Vec<(usize, RegisterId)> = homes.collect();
        if homes.is_empty() {
            self.code.end(Terminator::Jump(label));
            return;
        }
        let block = self.code.block(None);
        self.code.end(Terminator::Jump(block));
        self.frame.leaving.push(Leaving { block, label: name.to_string(), homes, span: self.here });
    }

    /// Ends the variables of scopes that a `goto` leaves.
    pub fn leave_scopes(&mut self) {
        for Leaving { block, label, homes, span } in std::mem::take(&mut self.frame.leaving) {
            let Some(Label { block: target, scopes, .. }) = self.frame.labels.get(&label) else { continue };
            let (target, around) = (*target, scopes.clone().unwrap_or_default());
            let end = self.code.current();
            self.code.write_in(block);
            for (_, home) in homes.into_iter().filter(|(scope, _)| !around.contains(scope)) {
                self.code.emit(InstructionKind::End { address: Operand::Register(home) }, span);
            }
            self.code.end(Terminator::Jump(target));
            self.code.write_in(end);
        }
    }

    fn leave(&mut self, to: impl Fn(&Around) -> Option<(BlockId, usize)>, word: &str, at: Bytes) -> Lowered<()> {
        match self.frame.around.last().and_then(to) {
            Some((block, scopes)) => {
                self.end_scopes(scopes);
                self.code.end(Terminator::Jump(block));
                Ok(())
            }
            None => Err(self.error(format!("`{word}` outside of a loop"), at)),
        }
    }

    fn if_statement(&mut self, statement: &ast::IfStatement) -> Lowered<()> {
        let (then, behind) = (self.code.block(None), self.code.block(None));
        let otherwise = if statement.else_statement.is_some() { self.code.block(None) } else { behind };
        let condition = self.condition(&statement.condition, then, otherwise, behind);
        self.note(condition);
        self.code.write_in(then);
        let first = self.statement(&statement.then_statement);
        self.note(first);
        self.code.continue_in(behind);
        let mut second = Ok(());
        if let Some(statement) = &statement.else_statement {
            self.code.write_in(otherwise);
            second = self.statement(statement);
            self.code.continue_in(behind);
        }
        second
    }

    /// Lowers the body of a loop.
    fn body(&mut self, body: &Node<Statement>, behind: BlockId, next: BlockId) {
        let scopes = (self.scopes.len(), self.scopes.len());
        self.frame.around.push(Around { behind, next: Some(next), scopes });
        let done = self.statement(body);
        self.note(done);
        self.frame.around.pop();
        self.code.continue_in(next);
    }

    fn while_loop(&mut self, statement: &ast::WhileStatement, at: Bytes) -> Lowered<()> {
        let span = self.span(at);
        let head = self.code.block(span);
        let (body, behind) = (self.code.block(None), self.code.block(None));
        self.code.continue_in(head);
        let done = self.condition(&statement.expression, body, behind, behind);
        self.note(done);
        self.code.write_in(body);
        self.body(&statement.statement, behind, head);
        self.code.write_in(behind);
        Ok(())
    }

    fn do_loop(&mut self, statement: &ast::DoWhileStatement, at: Bytes) -> Lowered<()> {
        let span = self.span(at);
        let head = self.code.block(span);
        let (test, behind) = (self.code.block(None), self.code.block(None));
        self.code.continue_in(head);
        self.body(&statement.statement, behind, test);
        let done = self.condition(&statement.expression, head, behind, behind);
        self.code.write_in(behind);
        done
    }

    fn for_loop(&mut self, statement: &ast::ForStatement, at: Bytes) -> Lowered<()> {
        self.open_scope();
        let started = match &statement.initializer.node {
            ast::ForInitializer::Empty => Ok(()),
            ast::ForInitializer::Expression(expression) => self.value(expression).map(|_| ()),
            ast::ForInitializer::Declaration(declaration) => self.local_declaration(declaration),
            ast::ForInitializer::StaticAssert(assertion) => self.static_assert(assertion),
        };
        if self.note(started).is_none()
            && let ast::ForInitializer::Declaration(declaration) = &statement.initializer.node
        {
            self.refuse_declaration(&declaration.node);
        }
        let span = self.span(at);
        let head = self.code.block(span);
        let (body, next, behind) = (self.code.block(None), self.code.block(None), self.code.block(None));
        self.code.continue_in(head);
        let done = match &statement.condition {
            Some(condition) => self.condition(condition, body, behind, behind),
            None => {
                self.code.continue_in(body);
                Ok(())
            }
        };
        self.note(done);
        self.code.write_in(body);
        self.body(&statement.statement, behind, next);
        if let Some(step) = &statement.step {
            let stepped = self.value(step).map(|_| ());
            self.note(stepped);
        }
        self.code.end(Terminator::Jump(head));
        self.code.write_in(behind);
        self.end_scopes(self.scopes.len() - 1);
        self.scopes.pop();
        Ok(())
    }

    fn switch(&mut self, statement: &ast::SwitchStatement, at: Bytes) -> Lowered<()> {
        let value = self.value(&statement.expression)?;
        let value = self.promote(value, statement.expression.span)?;
        let mut cases = Cases { blocks: Vec::new(), values: Vec::new(), default: None };
        self.collect_cases(&statement.statement, &value.of, &mut cases)?;
        let behind = self.code.block(None);
        self.here = self.span(statement.expression.span);
        let known = if let Operand::Constant(known) = &value.operand { Some(known.clone()) } else { None };
        for (number, (case, block)) in cases.values.iter().enumerate() {
            if cases.values[..number].iter().any(|(other, _)| other == case) {
                return Err(self.error("two cases of one value", at));
            }
            if known.is_some() {
                continue;
            }
            let constant = Operand::Constant(case.clone());
            let equal = self.code.compute(Operator::Eq, vec![value.operand.clone(), constant], self.here);
            let other = self.code.block(None);
            let branch = self.branch_to(equal, *block, other, Some(behind));
            self.code.end_and_go_on(branch, other);
        }
        // Of a value that is known only one case is left.
        let only = cases.values.iter().find(|(case, _)| Some(case) == known.as_ref()).map(|(_, block)| *block);
        self.code.end(Terminator::Jump(only.or(cases.default).unwrap_or(behind)));
        let outer = self.frame.around.last();
        let next = outer.and_then(|around| around.next);
        let scopes = (self.scopes.len(), outer.map_or(self.scopes.len(), |around| around.scopes.1));
        self.frame.around.push(Around { behind, next, scopes });
        self.frame.cases.push(cases.blocks.into());
        let done = self.statement(&statement.statement);
        self.frame.cases.pop();
        self.frame.around.pop();
        self.code.continue_in(behind);
        done
    }

    /// The cases of a switch in the order of the text, without those of switches inside.
    fn collect_cases(&mut self, statement: &Node<Statement>, of: &Type, cases: &mut Cases) -> Lowered<()> {
        match &statement.node {
            Statement::Labeled(labeled) => {
                self.collect_case(&labeled.node.label, of, cases)?;
                self.collect_cases(&labeled.node.statement, of, cases)
            }
            Statement::Compound(items) => items.iter().try_for_each(|item| match &item.node {
                ast::BlockItem::Statement(statement) => self.collect_cases(statement, of, cases),
                _ => Ok(()),
            }),
            Statement::If(inner) => {
                self.collect_cases(&inner.node.then_statement, of, cases)?;
                inner.node.else_statement.iter().try_for_each(|inner| self.collect_cases(inner, of, cases))
            }
            Statement::While(inner) => self.collect_cases(&inner.node.statement, of, cases),
            Statement::DoWhile(inner) => self.collect_cases(&inner.node.statement, of, cases),
            Statement::For(inner) => self.collect_cases(&inner.node.statement, of, cases),
            _ => Ok(()),
        }
    }

    fn collect_case(&mut self, label: &Node<ast::Label>, of: &Type, cases: &mut Cases) -> Lowered<()> {
        let (low, high) = match &label.node {
            ast::Label::Identifier(_) => return Ok(()),
            ast::Label::Default => {
                let block = self.code.block(None);
                cases.blocks.push(block);
                if cases.default.replace(block).is_some() {
                    return Err(self.error("two defaults in one switch", label.span));
                }
                return Ok(());
            }
            ast::Label::Case(value) => {
                let value = self.case_value(value, of)?;
                (value, value)
            }
            ast::Label::CaseRange(range) => {
                (self.case_value(&range.node.low, of)?, self.case_value(&range.node.high, of)?)
            }
        };
        let block = self.code.block(None);
        cases.blocks.push(block);
        if (high - low) as usize > MOST_CASES || cases.values.len() > MOST_CASES {
            return Err(self.unsupported("a switch of so many cases", label.span));
        }
        let width = of.width().unwrap_or(32);
        cases.values.extend((low..=high).map(|value| (Value::int(value as i64, width), block)));
        Ok(())
    }

    /// The value of a case, converted to the type of the switch.
    fn case_value(&mut self, expression: &Node<Expression>, of: &Type) -> Lowered<i128> {
        let (value, from) = self.constant(expression)?;
        let converted = self.convert(Typed { operand: Operand::Constant(value), of: from }, of, expression.span)?;
        match converted.known() {
            Some(int) if of.as_integer().is_some_and(|integer| integer.signed) => Ok(i128::from(int.signed())),
            Some(int) => Ok(i128::from(int.unsigned())),
            None => Err(self.error("a case that is not an integer", expression.span)),
        }
    }

    fn return_statement(&mut self, value: Option<&Node<Expression>>, at: Bytes) -> Lowered<()> {
        let result = self.frame.result.clone();
        let values = match value {
            None if result.is_void() => Vec::new(),
            None => vec![Operand::Constant(Value::Undefined)],
            Some(expression) => {
                let value = self.value_for(&result, expression)?;
                match () {
                    () if result.is_void() && value.of.is_void() => Vec::new(),
                    () if result.is_void() => return Err(self.error("a value returned from a `void` function", at)),
                    () if result.is_record() => vec![self.fresh_copy(value, &result, expression.span)?],
                    () => vec![self.convert(value, &result, expression.span)?.operand],
                }
            }
        };
        if self.frame.name != "main" {
            self.end_scopes(1);
        }
        self.code.end(Terminator::Return(values));
        Ok(())
    }
}

/// The cases of a switch.
struct Cases {
    /// The block of each label, in order.
    blocks: Vec<BlockId>,
    /// Values with their blocks.
    values: Vec<(Value, BlockId)>,
    default: Option<BlockId>,
}

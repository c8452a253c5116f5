//! Parsing the question.

use std::collections::HashSet;

use super::cursor::{Cursor, Names, Parsed};
use super::lexer::Kind;
use crate::condition::{Comparator, Observable, Proposition, Quantifier, Question, Term};
use crate::ir::{RegisterId, ThreadId};
use crate::value::Pointer;

/// The observables of a proposition in order of appearance, each once: what is observed at least.
pub(super) fn observables(proposition: &Proposition) -> Vec<Observable> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    proposition.observables(&mut |observable| {
        if seen.insert(observable) {
            found.push(observable.clone());
        }
    });
    found
}

impl Cursor {
    /// A question about threads whose entries have these registers.
    pub fn question(&mut self, threads: &[Names]) -> Parsed<Question> {
        let start = self.here();
        let quantifier = if self.eat_word("forall") {
            Quantifier::Forall
        } else if self.eat("~") {
            self.word("exists")?;
            Quantifier::NotExists
        } else {
            self.word("exists")?;
            Quantifier::Exists
        };
        let proposition = self.proposition(threads)?;
        let filter = if self.eat_word("filter") { Some(self.proposition(threads)?) } else { None };
        let observed = if !self.eat_word("observed") {
            observables(&proposition)
        } else if *self.peek() == Kind::End {
            Vec::new()
        } else {
            self.list(|cursor| cursor.observable(threads))?
        };
        Ok(Question { quantifier, proposition, filter, observed, span: Some(self.since(start)) })
    }

    fn proposition(&mut self, threads: &[Names]) -> Parsed<Proposition> {
        self.nested(|cursor| {
            cursor.joined("or", Proposition::Or, |c| c.joined("and", Proposition::And, |c| c.atom(threads)))
        })
    }

    /// Parts with a word between them; a single part stands for itself.
    fn joined(
        &mut self,
        word: &str,
        join: impl FnOnce(Vec<Proposition>) -> Proposition,
        part: impl Fn(&mut Cursor) -> Parsed<Proposition>,
    ) -> Parsed<Proposition> {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_word(word) {
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn atom(&mut self, threads: &[Names]) -> Parsed<Proposition> {
        let constant = self.is_word("true");
        if self.eat_word("true") || self.eat_word("false") {
            return Ok(Proposition::Constant(constant));
        }
        if self.eat_word("not") {
            let inner = self.nested(|cursor| cursor.atom(threads))?;
            return Ok(Proposition::Not(Box::new(inner)));
        }
        if self.eat_word("all") {
            return Ok(Proposition::And(self.enclosed("(", ")", |cursor| cursor.proposition(threads))?));
        }
        if self.eat_word("any") {
            return Ok(Proposition::Or(self.enclosed("(", ")", |cursor| cursor.proposition(threads))?));
        }
        if self.eat("(") {
            let inner = self.proposition(threads)?;
            self.mark(")")?;
            return Ok(inner);
        }
        let left = self.term(threads)?;
        let comparator = self.comparator()?;
        Ok(Proposition::Compare(comparator, left, self.term(threads)?))
    }

    fn comparator(&mut self) -> Parsed<Comparator> {
        let comparator = match self.peek() {
            Kind::Mark("==") => Comparator::Eq,
            Kind::Mark("!=") => Comparator::Ne,
            Kind::Mark("<") => Comparator::Lt,
            Kind::Mark("<=") => Comparator::Le,
            _ => return self.expected("`==`, `!=`, `<` or `<=`"),
        };
        self.advance();
        Ok(comparator)
    }

    fn term(&mut self, threads: &[Names]) -> Parsed<Term> {
        // `0:%r` is a register, `0:i32` an integer.
        if self.at_value() && !self.at_register() {
            return Ok(Term::Value(self.value()?));
        }
        Ok(Term::Observable(self.observable(threads)?))
    }

    fn observable(&mut self, threads: &[Names]) -> Parsed<Observable> {
        if !matches!(self.peek(), Kind::Number(_)) {
            let allocation = self.global()?;
            return Ok(Observable::Memory(Pointer { allocation, path: self.path()? }));
        }
        let thread: u32 = self.number("the number of a thread")?;
        self.mark(":")?;
        let register = self.register_reference()?;
        let none = Names::default();
        let registers = threads.get(thread as usize).unwrap_or(&none);
        let register = self.resolve_among(&register, registers);
        Ok(Observable::Register(ThreadId(thread), RegisterId(register)))
    }
}

//! Initialisers: which part of an object gets which value (C11 6.7.9).

use std::sync::Arc;

use lang_c::ast::{self, Designator, Expression, Initializer};
use lang_c::span::Node;

use super::lower::{Bytes, Lowered, Lowering};
use super::types::{MOST_CELLS, Shape, Type};

/// A value for a part of an object.
#[derive(Clone, Debug)]
pub struct Given<'e> {
    /// The part.
    pub path: Vec<i64>,
    /// Its type: a scalar, or a struct that is copied as a whole.
    pub of: Type,
    /// The value.
    pub value: Initial<'e>,
    /// Where it stands.
    pub at: Bytes,
}

/// An initial value.
#[derive(Clone, Copy, Debug)]
pub enum Initial<'e> {
    /// The value of an expression.
    Expression(&'e Node<Expression>),
    /// A character of a string.
    Byte(u8),
}

type Items<'e> = &'e [Node<ast::InitializerListItem>];

impl Lowering<'_> {
    /// What an initialiser gives, and the type of the object: an array gets its length here.
    pub fn given<'e>(
        &mut self,
        of: Type,
        initializer: Option<&'e Node<Initializer>>,
        at: Bytes,
    ) -> Lowered<(Type, Vec<Given<'e>>)> {
        let mut given = Vec::new();
        let Some(initializer) = initializer else {
            if matches!(of.shape, Shape::Array(_, None)) {
                return Err(self.error("an array without a length", at));
            }
            return Ok((of, given));
        };
        self.initialize(&of, &mut Vec::new(), initializer, &mut given)?;
        Ok((with_length(of, &given), given))
    }

    /// The type and the values that a list in braces gives.
    pub fn given_list<'e>(&mut self, of: Type, items: Items<'e>, at: Bytes) -> Lowered<(Type, Vec<Given<'e>>)> {
        let mut given = Vec::new();
        self.list(&of, &mut Vec::new(), items, at, &mut given)?;
        Ok((with_length(of, &given), given))
    }

    fn initialize<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        initializer: &'e Node<Initializer>,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<()> {
        match &initializer.node {
            Initializer::Expression(expression) => self.single(of, path, expression, given),
            Initializer::List(items) => self.list(of, path, items, initializer.span, given),
        }
    }

    /// One expression for an object.
    fn single<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        expression: &'e Node<Expression>,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<()> {
        let at = expression.span;
        match (&of.shape, &expression.node) {
            (Shape::Array(element, length), Expression::StringLiteral(text)) if element.width() == Some(8) => {
                let bytes = self.string_bytes(&text.node, at)?;
                let count = length.unwrap_or(bytes.len() as u64 + 1).min(MOST_CELLS);
                for index in 0..count {
                    path.push(index as i64);
                    let value = Initial::Byte(bytes.get(index as usize).copied().unwrap_or(0));
                    given.push(Given { path: path.clone(), of: (**element).clone(), value, at });
                    path.pop();
                }
                Ok(())
            }
            (Shape::Array(..), _) => Err(self.error("an array is initialised by a list in braces", at)),
            _ => {
                given.push(Given { path: path.clone(), of: of.clone(), value: Initial::Expression(expression), at });
                Ok(())
            }
        }
    }

    /// A list in braces.
    fn list<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        items: Items<'e>,
        at: Bytes,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<()> {
        if of.is_scalar() {
            return match items {
                [] => Err(self.unsupported("an empty initialiser", at).note("write {0}")),
                [item] if item.node.designation.is_empty() => self.initialize(of, path, &item.node.initializer, given),
                _ => Err(self.error("a list for one number or pointer", at)),
            };
        }
        if let (Shape::Array(..), [item]) = (&of.shape, items)
            && let Initializer::Expression(expression) = &item.node.initializer.node
            && matches!(expression.node, Expression::StringLiteral(_))
            && self.records.part(of, 0).is_some_and(|element| element.width() == Some(8))
        {
            return self.single(of, path, expression, given);
        }
        if items.is_empty() {
            // `{}` makes all parts zero; one part that says so is enough.
            return Ok(());
        }
        let (mut number, mut next) = (0, 0u64);
        while let Some(item) = items.get(number) {
            if item.node.designation.is_empty() {
                self.positional(of, path, items, &mut number, next, given)?;
                next += 1;
                continue;
            }
            next = self.designated(of, path, item, given)? + 1;
            number += 1;
        }
        Ok(())
    }

    /// The items that stand at `number` for part `index`; braces around the parts of that part may be missing.
    fn positional<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        items: Items<'e>,
        number: &mut usize,
        index: u64,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<()> {
        let item = &items[*number];
        let is_there = self.records.parts(of).is_none_or(|parts| index < parts);
        let Some(part) = self.records.part(of, index).filter(|_| is_there) else {
            return Err(self.error(format!("too many values for a `{}`", self.records.name(of)), item.span));
        };
        path.push(index as i64);
        let initializer = &item.node.initializer;
        let done = match &initializer.node {
            Initializer::Expression(expression) if !part.is_scalar() && !self.fits(&part, expression) => {
                self.without_braces(&part, path, items, number, given)
            }
            _ => {
                *number += 1;
                self.initialize(&part, path, initializer, given)
            }
        };
        path.pop();
        done
    }

    fn without_braces<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        items: Items<'e>,
        number: &mut usize,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<()> {
        let mut index = 0;
        let count = self.records.parts(of).unwrap_or(0);
        if count == 0 {
            return Err(self.error("a value for a part that has no cells", items[*number].span));
        }
        while index < count && items.get(*number).is_some_and(|item| item.node.designation.is_empty()) {
            self.positional(of, path, items, number, index, given)?;
            index += 1;
        }
        Ok(())
    }

    /// Whether an expression gives a value for the whole aggregate.
    fn fits(&mut self, of: &Type, expression: &Node<Expression>) -> bool {
        match (&of.shape, &expression.node) {
            (Shape::Array(element, _), Expression::StringLiteral(_)) => element.width() == Some(8),
            (Shape::Record(_), _) => self.type_of(expression).is_ok_and(|is| is.shape == of.shape),
            _ => false,
        }
    }

    /// An item with designators; gives the number of the part that the first one names.
    fn designated<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        item: &'e Node<ast::InitializerListItem>,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<u64> {
        let depth = path.len();
        let mut part = of.clone();
        if let [Node { node: Designator::Range(range), .. }] = item.node.designation.as_slice() {
            return self.range(of, path, range, &item.node.initializer, given);
        }
        for designator in &item.node.designation {
            for (index, of) in self.designate(&part, designator)? {
                path.push(index as i64);
                part = of;
            }
        }
        let first = path.get(depth).copied().unwrap_or(0);
        let done = self.initialize(&part, path, &item.node.initializer, given);
        path.truncate(depth);
        done.map(|()| first as u64)
    }

    /// `[low ... high] = value`; gives the number of the last element.
    fn range<'e>(
        &mut self,
        of: &Type,
        path: &mut Vec<i64>,
        range: &Node<ast::RangeDesignator>,
        initializer: &'e Node<Initializer>,
        given: &mut Vec<Given<'e>>,
    ) -> Lowered<u64> {
        let low = self.constant_integer(&range.node.from)?;
        let high = self.constant_integer(&range.node.to)?;
        let is_in_array = matches!(of.shape, Shape::Array(..)) && low >= 0 && low <= high;
        if !is_in_array || high as u64 >= MOST_CELLS {
            return Err(self.error("a range that is not one of the array", range.span));
        }
        for index in low..=high {
            let Some(part) = self.records.part(of, index as u64) else {
                return Err(self.error("an index outside of the array", range.span));
            };
            path.push(index);
            let done = self.initialize(&part, path, initializer, given);
            path.pop();
            done?;
        }
        Ok(high as u64)
    }

    fn designate(&mut self, of: &Type, designator: &Node<Designator>) -> Lowered<Vec<(u64, Type)>> {
        match (&designator.node, &of.shape) {
            (Designator::Index(index), Shape::Array(..)) => {
                let number = self.constant_integer(index)?;
                let number = u64::try_from(number).ok().filter(|number| *number < MOST_CELLS);
                match number.and_then(|number| self.records.part(of, number).map(|part| (number, part))) {
                    Some(part) => Ok(vec![part]),
                    None => Err(self.error("an index outside of the array", index.span)),
                }
            }
            (Designator::Member(name), Shape::Record(id)) => match self.records.find(*id, &name.node.name) {
                Some(way) => Ok(way.into_iter().map(|(_, index, part)| (index as u64, part)).collect()),
                None => Err(self.error(format!("no member `{}`", name.node.name), name.span)),
            },
            (Designator::Range(_), _) => Err(self.unsupported("a range of elements", designator.span)),
            _ => Err(self.error("a designator that does not fit the type", designator.span)),
        }
    }
}

/// The type with the length that the values give an array of unknown length.
fn with_length(of: Type, given: &[Given]) -> Type {
    match &of.shape {
        Shape::Array(element, None) => {
            let last = given.iter().filter_map(|given| given.path.first()).max();
            let length = last.map_or(0, |last| *last as u64 + 1);
            Type { shape: Shape::Array(Arc::clone(element), Some(length)), ..of }
        }
        _ => of,
    }
}

//! `cross`: all unions of one member of each of some sets. herd's library writes it in cat, and models may do so again, in their own
//! words: then it takes elements out of sets of orders, which are not known before there is a program.
//!
//! A function of a model counts as `cross` if it is one of those of `library/product.cat` but for names, with what it calls. What
//! only does the same is refused: to some sets that are not tried it may do something else.

use program::{FileId, Span};
use relation::formula::{Expr as R, ExprId};

use super::elaborate::Elaborator;
use super::listed::listed;
use super::same::is_same_text;
use super::syntax::Statement;
use super::value::{Classes, Family, Function, Orders, Scope, Value};
use super::{library, parser};

impl Elaborator<'_> {
    /// The unions of one member of each set; known where these are orders of the classes of a relation.
    pub(super) fn cross(&mut self, sets: &Value, span: Span) -> Value {
        let orders = match sets {
            Value::Family(families) => match &families[..] {
                [family @ Family { element: Value::Orders(orders), .. }] => Some(*orders).zip(self.classes_of(family)),
                _ => None,
            },
            Value::Nothing => return listed(vec![Value::Nothing]),
            Value::Wrong => return Value::Wrong,
            _ => None,
        };
        let loc = self.model.formulas.base("loc");
        match orders {
            Some((Orders::Linearisations { on, contains }, Classes { on: all, by, class }))
                if on == class && self.is_closed_formula(contains) =>
            {
                let is_of_writes = by == loc && self.writes(all);
                if is_of_writes {
                    Value::Orders(Orders::PerLocation { on: all, contains })
                } else {
                    Value::Orders(Orders::PerClass { on: all, by, contains })
                }
            }
            _ => self.unsupported("`cross` of anything but the orders of the classes of a relation", span),
        }
    }

    /// What a function of the model makes of sets of orders if it is `cross`.
    pub(super) fn own_cross(&mut self, function: &Function, sets: &Value, span: Span) -> Option<Value> {
        let Value::Family(families) = sets else { return None };
        let of_orders = families.iter().any(|family| matches!(family.element, Value::Orders(_)));
        (of_orders && self.is_cross(function)).then(|| self.cross(sets, span))
    }

    fn is_cross(&mut self, function: &Function) -> bool {
        let mut products = Scope::default();
        // Its places are nobody's: it is known to be right.
        for statement in parser::parse(FileId(0), library::PRODUCTS, &mut Vec::new()) {
            if let Statement::Let { bindings, recursive } = statement {
                products = self.bindings(&bindings, recursive, &products);
            }
        }
        library::PRODUCT_NAMES.iter().any(|name| match products.find(name) {
            Some(Value::Function(product)) => is_same_text(function, product),
            _ => false,
        })
    }

    /// The classes of which a family has the orders, as far as the set that is ordered tells.
    fn classes_of(&self, family: &Family) -> Option<Classes> {
        if family.classes.is_some() {
            return family.classes;
        }
        let ([(variable, on)], Value::Orders(Orders::Linearisations { on: class, .. })) =
            (&family.over[..], &family.element)
        else {
            return None;
        };
        let node = |id: ExprId| self.model.formulas.node(id);
        let R::Intersection(related, all) = node(*class) else { return None };
        let R::Union(event, row) = node(*related) else { return None };
        let R::Range(row) = node(*row) else { return None };
        let R::Sequence(from, by) = node(*row) else { return None };
        let is_event = *node(*event) == R::Single(*variable) && from == event;
        (is_event && all == on).then_some(Classes { on: *on, by: *by, class: *class })
    }

    /// Whether an expression speaks of no single event.
    fn is_closed_formula(&self, expr: ExprId) -> bool {
        !self.model.formulas.occurs(vec![expr], &|node| matches!(node, R::Single(_)))
    }
}

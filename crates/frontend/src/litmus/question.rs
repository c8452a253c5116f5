//! What follows the code: `locations [...]`, `filter P`, and the condition with its quantifier.
//!
//! `P` is made of comparisons with `~` (or `not`), `=>`, `/\` and `\/`, which bind in that order: as in herd7, an
//! implication binds tighter than a conjunction. On the right of a comparison a name stands for the address of that
//! location. What stands behind the condition (`with tso: ...`, `<< ... >>`) has no meaning for the test.

use program::{
    Comparator, Diagnostic, Observable, Proposition, Quantifier, Question, RegisterId, Span, Term, ThreadId,
    Unsupported, Value,
};

use super::code::Code;
use super::init::{self, Constant};
use super::lexer::{Kind, Tokens};
use super::memory::Memory;
use super::messages::Messages;

/// How deep parentheses and negations may nest.
const DEEPEST: usize = 200;

/// Finds the register that holds the final value of what the source calls `name`.
pub type Observe = fn(&mut Code, &str, Span, &mut Messages) -> Result<RegisterId, Diagnostic>;

/// What names in a condition refer to.
pub struct Scope<'s> {
    /// The locations.
    pub memory: &'s mut Memory,
    /// The threads.
    pub threads: &'s mut [Code],
    /// How to find a register of a thread.
    pub observe: Observe,
    /// Where warnings go.
    pub messages: &'s mut Messages,
}

/// Reads everything after the code.
pub fn parse(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<Question, Diagnostic> {
    let (mut listed, mut filter) = (Vec::new(), None);
    loop {
        if tokens.accept("locations") {
            listed.extend(locations(tokens, scope)?);
        } else if filter.is_none() && tokens.accept("filter") {
            filter = Some(proposition(tokens, scope, 0)?);
        } else if !tokens.accept(";") {
            break;
        }
    }
    let start = tokens.here();
    let quantifier = quantifier(tokens)?;
    let (quantifier, proposition, span) = match quantifier {
        None => (Quantifier::Forall, Proposition::Constant(true), None),
        Some(quantifier) => {
            let proposition = proposition(tokens, scope, 0)?;
            (quantifier, proposition, Some(tokens.since(start)))
        }
    };
    rest(tokens, scope)?;
    let mut observed = Vec::new();
    proposition.observables(&mut |observable| add(&mut observed, observable.clone()));
    listed.into_iter().for_each(|observable| add(&mut observed, observable));
    Ok(Question { quantifier, proposition, filter, observed, span })
}

fn add(observed: &mut Vec<Observable>, observable: Observable) {
    if !observed.contains(&observable) {
        observed.push(observable);
    }
}

/// Reads the quantifier; a condition in parentheses without one means `exists`.
fn quantifier(tokens: &mut Tokens<'_>) -> Result<Option<Quantifier>, Diagnostic> {
    if tokens.is("observed") {
        return Err(Unsupported::new("an `observed` section", Some(tokens.here())).into());
    }
    if tokens.accept("exists") || tokens.accept("final") || tokens.is("(") {
        return Ok(Some(Quantifier::Exists));
    }
    if tokens.accept("forall") {
        return Ok(Some(Quantifier::Forall));
    }
    if tokens.accept("~") || tokens.accept("not") {
        tokens.expect("exists")?;
        return Ok(Some(Quantifier::NotExists));
    }
    Ok(None)
}

/// Checks that what is left may be skipped.
fn rest(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<(), Diagnostic> {
    let ended = tokens.accept(";");
    if tokens.at_end() || tokens.is("with") || tokens.is("<<") {
        return Ok(());
    }
    if tokens.peek().kind == Kind::Unclosed {
        return Err(tokens.unexpected("the end"));
    }
    if !ended {
        return Err(tokens.unexpected("the end of the condition"));
    }
    scope.messages.push(Diagnostic::warning("what follows the condition is not read", tokens.here()));
    Ok(())
}

/// Reads `[x; 0:EAX; y[1];]`; an array stands for its elements.
fn locations(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<Vec<Observable>, Diagnostic> {
    tokens.expect("[")?;
    let mut found = Vec::new();
    while !tokens.accept("]") {
        let array = whole_array(tokens, scope);
        match array {
            Some(elements) => found.extend(elements),
            None => found.push(observable(tokens, scope)?),
        }
        // A type may follow, which says how the value is printed.
        while tokens.peek().kind == Kind::Word || tokens.is("*") {
            tokens.next();
        }
        if !tokens.is("]") {
            tokens.expect(";")?;
        }
    }
    Ok(found)
}

/// More elements than this are not listed one by one.
const MOST_LISTED: usize = 256;

/// Takes the name of an array, if it stands here without an index.
fn whole_array(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Option<Vec<Observable>> {
    let token = tokens.peek();
    let name = tokens.text(token);
    if token.kind != Kind::Word || tokens.is_at(1, ":") || tokens.is_at(1, "[") || !scope.memory.knows(name) {
        return None;
    }
    let id = scope.memory.global(name);
    let length = scope.memory.length(id)?.min(MOST_LISTED);
    tokens.next();
    let element = |index: usize| program::Pointer { allocation: id.0, path: vec![index as i64] };
    Some((0..length).map(|index| Observable::Memory(element(index))).collect())
}

/// Reads a disjunction.
fn proposition(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>, depth: usize) -> Result<Proposition, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error("the condition is nested too deeply", tokens.here()));
    }
    let mut parts = vec![conjunction(tokens, scope, depth)?];
    while tokens.accept("\\/") {
        parts.push(conjunction(tokens, scope, depth)?);
    }
    Ok(only(parts, Proposition::Or))
}

fn conjunction(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>, depth: usize) -> Result<Proposition, Diagnostic> {
    let mut parts = vec![implication(tokens, scope, depth)?];
    while tokens.accept("/\\") {
        parts.push(implication(tokens, scope, depth)?);
    }
    Ok(only(parts, Proposition::And))
}

/// The only part, or all of them under `join`.
fn only(mut parts: Vec<Proposition>, join: fn(Vec<Proposition>) -> Proposition) -> Proposition {
    match parts.pop() {
        Some(part) if parts.is_empty() => part,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}

fn implication(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>, depth: usize) -> Result<Proposition, Diagnostic> {
    let premise = unary(tokens, scope, depth)?;
    if !tokens.is("=>") {
        return Ok(premise);
    }
    if depth > DEEPEST {
        return Err(Diagnostic::error("the condition is nested too deeply", tokens.here()));
    }
    tokens.next();
    let conclusion = implication(tokens, scope, depth + 1)?;
    Ok(Proposition::Or(vec![Proposition::Not(Box::new(premise)), conclusion]))
}

fn unary(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>, depth: usize) -> Result<Proposition, Diagnostic> {
    if depth > DEEPEST {
        return Err(Diagnostic::error("the condition is nested too deeply", tokens.here()));
    }
    if tokens.accept("~") || tokens.accept("not") || tokens.accept("!") {
        return Ok(Proposition::Not(Box::new(unary(tokens, scope, depth + 1)?)));
    }
    if tokens.accept("(") {
        let inner = proposition(tokens, scope, depth + 1)?;
        tokens.expect(")")?;
        return Ok(inner);
    }
    for (word, truth) in [("true", true), ("false", false)] {
        if tokens.accept(word) {
            return Ok(Proposition::Constant(truth));
        }
    }
    comparison(tokens, scope)
}

fn comparison(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<Proposition, Diagnostic> {
    if let Some(elements) = whole_array(tokens, scope) {
        return array_comparison(tokens, scope, &elements);
    }
    let left = Term::Observable(observable(tokens, scope)?);
    let symbol = tokens.text(tokens.peek());
    let (comparator, swapped) = match symbol {
        "=" | "==" => (Comparator::Eq, false),
        "!=" | "<>" => (Comparator::Ne, false),
        "<" => (Comparator::Lt, false),
        "<=" => (Comparator::Le, false),
        ">" => (Comparator::Lt, true),
        ">=" => (Comparator::Le, true),
        _ => return Err(tokens.unexpected("a comparison")),
    };
    tokens.next();
    let right = right_side(tokens, scope)?;
    let (left, right) = if swapped { (right, left) } else { (left, right) };
    Ok(Proposition::Compare(comparator, left, right))
}

/// Reads `={1,2}` or `!={1,2}` after an array.
fn array_comparison(
    tokens: &mut Tokens<'_>,
    scope: &mut Scope<'_>,
    elements: &[Observable],
) -> Result<Proposition, Diagnostic> {
    let differs = tokens.accept("!=");
    if !differs && !tokens.accept("==") {
        tokens.expect("=")?;
    }
    let start = tokens.here();
    let values = init::array_values(tokens)?;
    if values.len() != elements.len() {
        return Err(Diagnostic::error(format!("the array has {} elements", elements.len()), tokens.since(start)));
    }
    let mut parts = Vec::new();
    for (element, value) in elements.iter().zip(&values) {
        let value = Term::Value(scope.memory.value(value, 64, start)?);
        parts.push(Proposition::Compare(Comparator::Eq, Term::Observable(element.clone()), value));
    }
    let equal = only(parts, Proposition::And);
    Ok(if differs { Proposition::Not(Box::new(equal)) } else { equal })
}

/// Reads a number, the address of a location, `*x`, `[x]` or a register.
fn right_side(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<Term, Diagnostic> {
    if tokens.is_at(1, ":") || tokens.is("[") || tokens.is("*") {
        return observable(tokens, scope).map(Term::Observable);
    }
    let start = tokens.here();
    let constant = init::constant(tokens)?;
    if let Constant::Address(name, _) = &constant {
        warn_unknown(scope, name, start);
    }
    let value: Value = scope.memory.value(&constant, 64, start)?;
    Ok(Term::Value(value))
}

/// Reads `0:EAX`, `P0:EAX`, `x`, `[x]`, `*x` or `x[1]`.
fn observable(tokens: &mut Tokens<'_>, scope: &mut Scope<'_>) -> Result<Observable, Diagnostic> {
    let start = tokens.here();
    if let Some(number) = init::register_prefix(tokens)? {
        let name = init::register_name(tokens)?;
        let span = tokens.since(start);
        let Some(thread) = scope.threads.get_mut(number as usize) else {
            return Err(Diagnostic::error(format!("there is no thread P{number}"), span));
        };
        let register = (scope.observe)(thread, &name, span, scope.messages)?;
        return Ok(Observable::Register(ThreadId(number), register));
    }
    let bracketed = tokens.accept("[");
    if !bracketed {
        tokens.accept("*");
    }
    let (name, span) = tokens.word("a location or a register")?;
    if bracketed {
        tokens.expect("]")?;
    }
    if tokens.is("(") {
        return Err(Unsupported::new(format!("`{name}(...)` in a condition"), Some(span)).into());
    }
    let index = if tokens.accept("[") {
        let index = tokens.integer("an index")?;
        tokens.expect("]")?;
        index
    } else {
        0
    };
    warn_unknown(scope, name, span);
    scope.memory.pointer(name, index, tokens.since(span)).map(Observable::Memory)
}

fn warn_unknown(scope: &mut Scope<'_>, name: &str, span: Span) {
    if !scope.memory.knows(name) {
        scope.messages.push(Diagnostic::warning(format!("nothing but the condition uses `{name}`"), span));
    }
}

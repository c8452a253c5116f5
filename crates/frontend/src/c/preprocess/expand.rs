//! Macro expansion (C11 6.10.3), by Prosser's algorithm: each token carries the set of macros that it came from, and is not
//! expanded as one of them again. With gcc's extensions: named variable arguments, and a comma that vanishes before
//! `## __VA_ARGS__` when there are none.
//!
//! Where the arguments of a macro begin in an expansion and end after it, C leaves open what may be expanded again
//! (6.10.3.4, paragraph 4). Prosser's rule and gcc mostly agree there; about one in ten thousand random texts with
//! unbalanced parentheses in macros shows a difference.
//!
//! Expansion is paid from a budget, so that macros which double their text end with a message instead of filling memory.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::{Diagnostic, Sources, Span};
use rustc_hash::FxHashMap;

use super::macros::{Body, Chain, Macro, Piece};
use super::token::{Hidden, Kind, Token, single};

/// How much text may be made in all, in bytes; a token costs one more than its length, one that a macro makes some more, an
/// expansion yet more.
const BUDGET: usize = 16 << 20;
const COST_OF_TOKEN: usize = 8;
const COST_OF_EXPANSION: usize = 32;
/// How many sets of macros are looked at for one that a token can share.
const SETS: usize = 4;
/// How deeply uses of macros may stand in arguments of macros.
const DEEPEST: usize = 128;
/// After so many messages we stop.
const MOST_MESSAGES: usize = 20;

/// Reading ends here; the reason is among the messages.
pub(super) struct Stop;

/// The arguments of a macro, and the parenthesis that ends them.
type Arguments = (Vec<Vec<Token>>, Token);

/// What the text being expanded is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// Program text.
    Text,
    /// The condition of an `#if`: `defined` keeps its operand from expansion.
    Condition,
}

/// The macros of the moment, and what has been found wrong so far.
pub(super) struct Expander<'a> {
    pub macros: FxHashMap<Rc<str>, Macro>,
    pub sources: &'a mut Sources,
    pub messages: Vec<Diagnostic>,
    /// The name and line shift that `#line` gave the current file.
    pub presumed: (String, i64),
    /// A function-like macro's name at the very end of a text that was expanded; whoever cares takes it.
    pub dangling: Option<Token>,
    spent: usize,
    depth: usize,
    counter: u64,
}

impl<'a> Expander<'a> {
    pub fn new(sources: &'a mut Sources) -> Expander<'a> {
        Expander {
            macros: FxHashMap::default(),
            sources,
            messages: Vec::new(),
            presumed: (String::new(), 0),
            dangling: None,
            spent: 0,
            depth: 0,
            counter: 0,
        }
    }

    /// Notes an error and goes on, unless there are too many.
    pub fn error(&mut self, message: impl Into<String>, place: Span) -> Result<(), Stop> {
        self.report(Diagnostic::error(message, place))
    }

    /// Notes a message and goes on, unless there are too many.
    pub fn report(&mut self, message: Diagnostic) -> Result<(), Stop> {
        self.messages.push(message);
        if self.messages.len() < MOST_MESSAGES { Ok(()) } else { Err(Stop) }
    }

    /// Pays for `cost` bytes of text made at `place`.
    pub fn pay(&mut self, cost: usize, place: Span) -> Result<(), Stop> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent <= BUDGET {
            return Ok(());
        }
        let message = format!("includes and macros make more than {} MiB of text", BUDGET >> 20);
        self.messages.push(Diagnostic::error(message, place));
        Err(Stop)
    }

    /// The tokens with all macros expanded.
    pub fn expand(&mut self, tokens: Vec<Token>, purpose: For) -> Result<Vec<Token>, Stop> {
        let mut todo = tokens;
        todo.reverse();
        let mut done = Vec::new();
        while let Some(token) = todo.pop() {
            self.pay(token.text.len() + 1, token.place)?;
            if purpose == For::Condition && token.is_name("defined") {
                self.defined(token, &mut todo, &mut done);
            } else if !self.expand_one(&token, &mut todo)? {
                done.push(token);
            }
        }
        Ok(done)
    }

    /// Replaces `token` at the front of `todo` by its expansion; false if it is to stay as it is.
    fn expand_one(&mut self, token: &Token, todo: &mut Vec<Token>) -> Result<bool, Stop> {
        if token.kind != Kind::Identifier || token.hides(&token.text) {
            return Ok(false);
        }
        let Some(definition) = self.macros.get(&token.text).cloned() else { return Ok(false) };
        self.pay(COST_OF_EXPANSION + token.hidden.as_ref().map_or(0, |names| names.len()), token.place)?;
        let expansion = match definition {
            Macro::Question => return Ok(false),
            Macro::Line => vec![self.line(token)],
            Macro::File => vec![self.file(token)],
            Macro::Counter => vec![self.count(token)],
            Macro::Object(body) => {
                let hidden = with_name(&token.hidden, &token.text);
                self.substitute(&body, &[], &hidden, token.place)?
            }
            Macro::Function(body) => match todo.last() {
                Some(next) if next.is("(") => match self.call(token, &body, todo)? {
                    Some(expansion) => expansion,
                    None => return Ok(false),
                },
                Some(_) => return Ok(false),
                None => {
                    self.dangling = (self.depth == 0).then(|| token.clone());
                    return Ok(false);
                }
            },
        };
        put_back(expansion, token, todo);
        Ok(true)
    }

    /// `defined NAME` or `defined (NAME)`, replaced by its truth. Anything else is left for the reader of the condition.
    fn defined(&mut self, token: Token, todo: &mut Vec<Token>, done: &mut Vec<Token>) {
        let name = match &todo[..] {
            [.., name] if name.kind == Kind::Identifier => name.text.clone(),
            [.., close, name, open] if open.is("(") && name.kind == Kind::Identifier && close.is(")") => {
                name.text.clone()
            }
            _ => return done.push(token),
        };
        let operand = if todo.last().is_some_and(|next| next.is("(")) { 3 } else { 1 };
        todo.truncate(todo.len() - operand);
        let truth = if self.macros.contains_key(&name) { "1" } else { "0" };
        done.push(Token::made(Kind::Number, truth, token.place));
    }

    fn line(&self, token: &Token) -> Token {
        let line = self.sources.location(token.place).line as i64;
        Token::made(Kind::Number, &line.saturating_add(self.presumed.1).to_string(), token.place)
    }

    fn file(&self, token: &Token) -> Token {
        Token::made(Kind::Quoted, &quote(&self.presumed.0), token.place)
    }

    fn count(&mut self, token: &Token) -> Token {
        self.counter += 1;
        Token::made(Kind::Number, &(self.counter - 1).to_string(), token.place)
    }

    /// The expansion of a function-like macro whose `(` is next in `todo`; `None` if its arguments are wrong.
    fn call(&mut self, name: &Token, body: &Body, todo: &mut Vec<Token>) -> Result<Option<Vec<Token>>, Stop> {
        let Some((arguments, close)) = self.arguments(body, todo)? else {
            let message = format!("the arguments of the macro `{}` have no end", name.text);
            let note = "no directive may stand among them, except conditions";
            self.report(Diagnostic::error(message, name.place).note(note))?;
            return Ok(None);
        };
        let Some(arguments) = fit(body, arguments) else {
            self.error(format!("the macro `{}` takes {}", name.text, body.arity()), name.place.to(close.place))?;
            return Ok(None);
        };
        let hidden = with_name(&common(&name.hidden, &close.hidden), &name.text);
        self.substitute(body, &arguments, &hidden, name.place.to(close.place)).map(Some)
    }

    /// Takes the arguments of a call from `todo`, and the parenthesis that ends them.
    fn arguments(&mut self, body: &Body, todo: &mut Vec<Token>) -> Result<Option<Arguments>, Stop> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        todo.pop();
        while let Some(token) = todo.pop() {
            self.pay(token.text.len() + 1, token.place)?;
            if token.is(")") && depth == 0 {
                return Ok(Some((arguments, token)));
            }
            if token.is(",") && depth == 0 && !(body.variadic && arguments.len() >= body.parameters.len()) {
                arguments.push(Vec::new());
                continue;
            }
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
        Ok(None)
    }

    /// The macro's body with the arguments put in, at the place of its use.
    fn substitute(
        &mut self,
        body: &Body,
        arguments: &[Vec<Token>],
        hidden: &Hidden,
        place: Span,
    ) -> Result<Vec<Token>, Stop> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut made = Vec::new();
        for chain in &body.chains {
            let start = made.len();
            match &chain[..] {
                [Piece::Parameter { index, spaced }] => {
                    let argument = self.expanded(&mut expanded, arguments, *index, place)?;
                    made.extend_from_slice(argument);
                    space(&mut made[start..], *spaced);
                }
                pieces => self.paste_all(pieces, body, arguments, place, &mut made)?,
            }
            let cost = made[start..].iter().map(|token: &Token| token.text.len() + COST_OF_TOKEN).sum();
            self.pay(cost, place)?;
        }
        made.retain(|token| token.kind != Kind::Placemarker);
        hide(&mut made, hidden);
        Ok(made)
    }

    /// An argument with its macros expanded, which is done once.
    fn expanded<'e>(
        &mut self,
        expanded: &'e mut [Option<Vec<Token>>],
        arguments: &[Vec<Token>],
        index: usize,
        place: Span,
    ) -> Result<&'e [Token], Stop> {
        let (Some(slot), Some(argument)) = (expanded.get_mut(index), arguments.get(index)) else { return Ok(&[]) };
        if slot.is_none() {
            if self.depth == DEEPEST {
                self.messages.push(Diagnostic::error("macros are nested too deeply in arguments of macros", place));
                return Err(Stop);
            }
            self.depth += 1;
            *slot = Some(self.expand(argument.clone(), For::Text)?);
            self.depth -= 1;
        }
        Ok(slot.as_deref().unwrap_or_default())
    }

    /// Puts the pieces of one chain, joined by `##`, at the end of `made`.
    fn paste_all(
        &mut self,
        pieces: &Chain,
        body: &Body,
        arguments: &[Vec<Token>],
        place: Span,
        made: &mut Vec<Token>,
    ) -> Result<(), Stop> {
        let start = made.len();
        for (index, piece) in pieces.iter().enumerate() {
            let right = raw(piece, arguments, place);
            if index == 0 {
                made.extend(right);
            } else if body.is_rest(piece) && made.len() > start && made.last().is_some_and(|left| left.is(",")) {
                comma_and_rest(right, arguments.len() < body.parameters.len(), made);
            } else {
                self.paste(right, place, made)?;
            }
            let cost = made.last().map_or(0, |token| token.text.len());
            self.pay(cost, place)?;
        }
        Ok(())
    }

    /// Joins the last token made with the first one of `right`, and adds the others.
    fn paste(&mut self, right: Vec<Token>, place: Span, made: &mut Vec<Token>) -> Result<(), Stop> {
        let mut right = right.into_iter();
        let (Some(left), Some(first)) = (made.pop(), right.next()) else { return Ok(()) };
        if left.kind == Kind::Placemarker {
            made.push(Token { spaced: left.spaced, ..first });
        } else if first.kind == Kind::Placemarker {
            made.push(left);
        } else if let Some(joined) = single(&format!("{}{}", left.text, first.text), place) {
            let hidden = common(&left.hidden, &first.hidden);
            made.push(Token { spaced: left.spaced, hidden, ..joined });
        } else {
            let message = format!("pasting `{}` and `{}` does not give a token", left.text, first.text);
            self.error(message, place)?;
            made.extend([left, first]);
        }
        made.extend(right);
        Ok(())
    }
}

/// The tokens of a piece next to `##`, or of one that is alone and no parameter: arguments are not expanded.
fn raw(piece: &Piece, arguments: &[Vec<Token>], place: Span) -> Vec<Token> {
    match piece {
        Piece::Token(token) => vec![Token { place, ..token.clone() }],
        Piece::String { index, spaced } => {
            let text = stringize(arguments.get(*index).map_or(&[], |argument| &argument[..]));
            vec![Token { spaced: *spaced, ..Token::made(Kind::Quoted, &text, place) }]
        }
        Piece::Parameter { index, spaced } => match arguments.get(*index) {
            Some(argument) if !argument.is_empty() => {
                let mut tokens = argument.clone();
                space(&mut tokens, *spaced);
                tokens
            }
            _ => vec![Token { spaced: *spaced, ..Token::made(Kind::Placemarker, "", place) }],
        },
    }
}

/// Arguments as the macro takes them; `None` if their number is wrong. Further arguments that are omitted are not there,
/// which is not the same as empty ones: see [`comma_and_rest`].
fn fit(body: &Body, mut arguments: Vec<Vec<Token>>) -> Option<Vec<Vec<Token>>> {
    let wanted = body.parameters.len();
    if wanted == 0 {
        return (arguments.len() == 1 && arguments[0].is_empty()).then(Vec::new);
    }
    if body.variadic && wanted == 1 && arguments.len() == 1 && arguments[0].is_empty() {
        arguments.pop();
    }
    let omitted = body.variadic && arguments.len() + 1 == wanted;
    (omitted || arguments.len() == wanted).then_some(arguments)
}

/// gcc's `, ## __VA_ARGS__`: if the further arguments are omitted, the comma goes too.
fn comma_and_rest(rest: Vec<Token>, omitted: bool, made: &mut Vec<Token>) {
    if omitted {
        made.pop();
    } else {
        made.extend(rest);
    }
}

/// Puts an expansion where `name` stood: it inherits the white space before the name, even if it is empty.
fn put_back(mut expansion: Vec<Token>, name: &Token, todo: &mut Vec<Token>) {
    match expansion.first_mut() {
        Some(first) => (first.spaced, first.first) = (name.spaced, name.first),
        None => {
            if let Some(next) = todo.last_mut() {
                next.spaced |= name.spaced;
            }
        }
    }
    todo.extend(expansion.into_iter().rev());
}

fn space(tokens: &mut [Token], spaced: bool) {
    if let Some(first) = tokens.first_mut() {
        first.spaced = spaced;
    }
}

/// `#argument`: the spelling as a string constant.
fn stringize(argument: &[Token]) -> String {
    let mut text = String::from("\"");
    for (index, token) in argument.iter().enumerate() {
        if index > 0 && token.spaced {
            text.push(' ');
        }
        match token.kind {
            Kind::Quoted => text.extend(token.text.chars().flat_map(escaped)),
            _ => text.push_str(&token.text),
        }
    }
    text.push('"');
    text
}

/// `text` as a string constant.
fn quote(text: &str) -> String {
    let inner: String = text.chars().flat_map(escaped).collect();
    format!("\"{inner}\"")
}

fn escaped(character: char) -> impl Iterator<Item = char> {
    let backslash = matches!(character, '"' | '\\').then_some('\\');
    backslash.into_iter().chain([character])
}

fn with_name(hidden: &Hidden, name: &Rc<str>) -> Hidden {
    let mut names = hidden.as_deref().cloned().unwrap_or_default();
    names.insert(name.clone());
    Some(Rc::new(names))
}

/// Adds `hidden` to what the tokens came from. Tokens that came from the same macros go on sharing one set: a set for each
/// token would take many times the memory of the text.
fn hide(tokens: &mut [Token], hidden: &Hidden) {
    let mut known: Vec<(Hidden, Hidden)> = Vec::new();
    for token in tokens {
        let is_same = |(old, _): &&(Hidden, Hidden)| *old == token.hidden;
        let new = known.iter().rev().take(SETS).find(is_same).map(|(_, new)| new.clone());
        let new = new.unwrap_or_else(|| {
            let new = union(&token.hidden, hidden);
            known.push((token.hidden.clone(), new.clone()));
            new
        });
        (token.hidden, token.first) = (new, false);
    }
}

fn union(left: &Hidden, right: &Hidden) -> Hidden {
    match (left, right) {
        (Some(left), Some(right)) if !Rc::ptr_eq(left, right) => Some(Rc::new(left.union(right).cloned().collect())),
        (Some(one), _) | (None, Some(one)) => Some(one.clone()),
        (None, None) => None,
    }
}

fn common(left: &Hidden, right: &Hidden) -> Hidden {
    let (Some(left), Some(right)) = (left, right) else { return None };
    let names: BTreeSet<Rc<str>> = left.intersection(right).cloned().collect();
    (!names.is_empty()).then(|| Rc::new(names))
}

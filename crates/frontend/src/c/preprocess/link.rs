//! Several C files as one program: each was expanded on its own, and what they declare is put together as a linker does it.
//!
//! - A declaration that several files include is kept once; so is a definition of types that stands in several files word by word.
//! - A name of a file's own (static, or a type or enumerator that it alone defines) is renamed there if another file declares it, too. Tags
//!   of structs, unions and enumerations are names apart, and members are none.
//!
//! A static variable of a header would need a copy for each file. If it may be written, that is refused.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use program::{Diagnostic, Span, Unsupported};

use super::needed::length_of_declaration;
use super::token::{Kind, Token};
use super::{Expanded, Whose};

/// A file: its name, and its text after expansion.
pub(super) type File = (String, Vec<Expanded>);

/// All declarations of files, as if they stood in one.
pub(super) fn link(files: Vec<File>) -> Result<Vec<Expanded>, Diagnostic> {
    let (names, texts): (Vec<String>, Vec<Vec<Expanded>>) = files.into_iter().unzip();
    let mut known = Known::default();
    let mut kept: Vec<Vec<Expanded>> = Vec::new();
    let mut shared: HashSet<String> = HashSet::new();
    for text in texts {
        let mut own = Vec::new();
        for (whose, tokens) in text.iter().flat_map(|(whose, tokens)| declarations(*whose, tokens)) {
            if known.is_new(tokens) {
                own.push((whose, tokens.to_vec()));
                continue;
            }
            shared.insert(spelt(tokens));
            if let (Whose::Users, Some(place)) = (whose, own_data(tokens)) {
                let what = "a static variable in what several files include, which each of them would have for itself";
                return Err(Unsupported::new(what, Some(place)).into());
            }
        }
        kept.push(own);
    }
    let scopes: Vec<Scope> = kept.iter().map(|own| Scope::of(own, &shared)).collect();
    for (number, own) in kept.iter_mut().enumerate() {
        let renamed = renamed(number, &scopes, &names[number]);
        own.iter_mut().filter(|(whose, _)| *whose == Whose::Users).for_each(|(_, tokens)| rename(tokens, &renamed));
    }
    Ok(kept.into_iter().flatten().collect())
}

/// Declarations that were met before.
#[derive(Default)]
struct Known {
    /// What they say, and where.
    included: HashSet<(String, Span)>,
    /// What those say that only define types.
    types: HashSet<String>,
}

impl Known {
    fn is_new(&mut self, tokens: &[Token]) -> bool {
        let Some(first) = tokens.first() else { return false };
        let text = spelt(tokens);
        let is_type_known = is_type(tokens) && !self.types.insert(text.clone());
        self.included.insert((text, first.place)) && !is_type_known
    }
}

fn spelt(tokens: &[Token]) -> String {
    tokens.iter().map(|token| format!("{} ", token.text)).collect()
}

/// The declarations of a text, and what is left at its end.
fn declarations(whose: Whose, tokens: &[Token]) -> Vec<(Whose, &[Token])> {
    let mut found = Vec::new();
    let mut rest = tokens;
    while let Some(length) = length_of_declaration(rest) {
        let (declaration, behind) = rest.split_at(length);
        found.push((whose, declaration));
        rest = behind;
    }
    if !rest.is_empty() {
        found.push((whose, rest));
    }
    found
}

/// The tokens outside of all brackets.
fn outside(tokens: &[Token]) -> Vec<&Token> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for token in tokens {
        if ["}", ")", "]"].iter().any(|close| token.is(close)) {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            found.push(token);
        }
        if ["{", "(", "["].iter().any(|open| token.is(open)) {
            depth += 1;
        }
    }
    found
}

/// Whether a declaration defines types alone: it ends behind them, or names one.
fn is_type(tokens: &[Token]) -> bool {
    let is_record = ["struct", "union", "enum"].iter().any(|word| tokens[0].is_name(word));
    let ends = matches!(tokens, [.., brace, end] if brace.is("}") && end.is(";"));
    tokens[0].is_name("typedef") || is_record && ends
}

fn is_function(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|last| last.is("}"))
}

/// Where a declaration makes a variable of which each file that includes it has its own, and that may be written.
fn own_data(tokens: &[Token]) -> Option<Span> {
    let of_function = tokens.windows(2).find(|pair| pair[0].is_name("static") && !pair[1].is_name("const"));
    if is_function(tokens) {
        let inside = tokens.iter().position(|token| token.is("{"))?;
        let pairs = tokens[inside..].windows(2);
        let found = pairs.into_iter().find(|pair| pair[0].is_name("static") && !pair[1].is_name("const"));
        return found.map(|pair| pair[0].place);
    }
    let declared = outside(tokens);
    let is_object = !declared.iter().any(|token| token.is("(")) && !declared.iter().any(|it| it.is_name("const"));
    of_function.filter(|_| is_object).map(|pair| pair[0].place)
}

/// A name: whether it is a tag, and the word.
type Name = (bool, Rc<str>);

/// What a file declares outside of functions.
#[derive(Default)]
struct Scope {
    /// All names.
    declared: BTreeSet<Name>,
    /// Those that are its own.
    own: BTreeSet<Name>,
}

impl Scope {
    fn of(declarations: &[Expanded], shared: &HashSet<String>) -> Scope {
        let mut scope = Scope::default();
        for (_, tokens) in declarations.iter().filter(|(whose, _)| *whose == Whose::Users) {
            let is_own = !shared.contains(&spelt(tokens));
            let types = types(tokens);
            let declared = outside(tokens);
            let is_static = declared.iter().any(|token| token.is_name("static"));
            let objects: Vec<Name> = objects(&declared, tokens).into_iter().map(|name| (false, name)).collect();
            if is_own {
                scope.own.extend(types.iter().cloned());
                scope.own.extend(objects.iter().filter(|_| is_static).cloned());
            }
            scope.declared.extend(objects.into_iter().chain(types));
        }
        scope
    }
}

fn is_record(token: &Token) -> bool {
    ["struct", "union", "enum"].iter().any(|word| token.is_name(word))
}

/// The tags, type names and enumerators that a declaration defines.
fn types(tokens: &[Token]) -> Vec<Name> {
    let mut found = Vec::new();
    for three in tokens.windows(3) {
        if is_record(&three[0]) && three[1].kind == Kind::Identifier && three[2].is("{") {
            found.push((true, three[1].text.clone()));
        }
    }
    if let Some(first) = tokens.iter().position(|token| token.is_name("enum")) {
        let body = tokens[first..].iter().skip_while(|token| !token.is("{")).take_while(|token| !token.is("}"));
        let body: Vec<&Token> = body.collect();
        let names = body.windows(2).filter(|pair| pair[0].is("{") || pair[0].is(","));
        found.extend(names.filter(|pair| pair[1].kind == Kind::Identifier).map(|pair| (false, pair[1].text.clone())));
    }
    if tokens.first().is_some_and(|first| first.is_name("typedef")) {
        found.extend(pointer_to_function(tokens).or_else(|| last_name(tokens)).map(|name| (false, name)));
    }
    found
}

/// The name in `(*name)`.
fn pointer_to_function(tokens: &[Token]) -> Option<Rc<str>> {
    let found = tokens.windows(3).find(|at| at[0].is("(") && at[1].is("*") && at[2].kind == Kind::Identifier);
    found.map(|at| at[2].text.clone())
}

fn last_name(tokens: &[Token]) -> Option<Rc<str>> {
    outside(tokens).iter().rev().find(|token| token.kind == Kind::Identifier).map(|token| token.text.clone())
}

/// The functions and variables that a declaration declares.
fn objects(declared: &[&Token], tokens: &[Token]) -> Vec<Rc<str>> {
    if tokens[0].is_name("typedef") {
        return Vec::new();
    }
    let is_named = |token: &Token| token.kind == Kind::Identifier && !NO_NAMES.contains(&&*token.text);
    let until = declared.iter().position(|token| token.is("=")).unwrap_or(declared.len());
    let call = declared[..until].windows(2).find(|pair| is_named(pair[0]) && pair[1].is("("));
    if let Some(call) = call {
        return vec![call[0].text.clone()];
    }
    let ends = |token: &Token| ["=", ";", ",", "["].iter().any(|end| token.is(end));
    let names = declared.windows(2).filter(|pair| is_named(pair[0]) && ends(pair[1]));
    names.map(|pair| pair[0].text.clone()).chain(pointer_to_function(tokens)).collect()
}

/// Words before brackets that are no names of functions.
const NO_NAMES: &[&str] =
    &["__attribute__", "__typeof__", "typeof", "_Alignas", "_Atomic", "_Static_assert", "__asm__", "asm", "__asm"];

/// The names of a file's own that others declare, too, with what they become: not if only later files do so for themselves.
fn renamed(number: usize, scopes: &[Scope], file: &str) -> BTreeMap<Name, Rc<str>> {
    let is_taken = |name: &Name| {
        scopes.iter().enumerate().any(|(other, scope)| {
            let counts = other < number || other > number && !scope.own.contains(name);
            counts && scope.declared.contains(name)
        })
    };
    let stem = file.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or_default();
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let own = scopes[number].own.iter().filter(|name| is_taken(name));
    own.map(|name| (name.clone(), format!("{}_in_{stem}", name.1).into())).collect()
}

fn rename(tokens: &mut [Token], renamed: &BTreeMap<Name, Rc<str>>) {
    if renamed.is_empty() {
        return;
    }
    let members = members(tokens);
    for at in (0..tokens.len()).filter(|at| !members[*at]) {
        let is_tag = at > 0 && is_record(&tokens[at - 1]);
        if tokens[at].kind == Kind::Identifier
            && let Some(name) = renamed.get(&(is_tag, tokens[at].text.clone()))
        {
            tokens[at].text = name.clone();
        }
    }
}

/// Which tokens name members: behind a dot or an arrow, or where a struct or union declares them.
fn members(tokens: &[Token]) -> Vec<bool> {
    let is = |at: Option<usize>, words: &[&str]| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| words.iter().any(|word| token.is(word)))
    };
    let mut open: Vec<bool> = Vec::new();
    let mut found = vec![false; tokens.len()];
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1);
        if token.is("{") {
            let tag = before.filter(|before| tokens[*before].kind == Kind::Identifier && !is_record(&tokens[*before]));
            let word = if tag.is_some() { at.checked_sub(2) } else { before };
            let opens = word.is_some_and(|word| tokens[word].is_name("struct") || tokens[word].is_name("union"));
            open.push(opens);
        } else if token.is("}") {
            open.pop();
        }
        let is_declared = open.last() == Some(&true) && is(Some(at + 1), &[";", ",", "[", ":", ")"]);
        found[at] = token.kind == Kind::Identifier && (is_declared || is(before, &[".", "->"]));
    }
    found
}

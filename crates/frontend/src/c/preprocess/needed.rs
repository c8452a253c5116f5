//! Which declarations of built-in headers a program needs: those that declare a name which it mentions, and what they mention in
//! turn. The others would only be parsed without effect. Names are compared as they are written, so that too much may be kept, never
//! too little.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::THROUGH_POINTER;
use super::token::{Kind, Token};
use super::{Expanded, Whose};

/// The tokens that the parser is given, in order: all of the user's, and the declarations of ours that are needed.
pub(super) fn needed(expanded: &[Expanded]) -> Vec<&[Token]> {
    let parts: Vec<Part> = expanded.iter().flat_map(|(whose, tokens)| parts(*whose, tokens)).collect();
    let mut mentions = Mentions::of(&parts);
    parts.iter().filter(|part| part.declares.is_none()).for_each(|part| mentions.note(part));
    while let Some(part) = mentions.open.pop() {
        mentions.note(&parts[part]);
    }
    let is_needed = mentions.is_needed.iter();
    parts.iter().zip(is_needed).filter(|(_, is_needed)| **is_needed).map(|(part, _)| part.tokens).collect()
}

/// Text of the user's, or one declaration of ours.
struct Part<'t> {
    tokens: &'t [Token],
    /// What it declares, perhaps among other names that it mentions; `None` if it is needed whatever is mentioned.
    declares: Option<Vec<&'t str>>,
}

/// A text of ours in declarations; the user's in one.
fn parts(whose: Whose, tokens: &[Token]) -> Vec<Part<'_>> {
    if whose == Whose::Users {
        return vec![Part { tokens, declares: None }];
    }
    let mut parts = Vec::new();
    let mut rest = tokens;
    while let Some(length) = length_of_declaration(rest) {
        let (tokens, behind) = rest.split_at(length);
        parts.push(Part { tokens, declares: Some(declared(tokens)) });
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part { tokens: rest, declares: None });
    }
    parts
}

/// How many tokens the first declaration has: up to a semicolon, or to the end of a function's body.
pub(super) fn length_of_declaration(tokens: &[Token]) -> Option<usize> {
    let (mut depth, mut is_body) = (0usize, false);
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Punctuator) {
        match &*token.text {
            "{" | "(" | "[" => {
                if depth == 0 && token.is("{") {
                    is_body = at > 0 && tokens[at - 1].is(")");
                }
                depth += 1;
            }
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && is_body && token.is("}") {
                    return Some(at + 1);
                }
            }
            ";" if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The name of a function, or all names in any other declaration: fields and enumerators among them.
fn declared(declaration: &[Token]) -> Vec<&str> {
    let first = declaration.windows(2).find(|pair| pair[1].is("(") || pair[1].is("{"));
    match first {
        Some([name, open]) if open.is("(") && is_name(name) => vec![&name.text],
        _ => declaration.iter().filter(|token| is_name(token)).map(|token| &*token.text).collect(),
    }
}

fn is_name(token: &Token) -> bool {
    token.kind == Kind::Identifier && KEYWORDS.binary_search(&&*token.text).is_err()
}

/// Words that built-in headers use and that are no names. Invariant: sorted.
const KEYWORDS: &[&str] = &[
    "_Alignas",
    "_Atomic",
    "_Bool",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__attribute__",
    "__typeof__",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// What is mentioned so far, and what is needed for that.
struct Mentions<'t> {
    /// The parts that declare a name; taken out when it is mentioned.
    declaring: FxHashMap<&'t str, Vec<usize>>,
    /// The parts that declare what is called where a function of a library is called through a pointer, by the name of the latter.
    through_pointers: FxHashMap<&'t str, usize>,
    is_needed: Vec<bool>,
    /// Needed parts whose own mentions are not noted yet.
    open: Vec<usize>,
}

impl<'t> Mentions<'t> {
    fn of(parts: &[Part<'t>]) -> Mentions<'t> {
        let mut declaring: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut through_pointers = FxHashMap::default();
        for (number, part) in parts.iter().enumerate() {
            for name in part.declares.iter().flatten() {
                declaring.entry(name).or_default().push(number);
                through_pointers.extend(name.strip_prefix(THROUGH_POINTER).map(|name| (name, number)));
            }
        }
        let is_needed = parts.iter().map(|part| part.declares.is_none()).collect();
        Mentions { declaring, through_pointers, is_needed, open: Vec::new() }
    }

    fn note(&mut self, part: &Part<'t>) {
        for (at, token) in part.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Identifier) {
            let is_called = part.tokens.get(at + 1).is_some_and(|next| next.is("("));
            let through_pointer = self.through_pointers.get(&*token.text).copied().filter(|_| !is_called);
            through_pointer.into_iter().for_each(|part| self.need(part));
            let Entry::Occupied(declaring) = self.declaring.entry(&token.text) else { continue };
            declaring.remove().into_iter().for_each(|part| self.need(part));
        }
    }

    fn need(&mut self, part: usize) {
        if !std::mem::replace(&mut self.is_needed[part], true) {
            self.open.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::preprocess::token::tokens;
    use program::Sources;

    fn kept(header: &str, program: &str) -> String {
        let mut sources = Sources::default();
        let mut read = |text: &str| {
            let (mut found, _) = tokens(text, sources.add("file", text));
            found.retain(|token| token.kind != Kind::Newline);
            found
        };
        let expanded = [(Whose::Ours, read(header)), (Whose::Users, read(program))];
        let kept: Vec<String> = needed(&expanded).concat().iter().map(|token| token.text.to_string()).collect();
        kept.join(" ")
    }

    #[test]
    fn what_is_mentioned_is_kept_and_what_that_mentions() {
        let header =
            "typedef int a; typedef a b; extern b f(a x); extern a g(void); static int h(void) { return g() ; }";
        assert_eq!(kept(header, "int main;"), "int main ;");
        assert_eq!(kept(header, "a x;"), "typedef int a ; typedef a b ; a x ;");
        assert_eq!(kept(header, "f"), "typedef int a ; typedef a b ; extern b f ( a x ) ; f");
        let all_but_f =
            "typedef int a ; typedef a b ; extern a g ( void ) ; static int h ( void ) { return g ( ) ; } h";
        assert_eq!(kept(header, "h"), all_but_f);
    }

    #[test]
    fn what_stands_for_a_function_is_kept_where_that_is_not_called() {
        let header = "extern int f(int x); static int palisade_call_f(int x) { return f(x); }";
        assert_eq!(kept(header, "f(1)"), "extern int f ( int x ) ; f ( 1 )");
        let all = "extern int f ( int x ) ; static int palisade_call_f ( int x ) { return f ( x ) ; } g ( f )";
        assert_eq!(kept(header, "g(f)"), all);
    }

    #[test]
    fn enumerators_fields_and_pointers_to_functions_are_names() {
        assert_eq!(kept("enum { X, Y }; enum { Z };", "Y"), "enum { X , Y } ; Y");
        assert_eq!(
            kept("static void (*p[2])(void *); static _Atomic(int) q;", "p"),
            "static void ( * p [ 2 ] ) ( void * ) ; p"
        );
        assert_eq!(kept("static _Atomic(int) q;", "q"), "static _Atomic ( int ) q ; q");
        assert_eq!(kept("struct s { int f; } v;", "v.f"), "struct s { int f ; } v ; v . f");
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}

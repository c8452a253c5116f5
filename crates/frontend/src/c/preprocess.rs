//! The C preprocessor: translation phases 1 to 4 of C11 (5.1.1.2), as far as gcc's GNU mode has them.
//!
//! The result is plain C text for the parser, and [`Origins`], which says of each of its tokens where it stands in the files
//! that were read; what a macro expands to stands where the macro is used. Standard headers are built in: they hold types,
//! macros and prototypes, and the lowering knows their functions by name.
//!
//! Differences from gcc: no directive that changes macros may stand among the arguments of a macro; `#include_next`,
//! `#import`, `#assert`, `__VA_OPT__` and OpenMP pragmas are refused; other pragmas are dropped, and so are
//! warnings. `__DATE__` and `__TIME__` are fixed, since the same input gives the same answer. Depth of includes and amount
//! of text are bounded.

mod attributes;
mod condition;
mod expand;
mod headers;
pub(crate) mod layout;
mod link;
mod macros;
mod needed;
mod origins;
mod questions;
mod rewrite;
mod token;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use program::{Diagnostic, Diagnostics, FileId, Sources, Span, Unsupported};

pub use headers::EMBEDDED;
pub use origins::Origins;

use expand::{Expander, For, Stop};
use macros::{Macro, definition};
use rewrite::Rewriter;
use token::{Kind, Token, tokens};

/// Stands for the condition itself in `a ?: b`, where the parser wants an expression.
pub const CONDITION: &str = "__palisade_condition";
/// How the names of functions begin that stand for functions of libraries where these are called through pointers.
pub const THROUGH_POINTER: &str = "palisade_call_";

/// How deeply files may include files.
const DEEPEST_INCLUDE: usize = 64;
/// What an include costs besides its text, so that empty files do not come for free.
const COST_OF_INCLUDE: usize = 256;

/// C text after preprocessing.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text: tokens separated by blanks and line ends, no directives.
    pub text: String,
    /// Where its parts come from.
    pub origins: Origins,
}

/// Finds the user's own files: from the name between the quotes or angle brackets of an `#include` and the path of the file
/// in which it stands, the path and text of the file that is meant, or `None`.
pub type Include<'a> = dyn FnMut(&str, &str) -> Option<(String, String)> + 'a;

/// Preprocesses the file `path`, whose text is `text`.
///
/// `include` is asked first for every file that a file of the user's includes; what it does not know is looked up among
/// the [`EMBEDDED`] headers. `defines` are macros defined beforehand: name (with parameters, if any) and replacement. Every
/// file read is added to `sources`.
pub fn preprocess(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    sources: &mut Sources,
) -> Result<Preprocessed, Diagnostics> {
    expanded(path, text, include, defines, sources, |expanded| expanded.iter().map(|(_, tokens)| &tokens[..]).collect())
}

/// As [`preprocess`], without the declarations of built-in headers that nothing in the program needs.
pub fn preprocess_needed(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    sources: &mut Sources,
) -> Result<Preprocessed, Diagnostics> {
    expanded(path, text, include, defines, sources, needed::needed)
}

/// A C file of a program, with its own macros.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Macros defined beforehand: name (with parameters, if any) and replacement.
    pub defines: &'a [(String, String)],
    /// Macros that are not defined, though every program finds them so.
    pub undefines: &'a [String],
    /// Files that it includes before its first line.
    pub before: &'a [String],
}

/// Finds what a file of a program includes, as [`Include`] does; the number says which file of the program is read.
pub type IncludeFor<'a> = dyn FnMut(usize, &str, &str) -> Option<(String, String)> + 'a;

/// Preprocesses the files of a program, each on its own, and puts them together (`link`). As [`preprocess_needed`], without the
/// declarations of built-in headers that nothing needs.
pub fn preprocess_all(
    files: &[SourceFile],
    include: &mut IncludeFor,
    sources: &mut Sources,
) -> Result<Preprocessed, Diagnostics> {
    let current = Cell::new(0);
    let mut of_current = |name: &str, from: &str| include(current.get(), name, from);
    let mut reader = Reader::new(&mut of_current, sources);
    let mut read = |(number, file): (usize, &SourceFile)| {
        current.set(number);
        reader.begin_file();
        reader.predefine()?;
        reader.define_all(file.defines)?;
        file.undefines.iter().for_each(|name| drop(reader.expander.macros.remove(name.as_str())));
        let before: String = file.before.iter().map(|name| format!("#include \"{name}\"\n")).collect();
        reader.file("<command line>", &before, Whose::Users, 0)?;
        reader.file(file.path, file.text, Whose::Users, 0)?;
        reader.builtins()?;
        Ok((file.path.to_string(), std::mem::take(&mut reader.expanded)))
    };
    let read: Result<Vec<link::File>, Stop> = files.iter().enumerate().map(&mut read).collect();
    let ended = read.and_then(|read| match link::link(read) {
        Ok(linked) => needed::needed(&linked).into_iter().try_for_each(|tokens| reader.put_out(tokens)),
        Err(message) => reader.expander.report(message),
    });
    let Reader { expander, text, origins, .. } = reader;
    if ended.is_ok() && expander.messages.is_empty() {
        return Ok(Preprocessed { text, origins });
    }
    Err(Diagnostics { messages: expander.messages, sources: sources.clone() })
}

/// Expands a file and puts out what is kept of it.
fn expanded(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    sources: &mut Sources,
    keep: fn(&[Expanded]) -> Vec<&[Token]>,
) -> Result<Preprocessed, Diagnostics> {
    let mut reader = Reader::new(include, sources);
    let ended = reader
        .predefine()
        .and_then(|()| reader.define_all(defines))
        .and_then(|()| reader.file(path, text, Whose::Users, 0))
        .and_then(|()| reader.builtins())
        .and_then(|()| {
            let expanded = std::mem::take(&mut reader.expanded);
            keep(&expanded).into_iter().try_for_each(|tokens| reader.put_out(tokens))
        });
    let Reader { expander, text, origins, .. } = reader;
    if ended.is_ok() && expander.messages.is_empty() {
        return Ok(Preprocessed { text, origins });
    }
    Err(Diagnostics { messages: expander.messages, sources: sources.clone() })
}

/// Whose file it is: built-in headers include only built-in ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Users,
    Ours,
}

/// Tokens after expansion, with whose file they stand in.
type Expanded = (Whose, Vec<Token>);

struct Reader<'a, 'i> {
    include: &'a mut Include<'i>,
    expander: Expander<'a>,
    /// Tokens of program text that wait for expansion: a use of a macro may span lines.
    waiting: Vec<Token>,
    /// The name of a function-like macro at the end of the text expanded last.
    dangling: Option<Token>,
    /// Files read so far, by path.
    known: HashMap<String, FileId>,
    /// Whether `#pragma pack` packs structs: the innermost last.
    packs: Vec<bool>,
    /// Whether it does where the text put out last stands.
    is_packed: bool,
    /// Files with `#pragma once`.
    once: HashSet<String>,
    /// Whose file is being read.
    whose: Whose,
    /// What was expanded so far, by whose file it stands in; no two neighbours are of the same.
    expanded: Vec<Expanded>,
    rewriter: Rewriter,
    text: String,
    origins: Origins,
}

/// The file being read.
struct Current {
    path: String,
    whose: Whose,
    depth: usize,
    conditionals: Vec<Conditional>,
}

/// An `#if` that is open.
struct Conditional {
    place: Span,
    /// The text between this and the next directive of the conditional is read.
    active: bool,
    /// A group was chosen already, or the whole conditional is skipped.
    decided: bool,
    has_else: bool,
}

impl<'a, 'i> Reader<'a, 'i> {
    fn new(include: &'a mut Include<'i>, sources: &'a mut Sources) -> Reader<'a, 'i> {
        Reader {
            include,
            expander: Expander::new(sources),
            waiting: Vec::new(),
            dangling: None,
            known: HashMap::new(),
            once: HashSet::new(),
            packs: Vec::new(),
            is_packed: false,
            whose: Whose::Users,
            expanded: Vec::new(),
            rewriter: Rewriter::default(),
            text: String::new(),
            origins: Origins::default(),
        }
    }

    /// Forgets what files before this one have defined.
    fn begin_file(&mut self) {
        self.expander.macros.clear();
        self.once.clear();
        self.dangling = None;
    }

    /// Defines what every program finds defined.
    fn predefine(&mut self) -> Result<(), Stop> {
        for (name, definition) in
            [("__LINE__", Macro::Line), ("__FILE__", Macro::File), ("__COUNTER__", Macro::Counter)]
        {
            self.expander.macros.insert(name.into(), definition);
        }
        for name in questions::QUESTIONS {
            self.expander.macros.insert((*name).into(), Macro::Question);
        }
        self.file("<built-in>", headers::PREDEFINED, Whose::Ours, 0)
    }

    /// Reads the functions of gcc's that are written in C, if the program mentions any; those for variable arguments are not.
    fn builtins(&mut self) -> Result<(), Stop> {
        let mut tokens = self.expanded.iter().flat_map(|(_, tokens)| tokens);
        let is_one = |name: &str| name.starts_with("__builtin_") && !name.starts_with("__builtin_va_");
        match tokens.any(|token| is_one(&token.text)) {
            true => self.file("<builtins>", headers::BUILTINS, Whose::Ours, 0),
            false => Ok(()),
        }
    }

    fn define_all(&mut self, defines: &[(String, String)]) -> Result<(), Stop> {
        for (name, replacement) in defines {
            let text = format!("{name} {replacement}");
            let file = self.expander.sources.add("<command line>", text.clone());
            let place = Span::new(file, 0, name.len());
            let (mut line, wrong) = tokens(&text, file);
            line.pop();
            if !wrong.is_empty() || line.iter().any(|token| token.kind == Kind::Newline) {
                self.expander.error("a macro of the command line should be one line of C", place)?;
                continue;
            }
            self.define(&line, &Token::made(Kind::Identifier, "define", place))?;
        }
        Ok(())
    }

    /// Reads a file and everything it includes.
    fn file(&mut self, path: &str, text: &str, whose: Whose, depth: usize) -> Result<(), Stop> {
        let file = self.source(path, text, whose);
        self.expander.pay(text.len() + COST_OF_INCLUDE, Span::new(file, 0, 0))?;
        let outer = std::mem::replace(&mut self.expander.presumed, (path.to_string(), 0));
        let outer_whose = std::mem::replace(&mut self.whose, whose);
        let (found, wrong) = tokens(text, file);
        for message in wrong {
            self.expander.report(message)?;
        }
        let mut current = Current { path: path.into(), whose, depth, conditionals: Vec::new() };
        for line in found.split_inclusive(|token| token.kind == Kind::Newline) {
            let line = &line[..line.len() - 1];
            match line {
                [hash, rest @ ..] if hash.is("#") || hash.is("%:") => self.directive(rest, &mut current)?,
                _ if current.reads() => self.waiting.extend_from_slice(line),
                _ => {}
            }
        }
        for open in &current.conditionals {
            self.expander.error("this conditional has no `#endif`", open.place)?;
        }
        self.flush()?;
        self.expander.presumed = outer;
        self.whose = outer_whose;
        Ok(())
    }

    /// The id of a file; one that is included again keeps its own.
    fn source(&mut self, path: &str, text: &str, whose: Whose) -> FileId {
        match self.known.get(path) {
            Some(&file) if self.expander.sources.text(file) == text => file,
            _ => {
                let file = self.expander.sources.add(path, text);
                if whose == Whose::Ours {
                    self.expander.sources.note_library(file);
                }
                self.known.insert(path.into(), file);
                file
            }
        }
    }

    /// Obeys a directive; `line` is what follows its `#`.
    fn directive(&mut self, line: &[Token], current: &mut Current) -> Result<(), Stop> {
        let Some((word, rest)) = line.split_first() else { return Ok(()) };
        match &*word.text {
            "if" | "ifdef" | "ifndef" => return self.open(word, rest, current),
            "elif" | "else" | "endif" => return self.next_group(word, rest, current),
            _ if !current.reads() => return Ok(()),
            _ => self.flush()?,
        }
        match &*word.text {
            "define" => self.define(rest, word),
            "undef" => self.undefine(word, rest),
            "include" => self.include(word, rest, current),
            "pragma" => self.pragma(word, rest, current),
            "line" => self.line(word, rest),
            "error" => self.expander.error(format!("#error {}", spelling(rest)), whole(word, rest)),
            "warning" | "ident" | "sccs" => Ok(()),
            "include_next" | "import" | "assert" | "unassert" | "embed" => self.refuse(word),
            _ if word.kind == Kind::Number => self.line(word, line),
            _ => self.expander.error(format!("there is no directive `#{}`", word.text), word.place),
        }
    }

    fn refuse(&mut self, word: &Token) -> Result<(), Stop> {
        let what = format!("the directive `#{}`", word.text);
        self.expander.report(Unsupported::new(what, Some(word.place)).into())
    }

    fn define(&mut self, line: &[Token], word: &Token) -> Result<(), Stop> {
        match definition(line, word) {
            Ok((name, definition)) => {
                self.expander.macros.insert(name, definition);
                Ok(())
            }
            Err(message) => self.expander.report(message),
        }
    }

    fn undefine(&mut self, word: &Token, line: &[Token]) -> Result<(), Stop> {
        if let Some(name) = self.name(word, line)? {
            self.expander.macros.remove(&name.text);
        }
        Ok(())
    }

    /// The identifier that must come first.
    fn name<'t>(&mut self, word: &Token, line: &'t [Token]) -> Result<Option<&'t Token>, Stop> {
        let found = line.first().filter(|token| token.kind == Kind::Identifier);
        if found.is_none() {
            self.expander.error(format!("a name should follow `#{}`", word.text), word.place)?;
        }
        Ok(found)
    }

    /// `#if`, `#ifdef`, `#ifndef`
    fn open(&mut self, word: &Token, line: &[Token], current: &mut Current) -> Result<(), Stop> {
        let reads = current.reads();
        let active = reads
            && match &*word.text {
                "if" => self.holds(word, line, &current.path)?,
                _ => {
                    let Some(name) = self.name(word, line)? else { return self.open_skipped(word, current) };
                    self.expander.macros.contains_key(&name.text) == word.is_name("ifdef")
                }
            };
        let conditional = Conditional { place: word.place, active, decided: active || !reads, has_else: false };
        current.conditionals.push(conditional);
        Ok(())
    }

    /// Opens a conditional that is wrong, so that its `#endif` has a partner.
    fn open_skipped(&mut self, word: &Token, current: &mut Current) -> Result<(), Stop> {
        current.conditionals.push(Conditional { place: word.place, active: false, decided: true, has_else: false });
        Ok(())
    }

    /// `#elif`, `#else`, `#endif`
    fn next_group(&mut self, word: &Token, line: &[Token], current: &mut Current) -> Result<(), Stop> {
        let Some(mut conditional) = current.conditionals.pop() else {
            return self.expander.error(format!("`#{}` without `#if`", word.text), word.place);
        };
        if word.is_name("endif") {
            return Ok(());
        }
        if conditional.has_else {
            self.expander.error(format!("`#{}` after `#else`", word.text), word.place)?;
        }
        conditional.has_else |= word.is_name("else");
        conditional.active = !conditional.decided && (word.is_name("else") || self.holds(word, line, &current.path)?);
        conditional.decided |= conditional.active;
        current.conditionals.push(conditional);
        Ok(())
    }

    /// Whether the condition of an `#if` or `#elif` holds; false if it is wrong.
    fn holds(&mut self, word: &Token, line: &[Token], path: &str) -> Result<bool, Stop> {
        let include = &mut self.include;
        let mut has_file = |name: &str| include(name, path).is_some() || headers::embedded(name).is_some();
        let answered = questions::answer(line, &mut has_file);
        let expanded = self.expander.expand(answered, For::Condition)?;
        match condition::holds(&expanded, word.place) {
            Ok(holds) => Ok(holds),
            Err(message) => self.expander.report(message).map(|()| false),
        }
    }

    fn include(&mut self, word: &Token, line: &[Token], current: &Current) -> Result<(), Stop> {
        let Some((name, place)) = self.header_name(word, line)? else { return Ok(()) };
        if current.depth == DEEPEST_INCLUDE {
            self.expander.error(format!("files include files more than {DEEPEST_INCLUDE} deep"), place)?;
            return Err(Stop);
        }
        let users = match current.whose {
            Whose::Users => (self.include)(&name, &current.path).map(|(path, text)| (path, text, Whose::Users)),
            Whose::Ours => None,
        };
        let embedded = || headers::embedded(&name).map(|text| (format!("<{name}>"), text.to_string(), Whose::Ours));
        match users.or_else(embedded) {
            Some((path, _, _)) if self.once.contains(&path) => Ok(()),
            Some((path, text, whose)) => self.file(&path, &text, whose, current.depth + 1),
            None => {
                let known: Vec<&str> = EMBEDDED.iter().map(|(name, _)| *name).collect();
                let message = Diagnostic::error(format!("the file `{name}` is not found"), place)
                    .note(format!("these headers are built in: {}", known.join(", ")));
                self.expander.report(message)
            }
        }
    }

    /// The name that an `#include` gives, perhaps by a macro.
    fn header_name(&mut self, word: &Token, line: &[Token]) -> Result<Option<(String, Span)>, Stop> {
        let line = match line.first() {
            Some(token) if token.kind == Kind::HeaderName => line.to_vec(),
            _ => self.expander.expand(line.to_vec(), For::Text)?,
        };
        let quoted = match &line[..] {
            [only, ..] if matches!(only.kind, Kind::HeaderName | Kind::Quoted) => only.text.to_string(),
            [open, ..] if open.is("<") => line.iter().map(|token| &*token.text).collect(),
            _ => String::new(),
        };
        let name = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        let delimited =
            matches!((quoted.chars().next(), quoted.chars().last()), (Some('"'), Some('"')) | (Some('<'), Some('>')));
        if !delimited || name.is_empty() {
            self.expander.error("`#include` wants \"FILE\" or <FILE>", whole(word, &line))?;
            return Ok(None);
        }
        Ok(Some((name.to_string(), whole(word, &line))))
    }

    fn pragma(&mut self, word: &Token, line: &[Token], current: &Current) -> Result<(), Stop> {
        match line.first() {
            Some(first) if first.is_name("once") => {
                self.once.insert(current.path.clone());
                Ok(())
            }
            Some(first) if first.is_name("pack") && self.pack(&spelling(&line[1..]), word.place)? => Ok(()),
            Some(first) if is_refused_pragma(&first.text) => {
                let what = format!("`#pragma {}`", spelling(line));
                self.expander.report(Unsupported::new(what, Some(whole(word, line))).into())
            }
            _ => Ok(()),
        }
    }

    /// `#pragma pack`, of which 1 packs structs and unions from here on and nothing else is known; `false` if it is something else.
    fn pack(&mut self, what: &str, at: Span) -> Result<bool, Stop> {
        let before = self.packs.last().copied().unwrap_or(false);
        match &*what.replace(' ', "") {
            "(push,1)" => self.packs.push(true),
            "(push)" => self.packs.push(before),
            "(1)" => self.set_pack(true),
            "()" | "(0)" => self.set_pack(false),
            "(pop)" => _ = self.packs.pop(),
            _ => return Ok(false),
        }
        let packs = self.packs.last().copied().unwrap_or(false);
        let mark = if packs { layout::PACK } else { layout::UNPACK };
        self.waiting.push(Token::made(Kind::Identifier, mark, at));
        self.flush().map(|()| true)
    }

    fn set_pack(&mut self, packs: bool) {
        self.packs.pop();
        self.packs.push(packs);
    }

    /// `#line 7 "name"`, and `# 7 "name"` as preprocessors leave it: changes `__LINE__` and `__FILE__` only.
    fn line(&mut self, word: &Token, line: &[Token]) -> Result<(), Stop> {
        let line = self.expander.expand(line.to_vec(), For::Text)?;
        let number = line.first().and_then(|token| token.text.parse::<u32>().ok());
        let Some(number) = number else {
            return self.expander.error("`#line` wants a number", whole(word, &line));
        };
        let here = self.expander.sources.location(word.place).line as i64;
        self.expander.presumed.1 = i64::from(number) - here - 1;
        if let Some(name) = line.get(1).filter(|token| token.kind == Kind::Quoted) {
            self.expander.presumed.0 = name.text.trim_matches('"').to_string();
        }
        Ok(())
    }

    /// Expands the text that waits.
    fn flush(&mut self) -> Result<(), Stop> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else { return Ok(()) };
        if let Some(name) = self.dangling.take()
            && first.is("(")
        {
            let message = format!("between the name of the macro `{}` and its arguments stands a directive", name.text);
            self.expander.error(message, name.place)?;
        }
        self.expander.dangling = None;
        let expanded = self.expander.expand(waiting, For::Text)?;
        self.dangling = self.expander.dangling.take();
        match self.expanded.last_mut() {
            Some((whose, tokens)) if *whose == self.whose => tokens.extend(expanded),
            _ => self.expanded.push((self.whose, expanded)),
        }
        Ok(())
    }

    /// Adds tokens to the result.
    fn put_out(&mut self, tokens: &[Token]) -> Result<(), Stop> {
        let (tokens, refused) = layout::marked(tokens, &mut self.is_packed);
        refused.into_iter().try_for_each(|wrong| self.expander.report(wrong))?;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if token.is_name("_Pragma") {
                at += self.pragma_operator(token, &tokens[at..])?;
                continue;
            }
            if token.is_name("__attribute__") || token.is_name("__attribute") {
                let (length, wrong) = attributes::attribute(&tokens[at..], token.place);
                at += length;
                wrong.map_or(Ok(()), |wrong| self.expander.report(wrong))?;
                continue;
            }
            if token.kind == Kind::Other && matches!(&*token.text, "'" | "\"") {
                self.expander.error("this quote has no partner on its line", token.place)?;
            }
            let (made, length) = self.rewriter.next(&tokens[at - 1..]);
            made.iter().for_each(|token| self.put_out_one(token));
            at += length.saturating_sub(1);
        }
        Ok(())
    }

    fn put_out_one(&mut self, token: &Token) {
        if !self.text.is_empty() {
            self.text.push(if token.first { '\n' } else { ' ' });
        }
        let start = self.text.len();
        self.text.push_str(plain_spelling(token));
        self.origins.push(start..self.text.len(), token.place);
    }

    /// `_Pragma ( "..." )`: how many tokens follow the word.
    fn pragma_operator(&mut self, word: &Token, rest: &[Token]) -> Result<usize, Stop> {
        match rest {
            [open, string, close, ..] if open.is("(") && string.kind == Kind::Quoted && close.is(")") => {
                let text = string.text.trim_start_matches('L').trim_matches('"').trim_start();
                let first = text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
                if is_refused_pragma(first) {
                    let what = format!("`_Pragma({})`", string.text);
                    self.expander.report(Unsupported::new(what, Some(word.place)).into())?;
                }
                Ok(3)
            }
            _ => self.expander.error("`_Pragma` wants one string in parentheses", word.place).map(|()| 0),
        }
    }
}

impl Current {
    /// Whether text at this point is read, not skipped.
    fn reads(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.active)
    }
}

/// Pragmas that change what a program does.
fn is_refused_pragma(first: &str) -> bool {
    matches!(first, "omp" | "acc" | "pack")
}

/// The spelling that the parser knows: digraphs are replaced.
fn plain_spelling(token: &Token) -> &str {
    match &*token.text {
        _ if token.kind != Kind::Punctuator => &token.text,
        "<:" => "[",
        ":>" => "]",
        "<%" => "{",
        "%>" => "}",
        "%:" => "#",
        "%:%:" => "##",
        text => text,
    }
}

/// Tokens as they were written, but for white space.
fn spelling(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if token.spaced && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// From the directive's word to the end of its line.
fn whole(word: &Token, line: &[Token]) -> Span {
    line.last().map_or(word.place, |last| word.place.to(last.place))
}

//! What says how structs and unions lie in memory: `packed`, `aligned` and `_Alignas`. The parser drops it, so it becomes static
//! assertions among the members, which the lowering knows by their texts:
//!
//! | written | read as |
//! |---|---|
//! | `struct __attribute__((packed)) s {`, `} __attribute__((packed))` | `_Static_assert(1, "palisade packed")` inside |
//! | the same with `aligned(n)` | `_Static_assert(sizeof(n), "palisade aligned")` inside |
//! | `} __attribute__((transparent_union))` | `_Static_assert(1, "palisade transparent")` inside |
//! | either at a member, or `_Alignas(n)` | the same with `member packed`, `member aligned` behind the member |

use program::{Diagnostic, Unsupported};

use super::rewrite::in_parentheses;
use super::token::{Kind, Token};

/// The texts of the assertions begin so.
pub(crate) const MARK: &str = "palisade ";

/// What stands where `#pragma pack` begins to pack structs and unions.
pub(super) const PACK: &str = "__palisade_pack";
/// What stands where it ends.
pub(super) const UNPACK: &str = "__palisade_unpack";

/// Tokens with such assertions, and what is refused in them. `packs` says whether structs are packed without saying so, before and
/// after them.
pub(super) fn marked(tokens: &[Token], packs: &mut bool) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut marker = Marker { written: Vec::with_capacity(tokens.len()), packs: *packs, ..Marker::default() };
    let mut rest = tokens;
    while let Some(length) = marker.next(rest) {
        rest = &rest[length.min(rest.len())..];
    }
    *packs = marker.packs;
    (marker.written, marker.refused)
}

#[derive(Default)]
struct Marker {
    written: Vec<Token>,
    refused: Vec<Diagnostic>,
    /// The braces that are open, and whether members stand in them; parentheses and brackets count as braces without.
    open: Vec<bool>,
    /// What is written behind the member that is read.
    behind: Vec<Token>,
    /// Whether the declaration that is read, outside of structs, is of a type's name.
    is_typedef: bool,
    /// Whether structs and unions are packed without saying so.
    packs: bool,
    /// Whether the last token ended a declaration or opened a block.
    starts: bool,
}

impl Marker {
    /// Writes what the first tokens become, and says how many these are.
    fn next(&mut self, tokens: &[Token]) -> Option<usize> {
        let first = tokens.first()?;
        if std::mem::take(&mut self.starts) || self.written.is_empty() {
            self.is_typedef = first.is_name("typedef");
        }
        let is_member = self.open.last() == Some(&true);
        if first.is_name(PACK) || first.is_name(UNPACK) {
            self.packs = first.is_name(PACK);
            return Some(1);
        }
        if first.is_name("struct") || first.is_name("union") {
            return Some(self.record(tokens));
        }
        if let Some((length, inside)) = attribute_or_alignas(tokens) {
            let marks = marks_of(first, inside, if is_member { "member " } else { "" });
            let aligns = !first.is_name("_Alignas") && inside.iter().any(|token| bare(token) == "aligned");
            match is_member {
                true => self.behind.extend(marks),
                false if aligns && self.is_typedef => {
                    let what = "the attribute `aligned` of a type's name";
                    self.refused.push(Unsupported::new(what, Some(first.place)).into());
                }
                false => {}
            }
            self.written.extend(without_layout(&tokens[..length], inside));
            return Some(length);
        }
        if first.kind == Kind::Punctuator {
            return Some(self.punctuator(tokens, is_member));
        }
        self.written.push(first.clone());
        Some(1)
    }

    fn punctuator(&mut self, tokens: &[Token], is_member: bool) -> usize {
        let first = &tokens[0];
        match &*first.text {
            "{" | "(" | "[" => self.open.push(false),
            "}" if is_member => {
                self.open.pop();
                let (length, marks, others) = attributes(&tokens[1..]);
                self.written.extend(marks);
                self.written.push(first.clone());
                self.written.extend(others);
                return 1 + length;
            }
            "}" | ")" | "]" => _ = self.open.pop(),
            ";" if is_member => {
                self.written.push(first.clone());
                self.written.append(&mut self.behind);
                return 1;
            }
            _ => {}
        }
        self.starts = matches!(&*first.text, ";" | "{" | "}");
        self.written.push(first.clone());
        1
    }

    /// `struct`, its attributes and its tag; with its members, if they begin here.
    fn record(&mut self, tokens: &[Token]) -> usize {
        let (before, mut marks, mut others) = attributes(&tokens[1..]);
        self.written.push(tokens[0].clone());
        let mut length = 1 + before;
        if let Some(tag) = tokens.get(length).filter(|token| token.kind == Kind::Identifier) {
            self.written.push(tag.clone());
            length += 1;
            let (after, more, rest) = attributes(&tokens[length..]);
            if tokens.get(length + after).is_some_and(|token| token.is("{")) {
                length += after;
                marks.extend(more);
                others.extend(rest);
            }
        }
        self.written.extend(others);
        if let Some(brace) = tokens.get(length).filter(|token| token.is("{")) {
            self.written.push(brace.clone());
            if self.packs {
                self.written.extend(assertion(brace, None, "packed"));
            }
            self.written.extend(marks);
            self.open.push(true);
            length += 1;
        }
        length
    }
}

/// Attributes at the start: how many tokens, the assertions for those about layout, and the others.
fn attributes(tokens: &[Token]) -> (usize, Vec<Token>, Vec<Token>) {
    let (mut length, mut marks, mut others) = (0, Vec::new(), Vec::new());
    while let Some((more, inside)) =
        attribute_or_alignas(&tokens[length..]).filter(|_| !tokens[length].is_name("_Alignas"))
    {
        marks.extend(marks_of(&tokens[length], inside, ""));
        others.extend(without_layout(&tokens[length..length + more], inside));
        length += more;
    }
    (length, marks, others)
}

/// `__attribute__((...))` or `_Alignas(...)` at the start: how many tokens, and what stands inside.
fn attribute_or_alignas(tokens: &[Token]) -> Option<(usize, &[Token])> {
    let first = tokens.first()?;
    let double = first.is_name("__attribute__") || first.is_name("__attribute");
    if !double && !first.is_name("_Alignas") {
        return None;
    }
    let length = in_parentheses(&tokens[1..])?;
    let margin = if double { 2 } else { 1 };
    let inside = tokens.get(1 + margin..1 + length - margin)?;
    Some((1 + length, inside))
}

/// The tokens of an attribute, but none if it only says how things lie: those that are left are looked at later.
fn without_layout(tokens: &[Token], inside: &[Token]) -> Vec<Token> {
    let is_layout = |token: &Token| matches!(bare(token), "packed" | "aligned" | "transparent_union");
    let mut depth = 0i32;
    let mut only = true;
    for token in inside {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") => depth -= 1,
            () if depth == 0 && token.kind == Kind::Identifier => only &= is_layout(token),
            () => {}
        }
    }
    if only || tokens[0].is_name("_Alignas") { Vec::new() } else { tokens.to_vec() }
}

/// The name of an attribute without the underscores around it.
fn bare(token: &Token) -> &str {
    let name = &*token.text;
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}

/// The assertions that an attribute becomes.
fn marks_of(first: &Token, inside: &[Token], whose: &str) -> Vec<Token> {
    if first.is_name("_Alignas") {
        return assertion(first, Some(inside), &format!("{whose}aligned"));
    }
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(token) = inside.get(at) {
        let parentheses = in_parentheses(&inside[at + 1..]).unwrap_or(0);
        match bare(token) {
            "packed" => marks.extend(assertion(first, None, &format!("{whose}packed"))),
            "transparent_union" => marks.extend(assertion(first, None, &format!("{whose}transparent"))),
            "aligned" => {
                let number = inside.get(at + 2..at + parentheses);
                marks.extend(assertion(first, number.or(Some(&[])), &format!("{whose}aligned")));
            }
            _ => {}
        }
        at += 1 + parentheses;
    }
    marks
}

/// `_Static_assert(sizeof(number), "palisade text");`; without a number it is 1, with an empty one that of the largest alignment.
fn assertion(place: &Token, number: Option<&[Token]>, text: &str) -> Vec<Token> {
    let made = |kind: Kind, text: &str| Token::made(kind, text, place.place);
    let mark = |text: &str| made(Kind::Punctuator, text);
    let mut tokens = vec![made(Kind::Identifier, "_Static_assert"), mark("(")];
    match number {
        None => tokens.push(made(Kind::Number, "1")),
        Some([]) => tokens.extend([made(Kind::Identifier, "sizeof"), mark("("), made(Kind::Number, "16"), mark(")")]),
        Some(number) => {
            tokens.extend([made(Kind::Identifier, "sizeof"), mark("(")]);
            tokens.extend(number.iter().cloned());
            tokens.push(mark(")"));
        }
    }
    tokens.extend([mark(","), made(Kind::Quoted, &format!("\"{MARK}{text}\"")), mark(")"), mark(";")]);
    tokens
}

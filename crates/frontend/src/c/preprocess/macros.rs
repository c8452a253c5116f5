//! Macros: what a `#define` says.

use std::rc::Rc;

use program::Diagnostic;

use super::token::{Kind, Token};

/// What a name is defined as.
#[derive(Clone, Debug)]
pub(super) enum Macro {
    Object(Rc<Body>),
    Function(Rc<Body>),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__COUNTER__`
    Counter,
    /// What only a condition may ask, as `__has_include`.
    Question,
}

/// Parameters and replacement of a macro.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The last one stands for all further arguments if the macro is `variadic`.
    pub parameters: Vec<Rc<str>>,
    pub variadic: bool,
    pub chains: Vec<Vec<Piece>>,
}

/// Pieces joined by `##`; never empty, and mostly just one.
pub(super) type Chain = [Piece];

/// A part of a replacement.
#[derive(Debug)]
pub(super) enum Piece {
    Token(Token),
    Parameter {
        index: usize,
        spaced: bool,
    },
    /// `#parameter`
    String {
        index: usize,
        spaced: bool,
    },
}

impl Body {
    /// Whether the piece is the parameter that stands for all further arguments.
    pub fn is_rest(&self, piece: &Piece) -> bool {
        self.variadic && matches!(piece, Piece::Parameter { index, .. } if index + 1 == self.parameters.len())
    }

    /// How many arguments are wanted, in words.
    pub fn arity(&self) -> String {
        let count = self.parameters.len();
        match (self.variadic, count) {
            (true, _) => format!("at least {} arguments", count - 1),
            (false, 0) => "no arguments".into(),
            (false, 1) => "one argument".into(),
            (false, _) => format!("{count} arguments"),
        }
    }
}

/// Reads the rest of a `#define` line: name, parameters, replacement. `define` is the directive's word.
pub(super) fn definition(line: &[Token], define: &Token) -> Result<(Rc<str>, Macro), Diagnostic> {
    let Some((name, rest)) = line.split_first() else {
        return Err(Diagnostic::error("a name should follow `#define`", define.place));
    };
    if name.kind != Kind::Identifier || name.is_name("defined") {
        return Err(Diagnostic::error(format!("`{}` cannot be the name of a macro", name.text), name.place));
    }
    match rest.first() {
        Some(open) if open.is("(") && !open.spaced => {
            let (parameters, variadic, rest) = parameters(&rest[1..], name)?;
            let chains = chains(rest, Some(&parameters))?;
            Ok((name.text.clone(), Macro::Function(Rc::new(Body { parameters, variadic, chains }))))
        }
        _ => {
            let chains = chains(rest, None)?;
            Ok((name.text.clone(), Macro::Object(Rc::new(Body { chains, ..Body::default() }))))
        }
    }
}

/// The parameters, whether the last one stands for all further arguments, and what comes after them.
type Parameters<'t> = (Vec<Rc<str>>, bool, &'t [Token]);

fn parameters<'t>(mut line: &'t [Token], name: &Token) -> Result<Parameters<'t>, Diagnostic> {
    let wrong =
        || Diagnostic::error(format!("the parameters of the macro `{}` are not well formed", name.text), name.place);
    let mut names: Vec<Rc<str>> = Vec::new();
    if let [close, rest @ ..] = line
        && close.is(")")
    {
        return Ok((names, false, rest));
    }
    loop {
        let (variadic, rest) = match line {
            [dots, rest @ ..] if dots.is("...") => {
                names.push("__VA_ARGS__".into());
                (true, rest)
            }
            [parameter, rest @ ..] if parameter.kind == Kind::Identifier => {
                if names.contains(&parameter.text) {
                    let message = format!("the parameter `{}` is named twice", parameter.text);
                    return Err(Diagnostic::error(message, parameter.place));
                }
                names.push(parameter.text.clone());
                match rest {
                    [dots, rest @ ..] if dots.is("...") => (true, rest),
                    rest => (false, rest),
                }
            }
            _ => return Err(wrong()),
        };
        match rest {
            [close, rest @ ..] if close.is(")") => return Ok((names, variadic, rest)),
            [comma, rest @ ..] if comma.is(",") && !variadic => line = rest,
            _ => return Err(wrong()),
        }
    }
}

/// Splits a replacement at its `##`s and finds the parameters in it. `parameters` is `None` for an object-like macro, in
/// which `#` means nothing.
fn chains(line: &[Token], parameters: Option<&[Rc<str>]>) -> Result<Vec<Vec<Piece>>, Diagnostic> {
    let mut chains: Vec<Vec<Piece>> = Vec::new();
    let mut joins = false;
    let mut at = 0;
    while let Some(token) = line.get(at) {
        if is_paste(token) {
            if at == 0 || at + 1 == line.len() {
                return Err(Diagnostic::error("`##` cannot stand at an end of a macro's replacement", token.place));
            }
            joins = true;
            at += 1;
            continue;
        }
        let (piece, length) = piece(&line[at..], parameters)?;
        match chains.last_mut() {
            Some(chain) if joins => chain.push(piece),
            _ => chains.push(vec![piece]),
        }
        joins = false;
        at += length;
    }
    Ok(chains)
}

/// The piece at the start of `line`, which is not empty, and how many tokens it has.
fn piece(line: &[Token], parameters: Option<&[Rc<str>]>) -> Result<(Piece, usize), Diagnostic> {
    let index_of = |token: &Token| match token.kind {
        Kind::Identifier => parameters?.iter().position(|parameter| *parameter == token.text),
        _ => None,
    };
    let token = &line[0];
    if token.is_name("__VA_OPT__") {
        return Err(program::Unsupported::new("`__VA_OPT__`", Some(token.place)).into());
    }
    if parameters.is_some() && (token.is("#") || token.is("%:")) {
        return match line.get(1).and_then(index_of) {
            Some(index) => Ok((Piece::String { index, spaced: token.spaced }, 2)),
            None => Err(Diagnostic::error("`#` must be followed by a parameter of the macro", token.place)),
        };
    }
    match index_of(token) {
        Some(index) => Ok((Piece::Parameter { index, spaced: token.spaced }, 1)),
        None => Ok((Piece::Token(Token { first: false, ..token.clone() }), 1)),
    }
}

fn is_paste(token: &Token) -> bool {
    token.is("##") || token.is("%:%:")
}

//! What a condition may ask about the compiler: `__has_include`, `__has_builtin`, `__has_attribute`.

use super::attributes::is_harmless;
use super::rewrite::in_parentheses;
use super::token::{Kind, Token};

/// The questions, which count as defined.
pub(super) const QUESTIONS: &[&str] = &["__has_include", "__has_builtin", "__has_attribute", "__has_c_attribute"];

/// The condition with each question replaced by its answer. `has_file` says whether a file can be included.
pub(super) fn answer(line: &[Token], has_file: &mut dyn FnMut(&str) -> bool) -> Vec<Token> {
    let mut answered: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(token) = line.get(at) {
        at += 1;
        let operand = in_parentheses(&line[at..]).filter(|_| is_question(token, &answered));
        let Some(length) = operand else {
            answered.push(token.clone());
            continue;
        };
        let text: String = line[at + 1..at + length - 1].iter().map(|part| &*part.text).collect();
        let bare = text.trim_matches(|delimiter| matches!(delimiter, '<' | '>' | '"'));
        let holds = match &*token.text {
            "__has_include" => has_file(bare),
            "__has_builtin" => is_builtin(bare),
            "__has_attribute" => is_harmless(bare),
            _ => false,
        };
        answered.push(Token::made(Kind::Number, if holds { "1" } else { "0" }, token.place));
        at += length;
    }
    answered
}

/// Whether a token asks a question, and is not asked about by `defined`.
fn is_question(token: &Token, before: &[Token]) -> bool {
    let about = match before {
        [.., word] if word.is_name("defined") => true,
        [.., word, open] => word.is_name("defined") && open.is("("),
        _ => false,
    };
    token.kind == Kind::Identifier && QUESTIONS.contains(&&*token.text) && !about
}

/// Whether the lowering knows a function of gcc's.
fn is_builtin(name: &str) -> bool {
    let known = ["clz", "ctz", "ffs", "popcount", "parity", "bswap", "expect", "unreachable", "trap", "prefetch"];
    let more = ["assume_aligned", "constant_p", "types_compatible_p", "choose_expr", "offsetof", "ia32_pause", "abs"];
    match name.strip_prefix("__builtin_") {
        Some(rest) => known.iter().chain(&more).any(|known| rest.starts_with(known)) || rest.ends_with("_overflow"),
        None => name.starts_with("__atomic_") || name.starts_with("__sync_"),
    }
}

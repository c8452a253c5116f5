//! The text of inline assembly as instructions of x86, in the syntax of AT&T.

/// An instruction with its prefix: `lock xaddl %0, %1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// As it is written, in small letters and single blanks.
    pub text: String,
    /// Whether it is locked.
    pub locked: bool,
    /// Its name without the letter for the width: `xadd`.
    pub name: String,
    /// The width in bits that the name says.
    pub width: Option<u8>,
    /// Its operands, the target last.
    pub operands: Vec<Operand>,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `%1`, `%b1`, `%[name]`: an operand of the statement.
    Of(String),
    /// `8(%1)`: memory so many bytes after where the operand of the statement points to.
    At(String, i64),
    /// `%rax` and its parts: its letter in constraints.
    Register(char),
    /// `$1`.
    Number(i64),
}

/// The instructions of a template.
pub fn instructions(template: &str) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    let mut prefix = String::new();
    for part in template.split(['\n', ';']) {
        let part = part.split('#').next().unwrap_or_default().to_ascii_lowercase();
        let words: Vec<&str> = part.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [only @ ("lock" | "rep")] => prefix = format!("{only} "),
            words => found.push(instruction(&(std::mem::take(&mut prefix) + &words.join(" ")))),
        }
    }
    if !prefix.is_empty() {
        found.push(instruction(prefix.trim_end()));
    }
    found
}

fn instruction(text: &str) -> Instruction {
    let (locked, rest) = match text.strip_prefix("lock ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let operands: Option<Vec<Operand>> = split(operands).into_iter().map(operand).collect();
    let (name, width) = match operands {
        Some(_) => sized(name),
        None => ("", None),
    };
    let text = text.replace("%%", "%");
    Instruction { text, locked, name: name.to_string(), width, operands: operands.unwrap_or_default() }
}

/// What is between commas that are not in parentheses.
fn split(operands: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (index, byte) in operands.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(operands[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(operands[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Names that take a letter for the width.
const SIZED: &[&str] = &[
    "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "bts", "btr", "btc",
];

fn sized(name: &str) -> (&str, Option<u8>) {
    let letter = |letter: u8| match letter {
        b'b' => Some(8),
        b'w' => Some(16),
        b'l' => Some(32),
        b'q' => Some(64),
        _ => None,
    };
    let last = name.bytes().last().and_then(letter);
    match name.len().checked_sub(1).and_then(|end| name.get(..end)) {
        Some(bare) if last.is_some() && SIZED.contains(&bare) => (bare, last),
        _ => (name, None),
    }
}

fn operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix('$') {
        return number_of(number).map(Operand::Number);
    }
    if let Some((distance, inside)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let distance = if distance.trim().is_empty() { 0 } else { number_of(distance.trim())? };
        return match operand(inside.trim())? {
            Operand::Of(name) => Some(Operand::At(name, distance)),
            _ => None,
        };
    }
    if let Some(register) = text.strip_prefix("%%") {
        return register_of(register).map(Operand::Register);
    }
    let name = text.strip_prefix('%')?;
    // A letter before a number or name chooses a part of a register, which the width says too.
    let name = name.strip_prefix(['b', 'w', 'k', 'q']).filter(|rest| !rest.is_empty()).unwrap_or(name);
    let bracketed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match bracketed {
        Some(name) => Some(Operand::Of(name.to_string())),
        None => name.parse::<usize>().ok().map(|number| Operand::Of(number.to_string())),
    }
}

fn number_of(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The letter in constraints of a register that has one.
fn register_of(name: &str) -> Option<char> {
    Some(match name {
        "rax" | "eax" | "ax" | "al" => 'a',
        "rbx" | "ebx" | "bx" | "bl" => 'b',
        "rcx" | "ecx" | "cx" | "cl" => 'c',
        "rdx" | "edx" | "dx" | "dl" => 'd',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read_as_instructions() {
        let [one, two] = &instructions("lock; cmpxchgq %[new], %1\n\tsetz %b0  # flag")[..] else { panic!() };
        assert!(one.locked && one.name == "cmpxchg" && one.width == Some(64));
        assert_eq!(one.operands, [Operand::Of("new".into()), Operand::Of("1".into())]);
        assert_eq!((two.name.as_str(), &two.operands[..]), ("setz", &[Operand::Of("0".into())][..]));
        let [moved] = &instructions("movq 8(%4), %%rdx")[..] else { panic!() };
        assert_eq!(moved.operands, [Operand::At("4".into(), 8), Operand::Register('d')]);
    }

    #[test]
    fn what_is_not_understood_has_no_name() {
        assert_eq!(instructions("leaq (%%rsp, %0), %1")[0].name, "");
        assert_eq!(instructions("lock")[0].name, "lock");
    }
}

//! The scalar types of C, as initial states and C code name them.

use program::{Diagnostic, Unsupported};

use super::lexer::{Kind, Tokens};

/// How many `*` a type may have.
const MOST_STARS: u8 = 8;

/// A scalar type, or a pointer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Width in bits of the scalar; 0 for `void`.
    pub width: u8,
    /// Whether the scalar is signed.
    pub signed: bool,
    /// Whether the scalar is `bool`: every value but 0 becomes 1.
    pub boolean: bool,
    /// Whether the scalar is volatile.
    pub volatile: bool,
    /// How many times this points: 1 for `int*`.
    pub stars: u8,
}

/// `int`.
pub const INT: Type = Type { width: 32, signed: true, boolean: false, volatile: false, stars: 0 };

impl Type {
    /// An integer type that is not `int`.
    pub fn integer(width: u8, signed: bool) -> Type {
        Type { width, signed, ..INT }
    }

    /// A pointer to this.
    pub fn pointer(self) -> Type {
        Type { stars: self.stars.saturating_add(1), ..self }
    }

    /// What this points to; of an integer, `int`, since herd7 has no types and tests keep pointers in integers.
    pub fn pointee(self) -> Type {
        match self.stars.checked_sub(1) {
            Some(stars) => Type { stars, ..self },
            None => INT,
        }
    }

    /// Whether this is a pointer.
    pub fn is_pointer(self) -> bool {
        self.stars > 0
    }

    /// Whether a value of one type is a value of the other as it stands.
    pub fn same_values(self, other: Type) -> bool {
        let integers = !self.is_pointer() && !other.is_pointer();
        !integers || self.width == other.width && (self.boolean || !other.boolean)
    }
}

/// What a word means in a type.
enum Meaning {
    Integer(u8, bool),
    Bool,
    Void,
    Long,
    Short,
    Signed(bool),
    Volatile,
    /// Says nothing that matters here.
    Qualifier,
    /// A type that is not modelled.
    Foreign,
}

fn meaning(word: &str) -> Option<Meaning> {
    // The Linux kernel's atomic integer is an `int` to herd7.
    let plain = if word == "atomic_t" { "int" } else { word.strip_prefix("atomic_").unwrap_or(word) };
    Some(match plain {
        "int" | "int32_t" | "int_least32_t" => Meaning::Integer(32, true),
        "uint" | "uint32_t" | "u32" | "char32_t" => Meaning::Integer(32, false),
        "llong" | "int64_t" | "intptr_t" | "ptrdiff_t" | "intmax_t" | "ssize_t" => Meaning::Integer(64, true),
        "ulong" | "ullong" | "uint64_t" | "uintptr_t" | "size_t" | "uintmax_t" | "u64" => Meaning::Integer(64, false),
        "int16_t" => Meaning::Integer(16, true),
        "ushort" | "uint16_t" | "u16" => Meaning::Integer(16, false),
        "char" | "schar" | "int8_t" => Meaning::Integer(8, true),
        "uchar" | "uint8_t" | "u8" | "flag" => Meaning::Integer(8, false),
        "bool" | "_Bool" => Meaning::Bool,
        "void" => Meaning::Void,
        "long" => Meaning::Long,
        "short" => Meaning::Short,
        "signed" => Meaning::Signed(true),
        "unsigned" => Meaning::Signed(false),
        "volatile" => Meaning::Volatile,
        "const" | "register" | "auto" | "static" | "restrict" | "_Atomic" => Meaning::Qualifier,
        "t" | "long_t" | "struct" | "union" | "enum" | "float" | "double" | "spinlock_t" | "mtx_t" | "__int128_t"
        | "__uint128_t" | "int128_t" | "uint128_t" | "srcu_struct" | "typedef" | "extern" => Meaning::Foreign,
        _ => return None,
    })
}

/// Whether a word starts a type.
pub fn is_type_word(word: &str) -> bool {
    // `flag` and `t` are types only behind `atomic_`.
    !matches!(word, "flag" | "t" | "uint" | "llong" | "ulong" | "ullong" | "schar" | "uchar" | "ushort" | "long_t")
        && meaning(word).is_some()
}

/// Reads a type with its stars: `volatile int*`, `unsigned long`, `_Atomic(int) *`, `atomic_int**`.
pub fn parse(tokens: &mut Tokens<'_>) -> Result<Type, Diagnostic> {
    let scalar = scalar(tokens)?;
    stars(tokens, scalar)
}

/// Reads a type without stars.
pub fn scalar(tokens: &mut Tokens<'_>) -> Result<Type, Diagnostic> {
    let start = tokens.here();
    let mut found = Type { width: 0, ..INT };
    let (mut seen, mut sign, mut longs, mut shorts, mut void) = (false, None, 0, 0, false);
    while tokens.peek().kind == Kind::Word && is_type_word(tokens.text(tokens.peek())) {
        let word = tokens.text(tokens.peek());
        let span = tokens.here();
        tokens.next();
        if word == "_Atomic" && tokens.accept("(") {
            let inner = scalar(tokens)?;
            tokens.expect(")")?;
            (found.width, found.signed, found.boolean, seen) = (inner.width, inner.signed, inner.boolean, true);
            continue;
        }
        match meaning(word) {
            Some(Meaning::Integer(width, signed)) => (found.width, found.signed, seen) = (width, signed, true),
            Some(Meaning::Bool) => (found.width, found.signed, found.boolean, seen) = (8, false, true, true),
            Some(Meaning::Void) => (void, seen) = (true, true),
            Some(Meaning::Long) => (longs, seen) = (longs + 1, true),
            Some(Meaning::Short) => (shorts, seen) = (shorts + 1, true),
            Some(Meaning::Signed(signed)) => (sign, seen) = (Some(signed), true),
            Some(Meaning::Volatile) => found.volatile = true,
            Some(Meaning::Qualifier) => {}
            Some(Meaning::Foreign) | None => {
                return Err(Unsupported::new(format!("the type `{word}`"), Some(span)).into());
            }
        }
    }
    if !seen {
        return Err(Diagnostic::error("expected a type", start));
    }
    found.width = match (void, longs, shorts, found.width) {
        (true, ..) => 0,
        (_, 1.., ..) => 64,
        (_, _, 1.., _) => 16,
        (.., 0) => 32,
        (.., width) => width,
    };
    found.signed = sign.unwrap_or(found.signed);
    Ok(found)
}

/// Reads the stars of a declarator, with the qualifiers between them.
pub fn stars(tokens: &mut Tokens<'_>, scalar: Type) -> Result<Type, Diagnostic> {
    let mut found = scalar;
    loop {
        let span = tokens.here();
        if tokens.accept("*") {
            found = found.pointer();
        } else if !["const", "volatile", "restrict", "_Atomic"].iter().any(|word| tokens.accept(word)) {
            return Ok(found);
        }
        if found.stars > MOST_STARS {
            return Err(Unsupported::new("a pointer to a pointer to a pointer and so on", Some(span)).into());
        }
    }
}

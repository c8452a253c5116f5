//! No text makes the model readers panic or overflow the stack.

use axiomatic::model::{Model, Shape, cat, describe, load, mm, shipped};

/// Reads a text in both languages; a text that includes itself is part of the game.
fn read(text: &str) {
    if let Ok(model) = cat::load("test.cat", text, &|name| (name == "self.cat").then(|| text.to_string())) {
        describe(&model);
    }
    if let Ok(model) = mm::load("test.mm", text) {
        show(&model);
    }
}

/// A model that could be read can be shown, also as made for programs of any shape.
fn show(model: &Model) {
    describe(model);
    for size in [0, 2] {
        describe(&model.instantiate(Shape { threads: size, locations: size, executions: size }));
    }
}

/// Xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn every_prefix_of_a_shipped_model_is_read_or_refused() {
    for (file, text) in shipped() {
        // Of a long text not every prefix, else the time grows with its square.
        for end in (0..text.len()).step_by(1 + text.len() / 3_000).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(model) = load(file, &text[..end], &|_| None) {
                show(&model);
            }
        }
    }
}

#[test]
fn mutated_models_are_read_or_refused() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let spice = b"()[]{}|&;\\*+?^~='\"<>.,:-_0Aa \n#/\xc3";
    for (file, text) in shipped() {
        for _ in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + random.below(6) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = spice[random.below(spice.len())],
                    2 => drop(bytes.remove(at)),
                    _ => {
                        let from = random.below(bytes.len());
                        let piece = bytes[from..bytes.len().min(from + 40)].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(model) = load(file, &text, &|_| None) {
                show(&model);
            }
        }
    }
}

#[test]
fn a_megabyte_of_noise_is_refused() {
    let mut random = Random(42);
    let bytes: Vec<u8> = (0..1 << 20).map(|_| random.below(256) as u8).collect();
    read(&String::from_utf8_lossy(&bytes));
    let printable: String = (0..1 << 20).map(|_| (32 + random.below(95) as u8) as char).collect();
    read(&printable);
}

#[test]
fn a_megabyte_of_words_is_read_or_refused() {
    let words = [
        "let",
        "rec",
        "and",
        "=",
        "po",
        "rf",
        "W",
        "(",
        ")",
        "[",
        "]",
        "|",
        "&",
        ";",
        "\\",
        "*",
        "^+",
        "?",
        "~",
        "0",
        "f",
        "x",
        ",",
        "in",
        "fun",
        "->",
        "try",
        "with",
        "acyclic",
        "empty",
        "as",
        "show",
        "include",
        "\"self.cat\"",
        "call",
        "end",
        "procedure",
        "if",
        "then",
        "else",
        "\"v\"",
        "model",
        "predefined",
        "exists",
        "forall",
        "require",
        "<a>",
        "=>",
        "<=>",
        "set",
        "relation",
        "predicate",
        "access",
        "executions",
        "define",
        "order",
        "on",
        "containing",
        "domain",
        "<=",
        "^-1",
        "I",
        "I-1",
        "last",
        "thread",
        "execution",
        "X",
        ":",
        ".",
        "\n",
    ];
    for seed in 1..6 {
        let mut random = Random(seed);
        let mut text = String::new();
        while text.len() < 1 << 20 {
            text.push_str(words[random.below(words.len())]);
            text.push(' ');
        }
        read(&text);
    }
}

#[test]
fn long_repetitions_are_read_or_refused() {
    for (start, piece, end) in [
        ("empty ", "po | ", "po"),
        ("empty po", "^-1", ""),
        ("empty f", " x", ""),
        ("empty ", "[", ""),
        ("empty ", "let x = po in ", "x"),
        ("empty ", "fun x -> ", "x"),
        ("empty ", "try ", "x"),
        ("empty ", "begin ", "x"),
        ("let ", "x, ", "x = po"),
        ("let rec a0 = po", " and a = a | po", ""),
        ("", "let rec a = a | po\n", ""),
        ("", "let a = (let x = po in fun y -> x)\n", ""),
        ("let a = po ", "let a = a; rf ", "acyclic a"),
        ("", "with S from linearisations(W, po)\n", ""),
        ("", "include \"self.cat\"\n", ""),
        ("", "include \"cos.cat\"\n", ""),
        ("", "procedure p(x) = ", ""),
        ("", "if \"v\" ", ""),
        ("", "if ~ ", ""),
        ("", "empty po\n", ""),
        ("", "(*", ""),
        ("", "'", ""),
        ("model m require <a> ", "~", "true"),
        ("model m require <a> ", "true => ", "true"),
        ("model m require <a> ", "true | ", "true"),
        ("model m require <a> ", "forall X : a . ", "true"),
        ("model m require ", "<a> true ", ""),
        ("model m predefined set instruction exists ", "relation r(instruction, instruction) ", ""),
        ("model m forall ", "X : a ", ""),
        ("model m ", "predefined ", ""),
        ("model m", "-m", ""),
        ("model m require <a> ", "a | ", "a <= a"),
        ("model m require <a> a <= ", "a; ", "a"),
        ("model m require <a> ", "(", "a <= a"),
        ("model m require <a> ", "(a) | ", "a(X)"),
        ("model m require <a> ", "p(X) | ", "p(X)"),
        ("model m require <a> ", "a <= a => ", "a <= a"),
        ("model m require <a> acyclic ", "[", ""),
        ("model m require <a> acyclic a", "^-1", ""),
        ("model m require <a> empty a", "[I]", ""),
        ("model m require <a> empty a[", "I, ", "I]"),
        ("model m require <a> ", "forall I : thread . ", "true"),
        ("model m predefined set action define set a = action ", "set a = a ", ""),
        ("model m predefined set action define relation a = ", "action * ", "action"),
        ("model m predefined set action exists ", "order o on action ", ""),
        ("model m predefined set action exists order o[", "P, ", "P] on action forall P : thread"),
        ("model m predefined set action exists predicate p[", "thread, ", "thread](action)"),
        ("model m forall ", "P : thread ", ""),
    ] {
        read(&format!("{start}{}{end}", piece.repeat(100_000)));
    }
}

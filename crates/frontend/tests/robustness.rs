//! No text makes the reader panic, overflow its stack, or return more than a few messages.

/// The tests of the tour, with their names.
fn tour() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/tour");
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "litmus")).collect();
    files.sort();
    files.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Reads a text; what is right must keep the law, what is wrong must say so at a place of the text.
fn check(text: &str) -> bool {
    match frontend::litmus::parse("test", text) {
        Ok(parsed) => {
            assert!(program::verify(parsed.program).is_ok(), "the law is broken by:\n{text}");
            true
        }
        Err(errors) => {
            let errors = errors.messages;
            assert!(errors.iter().any(|message| message.severity == program::Severity::Error), "{text}");
            assert!(errors.len() <= 40);
            for span in errors.iter().filter_map(|message| message.span) {
                assert!(span.end as usize <= text.len() && text.is_char_boundary(span.start as usize), "{text}");
            }
            false
        }
    }
}

fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn the_tour_is_right_and_says_what_to_expect() {
    let tour = tour();
    assert!(tour.len() >= 18);
    for (name, text) in tour {
        let parsed = frontend::litmus::parse(&name, &text).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(parsed.warnings.is_empty(), "{name}: {:?}", parsed.warnings);
        let stem = std::path::Path::new(&name).file_stem().unwrap().to_string_lossy().into_owned();
        assert_eq!(parsed.program.name, stem, "the name of the test is that of the file");
        assert!(text.lines().filter(|line| line.trim_start().starts_with("expect ")).count() >= 2, "{name}");
        assert!(program::verify(parsed.program).is_ok(), "{name}");
    }
}

#[test]
fn every_prefix_of_the_tour_is_read_or_refused() {
    for (_, text) in tour() {
        for end in 0..text.len() {
            check(&text[..end]);
        }
    }
}

#[test]
fn changed_bytes_are_read_or_refused() {
    let tour = tour();
    let mut state = 0x2545_f491_4f6c_dd1d;
    let mut right = 0;
    for round in 0..4000 {
        let mut bytes = tour[round % tour.len()].1.clone().into_bytes();
        for _ in 0..1 + xorshift(&mut state) % 4 {
            let at = xorshift(&mut state) as usize % bytes.len();
            let other = bytes[xorshift(&mut state) as usize % bytes.len()];
            match xorshift(&mut state) % 4 {
                0 => bytes[at] = xorshift(&mut state) as u8,
                1 => bytes[at] = other,
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, other),
            }
        }
        right += usize::from(check(&String::from_utf8_lossy(&bytes)));
    }
    assert!(right > 100, "hardly any changed test was right: the changes test little");
}

/// A megabyte of a pattern, behind a start.
fn much(start: &str, pattern: &str) -> String {
    start.to_string() + &pattern.repeat(1_000_000 / pattern.len())
}

#[test]
fn ten_megabytes_of_noise_are_refused_soon() {
    let mut state = 1;
    let noise: Vec<u8> = (0..10_000_000).map(|_| xorshift(&mut state) as u8).collect();
    let letters: String = noise.iter().map(|byte| char::from(byte % 96 + 32)).collect();
    let c = "C t\n{}\nP0 (int* x) {\n";
    let x86 = "X86 t\n{}\nP0 ;\n";
    let texts = [
        String::from_utf8_lossy(&noise).into_owned(),
        letters.clone(),
        format!("X86 t\n{{{letters}"),
        format!("X86 t\n{{}}\n{letters}"),
        format!("{x86}{letters}"),
        format!("{c}{letters}"),
        format!("{x86}NOP ;\nexists {letters}"),
    ];
    texts.iter().for_each(|text| check_refused(text));
}

#[test]
fn a_megabyte_of_one_thing_is_refused_soon() {
    let c = "C t\n{}\nP0 (int* x) {\n";
    let x86 = "X86 t\n{}\nP0 ;\n";
    let texts = [
        much("(*", "(*"),
        much("X86 t\n{", "x=1;="),
        much("X86 t\n{", "x=1,"),
        much("X86 t\n{", "int *"),
        much("X86 t\n{}\n", "P0 | "),
        much(x86, "MOV EAX ; "),
        much(x86, "L: "),
        much(x86, "MOV | "),
        much("X86 t\n{}\nP0 ;\nNOP ;\nexists ", "("),
        much("X86 t\n{}\nP0 ;\nNOP ;\nexists ", "~"),
        much("X86 t\n{}\nP0 ;\nNOP ;\nexists true", "=> true"),
        much("X86 t\n{}\nP0 ;\nNOP ;\nexists true", "/\\ true \\/ "),
        much(c, "{"),
        much(c, "("),
        much(c, "*"),
        much(c, "if (1) "),
        much(c, "if (1) ; else "),
        much(c, "do "),
        much(c, "while (1) {"),
        much(&format!("{c}int r = "), "("),
        much(&format!("{c}int r = "), "-"),
        much(&format!("{c}int r = "), "1 +"),
        much(&format!("{c}int r = "), "1 ? "),
        much(&format!("{c}int r = "), "r = "),
        much(&format!("{c}int r = x"), "[0]"),
        much(&format!("{c}int r = "), "f("),
        much(&format!("{c}int r = "), "(int) "),
        much(&format!("{c}int r = "), "1||1&&1|1^1&1==1<1<<1+1*(1,"),
        much(&format!("{c}int "), "*"),
        much(c, "undefined;"),
        much(c, ";"),
        much("C t\n{}\n", "P0 () {} "),
        much("C t\n{}\nP0 (", "int* x,"),
    ];
    texts.iter().for_each(|text| check_refused(text));
}

fn check_refused(text: &str) {
    let right = check(text);
    let shown: String = text.chars().take(60).collect();
    assert!(!right, "{shown}");
}

#[test]
fn nesting_is_bounded_with_a_message() {
    let nested = |depth: usize| {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        format!("C t\n{{}}\nP0 (int* x) {{ *x = {open}1{close}; }}\nexists {open}x=1{close}")
    };
    assert!(check(&nested(100)));
    let errors = frontend::litmus::parse("test", &nested(1000)).unwrap_err().to_string();
    assert!(errors.contains("the expression is nested too deeply"), "{errors}");
    let chain = |length: usize| format!("C t\n{{}}\nP0 (int* x) {{ *x = 1{}; }}", " + 1".repeat(length));
    assert!(check(&chain(100)));
    assert!(!check(&chain(1000)));
}

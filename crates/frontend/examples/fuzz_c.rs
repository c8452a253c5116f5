//! Reads changed C files until something breaks: `cargo run -p frontend --example fuzz_c -- ROUNDS SEED FILE...`
//!
//! Files of the list may include each other. A panic shows the text that caused it; so does a program that breaks the law of programs, or a text that takes longer
//! than two seconds.

use std::panic::catch_unwind;
use std::time::Instant;

/// Tests that some of the files have functions for.
const TESTS: [&str; 4] = ["e(ed|de)", "a(a|c|r')", "al al(rr rr|rl rl)", "(p|o)"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(10_000);
    let mut state: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mut files: Vec<Vec<u8>> = Vec::new();
    let mut headers: Vec<(String, String)> = Vec::new();
    for path in arguments {
        let text = std::fs::read(&path).unwrap_or_default();
        headers.push((path, String::from_utf8_lossy(&text).into_owned()));
        files.push(text);
    }
    if files.is_empty() {
        println!("usage: fuzz_c ROUNDS SEED FILE...");
        return;
    }
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    };
    let mut right = 0u64;
    for _ in 0..rounds {
        let mut text = files[next(files.len())].clone();
        for _ in 0..1 + next(4) {
            change(&mut text, &files[next(files.len())], &mut next);
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let start = Instant::now();
        match catch_unwind(|| read(&text, &headers)) {
            Ok(accepted) => right += u64::from(accepted),
            Err(_) => println!("panic from:\n{text}\n"),
        }
        if start.elapsed().as_secs() >= 2 {
            println!("{:?} for:\n{text}\n", start.elapsed());
        }
    }
    println!("{rounds} texts read, {right} of them right");
}

/// Whether a text is right. The front end verifies the programs that it makes.
fn read(text: &str, headers: &[(String, String)]) -> bool {
    let mut include =
        |name: &str, _: &str| headers.iter().find(|(path, _)| path.ends_with(&format!("/{name}"))).cloned();
    let Ok(unit) = frontend::c::load("test.c", text, &mut include, &[]) else { return false };
    let _ = unit.program();
    for test in TESTS {
        let _ = unit.test(test);
    }
    let all = unit.operations();
    match unit.test(&format!("({})", all.join(" "))) {
        Err(messages) if !all.is_empty() => println!("{messages} from:\n{text}\n"),
        _ => {}
    }
    true
}

/// The words and symbols of a text, as stretches of bytes.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count().max(1);
        if !text[start].is_ascii_whitespace() {
            found.push((start, at));
        }
    }
    found
}

/// Changes, drops, repeats or copies in a stretch of bytes, or exchanges words.
fn change(text: &mut Vec<u8>, other: &[u8], next: &mut impl FnMut(usize) -> usize) {
    let at = next(text.len() + 1);
    let length = next(12).min(text.len() - at);
    if next(3) > 0 {
        let (words, others) = (tokens(text), tokens(other));
        if words.is_empty() || others.is_empty() {
            return;
        }
        let (start, end) = words[next(words.len())];
        let (from, to) = others[next(others.len())];
        text.splice(start..end, other[from..to].iter().copied());
        return;
    }
    match next(6) {
        0 => text[at..at + length].iter_mut().for_each(|byte| *byte = next(256) as u8),
        1 => drop(text.drain(at..at + length)),
        2 => {
            let copy = text[at..at + length].to_vec();
            text.splice(at..at, copy);
        }
        3 => {
            let from = next(other.len());
            let copy = other[from..(from + 40).min(other.len())].to_vec();
            text.splice(at..at, copy);
        }
        4 => {
            // Deep nesting.
            let piece: &[u8] = [b"(".as_slice(), b"{", b"[", b"-", b"*", b"if(1)", b"1?", b"x=", b"!"][next(9)];
            let copies = piece.repeat(1 + next(60));
            text.splice(at..at, copies);
        }
        _ => text.insert(at, b"(){}[]*&;,=:|.->0x\"'"[next(20)]),
    }
}

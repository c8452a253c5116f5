//! Reads changed C files until something breaks: `cargo run -p frontend --example fuzz_c -- ROUNDS SEED FILE...`
//!
//! A panic shows the text that caused it; so does a program that breaks the law of programs, or a text that takes longer
//! than two seconds.

use std::panic::catch_unwind;
use std::time::Instant;

/// Tests that some of the files have functions for.
const TESTS: [&str; 4] = ["e(ed|de)", "a(a|c|r')", "al al(rr rr|rl rl)", "(p|o)"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(10_000);
    let mut state: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let files: Vec<Vec<u8>> = arguments.filter_map(|path| std::fs::read(path).ok()).collect();
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
        match catch_unwind(|| read(&text)) {
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
fn read(text: &str) -> bool {
    let Ok(unit) = frontend::c::load("test.c", text, &mut |_, _| None, &[]) else { return false };
    let _ = unit.program();
    for test in TESTS {
        let _ = unit.test(test);
    }
    let all = unit.operations().join(" ");
    if let Err(messages) = unit.test(&format!("({all})")) {
        println!("{messages} from:\n{text}\n");
    }
    true
}

/// Changes, drops, repeats or copies in a stretch of bytes.
fn change(text: &mut Vec<u8>, other: &[u8], next: &mut impl FnMut(usize) -> usize) {
    let at = next(text.len() + 1);
    let length = next(12).min(text.len() - at);
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

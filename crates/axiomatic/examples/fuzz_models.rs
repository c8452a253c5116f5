//! Reads changed model files until something breaks: `cargo run -p axiomatic --example fuzz_models -- ROUNDS SEED`
//!
//! The shipped models are changed, and read in both languages. A panic shows the text that caused it.

use std::panic::catch_unwind;

use axiomatic::model::{cat, describe, mm, shipped};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let mut state: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    };
    let mut right = 0u64;
    for _ in 0..rounds {
        let mut text = shipped()[next(shipped().len())].1.as_bytes().to_vec();
        for _ in 0..1 + next(6) {
            change(&mut text, shipped()[next(shipped().len())].1.as_bytes(), &mut next);
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let read = catch_unwind(|| {
            let itself = |name: &str| (name == "self.cat").then(|| text.clone());
            let models = [cat::load("test.cat", &text, &itself), mm::load("test.mm", &text)];
            models.iter().flatten().map(|model| describe(model).len().min(1) as u64).sum::<u64>()
        });
        match read {
            Ok(accepted) => right += accepted,
            Err(_) => println!("panic from:\n{text}\n"),
        }
    }
    println!("{rounds} texts read, {right} of them right");
}

/// Changes, drops, repeats or copies in a stretch of bytes.
fn change(text: &mut Vec<u8>, other: &[u8], next: &mut impl FnMut(usize) -> usize) {
    let at = next(text.len() + 1);
    let length = next(12).min(text.len() - at);
    match next(5) {
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
        _ => text.insert(at, b"()[]{}|&;\\*+?^~=,:"[next(18)]),
    }
}

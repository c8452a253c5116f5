//! Shows the program of a C file: `cargo run -p palisade-frontend --example show_c -- FILE [TEST]`
//!
//! With a test in the notation of bounded tests it is that test, else the program that starts at `main`.

use std::path::Path;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        println!("usage: show_c FILE [TEST]");
        return;
    };
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut include = |name: &str, from: &str| {
        let path = Path::new(from).parent()?.join(name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.to_string_lossy().into_owned(), text))
    };
    let program = frontend::c::load(&path, &text, &mut include, &[]).and_then(|unit| match arguments.next() {
        Some(test) => unit.test(&test),
        None => unit.program(),
    });
    match program {
        Ok(program) => print!("{}", program::text::print(&program)),
        Err(messages) => println!("{messages}"),
    }
}

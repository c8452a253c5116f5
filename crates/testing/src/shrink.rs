//! Smaller programs that fail as a given one does.

use program::{Verified, verify};

/// A program with as few lines as can be (no line can be left out alone) that `fails` as the given one does.
pub fn shrink(program: &Verified, fails: &dyn Fn(&Verified) -> bool) -> String {
    let mut lines: Vec<String> = program::text::print(program).lines().map(String::from).collect();
    loop {
        let mut smaller = (0..lines.len()).rev().flat_map(|place| changes(&lines, place));
        let found = smaller.find(|lines| read(&lines.join("\n")).is_some_and(|program| fails(&program)));
        match found {
            Some(smaller) => lines = smaller,
            None => return lines.join("\n"),
        }
    }
}

/// The lines without the one at this place, and with simpler ones there.
fn changes(lines: &[String], place: usize) -> Vec<Vec<String>> {
    let line = lines[place].trim();
    let mut changed = Vec::new();
    let without = |from: usize, to: usize| [&lines[..from], &lines[to..]].concat();
    changed.push(without(place, place + 1));
    if line.starts_with("function") {
        let end = lines[place..].iter().position(|line| line.starts_with('}')).map_or(place, |end| place + end);
        let name = line.trim_start_matches("function ").split('(').next().unwrap_or_default();
        let is_thread = |line: &String| line.starts_with("thread") && line.contains(&format!("@{name}("));
        let mut rest = without(place, end + 1);
        rest.retain(|line| !is_thread(line));
        changed.push(rest);
    }
    let block = line.strip_suffix(':');
    if let Some(block) = block {
        // All that leads to the block goes elsewhere, and the block goes.
        let end = lines[place + 1..].iter().position(|line| line.trim().ends_with(':') || line.starts_with('}'));
        let mut rest = without(place, place + 1 + end.unwrap_or(0));
        rest.retain(|line| !line.contains(&format!(" {block}")) || line.contains("branch"));
        changed.push(rest);
    }
    if let Some(targets) = line.strip_prefix("branch ") {
        for target in targets.split([',', ' ']).filter(|word| word.starts_with('b')) {
            let mut next = lines.to_vec();
            next[place] = format!("    jump {target}");
            changed.push(next);
        }
    }
    if line.starts_with("observed") {
        let mut next = lines.to_vec();
        next[place] = "observed ".into();
        changed.push(next);
    }
    changed
}

/// The program of a text, if it is one.
pub fn read(text: &str) -> Option<Verified> {
    verify(program::text::parse("shrunk.ir", text).ok()?).ok()
}

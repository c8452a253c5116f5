//! Changes of a source file, as a unified diff that `patch` and `git apply` take.

use std::ops::Range;

/// A change: this stretch of bytes becomes this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where text is only put in.
    pub bytes: Range<usize>,
    /// The new text.
    pub text: String,
}

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// Puts a statement before the byte `at`: on a line of its own if nothing but blanks comes before it on its line. Before a
/// closing brace it is indented like the statements of the block.
pub fn insertion(old: &str, at: usize, statement: &str) -> Edit {
    let at = at.min(old.len());
    let start = old[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = &old[start..at];
    if !before.trim().is_empty() {
        return Edit { bytes: at..at, text: format!("{statement} ") };
    }
    let deeper = if old[at..].starts_with('}') { "    " } else { "" };
    Edit { bytes: start..start, text: format!("{before}{deeper}{statement}\n") }
}

/// Takes a statement out, with its line if nothing else but a comment stands there. The semicolon may be missing.
pub fn deletion(old: &str, statement: Range<usize>) -> Edit {
    let rest = old[statement.end..].trim_start();
    let end = if rest.starts_with(';') { old.len() - rest.len() + 1 } else { statement.end };
    let statement = statement.start..end;
    let start = old[..statement.start].rfind('\n').map_or(0, |end| end + 1);
    let end = old[statement.end..].find('\n').map_or(old.len(), |end| statement.end + end + 1);
    let after = old[statement.end..end].trim();
    let is_comment = after.starts_with("//") || (after.starts_with("/*") && after.find("*/") == Some(after.len() - 2));
    let is_alone = old[start..statement.start].trim().is_empty() && (after.is_empty() || is_comment);
    Edit { bytes: if is_alone { start..end } else { statement }, text: String::new() }
}

/// The text with all changes made. At one place text is put in before anything is replaced; of overlapping changes the
/// first counts.
pub fn apply(old: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));
    let (mut new, mut at) = (String::new(), 0);
    for edit in sorted {
        let Some(kept) = old.get(at..edit.bytes.start) else { continue };
        new.push_str(kept);
        new.push_str(&edit.text);
        at = edit.bytes.end;
    }
    new.push_str(old.get(at..).unwrap_or(""));
    new
}

/// The unified diff from one text to another; empty if they are equal.
///
/// ```
/// let diff = report::patch::unified("x.c", "a\nb\n", "a\nc\nb\n");
/// assert_eq!(diff, "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,3 @@\n a\n+c\n b\n");
/// ```
pub fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let lines = compare(&old, &new);
    let is_changed = |line: &Line| !matches!(line, Line::Same(_));
    let changed: Vec<usize> = (0..lines.len()).filter(|&index| is_changed(&lines[index])).collect();
    if changed.is_empty() {
        return String::new();
    }
    let name = name.trim_start_matches("./").trim_start_matches('/');
    let mut text = format!("--- a/{name}\n+++ b/{name}\n");
    let mut next = 0;
    while next < changed.len() {
        let first = next;
        while next + 1 < changed.len() && changed[next + 1] - changed[next] <= 2 * CONTEXT + 1 {
            next += 1;
        }
        let shown = changed[first].saturating_sub(CONTEXT)..(changed[next] + 1 + CONTEXT).min(lines.len());
        text.push_str(&hunk(&lines, shown));
        next += 1;
    }
    text
}

/// A line of a comparison.
#[derive(Clone, Copy)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// Both texts line by line, with as many equal lines as possible.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old_rest[..old_rest.len() - suffix], &new_rest[..new_rest.len() - suffix]);
    // The longest common part of what comes after each pair of lines.
    let mut longest = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] =
                if a[i] == b[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let mut lines: Vec<Line> = old[..prefix].iter().map(|line| Line::Same(line)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(Line::Same(a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            lines.push(Line::Old(a[i]));
            i += 1;
        } else {
            lines.push(Line::New(b[j]));
            j += 1;
        }
    }
    lines.extend(old_rest[old_rest.len() - suffix..].iter().map(|line| Line::Same(line)));
    lines
}

fn hunk(lines: &[Line], shown: Range<usize>) -> String {
    let is_old = |line: &&Line| !matches!(line, Line::New(_));
    let is_new = |line: &&Line| !matches!(line, Line::Old(_));
    let before = &lines[..shown.start];
    let inside = &lines[shown];
    let (olds, news) = (inside.iter().filter(is_old).count(), inside.iter().filter(is_new).count());
    // An empty side is said to start one line earlier.
    let from = before.iter().filter(is_old).count() + usize::from(olds > 0);
    let to = before.iter().filter(is_new).count() + usize::from(news > 0);
    let mut text = format!("@@ -{from},{olds} +{to},{news} @@\n");
    for line in inside {
        let (sign, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Old(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
        text.push_str(&format!("{sign}{line}{end}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_put_in_and_taken_out_with_their_lines() {
        let old = "void f(void)\n{\n    a();\n    fence(); /* why */\n    if (x) { b(); }\n}\n";
        let place = |what: &str| old.find(what).unwrap_or(0);
        let fence = place("fence")..place("fence") + "fence()".len();
        let edits = [
            insertion(old, place("a()"), "first();"),
            deletion(old, fence),
            insertion(old, place("b()"), "inner();"),
            insertion(old, old.len() - 2, "last();"),
        ];
        let new = apply(old, &edits);
        assert_eq!(new, "void f(void)\n{\n    first();\n    a();\n    if (x) { inner(); b(); }\n    last();\n}\n");
    }

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let old: String = (0..30).map(|line| format!("{line}\n")).collect();
        let new = old.replace("\n3\n", "\nthree\n").replace("\n25\n", "\n");
        let diff = unified("x.c", &old, &new);
        assert_eq!(diff.matches("@@ -").count(), 2, "{diff}");
        assert!(diff.contains("@@ -1,7 +1,7 @@\n 0\n 1\n 2\n-3\n+three\n 4\n"), "{diff}");
        assert!(diff.contains("@@ -23,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n"), "{diff}");
    }
}

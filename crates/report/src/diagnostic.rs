//! What is wrong with an input, with the source line, as rustc prints it.
//!
//! Any text and any span can be rendered: control characters are replaced, long lines are cut around the place, spans
//! that do not fit the file are moved to its end.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use program::{Diagnostic, Diagnostics, Severity, Sources, Span};

/// Whether the text is for a terminal that shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// With escape sequences for colours.
    Coloured,
}

/// More messages than this are counted, not shown.
const SHOWN: usize = 20;
/// Lines wider than this are cut around the place that is meant.
const WIDTH: usize = 140;
/// No more characters than this are marked.
const MARK: usize = 80;
/// Longer lines are not shown at all.
const LONG: usize = 20_000;

/// All messages, each with its source line.
pub fn render(diagnostics: &Diagnostics, style: Style) -> String {
    let one = |message: &Diagnostic| render_one(&diagnostics.sources, message, style) + "\n";
    let mut text: String = diagnostics.messages.iter().take(SHOWN).map(one).collect();
    if let Some(more) = diagnostics.messages.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        text.push_str(&format!("... and {more} more messages\n"));
    }
    text
}

/// One message with its source line.
pub fn render_one(sources: &Sources, message: &Diagnostic, style: Style) -> String {
    let level = match message.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(clean(&message.message));
    let mut group = match message.span {
        Some(span) => located(Group::with_title(title), sources, span),
        None => Group::with_title(title),
    };
    for note in &message.notes {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    renderer.term_width(WIDTH).render(&[group])
}

/// Adds `--> file:line:column` and the line itself; of a very long line only the place.
fn located<'a>(group: Group<'a>, sources: &Sources, span: Span) -> Group<'a> {
    let line = line(sources.text(span.file), span);
    let location = sources.location(Span { start: line.offset, ..span });
    let path = clean(&location.file);
    if line.text.len() > LONG {
        return group.element(Origin::path(path).line(location.line).char_column(location.column));
    }
    let annotation = AnnotationKind::Primary.span(line.start..line.end);
    group.element(Snippet::source(line.text).path(path).line_start(location.line.max(1)).annotation(annotation))
}

/// A line with a place in it, as it can be shown.
struct Line {
    text: String,
    /// Where the place starts and ends within `text`, in bytes.
    start: usize,
    end: usize,
    /// Where the place starts within the whole text.
    offset: u32,
}

/// The first line of a span.
fn line(text: &str, span: Span) -> Line {
    let start = floor_boundary(text, span.start as usize);
    let end = floor_boundary(text, (span.end as usize).max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let visible = |from: usize, to: usize| text[from..to].chars().map(visible).collect::<String>();
    let (before, place) = (visible(line_start, start), visible(start, end.min(line_end)));
    let marked = place.chars().take(MARK).map(char::len_utf8).sum::<usize>();
    let after = visible(end.min(line_end), line_end).trim_end().to_string();
    // A place of no width (the end of a line or of the file) still gets a mark of one character.
    let marked = if marked > 0 { marked } else { after.chars().next().map_or(0, char::len_utf8) };
    Line { start: before.len(), end: before.len() + marked, text: before + &place + &after, offset: start as u32 }
}

/// The last character boundary at or before `offset`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A character that takes up one place on a line and does nothing else.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}') => '\u{FFFD}',
        c => c,
    }
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { visible(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use program::FileId;

    fn check(text: &str, start: usize, end: usize, expected: Expect) {
        let mut sources = Sources::new();
        let file = sources.add("t.litmus", text);
        let message = Diagnostic::error("something is wrong", Span::new(file, start, end)).note("try again");
        let rendered = render(&Diagnostics { sources, messages: vec![message] }, Style::Plain);
        expected.assert_eq(&rendered);
    }

    #[test]
    fn the_line_is_shown_with_a_mark() {
        check(
            "X86 SB\n MOV [x],$1 ;\n",
            8,
            11,
            expect![[r#"
            error: something is wrong
             --> t.litmus:2:2
              |
            2 |  MOV [x],$1 ;
              |  ^^^
              |
              = note: try again
        "#]],
        );
    }

    #[test]
    fn tabs_and_wide_characters_keep_the_mark_in_place() {
        check(
            "\té\u{4e2d} MOV\u{7} x\n",
            7,
            10,
            expect![[r#"
            error: something is wrong
             --> t.litmus:1:5
              |
            1 |  é中 MOV� x
              |      ^^^
              |
              = note: try again
        "#]],
        );
    }

    #[test]
    fn the_end_of_a_file_can_be_pointed_at() {
        check(
            "exists",
            6,
            6,
            expect![[r#"
            error: something is wrong
             --> t.litmus:1:7
              |
            1 | exists
              |       ^
              |
              = note: try again
        "#]],
        );
        check(
            "exists\n",
            7,
            7,
            expect![[r#"
            error: something is wrong
             --> t.litmus:2:1
              |
            2 |
              | ^
              |
              = note: try again
        "#]],
        );
    }

    #[test]
    fn an_empty_file_can_be_pointed_at() {
        check(
            "",
            0,
            0,
            expect![[r#"
            error: something is wrong
             --> t.litmus:1:1
              |
            1 |
              | ^
              |
              = note: try again
        "#]],
        );
    }

    #[test]
    fn a_span_over_lines_shows_the_first() {
        check(
            "one\ntwo\nthree\n",
            1,
            10,
            expect![[r#"
            error: something is wrong
             --> t.litmus:1:2
              |
            1 | one
              |  ^^
              |
              = note: try again
        "#]],
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = "x".repeat(5000) + "HERE" + &"y".repeat(5000);
        check(
            &text,
            5000,
            5004,
            expect![[r#"
            error: something is wrong
             --> t.litmus:1:5001
              |
            1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxHEREyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
              |                                                                   ^^^^
              |
              = note: try again
        "#]],
        );
        check(
            &text.repeat(3),
            5000,
            5004,
            expect![[r#"
            error: something is wrong
            --> t.litmus:1:5001
             = note: try again
        "#]],
        );
    }

    #[test]
    fn no_text_and_no_span_breaks_the_renderer() {
        let texts = ["", "\n", "é", "\u{0}\u{1}\r\n\t", "a\r\nb", "\u{202e}abc\u{feff}", "a\u{301}b", "👩‍👩‍👧 x"];
        for text in texts {
            for start in 0..text.len() + 3 {
                for end in 0..text.len() + 3 {
                    let mut sources = Sources::new();
                    let file = sources.add("t\n\u{1b}", text);
                    let span = Span { file, start: start as u32, end: end as u32 };
                    for style in [Style::Plain, Style::Coloured] {
                        render_one(&sources, &Diagnostic::error("e\u{1b}", span), style);
                    }
                    render_one(&sources, &Diagnostic::error("e", Span { file: FileId(9), ..span }), Style::Plain);
                }
            }
        }
    }
}

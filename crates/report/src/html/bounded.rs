//! The page of a bounded test: verdict, what the operations showed, what was reordered, and the execution step by step beside
//! the source. It can be read without scripts; a short one connects steps with source lines under the mouse.

use std::collections::{BTreeMap, BTreeSet};

use program::{EventId, Execution, FileId, Location, Program, Span, Verdict};

use super::STYLE;
use crate::answer::verdict_word;
use crate::explanation::{Explained, Writing};
use crate::failure::Stop;
use crate::names::{Names, line_text};
use crate::reordering::{Moved, Reordering, reordering};
use crate::text::bounded as words;
use crate::trace::{self, InBlock, Row, Trace, operation_title, short_name, values};
use crate::xml::{escape, shorten};
use crate::{Answer, svg, text};

const TEST_STYLE: &str = "\
body { max-width: 120em; }
table { border-collapse: collapse; font-size: .9em; } th { text-align: left; font-weight: 600; color: #57606a; padding: .15em .8em; }
td { padding: .1em .6em; vertical-align: top; } code, .trace td { font: 12.5px/1.5 ui-monospace, DejaVu Sans Mono, monospace; white-space: pre; }
.beside { display: flex; gap: 1.5em; align-items: flex-start; } .beside > div { overflow-x: auto; flex: 0 1 auto; }
@media (max-width: 75em) { .beside { flex-wrap: wrap; } }
.beside > .source { flex: 1 1 30em; min-width: 30em; max-height: 90vh; overflow-y: auto; position: sticky; top: 1em; font-size: 13px; }
.source pre { margin: 0; padding: .5em 0; } .source h3 { font-size: .95em; margin: .6em 0 .3em; }
.source a.line { display: block; padding: 0 1em; color: inherit; text-decoration: none; } .source a.used { background: #eef4fb; }
.source a.turned { background: #ffe3df; } .source a.fails { background: #d1242f; color: #ffffff; } .source a:target, .source a.now { background: #ffd33d; }
.trace { border: 1px solid #d8dee4; } .trace td { border-left: 1px solid #eaeef2; } .trace th { border-bottom: 1px solid #d8dee4; }
.trace tr.operation td { font-family: inherit; padding-top: .5em; font-weight: 600; } .trace tr.fence { color: #8a8f98; }
.trace tr:target td, .trace tr.now td { box-shadow: inset 0 0 0 100px rgba(255, 211, 61, .35); }
.trace .name { color: #57606a; } .trace a { color: inherit; text-decoration: none; } .trace .line { text-align: right; color: #7a828c; }
.moved { color: #b42318; font-weight: 600; } tr.circle .effect { outline: 2px solid #d1242f; outline-offset: 1px; border-radius: 2px; }
.tag { background: #d1242f; color: #ffffff; border-radius: .3em; padding: 0 .4em; font: 600 11px system-ui, sans-serif; }
.why { border-left: 4px solid #d1242f; background: #fff5f4; padding: .5em 1em; } .why.calm { border-color: #8a8f98; background: #f6f8fa; }
.note { color: #57606a; font-size: .9em; } details { margin-top: 2em; } a.event { color: #0969da; text-decoration: none; }
.o0 { background: #e8f1fb; } .o1 { background: #fdf3d7; } .o2 { background: #e4f5e6; } .o3 { background: #f5e8fa; } .o4 { background: #fbe9e0; } .o5 { background: #e0f4f4; }";

/// Shows the source line of the step under the mouse, and the steps of the source line.
const SCRIPT: &str = "\
document.querySelectorAll('[data-line]').forEach(function (e) {
  var all = document.querySelectorAll('[data-line=\"' + e.dataset.line + '\"]');
  e.addEventListener('mouseenter', function () {
    all.forEach(function (x) { x.classList.add('now'); });
    var line = document.getElementById(e.dataset.line), box = line ? line.closest('.source') : null;
    if (box) { if (!box.contains(e)) { box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3; } }
  });
  e.addEventListener('mouseleave', function () { all.forEach(function (x) { x.classList.remove('now'); }); });
});";

/// The page of an answer about a bounded test: well-formed XML, so that it can be checked.
pub fn answer(answer: &Answer) -> String {
    let outcome = answer.outcome;
    let title = match answer.test() {
        None => format!("{} under {}", short_name(answer.file), answer.model),
        Some(test) => format!("{} of {} under {}", test.notation, short_name(answer.file), answer.model),
    };
    let word = verdict_word(&outcome.verdict);
    let sentence = words::verdict(answer);
    let sentence = sentence.split_once(": ").map_or(&*sentence, |(_, rest)| rest);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>\n{STYLE}\n{}\n</style>\n\
         </head>\n<body>\n<h1>{}</h1>\n<p><span class=\"verdict {word}\">{word}</span> {}</p>\n",
        escape(&title),
        escape(TEST_STYLE).replace("&gt;", ">"),
        escape(&answer.question()),
        escape(sentence),
    );
    page.push_str(&super::warnings(answer));
    if let Some(location) = words::failing_place(outcome) {
        let line = line_text(&answer.program.sources, location).unwrap_or_default();
        page.push_str(&format!("<p>{}: <code>{}</code></p>\n", escape(&location.to_string()), escape(line)));
    }
    if let Some(witness) = &outcome.witness {
        page.push_str(&execution(answer, witness));
    }
    page.push_str(&bounds(answer));
    let words = escape(&text::answer(answer));
    page.push_str(&format!("<details><summary>All of this as text</summary>\n<pre>{words}</pre>\n</details>\n"));
    page + &format!("<script>\n{SCRIPT}\n</script>\n</body>\n</html>\n")
}

/// Events link to their rows, code stands in a code element.
struct Linked;

impl Writing for Linked {
    fn event(&self, id: EventId, name: &str) -> String {
        format!("<a class=\"event\" href=\"#e{}\">{}</a>", id.0, escape(name))
    }

    fn code(&self, text: &str) -> String {
        format!("<code>{}</code>", escape(text))
    }
}

fn execution(answer: &Answer, execution: &Execution) -> String {
    let Answer { program, outcome, .. } = answer;
    let names = Names::of(program, execution);
    let found = reordering(execution);
    let explained = Explained { program, file: answer.file, execution, names: &names, found: &found, writing: &Linked };
    let is_failure = outcome.verdict == Verdict::Violated;
    let which = if is_failure { "What the operations showed" } else { "What the operations showed in one execution" };
    let mut html = String::new();
    if answer.test().is_some() {
        html.push_str(&format!("<h2>{which}</h2>\n{}", observation(answer, &names)));
        html.push_str(&format!("<p>{}</p>\n", escape(&words::conclusion(answer))));
    }
    html.push_str(&format!("<h2>What was reordered</h2>\n{}", reason(&explained, words::blames_algorithm(outcome))));
    let trace = trace::trace(program, execution, &names, &found, outcome.failure.as_ref());
    html.push_str("<h2>The execution, step by step</h2>\n");
    html.push_str(&format!(
        "<p class=\"note\">From top to bottom in an order in which memory may have seen it. <code>:=</code> stores, \
         <code>-&gt;</code> loads, <code>&lt;-</code> names the store that a load sees; a bracket holds one atomic step.{}</p>\n",
        if found.cycle.is_empty() { "" } else { " Framed in red: the circle. ▲ ▼: earlier, later than the program has it." }
    ));
    let source = source(answer, &trace, &found, execution);
    html.push_str(&format!("<div class=\"beside\">\n{}{source}</div>\n", steps(answer, &trace, &names)));
    html + &picture(answer, execution, &found)
}

fn observation(answer: &Answer, names: &Names) -> String {
    let mut rows = String::new();
    let sequences = answer.outcome.observation.iter().flatten().enumerate();
    for (sequence, operations) in sequences {
        for (index, shown) in operations.iter().enumerate() {
            let class = sequence.checked_sub(1).map_or(String::new(), |column| colour(column, index as u32));
            rows.push_str(&format!(
                "<tr class=\"{class}\"><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>\n",
                escape(&words::sequence_name(answer, sequence)),
                escape(&shown.operation),
                escape(&values(answer.program, shown, names))
            ));
        }
    }
    format!("<table>\n<tr><th>thread</th><th>operation</th><th>showed</th></tr>\n{rows}</table>\n")
}

/// The colour of an operation: neighbours in a thread, and first operations of threads, differ.
fn colour(column: usize, operation: u32) -> String {
    format!("o{}", (column * 2 + operation as usize) % 6)
}

/// What was reordered, and the cycle that excludes an interleaving.
fn reason(explained: &Explained, is_failure: bool) -> String {
    let sentences = explained.sentences(is_failure);
    let calm = if explained.found.cycle.is_empty() { " calm" } else { "" };
    let mut html = format!("<div class=\"why{calm}\">\n");
    sentences.iter().for_each(|sentence| html.push_str(&format!("<p>{sentence}</p>\n")));
    if !explained.found.cycle.is_empty() {
        html.push_str("<p>Each of these comes after the one above it, and the first after the last, so that no interleaving has them all:</p>\n<table>\n");
        for (id, because) in explained.cycle() {
            let event = explained.execution.event(id);
            html.push_str(&format!(
                "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td><code>{}</code></td><td>{because}</td></tr>\n",
                Linked.event(id, explained.names.get(id)),
                escape(&trace::effect(explained.program, event, explained.names)),
                explained.line(event).map_or(String::new(), |line| format!("line {}", escape(&line))),
                escape(&trace::statement(&explained.program.sources, event.span)),
            ));
        }
        html.push_str("</table>\n");
    }
    html + "</div>\n"
}

/// The trace: a column per thread, then line and statement.
fn steps(answer: &Answer, trace: &Trace, names: &Names) -> String {
    let heads: String = trace.columns.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
    let mut html = format!("<div><table class=\"trace\">\n<tr>{heads}<th>line</th><th>statement</th></tr>\n");
    for row in &trace.rows {
        if row.starts_operation {
            let title = operation_title(answer.program, answer.outcome.observation.as_ref(), row, names);
            let title = format!("<td class=\"{}\">{}</td>", colour(row.column, row.operation), escape(&title));
            html.push_str(&format!(
                "<tr class=\"operation\">{}<td></td><td></td></tr>\n",
                in_column(trace, row.column, &title)
            ));
        }
        html.push_str(&step(answer, trace, row));
    }
    trace.stops.iter().for_each(|(column, stop)| html.push_str(&stopped(answer, trace, *column, stop)));
    html + "</table></div>\n"
}

/// A cell in its column, empty ones in the others.
fn in_column(trace: &Trace, own: usize, cell: &str) -> String {
    (0..trace.columns.len()).map(|column| if column == own { cell } else { "<td></td>" }).collect()
}

/// Where a thread fails or waits for ever without an event.
fn stopped(answer: &Answer, trace: &Trace, column: usize, stop: &Stop) -> String {
    let cell = format!("<td>{} <span class=\"tag\">goes wrong here</span></td>", stop.what);
    let line = stop.location.as_ref().map_or(String::new(), |place| trace::line(place, answer.file));
    let text = stop.location.as_ref().and_then(|place| line_text(&answer.program.sources, place)).unwrap_or_default();
    format!(
        "<tr>{}<td class=\"line\">{}</td><td>{}</td></tr>\n",
        in_column(trace, column, &cell),
        escape(&line),
        escape(&shorten(&trace::code(text), 60))
    )
}

fn step(answer: &Answer, trace: &Trace, row: &Row) -> String {
    let moved = match row.moved {
        Some(Moved::Early) => " <span class=\"moved\">▲ early</span>",
        Some(Moved::Late) => " <span class=\"moved\">▼ late</span>",
        None => "",
    };
    let block = match row.atomic {
        Some(InBlock::First) => "┌ ",
        Some(InBlock::Middle) => "│ ",
        Some(InBlock::Last) => "└ ",
        None => "  ",
    };
    let seen = row.sees.as_ref().map_or(String::new(), |seen| {
        let below = if seen.is_below { " (below: its own store)" } else { "" };
        let name = seen.event.map_or_else(|| escape(&seen.name), |id| Linked.event(id, &seen.name));
        format!(" &lt;- {name}{below}")
    });
    let fails = if row.fails { " <span class=\"tag\">goes wrong here</span>" } else { "" };
    let class = format!("{}{}", if row.is_fence { "fence " } else { "" }, if row.on_cycle { "circle" } else { "" });
    let cell = format!(
        "<td class=\"{}\"><span class=\"name\">{:<4}</span>{block}<span class=\"effect\">{}</span>{seen}{moved}{fails}</td>",
        colour(row.column, row.operation),
        escape(&row.name),
        escape(&row.effect)
    );
    let sources = &answer.program.sources;
    let (anchor, line) = row.span.map_or_else(Default::default, |span| {
        (anchor(answer.program, span), trace::line(&sources.location(span), answer.file))
    });
    format!(
        "<tr id=\"e{}\" class=\"{}\" data-line=\"{anchor}\">{}<td class=\"line\"><a href=\"#{anchor}\">{}</a></td><td>{}</td></tr>\n",
        row.event.0,
        class.trim(),
        in_column(trace, row.column, &cell),
        escape(&line),
        escape(&shorten(&trace::statement(sources, row.span), 60))
    )
}

/// The name of a source line within the page.
fn anchor(program: &Program, span: Span) -> String {
    format!("f{}l{}", span.file.0, program.sources.location(span).line)
}

/// So many lines of a file are shown before the first and after the last one that the trace passes through.
const AROUND: usize = 12;

/// The files that the trace passes through, with its lines marked.
fn source(answer: &Answer, trace: &Trace, found: &Reordering, execution: &Execution) -> String {
    let program = answer.program;
    let mut used: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
    for span in trace.rows.iter().filter_map(|row| row.span) {
        used.entry(span.file).or_default().insert(program.sources.location(span).line);
    }
    let ends = found.turned.iter().flat_map(|&(earlier, later)| [earlier, later]);
    let turned: BTreeSet<(FileId, usize)> = ends
        .filter_map(|id| execution.event(id).span)
        .map(|span| (span.file, program.sources.location(span).line))
        .collect();
    let fails = words::failing_place(answer.outcome).and_then(|place| {
        let file = used.keys().copied().find(|&file| program.sources.name(file) == place.file)?;
        Some((file, place.line))
    });
    let mut html = String::from("<div class=\"source\">\n");
    for (file, lines) in &used {
        html.push_str(&format!("<h3>{}</h3>\n<pre>", escape(program.sources.name(*file))));
        let text = program.sources.text(*file);
        let width = text.lines().count().to_string().len();
        let (first, last) = (lines.first().map_or(1, |&line| line), lines.last().map_or(1, |&line| line));
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if number + AROUND < first || number > last + AROUND {
                continue;
            }
            let is_failing = fails.as_ref() == Some(&(*file, number));
            let class = match (turned.contains(&(*file, number)), lines.contains(&number)) {
                _ if is_failing => "line fails",
                (true, _) => "line turned",
                (false, true) => "line used",
                (false, false) => "line",
            };
            let anchor = format!("f{}l{number}", file.0);
            let data = if class == "line" { String::new() } else { format!(" data-line=\"{anchor}\"") };
            html.push_str(&format!(
                "<a class=\"{class}\" id=\"{anchor}\"{data}><span class=\"number\">{number:>width$}  </span>{}</a>",
                escape(line)
            ));
        }
        html.push_str("</pre>\n");
    }
    html + "</div>\n"
}

fn picture(answer: &Answer, execution: &Execution, found: &Reordering) -> String {
    let Some(svg) = svg::circle(answer.program, execution, found, answer.outcome.failure.as_ref()) else {
        return String::new();
    };
    let heading = if found.cycle.is_empty() { "As a picture" } else { "The circle as a picture" };
    format!("<h2>{heading}</h2>\n<div class=\"picture\">\n{svg}</div>\n")
}

fn bounds(answer: &Answer) -> String {
    let bounds = &answer.outcome.bounds;
    let line = |location: &Location| line_text(&answer.program.sources, location).unwrap_or_default().to_string();
    let mut html = String::new();
    let row = |location: &Location, times: &str| {
        format!(
            "<tr><td>{}</td><td><code>{}</code></td><td>{times}</td></tr>\n",
            escape(&location.to_string()),
            escape(&line(location))
        )
    };
    if !bounds.exceeded.is_empty() {
        let rows: String = bounds.exceeded.iter().map(|location| row(location, "")).collect();
        html.push_str(&format!(
            "<h2>These loops can have more iterations than were tried</h2>\n<table>\n{rows}</table>\n"
        ));
    }
    if !bounds.loops.is_empty() {
        let rows: String =
            bounds.loops.iter().map(|(location, iterations)| row(location, &format!("{iterations}×"))).collect();
        let title = words::rounds_title(&answer.outcome.verdict);
        html.push_str(&format!("<h2>{title}</h2>\n<table>\n{rows}</table>\n"));
    }
    html
}

#[cfg(test)]
mod tests {
    use crate::{examples, html};

    #[test]
    fn pages_are_well_formed_and_refer_to_themselves_only() {
        let (program, test, outcome) = examples::mailbox();
        let unknown = program::Outcome { verdict: program::Verdict::Unknown("<late>".into()), ..Default::default() };
        let holds = program::Outcome { verdict: program::Verdict::Holds, failure: None, ..outcome.clone() };
        for outcome in [&outcome, &unknown, &holds] {
            let page = html::answer(&examples::test_answer(&program, &test, outcome));
            let body = page.strip_prefix("<!DOCTYPE html>\n").expect("a doctype");
            let document = roxmltree::Document::parse(body).expect("well-formed");
            let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
            for link in document.descendants().filter_map(|node| node.attribute("href")) {
                let target = link.strip_prefix('#').expect("a link within the page");
                assert!(ids.contains(&target), "{link} leads nowhere");
            }
            assert!(!page.contains("src="));
        }
    }

    #[test]
    fn what_was_turned_round_stands_out() {
        let (program, test, outcome) = examples::mailbox();
        let page = html::answer(&examples::test_answer(&program, &test, &outcome));
        for part in ["▲ early", "class=\"line turned\" id=\"f0l7\"", "class=\"line turned\" id=\"f0l8\""] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("class=\"line turned\"").count(), 2);
    }
}

//! One page with everything about an answer: question, verdict, source, picture, reasons. Opens offline.

mod bounded;

use std::path::Path;

use program::{CoreMember, CoreMemberKind, FileId, Location};

use crate::answer::{Claim, verdict_word};
use crate::xml::escape;
use crate::{Answer, svg, text};

const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; background: #ffffff; max-width: 75em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.3em; font-weight: 600; }
h2 { font-size: 1.05em; margin-top: 2em; }
.verdict { display: inline-block; padding: .1em .7em; border-radius: .4em; color: #ffffff; font-weight: 600; }
.allowed, .holds { background: #1a7f37; } .forbidden, .violated { background: #b42318; } .unknown { background: #8a6100; }
pre { background: #f6f8fa; border: 1px solid #d8dee4; border-radius: .4em; padding: .7em 1em; overflow-x: auto; }
pre .number { color: #7a828c; user-select: none; } pre .core { background: #fff1c2; }
.warning { border-left: 4px solid #8a6100; background: #fff8e6; padding: .3em 1em; }
.picture { overflow-x: auto; border: 1px solid #d8dee4; border-radius: .4em; } .picture svg { display: block; margin: auto; }
code { font-family: ui-monospace, monospace; }";

/// The page of an answer: well-formed XML, so that it can be checked.
pub fn answer(answer: &Answer) -> String {
    if answer.is_shown_by_steps() || answer.is_program_that_fails() {
        return bounded::answer(answer);
    }
    let title = format!("{} under {}", answer.program.name, answer.model);
    let verdict = verdict_word(&answer.outcome.verdict);
    let claim = match answer.claim() {
        _ if answer.program.question.is_none() => "",
        Claim::Validated => "the test's claim is validated",
        Claim::Refuted => "the test's claim is not validated",
        Claim::Undecided => "the test's claim is not decided",
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>\n{STYLE}\n</style>\n\
         </head>\n<body>\n<h1>{}</h1>\n<p><span class=\"verdict {verdict}\">{verdict}</span> {claim}</p>\n",
        escape(&title),
        escape(&answer.question()),
    );
    page.push_str(&warnings(answer));
    if answer.picture().is_some() {
        page.push_str(&format!("<div class=\"picture\">\n{}</div>\n", svg::answer(answer)));
    }
    if let Some(core) = &answer.outcome.core {
        page.push_str("<h2>Because of</h2>\n<ul>\n");
        core.members.iter().for_each(|member| page.push_str(&self::member(member)));
        page.push_str("</ul>\n");
    }
    page.push_str(&format!("<h2>{}</h2>\n{}", escape(answer.file), source(answer)));
    let words = if answer.outcome.states.is_some() { text::outcomes(answer) } else { text::answer(answer) };
    page.push_str(&format!("<h2>In words</h2>\n<pre>{}</pre>\n</body>\n</html>\n", escape(&words)));
    page
}

/// What of the program means nothing under the model, a paragraph each.
fn warnings(answer: &Answer) -> String {
    let warnings = answer.outcome.warnings.iter();
    warnings.map(|warning| format!("<p class=\"warning\">Warning: {}.</p>\n", escape(warning))).collect()
}

fn member(member: &CoreMember) -> String {
    let (kind, name) = match member.kind {
        CoreMemberKind::Axiom => ("the axiom", &member.name),
        CoreMemberKind::Program => ("the line", &member.name),
        CoreMemberKind::Assertion => ("the condition", &member.name),
    };
    let place = member.location.as_ref().map_or(String::new(), |location| format!(" ({location})"));
    let thread = member.thread.as_ref().map_or(String::new(), |thread| format!(" of {thread}"));
    let formula = member.formula.as_ref().map_or(String::new(), |text| format!("<br/><code>{}</code>", escape(text)));
    format!("<li>{kind}{} <code>{}</code>{}{formula}</li>\n", escape(&thread), escape(name), escape(&place))
}

/// The program with line numbers; lines of the core, and the one at which something goes wrong, stand out.
fn source(answer: &Answer) -> String {
    let sources = &answer.program.sources;
    let mut html = String::new();
    for file in files_to_show(answer) {
        let name = sources.name(file);
        if name != answer.file {
            html.push_str(&format!("<h3>{}</h3>\n", escape(name)));
        }
        html.push_str(&source_of(answer, file));
    }
    html
}

/// The file that was asked about, or the source of that class file; and that in which something goes wrong.
fn files_to_show(answer: &Answer) -> Vec<FileId> {
    let sources = &answer.program.sources;
    let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let named = sources.files().find(|&file| sources.name(file) == answer.file);
    let of_class = || {
        let is_code = |file: &FileId| !sources.name(*file).starts_with('<');
        let same = |file: &FileId| stem(sources.name(*file)) == stem(answer.file) && !sources.text(*file).is_empty();
        let found = sources.files().filter(is_code).find(same);
        found.or_else(|| sources.files().find(is_code))
    };
    let mut files: Vec<FileId> = named.or_else(of_class).into_iter().collect();
    let wrong = answer.outcome.failure.as_ref().and_then(|failure| failure.location.as_ref());
    let at_fault = wrong.and_then(|wrong| sources.files().find(|&file| sources.name(file) == wrong.file));
    files.extend(at_fault.filter(|file| files.first().is_none_or(|first| sources.name(*first) != sources.name(*file))));
    files
}

fn source_of(answer: &Answer, file: FileId) -> String {
    let members = answer.outcome.core.as_ref().map_or(&[][..], |core| &core.members);
    let wrong = answer.outcome.failure.as_ref().and_then(|failure| failure.location.as_ref());
    let marked = members.iter().filter_map(|member| member.location.as_ref()).chain(wrong);
    let sources = &answer.program.sources;
    let marked: Vec<&Location> = marked.filter(|at| at.file == sources.name(file)).collect();
    let text = sources.text(file);
    let width = text.lines().count().to_string().len();
    let is_shown = |line: &str| !sources.is_listing(file) || !line.is_empty();
    let mut html = String::from("<pre>");
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_shown(line)) {
        let class = if marked.iter().any(|at| at.line == index + 1) { "core" } else { "line" };
        let number = format!("{:>width$}", index + 1);
        html.push_str(&format!(
            "<span class=\"number\">{number}  </span><span class=\"{class}\">{}</span>\n",
            escape(line)
        ));
    }
    html + "</pre>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    #[test]
    fn pages_are_well_formed_and_need_nothing_else() {
        for (program, outcome) in [
            examples::allowed(),
            examples::forbidden(),
            examples::justified(),
            examples::unknown(),
            examples::outcomes(),
        ] {
            let page = answer(&examples::answer(&program, &outcome));
            let body = page.strip_prefix("<!DOCTYPE html>\n").expect("a doctype");
            roxmltree::Document::parse(body).expect("well-formed");
            assert!(!page.contains("src=") && !page.contains("href="), "the page refers to something outside");
        }
    }
}

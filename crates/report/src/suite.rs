//! Many answers: which are not as expected, a summary by model, and the same as JSON and JUnit XML. Parts of a suite that were
//! run apart are put together again by [`mod@merge`].

pub mod merge;

use serde_json::{Value as Json, json};

use crate::table::{Align, render};
use crate::words;
use crate::xml::escape;

/// How an answer compares with what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// As expected.
    Right,
    /// Not as expected: another answer, a rejected input, or a crash.
    Wrong,
    /// The test or the model uses what is not modelled.
    Unsupported,
    /// No answer within the limits.
    Unknown,
    /// Answered, and nothing was expected.
    Unjudged,
}

impl Grade {
    /// The grade as one word.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Right => "right",
            Grade::Wrong => "wrong",
            Grade::Unsupported => "unsupported",
            Grade::Unknown => "unknown",
            Grade::Unjudged => "unjudged",
        }
    }

    /// The grade of a word.
    pub fn named(word: &str) -> Option<Grade> {
        let all = [Grade::Right, Grade::Wrong, Grade::Unsupported, Grade::Unknown, Grade::Unjudged];
        all.into_iter().find(|grade| grade.word() == word)
    }
}

/// One test under one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its place in the whole suite.
    pub number: usize,
    /// The file as it is to be shown.
    pub file: String,
    /// Name of the model.
    pub model: String,
    /// What else was asked for, as the expectation writes it; empty if nothing was.
    pub options: String,
    /// Who answered.
    pub engine: Option<String>,
    /// What was expected, as the expectation writes it.
    pub expected: Option<String>,
    /// What was answered, in the same words; `-` if there was no answer.
    pub answer: String,
    /// How the two compare.
    pub grade: Grade,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// What of the test means nothing under the model.
    pub warnings: Vec<String>,
    /// Whether torn variables were looked for; nothing if no variable may tear.
    pub tearing: Option<bool>,
    /// Processor time.
    pub cpu_seconds: f64,
}

impl Row {
    /// What was answered, for another process.
    pub fn answered_to_json(&self) -> Json {
        let Row { model, engine, answer, grade, reason, warnings, tearing, cpu_seconds, .. } = self;
        json!({
            "model": model, "engine": engine, "answer": answer, "grade": grade.word(), "reason": reason, "warnings": warnings,
            "tearing": tearing, "cpu": cpu_seconds,
        })
    }

    /// With what another process answered.
    #[must_use]
    pub fn answered(self, reply: &Json) -> Row {
        let word = |key: &str| reply[key].as_str().map(str::to_string);
        let mut row = self;
        row.model = word("model").unwrap_or(row.model);
        row.engine = word("engine");
        row.answer = word("answer").unwrap_or(row.answer);
        row.grade = word("grade").and_then(|word| Grade::named(&word)).unwrap_or(row.grade);
        row.reason = word("reason");
        let warnings = reply["warnings"].as_array().into_iter().flatten();
        row.warnings = warnings.filter_map(|warning| warning.as_str().map(str::to_string)).collect();
        row.tearing = reply["tearing"].as_bool();
        row.cpu_seconds = reply["cpu"].as_f64().unwrap_or_default();
        row
    }

    /// The file with what else was asked for.
    fn subject(&self) -> String {
        format!("{} {}", self.file, self.options).trim_end().to_string()
    }
}

/// One of several parts of a suite, which are run apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl Shard {
    /// Reads `INDEX/COUNT`.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if 1 <= index && index <= count => Ok(Shard { index, count }),
            Some((_, 0)) => Err("there is at least one shard: 1/1".into()),
            Some((index, count)) => Err(format!("shards are counted from 1 to {count}: there is no {index}")),
            None => Err("a shard is one of several: 2/8 is the second of eight".into()),
        }
    }

    /// Whether the row of this number belongs to it.
    pub fn has(self, number: usize) -> bool {
        number % self.count == self.index - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// A finished run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// What tells the whole suite, of which these may be some rows, from others: see [`fingerprint`].
    pub fingerprint: String,
    /// How many rows the whole suite has.
    pub total: usize,
    /// Which part of it this is; `None` if it is all.
    pub shard: Option<Shard>,
    /// In the order of the suite.
    pub rows: Vec<Row>,
    /// Time from start to end.
    pub wall_seconds: f64,
    /// Why not all tests were run, if so.
    pub interrupted: Option<String>,
}

/// The figures of one model, or of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Name of the model; `all` for the whole suite.
    pub model: String,
    /// Number of rows.
    pub tests: usize,
    /// Rows by grade, in the order of [`Grade`].
    pub grades: [usize; 5],
    /// Processor time of all rows.
    pub cpu_seconds: f64,
}

impl Suite {
    /// How many rows have a grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.rows.iter().filter(|row| row.grade == grade).count()
    }

    /// The figures by model, in order of name, and at the end those of all when there are several models.
    pub fn summaries(&self) -> Vec<Summary> {
        let mut models: Vec<&str> = self.rows.iter().map(|row| row.model.as_str()).collect();
        models.sort_unstable();
        models.dedup();
        let mut summaries: Vec<Summary> =
            models.iter().map(|model| self.summary(model, |row| row.model == *model)).collect();
        if summaries.len() != 1 {
            summaries.push(self.summary("all", |_| true));
        }
        summaries
    }

    fn summary(&self, name: &str, keep: impl Fn(&Row) -> bool) -> Summary {
        let mut summary = Summary { model: name.into(), ..Summary::default() };
        for row in self.rows.iter().filter(|row| keep(row)) {
            summary.tests += 1;
            summary.grades[row.grade as usize] += 1;
            summary.cpu_seconds += row.cpu_seconds;
        }
        summary
    }

    fn slowest(&self, count: usize) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.cpu_seconds.total_cmp(&a.cpu_seconds));
        rows.truncate(count);
        rows
    }
}

/// What tells a suite from others: a figure of what is asked and expected, row by row.
pub fn fingerprint<'r>(rows: impl Iterator<Item = &'r [&'r str]>) -> String {
    // FNV-1a: short, and the same everywhere.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for row in rows {
        for field in row {
            field.bytes().for_each(&mut take);
            take(0);
        }
        take(1);
    }
    format!("{hash:016x}")
}

/// What is not right, a summary by model, and the slowest tests.
pub fn text(suite: &Suite) -> String {
    let unusual: Vec<Vec<String>> = suite.rows.iter().filter(|row| row.grade != Grade::Right).map(cells).collect();
    let mut text = String::new();
    if !unusual.is_empty() {
        let headers = ["", "file", "model", "expected", "answer", "reason"].map(|name| (name, Align::Left));
        text.push_str(&(render(&headers, &unusual) + "\n"));
    }
    text.push_str(&warnings(suite));
    text.push_str(&summary_table(&suite.summaries()));
    let slowest = suite.slowest(5);
    if slowest.len() > 1 {
        text.push_str("\nSlowest:\n");
        let line = |row: &&Row| format!("  {:>8.3} s  {} ({})\n", row.cpu_seconds, row.subject(), row.model);
        text.extend(slowest.iter().map(line));
    }
    text.push_str(&format!("\nWall time {:.2} s.\n", suite.wall_seconds));
    if let Some(reason) = &suite.interrupted {
        text.push_str(&format!("Not all tests were run: {reason}.\n"));
    }
    text
}

/// What of tests means nothing under their models, and whether torn variables were looked for, a line each.
pub fn warnings(suite: &Suite) -> String {
    let line = |row: &Row, warning: &String| format!("warning: {}: {warning}\n", row.subject());
    let tearing =
        |row: &Row| row.tearing.map(|looked_for| format!("{}: {}\n", row.file, words::tearing_in_words(looked_for)));
    let lines_of = |row: &Row| {
        let warnings: Vec<String> = row.warnings.iter().map(|warning| line(row, warning)).collect();
        warnings.into_iter().chain(tearing(row))
    };
    let lines: String = suite.rows.iter().flat_map(lines_of).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

fn cells(row: &Row) -> Vec<String> {
    let reason = row.reason.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
    vec![
        row.grade.word().into(),
        row.subject(),
        row.model.clone(),
        row.expected.clone().unwrap_or_else(|| "-".into()),
        row.answer.clone(),
        crate::xml::shorten(reason, 100),
    ]
}

fn summary_table(summaries: &[Summary]) -> String {
    let has_unjudged = summaries.iter().any(|summary| summary.grades[Grade::Unjudged as usize] > 0);
    let mut headers = vec![("model", Align::Left)];
    headers.extend(["tests", "right", "wrong", "unsupported", "unknown"].map(|name| (name, Align::Right)));
    if has_unjudged {
        headers.push(("unjudged", Align::Right));
    }
    headers.extend([("CPU s", Align::Right), ("ms/test", Align::Right)]);
    let row = |summary: &Summary| {
        let mut cells = vec![summary.model.clone(), summary.tests.to_string()];
        let grades = if has_unjudged { &summary.grades[..] } else { &summary.grades[..4] };
        cells.extend(grades.iter().map(usize::to_string));
        cells.push(format!("{:.2}", summary.cpu_seconds));
        cells.push(format!("{:.2}", 1000.0 * summary.cpu_seconds / summary.tests.max(1) as f64));
        cells
    };
    render(&headers, &summaries.iter().map(row).collect::<Vec<_>>())
}

/// One object, schema 1: `rows` (`number`, `file`, `model`, `options`, `engine`, `expected`, `answer`, `grade`, `reason`,
/// `warnings`, `tearing` if variables may tear, `cpu_seconds`), `summary` by model, `wall_seconds`, `interrupted`, and which
/// part of which suite it is: `suite`, `total`, `shard`.
pub fn json(suite: &Suite) -> String {
    let row = |row: &Row| {
        let mut object = json!({
            "number": row.number,
            "file": row.file,
            "model": row.model,
            "options": row.options,
            "engine": row.engine,
            "expected": row.expected,
            "answer": row.answer,
            "grade": row.grade.word(),
            "reason": row.reason,
            "warnings": row.warnings,
            "cpu_seconds": round(row.cpu_seconds),
        });
        if let Some(looked_for) = row.tearing {
            object["tearing"] = json!(looked_for);
        }
        object
    };
    let summary = |summary: &Summary| {
        let [right, wrong, unsupported, unknown, unjudged] = summary.grades;
        json!({
            "model": summary.model,
            "tests": summary.tests,
            "right": right,
            "wrong": wrong,
            "unsupported": unsupported,
            "unknown": unknown,
            "unjudged": unjudged,
            "cpu_seconds": round(summary.cpu_seconds),
        })
    };
    let object = json!({
        "schema": 1,
        "rows": suite.rows.iter().map(row).collect::<Json>(),
        "summary": suite.summaries().iter().map(summary).collect::<Json>(),
        "wall_seconds": round(suite.wall_seconds),
        "interrupted": suite.interrupted,
        "suite": suite.fingerprint,
        "total": suite.total,
        "shard": suite.shard.map(|shard| shard.to_string()),
    });
    object.to_string() + "\n"
}

/// To microseconds.
fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// JUnit XML: a test suite per model, a test case per file. Wrong answers are failures; what is not supported or not
/// decided is skipped, with the reason.
pub fn junit(suite: &Suite) -> String {
    let mut models: Vec<&str> = suite.rows.iter().map(|row| row.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for model in models {
        let summary = suite.summary(model, |row| row.model == model);
        let skipped = summary.grades[Grade::Unsupported as usize] + summary.grades[Grade::Unknown as usize];
        text.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\">\n",
            escape(model),
            summary.tests,
            summary.grades[Grade::Wrong as usize],
            summary.cpu_seconds,
        ));
        text.extend(suite.rows.iter().filter(|row| row.model == model).map(test_case));
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn test_case(row: &Row) -> String {
    let expected = row.expected.as_deref().unwrap_or("-");
    let reason = row.reason.as_deref().unwrap_or_default();
    let message = escape(&format!("expected {expected}, answered {} {reason}", row.answer)).trim_end().to_string();
    let body = match row.grade {
        Grade::Right | Grade::Unjudged => String::new(),
        Grade::Wrong => format!("<failure message=\"{message}\"/>"),
        Grade::Unsupported | Grade::Unknown => format!("<skipped message=\"{}: {message}\"/>", row.grade.word()),
    };
    let (file, model) = (escape(&row.subject()), escape(&row.model));
    let said: Vec<String> = row.warnings.iter().map(|warning| format!("Warning: {}.", escape(warning))).collect();
    let said = if said.is_empty() { String::new() } else { format!("<system-out>{}</system-out>", said.join("\n")) };
    let (seconds, case) = (row.cpu_seconds, format!("name=\"{file}\" classname=\"{model}\""));
    format!("    <testcase {case} time=\"{seconds:.3}\">{body}{said}</testcase>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn example() -> Suite {
        let row = |file: &str, model: &str, answer: &str, grade, reason: Option<&str>| Row {
            number: 0,
            file: file.into(),
            model: model.into(),
            options: String::new(),
            engine: None,
            expected: Some("Ok".into()),
            answer: answer.into(),
            grade,
            reason: reason.map(Into::into),
            warnings: Vec::new(),
            tearing: None,
            cpu_seconds: 0.0015,
        };
        Suite {
            rows: vec![
                row("a/SB.litmus", "tso", "Ok", Grade::Right, None),
                row("a/MP.litmus", "tso", "No", Grade::Wrong, None),
                row("a/<X>.litmus", "rc11", "-", Grade::Unsupported, Some("`foo` is not supported")),
            ],
            wall_seconds: 0.25,
            ..Suite::default()
        }
    }

    #[test]
    fn the_summary_counts_by_model() {
        expect![[r#"
                         file          model  expected  answer  reason
            -----------  ------------  -----  --------  ------  ----------------------
            wrong        a/MP.litmus   tso    Ok        No
            unsupported  a/<X>.litmus  rc11   Ok        -       `foo` is not supported

            model  tests  right  wrong  unsupported  unknown  CPU s  ms/test
            -----  -----  -----  -----  -----------  -------  -----  -------
            rc11       1      0      0            1        0   0.00     1.50
            tso        2      1      1            0        0   0.00     1.50
            all        3      1      1            1        0   0.00     1.50

            Slowest:
                 0.002 s  a/SB.litmus (tso)
                 0.002 s  a/MP.litmus (tso)
                 0.002 s  a/<X>.litmus (rc11)

            Wall time 0.25 s.
        "#]]
        .assert_eq(&text(&example()));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"rows":[{"number":0,"file":"a/SB.litmus","model":"tso","options":"","engine":null,"expected":"Ok","answer":"Ok","grade":"right","reason":null,"warnings":[],"cpu_seconds":0.0015},{"number":0,"file":"a/MP.litmus","model":"tso","options":"","engine":null,"expected":"Ok","answer":"No","grade":"wrong","reason":null,"warnings":[],"cpu_seconds":0.0015},{"number":0,"file":"a/<X>.litmus","model":"rc11","options":"","engine":null,"expected":"Ok","answer":"-","grade":"unsupported","reason":"`foo` is not supported","warnings":[],"cpu_seconds":0.0015}],"summary":[{"model":"rc11","tests":1,"right":0,"wrong":0,"unsupported":1,"unknown":0,"unjudged":0,"cpu_seconds":0.0015},{"model":"tso","tests":2,"right":1,"wrong":1,"unsupported":0,"unknown":0,"unjudged":0,"cpu_seconds":0.003},{"model":"all","tests":3,"right":1,"wrong":1,"unsupported":1,"unknown":0,"unjudged":0,"cpu_seconds":0.0045}],"wall_seconds":0.25,"interrupted":null,"suite":"","total":0,"shard":null}
        "#]].assert_eq(&json(&example()));
    }

    #[test]
    fn junit_is_well_formed() {
        let xml = junit(&example());
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="rc11" tests="1" failures="0" errors="0" skipped="1" time="0.002">
                <testcase name="a/&lt;X&gt;.litmus" classname="rc11" time="0.002"><skipped message="unsupported: expected Ok, answered - `foo` is not supported"/></testcase>
              </testsuite>
              <testsuite name="tso" tests="2" failures="1" errors="0" skipped="0" time="0.003">
                <testcase name="a/SB.litmus" classname="tso" time="0.002"></testcase>
                <testcase name="a/MP.litmus" classname="tso" time="0.002"><failure message="expected Ok, answered No"/></testcase>
              </testsuite>
            </testsuites>
        "#]].assert_eq(&xml);
        assert!(roxmltree::Document::parse(&xml).is_ok());
    }
}

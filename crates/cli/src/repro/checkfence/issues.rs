//! Figure 8.3: errors of the data types as published, and their fences: how many there are, that tso needs none of them,
//! and for each a test that fails on relaxed without it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use palisade::task::verified;
use palisade::{Model, Test};
use program::{InstructionKind, Program, Span};
use report::repro::Checked;
use report::repro::issues::{Counts, Fence, Necessity, Row, Table, TestRow, json, text};

use super::{Entry, check, entries, lines, no_row, no_verdict, unit};
use crate::arguments::{Limits, Repro};
use crate::failure::Failure;
use crate::limits::{Guard, is_interrupted};
use crate::parallel;
use crate::repro::{Printed, keep_only, print};

/// The kinds of fences that the figure counts, in its order.
const KINDS: [&str; 4] = ["load-load", "store-store", "aliased-loads", "data-dependent-loads"];
/// Without fences, tests are run that took the thesis at most so many seconds.
const SMALL: f64 = 30.0;
/// What a check may spend, so that the table stays a matter of minutes: conflicts of a solver call, and time, unless the
/// command line says otherwise.
const MOST_CONFLICTS: u64 = 100_000;
const MOST_TIME: Duration = Duration::from_secs(30);

/// The table.
pub fn table(arguments: &Repro) -> Result<Printed, Failure> {
    let limits = Limits { timeout: arguments.limits.timeout.or(Some(MOST_TIME)), ..arguments.limits };
    let _guard = Guard::start(limits)?;
    let start = Instant::now();
    let bench = Bench::new()?;
    let mut tasks = bench.tasks()?;
    if let Some(part) = &arguments.only {
        keep_only(&mut tasks, part, names)?;
    }
    let found = parallel::map(&tasks, arguments.jobs, "rows", |task| bench.row(task))?;
    let rows = found.into_iter().zip(tasks).map(|(row, task)| row.unwrap_or(task.row)).collect();
    let title = "CheckFence (Burckhardt, thesis, 2007), figure 8.3: errors of five data types, and their fences.";
    let wall_seconds = start.elapsed().as_secs_f64();
    let table = Table { name: "checkfence-8.3".into(), title: title.into(), rows, wall_seconds };
    let all_agree = table.rows.iter().all(Row::agrees);
    Ok(Printed { text: print(arguments.format, &table, text, json), all_agree })
}

/// A row to be computed: what it says if it is not, and the fence that it is about.
struct Task {
    row: Row,
    fence: Option<Span>,
}

/// What `--only` may say.
fn names(task: &Task) -> Vec<String> {
    let names = match &task.row {
        Row::Test(row) => {
            let part = if row.with_fences { "bugs" } else { "without-fences" };
            vec![part, &row.program, &row.test, &row.model]
        }
        Row::Counts(row) => vec!["counts", &row.data_type],
        Row::Fence(row) => vec!["fences", &row.data_type, &row.place, &row.kind, "relaxed"],
    };
    names.into_iter().map(String::from).collect()
}

/// What all rows share.
struct Bench {
    /// The tests of figure 8.4, the quick ones first.
    entries: Vec<Entry>,
    models: BTreeMap<&'static str, Model>,
    /// Verdicts on relaxed with all fences, by data type and test.
    with_all: Mutex<BTreeMap<(String, String), String>>,
}

impl Bench {
    fn new() -> Result<Bench, Failure> {
        let mut entries = entries()?;
        entries.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let mut models = BTreeMap::new();
        for name in ["sc", "tso", "relaxed"] {
            models.insert(name, Model::named(name)?);
        }
        Ok(Bench { entries, models, with_all: Mutex::default() })
    }

    fn tests_of(&self, data_type: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.data_type == data_type)
    }

    /// The rows: errors, tests without fences, counts, single fences.
    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        let data = include_str!("../../../../../repro/checkfence/figure8-3.tsv");
        let (mut tests, mut without, mut counts, mut single) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, line) in lines(data) {
            let fields: Vec<&str> = line.split('\t').collect();
            let wrong = || no_row("figure8-3.tsv", number);
            match fields[..] {
                ["bug", program, define, test, notation, model] => {
                    let define = (define != "-").then_some(define);
                    tests.push(test_task(program, define, test, notation, model, true));
                }
                ["fences", data_type, ref numbers @ .., claimed] => {
                    let paper: Option<Vec<u64>> = numbers.iter().map(|number| number.parse().ok()).collect();
                    let paper = paper.and_then(|paper| paper.try_into().ok()).ok_or_else(wrong)?;
                    let small = self.tests_of(data_type).filter(|entry| entry.seconds <= SMALL);
                    without.extend(
                        small.map(|entry| test_task(data_type, None, &entry.test, &entry.notation, "tso", false)),
                    );
                    // Counted are those that the thesis has, too.
                    counts.push(count(data_type, paper, &self.fences(data_type, Some("THESIS"), claimed)?));
                    single.extend(self.fences(data_type, None, claimed)?);
                }
                _ => return Err(wrong()),
            }
        }
        Ok(tests.into_iter().chain(without).chain(counts).chain(single).collect())
    }

    /// The fences of a data type in the order of its text. `claimed` names the kinds that are said to be necessary.
    fn fences(&self, data_type: &str, define: Option<&str>, claimed: &str) -> Result<Vec<Task>, Failure> {
        let unit = unit(data_type, define)?;
        let mut found = BTreeMap::new();
        for entry in self.tests_of(data_type) {
            let program = unit.test(&entry.notation)?;
            for span in fence_spans(&program) {
                let place = program.sources.location(span);
                let kind = program.sources.snippet(span).split('"').nth(1).unwrap_or("?").to_string();
                found.insert(span, (format!("{}:{}", place.file, place.line), kind));
            }
        }
        let task = |(span, (place, kind)): (Span, (String, String))| {
            let claimed = claimed.split(',').any(|own| own == kind);
            let data_type = data_type.to_string();
            let row = Fence { data_type, place, kind, claimed, ours: Necessity::default(), seconds: 0.0 };
            Task { row: Row::Fence(row), fence: Some(span) }
        };
        Ok(found.into_iter().map(task).collect())
    }

    fn row(&self, task: &Task) -> Row {
        let mut row = task.row.clone();
        match &mut row {
            Row::Test(row) => {
                let keep = |_: Span| row.with_fences;
                row.ours =
                    self.check(&row.model, || test_with(&row.program, row.define.as_deref(), &row.notation, keep));
            }
            Row::Counts(_) => {}
            Row::Fence(row) => {
                let start = ThreadTime::now();
                if let Some(span) = task.fence {
                    row.ours = self.necessity(&row.data_type, span);
                }
                row.seconds = start.elapsed().as_secs_f64();
            }
        }
        row
    }

    fn check(&self, model: &str, test: impl FnOnce() -> Result<Test, Failure>) -> Checked {
        match self.models.get(model) {
            Some(model) => check(test, model, Some(MOST_CONFLICTS)),
            None => no_verdict(format!("there is no {model}")),
        }
    }

    /// The first test that passes on relaxed, but not without this fence.
    fn necessity(&self, data_type: &str, fence: Span) -> Necessity {
        let mut necessity = Necessity::default();
        for entry in self.tests_of(data_type) {
            if is_interrupted() {
                necessity.undecided.push(entry.test.clone());
                continue;
            }
            let without = || test_with(data_type, None, &entry.notation, |span| span != fence);
            let checked = self.check("relaxed", without);
            let test = entry.test.clone();
            match checked.verdict.as_str() {
                "pass" => necessity.passing.push(test),
                "fail" if self.fails_with_all(entry) => necessity.failing_anyway.push(test),
                "fail" => {
                    necessity.test = Some(test);
                    break;
                }
                _ if checked.unbounded => necessity.unbounded.push(test),
                _ => necessity.undecided.push(test),
            }
        }
        necessity
    }

    /// Whether a test does not pass with all fences either.
    fn fails_with_all(&self, entry: &Entry) -> bool {
        let key = (entry.data_type.clone(), entry.test.clone());
        let known = || self.with_all.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = known().get(&key).cloned();
        let verdict = verdict.unwrap_or_else(|| {
            let all = || test_with(&entry.data_type, None, &entry.notation, |_| true);
            self.check("relaxed", all).verdict
        });
        known().insert(key, verdict.clone());
        verdict != "pass"
    }
}

fn test_task(program: &str, define: Option<&str>, test: &str, notation: &str, model: &str, with_fences: bool) -> Task {
    let row = TestRow {
        program: program.into(),
        define: define.map(String::from),
        test: test.into(),
        notation: notation.into(),
        model: model.into(),
        with_fences,
        paper: if with_fences { "fail" } else { "pass" }.into(),
        ours: no_verdict("interrupted".into()),
    };
    Task { row: Row::Test(row), fence: None }
}

/// A data type's fences by kind.
fn count(data_type: &str, paper: [u64; 4], fences: &[Task]) -> Task {
    let is_of = |task: &&Task, kind: &str| matches!(&task.row, Row::Fence(fence) if fence.kind == kind);
    let ours = KINDS.map(|kind| fences.iter().filter(|task| is_of(task, kind)).count() as u64);
    let others = fences.len() as u64 - ours.iter().sum::<u64>();
    Task { row: Row::Counts(Counts { data_type: data_type.into(), paper, ours, others }), fence: None }
}

/// Where a program has fences of its own. Those of locks belong to the library.
fn fence_spans(program: &Program) -> Vec<Span> {
    let instructions =
        program.functions.iter().flat_map(|function| function.blocks.iter().flat_map(|block| &block.instructions));
    let fences = instructions.filter(|instruction| matches!(instruction.kind, InstructionKind::Fence { .. }));
    fences.filter_map(|fence| fence.span).filter(|&span| is_own(program, span)).collect()
}

fn is_own(program: &Program, span: Span) -> bool {
    program.sources.snippet(span).starts_with("lsl_fence")
}

/// A test without those fences that are not to be kept.
fn test_with(
    data_type: &str,
    define: Option<&str>,
    notation: &str,
    keep: impl Fn(Span) -> bool,
) -> Result<Test, Failure> {
    let mut program = unit(data_type, define)?.test(notation)?;
    let left_out: Vec<Span> = fence_spans(&program).into_iter().filter(|&span| !keep(span)).collect();
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instructions.retain(|instruction| {
            let is_fence = matches!(instruction.kind, InstructionKind::Fence { .. });
            !(is_fence && instruction.span.is_some_and(|span| left_out.contains(&span)))
        });
    }
    Ok(Test { notation: notation.into(), program: verified(program)?, reference: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_is_whole() {
        let bench = Bench::new().unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let tasks = bench.tasks().unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let count = |is_it: fn(&Row) -> bool| tasks.iter().filter(|task| is_it(&task.row)).count();
        assert_eq!(count(|row| matches!(row, Row::Test(row) if row.with_fences)), 5);
        assert_eq!(count(|row| matches!(row, Row::Counts(_))), 5);
        assert_eq!(count(|row| matches!(row, Row::Fence(row) if row.claimed)), 7);
    }

    #[test]
    fn leaving_out_fences_leaves_those_of_locks() {
        let fences = |keep: bool| {
            let test =
                test_with("ms2", None, "(e|d)", |_| keep).unwrap_or_else(|failure| panic!("{}", failure.summary()));
            let blocks = test.program.functions.iter().flat_map(|function| &function.blocks);
            let instructions = blocks.flat_map(|block| &block.instructions);
            instructions.filter(|i| matches!(i.kind, InstructionKind::Fence { .. })).count()
        };
        assert!(fences(false) > 0, "locks bring their own");
        assert_eq!(fences(true), fences(false) + 2);
    }
}

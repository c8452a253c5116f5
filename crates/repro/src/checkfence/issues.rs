//! Figure 8.3: errors of the data types as published, and their fences: how many there are, that tso needs none of them,
//! and for each a test that fails on relaxed without it.

mod rows;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use palisade::task::verified;
use palisade::{Criterion, Model, Refusal, Test};
use program::{InstructionKind, Program, Span};

use super::{Checked, Entry, check, entries, unit};
use crate::bench::{Bench, INTERRUPTED};
use crate::data::{self, keep_only};
use crate::table::Table;
use crate::{Published, programs};
use rows::{Counts, Fence, Item, Necessity, TestRow};

/// The kinds of fences that the figure counts, in its order.
const KINDS: [&str; 4] = ["load-load", "store-store", "aliased-loads", "data-dependent-loads"];
/// Without fences, tests are run that took the thesis at most so many seconds.
const SMALL: f64 = 30.0;
/// What a check may spend, so that the table stays a matter of minutes: conflicts of a solver call, and seconds unless somebody
/// says otherwise.
const MOST_CONFLICTS: u64 = 100_000;
pub const SECONDS_PER_SEARCH: u64 = 30;

/// The table.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
    let checks = Checks::new(bench)?;
    let mut items = checks.items(published.file)?;
    keep_only(&mut items, only, names)?;
    let found = bench.map(&items, |item| checks.filled(item))?;
    let items: Vec<Item> = found.into_iter().zip(items).map(|(found, item)| found.unwrap_or(item)).collect();
    Ok(rows::shown(published, &items))
}

/// What may be kept alone.
fn names(item: &Item) -> Vec<String> {
    let names = match item {
        Item::Test(row) => vec![row.part(), &row.program, &row.test, &row.model],
        Item::Counts(row) => vec!["counts", &row.data_type],
        Item::Fence(row) => vec!["fences", &row.data_type, &row.place, &row.kind, "relaxed"],
    };
    names.into_iter().map(String::from).collect()
}

/// A line of the figure's file.
enum Line {
    /// An error that a test shows.
    Bug(TestRow),
    /// The fences of a data type.
    Fences {
        data_type: String,
        /// How many, by kind.
        counts: [u64; 4],
        /// The kinds that are said to be necessary.
        claimed: Vec<String>,
    },
}

fn line(fields: &[&str]) -> Option<Line> {
    match *fields {
        ["bug", program, define, test, notation, model] => {
            let define = (define != "-").then_some(define);
            Some(Line::Bug(test_row(program, define, test, notation, model, true)))
        }
        ["fences", data_type, ref numbers @ .., claimed] => {
            let counts: Option<Vec<u64>> = numbers.iter().map(|number| number.parse().ok()).collect();
            let claimed = claimed.split(',').map(String::from).collect();
            Some(Line::Fences { data_type: data_type.into(), counts: counts?.try_into().ok()?, claimed })
        }
        _ => None,
    }
}

/// What all rows share.
struct Checks<'b, B> {
    bench: &'b B,
    /// The tests of figure 8.4, the quick ones first.
    entries: Vec<Entry>,
    models: BTreeMap<&'static str, Model>,
    /// Verdicts on relaxed with all fences, by data type and test.
    with_all: Mutex<BTreeMap<(String, String), String>>,
}

impl<'b, B: Bench> Checks<'b, B> {
    fn new(bench: &'b B) -> Result<Checks<'b, B>, Refusal> {
        let mut entries = entries()?;
        entries.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let mut models = BTreeMap::new();
        for name in ["sc", "tso", "relaxed"] {
            models.insert(name, Model::named(name)?);
        }
        Ok(Checks { bench, entries, models, with_all: Mutex::default() })
    }

    fn tests_of(&self, data_type: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.data_type == data_type)
    }

    /// The rows, not filled: errors, tests without fences, counts, single fences.
    fn items(&self, file: &str) -> Result<Vec<Item>, Refusal> {
        let (mut bugs, mut without, mut counts, mut single) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for line in data::rows(file, programs::figures(file)?, line)? {
            match line {
                Line::Bug(row) => bugs.push(Item::Test(row)),
                Line::Fences { data_type, counts: paper, claimed } => {
                    let small = self.tests_of(&data_type).filter(|entry| entry.seconds <= SMALL);
                    without.extend(small.map(|entry| {
                        Item::Test(test_row(&data_type, None, &entry.test, &entry.notation, "tso", false))
                    }));
                    // Counted are those that the thesis has, too.
                    let of_thesis = self.fences(&data_type, Some("THESIS"), &claimed)?;
                    counts.push(Item::Counts(count(&data_type, paper, &of_thesis)));
                    single.extend(self.fences(&data_type, None, &claimed)?.into_iter().map(Item::Fence));
                }
            }
        }
        Ok(bugs.into_iter().chain(without).chain(counts).chain(single).collect())
    }

    /// The fences of a data type in the order of its text. `claimed` names the kinds that are said to be necessary.
    fn fences(&self, data_type: &str, define: Option<&str>, claimed: &[String]) -> Result<Vec<Fence>, Refusal> {
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
        let fence = |(span, (place, kind)): (Span, (String, String))| {
            let (claimed, data_type) = (claimed.contains(&kind), data_type.to_string());
            Fence { data_type, place, kind, span, claimed, ours: Necessity::default(), seconds: 0.0 }
        };
        Ok(found.into_iter().map(fence).collect())
    }

    fn filled(&self, item: &Item) -> Item {
        match item.clone() {
            Item::Test(row) => {
                let test = || test_with(&row.program, row.define.as_deref(), &row.notation, |_| row.with_fences);
                Item::Test(TestRow { ours: self.check(&row.model, test), ..row })
            }
            Item::Counts(counts) => Item::Counts(counts),
            Item::Fence(fence) => {
                let (ours, seconds) = self.bench.timed(|| self.necessity(&fence.data_type, fence.span));
                Item::Fence(Fence { ours, seconds, ..fence })
            }
        }
    }

    fn check(&self, model: &str, test: impl FnOnce() -> Result<Test, Refusal>) -> Checked {
        match self.models.get(model) {
            Some(model) => check(test, model, Some(MOST_CONFLICTS), self.bench),
            None => Checked::missing(format!("there is no {model}")),
        }
    }

    /// The first test that passes on relaxed, but not without this fence.
    fn necessity(&self, data_type: &str, fence: Span) -> Necessity {
        let mut necessity = Necessity::default();
        for entry in self.tests_of(data_type) {
            let test = entry.test.clone();
            if self.bench.is_interrupted() {
                necessity.undecided.push(test);
                continue;
            }
            let without = || test_with(data_type, None, &entry.notation, |span| span != fence);
            let checked = self.check("relaxed", without);
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

fn test_row(
    program: &str,
    define: Option<&str>,
    test: &str,
    notation: &str,
    model: &str,
    with_fences: bool,
) -> TestRow {
    TestRow {
        program: program.into(),
        define: define.map(String::from),
        test: test.into(),
        notation: notation.into(),
        model: model.into(),
        with_fences,
        paper: if with_fences { "fail" } else { "pass" }.into(),
        ours: Checked::missing(INTERRUPTED.into()),
    }
}

/// A data type's fences by kind.
fn count(data_type: &str, paper: [u64; 4], fences: &[Fence]) -> Counts {
    let ours = KINDS.map(|kind| fences.iter().filter(|fence| fence.kind == kind).count() as u64);
    let others = fences.len() as u64 - ours.iter().sum::<u64>();
    Counts { data_type: data_type.into(), paper, ours, others }
}

/// Where a program has fences of its own. Those of locks belong to the library.
fn fence_spans(program: &Program) -> Vec<Span> {
    let instructions = program.functions.iter().flat_map(|function| function.instructions());
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
) -> Result<Test, Refusal> {
    let mut program = unit(data_type, define)?.test(notation)?;
    let left_out: Vec<Span> = fence_spans(&program).into_iter().filter(|&span| !keep(span)).collect();
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instructions.retain(|instruction| {
            let is_fence = matches!(instruction.kind, InstructionKind::Fence { .. });
            !(is_fence && instruction.span.is_some_and(|span| left_out.contains(&span)))
        });
    }
    Ok(Test {
        notation: notation.into(),
        program: verified(program)?,
        reference: None,
        criterion: Criterion::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plain;

    #[test]
    fn the_figure_is_whole() {
        let checks = Checks::new(&Plain).unwrap_or_else(|refusal| panic!("{refusal}"));
        let items = checks.items("checkfence/figure8-3.tsv").unwrap_or_else(|refusal| panic!("{refusal}"));
        let count = |is_it: fn(&Item) -> bool| items.iter().filter(|item| is_it(item)).count();
        assert_eq!(count(|item| matches!(item, Item::Test(row) if row.with_fences)), 5);
        assert_eq!(count(|item| matches!(item, Item::Counts(_))), 5);
        assert_eq!(count(|item| matches!(item, Item::Fence(row) if row.claimed)), 7);
    }

    #[test]
    fn leaving_out_fences_leaves_those_of_locks() {
        let fences = |keep: bool| {
            let test = test_with("ms2", None, "(e|d)", |_| keep).unwrap_or_else(|refusal| panic!("{refusal}"));
            let blocks = test.program.functions.iter().flat_map(|function| &function.blocks);
            let instructions = blocks.flat_map(|block| &block.instructions);
            instructions.filter(|i| matches!(i.kind, InstructionKind::Fence { .. })).count()
        };
        assert!(fences(false) > 0, "locks bring their own");
        assert_eq!(fences(true), fences(false) + 2);
    }
}

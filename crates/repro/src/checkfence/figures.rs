//! Figures 8.5 to 8.8: what the bounded tests cost, by stage. The thesis plots them without numbers, but for those of figure 8.5,
//! which stand in figure 8.4, and for what it says of them.

use std::sync::Mutex;

use palisade::{Engine, Limits, Model, Options, Progress, Refusal, Request, Stage, Task};
use serde_json::{Value as Json, json};

use super::{Checked, Entry, checked, entries, test_of};
use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::{keep_only, rows, summary};
use crate::table::{Columns, Part, Row, Sums, Table, mark, round};
use crate::{Published, programs};

/// What one check cost.
#[derive(Clone, Debug, Default)]
struct Cost {
    checked: Checked,
    /// Seconds of running serial executions, encoding and solving.
    mining: f64,
    encoding: f64,
    solving: f64,
    /// Of the unrolled code.
    instructions: u64,
    loads: u64,
    stores: u64,
}

impl Cost {
    fn missing(reason: String) -> Cost {
        Cost { checked: Checked::missing(reason), ..Cost::default() }
    }

    fn seconds(&self) -> f64 {
        self.mining + self.encoding + self.solving
    }

    fn passes(&self) -> bool {
        self.checked.verdict == "pass"
    }

    fn json(&self) -> Json {
        let mut object = self.checked.json();
        for (name, figure) in [("instructions", self.instructions), ("loads", self.loads), ("stores", self.stores)] {
            object[name] = json!(figure);
        }
        for (name, seconds) in [("mining", self.mining), ("encoding", self.encoding), ("solving", self.solving)] {
            object[format!("{name}_seconds")] = json!(round(seconds));
        }
        object
    }
}

/// Notes when stages end.
struct Stopwatch<'b, B> {
    bench: &'b B,
    ends: Mutex<Vec<(Stage, f64)>>,
}

impl<B: Bench> Progress for Stopwatch<'_, B> {
    fn stage(&self, stage: Stage) {
        if let Ok(mut ends) = self.ends.lock() {
            ends.push((stage, self.bench.clock()));
        }
    }
}

/// Checks a test by axioms, and measures its stages.
fn measure<B: Bench>(entry: &Entry, model: &Model, ranges: bool, bench: &B) -> Cost {
    let test = match test_of(&entry.data_type, None, &entry.notation) {
        Ok(test) => test,
        Err(refusal) => return Cost::missing(summary(&refusal)),
    };
    let (task, watch) = (Task::Test(test), Stopwatch { bench, ends: Mutex::new(Vec::new()) });
    let start = bench.clock();
    let (answer, ended) = bench.search(|limits: Limits| {
        let options = Options { explain: false, ranges, limits, ..Options::default() };
        Request { task: &task, model, engine: Engine::Axiomatic, options }.answer_with(&watch)
    });
    let end = bench.clock();
    let answer = match answer {
        Ok(answer) => answer.ended_because(ended),
        Err(refusal) => return Cost::missing(summary(&refusal)),
    };
    let figure = |name: &str| {
        let found = answer.outcome.statistics.figures.iter().find(|(own, _)| own == name);
        found.map_or(0, |(_, number)| *number)
    };
    let mut cost = Cost {
        checked: Checked { seconds: end - start, ..checked(&answer) },
        instructions: figure("instructions"),
        loads: figure("loads"),
        stores: figure("stores"),
        ..Cost::default()
    };
    let ends = watch.ends.into_inner().unwrap_or_default();
    spend(&mut cost, start, &ends, end);
    cost
}

/// Adds the time between stages to what was done in it.
fn spend(cost: &mut Cost, start: f64, ends: &[(Stage, f64)], end: f64) {
    let (mut before, mut is_solving) = (start, false);
    for &(stage, at) in ends {
        let spent = at - before;
        match stage {
            Stage::Mined => cost.mining += spent,
            Stage::Encoded if !is_solving => cost.encoding += spent,
            Stage::Encoded | Stage::Solved => cost.solving += spent,
        }
        (before, is_solving) = (at, stage == Stage::Encoded);
    }
    *if is_solving { &mut cost.solving } else { &mut cost.mining } += end - before;
}

/// What figure 8.4 says of a test besides its row in figure 8.4 here.
struct Printed {
    data_type: String,
    test: String,
    instructions: u64,
    /// As printed, some with `<`.
    encoding: String,
    megabytes: String,
    solving: String,
}

fn printed() -> Result<Vec<Printed>, Refusal> {
    let file = "checkfence/figure8-5.tsv";
    rows(file, programs::figures(file)?, |fields| {
        let [data_type, test, instructions, encoding, megabytes, solving] = *fields else { return None };
        Some(Printed {
            data_type: data_type.into(),
            test: test.into(),
            instructions: instructions.parse().ok()?,
            encoding: encoding.into(),
            megabytes: megabytes.into(),
            solving: solving.into(),
        })
    })
}

/// The table of this name.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
    let mut tests = entries()?;
    if published.name == "checkfence-8.8" {
        // All tests are of one implementation, the nonblocking queue.
        tests.retain(|entry| entry.data_type == "msn");
    }
    keep_only(&mut tests, only, |entry| vec![entry.data_type.clone(), entry.test.clone(), name(entry)])?;
    match published.name {
        "checkfence-8.7" => ranges(published, tests, bench),
        "checkfence-8.8" => models(published, tests, bench),
        "checkfence-8.6" => Ok(mining(published, &on_relaxed(tests, bench)?)),
        _ => sizes(published, &on_relaxed(tests, bench)?),
    }
}

fn name(entry: &Entry) -> String {
    format!("{} {}", entry.data_type, entry.test)
}

type Filled = (Entry, Cost);

fn on_relaxed<B: Bench>(tests: Vec<Entry>, bench: &B) -> Result<Vec<Filled>, Refusal> {
    let model = Model::named("relaxed")?;
    fill(bench, tests, |entry| measure(entry, &model, true, bench), missing)
}

fn missing() -> Cost {
    Cost::missing(INTERRUPTED.into())
}

fn columns<'a, R>(entry: fn(&R) -> &Entry) -> Columns<'a, R>
where
    R: 'a,
{
    Columns::<R>::new()
        .left("type", move |row| entry(row).data_type.clone())
        .left("test", move |row| entry(row).test.clone())
}

fn row(entry: &Entry, paper: Json, ours: Json, costs: &[&Cost]) -> Row {
    let reasons = costs.iter().find_map(|cost| cost.checked.reason.as_ref());
    Row {
        name: name(entry),
        about: vec![("type", json!(entry.data_type)), ("test", json!(entry.test)), ("notation", json!(entry.notation))],
        paper,
        ours,
        agrees: costs.iter().all(|cost| cost.passes()),
        seconds: costs.iter().map(|cost| cost.seconds()).sum(),
        note: reasons.map(|reason| format!("{}: {reason}", name(entry))),
        cells: Vec::new(),
    }
}

/// Figure 8.5: the size of the unrolled code, and what encoding and solving cost.
fn sizes(published: &Published, filled: &[Filled]) -> Result<Table, Refusal> {
    let printed = printed()?;
    let of = |entry: &Entry| printed.iter().find(|own| own.data_type == entry.data_type && own.test == entry.test);
    let cell = |entry: &Entry, show: fn(&Printed) -> String| of(entry).map_or("-".into(), show);
    let columns = columns::<Filled>(|row| &row.0)
        .right("instructions", |(entry, _)| cell(entry, |own| own.instructions.to_string()))
        .right("ours", |(_, cost)| cost.instructions.to_string())
        .right("loads", |(entry, _)| entry.loads.to_string())
        .right("ours", |(_, cost)| cost.loads.to_string())
        .right("stores", |(entry, _)| entry.stores.to_string())
        .right("ours", |(_, cost)| cost.stores.to_string())
        .right("encoding s", |(entry, _)| cell(entry, |own| own.encoding.clone()))
        .right("ours", |(_, cost)| format!("{:.3}", cost.encoding))
        .right("solving s", |(entry, _)| cell(entry, |own| own.solving.clone()))
        .right("ours", |(_, cost)| format!("{:.3}", cost.solving))
        .right("MB", |(entry, _)| cell(entry, |own| own.megabytes.clone()))
        .right("clauses", |(entry, _)| entry.clauses.to_string())
        .right("ours", |(_, cost)| cost.checked.clauses.to_string())
        .left("", |(_, cost)| mark(cost.passes()));
    let part = Part::of(None, columns, filled, |(entry, cost)| {
        let own = of(entry);
        let paper = json!({
            "instructions": own.map(|own| own.instructions),
            "loads": entry.loads,
            "stores": entry.stores,
            "encoding_seconds": own.map(|own| &own.encoding),
            "solver_megabytes": own.map(|own| &own.megabytes),
            "solving_seconds": own.map(|own| &own.solving),
        });
        row(entry, paper, cost.json(), &[cost])
    });
    let remarks = vec![
        "Instructions are ours and the thesis's own ones, so that their numbers differ; events that cannot happen are no loads and stores of ours.",
        "Memory is that of zChaff; of our solver, which shares a process with others, the clauses are counted.",
    ];
    Ok(Table { agreement: "tests pass as in the thesis", remarks, ..Table::new(published, vec![part]) })
}

/// Figure 8.6: how many observations serial executions show, and what it takes to find them.
fn mining(published: &Published, filled: &[Filled]) -> Table {
    let columns = columns::<Filled>(|row| &row.0)
        .right("observations", |(_, cost)| cost.checked.observations.to_string())
        .right("mining s", |(_, cost)| format!("{:.3}", cost.mining))
        .right("in all s", |(_, cost)| format!("{:.3}", cost.seconds()))
        .left("", |(_, cost)| mark(cost.passes()));
    let part = Part::of(None, columns, filled, |(entry, cost)| row(entry, json!({}), cost.json(), &[cost]));
    let small = filled.iter().filter(|(_, cost)| cost.checked.observations < 200).count();
    let tally = crate::table::Tally {
        name: "below_200",
        what: "Observation sets of less than 200 elements (the thesis: most)",
        count: small,
    };
    let agreement = "tests pass as in the thesis";
    Table { agreement, tally: Some(tally), ..Table::new(published, vec![part]) }
}

/// Figure 8.7: the parts of the time, and the same without the analysis of ranges.
fn ranges<B: Bench>(published: &Published, tests: Vec<Entry>, bench: &B) -> Result<Table, Refusal> {
    let model = Model::named("relaxed")?;
    let work = |entry: &Entry| [true, false].map(|ranges| measure(entry, &model, ranges, bench));
    let filled = fill(bench, tests, work, || [missing(), missing()])?;
    type Both = (Entry, [Cost; 2]);
    let checking = |cost: &Cost| cost.encoding + cost.solving;
    let columns = columns::<Both>(|row| &row.0)
        .right("mining s", |(_, [with, _])| format!("{:.3}", with.mining))
        .right("encoding s", |(_, [with, _])| format!("{:.3}", with.encoding))
        .right("solving s", |(_, [with, _])| format!("{:.3}", with.solving))
        .right("both", move |(_, [with, _])| format!("{:.3}", checking(with)))
        .right("without ranges", move |(_, [_, without])| format!("{:.3}", checking(without)))
        .right("variables", |(_, [with, _])| with.checked.variables.to_string())
        .right("without", |(_, [_, without])| without.checked.variables.to_string())
        .left("without: ", |(_, [_, without])| without.checked.verdict.clone())
        .left("", |(_, [with, _])| mark(with.passes()));
    let part = Part::of(None, columns, &filled, |(entry, [with, without])| {
        let ours = json!({ "ranges": with.json(), "no_ranges": without.json() });
        // What cannot be decided without the analysis is no defect of it.
        row(entry, json!({}), ours, &[with])
    });
    let sum = |of: &dyn Fn(&[Cost; 2]) -> f64| filled.iter().map(|(_, both)| of(both)).sum::<f64>();
    let all = sum(&|[with, _]| with.seconds()).max(f64::MIN_POSITIVE);
    let share = |part: f64| format!("{:.0} %", 100.0 * part / all);
    let both_pass = |[with, without]: &[Cost; 2]| with.passes() && without.passes();
    let where_both =
        |pick: usize| sum(&|both| if both_pass(both) { both[pick].encoding + both[pick].solving } else { 0.0 });
    let line = [
        share(sum(&|[with, _]| with.mining)),
        share(sum(&|[with, _]| with.encoding)),
        share(sum(&|[with, _]| with.solving)),
        format!("{:.2}", where_both(1) / where_both(0).max(f64::MIN_POSITIVE)),
    ];
    let columns = Columns::<[String; 4]>::new()
        .right("mining", |line| line[0].clone())
        .right("encoding", |line| line[1].clone())
        .right("solving", |line| line[2].clone())
        .right("without ranges", |line| line[3].clone());
    let heading = Some("Parts of the time, and how many times as long it takes without the analysis where both decide");
    let sums = Some(Sums::of(heading, columns, &[line]));
    let remarks =
        vec!["The thesis: mining about a third of the time; without the analysis of ranges 1.4 to 3 times as long."];
    Ok(Table { sums, remarks, agreement: "tests pass as in the thesis", ..Table::new(published, vec![part]) })
}

/// The models of figure 8.8: as the thesis prints them, and stated for a smaller problem.
const MODELS: [&str; 5] = ["sc.mm", "relaxed.mm", "rmo", "sc", "relaxed"];

/// Figure 8.8: the same tests under several models.
fn models<B: Bench>(published: &Published, tests: Vec<Entry>, bench: &B) -> Result<Table, Refusal> {
    let named = MODELS.map(Model::named).into_iter().collect::<Result<Vec<Model>, Refusal>>()?;
    let work = |entry: &Entry| named.iter().map(|model| measure(entry, model, true, bench)).collect::<Vec<Cost>>();
    let filled = fill(bench, tests, work, || MODELS.iter().map(|_| missing()).collect())?;
    type All = (Entry, Vec<Cost>);
    let mut columns = columns::<All>(|row| &row.0);
    for (index, model) in MODELS.into_iter().enumerate() {
        columns = columns.right(model, move |(_, costs): &All| match costs.get(index) {
            Some(cost) if cost.passes() => format!("{:.3}", cost.encoding + cost.solving),
            Some(cost) => cost.checked.verdict.clone(),
            None => "-".into(),
        });
    }
    let columns = columns.left("", |(_, costs)| mark(costs.iter().all(Cost::passes)));
    let part = Part::of(None, columns, &filled, |(entry, costs)| {
        let ours: serde_json::Map<String, Json> =
            MODELS.iter().zip(costs).map(|(model, cost)| (model.to_string(), cost.json())).collect();
        row(entry, json!({}), Json::Object(ours), &costs.iter().collect::<Vec<_>>())
    });
    let remarks = vec![
        "Seconds of encoding and solving. sc.mm, relaxed.mm and rmo are the axioms as printed; sc and relaxed say the same in fewer orders.",
        "The thesis: relaxed is faster than rmo though weaker, and the optimised forms are faster than all.",
    ];
    Ok(Table { remarks, agreement: "tests pass under all models", ..Table::new(published, vec![part]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_of_figure_8_4_has_its_further_figures() {
        let printed = printed().unwrap_or_else(|refusal| panic!("{refusal}"));
        let entries = entries().unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(printed.len(), entries.len());
        let names = |own: &Printed| (own.data_type.clone(), own.test.clone());
        let all: Vec<_> = entries.iter().map(|entry| (entry.data_type.clone(), entry.test.clone())).collect();
        assert_eq!(printed.iter().map(names).collect::<Vec<_>>(), all);
    }

    #[test]
    fn time_is_spent_on_what_was_done() {
        let mut cost = Cost::default();
        let ends = [(Stage::Mined, 3.0), (Stage::Encoded, 5.0), (Stage::Solved, 6.0), (Stage::Encoded, 10.0)];
        spend(&mut cost, 2.0, &ends, 18.0);
        assert_eq!((cost.mining, cost.encoding, cost.solving), (1.0, 6.0, 9.0));
        let mut cost = Cost::default();
        spend(&mut cost, 2.0, &[], 4.0);
        assert_eq!((cost.mining, cost.seconds()), (2.0, 2.0));
    }

    #[test]
    fn a_small_test_has_figures_in_all_tables() {
        for name in ["checkfence-8.5", "checkfence-8.6", "checkfence-8.7", "checkfence-8.8"] {
            let published = crate::named(name).expect("a table");
            let only = if name == "checkfence-8.8" { "msn T0" } else { "ms2 T0" };
            let table = published.compute(Some(only), &crate::Plain).unwrap_or_else(|refusal| panic!("{refusal}"));
            assert!(table.all_agree(), "{}", table.text(0.0));
            let ours = &table.parts[0].rows[0].ours;
            let figures = ours.get("ranges").or_else(|| ours.get("relaxed")).unwrap_or(ours);
            assert!(figures["loads"].as_u64() > Some(0) && figures["stores"].as_u64() > Some(0), "{ours}");
            assert!(figures["instructions"].as_u64() > figures["loads"].as_u64(), "{ours}");
        }
    }
}

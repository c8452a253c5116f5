//! Figure 8.4: bounded tests of five data types, with their fences, on the model relaxed.

use palisade::{Model, Refusal};
use serde_json::json;

use super::{Checked, Entry, check, entries, test_of};
use crate::Published;
use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::keep_only;
use crate::table::{Columns, Part, Row, Table, Tally, mark, round};

type Filled = (Entry, Checked);

/// The table.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
    let mut entries = entries()?;
    keep_only(&mut entries, only, |entry| vec![entry.data_type.clone(), entry.test.clone(), name(entry)])?;
    let model = Model::named("relaxed")?;
    // The long ones first, so that none of them runs alone at the end.
    let mut numbered: Vec<(usize, Entry)> = entries.into_iter().enumerate().collect();
    numbered.sort_by(|(_, one), (_, other)| other.seconds.total_cmp(&one.seconds));
    let work =
        |(_, entry): &(usize, Entry)| check(|| test_of(&entry.data_type, None, &entry.notation), &model, None, bench);
    let mut filled = fill(bench, numbered, work, || Checked::missing(INTERRUPTED.into()))?;
    filled.sort_by_key(|((number, _), _)| *number);
    let filled: Vec<Filled> = filled.into_iter().map(|((_, entry), ours)| (entry, ours)).collect();
    Ok(shown(published, &filled))
}

fn name(entry: &Entry) -> String {
    format!("{} {}", entry.data_type, entry.test)
}

/// Whether the test passes here, too: in the thesis all do.
fn agrees((_, ours): &Filled) -> bool {
    ours.verdict == "pass"
}

/// The time that we want to stay within: a fiftieth of the thesis's, but not less than 0.2 s.
fn bar(entry: &Entry) -> f64 {
    (entry.seconds / 50.0).max(0.2)
}

fn is_within_bar((entry, ours): &Filled) -> bool {
    ours.seconds <= bar(entry)
}

/// The table: the thesis's figures and ours in turn.
fn shown(published: &Published, filled: &[Filled]) -> Table {
    let columns = Columns::<Filled>::new()
        .left("type", |(entry, _)| entry.data_type.clone())
        .left("test", |(entry, _)| entry.test.clone())
        .left("thesis", |_| "pass".into())
        .left("ours", |(_, ours)| ours.verdict.clone())
        .right("accesses", |(entry, _)| (entry.loads + entry.stores).to_string())
        .right("events", |(_, ours)| ours.events.to_string())
        .right("variables", |(entry, _)| entry.variables.to_string())
        .right("ours", |(_, ours)| ours.variables.to_string())
        .right("clauses", |(entry, _)| entry.clauses.to_string())
        .right("ours", |(_, ours)| ours.clauses.to_string())
        .right("observations", |(_, ours)| ours.observations.to_string())
        .right("s", |(entry, _)| entry.seconds.to_string())
        .right("ours", |(_, ours)| format!("{:.3}", ours.seconds))
        .right("bar", |(entry, _)| format!("{:.2}", bar(entry)))
        .left("", |row| format!("{}{}", mark(agrees(row)), if is_within_bar(row) { "" } else { " above" }));
    let tally = Tally {
        name: "within_bar",
        what: "Within the bar (a fiftieth of the thesis's time, at least 0.2 s)",
        count: filled.iter().filter(|row| is_within_bar(row)).count(),
    };
    let part = Part::of(None, columns, filled, row);
    Table { tally: Some(tally), agreement: "verdicts agree", ..Table::new(published, vec![part]) }
}

/// `paper` has `verdict`, `loads`, `stores`, `variables`, `clauses` and `seconds`; `ours` is as in [`Checked::json`], with
/// `bar_seconds` and `within_bar`.
fn row(filled: &Filled) -> Row {
    let (entry, ours) = filled;
    let mut own = ours.json();
    own["bar_seconds"] = json!(round(bar(entry)));
    own["within_bar"] = json!(is_within_bar(filled));
    Row {
        name: name(entry),
        about: vec![
            ("type", json!(entry.data_type)),
            ("test", json!(entry.test)),
            ("notation", json!(entry.notation)),
            ("model", json!("relaxed")),
        ],
        paper: json!({
            "verdict": "pass",
            "loads": entry.loads,
            "stores": entry.stores,
            "variables": entry.variables,
            "clauses": entry.clauses,
            "seconds": entry.seconds,
        }),
        ours: own,
        agrees: agrees(filled),
        seconds: ours.seconds,
        note: ours.reason.as_ref().map(|reason| format!("{}: {reason}", name(entry))),
        cells: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn example() -> Table {
        let entry = |test: &str| Entry {
            data_type: "ms2".into(),
            test: test.into(),
            notation: "(e|d)".into(),
            loads: 13,
            stores: 20,
            variables: 433,
            clauses: 5077,
            seconds: 0.1,
        };
        let pass = Checked {
            verdict: "pass".into(),
            reason: None,
            unbounded: false,
            events: 30,
            variables: 200,
            clauses: 600,
            observations: 4,
            seconds: 0.0125,
        };
        let fail =
            Checked { verdict: "fail".into(), reason: Some("a null pointer".into()), seconds: 0.5, ..pass.clone() };
        let published = Published { title: "Figure 8.4", ..*crate::named("checkfence-8.4").expect("a table") };
        shown(&published, &[(entry("T0"), pass), (entry("T1"), fail)])
    }

    #[test]
    fn figures_stand_beside_each_other() {
        expect![[r#"
            Figure 8.4

            type  test  thesis  ours  accesses  events  variables  ours  clauses  ours  observations    s   ours   bar
            ----  ----  ------  ----  --------  ------  ---------  ----  -------  ----  ------------  ---  -----  ----  -------------
            ms2   T0    pass    pass        33      30        433   200     5077   600             4  0.1  0.013  0.20  agrees
            ms2   T1    pass    fail        33      30        433   200     5077   600             4  0.1  0.500  0.20  DIFFERS above

            1 of 2 verdicts agree. Within the bar (a fiftieth of the thesis's time, at least 0.2 s): 1 of 2.
            Processor time 0.51 s, wall time 0.50 s.
            ms2 T1: a null pointer
        "#]].assert_eq(&example().text(0.5));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"checkfence-8.4","title":"Figure 8.4","rows":[{"row":"ms2 T0","type":"ms2","test":"T0","notation":"(e|d)","model":"relaxed","paper":{"verdict":"pass","loads":13,"stores":20,"variables":433,"clauses":5077,"seconds":0.1},"ours":{"verdict":"pass","events":30,"variables":200,"clauses":600,"observations":4,"seconds":0.0125,"bar_seconds":0.2,"within_bar":true},"agrees":true},{"row":"ms2 T1","type":"ms2","test":"T1","notation":"(e|d)","model":"relaxed","paper":{"verdict":"pass","loads":13,"stores":20,"variables":433,"clauses":5077,"seconds":0.1},"ours":{"verdict":"fail","reason":"a null pointer","events":30,"variables":200,"clauses":600,"observations":4,"seconds":0.5,"bar_seconds":0.2,"within_bar":false},"agrees":false}],"agree":1,"within_bar":1,"total":2,"wall_seconds":0.5}
        "#]].assert_eq(&example().json(0.5));
    }
}

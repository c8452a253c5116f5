//! Bounded tests with the figures of the CheckFence thesis (figure 8.4) and ours beside them.

use serde_json::{Value as Json, json};

use super::{Checked, round};
use crate::table::{Align, render};

/// A bounded test of a data type: the thesis's figures, and ours. In the thesis every test passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The data type.
    pub data_type: String,
    /// The test's name.
    pub test: String,
    /// The test.
    pub notation: String,
    /// Loads in the unrolled test of the thesis.
    pub loads: u64,
    /// Its stores.
    pub stores: u64,
    /// Variables of its SAT problem.
    pub variables: u64,
    /// Clauses of its SAT problem.
    pub clauses: u64,
    /// Its time.
    pub seconds: f64,
    /// Ours.
    pub ours: Checked,
}

impl Row {
    /// Whether the test passes here, too.
    pub fn agrees(&self) -> bool {
        self.ours.verdict == "pass"
    }

    /// The time that we want to stay within: a fiftieth of the thesis's, but not less than 0.2 s.
    pub fn bar(&self) -> f64 {
        (self.seconds / 50.0).max(0.2)
    }

    /// Whether we do.
    pub fn is_within_bar(&self) -> bool {
        self.ours.seconds <= self.bar()
    }
}

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub name: String,
    /// What it is.
    pub title: String,
    /// In the order of the thesis.
    pub rows: Vec<Row>,
    /// Time from start to end.
    pub wall_seconds: f64,
}

/// The table for a terminal: the thesis's figures and ours in turn, disagreements marked.
pub fn text(table: &Table) -> String {
    let headers = [
        ("type", Align::Left),
        ("test", Align::Left),
        ("thesis", Align::Left),
        ("ours", Align::Left),
        ("accesses", Align::Right),
        ("events", Align::Right),
        ("variables", Align::Right),
        ("ours", Align::Right),
        ("clauses", Align::Right),
        ("ours", Align::Right),
        ("observations", Align::Right),
        ("s", Align::Right),
        ("ours", Align::Right),
        ("bar", Align::Right),
        ("", Align::Left),
    ];
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let mut text = format!("{}\n\n{}", table.title, render(&headers, &rows));
    let count = |is_it: fn(&Row) -> bool| table.rows.iter().filter(|row| is_it(row)).count();
    let seconds: f64 = table.rows.iter().map(|row| row.ours.seconds).sum();
    text.push_str(&format!(
        "\n{} of {} verdicts agree. Within the bar (a fiftieth of the thesis's time, at least 0.2 s): {} of {}.\n",
        count(Row::agrees),
        table.rows.len(),
        count(Row::is_within_bar),
        table.rows.len(),
    ));
    text.push_str(&format!("Processor time {seconds:.2} s, wall time {:.2} s.\n", table.wall_seconds));
    text.extend(table.rows.iter().filter_map(note));
    text
}

fn note(row: &Row) -> Option<String> {
    let reason = row.ours.reason.as_ref()?;
    Some(format!("{} {}: {reason}\n", row.data_type, row.test))
}

fn cells(row: &Row) -> Vec<String> {
    let ours = &row.ours;
    let bar = if row.is_within_bar() { "" } else { " above" };
    vec![
        row.data_type.clone(),
        row.test.clone(),
        "pass".into(),
        ours.verdict.clone(),
        (row.loads + row.stores).to_string(),
        ours.events.to_string(),
        row.variables.to_string(),
        ours.variables.to_string(),
        row.clauses.to_string(),
        ours.clauses.to_string(),
        ours.observations.to_string(),
        row.seconds.to_string(),
        format!("{:.3}", ours.seconds),
        format!("{:.2}", row.bar()),
        format!("{}{bar}", if row.agrees() { "agrees" } else { "DIFFERS" }),
    ]
}

/// One object, schema 1: `table`, `title`, `rows` (`row`, `type`, `test`, `notation`, `model`, `paper` with `verdict`, `loads`, `stores`,
/// `variables`, `clauses` and `seconds`; `ours` as in [`Checked`] with `bar_seconds` and `within_bar`; `agrees`), `agree`, `within_bar`,
/// `total`, `wall_seconds`.
pub fn json(table: &Table) -> String {
    let count = |is_it: fn(&Row) -> bool| table.rows.iter().filter(|row| is_it(row)).count();
    let object = json!({
        "schema": 1,
        "table": table.name,
        "title": table.title,
        "rows": table.rows.iter().map(row).collect::<Json>(),
        "agree": count(Row::agrees),
        "within_bar": count(Row::is_within_bar),
        "total": table.rows.len(),
        "wall_seconds": round(table.wall_seconds),
    });
    object.to_string() + "\n"
}

fn row(row: &Row) -> Json {
    let mut ours = row.ours.json();
    ours.insert("bar_seconds".into(), json!(round(row.bar())));
    ours.insert("within_bar".into(), json!(row.is_within_bar()));
    json!({
        "row": format!("{} {}", row.data_type, row.test),
        "type": row.data_type,
        "test": row.test,
        "notation": row.notation,
        "model": "relaxed",
        "paper": {
            "verdict": "pass",
            "loads": row.loads,
            "stores": row.stores,
            "variables": row.variables,
            "clauses": row.clauses,
            "seconds": row.seconds,
        },
        "ours": ours,
        "agrees": row.agrees(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn example() -> Table {
        let row = |test: &str, ours: Checked| Row {
            data_type: "ms2".into(),
            test: test.into(),
            notation: "(e|d)".into(),
            loads: 13,
            stores: 20,
            variables: 433,
            clauses: 5077,
            seconds: 0.1,
            ours,
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
        let rows = vec![row("T0", pass), row("T1", fail)];
        Table { name: "checkfence-8.4".into(), title: "Figure 8.4".into(), rows, wall_seconds: 0.5 }
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
        "#]].assert_eq(&text(&example()));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"checkfence-8.4","title":"Figure 8.4","rows":[{"row":"ms2 T0","type":"ms2","test":"T0","notation":"(e|d)","model":"relaxed","paper":{"verdict":"pass","loads":13,"stores":20,"variables":433,"clauses":5077,"seconds":0.1},"ours":{"verdict":"pass","events":30,"variables":200,"clauses":600,"observations":4,"seconds":0.0125,"bar_seconds":0.2,"within_bar":true},"agrees":true},{"row":"ms2 T1","type":"ms2","test":"T1","notation":"(e|d)","model":"relaxed","paper":{"verdict":"pass","loads":13,"stores":20,"variables":433,"clauses":5077,"seconds":0.1},"ours":{"verdict":"fail","reason":"a null pointer","events":30,"variables":200,"clauses":600,"observations":4,"seconds":0.5,"bar_seconds":0.2,"within_bar":false},"agrees":false}],"agree":1,"within_bar":1,"total":2,"wall_seconds":0.5}
        "#]].assert_eq(&json(&example()));
    }
}

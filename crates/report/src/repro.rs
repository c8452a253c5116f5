//! A published table with our figures beside it: here those of MemSAT; [`statistics`] and [`issues`] are CheckFence's.

pub mod issues;
pub mod statistics;

use serde_json::{Map, Value as Json, json};

use crate::table::{Align, render};

/// A cell of a published table: a test under a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The test as the paper names it.
    pub test: String,
    /// Name of our model.
    pub model: String,
    /// The verdict that the tests' authors expect.
    pub expected: String,
    /// The verdict that the paper found.
    pub verdict: String,
    /// Its time.
    pub seconds: u64,
    /// Variables of its SAT problem.
    pub variables: u64,
    /// Clauses of its SAT problem.
    pub clauses: u64,
}

/// Our own figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ours {
    /// The verdict; `-` if there is none.
    pub verdict: String,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// If the verdict is about executions in which no loop goes round more often than this: how often.
    pub rounds: Option<u32>,
    /// What the verdict rests on: `witness`, or `core` with the number of its members.
    pub evidence: Option<(&'static str, usize)>,
    /// Processor time, from the class file to the evidence.
    pub seconds: f64,
    /// Variables of our SAT problem.
    pub variables: u64,
    /// Its clauses.
    pub clauses: u64,
}

/// Our figures for a bounded test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// `pass`, `fail` or `unknown`; `-` if there is none.
    pub verdict: String,
    /// What fails, or why there is no verdict.
    pub reason: Option<String>,
    /// Whether there is none because some loop can go round more often than is tried.
    pub unbounded: bool,
    /// Events that are possible in the unrolled test.
    pub events: u64,
    /// Variables of our SAT problem.
    pub variables: u64,
    /// Its clauses.
    pub clauses: u64,
    /// How many observations the serial executions show.
    pub observations: u64,
    /// Processor time, from the source to the verdict.
    pub seconds: f64,
}

impl Checked {
    /// `verdict`, `reason` if there is one, `events`, `variables`, `clauses`, `observations`, `seconds`.
    fn json(&self) -> Map<String, Json> {
        let mut object = Map::new();
        object.insert("verdict".into(), json!(self.verdict));
        if let Some(reason) = &self.reason {
            object.insert("reason".into(), json!(reason));
        }
        object.insert("events".into(), json!(self.events));
        object.insert("variables".into(), json!(self.variables));
        object.insert("clauses".into(), json!(self.clauses));
        object.insert("observations".into(), json!(self.observations));
        object.insert("seconds".into(), json!(round(self.seconds)));
        object
    }
}

/// A row: what was published, and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The paper's cell.
    pub paper: Published,
    /// Ours.
    pub ours: Ours,
}

impl Row {
    /// Whether the verdicts agree.
    pub fn agrees(&self) -> bool {
        self.paper.verdict == self.ours.verdict
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub name: String,
    /// What it is.
    pub title: String,
    /// In the order of the paper.
    pub rows: Vec<Row>,
    /// Time from start to end.
    pub wall_seconds: f64,
}

/// The table for a terminal: the paper's figures and ours in turn, disagreements marked, sums by model.
pub fn text(table: &Table) -> String {
    let headers = [
        ("test", Align::Left),
        ("model", Align::Left),
        ("paper", Align::Left),
        ("ours", Align::Left),
        ("by", Align::Left),
        ("s", Align::Right),
        ("ours", Align::Right),
        ("variables", Align::Right),
        ("ours", Align::Right),
        ("clauses", Align::Right),
        ("ours", Align::Right),
        ("", Align::Left),
    ];
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let mut text = format!("{}\n\n{}\n", table.title, render(&headers, &rows));
    text.push_str(&sums(table));
    let agreeing = table.rows.iter().filter(|row| row.agrees()).count();
    text.push_str(&format!("\n{agreeing} of {} verdicts agree.", table.rows.len()));
    let seconds: f64 = table.rows.iter().map(|row| row.ours.seconds).sum();
    text.push_str(&format!(" Processor time {seconds:.2} s, wall time {:.2} s.\n", table.wall_seconds));
    text.extend(table.rows.iter().filter_map(note));
    text
}

/// What must be known about a row beyond its cells.
fn note(row: &Row) -> Option<String> {
    let bound = row.ours.rounds.map(|rounds| {
        let rounds = if rounds == 1 { "1 round".into() } else { format!("{rounds} rounds") };
        format!("within {rounds} of each loop, as in the paper; the loop can go round more often")
    });
    let note = row.ours.reason.clone().or(bound)?;
    Some(format!("{} under {}: {note}\n", row.paper.test, row.paper.model))
}

fn cells(row: &Row) -> Vec<String> {
    let (paper, ours) = (&row.paper, &row.ours);
    let evidence = match ours.evidence {
        Some(("core", members)) => format!("core of {members}"),
        Some((what, _)) => what.into(),
        None => "-".into(),
    };
    vec![
        paper.test.clone(),
        paper.model.clone(),
        if paper.expected == paper.verdict { paper.verdict.clone() } else { format!("{} (*)", paper.verdict) },
        ours.verdict.clone(),
        evidence,
        paper.seconds.to_string(),
        format!("{:.3}", ours.seconds),
        paper.variables.to_string(),
        ours.variables.to_string(),
        paper.clauses.to_string(),
        ours.clauses.to_string(),
        if row.agrees() { "agrees".into() } else { "DIFFERS".into() },
    ]
}

/// Sums by model, in the order of the table.
fn sums(table: &Table) -> String {
    let mut models: Vec<&str> = Vec::new();
    for row in &table.rows {
        if !models.contains(&row.paper.model.as_str()) {
            models.push(&row.paper.model);
        }
    }
    let headers = [
        ("model", Align::Left),
        ("agree", Align::Right),
        ("s", Align::Right),
        ("ours", Align::Right),
        ("slowest", Align::Right),
        ("variables", Align::Right),
        ("ours", Align::Right),
        ("clauses", Align::Right),
        ("ours", Align::Right),
    ];
    let sum = |model: &&str| {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| row.paper.model == **model).collect();
        let total = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>().to_string();
        vec![
            model.to_string(),
            format!("{}/{}", rows.iter().filter(|row| row.agrees()).count(), rows.len()),
            total(|row| row.paper.seconds),
            format!("{:.3}", rows.iter().map(|row| row.ours.seconds).sum::<f64>()),
            format!("{:.3}", rows.iter().map(|row| row.ours.seconds).fold(0.0, f64::max)),
            total(|row| row.paper.variables),
            total(|row| row.ours.variables),
            total(|row| row.paper.clauses),
            total(|row| row.ours.clauses),
        ]
    };
    let surprising = table.rows.iter().any(|row| row.paper.expected != row.paper.verdict);
    let note = if surprising { "(*) The tests' authors expect otherwise.\n\n" } else { "" };
    format!("{note}{}", render(&headers, &models.iter().map(sum).collect::<Vec<_>>()))
}

/// One object, schema 1: `table`, `title`, `rows` (`row`, `test`, `model`, `paper` and `ours` with `verdict`, `seconds`, `variables`,
/// `clauses`; `paper` also with `expected`, `ours` with `evidence`, `core_members`, `reason` and `within_rounds`; `agrees`), `agree`, `total`,
/// `wall_seconds`.
pub fn json(table: &Table) -> String {
    let agreeing = table.rows.iter().filter(|row| row.agrees()).count();
    let object = json!({
        "schema": 1,
        "table": table.name,
        "title": table.title,
        "rows": table.rows.iter().map(row).collect::<Json>(),
        "agree": agreeing,
        "total": table.rows.len(),
        "wall_seconds": round(table.wall_seconds),
    });
    object.to_string() + "\n"
}

fn row(row: &Row) -> Json {
    let (paper, ours) = (&row.paper, &row.ours);
    let mut own = Map::new();
    own.insert("verdict".into(), json!(ours.verdict));
    own.insert("seconds".into(), json!(round(ours.seconds)));
    own.insert("variables".into(), json!(ours.variables));
    own.insert("clauses".into(), json!(ours.clauses));
    own.insert("evidence".into(), json!(ours.evidence.map(|(what, _)| what)));
    if let Some(("core", members)) = ours.evidence {
        own.insert("core_members".into(), json!(members));
    }
    if let Some(rounds) = ours.rounds {
        own.insert("within_rounds".into(), json!(rounds));
    }
    if let Some(reason) = &ours.reason {
        own.insert("reason".into(), json!(reason));
    }
    json!({
        "row": format!("{} {}", paper.test, paper.model),
        "test": paper.test,
        "model": paper.model,
        "paper": {
            "verdict": paper.verdict,
            "expected": paper.expected,
            "seconds": paper.seconds,
            "variables": paper.variables,
            "clauses": paper.clauses,
        },
        "ours": own,
        "agrees": row.agrees(),
    })
}

/// To microseconds.
fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn example() -> Table {
        let paper = |test: &str, expected: &str| Published {
            test: test.into(),
            model: "causal".into(),
            expected: expected.into(),
            verdict: "allowed".into(),
            seconds: 2,
            variables: 1030,
            clauses: 1649,
        };
        let ours = Ours {
            verdict: "allowed".into(),
            evidence: Some(("witness", 4)),
            seconds: 0.0125,
            variables: 100,
            clauses: 300,
            reason: None,
            rounds: Some(1),
        };
        let other = Ours {
            verdict: "unknown".into(),
            reason: Some("the time limit of 1 s was reached".into()),
            ..Ours::default()
        };
        let rows =
            vec![Row { paper: paper("1", "allowed"), ours }, Row { paper: paper("11", "forbidden"), ours: other }];
        Table { name: "memsat-1".into(), title: "Table 1".into(), rows, wall_seconds: 0.5 }
    }

    #[test]
    fn figures_stand_beside_each_other() {
        expect![[r#"
            Table 1

            test  model   paper        ours     by       s   ours  variables  ours  clauses  ours
            ----  ------  -----------  -------  -------  -  -----  ---------  ----  -------  ----  -------
            1     causal  allowed      allowed  witness  2  0.013       1030   100     1649   300  agrees
            11    causal  allowed (*)  unknown  -        2  0.000       1030     0     1649     0  DIFFERS

            (*) The tests' authors expect otherwise.

            model   agree  s   ours  slowest  variables  ours  clauses  ours
            ------  -----  -  -----  -------  ---------  ----  -------  ----
            causal    1/2  4  0.013    0.013       2060   100     3298   300

            1 of 2 verdicts agree. Processor time 0.01 s, wall time 0.50 s.
            1 under causal: within 1 round of each loop, as in the paper; the loop can go round more often
            11 under causal: the time limit of 1 s was reached
        "#]]
        .assert_eq(&text(&example()));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"memsat-1","title":"Table 1","rows":[{"row":"1 causal","test":"1","model":"causal","paper":{"verdict":"allowed","expected":"allowed","seconds":2,"variables":1030,"clauses":1649},"ours":{"verdict":"allowed","seconds":0.0125,"variables":100,"clauses":300,"evidence":"witness","within_rounds":1},"agrees":true},{"row":"11 causal","test":"11","model":"causal","paper":{"verdict":"allowed","expected":"forbidden","seconds":2,"variables":1030,"clauses":1649},"ours":{"verdict":"unknown","seconds":0.0,"variables":0,"clauses":0,"evidence":null,"reason":"the time limit of 1 s was reached"},"agrees":false}],"agree":1,"total":2,"wall_seconds":0.5}
        "#]].assert_eq(&json(&example()));
    }
}

//! What the CheckFence thesis found out about five data types (figure 8.3), and what we find: errors, and fences.

use serde_json::{Map, Value as Json, json};

use super::{Checked, round};
use crate::table::{Align, render};

/// A row of one of the four parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// A test.
    Test(TestRow),
    /// A data type's fences by kind.
    Counts(Counts),
    /// A fence.
    Fence(Fence),
}

/// A bounded test and the verdict that the thesis found.
#[derive(Clone, Debug, PartialEq)]
pub struct TestRow {
    /// The program.
    pub program: String,
    /// The macro that makes it the variant that is meant.
    pub define: Option<String>,
    /// The test's name.
    pub test: String,
    /// The test.
    pub notation: String,
    /// The model.
    pub model: String,
    /// Whether the program keeps its fences.
    pub with_fences: bool,
    /// The thesis's verdict: `pass` or `fail`.
    pub paper: String,
    /// Ours.
    pub ours: Checked,
}

/// How many fences a data type has: load-load, store-store, aliased-loads, data-dependent-loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The data type.
    pub data_type: String,
    /// In the thesis.
    pub paper: [u64; 4],
    /// In our file.
    pub ours: [u64; 4],
    /// Fences of other kinds in our file.
    pub others: u64,
}

/// A fence of a data type.
#[derive(Clone, Debug, PartialEq)]
pub struct Fence {
    /// The data type.
    pub data_type: String,
    /// File and line.
    pub place: String,
    /// Its kind.
    pub kind: String,
    /// Whether the thesis says that some test fails without it.
    pub claimed: bool,
    /// What we find.
    pub ours: Necessity,
    /// Processor time.
    pub seconds: f64,
}

/// What the tests of a data type say without one of its fences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Necessity {
    /// The first that fails without the fence and passes with all. Those that come after it were not run.
    pub test: Option<String>,
    /// Those that pass without it.
    pub passing: Vec<String>,
    /// Those that do not pass with all fences either.
    pub failing_anyway: Vec<String>,
    /// Those that have no verdict because without it some loop can go round more often than is tried.
    pub unbounded: Vec<String>,
    /// Those that were not decided within the limit.
    pub undecided: Vec<String>,
}

impl Row {
    /// Whether we find what the thesis found. Where it claims nothing, we agree.
    pub fn agrees(&self) -> bool {
        match self {
            Row::Test(row) => row.paper == row.ours.verdict,
            Row::Counts(row) => row.paper == row.ours && row.others == 0,
            Row::Fence(row) => !row.claimed || row.ours.test.is_some(),
        }
    }

    fn seconds(&self) -> f64 {
        match self {
            Row::Test(row) => row.ours.seconds,
            Row::Counts(_) => 0.0,
            Row::Fence(row) => row.seconds,
        }
    }
}

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Part by part.
    pub rows: Vec<Row>,
    /// Time from start to end.
    pub wall_seconds: f64,
}

/// The table for a terminal, part by part.
pub fn text(table: &Table) -> String {
    let parts = [
        ("Errors:", bugs(&table.rows)),
        ("On tso, with all fences left out:", without_fences(&table.rows)),
        ("Fences (load-load/store-store/aliased-loads/data-dependent-loads):", counts(&table.rows)),
        ("On relaxed, the first test that fails if this fence is left out:", fences(&table.rows)),
    ];
    let mut text = format!("{}\n", table.title);
    for (heading, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
        text.push_str(&format!("\n{heading}\n\n{part}"));
    }
    let agreeing = table.rows.iter().filter(|row| row.agrees()).count();
    let seconds: f64 = table.rows.iter().map(Row::seconds).sum();
    text.push_str(&format!("\n{agreeing} of {} rows agree.\n", table.rows.len()));
    text.push_str(&format!("Processor time {seconds:.2} s, wall time {:.2} s.\n", table.wall_seconds));
    text
}

fn mark(row: &Row) -> String {
    if row.agrees() { "agrees".into() } else { "DIFFERS".into() }
}

/// A part as a table; empty if it has no rows.
fn part(headers: &[(&str, Align)], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() { String::new() } else { render(headers, &rows) }
}

fn bugs(rows: &[Row]) -> String {
    let headers = [
        ("program", Align::Left),
        ("test", Align::Left),
        ("model", Align::Left),
        ("thesis", Align::Left),
        ("ours", Align::Left),
        ("s", Align::Right),
        ("", Align::Left),
        ("what", Align::Left),
    ];
    let cells = |row: &Row| {
        let Row::Test(test) = row else { return None };
        let reason = test.ours.reason.clone().unwrap_or_default();
        test.with_fences.then(|| test_cells(row, test).into_iter().chain([reason]).collect())
    };
    part(&headers, rows.iter().filter_map(cells).collect())
}

fn without_fences(rows: &[Row]) -> String {
    let headers = [
        ("type", Align::Left),
        ("test", Align::Left),
        ("model", Align::Left),
        ("thesis", Align::Left),
        ("ours", Align::Left),
        ("s", Align::Right),
        ("", Align::Left),
        ("", Align::Left),
    ];
    let cells = |row: &Row| {
        let Row::Test(test) = row else { return None };
        let reason = test.ours.reason.clone().unwrap_or_default();
        (!test.with_fences).then(|| test_cells(row, test).into_iter().chain([reason]).collect())
    };
    part(&headers, rows.iter().filter_map(cells).collect())
}

fn test_cells(row: &Row, test: &TestRow) -> Vec<String> {
    let variant = test.define.as_ref().map_or(String::new(), |define| format!(" -D {define}"));
    vec![
        format!("{}{variant}", test.program),
        test.test.clone(),
        test.model.clone(),
        test.paper.clone(),
        test.ours.verdict.clone(),
        format!("{:.3}", test.ours.seconds),
        mark(row),
    ]
}

fn counts(rows: &[Row]) -> String {
    let headers = [("type", Align::Left), ("thesis", Align::Left), ("ours", Align::Left), ("", Align::Left)];
    let shown = |numbers: &[u64; 4]| numbers.map(|number| number.to_string()).join("/");
    let cells = |row: &Row| {
        let Row::Counts(counts) = row else { return None };
        let others = if counts.others == 0 { String::new() } else { format!(" and {} others", counts.others) };
        let ours = format!("{}{others}", shown(&counts.ours));
        Some(vec![counts.data_type.clone(), shown(&counts.paper), ours, mark(row)])
    };
    part(&headers, rows.iter().filter_map(cells).collect())
}

fn fences(rows: &[Row]) -> String {
    let headers = [
        ("fence", Align::Left),
        ("kind", Align::Left),
        ("thesis", Align::Left),
        ("ours", Align::Left),
        ("s", Align::Right),
        ("", Align::Left),
    ];
    let cells = |row: &Row| {
        let Row::Fence(fence) = row else { return None };
        Some(vec![
            fence.place.clone(),
            fence.kind.clone(),
            if fence.claimed { "some test".into() } else { "-".into() },
            found(&fence.ours),
            format!("{:.3}", fence.seconds),
            if fence.claimed { mark(row) } else { String::new() },
        ])
    };
    part(&headers, rows.iter().filter_map(cells).collect())
}

/// What was found out about a fence, in words.
fn found(necessity: &Necessity) -> String {
    let mut words = match &necessity.test {
        Some(test) => test.clone(),
        None => "none of the tests".into(),
    };
    if !necessity.unbounded.is_empty() {
        words.push_str(&format!("; a loop goes round too often: {}", necessity.unbounded.join(" ")));
    }
    if !necessity.undecided.is_empty() {
        words.push_str(&format!("; not decided within the limit: {}", necessity.undecided.join(" ")));
    }
    if necessity.test.is_none() && !necessity.failing_anyway.is_empty() {
        words.push_str(&format!("; not passing with it either: {}", necessity.failing_anyway.join(" ")));
    }
    words
}

/// One object, schema 1: `table`, `title`, `rows`, `agree`, `total`, `wall_seconds`. Every row has `row`, `part`, `paper`, `ours` and
/// `agrees`. Parts are `bugs` and `without-fences` (`program`, `define`, `test`, `notation`, `model`; verdicts), `counts` (`type`;
/// numbers by kind) and `fences` (`type`, `place`, `kind`; `ours` with `test`, `passing`, `failing_anyway`, `unbounded`, `undecided`,
/// `seconds`).
pub fn json(table: &Table) -> String {
    let object = json!({
        "schema": 1,
        "table": table.name,
        "title": table.title,
        "rows": table.rows.iter().map(row).collect::<Json>(),
        "agree": table.rows.iter().filter(|row| row.agrees()).count(),
        "total": table.rows.len(),
        "wall_seconds": round(table.wall_seconds),
    });
    object.to_string() + "\n"
}

fn row(row: &Row) -> Json {
    let mut object = match row {
        Row::Test(test) => test_json(test),
        Row::Counts(counts) => counts_json(counts),
        Row::Fence(fence) => fence_json(fence),
    };
    object["agrees"] = json!(row.agrees());
    object
}

fn test_json(test: &TestRow) -> Json {
    json!({
        "row": format!("{} {} {}", test.program, test.test, test.model),
        "part": if test.with_fences { "bugs" } else { "without-fences" },
        "program": test.program,
        "define": test.define,
        "test": test.test,
        "notation": test.notation,
        "model": test.model,
        "paper": { "verdict": test.paper },
        "ours": test.ours.json(),
    })
}

fn counts_json(counts: &Counts) -> Json {
    let names = ["load_load", "store_store", "aliased_loads", "data_dependent_loads"];
    let object = |numbers: &[u64; 4]| -> Map<String, Json> {
        names.iter().zip(numbers).map(|(name, number)| (name.to_string(), json!(number))).collect()
    };
    let mut ours = object(&counts.ours);
    ours.insert("others".into(), json!(counts.others));
    json!({
        "row": format!("{} fences", counts.data_type),
        "part": "counts",
        "type": counts.data_type,
        "paper": object(&counts.paper),
        "ours": ours,
    })
}

fn fence_json(fence: &Fence) -> Json {
    json!({
        "row": fence.place,
        "part": "fences",
        "type": fence.data_type,
        "place": fence.place,
        "kind": fence.kind,
        "model": "relaxed",
        "paper": { "necessary": fence.claimed.then_some(true) },
        "ours": {
            "test": fence.ours.test,
            "passing": fence.ours.passing,
            "failing_anyway": fence.ours.failing_anyway,
            "unbounded": fence.ours.unbounded,
            "undecided": fence.ours.undecided,
            "seconds": round(fence.seconds),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn example() -> Table {
        let ours =
            Checked { verdict: "fail".into(), reason: Some("a value".into()), seconds: 0.25, ..Checked::default() };
        let test = TestRow {
            program: "lazylist".into(),
            define: Some("PUBLISHED".into()),
            test: "Sac".into(),
            notation: "(a|c)".into(),
            model: "sc".into(),
            with_fences: true,
            paper: "fail".into(),
            ours,
        };
        let other =
            TestRow { with_fences: false, define: None, model: "tso".into(), paper: "pass".into(), ..test.clone() };
        let counts = Counts { data_type: "msn".into(), paper: [4, 2, 2, 1], ours: [4, 2, 2, 1], others: 0 };
        let fence = |ours: Necessity| Fence {
            data_type: "msn".into(),
            place: "msn.c:49".into(),
            kind: "store-store".into(),
            claimed: true,
            ours,
            seconds: 0.5,
        };
        let needed = Necessity { test: Some("T0".into()), ..Necessity::default() };
        let open = Necessity { unbounded: vec!["Ti2".into()], undecided: vec!["Tpc6".into()], ..Necessity::default() };
        let rows = vec![
            Row::Test(test),
            Row::Test(other),
            Row::Counts(counts),
            Row::Fence(fence(needed)),
            Row::Fence(fence(open)),
        ];
        Table { name: "checkfence-8.3".into(), title: "Figure 8.3".into(), rows, wall_seconds: 1.0 }
    }

    #[test]
    fn each_part_is_a_table() {
        expect![[r#"
            Figure 8.3

            Errors:

            program                test  model  thesis  ours      s          what
            ---------------------  ----  -----  ------  ----  -----  ------  -------
            lazylist -D PUBLISHED  Sac   sc     fail    fail  0.250  agrees  a value

            On tso, with all fences left out:

            type      test  model  thesis  ours      s
            --------  ----  -----  ------  ----  -----  -------  -------
            lazylist  Sac   tso    pass    fail  0.250  DIFFERS  a value

            Fences (load-load/store-store/aliased-loads/data-dependent-loads):

            type  thesis   ours
            ----  -------  -------  ------
            msn   4/2/2/1  4/2/2/1  agrees

            On relaxed, the first test that fails if this fence is left out:

            fence     kind         thesis     ours                                                                                         s
            --------  -----------  ---------  ---------------------------------------------------------------------------------------  -----  -------
            msn.c:49  store-store  some test  T0                                                                                       0.500  agrees
            msn.c:49  store-store  some test  none of the tests; a loop goes round too often: Ti2; not decided within the limit: Tpc6  0.500  DIFFERS

            3 of 5 rows agree.
            Processor time 1.50 s, wall time 1.00 s.
        "#]]
        .assert_eq(&text(&example()));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"checkfence-8.3","title":"Figure 8.3","rows":[{"row":"lazylist Sac sc","part":"bugs","program":"lazylist","define":"PUBLISHED","test":"Sac","notation":"(a|c)","model":"sc","paper":{"verdict":"fail"},"ours":{"verdict":"fail","reason":"a value","events":0,"variables":0,"clauses":0,"observations":0,"seconds":0.25},"agrees":true},{"row":"lazylist Sac tso","part":"without-fences","program":"lazylist","define":null,"test":"Sac","notation":"(a|c)","model":"tso","paper":{"verdict":"pass"},"ours":{"verdict":"fail","reason":"a value","events":0,"variables":0,"clauses":0,"observations":0,"seconds":0.25},"agrees":false},{"row":"msn fences","part":"counts","type":"msn","paper":{"load_load":4,"store_store":2,"aliased_loads":2,"data_dependent_loads":1},"ours":{"load_load":4,"store_store":2,"aliased_loads":2,"data_dependent_loads":1,"others":0},"agrees":true},{"row":"msn.c:49","part":"fences","type":"msn","place":"msn.c:49","kind":"store-store","model":"relaxed","paper":{"necessary":true},"ours":{"test":"T0","passing":[],"failing_anyway":[],"unbounded":[],"undecided":[],"seconds":0.5},"agrees":true},{"row":"msn.c:49","part":"fences","type":"msn","place":"msn.c:49","kind":"store-store","model":"relaxed","paper":{"necessary":true},"ours":{"test":null,"passing":[],"failing_anyway":[],"unbounded":["Ti2"],"undecided":["Tpc6"],"seconds":0.5},"agrees":false}],"agree":3,"total":5,"wall_seconds":1.0}
        "#]].assert_eq(&json(&example()));
    }
}

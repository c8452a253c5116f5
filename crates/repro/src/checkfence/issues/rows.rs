//! The rows of figure 8.3, and how they are shown.

use program::Span;
use serde_json::{Value as Json, json};

use super::super::Checked;
use crate::Published;
use crate::table::{Columns, Part, Row, Table, mark, round};

/// A row of one of the four parts.
#[derive(Clone)]
pub enum Item {
    Test(TestRow),
    Counts(Counts),
    Fence(Fence),
}

/// A bounded test and the verdict that the thesis found.
#[derive(Clone)]
pub struct TestRow {
    pub program: String,
    /// The macro that makes it the variant that is meant.
    pub define: Option<String>,
    pub test: String,
    pub notation: String,
    pub model: String,
    /// Whether the program keeps its fences.
    pub with_fences: bool,
    /// The thesis's verdict: `pass` or `fail`.
    pub paper: String,
    pub ours: Checked,
}

/// How many fences a data type has: load-load, store-store, aliased-loads, data-dependent-loads.
#[derive(Clone)]
pub struct Counts {
    pub data_type: String,
    /// In the thesis.
    pub paper: [u64; 4],
    /// In our file.
    pub ours: [u64; 4],
    /// Fences of other kinds in our file.
    pub others: u64,
}

/// A fence of a data type.
#[derive(Clone)]
pub struct Fence {
    pub data_type: String,
    /// File and line.
    pub place: String,
    pub kind: String,
    /// Where it stands.
    pub span: Span,
    /// Whether the thesis says that some test fails without it.
    pub claimed: bool,
    pub ours: Necessity,
    /// Processor time.
    pub seconds: f64,
}

/// What the tests of a data type say without one of its fences.
#[derive(Clone, Default)]
pub struct Necessity {
    /// The first that fails without the fence and passes with all. Those that come after it were not run.
    pub test: Option<String>,
    /// Those that pass without it.
    pub passing: Vec<String>,
    /// Those that do not pass with all fences either.
    pub failing_anyway: Vec<String>,
    /// Those that have no verdict because without it some loop can have more iterations than are tried.
    pub unbounded: Vec<String>,
    /// Those that were not decided within the limit.
    pub undecided: Vec<String>,
}

/// The table, part by part.
pub fn shown(published: &Published, items: &[Item]) -> Table {
    let tests = |with_fences: bool| {
        items.iter().filter_map(move |item| match item {
            Item::Test(row) if row.with_fences == with_fences => Some(row),
            _ => None,
        })
    };
    let counts = items.iter().filter_map(|item| match item {
        Item::Counts(counts) => Some(counts),
        _ => None,
    });
    let fences = items.iter().filter_map(|item| match item {
        Item::Fence(fence) => Some(fence),
        _ => None,
    });
    let parts = vec![
        Part::of(Some("Errors:"), test_columns("program", "what"), tests(true), TestRow::row),
        Part::of(Some("On tso, with all fences left out:"), test_columns("type", ""), tests(false), TestRow::row),
        Part::of(
            Some("Fences (load-load/store-store/aliased-loads/data-dependent-loads):"),
            count_columns(),
            counts,
            Counts::row,
        ),
        Part::of(
            Some("On relaxed, the first test that fails if this fence is left out:"),
            fence_columns(),
            fences,
            Fence::row,
        ),
    ];
    Table::new(published, parts)
}

fn test_columns(program: &'static str, reason: &'static str) -> Columns<'static, TestRow> {
    Columns::new()
        .left(program, |row: &TestRow| {
            let variant = row.define.as_ref().map_or(String::new(), |define| format!(" -D {define}"));
            format!("{}{variant}", row.program)
        })
        .left("test", |row| row.test.clone())
        .left("model", |row| row.model.clone())
        .left("thesis", |row| row.paper.clone())
        .left("ours", |row| row.ours.verdict.clone())
        .right("s", |row| format!("{:.3}", row.ours.seconds))
        .left("", |row| mark(row.agrees()))
        .left(reason, |row| row.ours.reason.clone().unwrap_or_default())
}

impl TestRow {
    /// The name of its part.
    pub fn part(&self) -> &'static str {
        if self.with_fences { "bugs" } else { "without-fences" }
    }

    fn agrees(&self) -> bool {
        self.paper == self.ours.verdict
    }

    /// `paper` has `verdict`, `ours` is as in [`Checked::json`].
    fn row(&self) -> Row {
        Row {
            name: format!("{} {} {}", self.program, self.test, self.model),
            about: vec![
                ("part", json!(self.part())),
                ("program", json!(self.program)),
                ("define", json!(self.define)),
                ("test", json!(self.test)),
                ("notation", json!(self.notation)),
                ("model", json!(self.model)),
            ],
            paper: json!({ "verdict": self.paper }),
            ours: self.ours.json(),
            agrees: self.agrees(),
            seconds: self.ours.seconds,
            // The reason has a column.
            note: None,
            cells: Vec::new(),
        }
    }
}

fn count_columns() -> Columns<'static, Counts> {
    fn numbers(numbers: &[u64; 4]) -> String {
        numbers.map(|number| number.to_string()).join("/")
    }
    Columns::new()
        .left("type", |counts: &Counts| counts.data_type.clone())
        .left("thesis", |counts| numbers(&counts.paper))
        .left("ours", |counts| {
            let others = if counts.others == 0 { String::new() } else { format!(" and {} others", counts.others) };
            format!("{}{others}", numbers(&counts.ours))
        })
        .left("", |counts| mark(counts.agrees()))
}

impl Counts {
    fn agrees(&self) -> bool {
        self.paper == self.ours && self.others == 0
    }

    /// `paper` and `ours` have numbers by kind, `ours` also `others`.
    fn row(&self) -> Row {
        let object = |[load_load, store_store, aliased_loads, data_dependent_loads]: [u64; 4]| -> Json {
            json!({
                "load_load": load_load,
                "store_store": store_store,
                "aliased_loads": aliased_loads,
                "data_dependent_loads": data_dependent_loads,
            })
        };
        let mut ours = object(self.ours);
        ours["others"] = json!(self.others);
        Row {
            name: format!("{} fences", self.data_type),
            about: vec![("part", json!("counts")), ("type", json!(self.data_type))],
            paper: object(self.paper),
            ours,
            agrees: self.agrees(),
            seconds: 0.0,
            note: None,
            cells: Vec::new(),
        }
    }
}

fn fence_columns() -> Columns<'static, Fence> {
    Columns::new()
        .left("fence", |fence: &Fence| fence.place.clone())
        .left("kind", |fence| fence.kind.clone())
        .left("thesis", |fence| if fence.claimed { "some test".into() } else { "-".into() })
        .left("ours", |fence| fence.ours.in_words())
        .right("s", |fence| format!("{:.3}", fence.seconds))
        .left("", |fence| if fence.claimed { mark(fence.agrees()) } else { String::new() })
}

impl Fence {
    /// Where the thesis claims nothing, we agree.
    fn agrees(&self) -> bool {
        !self.claimed || self.ours.test.is_some()
    }

    /// `paper` has `necessary`, `ours` has `test`, `passing`, `failing_anyway`, `unbounded`, `undecided` and `seconds`.
    fn row(&self) -> Row {
        Row {
            name: self.place.clone(),
            about: vec![
                ("part", json!("fences")),
                ("type", json!(self.data_type)),
                ("place", json!(self.place)),
                ("kind", json!(self.kind)),
                ("model", json!("relaxed")),
            ],
            paper: json!({ "necessary": self.claimed.then_some(true) }),
            ours: json!({
                "test": self.ours.test,
                "passing": self.ours.passing,
                "failing_anyway": self.ours.failing_anyway,
                "unbounded": self.ours.unbounded,
                "undecided": self.ours.undecided,
                "seconds": round(self.seconds),
            }),
            agrees: self.agrees(),
            seconds: self.seconds,
            note: None,
            cells: Vec::new(),
        }
    }
}

impl Necessity {
    /// What was found out about a fence.
    fn in_words(&self) -> String {
        let mut words = self.test.clone().unwrap_or_else(|| "none of the tests".into());
        if !self.unbounded.is_empty() {
            words.push_str(&format!("; a loop has too many iterations: {}", self.unbounded.join(" ")));
        }
        if !self.undecided.is_empty() {
            words.push_str(&format!("; not decided within the limit: {}", self.undecided.join(" ")));
        }
        if self.test.is_none() && !self.failing_anyway.is_empty() {
            words.push_str(&format!("; not passing with it either: {}", self.failing_anyway.join(" ")));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use program::FileId;

    const SPAN: Span = Span { file: FileId(0), start: 0, end: 1 };

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
            span: SPAN,
            claimed: true,
            ours,
            seconds: 0.5,
        };
        let needed = Necessity { test: Some("T0".into()), ..Necessity::default() };
        let open = Necessity { unbounded: vec!["Ti2".into()], undecided: vec!["Tpc6".into()], ..Necessity::default() };
        let items = [
            Item::Test(test),
            Item::Test(other),
            Item::Counts(counts),
            Item::Fence(fence(needed)),
            Item::Fence(fence(open)),
        ];
        let published = Published { title: "Figure 8.3", ..*crate::named("checkfence-8.3").expect("a table") };
        shown(&published, &items)
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

            fence     kind         thesis     ours                                                                                            s
            --------  -----------  ---------  ------------------------------------------------------------------------------------------  -----  -------
            msn.c:49  store-store  some test  T0                                                                                          0.500  agrees
            msn.c:49  store-store  some test  none of the tests; a loop has too many iterations: Ti2; not decided within the limit: Tpc6  0.500  DIFFERS

            3 of 5 rows agree.
            Processor time 1.50 s, wall time 1.00 s.
        "#]]
        .assert_eq(&example().text(1.0));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"checkfence-8.3","title":"Figure 8.3","rows":[{"row":"lazylist Sac sc","part":"bugs","program":"lazylist","define":"PUBLISHED","test":"Sac","notation":"(a|c)","model":"sc","paper":{"verdict":"fail"},"ours":{"verdict":"fail","reason":"a value","events":0,"variables":0,"clauses":0,"observations":0,"seconds":0.25},"agrees":true},{"row":"lazylist Sac tso","part":"without-fences","program":"lazylist","define":null,"test":"Sac","notation":"(a|c)","model":"tso","paper":{"verdict":"pass"},"ours":{"verdict":"fail","reason":"a value","events":0,"variables":0,"clauses":0,"observations":0,"seconds":0.25},"agrees":false},{"row":"msn fences","part":"counts","type":"msn","paper":{"load_load":4,"store_store":2,"aliased_loads":2,"data_dependent_loads":1},"ours":{"load_load":4,"store_store":2,"aliased_loads":2,"data_dependent_loads":1,"others":0},"agrees":true},{"row":"msn.c:49","part":"fences","type":"msn","place":"msn.c:49","kind":"store-store","model":"relaxed","paper":{"necessary":true},"ours":{"test":"T0","passing":[],"failing_anyway":[],"unbounded":[],"undecided":[],"seconds":0.5},"agrees":true},{"row":"msn.c:49","part":"fences","type":"msn","place":"msn.c:49","kind":"store-store","model":"relaxed","paper":{"necessary":true},"ours":{"test":null,"passing":[],"failing_anyway":[],"unbounded":["Ti2"],"undecided":["Tpc6"],"seconds":0.5},"agrees":false}],"agree":3,"total":5,"wall_seconds":1.0}
        "#]].assert_eq(&example().json(1.0));
    }
}

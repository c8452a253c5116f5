//! Tables as text and as JSON.

use report::table::{Align, render};
use serde_json::{Map, Value as Json, json};

use crate::table::{Row, Table, Tally, round};

impl Table {
    /// The table for a terminal: the published figures and ours in turn, disagreements marked, how many rows agree.
    pub fn text(&self, wall_seconds: f64) -> String {
        let mut text = format!("{}\n", self.title);
        for part in self.parts.iter().filter(|part| !part.rows.is_empty()) {
            let lines: Vec<Vec<String>> = part.rows.iter().map(|row| row.cells.clone()).collect();
            text.push_str(&grid(part.heading, &part.columns, &lines));
        }
        if let Some(sums) = &self.sums {
            text.push_str(&grid(sums.heading, &sums.columns, &sums.lines));
        }
        let (agreeing, total) = (self.agreeing(), self.rows().count());
        text.push_str(&format!("\n{agreeing} of {total} {}.", self.agreement));
        if let Some(Tally { what, count, .. }) = &self.tally {
            text.push_str(&format!(" {what}: {count} of {total}."));
        }
        let seconds: f64 = self.rows().map(|row| row.seconds).sum();
        text.push_str(&format!("\nProcessor time {seconds:.2} s, wall time {wall_seconds:.2} s.\n"));
        let notes = self.rows().filter_map(|row| row.note.as_deref());
        for line in self.remarks.iter().copied().chain(notes) {
            text.push_str(&format!("{line}\n"));
        }
        text
    }

    /// One object, schema 1: `table`, `title`, `rows`, `agree` (how many), `total`, `wall_seconds`, and what else is counted.
    /// Every row has `row` (its name), what it is about, the published figures (`paper` or `published`), `ours` and `agrees`.
    pub fn json(&self, wall_seconds: f64) -> String {
        let mut object = json!({
            "schema": 1,
            "table": self.name,
            "title": self.title,
            "rows": self.rows().map(|row| self.row(row)).collect::<Json>(),
            "agree": self.agreeing(),
        });
        if let Some(Tally { name, count, .. }) = &self.tally {
            object[name] = json!(count);
        }
        object["total"] = json!(self.rows().count());
        object["wall_seconds"] = json!(round(wall_seconds));
        object.to_string() + "\n"
    }

    fn row(&self, row: &Row) -> Json {
        let mut object = Map::new();
        object.insert("row".into(), json!(row.name));
        object.extend(row.about.iter().map(|(name, value)| (name.to_string(), value.clone())));
        object.insert(self.paper_key.into(), row.paper.clone());
        object.insert("ours".into(), row.ours.clone());
        object.insert("agrees".into(), json!(row.agrees));
        Json::Object(object)
    }
}

/// Lines below their headers, after an empty line and perhaps a heading.
fn grid(heading: Option<&str>, columns: &[(String, Align)], lines: &[Vec<String>]) -> String {
    let headers: Vec<(&str, Align)> = columns.iter().map(|(header, align)| (header.as_str(), *align)).collect();
    let heading = heading.map_or(String::new(), |heading| format!("{heading}\n\n"));
    format!("\n{heading}{}", render(&headers, lines))
}

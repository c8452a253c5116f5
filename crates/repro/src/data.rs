//! Reading files of published figures: a row on a line, fields with tabs between, comments after `#`.

use palisade::Refusal;

/// The rows of a file, each read by `row` from the fields of its line.
pub fn rows<T>(file: &str, text: &str, row: impl Fn(&[&str]) -> Option<T>) -> Result<Vec<T>, Refusal> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let lines = numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let read = |(number, line): (usize, &str)| {
        let fields: Vec<&str> = line.split('\t').collect();
        row(&fields).ok_or_else(|| Refusal::Question(format!("{file}: line {number} is not a row")))
    };
    lines.map(read).collect()
}

/// Keeps the rows that have this name; if there are none, those whose names contain it.
pub fn keep_only<T>(rows: &mut Vec<T>, only: Option<&str>, names: impl Fn(&T) -> Vec<String>) -> Result<(), Refusal> {
    let Some(part) = only else { return Ok(()) };
    let is_named = |row: &T| names(row).iter().any(|name| name == part);
    if rows.iter().any(is_named) {
        rows.retain(is_named);
    } else {
        rows.retain(|row| names(row).iter().any(|name| name.contains(part)));
    }
    if rows.is_empty() { Err(Refusal::Question("the table has no such row".into())) } else { Ok(()) }
}

/// The first line of why something is refused.
pub fn summary(refusal: &Refusal) -> String {
    refusal.to_string().lines().next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_rows_and_wrong_lines_are_named() {
        let number = |fields: &[&str]| fields.first()?.parse::<u32>().ok();
        assert_eq!(rows("t.tsv", "# one\n1\tx\n\n2\n", number), Ok(vec![1, 2]));
        let refused = rows("t.tsv", "# one\n1\nx\n", number).expect_err("x is no number");
        assert_eq!(refused.to_string(), "t.tsv: line 3 is not a row");
    }

    #[test]
    fn a_name_comes_before_what_contains_it() {
        let kept = |part: &str| {
            let mut rows = vec!["T1", "T10", "T2"];
            keep_only(&mut rows, Some(part), |row| vec![row.to_string()]).map(|()| rows)
        };
        assert_eq!(kept("T1"), Ok(vec!["T1"]));
        assert_eq!(kept("1"), Ok(vec!["T1", "T10"]));
        assert!(kept("3").is_err());
    }
}

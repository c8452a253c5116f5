//! Text tables for terminals.

/// How the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with a header line; columns are as wide as their widest cell, without trailing blanks.
///
/// ```
/// use report::table::{Align, render};
///
/// let rows = vec![vec!["sc".to_string(), "12".to_string()], vec!["tso".to_string(), "7".to_string()]];
/// let text = render(&[("model", Align::Left), ("right", Align::Right)], &rows);
/// assert_eq!(text, "model  right\n-----  -----\nsc        12\ntso        7\n");
/// ```
pub fn render(headers: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([headers[column].0.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut line = String::new();
        for (column, &(_, align)) in headers.iter().enumerate() {
            let cell = cells.get(column).map_or("", |cell| cell);
            let gap = if column == 0 { "" } else { "  " };
            let width = widths[column];
            match align {
                Align::Left => line.push_str(&format!("{gap}{cell:<width$}")),
                Align::Right => line.push_str(&format!("{gap}{cell:>width$}")),
            }
        }
        line.trim_end().to_string() + "\n"
    };
    let names: Vec<String> = headers.iter().map(|(name, _)| name.to_string()).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = line(&names) + &line(&rule);
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

//! Names that were probably meant.

/// The known name that a misspelt one is nearest to, if one is near: one change for each three letters, at least one.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    let near = known.into_iter().map(|known| (changes(name, known), known)).filter(|(changes, _)| *changes <= most);
    near.min_by_key(|(changes, _)| *changes).map(|(_, known)| known)
}

/// `: did you mean X?`, if a known name is near.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |known| format!("; did you mean {known}?"))
}

/// How many letters must be put in, taken out, replaced or exchanged with their neighbour to get from one name to the other,
/// whatever the case (optimal string alignment).
fn changes(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) =
        (one.to_lowercase().chars().collect(), other.to_lowercase().chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, known) in other.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(letter != known);
            let is_exchanged = i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *known;
            let exchanged = if is_exchanged { rows[i - 1][j - 1] + 1 } else { usize::MAX };
            row.push(replaced.min(exchanged).min(rows[i][j + 1] + 1).min(row[j] + 1));
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        let known = ["sc", "tso", "pso", "rc11", "jmm-revised"];
        assert_eq!(nearest("tos", known), Some("tso"));
        assert_eq!(nearest("TSO", known), Some("tso"));
        assert_eq!(nearest("rc1", known), Some("rc11"));
        assert_eq!(nearest("jmm_revisde", known), Some("jmm-revised"));
        assert_eq!(nearest("power", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(hint("ps0", known), "; did you mean pso?");
    }
}

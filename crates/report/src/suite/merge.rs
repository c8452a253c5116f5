//! Parts of a suite that were run apart, put together again.

use serde_json::Value as Json;

use super::{Grade, Row, Shard, Suite};

/// The results of one part, and the name by which messages speak of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The file that they were read from.
    pub name: String,
    /// The results.
    pub suite: Suite,
}

impl Part {
    /// Reads what [`super::json()`] wrote.
    pub fn parse(name: &str, text: &str) -> Result<Part, String> {
        let object: Json = serde_json::from_str(text).map_err(|error| format!("{name}: is no JSON: {error}"))?;
        let suite = suite(&object).ok_or_else(|| format!("{name}: is no result of `palisade suite --format json`"))?;
        Ok(Part { name: name.into(), suite })
    }
}

/// The results of the whole suite. All of its parts must be there, each once.
pub fn merge(parts: Vec<Part>) -> Result<Suite, String> {
    let Some(first) = parts.first() else { return Err("there is nothing to merge".into()) };
    if let Some(other) = parts.iter().find(|part| !is_of_same_suite(first, part)) {
        return Err(format!("{} and {} are not parts of the same suite", first.name, other.name));
    }
    refuse_wrong_shards(&parts)?;
    let mut suite = Suite { shard: None, rows: Vec::new(), ..first.suite.clone() };
    for Part { suite: part, .. } in parts {
        suite.wall_seconds = suite.wall_seconds.max(part.wall_seconds);
        suite.interrupted = suite.interrupted.or(part.interrupted);
        suite.rows.extend(part.rows);
    }
    suite.rows.sort_by_key(|row| row.number);
    match missing_row(&suite) {
        Some(number) => Err(format!("row {number} of the suite is missing or there twice: the results were changed")),
        None => Ok(suite),
    }
}

fn is_of_same_suite(one: &Part, other: &Part) -> bool {
    let count = |part: &Part| part.suite.shard.map_or(1, |shard| shard.count);
    let key = |part: &Part| (part.suite.fingerprint.clone(), part.suite.total, count(part));
    key(one) == key(other)
}

/// Each shard is there once.
fn refuse_wrong_shards(parts: &[Part]) -> Result<(), String> {
    let shard = |part: &Part| part.suite.shard.unwrap_or(Shard { index: 1, count: 1 });
    let count = parts.first().map_or(1, |part| shard(part).count);
    let of = |index: usize| parts.iter().filter(move |part| shard(part).index == index).map(|part| part.name.as_str());
    let missing: Vec<String> =
        (1..=count).filter(|index| of(*index).next().is_none()).map(|index| format!("{index}/{count}")).collect();
    if !missing.is_empty() {
        return Err(format!("results of these shards are missing: {}", missing.join(", ")));
    }
    match (1..=count).find(|index| of(*index).count() > 1) {
        Some(index) => {
            Err(format!("shard {index}/{count} is there more than once: {}", of(index).collect::<Vec<_>>().join(", ")))
        }
        None => Ok(()),
    }
}

/// The first number that is not there exactly once, unless the run was interrupted: then rows may be missing.
fn missing_row(suite: &Suite) -> Option<usize> {
    let is_twice = |pair: &[Row]| (pair[0].number == pair[1].number).then_some(pair[0].number);
    let twice = suite.rows.windows(2).find_map(is_twice);
    let beyond = suite.rows.last().map(|row| row.number).filter(|number| *number >= suite.total);
    let gap = || suite.rows.iter().map(|row| Some(row.number)).chain([None]).zip(0..suite.total);
    let missing = || gap().find(|(own, number)| *own != Some(*number)).map(|(_, number)| number);
    twice.or(beyond).or_else(|| if suite.interrupted.is_some() { None } else { missing() })
}

fn suite(object: &Json) -> Option<Suite> {
    let shard = match &object["shard"] {
        Json::Null => None,
        text => Some(Shard::parse(text.as_str()?).ok()?),
    };
    Some(Suite {
        fingerprint: object["suite"].as_str()?.into(),
        total: number(&object["total"])?,
        shard,
        rows: object["rows"].as_array()?.iter().map(row).collect::<Option<_>>()?,
        wall_seconds: object["wall_seconds"].as_f64()?,
        interrupted: text(&object["interrupted"]),
    })
}

fn row(object: &Json) -> Option<Row> {
    Some(Row {
        number: number(&object["number"])?,
        file: text(&object["file"])?,
        model: text(&object["model"])?,
        options: text(&object["options"])?,
        engine: text(&object["engine"]),
        expected: text(&object["expected"]),
        answer: text(&object["answer"])?,
        grade: Grade::named(object["grade"].as_str()?)?,
        reason: text(&object["reason"]),
        warnings: object["warnings"].as_array()?.iter().map(text).collect::<Option<_>>()?,
        tearing: object["tearing"].as_bool(),
        cpu_seconds: object["cpu_seconds"].as_f64()?,
    })
}

fn number(value: &Json) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::super::{fingerprint, json, junit, text as in_words};
    use super::*;

    fn row(number: usize) -> Row {
        Row {
            number,
            file: format!("{number}.c"),
            model: ["tso", "pso"][number % 2].into(),
            options: "engine=mcr".into(),
            engine: Some("mcr".into()),
            expected: Some("holds".into()),
            answer: "violated".into(),
            grade: if number == 3 { Grade::Wrong } else { Grade::Right },
            reason: (number == 2).then(|| "for a reason".into()),
            warnings: if number == 1 { vec!["a warning".into()] } else { Vec::new() },
            tearing: (number == 0).then_some(true),
            cpu_seconds: 0.25,
        }
    }

    fn part(shard: Option<Shard>, total: usize) -> Part {
        let rows = (0..total).filter(|number| shard.is_none_or(|shard| shard.has(*number))).map(row).collect();
        let suite = Suite {
            fingerprint: fingerprint(std::iter::once(&["a"][..])),
            total,
            shard,
            rows,
            wall_seconds: 1.5,
            interrupted: None,
        };
        let name = shard.map_or("all".into(), |shard| shard.to_string());
        Part::parse(&name, &json(&suite)).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    fn shard(index: usize, count: usize) -> Part {
        part(Some(Shard { index, count }), 7)
    }

    #[test]
    fn parts_are_the_whole() {
        let whole = part(None, 7).suite;
        for count in [1, 2, 3, 7, 9] {
            let parts: Vec<Part> = (1..=count).rev().map(|index| shard(index, count)).collect();
            let merged = merge(parts).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(merged, whole);
            assert_eq!(json(&merged), json(&whole));
            assert_eq!(junit(&merged), junit(&whole));
            assert_eq!(in_words(&merged), in_words(&whole));
        }
        assert_eq!(merge(vec![part(None, 7)]), Ok(whole));
    }

    #[test]
    fn what_is_missing_double_or_strange_is_refused() {
        let refused = |parts: Vec<Part>| merge(parts).expect_err("refused");
        assert_eq!(refused(vec![shard(1, 4), shard(3, 4)]), "results of these shards are missing: 2/4, 4/4");
        assert_eq!(refused(vec![shard(1, 2), shard(2, 2), shard(1, 2)]), "shard 1/2 is there more than once: 1/2, 1/2");
        assert!(refused(vec![shard(1, 2), shard(2, 3)]).contains("not parts of the same suite"));
        assert!(refused(vec![shard(1, 2), part(Some(Shard { index: 2, count: 2 }), 8)]).contains("not parts"));
        let mut cut = shard(2, 2);
        cut.suite.rows.pop();
        assert!(refused(vec![shard(1, 2), cut]).contains("row 5 of the suite is missing"));
        assert!(Part::parse("x", "{}").expect_err("refused").contains("no result"));
        assert!(Part::parse("x", "{").expect_err("refused").contains("no JSON"));
    }

    #[test]
    fn an_interrupted_part_makes_the_whole_so() {
        let mut cut = shard(2, 2);
        cut.suite.rows.pop();
        cut.suite.interrupted = Some("interrupted".into());
        let merged = merge(vec![shard(1, 2), cut]).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!((merged.rows.len(), merged.interrupted.as_deref()), (6, Some("interrupted")));
    }

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!(Shard::parse("2/8"), Ok(Shard { index: 2, count: 8 }));
        for wrong in ["0/8", "9/8", "1/0", "2", "a/b", "-1/2"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }
}

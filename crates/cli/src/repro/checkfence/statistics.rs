//! Figure 8.4: bounded tests of five data types, with their fences, on the model relaxed.

use std::time::Instant;

use palisade::Model;
use report::repro::statistics::{Row, Table, json, text};

use super::{Entry, check, entries, no_verdict, test_of};
use crate::arguments::Repro;
use crate::failure::Failure;
use crate::limits::Guard;
use crate::parallel;
use crate::repro::{Printed, keep_only, print};

/// The table.
pub fn table(arguments: &Repro) -> Result<Printed, Failure> {
    let _guard = Guard::start(arguments.limits)?;
    let start = Instant::now();
    let mut entries = entries()?;
    if let Some(part) = &arguments.only {
        let names = |entry: &Entry| vec![entry.data_type.clone(), entry.test.clone(), row_name(entry)];
        keep_only(&mut entries, part, names)?;
    }
    let model = Model::named("relaxed")?;
    // The long ones first, so that none of them runs alone at the end.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&one, &other| entries[other].seconds.total_cmp(&entries[one].seconds));
    let work = |&index: &usize| {
        let entry: &Entry = &entries[index];
        check(|| test_of(&entry.data_type, None, &entry.notation), &model, None)
    };
    let found = parallel::map(&order, arguments.jobs, "rows", work)?;
    let mut found: Vec<_> = order.into_iter().zip(found).collect();
    found.sort_by_key(|(index, _)| *index);
    let ours = found.into_iter().map(|(_, ours)| ours.unwrap_or_else(|| no_verdict("interrupted".into())));
    let rows: Vec<Row> = entries.into_iter().zip(ours).map(|(entry, ours)| row(entry, ours)).collect();
    let all_agree = rows.iter().all(Row::agrees);
    let title = "CheckFence (Burckhardt, thesis, 2007), figure 8.4: bounded tests of five data types on relaxed.";
    let wall_seconds = start.elapsed().as_secs_f64();
    let table = Table { name: "checkfence-8.4".into(), title: title.into(), rows, wall_seconds };
    Ok(Printed { text: print(arguments.format, &table, text, json), all_agree })
}

fn row_name(entry: &Entry) -> String {
    format!("{} {}", entry.data_type, entry.test)
}

fn row(entry: Entry, ours: report::repro::Checked) -> Row {
    Row {
        data_type: entry.data_type,
        test: entry.test,
        notation: entry.notation,
        loads: entry.loads,
        stores: entry.stores,
        variables: entry.variables,
        clauses: entry.clauses,
        seconds: entry.seconds,
        ours,
    }
}

//! The command `repro`: a published table with our figures beside it.
//!
//! The tables are data (`repro/`), and they and the programs that they speak of are part of the binary. [`memsat`],
//! [`checkfence`] and [`mcr`] hold the tables of a paper each.

mod checkfence;
mod mcr;
mod memsat;

pub use memsat::{PROGRAMS, embedded};

use serde_json::json;

use crate::arguments::{Repro, Table, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::is_interrupted;
use crate::{machine_tables, supervise};

/// A table as it is printed, and what it comes to.
struct Printed {
    text: String,
    /// Whether all verdicts agree.
    all_agree: bool,
}

/// The command `repro`. Exit code 0 only if all verdicts agree.
pub fn repro(arguments: &Repro) -> Result<Exit, Failure> {
    supervise::offer(|reason| match arguments.format {
        TableFormat::Text => format!("Unknown: {reason}.\n"),
        TableFormat::Json => format!("{}\n", json!({ "schema": 1, "rows": [], "interrupted": reason })),
    });
    if let Some(table) = machine_tables::named(arguments.table) {
        return machine_tables::repro(arguments, &table);
    }
    let printed = match arguments.table {
        // Those of machines were dealt with above.
        Table::Memsat1 | Table::Memsat2 | Table::Opmm1 | Table::Jpr14 => memsat::table(arguments)?,
        Table::Mcr1 | Table::Mcr3 | Table::Mcr4 | Table::Mcr5 | Table::McrGrowth => mcr::table(arguments)?,
        Table::Checkfence83 => checkfence::issues::table(arguments)?,
        Table::Checkfence84 => checkfence::statistics::table(arguments)?,
    };
    write(arguments.output.as_deref(), &printed.text)?;
    Ok(match printed.all_agree {
        true => Exit::Validated,
        false if is_interrupted() => Exit::Unknown,
        false => Exit::Refuted,
    })
}

/// Prints a table in the format asked for.
fn print<T>(format: TableFormat, table: &T, text: fn(&T) -> String, json: fn(&T) -> String) -> String {
    match format {
        TableFormat::Text => text(table),
        TableFormat::Json => json(table),
    }
}

/// Keeps the rows that have this name; if there are none, those whose names contain it.
fn keep_only<T>(rows: &mut Vec<T>, part: &str, names: impl Fn(&T) -> Vec<String>) -> Result<(), Failure> {
    let is_named = |row: &T| names(row).iter().any(|name| name == part);
    if rows.iter().any(is_named) {
        rows.retain(is_named);
    } else {
        rows.retain(|row| names(row).iter().any(|name| name.contains(part)));
    }
    if rows.is_empty() { Err(Failure::Message("the table has no such row".into())) } else { Ok(()) }
}

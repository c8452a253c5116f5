//! What a schedule was written for: the file, the options that say what of it is run, and a hash of the program that was
//! run. `replay` refuses a schedule of another program instead of running something else.

use program::Verified;
use program::text::fingerprint;

use crate::arguments::{CSource, MemoryOrders};
use crate::failure::Failure;

/// The text of a schedule file with its origin after the first line.
pub fn added(text: &str, file: &str, program: &Verified, (c, orders): (&CSource, Option<MemoryOrders>)) -> String {
    let (header, moves) = text.split_once('\n').unwrap_or((text, ""));
    let mut lines = vec![header.to_string(), format!("file {}", file.replace([';', '\n', '\r'], "?"))];
    let options = options(c, orders);
    if !options.is_empty() {
        lines.push(format!("options {}", options.join(" ").replace([';', '\n', '\r'], "?")));
    }
    lines.push(format!("program {}", fingerprint(program)));
    format!("{}\n{moves}", lines.join("\n"))
}

/// Refuses to run a schedule with another program than it was written for, or with macros that were not defined then. A schedule
/// that does not say is taken as it is.
pub fn check(schedule: &str, text: &str, program: &Verified, c: &CSource) -> Result<(), Failure> {
    let line = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).map(str::trim);
    let Some(expected) = line("program ") else { return Ok(()) };
    let recorded = line("options ").unwrap_or_default();
    let is_new = |name: &&String| !format!("{recorded} ").contains(&format!("-D {name} "));
    if expected == fingerprint(program) {
        return match c.define.iter().find(is_new) {
            Some(name) => {
                Err(Failure::Message(format!("{schedule}: it was written without -D {name}, which has no effect")))
            }
            None => Ok(()),
        };
    }
    let options = line("options ").map_or("without options".to_string(), |options| format!("with {options}"));
    Err(Failure::Message(format!(
        "{schedule}: it was written for another program: {} {options}, as it was then",
        line("file ").unwrap_or("a file")
    )))
}

/// The options that change what is run.
fn options(c: &CSource, orders: Option<MemoryOrders>) -> Vec<String> {
    let mut options: Vec<String> = c.define.iter().map(|name| format!("-D {name}")).collect();
    options.extend(c.others.iter().map(|path| format!("--with {}", path.display())));
    options.extend(c.test.iter().map(|test| format!("--test '{test}'")));
    options.extend(c.volatile.iter().map(|how| format!("--volatile {}", how.name())));
    options.extend(c.ignore.iter().map(|kind| format!("--ignore {}", kind.name())));
    options.extend(c.tearing.then(|| "--tearing".to_string()));
    options.extend((orders == Some(MemoryOrders::Ignored)).then(|| "--memory-orders ignored".to_string()));
    options
}

//! `check --cubes` and `--cube`: one exploration as several processes, and `merge` of what they answer.

use std::path::Path;
use std::sync::Arc;

use input::files;
use palisade::cube::Cube;
use palisade::{Request, cubes};
use report::cubes::{Part, json, merge as put_together, text};

use crate::arguments::{Merge, MergeFormat};
use crate::failure::{Exit, Failure, write};

/// Writes the files of so many parts into a folder; says what to do with them.
pub fn divide(request: &Request<'_>, parts: usize, folder: &Path, file: &str) -> Result<String, Failure> {
    let cubes = cubes::divide(request, parts)?;
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, format!("cannot be made: {error}")))?;
    let digits = cubes.len().to_string().len();
    let mut name = String::new();
    for cube in &cubes {
        name = format!("cube-{:0digits$}", cube.index);
        write(Some(&folder.join(format!("{name}.json"))), &cube.to_json())?;
    }
    let folder = folder.display();
    Ok(format!(
        "{} cubes are in {folder}. For each, with the options of this question:\n  palisade check {file} --cube {folder}/{name}.json \
         --format json --output {folder}/part-{}.json\nThen:\n  palisade merge {folder}/part-*.json\n",
        cubes.len(),
        name.trim_start_matches("cube-"),
    ))
}

/// Reads the file of a part.
pub fn read(path: &Path) -> Result<Arc<Cube>, Failure> {
    let files::Text { text, .. } = files::read(path)?;
    Cube::parse(&text).map(Arc::new).ok_or_else(|| Failure::file(path, "is no file of --cubes"))
}

/// Puts the answers about parts together, if the results are such.
pub fn merge(arguments: &Merge, results: &[files::Text]) -> Option<Result<Exit, Failure>> {
    let parts: Option<Vec<Part>> = results.iter().map(|result| Part::parse(&result.name, &result.text)).collect();
    Some(printed(arguments, &parts?))
}

fn printed(arguments: &Merge, parts: &[Part]) -> Result<Exit, Failure> {
    let whole = put_together(parts).map_err(Failure::Message)?;
    let output = match arguments.format {
        MergeFormat::Text => text(&whole),
        MergeFormat::Json => json(&whole),
        MergeFormat::Junit => return Err(Failure::Message("parts of one answer are printed as text or JSON".into())),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match whole.verdict {
        "holds" => Exit::Validated,
        "violated" => Exit::Refuted,
        _ => Exit::Unknown,
    })
}

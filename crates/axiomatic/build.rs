//! Lists the files in `models/`, so that a model that is put there is in the binary.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=models");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("models");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().into_string().map_err(|name| format!("{name:?} is not UTF-8"))?);
    }
    names.sort();
    let line = |name: &String| {
        format!("({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/models/{name}\"))),\n")
    };
    let list: String = names.iter().map(line).collect();
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("models.rs"), format!("&[{list}]"))?;
    Ok(())
}

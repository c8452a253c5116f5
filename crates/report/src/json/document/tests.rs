//! `crates/report/schema/answer.schema.json` is the schema of the types, and the answers of the examples are as it says.
//! `UPDATE_EXPECT=1` rewrites the file.

use super::Answer;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/answer.schema.json");

#[test]
fn the_schema_file_is_that_of_the_types() {
    let schema = schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Answer>();
    let text = serde_json::to_string_pretty(&schema).expect("a schema has a text") + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, &text).expect("the file can be written");
    }
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(written == text, "{FILE} is not up to date: UPDATE_EXPECT=1 rewrites it");
}

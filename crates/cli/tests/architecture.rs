//! What the documents say of this repository is so: who may use whom, where the outside world is touched, what every
//! model file says of itself, how long files are, and what the commands shown print.

#[path = "architecture/modules.rs"]
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate of the workspace (its package is `palisade-` and this name), and which other crates of it it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("program", &[]),
    ("frontend", &["program"]),
    ("sat", &[]),
    ("relation", &["sat"]),
    ("axiomatic", &["program", "relation", "sat"]),
    ("operational", &["program", "sat"]),
    ("mcr", &["program", "operational", "axiomatic", "relation", "sat"]),
    ("testing", &["program", "axiomatic", "operational", "mcr"]),
    ("report", &["program"]),
    ("palisade", &["program", "frontend", "sat", "axiomatic", "operational", "mcr", "report"]),
    ("repro", &["program", "frontend", "operational", "mcr", "report", "palisade"]),
    ("watch", &["program", "report", "palisade"]),
    ("input", &["program", "frontend", "report", "palisade", "watch"]),
    (
        "cli",
        &[
            "program",
            "frontend",
            "sat",
            "relation",
            "axiomatic",
            "operational",
            "mcr",
            "report",
            "palisade",
            "repro",
            "watch",
            "input",
        ],
    ),
];

/// A longer source file hides a concept.
const LONGEST: usize = 1_000;

/// A crate with more lines of product code has several jobs, unless ARCHITECTURE.md says why it has one.
const LARGEST: usize = 15_000;

/// The command line has no logic of its own: it takes no more lines than this.
const COMMAND_LINE: usize = 3_500;

/// What only `cli`, `input` and `watch` may use: files, clock, environment, processes, host threads, the terminal.
const OUTSIDE_WORLD: &[&str] = &[
    "std::fs",
    "std::env",
    "std::time",
    "std::process",
    "std::thread",
    "std::net",
    "stdin()",
    "stdout()",
    "stderr()",
    "print!",
    "println!",
    "dbg!",
];

/// What `palisade` may use of it: it runs engines side by side, and says how long they took.
const OF_THE_LIBRARY: &[&str] = &["std::time", "std::thread"];

/// The documents whose commands are run.
const SHOWN_IN: &[&str] = &["README.md", "docs/guide.md"];

#[test]
fn crates_use_only_what_they_may() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        MAY_USE.iter().map(|(name, used)| (*name, used.iter().copied().collect())).collect();
    for folder in crate_folders() {
        let name = file_name(&folder);
        let may_use = allowed.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not in the table of crates"));
        for (section, used) in dependencies(&read(&folder.join("Cargo.toml"))) {
            // Tests may use what tests share.
            let is_ours = allowed.contains_key(used.as_str()) && (section != "dev-dependencies" || used != "testing");
            assert!(!is_ours || may_use.contains(used.as_str()), "{name} may not use {used} ([{section}])");
        }
    }
}

#[test]
fn the_reader_of_manifests_finds_every_form_of_dependency() {
    let text = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true # why\nb = \"1\"\n\"c\" = { path = \"c\" }\n\
                other = { package = \"g\", version = \"1\" }\n\
                another = { package = \"palisade-h\" }\n[dev-dependencies.d]\nversion = \"1\"\n\
                [target.'cfg(unix)'.build-dependencies]\ne = \"1\"\n[lib]\nf = 1\n";
    let found: Vec<String> = dependencies(text).into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, ["a", "b", "c", "g", "h", "d", "e"]);
}

#[test]
fn architecture_md_shows_the_table_of_crates() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [name, _, used] = cells[..] else { return None };
        let name = name.strip_prefix('`')?.strip_suffix('`')?.to_string();
        MAY_USE.iter().any(|(known, _)| *known == name).then(|| (name, used.to_string()))
    };
    let shown: BTreeMap<String, String> = text.lines().filter_map(row).collect();
    for (name, used) in MAY_USE {
        let expected = match used.len() {
            0 => "-".to_string(),
            count if count == MAY_USE.len() - 2 => "all".to_string(),
            _ => used.join(", "),
        };
        assert_eq!(shown.get(*name), Some(&expected), "the row of {name} in ARCHITECTURE.md");
    }
}

#[test]
fn folders_are_named_as_their_crates() {
    for folder in crate_folders() {
        let text = read(&folder.join("Cargo.toml"));
        let mut names = text.lines().filter_map(|line| line.strip_prefix("name = ")).map(|name| name.trim_matches('"'));
        let package = names.next().unwrap_or_default();
        assert_eq!(package.strip_prefix("palisade-").unwrap_or(package), file_name(&folder));
        // What follows is the name of its library, or of the binary.
        let target = names.next().unwrap_or(package);
        assert!(target == file_name(&folder) || target == "palisade", "{package} has a target {target}");
    }
}

#[test]
fn only_the_rim_touches_the_outside_world() {
    for folder in crate_folders()
        .into_iter()
        .filter(|folder| !["cli", "input", "watch", "testing"].contains(&&*file_name(folder)))
    {
        for file in source_files(&folder.join("src")).into_iter().filter(|file| !is_test(file)) {
            let text = read(&file);
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (index, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                let may_use = |word: &&str| file_name(&folder) == "palisade" && OF_THE_LIBRARY.contains(word);
                let used = OUTSIDE_WORLD.iter().find(|word| line.contains(**word) && !may_use(word));
                assert_eq!(used, None, "{}:{}", file.display(), index + 1);
            }
        }
    }
}

/// Packages hold what they are made of: data of the tree is reached by links in the crate's folder, which `cargo package` follows.
#[test]
fn crates_include_nothing_from_outside_of_their_folders() {
    for folder in crate_folders() {
        for file in source_files(&folder.join("src")) {
            let depth = file.strip_prefix(folder.join("src")).map_or(0, |inner| inner.components().count());
            let outside = format!("\"{}", "../".repeat(depth + 1));
            let text = read(&file);
            let found = text.lines().position(|line| line.contains("include") && line.contains(&outside));
            assert_eq!(found, None, "{}: {outside}", file.display());
        }
    }
}

#[test]
fn every_model_says_what_it_is() {
    let shipped: BTreeSet<String> = axiomatic::model::shipped().iter().map(|(name, _)| name.to_string()).collect();
    let mut found = BTreeSet::new();
    for file in sorted_entries(&root().join("models")) {
        let text = read(&file);
        let shown = file.display();
        for (line, key) in text.lines().zip(["name", "source", "deviations", "relation"]) {
            let value = line.strip_prefix(&format!("// {key}: ")).map(str::trim).unwrap_or_default();
            assert!(!value.is_empty(), "{shown}: expected `// {key}: ...`, found `{line}`");
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(text.starts_with(&format!("// name: {stem}: ")), "{shown} is not named {stem} in its first line");
        found.insert(file_name(&file));
    }
    assert_eq!(found, shipped, "files in models/ and models in the binary");
}

#[test]
fn no_file_is_long() {
    for file in crate_folders().into_iter().flat_map(|folder| source_files(&folder)) {
        let lines = read(&file).lines().count();
        assert!(lines <= LONGEST, "{} has {lines} lines: is a concept missing?", file.display());
    }
}

#[test]
fn no_crate_is_large_without_a_reason() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let (before, _) = text.split_once("have more than 15,000").expect("a sentence about large crates");
    let reasons = before.rsplit("\n\n").next().unwrap_or_default();
    for folder in crate_folders() {
        let files = source_files(&folder.join("src")).into_iter().filter(|file| !is_test(file));
        let (name, lines) = (file_name(&folder), files.map(|file| read(&file).lines().count()).sum::<usize>());
        assert!(name != "cli" || lines < COMMAND_LINE, "cli has {lines} lines: what is not of the command line?");
        let has_reason = reasons.contains(&format!("`{name}`"));
        assert_eq!(
            lines > LARGEST,
            has_reason,
            "{name} has {lines} lines, and ARCHITECTURE.md says why it is large: {has_reason}"
        );
    }
}

#[test]
fn documents_name_files_that_exist() {
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/guide.md", "docs/waiting-loops.md"];
    for document in documents {
        let text = read(&root().join(document));
        let quoted = text.split('`').skip(1).step_by(2);
        let is_path = |word: &&str| {
            ["crates/", "models/", "suites/", "docs/", ".ci/"].iter().any(|folder| word.starts_with(folder))
                && !word.contains(|letter: char| letter.is_whitespace() || "*<>{}".contains(letter))
        };
        for path in quoted.filter(is_path) {
            assert!(root().join(path).exists(), "{document} speaks of {path}, which does not exist");
        }
    }
}

/// Blocks marked `console` hold commands after `$ ` and what they print; `...` stands for lines left out.
/// `UPDATE_EXPECT=1` rewrites what is shown in full.
#[test]
fn documents_show_what_commands_print() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    for document in SHOWN_IN {
        let path = root().join(document);
        let text = read(&path);
        let (mut rewritten, mut in_console) = (String::new(), false);
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            rewritten.push_str(line);
            rewritten.push('\n');
            in_console = if in_console { !line.starts_with("```") } else { line == "```console" };
            let Some(command) = line.strip_prefix("$ palisade ").filter(|_| in_console) else { continue };
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```")) {
                shown.push_str(line);
                shown.push('\n');
            }
            let printed = run(command);
            let is_right = is_shown(&printed, &shown);
            let may_rewrite = update && !shown.contains("...\n");
            assert!(
                is_right || may_rewrite,
                "{document}: `palisade {command}` prints\n{printed}\nbut this is shown:\n{shown}"
            );
            rewritten.push_str(if is_right { &shown } else { &printed });
        }
        if update && rewritten != text {
            std::fs::write(&path, rewritten).expect("the document can be written");
        }
    }
}

/// Rows of the pages about the five systems end with a command. Those that print a whole table have tests of their own.
#[test]
fn the_commands_of_the_pages_about_the_systems_run() {
    let pages = std::fs::read_dir(root().join("docs/systems")).expect("the pages");
    let mut commands = 0;
    for page in pages.map(|entry| entry.expect("an entry").path()) {
        let text = read(&page);
        for line in text.lines().filter(|line| line.starts_with('|')) {
            let Some((_, command)) = line.trim_end_matches("` |").split_once("`palisade ") else { continue };
            if command.starts_with("repro ") {
                continue;
            }
            let words = words(&command.replace("\\|", "|"));
            let output = Command::new(env!("CARGO_BIN_EXE_palisade")).args(&words).current_dir(root()).output();
            let output = output.expect("the binary runs");
            let has_run = matches!(output.status.code(), Some(0 | 1 | 3));
            assert!(has_run, "{}: {command}: {}", page.display(), String::from_utf8_lossy(&output.stderr));
            commands += 1;
        }
    }
    assert!(commands > 30, "{commands} commands were run");
}

/// Whether `shown` is `printed`, perhaps with lines left out where it says `...`.
fn is_shown(printed: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split("...\n").collect();
    let [first, middle @ .., last] = &parts[..] else { return printed == shown };
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// What the binary prints on standard output, then on standard error.
fn run(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_palisade")).args(words(command)).current_dir(root()).output();
    let output = output.expect("the binary runs");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The words of a command line; single quotes keep blanks.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

/// The dependencies that a manifest names, of every kind, each with its section.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').to_string();
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.push((section.clone(), name.trim_matches('"').to_string()));
            }
        } else if section.ends_with("dependencies")
            && let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#'))
        {
            let renamed = value.split_once("package = \"").and_then(|(_, rest)| rest.split('"').next());
            let key = key.trim().trim_end_matches(".workspace").trim_matches('"');
            let name = renamed.map_or(key, |package| package.strip_prefix("palisade-").unwrap_or(package));
            found.push((section.clone(), name.to_string()));
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crate_folders() -> Vec<PathBuf> {
    let folders: Vec<PathBuf> =
        sorted_entries(&root().join("crates")).into_iter().filter(|path| path.join("Cargo.toml").is_file()).collect();
    assert!(!folders.is_empty());
    folders
}

/// All Rust files below a folder.
fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in sorted_entries(folder) {
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Whether a file below `src` holds tests only.
fn is_test(file: &Path) -> bool {
    matches!(file_name(file).as_str(), "tests.rs" | "examples.rs")
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

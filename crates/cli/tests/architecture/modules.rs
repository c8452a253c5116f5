//! The modules of each crate have an order: no two of them use each other, directly or around a corner.
//!
//! A module and those inside of it count as one room: a parent may use its children, and they may use it. So modules are compared
//! with their siblings, and what happens inside of a sibling counts as its own. Uses are read from the source: imports, and
//! paths that begin with `crate`, `self` or `super`. A name that a module hands on (`pub use`) belongs to the module that
//! defines it. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{crate_folders, file_name, is_test, read, source_files};

#[test]
fn modules_form_no_cycle() {
    for folder in crate_folders() {
        let name = file_name(&folder);
        let uses = Modules::of_crate(&folder).sibling_uses();
        let cycle = edges_of_cycles(&uses.keys().collect());
        let shown: Vec<String> = cycle.iter().map(|edge| show(edge, &uses[edge])).collect();
        assert!(shown.is_empty(), "modules of {name} use each other in a circle:\n{}", shown.join("\n"));
    }
}

#[test]
fn axiomatic_says_in_which_order_its_modules_come() {
    let folder = super::root().join("crates/axiomatic");
    let modules = Modules::of_crate(&folder);
    let text = read(&folder.join("src/lib.rs"));
    let (_, list) = text.split_once("//! # Modules").expect("a list of modules");
    let list: Vec<&str> = list.lines().skip(1).take_while(|line| line.starts_with("//!")).collect();
    let words = list.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    let mut order: Vec<&str> = Vec::new();
    for word in words.filter(|word| modules.list.contains_key(&vec![word.to_string()])) {
        if !order.contains(&word) {
            order.push(word);
        }
    }
    let place = |module: &[String]| order.iter().position(|name| *name == module[0]);
    for module in modules.list.keys().filter(|module| module.len() == 1) {
        assert!(place(module).is_some(), "{} has no place in the list of modules", module[0]);
    }
    for (edge, places) in modules.sibling_uses().iter().filter(|(edge, _)| edge.0.len() == 1) {
        assert!(place(&edge.0) > place(&edge.1), "against the order of modules:\n{}", show(edge, places));
    }
}

#[test]
fn the_reader_of_modules_finds_uses_of_every_form() {
    let modules = Modules::of_texts(&[
        ("lib", "mod a;\nmod b;\nmod c;\nmod d;\nmod e;\npub use a::{Thing, inner as other};\npub use b::*;\n"),
        ("a", "pub struct Thing;\npub fn inner() { crate::b::deep::go(\"crate::e\", 'c'); }\n// crate::c::x\n"),
        ("b", "pub mod deep;\npub enum Kind { One }\nuse crate::{c::{self, X}, Thing};\n"),
        ("b/deep", "pub fn go() { super::super::d::run(); }\nuse super::Kind;\n"),
        ("c", "pub struct X;\nfn f(k: crate::Kind) {}\n#[cfg(test)]\nmod tests { use crate::e; }\n"),
        ("d", "pub fn run() { r#\"crate::a\"#; }\n#[cfg(test)]\nmod checked;\n"),
        ("d/checked", "use crate::a::Thing;\n"),
        ("e", "use crate::other;\n"),
    ]);
    let uses = modules.sibling_uses();
    let shown: Vec<String> = uses.iter().map(|(edge, places)| show(edge, places)).collect();
    let expected = [
        "  a -> b: src/a.rs:2",
        "  b -> a: src/b.rs:3",
        "  b -> c: src/b.rs:3",
        "  b -> d: src/b/deep.rs:1",
        "  c -> b: src/c.rs:2",
        "  e -> a: src/e.rs:1",
    ];
    assert_eq!(shown, expected);
    let cycle: Vec<String> = edges_of_cycles(&uses.keys().collect())
        .iter()
        .map(|(user, used)| format!("{} {}", user.join("::"), used.join("::")))
        .collect();
    assert_eq!(cycle, ["a b", "b a", "b c", "c b"]);
}

/// The path of a module from the root of its crate.
type ModulePath = Vec<String>;

/// A module that uses another, with the same parent.
type Edge = (ModulePath, ModulePath);

/// Where a module is used: file and line.
type Places = BTreeSet<(String, usize)>;

fn show((user, used): &Edge, places: &Places) -> String {
    let places: Vec<String> = places.iter().map(|(file, line)| format!("{file}:{line}")).collect();
    format!("  {} -> {}: {}", user.join("::"), used.join("::"), places.join(", "))
}

/// The edges within groups of modules of which each reaches each other.
fn edges_of_cycles(edges: &Vec<&Edge>) -> Vec<Edge> {
    let reaches = |from: &ModulePath, to: &ModulePath| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for (_, next) in edges.iter().filter(|(user, _)| user == module) {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    };
    edges.iter().filter(|(user, used)| reaches(used, user)).map(|&edge| edge.clone()).collect()
}

/// A name that a module imports, or all names of another.
struct Import {
    path: Vec<String>,
    /// `None`: all.
    name: Option<String>,
}

/// What the source of a module says.
#[derive(Default)]
struct Module {
    file: String,
    /// The names that it defines.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// All paths, with their lines.
    paths: Vec<(Vec<String>, usize)>,
    /// Modules inside of it that hold tests.
    tests: BTreeSet<String>,
}

/// The modules of a crate.
struct Modules {
    list: BTreeMap<ModulePath, Module>,
}

impl Modules {
    fn of_crate(folder: &Path) -> Modules {
        let src = folder.join("src");
        let files = source_files(&src).into_iter().filter(|file| !is_test(file));
        let texts: Vec<(String, String)> = files
            .map(|file| {
                let name = file.strip_prefix(&src).unwrap_or(&file).with_extension("");
                (name.to_string_lossy().replace('\\', "/"), read(&file))
            })
            .collect();
        Modules::of_texts(&texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
    }

    /// From files by name, without ending.
    fn of_texts(texts: &[(&str, &str)]) -> Modules {
        let mut list = BTreeMap::new();
        for (name, text) in texts {
            let mut path: ModulePath = name.split('/').map(str::to_string).collect();
            if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                path.pop();
            }
            let file = format!("src/{name}.rs");
            list.insert(path, Module { file, ..Reader::new(text).module() });
        }
        let is_test = |path: &ModulePath| {
            let declared = |length: usize| {
                let parent: Option<&Module> = list.get(&path[..length]);
                parent.is_some_and(|parent| parent.tests.contains(&path[length]))
            };
            (0..path.len()).any(declared)
        };
        let tests: Vec<ModulePath> = list.keys().filter(|path| is_test(path)).cloned().collect();
        list.retain(|path, _| !tests.contains(path));
        Modules { list }
    }

    /// Which modules use which of their siblings, and where.
    fn sibling_uses(&self) -> BTreeMap<Edge, Places> {
        let mut uses: BTreeMap<Edge, Places> = BTreeMap::new();
        for (user, module) in &self.list {
            for (path, line) in &module.paths {
                let Some(used) = self.defining(user, path, DEEPEST) else { continue };
                let common = user.iter().zip(&used).take_while(|(a, b)| a == b).count();
                if common < user.len() && common < used.len() {
                    let edge = (user[..=common].to_vec(), used[..=common].to_vec());
                    uses.entry(edge).or_default().insert((module.file.clone(), *line));
                }
            }
        }
        uses
    }

    /// The module that defines what a path in `at` names; `None` if it is outside of the crate.
    fn defining(&self, at: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let (mut here, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" | "super" => (at.to_vec(), path),
            child => {
                let inside = [at, &[child.to_string()]].concat();
                self.list.contains_key(&inside).then(|| (at.to_vec(), path))?
            }
        };
        while let Some((step, further)) = rest.split_first() {
            match step.as_str() {
                "self" => {}
                "super" => {
                    here.pop();
                }
                name => {
                    let inside = [&here[..], &[name.to_string()]].concat();
                    if !self.list.contains_key(&inside) {
                        return self.handed_on(&here, rest, depth).or(Some(here));
                    }
                    here = inside;
                }
            }
            rest = further;
        }
        Some(here)
    }

    /// The module that defines a name that `at` does not define itself, but imports.
    fn handed_on(&self, at: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let (name, further) = path.split_first()?;
        let module = self.list.get(at)?;
        if depth == 0 || module.items.contains(name) {
            return None;
        }
        for import in &module.imports {
            match &import.name {
                Some(imported) if imported == name => {
                    return self.defining(at, &[&import.path[..], further].concat(), depth - 1);
                }
                Some(_) => {}
                None => {
                    let Some(source) = self.defining(at, &import.path, depth - 1) else { continue };
                    let defines = self.list.get(&source).is_some_and(|module| module.items.contains(name));
                    let found = if defines { Some(source) } else { self.handed_on(&source, path, depth - 1) };
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }
}

/// So often a name may be handed on.
const DEEPEST: usize = 8;

/// A word or sign of the source, with its line.
type Token = (String, usize);

/// Reads what matters of a source text.
struct Reader {
    tokens: Vec<Token>,
    next: usize,
    found: Module,
}

impl Reader {
    fn new(text: &str) -> Reader {
        Reader { tokens: tokens(text), next: 0, found: Module::default() }
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.next + ahead).map_or("", |(word, _)| word)
    }

    fn module(mut self) -> Module {
        let mut depth = 0;
        while self.next < self.tokens.len() {
            let line = self.tokens[self.next].1;
            match self.peek(0) {
                "#" if (0..7).map(|ahead| self.peek(ahead)).eq(["#", "[", "cfg", "(", "test", ")", "]"]) => {
                    self.next += 7;
                    self.skip_test();
                    continue;
                }
                "{" => depth += 1,
                "}" => depth -= 1,
                "use" => {
                    self.next += 1;
                    self.imports(&mut Vec::new(), line);
                    continue;
                }
                "struct" | "enum" | "union" | "fn" | "trait" | "type" | "const" | "static" if depth == 0 => {
                    let name = self.peek(1).to_string();
                    self.found.items.insert(name);
                }
                "crate" | "self" | "super" if self.peek(1) == "::" => {
                    self.path(line);
                    continue;
                }
                _ => {}
            }
            self.next += 1;
        }
        self.found
    }

    /// A path in an expression or a type.
    fn path(&mut self, line: usize) {
        let mut path = vec![self.peek(0).to_string()];
        self.next += 1;
        while self.peek(0) == "::" && is_word(self.peek(1)) {
            path.push(self.peek(1).to_string());
            self.next += 2;
        }
        self.found.paths.push((path, line));
    }

    /// The tree of names behind `use`, up to its end.
    fn imports(&mut self, path: &mut Vec<String>, line: usize) {
        let length = path.len();
        loop {
            match self.peek(0) {
                "{" => {
                    self.next += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.imports(path, line);
                        self.next += usize::from(self.peek(0) == ",");
                    }
                    self.next += 1;
                    break;
                }
                "*" => {
                    self.next += 1;
                    self.import(path, None, line);
                    break;
                }
                "::" => self.next += 1,
                word if is_word(word) => {
                    path.push(word.to_string());
                    self.next += 1;
                    if self.peek(0) != "::" {
                        let mut name = path.last().cloned();
                        if path.last().is_some_and(|last| last == "self") {
                            path.pop();
                            name = path.last().cloned();
                        }
                        if self.peek(0) == "as" {
                            name = Some(self.peek(1).to_string());
                            self.next += 2;
                        }
                        self.import(path, name, line);
                        break;
                    }
                }
                _ => break,
            }
        }
        path.truncate(length);
    }

    fn import(&mut self, path: &[String], name: Option<String>, line: usize) {
        self.found.imports.push(Import { path: path.to_vec(), name });
        self.found.paths.push((path.to_vec(), line));
    }

    /// An item that is there in tests only.
    fn skip_test(&mut self) {
        if self.peek(0) == "mod" && self.peek(2) == ";" {
            let name = self.peek(1).to_string();
            self.found.tests.insert(name);
        }
        let mut depth = 0;
        while self.next < self.tokens.len() {
            let word = self.peek(0).to_string();
            self.next += 1;
            match word.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(word.as_str(), "}" | ";") {
                return;
            }
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

/// Words and signs, without comments and without what stands in quotes.
fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or('\n');
    let (mut index, mut line, mut found) = (0, 1, Vec::new());
    while index < letters.len() {
        let start = index;
        match at(index) {
            '/' if at(index + 1) == '/' => index = end_of(&letters, index, &['\n']),
            '/' if at(index + 1) == '*' => index = end_of(&letters, index + 2, &['*', '/']) + 2,
            '"' => index = end_of_string(&letters, index),
            'r' | 'b' if raw_string(&letters, index).is_some() => index = raw_string(&letters, index).unwrap_or(index),
            '\'' if at(index + 1) == '\\' => index = end_of(&letters, index + 3, &['\'']) + 1,
            '\'' if at(index + 2) == '\'' => index += 3,
            letter if letter.is_alphanumeric() || letter == '_' => {
                while at(index).is_alphanumeric() || at(index) == '_' {
                    index += 1;
                }
                found.push((letters[start..index].iter().collect(), line));
            }
            ':' if at(index + 1) == ':' => {
                index += 2;
                found.push(("::".to_string(), line));
            }
            letter => {
                index += 1;
                if !letter.is_whitespace() {
                    found.push((letter.to_string(), line));
                }
            }
        }
        index = index.min(letters.len());
        line += letters[start..index].iter().filter(|letter| **letter == '\n').count();
    }
    found
}

/// Where these letters stand next.
fn end_of(letters: &[char], from: usize, wanted: &[char]) -> usize {
    let found = letters.get(from..).unwrap_or_default().windows(wanted.len()).position(|window| window == wanted);
    found.map_or(letters.len(), |found| from + found)
}

/// Behind the string that begins here.
fn end_of_string(letters: &[char], from: usize) -> usize {
    let mut index = from + 1;
    while index < letters.len() && letters[index] != '"' {
        index += 1 + usize::from(letters[index] == '\\');
    }
    index + 1
}

/// Behind the raw string that begins here, if one does.
fn raw_string(letters: &[char], from: usize) -> Option<usize> {
    let is_word = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    if from > 0 && is_word(&letters[from - 1]) {
        return None;
    }
    let mut index = from + usize::from(letters[from] == 'b');
    if letters.get(index) != Some(&'r') {
        return None;
    }
    index += 1;
    let hashes = letters[index..].iter().take_while(|letter| **letter == '#').count();
    index += hashes;
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    (letters.get(index) == Some(&'"')).then(|| end_of(letters, index + 1, &end) + end.len())
}

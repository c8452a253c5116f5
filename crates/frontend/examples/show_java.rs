//! Prints the program in class files: `cargo run -p palisade-frontend --example show_java -- Test.class Other.class`. Spans and
//! assertions point to `Test.java` if it stands beside `Test.class`. With `--main Test` before the files it is the whole
//! program that `Test.main` runs.

use std::path::Path;

use frontend::jvm::{ClassFile, Options, Parsed, load};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let main =
        (arguments.first().is_some_and(|first| first == "--main")).then(|| arguments.drain(..2).nth(1)).flatten();
    let files: Vec<ClassFile> = arguments.iter().map(|path| read(Path::new(&path))).collect();
    let loaded = match main {
        Some(class) => frontend::jvm::program(&files, &class).map(|program| Parsed { program, warnings: Vec::new() }),
        None => load(&files, &Options::default()),
    };
    match loaded {
        Ok(parsed) => {
            let sources = parsed.program.sources.clone();
            println!("{}", program::Diagnostics { sources, messages: parsed.warnings });
            print!("{}", program::text::print(&parsed.program));
            if let Err(breaches) = program::verify(parsed.program) {
                println!("breaks the law: {breaches:?}");
            }
        }
        Err(messages) => println!("{messages}"),
    }
}

fn read(path: &Path) -> ClassFile {
    let bytes = std::fs::read(path).expect("a class file");
    let source = path.with_extension("java");
    let text = std::fs::read_to_string(&source).ok();
    let source = text.map(|text| (source.display().to_string(), text));
    ClassFile { name: path.display().to_string(), bytes, source }
}

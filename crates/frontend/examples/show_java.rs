//! Prints the program in class files: `cargo run -p frontend --example show_java -- Test.class Other.class`. Spans and
//! assertions point to `Test.java` if it stands beside `Test.class`.

use std::path::Path;

use frontend::jvm::{ClassFile, Options, load};

fn main() {
    let files: Vec<ClassFile> = std::env::args().skip(1).map(|path| read(Path::new(&path))).collect();
    match load(&files, &Options::default()) {
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

//! Reading what is asked: litmus tests here, C by way of [`crate::c`], Java by way of [`crate::java`].

use std::io::Read;
use std::path::Path;

use frontend::jvm::StressTest;
use palisade::task::verified;
use palisade::{Property, Task};
use program::{Diagnostics, Program, Verified};
use watch::failure::{Failure, warnings};

use crate::files::{Text, name, read};
use crate::java::is_java;
use crate::source::CSource;
use crate::{c, java, project};

/// A program of which no more is known than its file.
pub fn nothing_read(path: &Path) -> Result<Verified, Failure> {
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = if path == Path::new("-") { name(path) } else { stem() };
    Ok(verified(Program { name, ..Program::default() })?)
}

/// What is asked of a program on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Ask for this outcome instead of the test's own question.
    pub exists: Option<&'a str>,
    /// Ask this of a program's assertions.
    pub property: Option<Property>,
    /// How to read C files and Java.
    pub source: &'a CSource,
}

/// What a file asks, and what is doubtful about it for the engine that solves.
pub struct Input {
    /// The question.
    pub task: Task,
    /// Warnings of the front end.
    pub warnings: Option<Diagnostics>,
    /// What it says of itself, if it is a test of jcstress.
    pub stress: Option<StressTest>,
}

/// Whether a file holds a program in the text form of the representation.
pub fn is_text(path: &Path) -> bool {
    has_extension(path, "lsl")
}

/// Whether a file holds C, or lists files that do.
pub fn is_c(path: &Path) -> bool {
    has_extension(path, "c") || project::is_database(path)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// Reads what a file asks: a litmus test, a C file or a bounded test of it, a class file or a Java source, by the file's
/// ending.
pub fn task(path: &Path, ask: Ask) -> Result<Input, Failure> {
    let Ask { exists, property, source } = ask;
    if !is_java(path) {
        refuse(path, source.tearing, "--tearing is for Java programs")?;
        refuse(path, !source.source_path.is_empty(), "--source-path is for Java class files")?;
        refuse(path, !source.classpath.is_empty(), "--classpath is for Java")?;
    }
    if !is_c(path) {
        refuse(path, source.test.is_some(), "--test is for C files")?;
    }
    if is_c(path) || is_java(path) || is_text(path) {
        let what = "--exists is for litmus tests: other programs are asked about their assertions";
        refuse(path, exists.is_some(), what)?;
    }
    let input = if is_c(path) {
        Input { task: c::task(path, source)?, warnings: None, stress: None }
    } else if is_java(path) {
        let java::Asked { task, warnings, stress } = java::task(path, source, java::Source::Compile)?;
        Input { task, warnings, stress }
    } else if is_text(path) {
        let text = read(path)?;
        Input { task: Task::text(&text.name, &text.text)?, warnings: None, stress: None }
    } else {
        refuse_unknown(path)?;
        litmus(&read(path)?, ask)?
    };
    Ok(Input { task: input.task.asking(property.unwrap_or_default()), ..input })
}

/// Reads what a file asks as a suite does it: with the test's own question, and without compiling a source that has its class file beside
/// it.
pub fn quiet_task(path: &Path, property: Property, source: &CSource) -> Result<Task, Failure> {
    let task = if is_java(path) {
        java::task(path, source, java::Source::UseClassFile)?.task
    } else {
        task(path, Ask { exists: None, property: None, source })?.task
    };
    Ok(task.asking(property))
}

/// Refuses a file that is of no kind by its ending and does not begin like a litmus test. Standard input is one.
pub fn refuse_unknown(path: &Path) -> Result<(), Failure> {
    let is_litmus = has_extension(path, "litmus") || is_text(path) || path == Path::new("-");
    if is_litmus || is_c(path) || is_java(path) || begins_like_a_litmus_test(path) {
        return Ok(());
    }
    let what = "unknown kind of file: there are litmus tests (.litmus), C (.c, compile_commands.json), Java (.class, .java, .jar) and the \
                text form of programs (.lsl)";
    Err(Failure::file(path, what))
}

/// Whether a file begins like a litmus test. What cannot be read is said when it is read.
fn begins_like_a_litmus_test(path: &Path) -> bool {
    if !path.is_file() {
        return true;
    }
    let mut start = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return true };
    if file.take(4_096).read_to_end(&mut start).is_err() {
        return true;
    }
    frontend::litmus::begins_like_a_test(&String::from_utf8_lossy(&start))
}

fn refuse(path: &Path, is_given: bool, what: &str) -> Result<(), Failure> {
    if is_given { Err(Failure::file(path, what)) } else { Ok(()) }
}

fn litmus(text: &Text, ask: Ask) -> Result<Input, Failure> {
    if ask.property.is_some() {
        let what = "a litmus test brings its own question: --question is for programs with assertions";
        return Err(Failure::Message(format!("{}: {what}", text.name)));
    }
    let parsed = match ask.exists {
        Some(condition) => frontend::litmus::parse_asking(&text.name, &text.text, condition)?,
        None => frontend::litmus::parse(&text.name, &text.text)?,
    };
    let warnings = warnings(&parsed.program, parsed.warnings);
    Ok(Input { task: Task::Litmus(verified(parsed.program)?, Property::default()), warnings, stress: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SB: &str = "X86 SB\n{}\nP0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

    #[test]
    fn another_condition_takes_the_place_of_the_question() {
        let text = Text { name: "SB.litmus".into(), text: SB.into() };
        let source = CSource::default();
        let ask = Ask { exists: Some("0:EAX==1 && (x!=1 || !(1:EAX==0))"), property: None, source: &source };
        let read = litmus(&text, ask).unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let program = read.task.program();
        let question = program.question.as_ref().expect("a question");
        let words = report::words::herd_question(program, question);
        assert_eq!(words, "exists (0:EAX=1 /\\ ([x]!=1 \\/ 1:EAX!=0))");
    }
}

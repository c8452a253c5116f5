//! Reading programs: litmus tests, and Java programs by way of [`crate::java`].

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frontend::litmus::Parsed;
use program::{Diagnostics, Observable, Program, Proposition, Quantifier, Question, ThreadId, Verified, verify};
use report::Property;
use serde_json::Value as Json;

use crate::arguments::CSource;
use crate::c;
use crate::failure::{Failure, show};
use crate::java::{self, Source};
use crate::limits::{TICK, is_interrupted};

/// A file's text, and the name by which messages speak of it.
pub struct Text {
    /// The path as the user gave it.
    pub name: String,
    /// Its content. Bytes that are not UTF-8 are replaced: they can only be wrong, and the message says where.
    pub text: String,
}

/// Larger files are refused: they are not tests.
const LARGEST: u64 = 64 << 20;
/// So long a pipe may be silent.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// Reads a file as text; `-` is standard input.
pub fn read(path: &Path) -> Result<Text, Failure> {
    Ok(Text { name: name(path), text: String::from_utf8_lossy(&bytes(path)?).into_owned() })
}

/// The name by which messages speak of a file.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() }
}

/// How deeply lists of files may stand in lists of files.
const DEEPEST_LIST: usize = 16;

/// The files with lists of files replaced by what they list, as herd7 does it: a file whose name begins with `@` has a path on
/// each line, from its own folder; `#` begins a comment.
pub fn listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| list(path, DEEPEST_LIST, &mut files))?;
    Ok(files)
}

fn list(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(plain) = name.strip_prefix('@').filter(|_| !path.is_dir()) else {
        files.push(path.to_path_buf());
        return Ok(());
    };
    if depth == 0 {
        return Err(Failure::file(path, "lists of files are nested too deeply"));
    }
    // `@tests.txt` may also stand for the list tests.txt.
    let folder = path.parent().unwrap_or(Path::new(""));
    let text = read(&if path.exists() { path.to_path_buf() } else { folder.join(plain) })?.text;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).try_for_each(|line| list(&folder.join(line), depth - 1, files))
}

/// A path as another process of ours gets it: its bytes, which need not be UTF-8.
pub fn path_to_json(path: &Path) -> Json {
    Json::from(path.as_os_str().as_encoded_bytes())
}

/// A path that another process of ours gave.
pub fn path_from_json(bytes: &Json) -> Option<PathBuf> {
    let bytes = bytes.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    #[cfg(unix)]
    let path: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = std::ffi::OsString::from(String::from_utf8(bytes).ok()?);
    Some(PathBuf::from(path))
}

/// A program of which no more is known than its file.
pub fn nothing_read(path: &Path) -> Result<Verified, Failure> {
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = if path == Path::new("-") { name(path) } else { stem() };
    verified(Program { name, ..Program::default() })
}

/// Reads a file; `-` is standard input.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |error: std::io::Error| Failure::file(path, format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::Message(format!("standard input cannot be read: {error}")))?;
    } else if path.is_dir() {
        return Err(Failure::file(path, "is a folder, not a file (`palisade suite` takes folders)"));
    } else if is_pipe(path) {
        bytes = from_pipe(path)?;
    } else {
        let file = std::fs::File::open(path).map_err(cannot)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::file(path, format!("is longer than {} MB", LARGEST >> 20)));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Reads a pipe until nobody writes to it any more; if nothing comes for a while, that is an error, not a reason to wait for
/// ever.
#[cfg(unix)]
fn from_pipe(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::os::unix::fs::OpenOptionsExt;
    let cannot = |error: std::io::Error| Failure::file(path, format!("cannot be read: {error}"));
    let mut options = std::fs::OpenOptions::new();
    let mut pipe = options.read(true).custom_flags(nix::libc::O_NONBLOCK).open(path).map_err(cannot)?;
    let (mut bytes, mut silent, mut part) = (Vec::new(), Instant::now(), [0; 1 << 16]);
    while (bytes.len() as u64) <= LARGEST {
        match pipe.read(&mut part) {
            // Before anybody has written, nobody may have opened it yet.
            Ok(0) if !bytes.is_empty() => break,
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return Err(cannot(error)),
            Ok(0) | Err(_) if silent.elapsed() < LONGEST_SILENCE && !is_interrupted() => std::thread::sleep(TICK),
            Ok(0) | Err(_) => return Err(Failure::file(path, "is a pipe to which nobody writes")),
            Ok(count) => {
                bytes.extend_from_slice(&part[..count]);
                silent = Instant::now();
            }
        }
    }
    Ok(bytes)
}

#[cfg(not(unix))]
fn from_pipe(path: &Path) -> Result<Vec<u8>, Failure> {
    Err(Failure::file(path, "is a pipe"))
}

/// What is asked of a program on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ask<'a> {
    /// Ask for this outcome instead of the test's own question.
    pub exists: Option<&'a str>,
    /// Ask this of a program's assertions.
    pub property: Option<Property>,
    /// How to read C files.
    pub c: Option<&'a CSource>,
}

/// Whether a file holds C.
pub fn is_c(path: &Path) -> bool {
    has_extension(path, "c")
}

/// Whether a file holds Java, as source or compiled.
pub fn is_java(path: &Path) -> bool {
    has_extension(path, "java") || has_extension(path, "class")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// Reads a program: a litmus test, a class file or a Java source, by the file's ending. Warnings are printed.
pub fn program(path: &Path, ask: Ask) -> Result<Verified, Failure> {
    refuse_tearing(path, ask)?;
    if !is_java(path) && ask.c.is_some_and(|c| !c.source_path.is_empty()) {
        return Err(Failure::file(path, "--source-path is for Java class files"));
    }
    if is_c(path) {
        if ask.exists.is_some() {
            return Err(Failure::file(path, "--exists is for litmus tests: a C program is asked about its assertions"));
        }
        return verified(c::program(path, &ask.c.cloned().unwrap_or_default())?);
    }
    let parsed = if is_java(path) { java(path, ask, Source::Compile)? } else { litmus(&read(path)?, ask)? };
    if !parsed.warnings.is_empty() {
        show(&Diagnostics { sources: parsed.program.sources.clone(), messages: parsed.warnings });
    }
    verified(parsed.program)
}

/// The same as a suite does it: with the test's own question, without printing warnings, and without compiling a source
/// that has its class file beside it.
pub fn quiet_program(path: &Path, tearing: bool) -> Result<Verified, Failure> {
    let options = CSource { tearing, ..CSource::default() };
    let ask = Ask { c: Some(&options), ..Ask::default() };
    refuse_tearing(path, ask)?;
    if is_c(path) {
        return verified(c::program(path, &options)?);
    }
    let parsed = if is_java(path) { java(path, ask, Source::UseClassFile)? } else { litmus(&read(path)?, ask)? };
    verified(parsed.program)
}

fn litmus(text: &Text, ask: Ask) -> Result<Parsed, Failure> {
    if ask.property.is_some() {
        let what = "a litmus test brings its own question: --question is for programs with assertions";
        return Err(Failure::Message(format!("{}: {what}", text.name)));
    }
    let parsed = frontend::litmus::parse(&text.name, &text.text)?;
    let Some(condition) = ask.exists else { return Ok(parsed) };
    let asked = replace_question(&text.text, &parsed.program, condition);
    Ok(frontend::litmus::parse(&text.name, &asked)?)
}

fn java(path: &Path, ask: Ask, source: Source) -> Result<Parsed, Failure> {
    if ask.exists.is_some() {
        return Err(Failure::file(path, "--exists is for litmus tests: a Java program is asked about its assertions"));
    }
    let folders = java::source_path(ask.c)?;
    let is_class = has_extension(path, "class");
    let parsed = if is_class { java::class_file(path, folders)? } else { java::source_file(path, source)? };
    torn(parsed, ask)
}

/// The program of Java with its variables in halves, if that is asked for.
pub fn torn(parsed: Parsed, ask: Ask) -> Result<Parsed, Failure> {
    if !ask.c.is_some_and(|source| source.tearing) {
        return Ok(parsed);
    }
    let sources = parsed.program.sources.clone();
    let wrong = |unsupported: program::Unsupported| Diagnostics { sources, messages: vec![unsupported.into()] };
    Ok(Parsed { program: frontend::jvm::tear(parsed.program).map_err(wrong)?, ..parsed })
}

/// Only variables of Java tear.
pub fn refuse_tearing(path: &Path, ask: Ask) -> Result<(), Failure> {
    match ask.c.is_some_and(|source| source.tearing) && !is_java(path) {
        true => Err(Failure::file(path, "--tearing is for Java programs")),
        false => Ok(()),
    }
}

/// The program asked for any execution, so that its final states are those of its threads' local variables. A program
/// with a question of its own stays as it is.
pub fn ask_for_states(program: Verified) -> Result<Verified, Failure> {
    if program.question.is_some() {
        return Ok(program);
    }
    let mut program = program.into_program();
    let observed = local_variables(&program);
    let (quantifier, proposition) = (Quantifier::Exists, Proposition::Constant(true));
    program.question = Some(Question { quantifier, proposition, filter: None, observed, span: None });
    verified(program)
}

/// The registers of each thread's first function that stand for variables of the source.
fn local_variables(program: &Program) -> Vec<Observable> {
    let mut observed = Vec::new();
    for (thread, ThreadId(id)) in program.threads.iter().zip((0..).map(ThreadId)) {
        let registers = &program.function(thread.entry).registers;
        let is_variable = |name: &str| name.chars().next().is_some_and(char::is_alphabetic);
        let ids = (0..).map(program::RegisterId).zip(registers).filter(|(_, name)| is_variable(name));
        observed.extend(ids.map(|(register, _)| Observable::Register(ThreadId(id), register)));
    }
    observed
}

/// The program with its law checked. A breach is an error of the front end, shown like any other.
pub fn verified(program: Program) -> Result<Verified, Failure> {
    let sources = program.sources.clone();
    verify(program).map_err(|messages| Diagnostics { sources, messages }.into())
}

/// The text of a test with another question: all places before the question stay where they are.
fn replace_question(text: &str, program: &Program, condition: &str) -> String {
    let question = format!("exists ({})", litmus_condition(condition));
    let span = program.question.as_ref().and_then(|question| question.span);
    match span.map(|span| (span.start as usize, span.end as usize)) {
        Some((start, end)) if end <= text.len() => format!("{}{question}{}", &text[..start], &text[end..]),
        _ => format!("{}\n{question}\n", text.trim_end()),
    }
}

/// A condition as litmus tests write it: `&&` and `||` become `/\` and `\/`; the rest is understood as it is. Line ends
/// become blanks.
fn litmus_condition(condition: &str) -> String {
    condition.replace("&&", "/\\").replace("||", "\\/").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SB: &str = "X86 SB\n{}\nP0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

    #[test]
    fn another_condition_takes_the_place_of_the_question() {
        let text = Text { name: "SB.litmus".into(), text: SB.into() };
        let ask = Ask { exists: Some("0:EAX==1 && (x!=1 || !(1:EAX==0))"), property: None, c: None };
        let parsed = litmus(&text, ask).unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let program = parsed.program;
        let question = program.question.as_ref().expect("a question");
        let words = report::words::herd_question(&program, question);
        assert_eq!(words, "exists (0:EAX=1 /\\ ([x]!=1 \\/ 1:EAX!=0))");
    }
}

//! Java class files, lowered to [`Program`].
//!
//! There are two ways. [`load`] is for litmus programs: it puts every call in place and gives the threads of a bounded
//! program, for engines that solve. [`program`](fn@program) is for whole programs, with objects, exceptions and threads that
//! `main` starts, for engines that run; what it promises stands in `jvm/whole.rs`. The rest of this page is about [`load`].
//!
//! Programs are small: static and instance fields, arrays, objects, volatile, `synchronized`, methods, `if`, loops, integer
//! arithmetic and `assert`. What is not modelled is refused by name, with class, method and line.
//!
//! What the rest of the system may rely on:
//! - **Threads.** The static methods that carry `@palisade.ThreadBody` ([`ANNOTATIONS`]), each under its name, in the order
//!   of `after`. If there are none: the threads that `main` starts, `Thread-0` and so on in the order of the starts, and the
//!   parts of `main` that run once the first has started, `main`, `main.2` and so on, in the order that `start` and `join`
//!   give. What `main` does before the first start has no thread: it is part of the initial state.
//! - **Memory.** A static field is a global of its name, `Class.field` if two classes have one of that name. An object or
//!   array that exists at the start is a global too, named as the `static final` field that holds it, else `Class#1`; its
//!   fields and elements are cells by number, inherited fields first. A `static final` field has no memory: its value is
//!   constant, since every thread starts after the classes were initialised. Objects that threads make are `Allocate`d.
//!   `boolean`, `byte`, `char`, `short` and `int` have 32 bits, `long` 64, null is the integer 0.
//! - **Accesses.** Volatile fields: `SeqCst` with the tag `volatile`. Final instance fields: plain with the tag `final`. All
//!   others: plain. A constructor that sets final fields ends with a `Freeze` of each. Plain accesses of `long` variables
//!   have the tag `wide`; [`fn@tear`] splits them in halves, else they are not torn.
//! - **Monitors.** `Lock` and `Unlock` of a pointer to the object; of the global `Class.class` for static synchronized
//!   methods. Properly nested on every path, and reentrant.
//! - **External actions.** A call of a method that carries `@palisade.Special`, or of `System.out.print` and `println`, is an
//!   `Observe` for each argument, labelled with the method's name; without arguments it observes 0. A string is a pointer to a
//!   global that is named as Java writes the string.
//! - **Assertions** are enabled. The program brings no question of its own.
//! - **Exceptions** are not caught. A division by zero ends the thread, and so does an index out of bounds where the length of
//!   the array is known; elsewhere it is one more cell of the array, with a warning. An access through null is an access
//!   through a value that is not a pointer. A cast always succeeds, with a warning where it might not.
//! - Class initialisers run before the program begins, each class before those that use it; Java would run them when a class
//!   is first used.

mod assemble;
mod assertion;
mod blocks;
mod call;
mod class;
mod class_source;
mod code;
mod field;
mod guard;
mod handlers;
mod image;
mod initialize;
mod jar;
mod junit;
mod lower;
mod opcode;
mod places;
mod refusals;
mod run;
mod split;
mod stack;
mod tear;
mod threads;
mod webs;
mod whole;
mod world;

use cafebabe::ParseOptions;
use cafebabe::attributes::AttributeData;
use cafebabe::constant_pool::ConstantPoolItem;
use program::{Diagnostic, Diagnostics, Program, Severity, Sources};

pub use crate::litmus::Parsed;
use class::Class;
pub use class_source::{ClassSource, NoJdk};
pub use image::Image;
pub use jar::{Jar, Manifest};
pub use junit::{DRIVER, driver as unit_test_driver, tests as unit_tests};
use places::Places;
pub use tear::tear;
pub use whole::{
    Opinion, StressTest, is_stress_test, program, program_with, stress_program, stress_test, with_arguments,
};
use world::World;

/// The annotations by which a program names its threads and external actions: path and text of each Java source.
pub const ANNOTATIONS: [(&str, &str); 2] = [
    ("palisade/ThreadBody.java", include_str!("../annotations/palisade/ThreadBody.java")),
    ("palisade/Special.java", include_str!("../annotations/palisade/Special.java")),
];

/// A class file to read.
#[derive(Clone, Debug, Default)]
pub struct ClassFile {
    /// Its path as the user gave it.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Name and text of the Java source that it was compiled from, if it is at hand. Spans point there.
    pub source: Option<(String, String)>,
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only the threads of this class, or its `main`, make up the program; else those of all classes.
    pub class: Option<String>,
}

/// Reads the classes of a program. The first one names it.
///
/// Never panics, whatever the bytes.
pub fn load(files: &[ClassFile], options: &Options) -> Result<Parsed, Diagnostics> {
    let mut parsed = Vec::new();
    let mut messages = Vec::new();
    for file in files {
        match parse(file) {
            Ok(class) => parsed.push((class, file.source.as_ref())),
            Err(message) => messages.push(message),
        }
    }
    if parsed.is_empty() && messages.is_empty() {
        messages.push(whole("no class file was given"));
    }
    if !messages.is_empty() {
        return Err(Diagnostics { sources: Sources::new(), messages });
    }
    let mut places = Places::default();
    let classes: Vec<Class> = parsed.iter().map(|(file, _)| Class::of(file)).collect();
    classes.iter().zip(&parsed).for_each(|(class, (_, source))| places.add(class, *source));
    let mut world = World::new(classes, places);
    let read = read(&mut world, options).and_then(|program| match world.unchecked_indexes() {
        unchecked if unchecked.is_empty() => Ok(program),
        unchecked => Err(unchecked),
    });
    match read {
        Ok(program) => Ok(Parsed { program, warnings: world.warnings }),
        Err(mut messages) => {
            messages.append(&mut world.refused);
            Err(Diagnostics { messages: refusals::sorted(messages), sources: world.places.sources })
        }
    }
}

/// The name of the Java source that a class file was compiled from, without folders, as the class file gives it.
pub fn source_name(bytes: &[u8]) -> Option<String> {
    let class = guarded(bytes).ok()?;
    class.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.to_string()),
        _ => None,
    })
}

/// The classes that a class file mentions, itself among them, by binary name: `palisade/Special`, `Test$1`. Whoever calls
/// [`load`] gives those that belong to the program.
pub fn mentioned_classes(bytes: &[u8]) -> Vec<String> {
    let Ok(class) = guarded_without_code(bytes) else { return Vec::new() };
    let mut names: Vec<String> = class
        .constantpool_iter()
        .filter_map(|item| match item {
            ConstantPoolItem::ClassInfo(name) if !name.starts_with('[') => Some(name.to_string()),
            _ => None,
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The binary name of the class of a class file.
pub fn class_name(bytes: &[u8]) -> Option<String> {
    Some(guarded_without_code(bytes).ok()?.this_class.to_string())
}

/// Whether a class file can be read; else why not.
pub fn readable(bytes: &[u8]) -> Result<(), String> {
    guarded_without_code(bytes).map(|_| ())
}

/// Whether a class has the `main` with which Java begins.
pub fn has_main(bytes: &[u8]) -> bool {
    let is_main = |method: &cafebabe::MethodInfo| {
        let is_static = method.access_flags.contains(cafebabe::MethodAccessFlags::STATIC);
        is_static && method.name == "main" && method.descriptor.to_string() == "([Ljava/lang/String;)V"
    };
    guarded_without_code(bytes).is_ok_and(|class| class.methods.iter().any(is_main))
}

/// Whether a method of these classes is annotated as a thread.
pub fn has_annotated_threads(files: &[ClassFile]) -> bool {
    files.iter().any(|file| guarded_without_code(&file.bytes).is_ok_and(|class| class::has_threads(&class)))
}

/// The whole way from classes to program.
fn read(world: &mut World, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    initialize::initialize(world).map_err(|message| vec![message])?;
    let threads = threads::threads(world, options)?;
    let program = threads.into_program(world);
    loops(&program)?;
    Ok(program)
}

/// Refuses loops that are entered at two places, which no Java program has: engines unroll loops by their heads.
fn loops(program: &Program) -> Result<(), Vec<Diagnostic>> {
    let mut messages = Vec::new();
    for function in &program.functions {
        let flow = program::Flow::of(function);
        if flow.retreating().iter().any(|&(from, to)| !flow.dominates(to, from)) {
            let what = format!("a loop that is entered at two places in {}", function.name);
            messages.push(program::Unsupported::new(what, function.span).into());
        }
    }
    if messages.is_empty() { Ok(()) } else { Err(messages) }
}

fn parse(file: &ClassFile) -> Result<cafebabe::ClassFile<'_>, Diagnostic> {
    guarded(&file.bytes).map_err(|why| whole(format!("`{}` is not a class file that can be read: {why}", file.name)))
}

fn guarded(bytes: &[u8]) -> Result<cafebabe::ClassFile<'_>, String> {
    guarded_with(bytes, &ParseOptions::default())
}

/// A class without the instructions of its methods, which take half of the reading.
fn guarded_without_code(bytes: &[u8]) -> Result<cafebabe::ClassFile<'_>, String> {
    guarded_with(bytes, ParseOptions::default().parse_bytecode(false))
}

fn guarded_with<'b>(bytes: &'b [u8], options: &ParseOptions) -> Result<cafebabe::ClassFile<'b>, String> {
    match guard::refuse(bytes) {
        Some(why) => Err(why.into()),
        None => cafebabe::parse_class_with_options(bytes, options).map_err(|error| error.to_string()),
    }
}

/// A class of our own library: it came with the program text, so that nothing guards against what is in it.
fn embedded<'b>(bytes: &'b [u8], options: &ParseOptions) -> Result<cafebabe::ClassFile<'b>, String> {
    cafebabe::parse_class_with_options(bytes, options).map_err(|error| error.to_string())
}

/// A message about the whole input.
fn whole(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, message.into(), None)
}

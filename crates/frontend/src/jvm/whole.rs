//! Whole programs: `main` of a class and the threads that it starts, as Java runs them.
//!
//! Where [`super::load`] puts every call in place and refuses what it cannot unroll, methods are functions here, and the
//! program is meant for engines that run it. It errs in no direction: what is not modelled is refused with class, method
//! and line. The exceptions from this are listed at the end.
//!
//! # Values
//!
//! - `boolean`, `byte`, `char`, `short` and `int` are integers of 32 bits, `long` of 64; `float` and `double` are the bits of
//!   IEEE 754. Compilers narrow what they store in smaller types, so stores do not.
//! - A reference is a pointer to an allocation whose name is the class, null is the integer 0 of 32 bits. The class of an
//!   object is not in memory, so no race can show it half made: questions about it (`instanceof`, a cast, a handler, which
//!   method runs) are virtual calls, whose tables know each class that has objects. Where all answers agree a virtual call
//!   is a call.
//! - The fields of an object are cells by number, inherited ones first. All begin as 0 of 32 bits (of 64 if all fields are so
//!   wide); a load of a wide field widens.
//! - The length of an array is not in memory either: the reference to an array of 3 elements is the pointer with the path
//!   `[3]`, its elements are the cells `[3][0]` to `[3][2]`. `arraylength` is `last_offset`.
//! - A string is such an array of characters under the class `java.lang.String`; its accesses have the tag `final`. String
//!   constants are globals named as Java writes them.
//! - The boxed numbers that `valueOf` must give only once are one global for each class, with the number as path.
//!
//! # Control flow
//!
//! - The function of a method takes the receiver, the arguments and, in programs that ask for the current thread, the thread.
//!   It gives the result, if there is one, and an exception or 0. After a call the exception is tested, unless
//!   no function that may be called throws ([`throws`]).
//! - Exceptions that instructions throw are explicit tests. An exception jumps to a block that finds its handler or leaves the
//!   method, one for each set of handlers that cover an instruction.
//! - An exception that leaves `run` or `main` fails as an assertion of its own sort: `uncaught java.lang.NullPointerException`.
//! - A failing `assert` is a failing assertion with its text at its line, and then throws its error as in Java.
//! - A class is initialised before the program begins if nobody can tell, else on first use ([`initialize`]).
//!
//! # Memory and threads
//!
//! - Volatile fields: `SeqCst` with the tag `volatile`; so are atomic operations. Final fields: plain with the tag `final`;
//!   a constructor that sets some ends with a `Freeze` of each, the making of a string or lambda with one of the object.
//!   All other accesses are plain.
//! - Monitors are pointers to objects, and `Class.class` for static methods. `java.util.concurrent` locks use the cell -1.
//! - Starting a thread sets a volatile flag of its object atomically, spawns, and keeps the handle in a volatile field; `join`
//!   reads that and joins.
//! - `print` and `println` observe under the label `out` or `err` numbers as they are and string constants as pointers to
//!   their globals; other text character by character under `out.char`, `double` under `out.double`. A new line is the
//!   character 10.
//!
//! # Library
//!
//! `library/` has our own small classes in place of the JDK's; the class files stand beside the sources. Their native methods
//! are those of [`native`]. Classes are looked for among the given ones, then there.
//!
//! [`program_with`] takes classes from a JDK if these do not suffice. Then collections and functions are the JDK's, `java.lang` and
//! `java.util.concurrent` stay ours as far as there are classes, some of which take the methods that they lack from the JDK's
//! ([`library`]); which classes are needed says [`reach`], and what they ask of the virtual machine is written by [`border`]. What
//! library classes do that is not modelled is refused when an execution gets there, since much of it never runs; and library classes are
//! initialised by the setup.
//!
//! # What is only approximated
//!
//! - `hashCode` of an object that does not define its own is one of three numbers, chosen when it is first asked for. Each time
//!   that a thread asks for the time it may be the same as before, or an hour and 7 ms later.
//! - Memory and stack are unbounded. No thread is woken without reason. Plain accesses of `long` and `double`
//!   variables, which have the tag `wide`, are not torn unless [`fn@super::tear`] splits them.
//! - Waits with a limit of time run out of it at any moment, unless that is a minute or more (but for what the clock went on): those
//!   wait for ever. Read locks do not wait for writers that wait; semaphores and locks are never fair; a cached pool starts a thread
//!   for each task.
//! - The order of immutable sets and maps of the JDK, which it chooses at random, is one order.
//! - Races inside of library classes (a list that threads share without a lock) are those of our classes, not of the JDK's.
//! - Suppressed exceptions are dropped. Conversions of types in a lambda's arguments are not checked again.
//! - A `double` whose text has an exponent or more than fifteen places is refused where it becomes text.
//! - Releasing, waiting for or notifying a monitor that is not held is an error of the engine, not an exception.
//! - A field or method of package visibility in another package is taken to be overridden like a public one.

mod arguments;
mod assertion;
mod border;
mod build;
mod call;
mod daemon;
mod dynamic;
mod functions;
mod initialize;
mod library;
mod memory;
mod method;
mod native;
mod object;
mod opcode;
mod reach;
mod record;
mod spurious;
mod start;
mod stress;
mod terms;
mod throws;
mod world;

use std::borrow::Cow;

use cafebabe::ParseOptions;
use cafebabe::constant_pool::ConstantPoolItem;
use program::{Diagnostic, Diagnostics, Program, Sources};
use rustc_hash::FxHashSet;

use super::class::Class;
use super::places::{Places, shown};
use super::{ClassFile, ClassSource, loops, parse, whole};
pub use arguments::with_arguments;
pub use assertion::index_on_line;
use functions::Key;
pub use stress::Opinion;
use world::{Facts, World};

/// The classes that lowering itself needs, whatever the program mentions.
const NEEDED: [&str; 11] = [
    "palisade/Machine",
    "java/lang/Object",
    "java/lang/Class",
    "java/lang/String",
    "java/lang/StringBuilder",
    "java/lang/Thread",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Double",
    "java/lang/Boolean",
    "java/lang/Character",
];

/// The classes that it needs besides if classes come from a JDK.
const NEEDED_OF_JDK: [&str; 2] = ["java/util/Objects", "java/util/concurrent/locks/LockSupport"];

/// The methods that say who handles exceptions that end threads.
const HANDLERS: [&str; 2] = ["setUncaughtExceptionHandler", "setDefaultUncaughtExceptionHandler"];

/// The method that makes a thread a daemon.
const DAEMONS: &str = "setDaemon";

/// A class of the JDK whose constructors may be asked to make a daemon.
const TIMER: &str = "java/util/Timer";

/// Programs that name this exception may release a lock that they do not hold, and catch what comes of that.
const NOT_HELD: &str = "java/lang/IllegalMonitorStateException";

/// What a class that waits at a monitor for a time mentions, beside the names of methods.
const TIMED_WAIT: &str = "wait for a time";

/// The methods of a lock that ask who holds it, or how often.
const OWNER_METHODS: [&str; 7] =
    ["tryLock", "isLocked", "isHeldByCurrentThread", "getHoldCount", "newCondition", "release", "lockInterruptibly"];

/// Reads the classes of a program that begins with `main` of a class, whose name is written as Java does. The program's only
/// thread at the start is `main`.
///
/// Never panics, whatever the bytes.
pub fn program(files: &[ClassFile], main_class: &str) -> Result<Program, Diagnostics> {
    let wrong = |messages: Vec<Diagnostic>| Diagnostics { sources: Sources::new(), messages };
    let mut parsed = Vec::new();
    let mut messages = Vec::new();
    for file in files {
        match parse(file) {
            Ok(class) => parsed.push(class),
            Err(message) => messages.push(message),
        }
    }
    if !messages.is_empty() {
        return Err(wrong(messages));
    }
    let own = parsed.len();
    let (library, facts) = library_classes(files);
    for (name, bytes) in &library {
        let class = super::embedded(bytes, &ParseOptions::default())
            .map_err(|why| wrong(vec![whole(format!("the library's `{name}`: {why}"))]));
        parsed.push(class?);
    }
    let classes: Vec<Class> = parsed.iter().map(Class::of).collect();
    let places = places(files, &classes);
    let mut world = World::new(classes, own, places, facts);
    read(&mut world, main_class).map_err(|messages| Diagnostics { sources: world.places.sources, messages })
}

/// Reads a whole program, with classes from a JDK if our own library does not have what the program uses.
///
/// Never panics, whatever the bytes.
pub fn program_with(files: &[ClassFile], main_class: &str, jdk: &dyn ClassSource) -> Result<Program, Diagnostics> {
    let refused = match program(files, main_class) {
        Ok(program) => return Ok(program),
        Err(refused) => refused,
    };
    let has_object = jdk.find("java/lang/Object").is_some();
    if !has_object || files.iter().any(|file| parse(file).is_err()) {
        return Err(refused);
    }
    let name = main_class.replace('.', "/");
    let main = (name.clone(), ("main".to_string(), "([Ljava/lang/String;)V".to_string()));
    with_world(files, jdk, &reach::Roots { methods: vec![main], made: Vec::new() }, |world| read(world, main_class))
}

/// Lowers classes with those that are reached from somewhere.
fn with_world(
    files: &[ClassFile],
    jdk: &dyn ClassSource,
    roots: &reach::Roots,
    read: impl FnOnce(&mut World) -> Result<Program, Vec<Diagnostic>>,
) -> Result<Program, Diagnostics> {
    let needed: Vec<&str> = NEEDED.iter().chain(&NEEDED_OF_JDK).copied().collect();
    let reached = reach::reach(reach::Finder::new(files, jdk), roots, &needed);
    let given: Vec<_> = files.iter().filter_map(|file| super::guarded(&file.bytes).ok()).collect();
    // The JDK's own code asks too, for threads that are none.
    let daemons = files.iter().any(|file| mentions(&file.bytes).methods.contains(DAEMONS));
    let handlers = HANDLERS.iter().any(|name| reached.calls("java/lang/Thread", name));
    let facts = facts(&reached);
    let facts = Facts { daemons, handlers, owners: facts.owners || names_unheld(files), ..facts };
    let is_given = |name: &str| given.iter().any(|class| *class.this_class == *name);
    let mut pieces = Vec::new();
    for (name, found) in reached.classes.iter().filter(|(name, _)| !is_given(name)) {
        let parsed: Vec<_> = found.iter().filter_map(|bytes| super::guarded(bytes).ok()).collect();
        if parsed.is_empty() {
            let message = whole(format!("the class file of `{}` in the JDK cannot be read", shown(name)));
            return Err(Diagnostics { sources: Sources::new(), messages: vec![message] });
        }
        pieces.push(parsed);
    }
    let mut classes: Vec<Class> = given.iter().map(Class::of).collect();
    let own = classes.len();
    for parsed in &pieces {
        let mut all = parsed.iter().map(Class::of);
        let Some(mut class) = all.next() else { continue };
        all.for_each(|other| class.extend(other));
        classes.push(class);
    }
    let places = places(files, &classes);
    let mut world = World::new(classes, own, places, facts);
    world.has_jdk = true;
    read(&mut world).map_err(|messages| Diagnostics { sources: world.places.sources, messages })
}

/// What a test of jcstress says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StressTest {
    /// What it says of its outcomes, in its order.
    pub opinions: Vec<Opinion>,
    /// The types of the result's fields: `I` for `int`, `Z` for `boolean`, `L` for objects, as in the names of result classes.
    pub letters: String,
    /// Whether it is asked whether the actors end, in place of a result.
    pub asks_for_end: bool,
    /// The names of the methods that run at the same time, in the order in which they are started.
    pub actors: Vec<String>,
}

/// What the first of these classes says of itself, if it is a test of jcstress.
pub fn stress_test(files: &[ClassFile]) -> Option<StressTest> {
    let parts = stress::parts(files)?;
    let asks_for_end = parts.asks_for_end || !parts.signals.is_empty();
    let actors = parts.at_once().map(|(name, _)| name.clone()).collect();
    Some(StressTest { letters: stress::letters(&parts), opinions: parts.opinions, asks_for_end, actors })
}

/// Whether the class of a class file is a test of jcstress.
pub fn is_stress_test(bytes: &[u8]) -> bool {
    stress::parts(&[ClassFile { bytes: bytes.to_vec(), ..ClassFile::default() }]).is_some()
}

/// The program of a test of jcstress, whose class file is the first: it has a question that lists the values of the result.
///
/// Never panics, whatever the bytes.
pub fn stress_program(files: &[ClassFile], jdk: &dyn ClassSource) -> Result<Program, Diagnostics> {
    let wrong = |messages: Vec<Diagnostic>| Diagnostics { sources: Sources::new(), messages };
    let messages: Vec<Diagnostic> = files.iter().filter_map(|file| parse(file).err()).collect();
    if !messages.is_empty() {
        return Err(wrong(messages));
    }
    let Some(parts) = stress::parts(files) else {
        return Err(wrong(vec![whole("the class is no test of jcstress")]));
    };
    let taken = stress::taken(&parts);
    if let Some(class) = stress::own_result(files, &taken) {
        return Err(wrong(stress::refused(&format!("the result class `{}` of the test's own", shown(class)))));
    }
    let constructor = |name: &String| (name.clone(), ("<init>".to_string(), "()V".to_string()));
    let made: Vec<String> = std::iter::once(parts.test.clone()).chain(taken).collect();
    let own = parts.at_once().chain(&parts.arbiters).map(|method| (parts.test.clone(), method.clone()));
    let methods = made.iter().map(constructor).chain(own).collect();
    with_world(files, jdk, &reach::Roots { methods, made }, |world| {
        let found = stress::find(world, &parts).map_err(|what| stress::refused(&what))?;
        world.stress = Some(found.clone());
        let program = build::build_from(world, Key::Stress, &parts.test)?;
        loops(&program)?;
        Ok(Program {
            question: Some(stress::question(world, &found, program.function(program.threads[0].entry))),
            ..program
        })
    })
}

/// Where the parts of classes stand; those that were not given are the library's.
fn places(files: &[ClassFile], classes: &[Class]) -> Places {
    let mut places = Places::default();
    for (index, class) in classes.iter().enumerate() {
        let known = places.sources.files().count();
        places.add(class, files.get(index).and_then(|file| file.source.as_ref()));
        if index >= files.len() {
            let added: Vec<program::FileId> = places.sources.files().skip(known).collect();
            added.into_iter().for_each(|file| places.sources.note_library(file));
        }
    }
    places
}

/// What a program asks for whose methods were followed.
fn facts(reached: &reach::Reached) -> Facts {
    let thread = |name: &str| reached.calls("java/lang/Thread", name);
    let system = |name: &str| reached.calls("java/lang/System", name);
    let lock = |name: &&str| reached.calls("java/util/concurrent/locks/ReentrantLock", name);
    let interrupts = thread("interrupt");
    Facts {
        current: true,
        interrupts,
        names: thread("getName"),
        alive: interrupts || thread("isAlive") || thread("getState"),
        owners: OWNER_METHODS.iter().any(lock),
        daemons: false,
        handlers: false,
        time: system("nanoTime") || system("currentTimeMillis"),
        keeps_waiters: interrupts && reached.calls("java/lang/Object", "wait")
            || reached.calls_exactly("java/lang/Object", "wait", "(J)V"),
    }
}

/// The way from classes to program.
fn read(world: &mut World, main_class: &str) -> Result<Program, Vec<Diagnostic>> {
    let orphans = world.refuse_orphans();
    if !orphans.is_empty() {
        return Err(orphans);
    }
    let name = main_class.replace('.', "/");
    let class = world.class(&name).filter(|&class| class < world.own);
    let Some(class) = class else {
        return Err(vec![whole(format!("there is no class `{main_class}`"))]);
    };
    let main = world.classes[class].method("main", "([Ljava/lang/String;)V");
    let main = main.map(|method| (class, method)).filter(|&id| {
        let method = world.method(id);
        method.is_static && method.body.is_some()
    });
    let Some(main) = main else {
        return Err(vec![whole(format!("`{}` has no `static void main(String[])`", shown(&name)))]);
    };
    let program = build::build(world, main)?;
    loops(&program)?;
    Ok(program)
}

/// Name and content of a class file that was not given.
type Found = (String, Cow<'static, [u8]>);

/// The library classes that are mentioned, also by each other, and what is asked for. Whatever else may have classes is
/// asked here.
fn library_classes(files: &[ClassFile]) -> (Vec<Found>, Facts) {
    let mut known: FxHashSet<String> = FxHashSet::default();
    let mut open: Vec<String> = NEEDED.iter().map(ToString::to_string).collect();
    let mut asked = FxHashSet::default();
    for file in files {
        let mentions = mentions(&file.bytes);
        known.extend(mentions.name);
        // The methods of records compare their parts by this class.
        let has_records = mentions.classes.iter().any(|name| name == "java/lang/runtime/ObjectMethods");
        open.extend(has_records.then(|| "java/util/Objects".to_string()));
        open.extend(mentions.classes);
        asked.extend(mentions.methods);
    }
    let mut found: Vec<Found> = Vec::new();
    let mut library_asks = false;
    while let Some(name) = open.pop() {
        let Some(bytes) = library::find(&name).filter(|_| known.insert(name.clone())) else { continue };
        let Ok(class) = super::embedded(bytes, ParseOptions::default().parse_bytecode(false)) else { continue };
        let mentions = mentioned(&class);
        open.extend(mentions.classes);
        let is_asked = ["currentThread", "awaitInterruptibly"].iter().any(|name| mentions.methods.contains(*name));
        library_asks |= !["java/lang/Thread", "palisade/Machine", "palisade/WaitSet"].contains(&&*name) && is_asked;
        found.push((name, Cow::Borrowed(bytes)));
    }
    let asks = |method: &str| asked.contains(method);
    let interrupts = asks("interrupt");
    let asks_current = asks("currentThread") || asks("interrupted") || (interrupts && (asks("sleep") || asks("join")));
    let time = asks("nanoTime") || asks("currentTimeMillis");
    let keeps_waiters = interrupts && asks("wait") || asks(TIMED_WAIT);
    let current = library_asks || asks_current || time || keeps_waiters || asks(DAEMONS);
    let owners = OWNER_METHODS.into_iter().any(asks) || names_unheld(files);
    (
        found,
        Facts {
            current,
            interrupts,
            names: asks("getName"),
            alive: interrupts || asks("isAlive") || asks("getState"),
            owners,
            daemons: asks(DAEMONS),
            handlers: HANDLERS.into_iter().any(asks),
            time,
            keeps_waiters,
        },
    )
}

/// Whether a program says what it does where it releases a lock that it does not hold.
fn names_unheld(files: &[ClassFile]) -> bool {
    files.iter().any(|file| mentions(&file.bytes).classes.iter().any(|name| name == NOT_HELD))
}

/// What a class file names.
#[derive(Default)]
struct Mentions {
    /// Its own name.
    name: Option<String>,
    /// Classes, also as elements of arrays.
    classes: Vec<String>,
    /// Methods of any class.
    methods: FxHashSet<String>,
}

fn mentions(bytes: &[u8]) -> Mentions {
    match super::guarded_without_code(bytes) {
        Ok(class) => mentioned(&class),
        Err(_) => Mentions::default(),
    }
}

fn mentioned<'c>(class: &'c cafebabe::ClassFile<'c>) -> Mentions {
    let mut mentions = Mentions { name: Some(class.this_class.to_string()), ..Mentions::default() };
    for item in class.constantpool_iter() {
        match item {
            ConstantPoolItem::ClassInfo(name) if name.starts_with('[') => {
                let element = name.trim_start_matches('[');
                let inner = element.strip_prefix('L').and_then(|inner| inner.strip_suffix(';'));
                mentions.classes.extend(inner.map(str::to_string));
            }
            ConstantPoolItem::ClassInfo(name) => mentions.classes.push(name.to_string()),
            ConstantPoolItem::MethodRef(member) | ConstantPoolItem::InterfaceMethodRef(member) => {
                let is_timed = member.name_and_type.name == "wait" && member.name_and_type.descriptor != "()V";
                let is_daemon = member.class_name == TIMER && member.name_and_type.descriptor.ends_with("Z)V");
                mentions.methods.insert(match (is_timed, is_daemon) {
                    (true, _) => TIMED_WAIT.into(),
                    (_, true) => DAEMONS.into(),
                    _ => member.name_and_type.name.to_string(),
                });
            }
            _ => {}
        }
    }
    mentions
}

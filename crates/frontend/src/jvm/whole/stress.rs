//! Tests of jcstress: what a class says about itself, and the program that runs it once.
//!
//! An object of the class with `@State` (the test itself, or one that its methods take) and one of the result class are made; each
//! method with `@Actor` runs in a thread of its own, and once all have ended those with `@Arbiter` run. The fields of the result
//! are what the program is asked about.

use cafebabe::attributes::{Annotation, AnnotationElementValue, AttributeData, AttributeInfo};
use cafebabe::descriptors::FieldType;
use program::{
    Access, Function, InstructionKind, Observable, Operand, Operator, Proposition, Quantifier, Question, RegisterId,
    Terminator, ThreadId, Value,
};

use crate::jvm::class::Kind;
use crate::jvm::code::Code;
use crate::jvm::places::MethodId;
use crate::jvm::whole as message;
use crate::jvm::{ClassFile, guarded, guarded_without_code};

use super::functions::Key;
use super::initialize;
use super::method::Result;
use super::start::{call_to_the_end, main_thread, nowhere};
use super::terms::Stress;
use super::world::World;

const ANNOTATIONS: &str = "org/openjdk/jcstress/annotations/";
/// The packages of result classes: `II_Result` has the fields `r1` and `r2`.
const RESULTS: &str = "org/openjdk/jcstress/infra/results/";
/// A signal may take the thread of the actor.
const THREAD: &str = "java/lang/Thread";

/// What a test says of some of its outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// Which outcomes: patterns of the values with commas between them. None: all others.
    pub outcomes: Vec<String>,
    /// `ACCEPTABLE`, `ACCEPTABLE_INTERESTING`, `FORBIDDEN` or `UNKNOWN`.
    pub expectation: String,
    /// Why.
    pub description: String,
}

/// What a test consists of, by names.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The test's class.
    pub test: String,
    /// Name and descriptor of the methods that run at the same time.
    pub actors: Vec<(String, String)>,
    /// Those that run afterwards.
    pub arbiters: Vec<(String, String)>,
    /// What the test says of its outcomes.
    pub opinions: Vec<Opinion>,
    /// Those that tell the actors to end.
    pub signals: Vec<(String, String)>,
    /// Whether it is asked whether the actors end.
    pub asks_for_end: bool,
}

impl Parts {
    /// Adds the methods that a class marks. A test also has those of the classes above it.
    fn add_methods(&mut self, class: &cafebabe::ClassFile) {
        for method in &class.methods {
            let has = |name: &str| method.attributes.iter().flat_map(annotations).any(|mark| is_named(mark, name));
            let own = (method.name.to_string(), method.descriptor.to_string());
            let lists = [("Actor", &mut self.actors), ("Arbiter", &mut self.arbiters), ("Signal", &mut self.signals)];
            for (name, list) in lists {
                if has(name) && !list.contains(&own) {
                    list.push(own.clone());
                }
            }
        }
    }

    /// All methods that run at the same time.
    pub fn at_once(&self) -> impl Iterator<Item = &(String, String)> {
        self.actors.iter().chain(&self.signals)
    }
}

/// What the test is whose class file is the first, if it is one. Another of the files may say what is expected.
pub fn parts(files: &[ClassFile]) -> Option<Parts> {
    let class = guarded(&files.first()?.bytes).ok()?;
    let marks: Vec<&Annotation> = class.attributes.iter().flat_map(annotations).collect();
    let test = marks.iter().find(|mark| is_named(mark, "JCStressTest"))?;
    let mut found =
        Parts { test: class.this_class.to_string(), asks_for_end: is_of_termination(test), ..Parts::default() };
    found.opinions = marks.iter().flat_map(|mark| opinions(mark)).collect();
    if let Some(other) = marks.iter().find_map(|mark| meta(mark)) {
        found.opinions.extend(opinions_of(files, &other));
    }
    found.add_methods(&class);
    let mut above = class.super_class.as_ref().map(ToString::to_string);
    // No more classes are above one another than there are.
    for _ in files {
        let named = |file: &&ClassFile| file_name(file).is_some_and(|name| above.as_ref() == Some(&name));
        let Some(file) = files.iter().find(named) else { break };
        let class = guarded(&file.bytes).ok()?;
        found.add_methods(&class);
        above = class.super_class.as_ref().map(ToString::to_string);
    }
    Some(found)
}

/// The name of the class of a file.
fn file_name(file: &ClassFile) -> Option<String> {
    Some(guarded_without_code(&file.bytes).ok()?.this_class.to_string())
}

/// Whether the modes of a test are those of termination.
fn is_of_termination(test: &Annotation) -> bool {
    let is_meant = |value: &AnnotationElementValue| match value {
        AnnotationElementValue::EnumConstant { const_name, .. } => *const_name == "Termination",
        _ => false,
    };
    test.elements.iter().filter(|element| element.name == "value").any(|element| match &element.value {
        AnnotationElementValue::ArrayValue(modes) => modes.iter().any(is_meant),
        mode => is_meant(mode),
    })
}

/// The class that says what is expected, if an annotation names one.
fn meta(annotation: &Annotation) -> Option<String> {
    let value = annotation.elements.iter().find(|element| element.name == "value").map(|element| &element.value);
    match value {
        Some(AnnotationElementValue::ClassLiteral { class_name }) if is_named(annotation, "JCStressMeta") => {
            Some(class_name.trim_start_matches('L').trim_end_matches(';').to_string())
        }
        _ => None,
    }
}

/// What a class among these says of outcomes.
fn opinions_of(files: &[ClassFile], name: &str) -> Vec<Opinion> {
    let classes = files.iter().filter_map(|file| guarded(&file.bytes).ok());
    let named = classes.filter(|class| *class.this_class == *name);
    named
        .flat_map(|class| class.attributes.iter().flat_map(annotations).flat_map(opinions).collect::<Vec<_>>())
        .collect()
}

fn annotations<'s, 'a>(attribute: &'s AttributeInfo<'a>) -> &'s [Annotation<'a>] {
    match &attribute.data {
        AttributeData::RuntimeInvisibleAnnotations(list) | AttributeData::RuntimeVisibleAnnotations(list) => list,
        _ => &[],
    }
}

fn is_named(annotation: &Annotation, name: &str) -> bool {
    let FieldType::Object(class) = &annotation.type_descriptor.field_type else { return false };
    class.strip_prefix(ANNOTATIONS) == Some(name)
}

/// The opinions that an annotation holds: `@Outcome` one, its container several.
fn opinions(annotation: &Annotation) -> Vec<Opinion> {
    let value = |name: &str| annotation.elements.iter().find(|element| element.name == name).map(|e| &e.value);
    if is_named(annotation, "Outcome$Outcomes") {
        let Some(AnnotationElementValue::ArrayValue(inner)) = value("value") else { return Vec::new() };
        let inner = inner.iter().filter_map(|each| match each {
            AnnotationElementValue::AnnotationValue(inner) => Some(inner),
            _ => None,
        });
        return inner.flat_map(opinions).collect();
    }
    if !is_named(annotation, "Outcome") {
        return Vec::new();
    }
    let outcomes = match value("id") {
        Some(AnnotationElementValue::ArrayValue(ids)) => ids.iter().filter_map(text).collect(),
        Some(id) => text(id).into_iter().collect(),
        None => Vec::new(),
    };
    let expectation = match value("expect") {
        Some(AnnotationElementValue::EnumConstant { const_name, .. }) => const_name.to_string(),
        _ => "UNKNOWN".into(),
    };
    vec![Opinion { outcomes, expectation, description: value("desc").and_then(text).unwrap_or_default() }]
}

fn text(value: &AnnotationElementValue) -> Option<String> {
    match value {
        AnnotationElementValue::StringConstant(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The letters of a test's result, one for the type of each field: `IZ` of `IZ_Result`.
pub fn letters(parts: &Parts) -> String {
    let classes = taken(parts);
    let names = classes.iter().filter_map(|name| name.strip_prefix(RESULTS)?.strip_suffix("_Result"));
    names.collect()
}

/// The types of a method's parameters that are classes.
fn parameter_classes(descriptor: &str) -> Vec<String> {
    super::dynamic::parameter_types(descriptor)
        .into_iter()
        .map(|name| name.trim_start_matches('L').trim_end_matches(';').to_string())
        .collect()
}

/// The classes of objects that the methods take and that are made for them: state and result.
pub fn taken(parts: &Parts) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, descriptor) in parts.at_once().chain(&parts.arbiters) {
        for name in parameter_classes(descriptor) {
            if name != THREAD && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// The class of a result that is none of jcstress's own: what its text is says its `toString`.
pub fn own_result<'p>(files: &[ClassFile], taken: &'p [String]) -> Option<&'p String> {
    let is_result = |file: &ClassFile| {
        let class = guarded_without_code(&file.bytes).ok();
        class.is_some_and(|class| class.attributes.iter().flat_map(annotations).any(|mark| is_named(mark, "Result")))
    };
    let is_own = |name: &&String| {
        let is_it = |file: &&ClassFile| file_name(file).as_ref() == Some(*name);
        !name.starts_with(RESULTS) && files.iter().find(is_it).is_some_and(is_result)
    };
    taken.iter().find(is_own)
}

/// Finds the parts of a test.
pub fn find(world: &World, parts: &Parts) -> std::result::Result<Stress, String> {
    let class = |name: &str| world.class(name).ok_or_else(|| format!("the class `{name}`, which was not found,"));
    let test = class(&parts.test)?;
    let method = |(name, descriptor): &(String, String)| {
        world.resolve(&parts.test, name, descriptor).ok_or_else(|| format!("the method `{name}`"))
    };
    check_threads(parts)?;
    let at_once = parts.at_once().map(method).collect::<std::result::Result<Vec<_>, _>>()?;
    let arbiters = parts.arbiters.iter().map(method).collect::<std::result::Result<Vec<_>, _>>()?;
    let taken = taken(parts).iter().map(|name| class(name)).collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(Stress { test, taken, actors: at_once, arbiters })
}

/// Only a signal takes a thread: that of the only actor.
fn check_threads(parts: &Parts) -> std::result::Result<(), String> {
    let takes_thread =
        |(_, descriptor): &&(String, String)| parameter_classes(descriptor).iter().any(|name| name == THREAD);
    if let Some((name, _)) = parts.actors.iter().chain(&parts.arbiters).find(takes_thread) {
        return Err(format!("the method `{name}`, which takes a thread and is no signal,"));
    }
    match parts.signals.iter().find(takes_thread) {
        Some((name, _)) if parts.actors.len() != 1 => {
            Err(format!("the signal `{name}`, which takes the thread of one of several actors,"))
        }
        _ => Ok(()),
    }
}

/// The fields of the result, in order of their names, with their cells.
fn results(stress: &Stress, world: &World) -> Vec<(usize, String, i64, Kind)> {
    let mut found = Vec::new();
    for &class in stress.taken.iter().filter(|&&class| world.classes[class].name.starts_with(RESULTS)) {
        for id in world.instance_fields(class) {
            let field = world.field(id);
            if field.name.starts_with('r') {
                found.push((class, field.name.to_string(), world.cell(id), field.kind));
            }
        }
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found
}

/// A new object of a class whose constructor takes nothing.
fn make(world: &mut World, code: &mut Code, class: usize, current: &[Operand]) -> Operand {
    let span = nowhere(world);
    let name = world.classes[class].name.to_string();
    if initialize::is_lazy(world, class) {
        let function = world.functions.ask(Key::Initialize(class));
        let arguments = current.to_vec();
        call_to_the_end(world, code, |_, targets| InstructionKind::Call { function, arguments, targets }, span);
    }
    let default = world.object_default(class);
    let tag = world.functions.make(&name);
    let target = code.temporary();
    code.emit(InstructionKind::Allocate { target, default, name: tag, reuse: false, extent: None }, span);
    let object = Operand::Register(target);
    if let Some(constructor) = world.classes[class].method("<init>", "()V") {
        let function = world.functions.ask(Key::Method((class, constructor)));
        let arguments = std::iter::once(object.clone()).chain(current.iter().cloned()).collect();
        call_to_the_end(world, code, |_, targets| InstructionKind::Call { function, arguments, targets }, span);
    }
    object
}

/// Calls a method of the test with the objects that it takes; `objects` begins with the test.
fn call(world: &mut World, code: &mut Code, stress: &Stress, id: MethodId, objects: &[Operand], current: &[Operand]) {
    let span = nowhere(world);
    let names = parameter_classes(&world.method(id).descriptor);
    let mut arguments: Vec<Operand> = objects[..usize::from(!world.method(id).is_static)].to_vec();
    for name in names {
        if name == THREAD {
            arguments.push(thread_of_actor(world, 0));
            continue;
        }
        let place = stress.taken.iter().position(|&class| world.classes[class].name == name);
        arguments.extend(place.and_then(|place| objects.get(place + 1)).cloned());
    }
    arguments.extend(current.iter().cloned());
    let function = world.functions.ask(Key::Method(id));
    call_to_the_end(world, code, |_, targets| InstructionKind::Call { function, arguments, targets }, span);
}

/// The object of an actor's thread.
fn thread_of_actor(world: &mut World, number: usize) -> Operand {
    let name = format!("thread of actor {}", number + 1);
    Operand::Constant(Value::Pointer(program::Pointer::to(world.memory.object(name, THREAD, Vec::new))))
}

/// What an actor's thread runs: it is given the test and the objects that methods take.
pub fn actor(world: &mut World, stress: &Stress, number: usize) -> Result<Function> {
    let mut code = Code::new(format!("actor {}", number + 1), None);
    let count = 1 + stress.taken.len();
    let objects: Vec<Operand> =
        (0..count).map(|index| Operand::Register(code.parameter(&format!("object{index}")))).collect();
    let current: Vec<Operand> = match world.facts.current {
        true => vec![thread_of_actor(world, number)],
        false => Vec::new(),
    };
    call(world, &mut code, stress, stress.actors[number], &objects, &current);
    code.end(Terminator::Return(Vec::new()));
    Ok(code.finish_with(0))
}

/// The thread that makes the objects, starts the actors and looks at the result.
pub fn entry(world: &mut World, stress: &Stress) -> Result<Function> {
    let span = nowhere(world);
    let mut code = Code::new(format!("test {}", world.classes[stress.test].name), None);
    let current: Vec<Operand> =
        world.facts.current.then(|| Operand::Constant(main_thread(world))).into_iter().collect();
    let mut objects = vec![make(world, &mut code, stress.test, &current)];
    for &class in &stress.taken {
        objects.push(if class == stress.test { objects[0].clone() } else { make(world, &mut code, class, &current) });
    }
    let mut handles = Vec::new();
    for number in 0..stress.actors.len() {
        let function = world.functions.ask(Key::Actor(number));
        let target = code.temporary();
        code.emit(InstructionKind::Spawn { target, function, arguments: objects.clone() }, span);
        handles.push(target);
    }
    for handle in handles {
        code.emit(InstructionKind::Join { thread: Operand::Register(handle) }, span);
    }
    for &id in &stress.arbiters {
        call(world, &mut code, stress, id, &objects, &current);
    }
    for (class, name, cell, kind) in results(stress, world) {
        let place = stress.taken.iter().position(|&taken| taken == class).unwrap_or(0) + 1;
        let cell = Operand::Constant(Value::int(cell, 32));
        let address = code.compute(Operator::Offset, vec![objects[place].clone(), cell], span);
        let loaded = code.temporary();
        code.emit(InstructionKind::Load { target: loaded, address, access: Access::plain() }, span);
        let register = code.register(&name);
        let width = kind.width();
        let value = match width {
            64 => code.compute(Operator::Resize { width, signed: true }, vec![Operand::Register(loaded)], span),
            _ => Operand::Register(loaded),
        };
        code.copy(register, value, span);
    }
    code.end(Terminator::Return(Vec::new()));
    Ok(code.finish_with(0))
}

/// What is asked: which values the result has.
pub fn question(world: &World, stress: &Stress, entry: &Function) -> Question {
    let register = |name: &String| entry.registers.iter().position(|own| own == name);
    let results = results(stress, world);
    let observed = results.iter().filter_map(|(_, name, ..)| register(name));
    let observed = observed.map(|at| Observable::Register(ThreadId(0), RegisterId(at as u32))).collect();
    Question {
        quantifier: Quantifier::Exists,
        // Every final state is listed, and any will do.
        proposition: Proposition::Constant(true),
        filter: None,
        observed,
        span: None,
    }
}

/// Why there is no program.
pub fn refused(what: &str) -> Vec<program::Diagnostic> {
    vec![message(format!("{what} is not supported"))]
}

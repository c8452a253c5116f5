//! From `main` to the program: functions until none is asked for, then the tables of virtual calls.

use std::sync::Arc;

use program::{
    Access, AssertSort, Diagnostic, Function, FunctionId, InstructionKind, Language, Operand, Operator, Program,
    Sources, Span, Terminator, Thread, Value,
};

use crate::jvm::class::{Field, Kind};
use crate::jvm::code::Code;
use crate::jvm::places::{MethodId, shown};
use crate::jvm::refusals;
use crate::jvm::tear::wide;

use super::daemon;
use super::dynamic::lower_lambda;
use super::functions::{Key, Lambda, Question, Table};
use super::initialize;
use super::method::{Result, lower, lower_native};
use super::start::{call_to_the_end, main_thread, nowhere};
use super::terms::{array_of, element_kind, named, primitive_descriptor, primitive_name, volatile, zero};
use super::world::World;

/// A program of more functions than this is refused.
const FUNCTIONS: usize = 20_000;

/// The program that `main` runs.
pub fn build(world: &mut World, main: MethodId) -> std::result::Result<Program, Vec<Diagnostic>> {
    let name = world.classes[main.0].name;
    build_from(world, Key::Main(main), name)
}

/// The program whose only thread at the start runs a function; it is named as a class.
pub fn build_from(world: &mut World, begin: Key, name: &str) -> std::result::Result<Program, Vec<Diagnostic>> {
    let mut messages = Vec::new();
    // What boxes numbers is initialised first: instructions do not say that they use it.
    for name in super::library::BOXES_AND_BUILDERS {
        if let Some(class) = world.class(name).filter(|_| world.has_jdk) {
            initialize::is_lazy(world, class);
        }
    }
    let entry = world.functions.ask(begin);
    let mut setup = None;
    loop {
        let mut count = 0;
        while let Some((key, id)) = world.functions.next() {
            count += 1;
            match function(world, &key) {
                Ok(function) => world.functions.set(id, function),
                Err(message) => messages.push(message),
            }
            if messages.len() + world.refused.len() > refusals::MOST {
                messages.append(&mut world.refused);
                return Err(refusals::sorted(messages));
            }
            if id.0 as usize > FUNCTIONS {
                messages.push(crate::jvm::whole(format!("the program has more than {FUNCTIONS} functions")));
                return Err(messages);
            }
        }
        answer_all(world);
        if !world.setup.is_empty() && setup.is_none() {
            setup = Some(world.functions.ask(Key::Setup));
        }
        for class in world.setup.clone() {
            if let Some(id) = initialize::initializer(world, class) {
                world.functions.ask(Key::Method(id));
            }
        }
        if count == 0 {
            break;
        }
    }
    messages.append(&mut world.refused);
    if !messages.is_empty() {
        return Err(refusals::sorted(messages));
    }
    // Classes may have come since the setup was first written.
    if let Some(id) = setup {
        let function = setup_function(world);
        world.functions.set(id, function);
    }
    let tables = tables(world);
    let Some(mut functions) = world.functions.finish() else {
        return Err(vec![crate::jvm::whole("a function is missing")]);
    };
    let constants: Vec<Option<Operand>> = functions.iter().map(constant_of).collect();
    for function in &mut functions {
        fill(function, &tables, &constants);
    }
    super::throws::simplify(&mut functions);
    let mut program = Program {
        name: shown(name),
        language: Language::Java,
        sources: with_field_names(world),
        globals: std::mem::take(&mut world.memory.globals),
        functions,
        threads: vec![Thread { name: "main".into(), entry, arguments: Vec::new() }],
        setup,
        thread_order: Vec::new(),
        ends_with_main: world.facts.daemons,
        simplified: std::mem::take(&mut world.simplified),
        question: None,
    };
    crate::prune::functions(&mut program);
    crate::prune::globals(&mut program, |number, _| number < world.memory.kept);
    program::counter::drop_counters(&mut program);
    Ok(program)
}

/// The sources, and what they call the fields of objects.
fn with_field_names(world: &World) -> Sources {
    let mut sources = world.places.sources.clone();
    for class in 0..world.classes.len() {
        let of = super::terms::tag(world.classes[class].name);
        for (number, &id) in world.instance_fields(class).iter().enumerate() {
            sources.name_field(&of, number as i64, world.field(id).name);
            if let Some(kind) = noted(world.field(id)) {
                sources.note_kind(&of, Some(number as i64), kind);
            }
        }
    }
    for (id, global) in world.memory.static_globals() {
        if let Some(kind) = noted(world.field(id)) {
            sources.note_kind(&world.memory.globals[global as usize].name, None, kind);
        }
    }
    sources
}

/// What reports should know of the values of a field.
fn noted(field: &Field) -> Option<program::Kind> {
    match field.kind {
        Kind::Float | Kind::Double => Some(program::Kind::Float),
        Kind::Reference => Some(program::Kind::Reference),
        _ => field.is_boolean.then_some(program::Kind::Boolean),
    }
}

/// The function with its accesses marked as those of a library. Final fields, and what is no variable, are not marked.
fn as_library(mut function: Function) -> Function {
    for instruction in function.instructions_mut() {
        if let InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::ReadModifyWrite { access, .. }
        | InstructionKind::Fence { access } = &mut instruction.kind
            && !access.has("final")
            && !access.has("identity")
        {
            access.tags.push(Access::LIBRARY.into());
        }
    }
    function
}

fn function(world: &mut World, key: &Key) -> Result<Function> {
    Ok(match key {
        Key::Method(id) => {
            let has_body = world.method(*id).body.is_some();
            let lowered = if has_body { lower(world, *id) } else { lower_native(world, *id) };
            let arity = world.method(*id).arity();
            let results = 1 + usize::from(world.method(*id).result.is_some());
            let function = unless_refused(world, lowered, *id, (arity, results))?;
            if super::library::keeps_promises(world.classes[id.0].name) && id.0 >= world.own {
                as_library(function)
            } else {
                function
            }
        }
        Key::Lambda(index) => {
            let lambda = &world.functions.lambdas[*index];
            let (id, descriptor) = (lambda.site.method, lambda.method.1.clone());
            let (kinds, result) = crate::jvm::class::signature(&descriptor).unwrap_or_default();
            let lowered = lower_lambda(world, *index);
            unless_refused(world, lowered, id, (1 + kinds.len(), 1 + usize::from(result.is_some())))?
        }
        Key::Initialize(class) => initialize::lower_initialize(world, *class),
        Key::Constant(number) => constant(&number.to_string(), Value::int(*number, 32)),
        Key::ClassObject(name) => {
            let object = world.memory.class_object(name);
            constant(&format!("{}.class", super::terms::tag(name)), object)
        }
        Key::Clone(name) => clone(world, name),
        Key::NewArray(name) => new_array(world, name),
        Key::Constants(id) => constants(world, *id),
        Key::Component(name) => {
            let component = component(name).map(|element| world.memory.class_object(&element));
            constant(&format!("component of {}", super::terms::tag(name)), component.unwrap_or(Value::int(0, 32)))
        }
        Key::HasInstance(name) => has_instance(world, name),
        Key::Uncaught(name) => uncaught(world, name),
        Key::Run => run(world),
        Key::Main(id) => main(world, *id),
        Key::Stress => {
            let stress = world.stress.clone();
            stress.map_or_else(|| Ok(nothing(0, 0)), |stress| super::stress::entry(world, &stress))?
        }
        Key::Actor(number) => {
            let stress = world.stress.clone();
            stress.map_or_else(|| Ok(nothing(0, 0)), |stress| super::stress::actor(world, &stress, *number))?
        }
        Key::Setup => setup_function(world),
        Key::Refused(what, parameters, results) => refused(what, *parameters, *results, nowhere(world)),
        Key::Nothing(parameters, results) => nothing(*parameters, *results),
    })
}

/// What cannot be lowered in a class of the library is refused when an execution gets there: its methods do much that
/// nobody asks for.
fn unless_refused(
    world: &World,
    lowered: Result<Function>,
    id: MethodId,
    (parameters, results): (usize, usize),
) -> Result<Function> {
    match lowered {
        Err(message) if world.has_jdk && id.0 >= world.own => {
            let what = message.message.trim_end_matches(" is not supported");
            let parameters = parameters + usize::from(world.facts.current);
            Ok(refused(what, parameters, results, world.places.statement(id, 0)))
        }
        lowered => lowered,
    }
}

/// Ignores its argument and gives a value.
fn constant(name: &str, value: Value) -> Function {
    let mut code = Code::new(name.to_string(), None);
    code.parameter("object");
    code.end(Terminator::Return(vec![Operand::Constant(value)]));
    code.finish_with(1)
}

/// Refuses the execution that gets here.
fn refused(what: &str, parameters: usize, results: usize, span: Span) -> Function {
    let mut code = Code::new("refused".into(), None);
    for number in 0..parameters {
        code.parameter(&format!("p{number}"));
    }
    code.emit(InstructionKind::claim(AssertSort::Unsupported, zero(), what), span);
    code.end(Terminator::Return(vec![zero(); results]));
    code.finish_with(results)
}

fn nothing(parameters: usize, results: usize) -> Function {
    let mut code = Code::new("nothing".into(), None);
    for number in 0..parameters {
        code.parameter(&format!("p{number}"));
    }
    code.end(Terminator::Return(vec![zero(); results]));
    code.finish_with(results)
}

/// A copy of an array, element by element.
fn clone(world: &mut World, name: &str) -> Function {
    let span = nowhere(world);
    let mut code = Code::new(format!("{}.clone", super::terms::tag(name)), None);
    let array = Operand::Register(code.parameter("array"));
    let length = code.compute(Operator::LastOffset, vec![array.clone()], span);
    let block = code.temporary();
    let default = Value::int(0, element_kind(name).width());
    let tag = world.functions.make(name);
    code.emit(InstructionKind::Allocate { target: block, default, name: tag, reuse: false, extent: None }, span);
    let copy = code.compute(Operator::Offset, vec![Operand::Register(block), length.clone()], span);
    let index = code.register("index");
    code.copy(index, Operand::Constant(Value::int(0, 64)), span);
    let [head, body, next] = std::array::from_fn(|_| code.block(Some(span)));
    code.end(Terminator::Jump(head));
    code.write_in(head);
    let goes_on = code.compute(Operator::LtSigned, vec![Operand::Register(index), length], span);
    code.branch(goes_on, body, next, span);
    code.write_in(body);
    let from = code.compute(Operator::Offset, vec![array, Operand::Register(index)], span);
    let to = code.compute(Operator::Offset, vec![copy.clone(), Operand::Register(index)], span);
    let value = code.temporary();
    let access = wide(Access::plain(), element_kind(name).width());
    code.emit(InstructionKind::Load { target: value, address: from, access: access.clone() }, span);
    let store = InstructionKind::Store { address: to, value: Operand::Register(value), access };
    code.emit(store, span);
    let one = Operand::Constant(Value::int(1, 64));
    let following = code.compute(Operator::Add, vec![Operand::Register(index), one], span);
    code.copy(index, following, span);
    code.end(Terminator::Jump(head));
    code.write_in(next);
    code.end(Terminator::Return(vec![copy]));
    code.finish_with(1)
}

/// What the method that gives the constants of an enum gives; its first parameter is the class.
fn constants(world: &mut World, id: MethodId) -> Function {
    let span = nowhere(world);
    let mut code = Code::new(world.method_name(id), None);
    code.parameter("class");
    let arguments = world.facts.current.then(|| Operand::Register(code.parameter("thread"))).into_iter().collect();
    let function = world.functions.ask(Key::Method(id));
    let (array, thrown) = (code.temporary(), code.temporary());
    code.emit(InstructionKind::Call { function, arguments, targets: vec![array, thrown] }, span);
    code.end(Terminator::Return(vec![Operand::Register(array)]));
    code.finish_with(1)
}

/// The type of an array's elements, as class objects name it.
fn component(array: &str) -> Option<String> {
    let element = array.strip_prefix('[')?;
    Some(named(element).map_or_else(|| primitive_name(element).to_string(), str::to_string))
}

/// A new array whose elements have the type.
fn new_array(world: &mut World, element: &str) -> Function {
    let span = nowhere(world);
    let mut code = Code::new(format!("new {}[]", super::terms::tag(element)), None);
    code.parameter("class");
    let length = Operand::Register(code.parameter("length"));
    let array = primitive_descriptor(element).map_or_else(|| array_of(element), |letter| format!("[{letter}"));
    let block = code.temporary();
    let default = Value::int(0, element_kind(&array).width());
    let tag = world.functions.make(&array);
    code.emit(InstructionKind::Allocate { target: block, default, name: tag, reuse: false, extent: None }, span);
    let made = code.compute(Operator::Offset, vec![Operand::Register(block), length], span);
    code.end(Terminator::Return(vec![made]));
    code.finish_with(1)
}

/// Whether a value that is not null is an instance of the type.
fn has_instance(world: &mut World, name: &str) -> Function {
    let span = nowhere(world);
    let mut code = Code::new(format!("{} has instance", super::terms::tag(name)), None);
    code.parameter("of");
    let value = Operand::Register(code.parameter("value"));
    let fits = code.temporary();
    let question = Question::Instance(name.to_string());
    let call = world.functions.virtual_call(question, vec![value], vec![fits]);
    code.emit(call, span);
    code.end(Terminator::Return(vec![Operand::Register(fits)]));
    code.finish_with(1)
}

fn uncaught(world: &mut World, name: &str) -> Function {
    let span = nowhere(world);
    let mut code = Code::new(format!("uncaught {}", shown(name)), None);
    let exception = Operand::Register(code.parameter("exception"));
    let text = world.find_field("java/lang/Throwable", "message", false).map(|field| {
        let cell = Operand::Constant(Value::int(world.cell(field), 32));
        code.compute(Operator::Offset, vec![exception, cell], span)
    });
    let message = format!("uncaught {}", shown(name)).into();
    code.emit_nowhere(InstructionKind::Assert { condition: zero(), message, sort: AssertSort::Exception, text });
    code.end(Terminator::Return(Vec::new()));
    code.finish_with(0)
}

/// What a started thread runs: its argument is the thread's object.
fn run(world: &mut World) -> Function {
    let span = nowhere(world);
    let mut code = Code::new("thread".into(), None);
    let thread = Operand::Register(code.parameter("thread"));
    let mut arguments = vec![thread.clone()];
    arguments.extend(world.facts.current.then(|| thread.clone()));
    let method = if world.facts.handlers { "runHandled" } else { "run" };
    let question = Question::Method("java/lang/Thread".into(), method.into(), "()V".into());
    call_to_the_end(
        world,
        &mut code,
        |world, targets| world.functions.virtual_call(question, arguments, targets),
        span,
    );
    if let Some(field) = world.find_field("java/lang/Thread", "ended", false).filter(|_| world.facts.alive) {
        let cell = Operand::Constant(Value::int(world.cell(field), 32));
        let address = code.compute(Operator::Offset, vec![thread.clone(), cell], span);
        let value = Operand::Constant(Value::int(1, 32));
        code.emit(InstructionKind::Store { address, value, access: volatile() }, span);
    }
    if let Some(count) = daemon::count(world, &mut code, thread, false, span) {
        code.emit(count, span);
    }
    code.end(Terminator::Return(Vec::new()));
    code.finish_with(0)
}

/// What runs `main`, after the initialisation of its class.
fn main(world: &mut World, id: MethodId) -> Function {
    let line = world.method(id).body.as_ref().map_or(0, |body| body.line(0));
    let span = world.places.statement(id, line);
    let mut code = Code::new("main thread".into(), Some(span));
    let current = world.facts.current.then(|| Operand::Constant(main_thread(world)));
    if initialize::is_lazy(world, id.0) {
        let function = world.functions.ask(Key::Initialize(id.0));
        let arguments = current.iter().cloned().collect();
        call_to_the_end(world, &mut code, |_, targets| InstructionKind::Call { function, arguments, targets }, span);
    }
    let array = world.memory.object(super::arguments::ARRAY.into(), &array_of("java/lang/String"), Vec::new);
    let array = Value::Pointer(program::Pointer { allocation: array, path: vec![0] });
    let mut arguments = vec![Operand::Constant(array)];
    arguments.extend(current);
    let function = world.functions.ask(Key::Method(id));
    call_to_the_end(world, &mut code, |_, targets| InstructionKind::Call { function, arguments, targets }, span);
    daemon::await_others(world, &mut code, span);
    code.end(Terminator::Return(Vec::new()));
    code.finish_with(0)
}

/// Initialises classes, each after those it uses.
fn setup_function(world: &mut World) -> Function {
    let mut code = Code::new("setup".into(), None);
    let current: Vec<Operand> =
        world.facts.current.then(|| Operand::Constant(main_thread(world))).into_iter().collect();
    for class in world.setup.clone() {
        let Some(id) = initialize::initializer(world, class) else { continue };
        let function = world.functions.ask(Key::Method(id));
        let line = world.method(id).body.as_ref().map_or(0, |body| body.line(0));
        let span = world.places.statement(id, line);
        let thrown = code.temporary();
        code.emit(InstructionKind::Call { function, arguments: current.clone(), targets: vec![thrown] }, span);
        let condition = code.compute(Operator::Eq, vec![Operand::Register(thrown), zero()], span);
        let name = shown(world.classes[class].name);
        let message = format!("the initialiser of {name} throws an exception");
        let sort = if class < world.own { AssertSort::Exception } else { AssertSort::Unsupported };
        code.emit(InstructionKind::claim(sort, condition, message), span);
    }
    code.end(Terminator::Return(Vec::new()));
    code.finish_with(0)
}

/// Asks for every function that some table needs.
fn answer_all(world: &mut World) {
    let tables = world.functions.tables().to_vec();
    let objects = objects(world);
    for table in &tables {
        entries(world, table, &objects);
    }
}

/// The types that have objects, each with the name of their allocations.
fn objects(world: &World) -> Vec<(Arc<str>, String)> {
    let made = world.functions.made.iter().map(|(tag, name)| (tag.clone(), name.clone()));
    let globals = world.memory.objects.iter().map(|(name, class)| (name.as_str().into(), class.clone()));
    made.chain(globals).collect()
}

/// The entries of a table: for each type that has objects the function that answers.
fn entries(world: &mut World, table: &Table, objects: &[(Arc<str>, String)]) -> Vec<(Arc<str>, FunctionId)> {
    let mut found = Vec::new();
    for (tag, name) in objects {
        if let Some(key) = answer(world, &table.question, tag, name) {
            found.push((tag.clone(), world.functions.ask(key)));
        }
    }
    if found.is_empty() {
        let function = world.functions.ask(Key::Nothing(table.arguments, table.results));
        found.push(("no object".into(), function));
    }
    found
}

/// The function that answers a question about objects of a type, whose allocations have a tag.
fn answer(world: &World, question: &Question, tag: &str, name: &str) -> Option<Key> {
    let lambda = world.functions.lambdas.iter().position(|lambda| lambda.name == name);
    match question {
        Question::Method(class, method, descriptor) => match lambda {
            Some(index) => lambda_method(world, index, class, method, descriptor),
            None if !world.is_subtype(name, class) => None,
            None => {
                let holder = if name.starts_with('[') { "java/lang/Object" } else { name };
                world.select(world.class(holder)?, method, descriptor).map(Key::Method)
            }
        },
        Question::Instance(class) => {
            let is_instance = match lambda {
                Some(index) => implements(world, &world.functions.lambdas[index], class),
                None => world.is_subtype(name, class),
            };
            Some(Key::Constant(is_instance.into()))
        }
        Question::MayHold => {
            let element = name.strip_prefix('[').filter(|_| element_kind(name) == Kind::Reference)?;
            Some(Key::HasInstance(named(element).unwrap_or("java/lang/Object").to_string()))
        }
        Question::HasInstance => world.memory.class_type_named(tag).map(|name| Key::HasInstance(name.to_string())),
        Question::HoldsReferences => {
            Some(Key::Constant((name.starts_with('[') && element_kind(name) == Kind::Reference).into()))
        }
        Question::NewArray => world.memory.class_type_named(tag).map(|name| match name.starts_with('[') {
            // Their classes could be asked for arrays of arrays again, without end.
            true => Key::Refused("an array of arrays by reflection".into(), 2, 1),
            false => Key::NewArray(name.to_string()),
        }),
        Question::Constants => {
            let class = world.class(world.memory.class_type_named(tag)?)?;
            let name = world.classes[class].name;
            Some(Key::Constants((class, world.classes[class].method("values", &format!("()[L{name};"))?)))
        }
        Question::Component => world.memory.class_type_named(tag).map(|name| Key::Component(name.to_string())),
        Question::ClassObject => Some(Key::ClassObject(name.to_string())),
        Question::EnumObject => Some(Key::ClassObject(enum_of(world, name))),
        Question::Clone => name.starts_with('[').then(|| Key::Clone(name.to_string())),
        Question::Uncaught => world.is_subtype(name, "java/lang/Throwable").then(|| Key::Uncaught(name.to_string())),
    }
}

/// The enum of a constant's class, which is a class of its own if the constant has a body.
fn enum_of(world: &World, name: &str) -> String {
    let parent = world.class(name).and_then(|class| world.classes[class].parent);
    parent
        .filter(|parent| *parent != "java/lang/Enum" && world.is_subtype(parent, "java/lang/Enum"))
        .unwrap_or(name)
        .into()
}

fn implements(world: &World, lambda: &Lambda, class: &str) -> bool {
    class == "java/lang/Object" || class == lambda.interface || world.is_subtype(&lambda.interface, class)
}

/// The method of a lambda's object: its own, a default method of its interface, or one of `Object`.
fn lambda_method(world: &World, index: usize, class: &str, name: &str, descriptor: &str) -> Option<Key> {
    let lambda = &world.functions.lambdas[index];
    if !implements(world, lambda, class) {
        return None;
    }
    if lambda.method.0 == name && lambda.method.1 == descriptor {
        return Some(Key::Lambda(index));
    }
    let inherited = world.class(&lambda.interface).and_then(|interface| world.select(interface, name, descriptor));
    let of_object = || world.select(world.class("java/lang/Object")?, name, descriptor);
    inherited.or_else(of_object).map(Key::Method)
}

/// The final tables.
fn tables(world: &mut World) -> Vec<Vec<(Arc<str>, FunctionId)>> {
    let tables = world.functions.tables().to_vec();
    let objects = objects(world);
    tables.iter().map(|table| entries(world, table, &objects)).collect()
}

/// The constant that a function gives and does nothing else.
fn constant_of(function: &Function) -> Option<Operand> {
    match &function.blocks[..] {
        [block] if block.instructions.is_empty() => match &block.terminator {
            Terminator::Return(values) => match &values[..] {
                [value @ Operand::Constant(_)] => Some(value.clone()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Puts the tables in their places. Where all objects run the same function, it is called directly, and where that only
/// gives a constant, not even that.
fn fill(function: &mut Function, tables: &[Vec<(Arc<str>, FunctionId)>], constants: &[Option<Operand>]) {
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        let InstructionKind::CallVirtual { table, arguments, targets } = &mut instruction.kind else { continue };
        let index: Option<usize> = table.first().and_then(|(index, _)| index.parse().ok());
        let Some(entries) = index.and_then(|index| tables.get(index)) else { continue };
        let function = entries[0].1;
        if !entries.iter().all(|(_, other)| *other == function) {
            *table = entries.clone();
            continue;
        }
        let (arguments, targets) = (std::mem::take(arguments), std::mem::take(targets));
        let given = constants.get(function.0 as usize).cloned().flatten();
        instruction.kind = match (&targets[..], given) {
            ([target], Some(value)) => {
                InstructionKind::Assign { target: *target, operator: Operator::Copy, operands: vec![value] }
            }
            _ => InstructionKind::Call { function, arguments, targets },
        };
    }
}

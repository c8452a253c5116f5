//! Which threads a program has, and the program that they make up.

use std::collections::{HashMap, HashSet};

use program::{
    Diagnostic, Function, FunctionId, InstructionKind, Language, Operand, Program, Thread, ThreadId, Unsupported, Value,
};

use super::lower::{Role, Site, lower, place};
use super::places::{MethodId, shown};
use super::split::split;
use super::world::World;
use super::{Options, whole};

/// The threads of a program.
pub struct Threads {
    /// The class that names the program.
    name: String,
    /// Name, code and arguments of each.
    threads: Vec<(String, Function, Vec<Value>)>,
    /// Which ends before which starts, by index.
    order: Vec<(usize, usize)>,
}

/// The threads by annotation, or else those of `main`.
pub fn threads(world: &mut World, options: &Options) -> Result<Threads, Vec<Diagnostic>> {
    let wanted = options.class.as_ref().map(|name| name.replace('.', "/"));
    let is_wanted = |class: usize| wanted.as_ref().is_none_or(|name| world.classes[class].name == name);
    let methods = |class: usize| (0..world.classes[class].methods.len()).map(move |method| (class, method));
    let all: Vec<MethodId> = (0..world.classes.len()).filter(|&class| is_wanted(class)).flat_map(methods).collect();
    let annotated: Vec<MethodId> = all.iter().copied().filter(|&id| world.method(id).thread.is_some()).collect();
    let main = all.iter().copied().find(|&id| is_main(world, id));
    match (annotated.first(), main) {
        (Some(&(class, _)), _) => {
            let name = shown(world.classes[class].name);
            annotated_threads(world, &annotated, name)
        }
        (None, Some(main)) => {
            let name = shown(world.classes[main.0].name);
            let function = lower(world, main, Role::Main, Vec::new()).map_err(|message| vec![message])?;
            let split = split(world, &function).map_err(|message| vec![message])?;
            Ok(Threads { name, threads: split.threads, order: split.order })
        }
        (None, None) => Err(vec![nothing_to_run(world, wanted)]),
    }
}

fn is_main(world: &World, id: MethodId) -> bool {
    let method = world.method(id);
    method.name == "main" && method.descriptor == "([Ljava/lang/String;)V" && method.is_static
}

fn nothing_to_run(world: &World, wanted: Option<String>) -> Diagnostic {
    let name = wanted.unwrap_or_else(|| world.classes.first().map_or("", |class| class.name).to_string());
    let message = match world.class(&name) {
        Some(_) => format!(
            "`{}` has no threads: no method is annotated `@palisade.ThreadBody`, and there is no `main`",
            shown(&name)
        ),
        None => format!("there is no class `{}`", shown(&name)),
    };
    whole(message)
}

/// The threads of the annotated methods. Each message of each of them is given.
fn annotated_threads(world: &mut World, ids: &[MethodId], name: String) -> Result<Threads, Vec<Diagnostic>> {
    let mut messages = Vec::new();
    let mut threads = Vec::new();
    let names = thread_names(world, ids);
    for (&id, name) in ids.iter().zip(&names) {
        let method = world.method(id);
        let is_plain = method.is_static && method.parameters.is_empty() && method.result.is_none();
        if !is_plain {
            messages.push(malformed_thread(world, id));
            continue;
        }
        match lower(world, id, Role::Thread, Vec::new()) {
            Ok(function) => threads.push((name.clone(), function, Vec::new())),
            Err(message) => messages.push(message),
        }
    }
    let order = match order(world, ids) {
        Ok(order) => order,
        Err(message) => {
            messages.push(message);
            Vec::new()
        }
    };
    if messages.is_empty() { Ok(Threads { name, threads, order }) } else { Err(messages) }
}

/// The method's name where it is the only one, else with its class.
fn thread_names(world: &World, ids: &[MethodId]) -> Vec<String> {
    let name = |id: &MethodId| {
        let name = world.method(*id).name;
        let is_unique = ids.iter().filter(|&&other| world.method(other).name == name).count() == 1;
        if is_unique { name.to_string() } else { world.method_name(*id) }
    };
    ids.iter().map(name).collect()
}

fn malformed_thread(world: &World, id: MethodId) -> Diagnostic {
    let site = first_site(world, id);
    let what = "a thread that is not a `static void` method without parameters";
    Unsupported::new(format!("{what}, {},", place(world, site)), Some(site.span)).into()
}

fn first_site(world: &World, id: MethodId) -> Site {
    let line = world.method(id).body.as_ref().map_or(0, |body| body.line(0));
    Site { method: id, line, span: world.places.statement(id, line) }
}

/// The order that the annotations give.
fn order(world: &World, ids: &[MethodId]) -> Result<Vec<(usize, usize)>, Diagnostic> {
    let mut order = Vec::new();
    for (later, &id) in ids.iter().enumerate() {
        for name in world.method(id).thread.iter().flatten() {
            let same_class = ids.iter().position(|&other| other.0 == id.0 && world.method(other).name == *name);
            let earlier = same_class.or_else(|| ids.iter().position(|&other| world.method(other).name == *name));
            let site = first_site(world, id);
            let Some(earlier) = earlier else {
                let message = format!("there is no thread `{name}` for {} to come after", place(world, site));
                return Err(Diagnostic::error(message, site.span));
            };
            order.push((earlier, later));
        }
    }
    // As long as some threads are left, one of them must come after none of the others.
    let mut left: HashSet<usize> = (0..ids.len()).collect();
    while !left.is_empty() {
        let is_first = |thread: &usize| !order.iter().any(|(a, b)| b == thread && left.contains(a));
        let Some(first) = left.iter().copied().find(is_first) else {
            let site = first_site(world, ids[left.iter().copied().min().unwrap_or(0)]);
            let message = format!("the order of threads goes in a circle through {}", place(world, site));
            return Err(Diagnostic::error(message, site.span));
        };
        left.remove(&first);
    }
    Ok(order)
}

impl Threads {
    /// The program of these threads, with as much of the memory as they can reach and all static fields that can change.
    pub fn into_program(self, world: &mut World) -> Program {
        let Threads { name, threads, order } = self;
        let mut program = Program {
            name,
            language: Language::Java,
            sources: world.places.sources.clone(),
            globals: std::mem::take(&mut world.memory.globals),
            functions: Vec::new(),
            threads: Vec::new(),
            setup: None,
            ends_with_main: false,
            simplified: std::mem::take(&mut world.simplified),
            thread_order: order.iter().map(|&(a, b)| (ThreadId(a as u32), ThreadId(b as u32))).collect(),
            question: None,
        };
        for (name, function, arguments) in threads {
            // Threads that run the same code share it.
            let known = program.functions.iter().position(|other| *other == function);
            let entry = FunctionId(known.unwrap_or(program.functions.len()) as u32);
            program.threads.push(Thread { name, entry, arguments });
            program.functions.extend(known.is_none().then_some(function));
        }
        let mut statics: Vec<(bool, u32)> =
            world.memory.statics().map(|(id, global)| (world.field(id).is_final, global)).collect();
        statics.sort_unstable_by_key(|&(_, global)| global);
        name_objects(&mut program, &statics);
        // Cells with negative numbers are the virtual machine's.
        program.globals.iter_mut().for_each(|global| global.cells.retain(|(path, _)| path.iter().all(|&n| n >= 0)));
        keep_reachable(&mut program, &statics);
        program::counter::drop_counters(&mut program);
        program
    }
}

/// Names each object that a static final field holds as the field.
fn name_objects(program: &mut Program, statics: &[(bool, u32)]) {
    let mut named = HashSet::new();
    for &(_, global) in statics.iter().filter(|(is_final, _)| *is_final) {
        let (name, span) = (program.globals[global as usize].name.clone(), program.globals[global as usize].span);
        if let Value::Pointer(object) = program.globals[global as usize].default.clone()
            && statics.iter().all(|&(_, other)| other != object.allocation)
            && named.insert(object.allocation)
        {
            // The field itself has no memory, so that the name is free.
            program.globals[global as usize].name = format!("{name} (field)");
            let object = &mut program.globals[object.allocation as usize];
            (object.name, object.span) = (name, span);
        }
    }
}

/// Drops the globals that nothing leads to and numbers the others anew.
fn keep_reachable(program: &mut Program, statics: &[(bool, u32)]) {
    let mut kept: HashSet<u32> = HashSet::new();
    let mut open: Vec<u32> = statics.iter().filter(|(is_final, _)| !is_final).map(|&(_, global)| global).collect();
    each_value(program, &mut |value| open.extend(allocation(value)));
    while let Some(global) = open.pop() {
        if !kept.insert(global) {
            continue;
        }
        if let Some(global) = program.globals.get(global as usize) {
            let held = global.cells.iter().map(|(_, value)| value).chain([&global.default]);
            open.extend(held.filter_map(allocation));
        }
    }
    let mut numbers = HashMap::new();
    let mut globals = Vec::new();
    for (index, global) in std::mem::take(&mut program.globals).into_iter().enumerate() {
        if kept.contains(&(index as u32)) {
            numbers.insert(index as u32, globals.len() as u32);
            globals.push(global);
        }
    }
    program.globals = globals;
    let mut renumber = |value: &mut Value| {
        if let Value::Pointer(pointer) = value {
            pointer.allocation = numbers.get(&pointer.allocation).copied().unwrap_or(pointer.allocation);
        }
    };
    for global in &mut program.globals {
        renumber(&mut global.default);
        global.cells.iter_mut().for_each(|(_, value)| renumber(value));
    }
    each_value(program, &mut renumber);
}

fn allocation(value: &Value) -> Option<u32> {
    match value {
        Value::Pointer(pointer) => Some(pointer.allocation),
        _ => None,
    }
}

/// Every constant of the code and every argument of a thread.
fn each_value(program: &mut Program, each: &mut impl FnMut(&mut Value)) {
    program.threads.iter_mut().flat_map(|thread| &mut thread.arguments).for_each(&mut *each);
    let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        use InstructionKind::*;
        let operands: Vec<&mut Operand> = match &mut instruction.kind {
            Assign { operands, .. } => operands.iter_mut().collect(),
            Load { address, .. } => vec![address],
            Store { address, value, .. } => vec![address, value],
            Lock { monitor } | Unlock { monitor } | Wait { monitor } | Notify { monitor, .. } => vec![monitor],
            Assert { condition, .. } => vec![condition],
            Observe { value, .. } => vec![value],
            _ => vec![],
        };
        for operand in operands {
            if let Operand::Constant(value) = operand {
                each(value);
            }
        }
    }
}

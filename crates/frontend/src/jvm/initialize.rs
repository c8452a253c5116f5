//! Class initialisers: run before the program begins, each class before those whose initialisers use it. Where two use each other
//! threads may wait for each other in them, so that it matters who is first: that is refused.

use cafebabe::bytecode::Opcode;
use program::Unsupported;

use super::lower::{Result, Role, lower};
use super::places::{MethodId, shown};
use super::run::to_the_end;
use super::world::World;

/// Runs the initialiser of every class; then static final fields are constants.
pub fn initialize(world: &mut World) -> Result<()> {
    let mut order = Vec::new();
    let mut seen = vec![false; world.classes.len()];
    for class in 0..world.classes.len() {
        visit(world, class, &mut seen, &mut order)?;
    }
    for class in order {
        let initializer = world.classes[class].method("<clinit>", "()V");
        if let Some(method) = initializer {
            let function = lower(world, (class, method), Role::Initializer, Vec::new())?;
            to_the_end(world, &function)?;
        }
    }
    world.initialized = true;
    Ok(())
}

/// Adds a class after those that its initialiser uses. Depth-first, with a stack of its own.
fn visit(world: &World, class: usize, seen: &mut [bool], order: &mut Vec<usize>) -> Result<()> {
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    if !std::mem::replace(&mut seen[class], true) {
        stack.push((class, used(world, class)));
    }
    while let Some((class, uses)) = stack.last_mut() {
        match uses.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, used(world, next)));
                } else if let Some(start) = stack.iter().position(|(class, _)| *class == next) {
                    refuse_circle(world, stack[start..].iter().map(|(class, _)| *class))?;
                }
            }
            None => {
                order.push(*class);
                stack.pop();
            }
        }
    }
    Ok(())
}

/// Refuses classes that use each other, if more than one of them has an initialiser.
fn refuse_circle(world: &World, classes: impl Iterator<Item = usize>) -> Result<()> {
    let initializer = |class: usize| Some((class, world.classes[class].method("<clinit>", "()V")?));
    let initialized: Vec<MethodId> = classes.filter_map(initializer).collect();
    let [first, second, ..] = initialized[..] else { return Ok(()) };
    let [name, other] = [first, second].map(|(class, _)| shown(world.classes[class].name));
    let span = world.places.statement(first, 0);
    Err(Unsupported::new(format!("initialisers of classes that use each other (`{name}`, `{other}`)"), Some(span))
        .into())
}

/// The classes that the initialiser of a class uses, and its parent.
fn used(world: &World, class: usize) -> Vec<usize> {
    let initializer = world.classes[class].method("<clinit>", "()V");
    let body = initializer.and_then(|method| world.method((class, method)).body.as_ref());
    let named = body.map_or(&[][..], |body| body.opcodes).iter().filter_map(|(_, opcode)| match opcode {
        Opcode::New(name) => Some(&**name),
        Opcode::Getstatic(member) | Opcode::Putstatic(member) | Opcode::Invokestatic(member) => {
            Some(&*member.class_name)
        }
        _ => None,
    });
    named.chain(world.classes[class].parent).filter_map(|name| world.class(name)).collect()
}

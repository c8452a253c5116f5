//! The classes of a program, what they inherit, and the numbers of their fields.

use std::collections::BTreeSet;

use program::{Diagnostic, Simplification, Unsupported, Value};
use rustc_hash::FxHashMap;

use crate::jvm::class::{Class, Field, Method};
use crate::jvm::places::{MethodId, Places, shown};

use super::functions::Functions;
use super::memory::Memory;
use super::terms::{FieldId, Initialization, Stress, named};

/// Everything that is known while methods are lowered.
pub struct World<'a> {
    pub classes: Vec<Class<'a>>,
    by_name: FxHashMap<&'a str, usize>,
    /// For each class those it extends, itself first.
    chains: Vec<Vec<usize>>,
    /// For each class all its interfaces, inherited ones too, as far as they are known.
    interfaces: Vec<Vec<usize>>,
    /// How many classes the user gave; those after them are the library's.
    pub own: usize,
    pub places: Places,
    pub memory: Memory,
    pub functions: Functions,
    /// How each class is initialised, for those that were asked for.
    pub initialization: FxHashMap<usize, Initialization>,
    /// The classes that the setup initialises, each after those it uses.
    pub setup: Vec<usize>,
    pub facts: Facts,
    /// The test of jcstress that is lowered, if it is one.
    pub stress: Option<Stress>,
    /// Whether classes come from a JDK where the library has none.
    pub has_jdk: bool,
    /// What is not modelled besides what lowering gave as its error.
    pub refused: Vec<Diagnostic>,
    /// In which ways the program gets fewer executions than Java allows.
    pub simplified: BTreeSet<Simplification>,
}

/// What the program's own classes ask for anywhere. What nobody asks for is not kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The current thread: functions get it as their last argument.
    pub current: bool,
    /// Whether threads are interrupted.
    pub interrupts: bool,
    /// The names of threads.
    pub names: bool,
    /// Whether threads are alive.
    pub alive: bool,
    /// Who holds locks of `java.util.concurrent`.
    pub owners: bool,
    /// Whether exceptions that end threads may have handlers.
    pub handlers: bool,
    /// Whether threads may be daemons: then it is counted which others have not ended.
    pub daemons: bool,
    /// The time.
    pub time: bool,
    /// Who waits at monitors: where waits end otherwise than by a notification.
    pub keeps_waiters: bool,
}

impl<'a> World<'a> {
    /// The world of these classes, of which the first `own` are the user's.
    pub fn new(classes: Vec<Class<'a>>, own: usize, places: Places, facts: Facts) -> World<'a> {
        let mut by_name = FxHashMap::default();
        for (index, class) in classes.iter().enumerate() {
            by_name.entry(class.name).or_insert(index);
        }
        let chains: Vec<Vec<usize>> = (0..classes.len()).map(|class| chain(&classes, &by_name, class)).collect();
        let interfaces = chains.iter().map(|chain| interfaces(&classes, &by_name, chain)).collect();
        World {
            memory: Memory::new(&classes, own, &places),
            classes,
            by_name,
            chains,
            interfaces,
            own,
            places,
            functions: Functions::default(),
            refused: Vec::new(),
            initialization: FxHashMap::default(),
            setup: Vec::new(),
            facts,
            has_jdk: false,
            stress: None,
            simplified: BTreeSet::new(),
        }
    }

    /// The class of that name, if it was given or the library has it.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn method(&self, (class, method): MethodId) -> &Method<'a> {
        &self.classes[class].methods[method]
    }

    /// `Class.method`.
    pub fn method_name(&self, id: MethodId) -> String {
        format!("{}.{}", shown(self.classes[id.0].name), self.method(id).name)
    }

    pub fn field(&self, (class, field): FieldId) -> &Field<'a> {
        &self.classes[class].fields[field]
    }

    /// The class and those it extends, from it upwards.
    pub fn chain(&self, class: usize) -> &[usize] {
        &self.chains[class]
    }

    /// All interfaces of a class, inherited ones too, as far as they are known.
    fn interfaces(&self, class: usize) -> &[usize] {
        &self.interfaces[class]
    }

    /// The first class, from the given one upwards and then among its interfaces, that declares the field.
    pub fn find_field(&self, class: &str, name: &str, is_static: bool) -> Option<FieldId> {
        let class = self.class(class)?;
        self.chain(class).iter().chain(self.interfaces(class)).find_map(|&class| {
            let is_it = |field: &Field| field.name == name && field.is_static == is_static;
            Some((class, self.classes[class].fields.iter().position(is_it)?))
        })
    }

    /// The method that a reference to `class.name` means: declared there, inherited, or of an interface.
    pub fn resolve(&self, class: &str, name: &str, descriptor: &str) -> Option<MethodId> {
        let class = self.class(class)?;
        let declared = |&class: &usize| Some((class, self.classes[class].method(name, descriptor)?));
        let object = self.class("java/lang/Object");
        self.chain(class).iter().chain(self.interfaces(class)).chain(&object).find_map(declared)
    }

    /// The method that a call on an object of `class` runs: the first one with code in the class and those it extends, else
    /// the most specific one of its interfaces.
    pub fn select(&self, class: usize, name: &str, descriptor: &str) -> Option<MethodId> {
        let runs = |&class: &usize| {
            let id = (class, self.classes[class].method(name, descriptor)?);
            let method = self.method(id);
            (!method.is_static && (method.body.is_some() || method.is_native)).then_some(id)
        };
        if let Some(id) = self.chain(class).iter().find_map(runs) {
            return Some(id);
        }
        let candidates: Vec<MethodId> = self.interfaces(class).iter().filter_map(runs).collect();
        let is_overridden =
            |id: &MethodId| candidates.iter().any(|other| other.0 != id.0 && self.interfaces(other.0).contains(&id.0));
        candidates.iter().copied().find(|id| !is_overridden(id))
    }

    /// Whether a value of the type `sub` is one of the type `of`. Types are binary names, arrays are descriptors.
    pub fn is_subtype(&self, sub: &str, of: &str) -> bool {
        if sub == of || of == "java/lang/Object" {
            return true;
        }
        if let Some(element) = sub.strip_prefix('[') {
            return match of.strip_prefix('[') {
                Some(wanted) => match (named(element), named(wanted)) {
                    (Some(element), Some(wanted)) => self.is_subtype(element, wanted),
                    _ => false,
                },
                None => of == "java/lang/Cloneable" || of == "java/io/Serializable",
            };
        }
        let Some(class) = self.class(sub) else { return false };
        let mut above = self.chain(class).iter().chain(self.interfaces(class));
        above.any(|&class| self.classes[class].name == of || self.classes[class].interfaces.contains(&of))
    }

    /// The instance fields of a class in the order of their cells, inherited ones first.
    pub fn instance_fields(&self, class: usize) -> Vec<FieldId> {
        let own = |class: usize| {
            let is_instance = move |&field: &usize| !self.classes[class].fields[field].is_static;
            (0..self.classes[class].fields.len()).filter(is_instance).map(move |field| (class, field))
        };
        self.chain(class).iter().rev().flat_map(|&class| own(class)).collect()
    }

    /// The cell of an instance field.
    pub fn cell(&self, id: FieldId) -> i64 {
        self.instance_fields(id.0).iter().position(|&field| field == id).unwrap_or(0) as i64
    }

    /// The initial value of all cells of an object: 0 of 64 bits if all fields have them, else of 32 bits.
    pub fn object_default(&self, class: usize) -> Value {
        let fields = self.instance_fields(class);
        let is_wide = !fields.is_empty() && fields.iter().all(|&id| self.field(id).kind.width() == 64);
        Value::int(0, if is_wide { 64 } else { 32 })
    }

    /// Refuses classes whose parents are unknown: what they inherit would be guessed.
    pub fn refuse_orphans(&self) -> Vec<Diagnostic> {
        let orphan = |class: usize| {
            let parent = self.classes[class].parent?;
            let what = format!("`{}`, which `{}` extends,", shown(parent), shown(self.classes[class].name));
            let span = (!self.classes[class].methods.is_empty()).then(|| self.places.statement((class, 0), 0));
            self.class(parent).is_none().then(|| Unsupported::new(what, span).into())
        };
        (0..self.own).filter_map(orphan).collect()
    }
}

/// The class and those it extends.
fn chain(classes: &[Class], by_name: &FxHashMap<&str, usize>, class: usize) -> Vec<usize> {
    let parent = |class: &usize| classes[*class].parent.and_then(|name| by_name.get(name).copied());
    // A class that extends itself would give a chain without end.
    std::iter::successors(Some(class), parent).take(classes.len()).collect()
}

/// The interfaces of the classes of a chain, and those that they extend.
fn interfaces(classes: &[Class], by_name: &FxHashMap<&str, usize>, chain: &[usize]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = chain.iter().rev().copied().collect();
    while let Some(class) = open.pop() {
        for name in classes[class].interfaces.iter().rev() {
            if let Some(&interface) = by_name.get(name)
                && !found.contains(&interface)
            {
                found.push(interface);
                open.push(interface);
            }
        }
    }
    found
}

//! Which classes a program needs, if classes of a JDK are at hand: those that its `main` gets to, as far as can be told
//! without running it.
//!
//! A class file mentions many classes, and the JDK's mention each other until there are thousands. So methods are followed: a
//! method is reached if one that is reached calls it, a virtual one if besides an object of a class is made that runs it
//! (rapid type analysis, Bacon and Sweeney 1996). What is found contains what lowering asks for; should it not, lowering
//! refuses the place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{BootstrapArgument, Loadable, MemberRef, ReferenceKind};

use super::border;
use super::library;
use crate::jvm::{ClassFile, ClassSource};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where class files come from: the user, our library, a JDK.
pub struct Finder<'s> {
    given: FxHashMap<String, &'s ClassFile>,
    source: &'s dyn ClassSource,
}

/// The class files that make up one class: its own, and one from which it takes what it lacks.
pub type Pieces<'s> = Vec<Cow<'s, [u8]>>;

impl<'s> Finder<'s> {
    /// Looks among the given files first.
    pub fn new(files: &'s [ClassFile], source: &'s dyn ClassSource) -> Finder<'s> {
        let name = |file: &'s ClassFile| Some((super::mentions(&file.bytes).name?, file));
        Finder { given: files.iter().filter_map(name).collect(), source }
    }

    /// The class files of a class; none if there is no such class.
    pub fn pieces(&self, name: &str) -> Pieces<'s> {
        if let Some(file) = self.given.get(name) {
            return vec![Cow::Borrowed(&file.bytes)];
        }
        let ours = library::find(name).map(Cow::Borrowed);
        match ours {
            Some(ours) if !library::gives_way(name) => {
                let theirs = library::is_extended(name).then(|| self.source.find(name)).flatten();
                std::iter::once(ours).chain(theirs.map(Cow::Owned)).collect()
            }
            ours => self.source.find(name).map(Cow::Owned).or(ours).into_iter().collect(),
        }
    }
}

/// A method: name and descriptor.
type Signature = (String, String);

/// What a method does that matters here.
enum Use {
    /// Calls a method, which is known but for inheritance.
    Call(String, Signature),
    /// Calls a method that the object's class decides.
    Virtual(String, Signature),
    /// Makes an object.
    New(String),
    /// Uses a static field.
    Static(String),
    /// Names a class that has to be known.
    Class(String),
}

/// A class, as far as it matters here.
#[derive(Default)]
struct Summary {
    /// The class it extends, then its interfaces.
    above: Vec<String>,
    methods: FxHashMap<Signature, Vec<Use>>,
    /// The methods of our own class file.
    own: Vec<Signature>,
}

/// What is reached.
pub struct Reach<'s> {
    finder: Finder<'s>,
    classes: BTreeMap<String, Summary>,
    /// Classes that have objects, by each class at or above them.
    made: FxHashMap<String, Vec<String>>,
    /// Virtual calls, by the class that they name.
    asked: FxHashMap<String, FxHashSet<Signature>>,
    /// For each class itself and those above it.
    above: FxHashMap<String, Rc<[String]>>,
    reached: FxHashSet<(String, Signature)>,
    open: Vec<(String, Signature)>,
}

/// The classes that `main` of a class gets to, by name, and the methods.
pub struct Reached<'s> {
    /// Class files of each class, by name.
    pub classes: Vec<(String, Pieces<'s>)>,
    methods: FxHashSet<(String, Signature)>,
}

impl Reached<'_> {
    /// Whether a method of that name with this descriptor is reached.
    pub fn calls_exactly(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.methods.contains(&(class.to_string(), (name.to_string(), descriptor.to_string())))
    }

    /// Whether a method of that name is reached.
    pub fn calls(&self, class: &str, name: &str) -> bool {
        self.methods.iter().any(|(holder, (method, _))| holder == class && method == name)
    }
}

/// Where executions begin.
pub struct Roots {
    /// Methods that are called, with their classes.
    pub methods: Vec<(String, (String, String))>,
    /// Classes of which objects are made.
    pub made: Vec<String>,
}

/// Follows where executions begin, and whatever lowering itself calls.
pub fn reach<'s>(finder: Finder<'s>, roots: &Roots, needed: &[&str]) -> Reached<'s> {
    let mut reach = Reach {
        finder,
        classes: BTreeMap::new(),
        made: FxHashMap::default(),
        asked: FxHashMap::default(),
        above: FxHashMap::default(),
        reached: FxHashSet::default(),
        open: Vec::new(),
    };
    for name in needed {
        reach.load(name);
        reach.reach_needed(name);
    }
    reach.virtual_call("java/lang/Thread", ("run".into(), "()V".into()));
    reach.virtual_call("java/lang/Thread", ("runHandled".into(), "()V".into()));
    roots.made.iter().for_each(|class| reach.make(class));
    for (class, method) in &roots.methods {
        reach.initialize(class);
        reach.call(class, method.clone());
    }
    while let Some((class, signature)) = reach.open.pop() {
        reach.follow(&class, &signature);
    }
    let finder = &reach.finder;
    let classes = reach.classes.keys().map(|name| (name.clone(), finder.pieces(name))).collect();
    Reached { classes, methods: reach.reached }
}

impl Reach<'_> {
    /// Makes a class known, with those above it.
    fn load(&mut self, name: &str) {
        if self.classes.contains_key(name) || name.starts_with('[') || library::is_left_out(name) {
            return;
        }
        let pieces = self.finder.pieces(name);
        if pieces.is_empty() {
            return;
        }
        let mut summary = Summary::default();
        for (number, bytes) in pieces.iter().enumerate() {
            summarize(&mut summary, bytes, number == 0);
        }
        let above = summary.above.clone();
        self.classes.insert(name.to_string(), summary);
        above.iter().for_each(|name| self.load(name));
    }

    /// The methods that lowering calls without an instruction that says so: those of boxes and builders, and the makers of
    /// exceptions.
    fn reach_needed(&mut self, name: &str) {
        let Some(summary) = self.classes.get(name) else { return };
        let makes_exception = |(_, descriptor): &&Signature| descriptor.ends_with(")Ljava/lang/Throwable;");
        let is_machine = name == "palisade/Machine";
        let called = library::BOXES_AND_BUILDERS.contains(&name);
        let methods: Vec<Signature> =
            summary.own.iter().filter(|method| called || is_machine && makes_exception(method)).cloned().collect();
        methods.into_iter().for_each(|method| self.arrive(name, method));
    }

    fn arrive(&mut self, class: &str, signature: Signature) {
        if self.reached.insert((class.to_string(), signature.clone())) {
            self.open.push((class.to_string(), signature));
        }
    }

    /// The class itself and all above it, nearest first.
    fn above(&mut self, class: &str) -> Rc<[String]> {
        if let Some(known) = self.above.get(class) {
            return known.clone();
        }
        let mut found = vec![class.to_string()];
        let mut at = 0;
        while at < found.len() {
            let above = self.classes.get(&found[at]).map(|summary| summary.above.clone()).unwrap_or_default();
            let new: Vec<String> = above.into_iter().filter(|name| !found.contains(name)).collect();
            found.extend(new);
            at += 1;
        }
        let found: Rc<[String]> = found.into();
        if self.classes.contains_key(class) {
            self.above.insert(class.to_string(), found.clone());
        }
        found
    }

    /// The classes at or above this one that have the method, nearest first.
    fn holders(&mut self, class: &str, signature: &Signature) -> Vec<String> {
        let above = self.above(class);
        let has =
            |name: &&String| self.classes.get(*name).is_some_and(|summary| summary.methods.contains_key(signature));
        above.iter().filter(has).cloned().collect()
    }

    /// A call whose method is known.
    fn call(&mut self, class: &str, signature: Signature) {
        self.load(class);
        if border::is_known(class, &signature.0) {
            // The caller does it; what it makes is told here.
            border::makes(class, &signature.0).iter().for_each(|made| self.make(made));
            return;
        }
        if let Some(holder) = self.holders(class, &signature).into_iter().next() {
            if let Some((class, name, descriptor)) = library::calls(&holder, &signature.0) {
                self.load(class);
                self.arrive(class, (name.into(), descriptor.into()));
            }
            self.arrive(&holder, signature);
        }
    }

    fn virtual_call(&mut self, class: &str, signature: Signature) {
        let class = if class.starts_with('[') { "java/lang/Object" } else { class };
        self.call(class, signature.clone());
        if let Some(name) = library::awakening(&signature.0).filter(|_| class == library::CONDITIONS) {
            self.virtual_call(class, (name.into(), "()V".into()));
        }
        if self.asked.entry(class.to_string()).or_default().insert(signature.clone()) {
            for made in self.made.get(class).cloned().unwrap_or_default() {
                self.select(&made, &signature);
            }
        }
    }

    /// What a virtual call may run on objects of a class: a default method may be the one although an abstract class declares
    /// it too.
    fn select(&mut self, made: &str, signature: &Signature) {
        for holder in self.holders(made, signature) {
            self.arrive(&holder, signature.clone());
        }
    }

    fn make(&mut self, class: &str) {
        self.load(class);
        if self.made.get(class).is_some_and(|below| below.iter().any(|made| made == class)) {
            return;
        }
        self.initialize(class);
        let object = "java/lang/Object".to_string();
        let above = self.above(class);
        let is_extra = !above.contains(&object);
        for name in above.iter().chain(is_extra.then_some(&object)) {
            self.made.entry(name.clone()).or_default().push(class.to_string());
            let mut asked: Vec<Signature> = self.asked.get(name).into_iter().flatten().cloned().collect();
            asked.sort();
            asked.iter().for_each(|signature| self.select(class, signature));
        }
    }

    fn initialize(&mut self, class: &str) {
        self.load(class);
        for class in self.above(class).iter() {
            let initializer = ("<clinit>".to_string(), "()V".to_string());
            if self.classes.get(class).is_some_and(|summary| summary.methods.contains_key(&initializer)) {
                self.arrive(class, initializer);
            }
            // The constants of an enum may be asked for by its class.
            let values = ("values".to_string(), format!("()[L{class};"));
            if self.classes.get(class).is_some_and(|summary| summary.methods.contains_key(&values)) {
                self.arrive(class, values);
            }
        }
    }

    fn follow(&mut self, class: &str, signature: &Signature) {
        let uses = self.classes.get_mut(class).and_then(|summary| summary.methods.get_mut(signature));
        let uses = uses.map(std::mem::take).unwrap_or_default();
        for each in uses {
            match each {
                Use::Call(class, signature) => {
                    self.initialize(&class);
                    self.call(&class, signature);
                }
                Use::Virtual(class, signature) => self.virtual_call(&class, signature),
                Use::New(class) => self.make(&class),
                Use::Static(class) => self.initialize(&class),
                Use::Class(class) => self.load(&class),
            }
        }
    }
}

/// Adds what a class file says to what is known of its class.
fn summarize(summary: &mut Summary, bytes: &[u8], is_first: bool) {
    let Ok(class) = crate::jvm::guarded(bytes) else { return };
    if is_first {
        summary.above = class.super_class.iter().chain(&class.interfaces).map(ToString::to_string).collect();
    }
    let bootstraps = class.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::BootstrapMethods(methods) => Some(methods.as_slice()),
        _ => None,
    });
    for method in &class.methods {
        let signature = (method.name.to_string(), method.descriptor.to_string());
        if summary.methods.contains_key(&signature) {
            continue;
        }
        let code = method.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        let opcodes = code.and_then(|code| code.bytecode.as_ref()).map_or(&[][..], |code| &code.opcodes);
        let mut uses: Vec<Use> = opcodes.iter().flat_map(|(_, opcode)| uses(opcode, bootstraps)).collect();
        let caught = code.into_iter().flat_map(|code| &code.exception_table);
        uses.extend(caught.filter_map(|entry| Some(Use::Class(entry.catch_type.as_deref()?.to_string()))));
        if is_first {
            summary.own.push(signature.clone());
        }
        summary.methods.insert(signature, uses);
    }
}

fn signature(member: &MemberRef) -> (String, Signature) {
    let (name, descriptor) = (&member.name_and_type.name, &member.name_and_type.descriptor);
    (member.class_name.to_string(), (name.to_string(), descriptor.to_string()))
}

fn uses(opcode: &Opcode, bootstraps: Option<&[cafebabe::attributes::BootstrapMethodEntry]>) -> Vec<Use> {
    use Opcode::*;
    match opcode {
        Invokestatic(member) | Invokespecial(member) => {
            let (class, signature) = signature(member);
            vec![Use::Call(class, signature)]
        }
        Invokevirtual(member) | Invokeinterface(member, _) => {
            let (class, signature) = signature(member);
            vec![Use::Virtual(class, signature)]
        }
        New(class) => vec![Use::New(class.to_string())],
        Getstatic(member) | Putstatic(member) => vec![Use::Static(member.class_name.to_string())],
        Getfield(member) | Putfield(member) => vec![Use::Class(member.class_name.to_string())],
        Ldc(Loadable::ClassInfo(class)) | LdcW(Loadable::ClassInfo(class)) => vec![Use::Class(class.to_string())],
        Invokedynamic(call) => {
            let entry = bootstraps.and_then(|entries| entries.get(usize::from(call.attr_index)));
            let descriptor = &*call.name_and_type.descriptor;
            let interface = descriptor.rsplit_once(")L").and_then(|(_, result)| result.strip_suffix(';'));
            let handles = entry.into_iter().flat_map(|entry| &entry.arguments).filter_map(|argument| match argument {
                BootstrapArgument::MethodHandle(handle) => Some(handle),
                _ => None,
            });
            let mut found: Vec<Use> = interface.map(|name| Use::New(name.to_string())).into_iter().collect();
            for handle in handles {
                let class = handle.class_name.to_string();
                let member = (handle.member_ref.name.to_string(), handle.member_ref.descriptor.to_string());
                match handle.kind {
                    ReferenceKind::NewInvokeSpecial => {
                        found.push(Use::New(class.clone()));
                        found.push(Use::Call(class, member));
                    }
                    ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface => {
                        found.push(Use::Virtual(class, member));
                    }
                    ReferenceKind::InvokeStatic | ReferenceKind::InvokeSpecial => found.push(Use::Call(class, member)),
                    _ => found.push(Use::Class(class)),
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

//! Which functions the program has: they are asked for by key, and lowered once each; virtual calls get their tables when
//! all classes are known that have objects.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use cafebabe::constant_pool::ReferenceKind;
use program::{Function, FunctionId, InstructionKind, Operand, RegisterId};
use rustc_hash::FxHashMap;

use crate::jvm::class::Kind;
use crate::jvm::places::MethodId;

use super::terms::{Site, tag};

/// What a function is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A method. Gives its result, if it has one, and the exception that it threw or 0.
    Method(MethodId),
    /// The method of a lambda's object: like a method.
    Lambda(usize),
    /// The initialiser of a class that is initialised when it is first used. Gives the exception or 0.
    Initialize(usize),
    /// Ignores its argument and gives a number.
    Constant(i64),
    /// Ignores its argument and gives the object of a class.
    ClassObject(String),
    /// Copies an array of this type. Gives the copy.
    Clone(String),
    /// Makes an array with elements of this type; the second argument is the length.
    NewArray(String),
    /// Gives the constants of an enum, what its method gives.
    Constants(MethodId),
    /// Gives the class object of the elements of arrays of this type, or null.
    Component(String),
    /// Whether its second argument, which is not null, is an instance of this type; it ignores the first.
    HasInstance(String),
    /// Fails, because nobody caught an exception of this class.
    Uncaught(String),
    /// What a started thread runs.
    Run,
    /// What runs a test of jcstress.
    Stress,
    /// What its actor of this number runs.
    Actor(usize),
    /// What runs `main`.
    Main(MethodId),
    /// Initialises classes before the program begins.
    Setup,
    /// Refuses, with so many parameters and results.
    Refused(String, usize, usize),
    /// Stands in tables that no object can use, with so many parameters and results.
    Nothing(usize, usize),
}

/// What a virtual call asks of an object's class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The method that a call of `class.name` runs.
    Method(String, String, String),
    /// Whether it is an instance of a type.
    Instance(String),
    /// Of an array: whether it may hold another object.
    MayHold,
    /// Of a class object: whether another object is an instance of its class.
    HasInstance,
    /// Whether it is an array of references.
    HoldsReferences,
    /// Its class object.
    ClassObject,
    /// The class object of its enum.
    EnumObject,
    /// Of a class object: an array with elements of its type.
    NewArray,
    /// Of a class object: that of the elements of its arrays.
    Component,
    /// Of the class object of an enum: its constants.
    Constants,
    /// A copy, if it is an array.
    Clone,
    /// The failure that nobody caught it.
    Uncaught,
}

/// A virtual call's question with its numbers of arguments and results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    pub question: Question,
    pub arguments: usize,
    pub results: usize,
}

/// A lambda or method reference: objects of a class of its own.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The class's name.
    pub name: String,
    /// The interface that it implements.
    pub interface: String,
    /// Name and descriptor of the interface's method.
    pub method: (String, String),
    /// The method's descriptor with its type arguments in place.
    pub exact: String,
    /// What its objects hold, in the order of their cells.
    pub captured: Vec<Kind>,
    /// What is called: class, name and descriptor.
    pub body: (String, String, String),
    /// How it is called.
    pub kind: ReferenceKind,
    /// Where it stands, for messages.
    pub site: Site,
}

/// Functions and tables under way.
#[derive(Default)]
pub struct Functions {
    functions: Vec<Option<Function>>,
    ids: FxHashMap<Key, FunctionId>,
    open: VecDeque<(Key, FunctionId)>,
    tables: Vec<Table>,
    /// Types that objects are made of, by the names of their allocations.
    pub made: BTreeMap<Arc<str>, String>,
    pub lambdas: Vec<Lambda>,
}

impl Functions {
    /// The function of a key.
    pub fn ask(&mut self, key: Key) -> FunctionId {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(None);
        self.ids.insert(key.clone(), id);
        self.open.push_back((key, id));
        id
    }

    /// The next function that is asked for and not there.
    pub fn next(&mut self) -> Option<(Key, FunctionId)> {
        self.open.pop_front()
    }

    /// Gives a function that was asked for.
    pub fn set(&mut self, id: FunctionId, function: Function) {
        self.functions[id.index()] = Some(function);
    }

    /// Objects of the type are made; gives the name of their allocations.
    pub fn make(&mut self, name: &str) -> Arc<str> {
        let tag = tag(name);
        self.made.entry(tag.clone()).or_insert_with(|| name.to_string());
        tag
    }

    /// A virtual call whose table is filled in the end.
    pub fn virtual_call(
        &mut self,
        question: Question,
        arguments: Vec<Operand>,
        targets: Vec<RegisterId>,
    ) -> InstructionKind {
        let table = Table { question, arguments: arguments.len(), results: targets.len() };
        let known = self.tables.iter().position(|other| *other == table);
        let index = known.unwrap_or(self.tables.len());
        if known.is_none() {
            self.tables.push(table);
        }
        let table = vec![(index.to_string().into(), FunctionId(u32::MAX))];
        InstructionKind::CallVirtual { table, arguments, targets }
    }

    /// The tables of all virtual calls so far.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// All functions, if each was given.
    pub fn finish(&mut self) -> Option<Vec<Function>> {
        std::mem::take(&mut self.functions).into_iter().collect()
    }
}

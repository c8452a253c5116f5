//! The state of a lowering: names, globals, functions, and the function that is written.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use lang_c::ast;
use lang_c::span::Node;
use program::{
    BlockId, Diagnostic, Function, FunctionId, Global, GlobalId, Operand, Pointer, RegisterId, Severity,
    Simplification, Sources, Span, Unsupported, Value,
};

use super::code::Code;
use super::own::Own;
use super::preprocess::Origins;
use super::reach::Reached;
use super::refused::Refused;
use super::types::{Records, Signature, Type};
use super::uses::Uses;
use crate::litmus::messages::Messages;

/// A stretch of the preprocessed text.
pub type Bytes = lang_c::span::Span;

/// Parameters of a function that are known: their numbers and values.
pub type Known = Vec<(usize, i64)>;

/// A result, or the one thing that is wrong.
pub type Lowered<T> = Result<T, Diagnostic>;

/// A value with its type. That of a struct is a pointer to it.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The value.
    pub operand: Operand,
    /// Its type, without qualifiers; never an array or function.
    pub of: Type,
}

impl Typed {
    /// An integer of type `int`.
    pub fn int(value: i64) -> Typed {
        Typed { operand: Operand::Constant(Value::int(value, 32)), of: Type::int() }
    }

    /// No value.
    pub fn void() -> Typed {
        Typed { operand: Operand::Constant(Value::Undefined), of: Type::void() }
    }

    /// The integer that it is, if known.
    pub fn known(&self) -> Option<program::Int> {
        match self.operand {
            Operand::Constant(Value::Int(int)) => Some(int),
            _ => None,
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Entity {
    /// A variable.
    Variable(Variable),
    /// A name of a type.
    Typedef(Type),
    /// An enumerator.
    Constant(Value, Type),
    /// A function; [`Lowering::functions`] knows it.
    Function,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its type.
    pub of: Type,
    /// Where it is.
    pub home: Home,
}

/// Where a variable is.
#[derive(Clone, Debug)]
pub enum Home {
    /// In a register.
    Register(RegisterId),
    /// In memory, at this address.
    Memory(Operand),
    /// Each thread has its own: the number of the variable among these.
    Thread(usize),
    /// Declared `extern` but, so far, defined nowhere.
    Nowhere,
}

/// What a struct, union or enum tag stands for.
pub type Tags = HashMap<String, Type>;

/// The names of one block.
#[derive(Debug, Default)]
pub struct Scope {
    /// Variables, functions, types and enumerators.
    pub names: HashMap<String, Entity>,
    /// Tags.
    pub tags: Tags,
    /// The addresses of its variables that are in memory.
    pub homes: Vec<RegisterId>,
    /// No two scopes of a function have the same.
    pub number: usize,
}

/// A label of a function.
#[derive(Debug)]
pub struct Label {
    /// Its block.
    pub block: BlockId,
    /// The scopes around it, once it was seen.
    pub scopes: Option<Vec<usize>>,
    /// Where it was first named.
    pub at: Bytes,
}

/// A `goto` out of scopes with variables that are in memory.
#[derive(Debug)]
pub struct Leaving {
    /// Where these variables end.
    pub block: BlockId,
    /// The label that it leads to.
    pub label: String,
    /// The addresses of the variables that are in memory, each with its scope.
    pub homes: Vec<(usize, RegisterId)>,
    /// The statement.
    pub span: Option<Span>,
}

/// A function that the program declares.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its type.
    pub signature: Arc<Signature>,
    /// Its number, if it has a body.
    pub id: Option<FunctionId>,
    /// The dummy global that its address points to, if that is used.
    pub address: Option<GlobalId>,
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Behind the loop or switch.
    pub behind: BlockId,
    /// The next iteration; for a switch that of the loop around it.
    pub next: Option<BlockId>,
    /// How many scopes are not left behind it, and in the next iteration.
    pub scopes: (usize, usize),
}

/// What belongs to the function that is written.
#[derive(Debug)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// What it returns.
    pub result: Type,
    /// Loops and switches, innermost last.
    pub around: Vec<Around>,
    /// The blocks of the cases to come, for each switch, innermost last.
    pub cases: Vec<VecDeque<BlockId>>,
    /// Labels by name.
    pub labels: HashMap<String, Label>,
    /// Jumps to labels that may leave scopes.
    pub leaving: Vec<Leaving>,
    /// How many scopes were opened.
    pub scopes: usize,
    /// Variables in registers that were declared without an initial value.
    pub unwritten: HashSet<RegisterId>,
    /// Names of variables whose address is taken.
    pub addressed: HashSet<String>,
    /// Says whether a wait at a condition has ended without a signal, once there is such a wait.
    pub woken: Option<RegisterId>,
    /// The block of its variable arguments.
    pub variadic: Option<RegisterId>,
    /// The length of an array of variable length that is being declared.
    pub length: Option<Operand>,
    /// The thread that runs, and the addresses of its own variables; empty if the program has none.
    pub own: Vec<Operand>,
    /// While a body is lowered: what is not modelled, and in which block; it counts if the block can be reached, which is known at the end.
    pub refusals: Option<Vec<(BlockId, Diagnostic)>>,
}

impl Frame {
    /// The frame of no function, for constants.
    pub fn outside() -> Frame {
        Frame {
            name: String::new(),
            result: Type::void(),
            around: Vec::new(),
            cases: Vec::new(),
            labels: HashMap::new(),
            leaving: Vec::new(),
            scopes: 0,
            unwritten: HashSet::new(),
            addressed: HashSet::new(),
            woken: None,
            variadic: None,
            length: None,
            own: Vec::new(),
            refusals: None,
        }
    }
}

/// A lowering under way.
pub struct Lowering<'a> {
    /// The preprocessed text.
    pub text: &'a str,
    /// Where its parts come from.
    pub origins: &'a Origins,
    /// The user's files.
    pub sources: &'a Sources,
    /// What was found wrong.
    pub messages: Messages,
    /// What to know about it to go on.
    pub refused: Refused,
    /// Structs and unions.
    pub records: Records,
    /// Names, innermost scope last; the first is that of the file.
    pub scopes: Vec<Scope>,
    /// Memory.
    pub globals: Vec<Global>,
    /// Functions by name.
    pub functions: HashMap<String, Declared>,
    /// Names of the functions with bodies, by number.
    pub bodies: Vec<String>,
    /// The functions with bodies once they are lowered, by number.
    pub lowered: Vec<Option<Function>>,
    /// How names are used.
    pub uses: Uses,
    /// Tags of packed words with the names of their fields.
    pub packed: HashMap<String, Vec<String>>,
    /// Where the parts of variables lie: by their names, those of globals after `&`.
    pub layouts: Vec<(String, program::Layout)>,
    /// The function that is written.
    pub code: Code,
    /// What belongs to it.
    pub frame: Frame,
    /// The expression or statement that is lowered.
    pub here: Option<Span>,
    /// Which memory may be accessed as different types.
    pub views: super::views::Views,
    /// Whether of the element of an array that is lowered next only the address is taken.
    pub is_address: bool,
    /// Whether places are marked where a statement could be put in.
    pub marks_places: bool,
    /// What the program can come to.
    pub reached: Reached,
    /// The types of the parameters of a function whose parameter list has only names, while it is declared.
    pub old_style: HashMap<String, Type>,
    /// Variables of which each thread has its own.
    pub own: Own,
    /// Functions that a header that is built in defines.
    pub built_in: HashSet<String>,
    /// Which parameters of functions are memory orders.
    pub orders: HashMap<String, Vec<usize>>,
    /// Functions to lower once more, with some of these known.
    pub instances: Vec<(FunctionId, String, Known)>,
    /// Whether some function waits at a condition, which ends without a signal at most once in each call.
    pub simplified: BTreeSet<Simplification>,
}

impl<'a> Lowering<'a> {
    /// A lowering that has seen nothing.
    pub fn new(text: &'a str, origins: &'a Origins, sources: &'a Sources) -> Lowering<'a> {
        Lowering {
            text,
            origins,
            sources,
            messages: Messages::default(),
            refused: Refused::default(),
            records: Records::default(),
            scopes: vec![Scope::default()],
            globals: Vec::new(),
            functions: HashMap::new(),
            bodies: Vec::new(),
            lowered: Vec::new(),
            uses: Uses::default(),
            packed: HashMap::new(),
            layouts: Vec::new(),
            code: Code::new(),
            frame: Frame::outside(),
            here: None,
            is_address: false,
            views: super::views::Views::default(),
            marks_places: false,
            reached: Reached::default(),
            old_style: HashMap::new(),
            own: Own::default(),
            built_in: HashSet::new(),
            orders: HashMap::new(),
            instances: Vec::new(),
            simplified: BTreeSet::new(),
        }
    }

    /// Where a stretch of the preprocessed text stands in the user's files. The parser's stretches may end with blanks.
    pub fn span(&self, bytes: Bytes) -> Option<Span> {
        let text = self.text.get(bytes.start..bytes.end).unwrap_or("");
        let end = bytes.start + text.trim_end().len();
        self.origins.span(bytes.start..end.max(bytes.start))
    }

    /// Whether a stretch of the text comes from a header that is built in.
    pub fn is_built_in(&self, at: Bytes) -> bool {
        self.span(at).is_some_and(|span| self.sources.is_library(span.file))
    }

    /// An error.
    pub fn error(&self, message: impl Into<String>, at: Bytes) -> Diagnostic {
        self.error_here(message, self.span(at))
    }

    /// An error at a place of the user's files.
    pub fn error_here(&self, message: impl Into<String>, span: Option<Span>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message.into(), span)
    }

    /// Something that is right but not modelled.
    pub fn unsupported(&self, what: impl Into<String>, at: Bytes) -> Diagnostic {
        Unsupported::new(what, self.span(at)).into()
    }

    /// The text of an expression on one line.
    pub fn words(&self, at: Bytes) -> String {
        let of_user = self.span(at).map(|span| self.sources.words(span)).unwrap_or_default();
        if !of_user.is_empty() {
            return of_user;
        }
        let text = self.text.get(at.start..at.end).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What a name stands for.
    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    /// The innermost scope.
    pub fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, entity: Entity) {
        self.scope().names.insert(name.to_string(), entity);
    }

    /// Adds a global, whose name is made unique.
    pub fn add_global(&mut self, mut global: Global) -> GlobalId {
        let taken = |name: &str| self.globals.iter().any(|other| other.name == name);
        if taken(&global.name) {
            let numbered = (2..).map(|number| format!("{}.{number}", global.name)).find(|name| !taken(name));
            global.name = numbered.unwrap_or_default();
        }
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// The address of a function: a pointer to a dummy global of its name.
    pub fn function_address(&mut self, name: &str) -> Option<Operand> {
        let declared = self.functions.get(name)?;
        let id = match declared.address {
            Some(id) => id,
            None => {
                let extent = Some(program::Extent::of(1, 16, program::Storage::Function));
                let global =
                    Global { name: name.to_string(), cells: Vec::new(), default: Value::Undefined, extent, span: None };
                let id = self.add_global(global);
                self.functions.get_mut(name)?.address = Some(id);
                id
            }
        };
        Some(Operand::Constant(Value::Pointer(Pointer::to(id.0))))
    }

    /// Lowers something that is not evaluated, for its type or its constant value.
    pub fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> (Lowered<T>, bool) {
        let code = std::mem::replace(&mut self.code, Code::new());
        let outside = Frame { name: self.frame.name.clone(), ..Frame::outside() };
        let frame = std::mem::replace(&mut self.frame, outside);
        let result = lower(self);
        let constant = self.code.is_empty();
        self.code = code;
        self.frame = frame;
        (result, constant)
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, expression: &Node<ast::Expression>) -> Lowered<(Value, Type)> {
        let (result, constant) = self.aside(|lowering| lowering.value(expression));
        match result? {
            Typed { operand: Operand::Constant(value), of } if constant && value != Value::Undefined => Ok((value, of)),
            _ => Err(self.error(format!("`{}` is not constant", self.words(expression.span)), expression.span)),
        }
    }

    /// The value of an integer constant expression.
    pub fn constant_integer(&mut self, expression: &Node<ast::Expression>) -> Lowered<i64> {
        match self.constant(expression)? {
            (Value::Int(int), of) => match of.as_integer() {
                Some(integer) if !integer.signed => i64::try_from(int.unsigned())
                    .map_err(|_| self.error("this number is too large here", expression.span)),
                None if of.as_float().is_some() => Err(self.error("expected an integer constant", expression.span)),
                _ => Ok(int.signed()),
            },
            _ => Err(self.error("expected an integer constant", expression.span)),
        }
    }
}

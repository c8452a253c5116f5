//! The border between the JDK's classes and the virtual machine: methods that are written in place of their calls.
//!
//! `Unsafe` and `VarHandle` are one thing here, an access of a cell with an action and a mode. The offset of a field is the
//! number of its cell, that of an array's element is its index. A `VarHandle` is an object that holds the number of a cell
//! (the address of a static field), and whether the cell is wide. Its calls say by their descriptors how many coordinates
//! there are: none for a static field, the object, or array and index.
//!
//! Modes: plain accesses are plain, opaque ones relaxed, acquire, release and volatile ones what they are called. A release
//! store comes after a fence that keeps stores in order, which machines without orders of their own need. A weak
//! compare-and-set fails without reason only in the user's own classes: those of the JDK then try again.

use cafebabe::constant_pool::MemberRef;
use program::{Access, InstructionKind, Operand, Operator, Order, Update, Value};

use crate::jvm::class::{Kind, signature};
use crate::jvm::places::shown;

use super::functions::Question;
use super::method::{Entry, Lowering, Result};
use super::terms::{volatile, zero};

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
/// The class of the same name that users know, with fewer methods.
const USERS_UNSAFE: &str = "sun/misc/Unsafe";
const FIELD: &str = "java/lang/reflect/Field";
const VAR_HANDLE: &str = "java/lang/invoke/VarHandle";
const HANDLES: &str = "java/lang/invoke/MethodHandles";
const LOOKUP: &str = "java/lang/invoke/MethodHandles$Lookup";
/// The classes that make updaters of fields, and our own class for each.
const UPDATERS: [(&str, &str); 3] = [
    ("java/util/concurrent/atomic/AtomicIntegerFieldUpdater", "palisade/IntUpdater"),
    ("java/util/concurrent/atomic/AtomicLongFieldUpdater", "palisade/LongUpdater"),
    ("java/util/concurrent/atomic/AtomicReferenceFieldUpdater", "palisade/ReferenceUpdater"),
];
/// Classes of the JDK that ask for the number of processors to know whether to spin before they park. They are told that there is
/// one: a thread that spins reads what it would have read later, and each iteration would be another state.
const SPINNING: [&str; 5] = [
    "java/util/concurrent/Exchanger",
    "java/util/concurrent/LinkedTransferQueue",
    "java/util/concurrent/Phaser",
    "java/util/concurrent/SynchronousQueue",
    "java/util/concurrent/locks/StampedLock",
];
/// The cell of a handle that holds whether what it handles is wide.
const IS_WIDE: i64 = 1;

/// Whether calls of a method are written in place here.
pub fn is_known(class: &str, name: &str) -> bool {
    match class {
        UNSAFE | USERS_UNSAFE | VAR_HANDLE => true,
        FIELD => matches!(name, "setAccessible" | "get"),
        HANDLES => matches!(name, "lookup" | "privateLookupIn" | "arrayElementVarHandle"),
        LOOKUP => matches!(name, "findVarHandle" | "findStaticVarHandle"),
        "java/lang/Class" => matches!(name, "getPrimitiveClass" | "getDeclaredField"),
        "java/lang/Runtime" => matches!(name, "getRuntime" | "availableProcessors"),
        "java/lang/Enum" => name == "valueOf",
        "java/util/EnumMap" => name == "getKeyUniverse",
        "java/util/EnumSet" => name == "getUniverse",
        "java/security/AccessController" => name == "doPrivileged",
        "java/lang/ref/Reference" => name == "reachabilityFence",
        "java/lang/reflect/Array" => name == "newInstance",
        "jdk/internal/misc/CDS" => true,
        "sun/security/action/GetPropertyAction" => name == "privilegedGetProperty",
        "java/lang/System" => name == "getSecurityManager" || name == "getProperty",
        _ => UPDATERS.iter().any(|(maker, _)| *maker == class) && name == "newUpdater",
    }
}

/// The classes of which a call that is written in place makes objects.
pub fn makes(class: &str, name: &str) -> Vec<&'static str> {
    match (class, name) {
        (UNSAFE, "getUnsafe") => vec![UNSAFE],
        (FIELD, "get") => vec![USERS_UNSAFE],
        ("java/lang/Class", "getDeclaredField") => vec![FIELD],
        (HANDLES, "arrayElementVarHandle") | (LOOKUP, _) => vec![VAR_HANDLE],
        (HANDLES, _) => vec![LOOKUP],
        _ => UPDATERS
            .iter()
            .filter(|(maker, _)| *maker == class && name == "newUpdater")
            .map(|(_, made)| *made)
            .collect(),
    }
}

/// What is done with a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Get,
    Set,
    CompareAndSet { is_weak: bool },
    CompareAndExchange,
    GetAndSet,
    GetAndApply(Operator),
}

/// How memory models see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain,
    Opaque,
    Acquire,
    Release,
    Volatile,
}

impl Mode {
    fn access(self) -> Access {
        match self {
            Mode::Plain => Access::plain(),
            Mode::Opaque => Access::ordered(Order::Relaxed),
            Mode::Acquire => Access::ordered(Order::Acquire),
            Mode::Release => Access::ordered(Order::Release),
            Mode::Volatile => volatile(),
        }
    }

    /// The mode of a read-modify-write, which is atomic also where it orders nothing.
    fn update(self) -> Access {
        if self == Mode::Plain { Access::ordered(Order::Relaxed) } else { self.access() }
    }

    /// The mode of one that fails: only the read is left.
    fn failure(self) -> Access {
        if self == Mode::Release { Access::ordered(Order::Relaxed) } else { self.update() }
    }
}

/// What the name of a `VarHandle`'s method says.
fn operation(name: &str) -> Option<(Action, Mode)> {
    const MODES: [(&str, Mode); 5] = [
        ("Plain", Mode::Plain),
        ("Opaque", Mode::Opaque),
        ("Acquire", Mode::Acquire),
        ("Release", Mode::Release),
        ("Volatile", Mode::Volatile),
    ];
    let said = MODES.iter().find_map(|(word, mode)| Some((name.strip_suffix(word)?, *mode)));
    let (action, mode) = said.map_or((name, None), |(action, mode)| (action, Some(mode)));
    let (action, usual) = match action {
        "get" => (Action::Get, Mode::Plain),
        "set" => (Action::Set, Mode::Plain),
        "compareAndSet" => (Action::CompareAndSet { is_weak: false }, Mode::Volatile),
        "weakCompareAndSet" => (Action::CompareAndSet { is_weak: true }, Mode::Volatile),
        "compareAndExchange" => (Action::CompareAndExchange, Mode::Volatile),
        "getAndSet" => (Action::GetAndSet, Mode::Volatile),
        "getAndAdd" => (Action::GetAndApply(Operator::Add), Mode::Volatile),
        "getAndBitwiseOr" => (Action::GetAndApply(Operator::Or), Mode::Volatile),
        "getAndBitwiseAnd" => (Action::GetAndApply(Operator::And), Mode::Volatile),
        "getAndBitwiseXor" => (Action::GetAndApply(Operator::Xor), Mode::Volatile),
        _ => return None,
    };
    Some((action, mode.unwrap_or(usual)))
}

/// What a method of `Unsafe` does and in which mode; its name has the type in it and says `put` for `set`.
fn unsafe_operation(name: &str) -> Option<(Action, Mode)> {
    const TYPES: [&str; 10] =
        ["Int", "Long", "Reference", "Object", "Boolean", "Byte", "Short", "Char", "Float", "Double"];
    let (start, length) = TYPES.iter().find_map(|word| Some((name.rfind(word)?, word.len())))?;
    let without = format!("{}{}", &name[..start], &name[start + length..]);
    operation(&without.strip_prefix("put").map_or(without.clone(), |rest| format!("set{rest}")))
}

fn values_of(action: &Action) -> usize {
    match action {
        Action::Get => 0,
        Action::Set | Action::GetAndSet | Action::GetAndApply(_) => 1,
        Action::CompareAndSet { .. } | Action::CompareAndExchange => 2,
    }
}

/// The fence that a method stands for.
fn fence(name: &str) -> Option<Access> {
    Some(match name {
        "fullFence" => Access::ordered(Order::SeqCst),
        "acquireFence" | "loadFence" | "loadLoadFence" => Access::ordered(Order::Acquire),
        "releaseFence" | "storeFence" => Access::ordered(Order::Release),
        "storeStoreFence" => Access::plain().tagged("SS"),
        _ => return None,
    })
}

impl<'a> Lowering<'_, 'a> {
    /// Writes the call of a method of the border in place. Whether it was one.
    pub fn border(&mut self, member: &MemberRef, has_receiver: bool) -> Result<bool> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        if !is_known(class, name) || self.world.class(class).is_some_and(|class| class < self.world.own) {
            return Ok(false);
        }
        let descriptor = &*member.name_and_type.descriptor;
        let arguments = self.arguments(member, has_receiver)?;
        match class {
            UNSAFE | USERS_UNSAFE => self.unsafe_method(name, descriptor, &arguments)?,
            FIELD => self.field_of_unsafe(name),
            VAR_HANDLE if has_receiver => self.handle_method(name, descriptor, arguments)?,
            VAR_HANDLE => self.fence_method(name)?,
            HANDLES | LOOKUP => self.lookup(name, &arguments)?,
            "java/lang/Class" if name == "getDeclaredField" => {
                let field = self.declared_field(&arguments[0], &arguments[1])?;
                self.push_constant(field, Kind::Reference);
            }
            "java/lang/Class" => {
                let Some(name) = self.text_of(&arguments[0]) else { return Err(self.refuse("a class by its name")) };
                let object = self.world.memory.class_object(&name);
                self.push_constant(object, Kind::Reference);
            }
            "java/lang/Enum" => self.enum_constant(&arguments)?,
            "java/util/EnumMap" | "java/util/EnumSet" => self.enum_constants(&arguments[0])?,
            "java/security/AccessController" => {
                self.require_object(&arguments[0])?;
                let (action, run) = ("java/security/PrivilegedAction", "()Ljava/lang/Object;");
                let question = Question::Method(action.into(), "run".into(), run.into());
                self.call_virtual(question, vec![arguments[0].clone()], Some(Kind::Reference));
            }
            // Nothing is collected before its time.
            "java/lang/ref/Reference" => {}
            "java/lang/reflect/Array" => {
                let class = arguments[0].operand.clone();
                self.require_object(&arguments[0])?;
                let array = self.ask(Question::NewArray, vec![class, arguments[1].operand.clone()]);
                self.stack.push(Entry::object(array));
            }
            "java/lang/Runtime" if name == "getRuntime" => {
                let runtime = self.world.memory.single("Runtime", class);
                self.push_constant(runtime, Kind::Reference);
            }
            "java/lang/Runtime" => {
                let spins = SPINNING.contains(&self.world.classes[self.id.0].name);
                self.push_int(if spins { 1 } else { 2 });
            }
            "jdk/internal/misc/CDS" | "sun/security/action/GetPropertyAction" | "java/lang/System" => {
                let result = signature(descriptor).and_then(|(_, result)| result);
                if let Some(kind) = result {
                    self.push_constant(Value::int(0, kind.width()), kind);
                }
            }
            _ => self.updater(class, &arguments)?,
        }
        Ok(true)
    }

    /// A field by its class and name: the one that holds `Unsafe`, or one of which the JDK asks `Unsafe` the offset.
    fn declared_field(&mut self, class: &Entry, name: &Entry) -> Result<Value> {
        let (Some(class), Some(name)) = (self.type_of(class), self.text_of(name)) else {
            return Err(self.refuse("a field by reflection"));
        };
        if (&*class, &*name) == (USERS_UNSAFE, "theUnsafe") {
            return Ok(self.world.memory.single("theUnsafe", FIELD));
        }
        if self.id.0 < self.world.own {
            return Err(self.refuse("a field by reflection"));
        }
        let field = self.world.find_field(&class, &name, false);
        let is_own = |id: &(usize, usize)| self.world.classes[id.0].name == class;
        match field.filter(is_own) {
            Some(id) => {
                let cell = self.world.cell(id);
                Ok(self.world.memory.reflect(&format!("{}.{name}", shown(&class)), FIELD, cell))
            }
            None => Err(self.refuse(format!("the field `{}.{name}` by reflection", shown(&class)))),
        }
    }

    /// The only field that may be read by reflection is the one that holds `Unsafe`.
    fn field_of_unsafe(&mut self, name: &str) {
        if name == "get" {
            let object = self.world.memory.single("Unsafe of users", USERS_UNSAFE);
            self.push_constant(object, Kind::Reference);
        }
    }

    /// The type whose class object an operand is.
    fn type_of(&self, entry: &Entry) -> Option<String> {
        match entry.operand.constant()? {
            Value::Pointer(pointer) => self.world.memory.class_type(pointer.allocation).map(str::to_string),
            _ => None,
        }
    }

    /// The text of a string constant.
    fn text_of(&self, entry: &Entry) -> Option<String> {
        match entry.operand.constant()? {
            Value::Pointer(pointer) => self.world.memory.text(pointer.allocation),
            _ => None,
        }
    }

    fn fence_method(&mut self, name: &str) -> Result<()> {
        let Some(access) = fence(name) else { return Err(self.refuse(format!("`VarHandle.{name}`"))) };
        self.emit(InstructionKind::Fence { access });
        Ok(())
    }

    fn unsafe_method(&mut self, name: &str, descriptor: &str, arguments: &[Entry]) -> Result<()> {
        let operand = |index: usize| arguments[index].operand.clone();
        if let Some((action, mode)) = unsafe_operation(name)
            && arguments.len() == 3 + values_of(&action)
        {
            self.require_object(&arguments[1])?;
            let address = self.compute(Operator::Offset, vec![operand(1), operand(2)]);
            let values = arguments[3..].iter().map(|entry| entry.operand.clone()).collect();
            return self.access_cell(address, (&action, mode), descriptor, values);
        }
        if let Some(access) = fence(name) {
            self.emit(InstructionKind::Fence { access });
            return Ok(());
        }
        match name {
            "getUnsafe" => {
                let object = self.world.memory.single("Unsafe", UNSAFE);
                self.push_constant(object, Kind::Reference);
            }
            "registerNatives" | "ensureClassInitialized" => {}
            "arrayBaseOffset" => self.push_int(0),
            "arrayIndexScale" => self.push_int(1),
            "isBigEndian" => self.push_int(0),
            "objectFieldOffset" if arguments.len() == 2 => {
                let field = arguments[1].operand.constant();
                let cell = match field {
                    Some(Value::Pointer(pointer)) => self.world.memory.reflected(pointer.allocation),
                    _ => None,
                };
                let Some(cell) = cell else { return Err(self.refuse("the offset of a field that is not known")) };
                self.push_constant(Value::int(cell, 64), Kind::Long);
            }
            "objectFieldOffset" if arguments.len() == 3 => {
                let cell = self.field_cell(&arguments[1], &arguments[2])?;
                self.push_constant(Value::int(cell, 64), Kind::Long);
            }
            "park" | "unpark" => {
                let (method, descriptor) = match name {
                    "park" => ("park", "()V"),
                    _ => ("unpark", "(Ljava/lang/Thread;)V"),
                };
                let is_timed = name == "park" && arguments[2].operand.constant() != Some(&Value::int(0, 64));
                if is_timed {
                    return Err(self.refuse("`Unsafe.park` with a limit of time"));
                }
                let id = self.world.resolve("java/util/concurrent/locks/LockSupport", method, descriptor);
                let Some(id) = id else { return Err(self.refuse("`Unsafe.park`")) };
                let given = if name == "park" { Vec::new() } else { vec![arguments[1].clone()] };
                self.call_method(id, given)?;
            }
            _ => return Err(self.refuse(format!("`Unsafe.{name}`"))),
        }
        Ok(())
    }

    /// The cell of a field that is named by constants.
    fn field_cell(&mut self, class: &Entry, name: &Entry) -> Result<i64> {
        let (Some(class), Some(name)) = (self.type_of(class), self.text_of(name)) else {
            return Err(self.refuse("the offset of a field that is not named by constants"));
        };
        match self.world.find_field(&class, &name, false) {
            Some(id) => Ok(self.world.cell(id)),
            None => Err(self.refuse(format!("the offset of `{}.{name}`", shown(&class)))),
        }
    }

    fn lookup(&mut self, name: &str, arguments: &[Entry]) -> Result<()> {
        match name {
            "lookup" | "privateLookupIn" => {
                let object = self.world.memory.single("lookup", LOOKUP);
                self.push_constant(object, Kind::Reference);
                return Ok(());
            }
            "arrayElementVarHandle" => return self.handle(zero(), false),
            _ => {}
        }
        let is_static = name == "findStaticVarHandle";
        let (Some(class), Some(name)) = (self.type_of(&arguments[1]), self.text_of(&arguments[2])) else {
            return Err(self.refuse("a handle of a field that is not named by constants"));
        };
        let Some(id) = self.world.find_field(&class, &name, is_static) else {
            return Err(self.refuse(format!("a handle of `{}.{name}`", shown(&class))));
        };
        let is_wide = self.world.field(id).kind.width() == 64;
        let place = match is_static {
            true => {
                self.initialize(id.0)?;
                self.world.memory.static_field(id)
            }
            false => Value::int(self.world.cell(id), 32),
        };
        self.handle(Operand::Constant(place), is_wide)
    }

    /// Pushes a new handle.
    fn handle(&mut self, place: Operand, is_wide: bool) -> Result<()> {
        let handle = self.allocate(VAR_HANDLE, Value::int(0, 32));
        for (cell, value) in [(0, place), (IS_WIDE, Operand::Constant(Value::int(is_wide.into(), 32)))] {
            let address = self.cell_address(&handle, cell);
            self.store(address, value, Access::plain().tagged("final"));
        }
        self.emit(InstructionKind::Freeze { address: handle.clone() });
        self.stack.push(Entry::object(handle));
        Ok(())
    }

    fn cell_address(&mut self, object: &Operand, cell: i64) -> Operand {
        self.compute(Operator::Offset, vec![object.clone(), Operand::Constant(Value::int(cell, 32))])
    }

    fn handle_method(&mut self, name: &str, descriptor: &str, arguments: Vec<Entry>) -> Result<()> {
        let Some((action, mode)) = operation(name) else {
            return Err(self.refuse(format!("`VarHandle.{name}`")));
        };
        let [handle, rest @ ..] = &arguments[..] else { return Err(self.malformed("a handle is missing")) };
        let Some(coordinates) = rest.len().checked_sub(values_of(&action)) else {
            return Err(self.malformed("a handle is used with too few values"));
        };
        self.require_object(handle)?;
        let (coordinates, values) = rest.split_at(coordinates);
        let address = self.handled(handle, coordinates)?;
        let mut given = Vec::new();
        for value in values {
            given.push(self.fitted(handle, value));
        }
        self.access_cell(address, (&action, mode), descriptor, given)
    }

    /// The address that a handle and its coordinates mean.
    fn handled(&mut self, handle: &Entry, coordinates: &[Entry]) -> Result<Operand> {
        let place = |lowering: &mut Self| {
            let address = lowering.cell_address(&handle.operand, 0);
            lowering.load(address, Access::plain().tagged("final"))
        };
        match coordinates {
            [] => Ok(place(self)),
            [object] => {
                self.require_object(object)?;
                let cell = place(self);
                Ok(self.compute(Operator::Offset, vec![object.operand.clone(), cell]))
            }
            [array, index] => {
                self.stack.extend([array.clone(), index.clone()]);
                self.element().map(|(_, address)| address)
            }
            _ => Err(self.refuse("a handle with more than two coordinates")),
        }
    }

    /// A value as wide as what the handle handles: an `int` may be given for a `long`.
    fn fitted(&mut self, handle: &Entry, value: &Entry) -> Operand {
        if value.kind != Kind::Int {
            return value.operand.clone();
        }
        let address = self.cell_address(&handle.operand, IS_WIDE);
        let is_wide = self.load(address, Access::plain().tagged("final"));
        let wide = self.compute(Operator::Resize { width: 64, signed: true }, vec![value.operand.clone()]);
        self.compute(Operator::Select, vec![is_wide, wide, value.operand.clone()])
    }

    /// Accesses a cell; pushes what the descriptor says.
    fn access_cell(
        &mut self,
        address: Operand,
        (action, mode): (&Action, Mode),
        descriptor: &str,
        values: Vec<Operand>,
    ) -> Result<()> {
        let Some((_, result)) = signature(descriptor) else {
            return Err(self.malformed("an access has no descriptor"));
        };
        let given = match action {
            Action::Get => self.load(address, mode.access()),
            Action::Set => {
                if mode == Mode::Release {
                    self.emit(InstructionKind::Fence { access: Access::plain().tagged("SS") });
                }
                self.store(address, values[0].clone(), mode.access());
                return Ok(());
            }
            _ => self.update_cell(address, (action, mode), values),
        };
        let Some(kind) = result else { return Ok(()) };
        let is_truth = matches!(action, Action::CompareAndSet { .. });
        let given = match kind.width() {
            64 if !is_truth => self.compute(Operator::Resize { width: 64, signed: true }, vec![given]),
            _ => given,
        };
        self.push(given, kind);
        Ok(())
    }

    fn update_cell(&mut self, address: Operand, (action, mode): (&Action, Mode), values: Vec<Operand>) -> Operand {
        let (target, success) = (self.code.temporary(), self.code.temporary());
        let is_own = self.id.0 < self.world.own;
        let compare = |weak: bool| Update::CompareExchange {
            expected: values[0].clone(),
            desired: values[1].clone(),
            success,
            weak: weak && is_own,
            failure: mode.failure(),
        };
        let update = match action {
            Action::CompareAndSet { is_weak } => compare(*is_weak),
            Action::CompareAndExchange => compare(false),
            Action::GetAndApply(operator) => Update::Apply(operator.clone(), values[0].clone()),
            _ => Update::Exchange(values[0].clone()),
        };
        self.emit(InstructionKind::ReadModifyWrite { target, address, update, access: mode.update() });
        let is_truth = matches!(action, Action::CompareAndSet { .. });
        Operand::Register(if is_truth { success } else { target })
    }

    /// `Enum.valueOf` of a class that is a constant: its constants are searched.
    fn enum_constant(&mut self, arguments: &[Entry]) -> Result<()> {
        let Some(class) = self.type_of(&arguments[0]) else {
            return Err(self.refuse("`Enum.valueOf` of a class that is not a constant"));
        };
        let values = self.world.resolve(&class, "values", &format!("()[L{class};"));
        let find = "([Ljava/lang/Enum;Ljava/lang/String;)Ljava/lang/Object;";
        let find = self.world.resolve("palisade/Machine", "constant", find);
        let (Some(values), Some(find)) = (values, find) else {
            return Err(self.refuse(format!("`Enum.valueOf` of `{}`", shown(&class))));
        };
        self.initialize(values.0)?;
        self.call_method(values, Vec::new())?;
        let constants = self.pop()?;
        self.call_method(find, vec![constants, arguments[1].clone()])
    }

    /// All constants of an enum, given its class.
    fn enum_constants(&mut self, class: &Entry) -> Result<()> {
        self.require_object(class)?;
        let arguments = std::iter::once(class.operand.clone()).chain(self.current.clone()).collect();
        let constants = self.ask(Question::Constants, arguments);
        self.stack.push(Entry::object(constants));
        Ok(())
    }

    /// Pushes an updater of a field; the arguments are the class, for references the field's class, and the name.
    fn updater(&mut self, class: &str, arguments: &[Entry]) -> Result<()> {
        let made = UPDATERS.iter().find(|(maker, _)| *maker == class).map_or("", |(_, made)| *made);
        let (Some(holder), Some(name)) = (arguments.first(), arguments.last()) else {
            return Err(self.malformed("an updater without a field"));
        };
        let cell = self.field_cell(holder, name)?;
        self.new_object(made)?;
        let object = self.pop()?;
        let Some(constructor) = self.world.resolve(made, "<init>", "(J)V") else {
            return Err(self.refuse("an updater of a field"));
        };
        let cell = Entry::constant(Value::int(cell, 64), Kind::Long);
        self.call_method(constructor, vec![object.clone(), cell])?;
        self.stack.push(object);
        Ok(())
    }

    /// Waits until the first field of an object is in a range, and adds to it.
    pub(super) fn await_range(&mut self, arguments: &[Entry], interrupt: Option<&Entry>) -> Result<()> {
        let operand = |index: usize| arguments[index].operand.clone();
        self.require_object(&arguments[0])?;
        let address = self.compute(Operator::Offset, vec![operand(0), zero()]);
        // Of an interrupt and what is waited for either may be noticed first.
        let prefers = interrupt.map(|_| {
            let target = self.code.temporary();
            self.emit(InstructionKind::Choose { target, low: 0, high: 1, width: 32 });
            Operand::Register(target)
        });
        self.emit(InstructionKind::AtomicBegin);
        let now = self.load(address.clone(), volatile());
        let above = self.compute(Operator::LeSigned, vec![operand(1), now.clone()]);
        let below = self.compute(Operator::LeSigned, vec![now.clone(), operand(2)]);
        let in_range = self.compute(Operator::And, vec![above, below]);
        let adds = arguments[3].operand.constant().and_then(Value::truth) != Some(false);
        match (interrupt, prefers) {
            (Some(thread), Some(prefers)) => {
                let Some(field) = self.world.find_field("java/lang/Thread", "interrupted", false) else {
                    return Err(self.malformed("the library has no such field"));
                };
                let flag = self.field_address(thread.operand.clone(), field);
                let flag = self.load(flag, volatile());
                let either = self.compute(Operator::Or, vec![in_range.clone(), flag.clone()]);
                self.emit(InstructionKind::Await { condition: either });
                let gives_up = self.compute(Operator::And, vec![flag, prefers]);
                let stays = self.compute(Operator::Eq, vec![gives_up, zero()]);
                let taken = self.compute(Operator::And, vec![in_range, stays]);
                let (take, next) = (self.fresh(), self.fresh());
                self.branch(taken.clone(), take, next);
                self.code.write_in(take);
                if adds {
                    let sum = self.compute(Operator::Add, vec![now, operand(3)]);
                    self.store(address, sum, volatile());
                }
                self.jump(next);
                self.emit(InstructionKind::AtomicEnd);
                self.push(taken, Kind::Int);
            }
            _ => {
                self.emit(InstructionKind::Await { condition: in_range });
                if adds {
                    let sum = self.compute(Operator::Add, vec![now, operand(3)]);
                    self.store(address, sum, volatile());
                }
                self.emit(InstructionKind::AtomicEnd);
            }
        }
        Ok(())
    }

    /// Waits until a thread has a permit or is interrupted, and takes the permit.
    pub(super) fn await_permit(&mut self, thread: &Entry) -> Result<()> {
        let field = |lowering: &Self, name: &str| lowering.world.find_field("java/lang/Thread", name, false);
        let (Some(permit), Some(interrupted)) = (field(self, "permit"), field(self, "interrupted")) else {
            return Err(self.malformed("the library has no such field"));
        };
        let address = self.field_address(thread.operand.clone(), permit);
        let flag = self.field_address(thread.operand.clone(), interrupted);
        self.emit(InstructionKind::AtomicBegin);
        let mut condition = self.load(address.clone(), volatile());
        if self.world.facts.interrupts {
            let flag = self.load(flag, volatile());
            condition = self.compute(Operator::Or, vec![condition, flag]);
        }
        self.emit(InstructionKind::Await { condition });
        self.store(address, zero(), volatile());
        self.emit(InstructionKind::AtomicEnd);
        Ok(())
    }
}

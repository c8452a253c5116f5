//! Tests of JUnit 4 and 5 (and of TestNG, as far as it has the same): which methods of a class are tests, and a class with the
//! `main` that runs one of them, so that to the rest of the system it is a program like any other.
//!
//! A test runs as JUnit runs it: what is to run before all and before each, a new object, the test, what is to run after each and
//! after all. An exception that leaves any of them is a failure, so what JUnit would still run then is left out. Limits of time are
//! not kept to, and a repeated test runs once. Only the names of annotations count.

use std::collections::HashSet;

use cafebabe::attributes::{Annotation, AnnotationElementValue, AttributeData, AttributeInfo};
use cafebabe::descriptors::FieldType;
use cafebabe::{ClassAccessFlags, MethodAccessFlags};
use program::Diagnostic;

use super::assemble::{Assembler, INVOKE_SPECIAL, INVOKE_STATIC, INVOKE_VIRTUAL};
use super::places::shown;
use super::{ClassFile, guarded_without_code, whole};

/// The class that runs a test.
pub const DRIVER: &str = "palisade/JUnit";

/// What a method is to JUnit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Test,
    /// A test that is called with something, or makes other tests.
    Computed,
    BeforeAll,
    Before,
    After,
    AfterAll,
    Off,
}

/// The annotations that give methods their roles.
const ROLES: &[(&str, Role)] = &[
    ("org/junit/Test", Role::Test),
    ("org/junit/jupiter/api/Test", Role::Test),
    ("org/junit/jupiter/api/RepeatedTest", Role::Test),
    ("org/testng/annotations/Test", Role::Test),
    ("org/junit/jupiter/params/ParameterizedTest", Role::Computed),
    ("org/junit/jupiter/api/TestFactory", Role::Computed),
    ("org/junit/jupiter/api/TestTemplate", Role::Computed),
    ("org/junit/BeforeClass", Role::BeforeAll),
    ("org/junit/jupiter/api/BeforeAll", Role::BeforeAll),
    ("org/testng/annotations/BeforeClass", Role::BeforeAll),
    ("org/junit/Before", Role::Before),
    ("org/junit/jupiter/api/BeforeEach", Role::Before),
    ("org/testng/annotations/BeforeMethod", Role::Before),
    ("org/junit/After", Role::After),
    ("org/junit/jupiter/api/AfterEach", Role::After),
    ("org/testng/annotations/AfterMethod", Role::After),
    ("org/junit/AfterClass", Role::AfterAll),
    ("org/junit/jupiter/api/AfterAll", Role::AfterAll),
    ("org/testng/annotations/AfterClass", Role::AfterAll),
    ("org/junit/Ignore", Role::Off),
    ("org/junit/jupiter/api/Disabled", Role::Off),
];

/// A method of a class that JUnit looks at.
struct Method {
    /// The class that declares it.
    holder: String,
    name: String,
    descriptor: String,
    is_static: bool,
    is_private: bool,
    roles: Vec<Role>,
    /// The exception that is expected of it.
    expected: Option<String>,
}

impl Method {
    fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    fn is_test(&self) -> bool {
        (self.has(Role::Test) || self.has(Role::Computed)) && !self.has(Role::Off)
    }
}

/// A class with what it inherits.
struct TestClass {
    name: String,
    is_abstract: bool,
    is_off: bool,
    /// Its methods and those that it inherits, its own first.
    methods: Vec<Method>,
    constructors: Vec<String>,
}

/// Where class files come from, by binary name.
type Find<'f> = &'f dyn Fn(&str) -> Option<Vec<u8>>;

/// The names of the tests of a class, in order of declaration; those that it inherits come last.
pub fn tests(name: &str, find: Find) -> Vec<String> {
    let Some(class) = test_class(name, find) else { return Vec::new() };
    let tests = class.methods.iter().filter(|method| method.is_test() && !class.is_abstract && !class.is_off);
    tests.map(|method| method.name.clone()).collect()
}

/// The class whose `main` runs a test of a class.
pub fn driver(class: &str, test: &str, find: Find) -> Result<ClassFile, Diagnostic> {
    let place = format!("{}.{test}", shown(class));
    let not_modelled = |what: &str| whole(format!("{what} ({place}) is not supported"));
    let classes = nest(class, find).ok_or_else(|| whole(format!("there is no class `{}`", shown(class))))?;
    let Some(method) = classes.last().and_then(|class| class.methods.iter().find(|method| method.name == test)) else {
        return Err(whole(format!("there is no test `{place}`")));
    };
    if method.has(Role::Computed) || method.descriptor != "()V" {
        return Err(not_modelled("a test with parameters, or one that makes others"));
    }
    let mut code = Assembler::new(DRIVER);
    let all = |role: Role| classes.iter().flat_map(move |class| superclass_first(class, role));
    for before in all(Role::BeforeAll).filter(|method| method.is_static) {
        call(&mut code, before, None).ok_or_else(|| not_modelled("a method with parameters"))?;
    }
    for (number, class) in classes.iter().enumerate() {
        make(&mut code, class, number).ok_or_else(|| not_modelled("a test whose constructor takes something"))?;
    }
    let own = |role: Role| {
        let each = classes.iter().enumerate();
        each.flat_map(move |(number, class)| superclass_first(class, role).map(move |method| (method, number)))
    };
    let befores = own(Role::BeforeAll).filter(|(method, _)| !method.is_static).chain(own(Role::Before));
    for (before, number) in befores {
        call(&mut code, before, Some(number)).ok_or_else(|| not_modelled("a method with parameters"))?;
    }
    let receiver = Some(classes.len() - 1);
    match &method.expected {
        Some(exception) => expect(&mut code, method, receiver, exception),
        None => call(&mut code, method, receiver).unwrap_or_default(),
    }
    let mut afters: Vec<_> =
        own(Role::After).chain(own(Role::AfterAll).filter(|(method, _)| !method.is_static)).collect();
    afters.reverse();
    for (after, number) in afters {
        call(&mut code, after, Some(number)).ok_or_else(|| not_modelled("a method with parameters"))?;
    }
    for after in all(Role::AfterAll).filter(|method| method.is_static) {
        call(&mut code, after, None).ok_or_else(|| not_modelled("a method with parameters"))?;
    }
    Ok(ClassFile { name: place, bytes: code.class_with_main(), source: None })
}

/// The methods of a role, those of superclasses first.
fn superclass_first(class: &TestClass, role: Role) -> impl Iterator<Item = &Method> {
    class.methods.iter().rev().filter(move |method| method.has(role))
}

/// Calls a method that takes nothing, on the object in a local variable.
fn call(code: &mut Assembler, method: &Method, receiver: Option<usize>) -> Option<()> {
    if method.descriptor != "()V" {
        return None;
    }
    let receiver = receiver.filter(|_| !method.is_static);
    receiver.into_iter().for_each(|number| code.load(number));
    let opcode = match (method.is_static, method.is_private) {
        (true, _) => INVOKE_STATIC,
        (false, true) => INVOKE_SPECIAL,
        (false, false) => INVOKE_VIRTUAL,
    };
    code.invoke(opcode, (&method.holder, &method.name, &method.descriptor));
    Some(())
}

/// Makes an object of a class in the local variable of this number; one of an inner class in the object before.
fn make(code: &mut Assembler, class: &TestClass, number: usize) -> Option<()> {
    let outer = outer(&class.name).map(|outer| format!("(L{outer};)V"));
    let has = |descriptor: &str| class.constructors.iter().any(|own| own == descriptor);
    code.make(&class.name);
    match outer.filter(|descriptor| number > 0 && has(descriptor)) {
        Some(descriptor) => {
            code.load(number - 1);
            code.invoke(INVOKE_SPECIAL, (&class.name, "<init>", &descriptor));
        }
        None if has("()V") => code.invoke(INVOKE_SPECIAL, (&class.name, "<init>", "()V")),
        None => return None,
    }
    code.store(number);
    Some(())
}

/// Calls a test that has to throw an exception.
fn expect(code: &mut Assembler, test: &Method, receiver: Option<usize>, exception: &str) {
    let start = code.here();
    call(code, test, receiver).unwrap_or_default();
    let end = code.here();
    code.make("java/lang/AssertionError");
    code.text(&format!("Expected exception: {}", shown(exception)));
    code.invoke(INVOKE_SPECIAL, ("java/lang/AssertionError", "<init>", "(Ljava/lang/Object;)V"));
    code.throw();
    code.catch((start, end), exception);
}

/// The class around an inner class, by its name.
fn outer(name: &str) -> Option<&str> {
    Some(name.rsplit_once('$')?.0)
}

/// A class, behind the classes of whose objects its own are part: those around inner classes.
fn nest(name: &str, find: Find) -> Option<Vec<TestClass>> {
    let class = test_class(name, find)?;
    let outer = outer(name).filter(|outer| class.constructors.contains(&format!("(L{outer};)V")));
    let mut around = outer.and_then(|outer| nest(outer, find)).unwrap_or_default();
    around.push(class);
    Some(around)
}

fn test_class(name: &str, find: Find) -> Option<TestClass> {
    let mut found = TestClass {
        name: name.into(),
        is_abstract: false,
        is_off: false,
        methods: Vec::new(),
        constructors: Vec::new(),
    };
    let (mut seen, mut at) = (HashSet::new(), Some(name.to_string()));
    while let Some(name) = at.filter(|name| seen.insert(name.clone())) {
        let Some(bytes) = find(&name) else { break };
        let class = guarded_without_code(&bytes).ok()?;
        if seen.len() == 1 {
            found.is_abstract = class.access_flags.contains(ClassAccessFlags::ABSTRACT);
            found.is_off = class.attributes.iter().flat_map(annotations).any(|mark| role(mark) == Some(Role::Off));
            let constructors = class.methods.iter().filter(|method| method.name == "<init>");
            found.constructors = constructors.map(|method| method.descriptor.to_string()).collect();
        }
        for method in class.methods.iter().map(|method| of(&class, method)) {
            let is_overridden = |known: &Method| (&known.name, &known.descriptor) == (&method.name, &method.descriptor);
            if !found.methods.iter().any(is_overridden) {
                found.methods.push(method);
            }
        }
        at = class.super_class.as_ref().map(ToString::to_string);
    }
    (!seen.is_empty() && !found.constructors.is_empty()).then_some(found)
}

fn of(class: &cafebabe::ClassFile, method: &cafebabe::MethodInfo) -> Method {
    let marks = || method.attributes.iter().flat_map(annotations);
    Method {
        holder: class.this_class.to_string(),
        name: method.name.to_string(),
        descriptor: method.descriptor.to_string(),
        is_static: method.access_flags.contains(MethodAccessFlags::STATIC),
        is_private: method.access_flags.contains(MethodAccessFlags::PRIVATE),
        roles: marks().filter_map(role).collect(),
        expected: marks().filter(|mark| role(mark) == Some(Role::Test)).find_map(expected),
    }
}

fn annotations<'s, 'a>(attribute: &'s AttributeInfo<'a>) -> &'s [Annotation<'a>] {
    match &attribute.data {
        AttributeData::RuntimeInvisibleAnnotations(list) | AttributeData::RuntimeVisibleAnnotations(list) => list,
        _ => &[],
    }
}

fn role(annotation: &Annotation) -> Option<Role> {
    let FieldType::Object(class) = &annotation.type_descriptor.field_type else { return None };
    ROLES.iter().find(|(name, _)| **class == **name).map(|(_, role)| *role)
}

/// The exception that an annotation of JUnit 4 expects.
fn expected(annotation: &Annotation) -> Option<String> {
    let element = annotation.elements.iter().find(|element| element.name == "expected")?;
    match &element.value {
        AnnotationElementValue::ClassLiteral { class_name } => {
            Some(class_name.trim_start_matches('L').trim_end_matches(';').to_string())
        }
        _ => None,
    }
}

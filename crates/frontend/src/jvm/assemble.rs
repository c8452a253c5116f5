//! Class files that are made here: one class with one method `main`, as far as it calls methods one after the other
//! (JVM specification, chapters 4 and 6).

/// Calls a method of the object's class.
pub const INVOKE_VIRTUAL: u8 = 182;
/// Calls a constructor or a private method.
pub const INVOKE_SPECIAL: u8 = 183;
/// Calls a static method.
pub const INVOKE_STATIC: u8 = 184;

const ASTORE: u8 = 58;
const ALOAD: u8 = 25;
const LDC_W: u8 = 19;
const POP: u8 = 87;
const DUP: u8 = 89;
const RETURN: u8 = 177;
const NEW: u8 = 187;
const ATHROW: u8 = 191;

/// Enough for what is written here: an object that is made, itself again, and an argument.
const DEEPEST_STACK: u16 = 3;

/// A class that is written.
pub struct Assembler {
    name: String,
    /// The constant pool, entry by entry.
    pool: Vec<Vec<u8>>,
    code: Vec<u8>,
    /// From, to, handler and class of each exception that is caught.
    handlers: Vec<[u16; 4]>,
    locals: u16,
}

impl Assembler {
    /// A class of this binary name, whose `main` does nothing yet. Local variables are numbered from 0.
    pub fn new(name: &str) -> Assembler {
        Assembler { name: name.into(), pool: Vec::new(), code: Vec::new(), handlers: Vec::new(), locals: 1 }
    }

    /// The index of an entry of the constant pool.
    fn constant(&mut self, entry: Vec<u8>) -> u16 {
        let known = self.pool.iter().position(|own| *own == entry);
        let index = known.unwrap_or_else(|| {
            self.pool.push(entry);
            self.pool.len() - 1
        });
        index as u16 + 1
    }

    fn utf8(&mut self, text: &str) -> u16 {
        self.constant([&[1], &(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat())
    }

    /// An entry that consists of indexes of others.
    fn pair(&mut self, tag: u8, indexes: &[u16]) -> u16 {
        let indexes = indexes.iter().flat_map(|index| index.to_be_bytes());
        self.constant(std::iter::once(tag).chain(indexes).collect())
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.pair(7, &[name])
    }

    fn emit(&mut self, opcode: u8, operand: u16) {
        self.code.push(opcode);
        self.code.extend(operand.to_be_bytes());
    }

    /// Where the next instruction stands.
    pub fn here(&self) -> u16 {
        self.code.len() as u16
    }

    /// Puts the object of a local variable on the stack.
    pub fn load(&mut self, local: usize) {
        self.code.extend([ALOAD, local as u8 + 1]);
    }

    /// Keeps the object on the stack in a local variable.
    pub fn store(&mut self, local: usize) {
        self.code.extend([ASTORE, local as u8 + 1]);
        self.locals = self.locals.max(local as u16 + 2);
    }

    /// Makes an object and leaves it twice, once for its constructor.
    pub fn make(&mut self, class: &str) {
        let class = self.class(class);
        self.emit(NEW, class);
        self.code.push(DUP);
    }

    /// Puts a string on the stack.
    pub fn text(&mut self, text: &str) {
        let text = self.utf8(text);
        let text = self.pair(8, &[text]);
        self.emit(LDC_W, text);
    }

    /// Calls a method: class, name and descriptor.
    pub fn invoke(&mut self, opcode: u8, (class, name, descriptor): (&str, &str, &str)) {
        let class = self.class(class);
        let [name, descriptor] = [name, descriptor].map(|text| self.utf8(text));
        let both = self.pair(12, &[name, descriptor]);
        let method = self.pair(10, &[class, both]);
        self.emit(opcode, method);
    }

    /// Throws what is on the stack.
    pub fn throw(&mut self) {
        self.code.push(ATHROW);
    }

    /// Goes on here if the instructions between two places throw an exception of a class.
    pub fn catch(&mut self, (from, to): (u16, u16), class: &str) {
        let class = self.class(class);
        self.handlers.push([from, to, self.here(), class]);
        self.code.push(POP);
    }

    /// The class file, with the method `main`.
    pub fn class_with_main(mut self) -> Vec<u8> {
        self.code.push(RETURN);
        let [own, parent] = [self.name.clone(), "java/lang/Object".into()].map(|name| self.class(&name));
        let [main, descriptor, code] = ["main", "([Ljava/lang/String;)V", "Code"].map(|text| self.utf8(text));
        let mut body = [DEEPEST_STACK, self.locals].map(u16::to_be_bytes).concat();
        body.extend((self.code.len() as u32).to_be_bytes());
        body.extend(&self.code);
        body.extend((self.handlers.len() as u16).to_be_bytes());
        body.extend(self.handlers.iter().flatten().flat_map(|part| part.to_be_bytes()));
        body.extend([0, 0]);
        let mut class = 0xcafe_babe_u32.to_be_bytes().to_vec();
        // Version 49, the last without stack maps.
        let head = [0, 49, self.pool.len() as u16 + 1];
        class.extend(head.map(u16::to_be_bytes).concat());
        class.extend(self.pool.concat());
        // public, its name, no interfaces and fields; one method, public and static, with its code; no attributes.
        let rest = [0x21, own, parent, 0, 0, 1, 0x9, main, descriptor, 1, code];
        class.extend(rest.map(u16::to_be_bytes).concat());
        class.extend((body.len() as u32).to_be_bytes());
        class.extend(body);
        class.extend([0, 0]);
        class
    }
}

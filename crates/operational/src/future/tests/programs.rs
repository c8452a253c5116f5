//! Random programs in which it is hard to say who accesses what.
//!
//! Objects of the classes `A`, `B` and `C` have a pointer to a number at `[1]`, a number at `[2]` and another object at `[3]`. Every
//! function has an object and a pointer to a number in its registers `o` and `n`, which it takes from its caller, from
//! cells, arrays and other objects, and passes on. Methods are called, directly or by the class of an object; tasks are started.

use testing::random::Random;

/// How many methods there are, and how many tasks besides the threads of the program.
const METHODS: usize = 3;
const TASKS: usize = 2;

const GLOBALS: &str = "global x = 0:i32\nglobal y = 0:i32\nglobal hidden = 0:i32\nglobal m = 0:i32\nglobal list = 0:i32\nglobal deep = 0:i32\n\
    global A = 0:i32 { [1] = &x, [3] = &B }\nglobal B = 0:i32 { [1] = &y, [3] = &A }\nglobal C = &x { [2] = 0:i32, [3] = &A }\n";

/// A program as text.
pub fn text(random: &mut Random) -> String {
    let mut functions = String::new();
    for number in 0..METHODS {
        let body = body(random, (number + 1, 0), "return %o, %n");
        functions += &format!("function m{number}(%o, %n) -> 2 {{ registers {REGISTERS} {body}}}\n");
    }
    for number in 0..TASKS {
        let body = body(random, (0, number + 1), "return");
        functions += &format!("function t{number}(%o, %n) {{ registers {REGISTERS} {body}}}\n");
    }
    let mut threads = String::new();
    for number in 0..2 + random.below(2) {
        let body = body(random, (0, 0), "return");
        functions += &format!("function w{number}(%o, %n) {{ registers {REGISTERS} {body}}}\n");
        threads += &format!("thread w{number} = @w{number}({}, {})\n", object(random), number_cell(random));
    }
    let [pick, first, second] = [(); 3].map(|()| object(random));
    let [to, one, two] = [(); 3].map(|()| number_cell(random));
    format!(
        "program test\nlanguage IR\n{GLOBALS}\
         global pick = {pick}\nglobal objects = {first} {{ [1] = {second} }}\n\
         global to = {to}\nglobal pointers = {one} {{ [1] = {two} }}\nglobal both = both({first}, {one})\n\
         {functions}{threads}"
    )
}

const REGISTERS: &str = "o, n, r, s, p, b, i, t, c";

fn object(random: &mut Random) -> &'static str {
    ["&A", "&B", "&C"][random.below(3) as usize]
}

fn number_cell(random: &mut Random) -> &'static str {
    ["&x", "&x", "&y", "&list[1]", "&A[2]", "&B[2]"][random.below(6) as usize]
}

/// The blocks of a function. It calls methods from a number on and starts tasks from a number on; any method now and then.
fn body(random: &mut Random, (method, task): (usize, usize), end: &str) -> String {
    let mut body = Body { random, method, task, blocks: Vec::new(), open: String::new() };
    body.statements(2);
    body.close(end);
    let blocks = body.blocks.iter().enumerate();
    blocks.map(|(number, block)| format!("b{number}: {block}\n")).collect()
}

struct Body<'r> {
    random: &'r mut Random,
    method: usize,
    task: usize,
    blocks: Vec<String>,
    /// The block to which instructions are added.
    open: String,
}

impl Body<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn add(&mut self, instructions: &str) {
        self.open += instructions;
        self.open += " ";
    }

    /// Ends a block; gives its number.
    fn close(&mut self, terminator: &str) -> usize {
        let block = std::mem::take(&mut self.open) + terminator;
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.below(20) {
            0..=3 => self.access(),
            4 => self.takes_pointer(),
            5 => self.gives_pointer(),
            6 | 7 => self.takes_object(),
            8 => self.gives_object(),
            9 => self.makes_object(),
            10 | 11 => self.calls(),
            12 | 13 => self.calls_virtual(),
            14 => self.starts(),
            15 => self.computes(),
            16 => self.synchronizes(),
            _ if depth == 0 => self.access(),
            17 => self.within_monitor(depth - 1),
            18 => self.branches(depth - 1),
            _ => self.repeats(depth - 1),
        }
    }

    /// A cell that holds a number, once the instructions before it have run.
    fn number_cell(&mut self) -> &'static str {
        match self.below(8) {
            0 => "&x",
            1 => "&y",
            2 | 3 => "%n",
            4 | 5 => self.cell_at("%p := offset %o, 2:i32"),
            6 => self.cell_at("%i := choose 0..1:i32 %p := offset &list, %i"),
            _ => {
                self.add("%p := offset &deep, 0:i32 %p := offset %p, 1:i32 %p := offset %p, 0:i32");
                self.cell_at("%p := offset %p, 1:i32 %p := offset %p, 0:i32")
            }
        }
    }

    /// A cell that holds a pointer to a number.
    fn pointer_cell(&mut self) -> &'static str {
        match self.below(4) {
            0 => "&to",
            1 | 2 => self.cell_at("%p := offset %o, 1:i32"),
            _ => self.cell_at("%i := choose 0..1:i32 %p := offset &pointers, %i"),
        }
    }

    /// A cell that holds an object.
    fn object_cell(&mut self) -> &'static str {
        match self.below(4) {
            0 | 1 => "&pick",
            2 => self.cell_at("%p := offset %o, 3:i32"),
            _ => self.cell_at("%i := choose 0..1:i32 %p := offset &objects, %i"),
        }
    }

    fn cell_at(&mut self, instructions: &str) -> &'static str {
        self.add(instructions);
        "%p"
    }

    fn access(&mut self) {
        let cell = self.number_cell();
        let access = match self.below(8) {
            0..=2 => format!("store {cell}, 1:i32 plain"),
            3..=5 => format!("%r := load {cell} plain"),
            6 => format!("%r := exchange {cell}, 2:i32 plain"),
            _ => format!("%r, %s := compare_exchange_weak {cell}, 0:i32, 3:i32 plain else plain"),
        };
        match self.below(8) {
            0 => self.add(&format!("atomic_begin {access} store &y, 4:i32 plain atomic_end")),
            _ => self.add(&access),
        }
    }

    fn takes_pointer(&mut self) {
        let cell = self.pointer_cell();
        self.add(&format!("%n := load {cell} plain"));
    }

    fn gives_pointer(&mut self) {
        let value = ["%n", number_cell(self.random)][self.below(2) as usize];
        let cell = self.pointer_cell();
        let added = match self.below(4) {
            0 => format!("%n := exchange {cell}, {value} plain"),
            _ => format!("store {cell}, {value} plain"),
        };
        self.add(&added);
    }

    fn takes_object(&mut self) {
        let cell = self.object_cell();
        self.add(&format!("%o := load {cell} plain"));
    }

    fn gives_object(&mut self) {
        let value = ["%o", object(self.random)][self.below(2) as usize];
        let cell = self.object_cell();
        let added = match self.below(4) {
            0 => format!("%o := exchange {cell}, {value} plain"),
            1 => format!("%r := load {cell} plain %r, %s := compare_exchange {cell}, %r, {value} plain else plain"),
            _ => format!("store {cell}, {value} plain"),
        };
        self.add(&added);
    }

    /// A new object, with a pointer to a number from the start or stored then.
    fn makes_object(&mut self) {
        let class = &object(self.random)[1..];
        let other = object(self.random);
        match self.below(2) {
            // No other place has a pointer to this global.
            0 => self.add(&format!("%o := allocate {class} = &hidden")),
            _ => self.add(&format!("%o := allocate {class} = 0:i32 %p := offset %o, 1:i32 store %p, %n plain")),
        }
        self.add(&format!("%p := offset %o, 3:i32 store %p, {other} plain"));
    }

    /// A later method than the one it is in.
    fn method(&mut self) -> Option<usize> {
        let later = METHODS.checked_sub(self.method).filter(|later| *later > 0)?;
        Some(self.method + self.below(later as u64) as usize)
    }

    fn calls(&mut self) {
        match self.method() {
            Some(method) => self.add(&format!("%o, %n := call @m{method}(%o, %n)")),
            None => self.recurs(),
        }
    }

    fn calls_virtual(&mut self) {
        let [Some(first), Some(second), Some(third)] = [(); 3].map(|()| self.method()) else { return self.access() };
        self.add(&format!("%o, %n := call_virtual {{ A: @m{first}, B: @m{second}, C: @m{third} }}(%o, %n)"));
    }

    /// Calls any method, perhaps the one it is in, or not.
    fn recurs(&mut self) {
        let method = self.below(METHODS as u64);
        self.conditional(|body| body.add(&format!("%o, %n := call @m{method}(%o, %n)")));
    }

    fn starts(&mut self) {
        let Some(later) = TASKS.checked_sub(self.task).filter(|later| *later > 0) else { return self.access() };
        let task = self.task + self.below(later as u64) as usize;
        let join = ["", " join %t"][self.below(4) as usize / 3];
        self.add(&format!("%t := spawn @t{task}(%o, %n){join}"));
    }

    fn computes(&mut self) {
        let (object, number_cell) = (object(self.random), number_cell(self.random));
        let added = match self.below(6) {
            0 => format!("%b := choose 0..1:i32 %o := select %b, %o, {object}"),
            1 => format!("%n := copy {number_cell}"),
            2 => "%n := offset %o, 2:i32".into(),
            3 => "%c := make[both, 2] %o, %n store &both, %c plain".into(),
            4 => "%c := load &both plain %o := get[both, 0] %c %n := get[both, 1] %c".into(),
            _ => "%i := choose 0..1:i32 %n := offset &list, 0:i32 %n := advance %n, %i".into(),
        };
        self.add(&added);
    }

    fn synchronizes(&mut self) {
        let added = match self.below(5) {
            0 => "fence plain{SL}",
            1 => "fence plain{SS}",
            2 => "fence plain{MFENCE}",
            3 => "lock &m wait &m unlock &m",
            _ => "lock &m notify_all &m unlock &m",
        };
        self.add(added);
    }

    fn within_monitor(&mut self, depth: usize) {
        self.add("lock &m");
        self.statements(depth);
        self.add("unlock &m");
    }

    fn branches(&mut self, depth: usize) {
        self.conditional(|body| body.statements(depth));
    }

    /// What is done or not.
    fn conditional(&mut self, done: impl FnOnce(&mut Self)) {
        self.add("%b := choose 0..1:i32");
        let before = self.close("");
        done(self);
        let last = self.close("");
        let join = self.blocks.len();
        self.blocks[before] += &format!("branch %b, b{}, b{join}", before + 1);
        self.blocks[last] += &format!("jump b{join}");
    }

    /// What is done once or more often.
    fn repeats(&mut self, depth: usize) {
        let first = self.blocks.len() + 1;
        self.close(&format!("jump b{first}"));
        self.statements(depth);
        self.add("%b := choose 0..1:i32");
        let next = self.blocks.len() + 1;
        self.close(&format!("branch %b, b{first}, b{next}"));
    }
}

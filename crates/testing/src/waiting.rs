//! Random programs whose threads wait in loops.

// Each test program uses its own part of this.
#![allow(dead_code)]

use crate::random::Random;

const CELLS: [&str; 3] = ["x", "y", "z"];

/// The text of a program of two or three threads; its question observes all registers and cells, or it has none.
pub fn waiting(random: &mut Random, pieces: u64, has_question: bool) -> String {
    with_blocks(random, pieces, has_question, false)
}

/// The text of such a program whose threads also free and reuse memory, if `recycles`.
pub fn with_blocks(random: &mut Random, pieces: u64, has_question: bool, recycles: bool) -> String {
    let mut text = "global x = 0:i32 global y = 0:i32 global z = 0:i32 global m = 0:i32
function get_x() -> 1 { registers v b0: %v := load &x plain return %v }
function is_one() -> 1 { registers v b0: %v := load &y plain %v := eq %v, 1:i32 return %v }
"
    .to_string();
    if recycles {
        text += "global p = 0:i32
function prepare() { registers a b0: %a := allocate block = 0:i32 reuse store &p, %a plain return }
setup @prepare()
";
    }
    let threads = 2 + usize::from(random.below(3) == 0);
    for thread in 0..threads {
        let mut blocks = Blocks { text: String::new(), next: 1 };
        for _ in 0..1 + random.below(pieces) {
            if recycles && random.below(2) == 0 { blocks.recycling(random) } else { blocks.piece(random) }
        }
        let check = ["", "%c := ne %r, 1:i32 assert %c, \"not 1\" "][random.below(2) as usize];
        let check = if has_question { "" } else { check };
        let start = if recycles { "%a := allocate block = 0:i32 reuse " } else { "" };
        text += &format!(
            "function P{thread}() {{ registers r, s, c, n, a, b\n b0: %r := copy 0:i32 %s := copy 0:i32 %n := copy 0:i32 %c := copy 0:i32 {start}{} {check}return }}\n",
            blocks.text
        );
    }
    text += &(0..threads).map(|thread| format!("thread P{thread} = @P{thread}() ")).collect::<String>();
    if has_question {
        let registers = (0..threads).flat_map(|thread| ["r", "s", "n"].map(|name| format!("{thread}:%{name}, ")));
        text += &format!("\nexists true\nobserved {}x, y, z\n", registers.collect::<String>());
    }
    text
}

/// Code with loops.
struct Blocks {
    text: String,
    next: u32,
}

impl Blocks {
    /// The number of a new block.
    fn block(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn piece(&mut self, random: &mut Random) {
        let (cell, value) = (CELLS[random.below(3) as usize], random.below(3));
        match random.below(12) {
            0..=3 => self.text += &format!("store &{cell}, {value}:i32 plain "),
            4 => self.text += &format!("%r := load &{cell} plain "),
            5 => self.text += &format!("%s := update &{cell}, add 1:i32 plain "),
            6 => {
                self.text += ["fence plain{MFENCE} ", "fence plain{SS} ", "fence plain{SL} "][random.below(3) as usize]
            }
            7 => self.text += &format!("lock &m store &{cell}, {value}:i32 plain unlock &m "),
            _ => self.waiting_loop(random),
        }
    }

    fn recycling(&mut self, random: &mut Random) {
        let value = random.below(3);
        let text = match random.below(7) {
            0 => "free %a %a := load &p plain ".into(),
            1 => format!("%a := allocate block = 0:i32 reuse store %a, {value}:i32 plain "),
            2 => "%r := load %a plain ".into(),
            3 => "%a := exchange &p, %a plain free %a %a := allocate block = 0:i32 reuse ".into(),
            4 => "store &p, %a plain ".into(),
            _ => {
                // Waits until there is another block, or the same again.
                let (head, after) = (self.block(), self.block());
                let test = ["eq", "ne"][random.below(2) as usize];
                format!(
                    "jump b{head} b{head}: %b := load &p plain %c := {test} %a, %b branch %c, b{after}, b{head} b{after}: "
                )
            }
        };
        self.text += &text;
    }

    fn waiting_loop(&mut self, random: &mut Random) {
        let (cell, other) = (CELLS[random.below(3) as usize], CELLS[random.below(3) as usize]);
        let (value, second) = (random.below(3), random.below(2));
        let register = ["r", "s"][random.below(2) as usize];
        let test = ["eq", "ne"][random.below(2) as usize];
        let (head, inner, after) = (self.next, self.next + 1, self.next + 2);
        // What happens after an iteration that had no effect.
        let between = [
            "",
            "",
            "",
            "fence plain{MFENCE} ",
            "fence plain{SL} ",
            "%n := add %n, 1:i32 ",
            "%s := copy 0:i32 ",
            "%r := load &z plain ",
            "%n := choose 0..1:i32 ",
            "lock &m unlock &m ",
        ][random.below(10) as usize];
        self.block();
        let body = match random.below(9) {
            0..=2 => format!("%{register} := load &{cell} plain %c := {test} %{register}, {value}:i32 "),
            3 => format!("%{register} := exchange &{cell}, 1:i32 plain %c := eq %{register}, 0:i32 "),
            4 => {
                let weak = ["", "_weak"][random.below(2) as usize];
                format!("%{register}, %c := compare_exchange{weak} &{cell}, {second}:i32, 2:i32 plain else plain ")
            }
            5 => format!("lock &m %{register} := load &{cell} plain unlock &m %c := {test} %{register}, {value}:i32 "),
            6 => "%r := call @get_x() %c := copy %r ".into(),
            7 => "%c := call @is_one() ".into(),
            _ => format!(
                "atomic_begin %{register} := load &{cell} plain %s := load &{other} plain atomic_end %c := {test} %{register}, {value}:i32 "
            ),
        };
        // Some hold a monitor all the while, or but for the time between two iterations.
        let holds = random.below(5);
        let between = if holds == 1 { format!("{between}unlock &m lock &m ") } else { between.to_string() };
        if holds < 2 {
            self.text += "lock &m ";
        }
        self.text += &format!("jump b{head} b{head}: {body}");
        self.block();
        self.block();
        let rest = match random.below(3) {
            0 => format!("branch %c, b{after}, b{inner} b{inner}: {between}jump b{head} b{after}: "),
            1 => format!(
                "branch %c, b{after}, b{inner} b{inner}: %s := load &{other} plain %c := eq %s, {second}:i32 {between}branch %c, b{after}, b{head} b{after}: "
            ),
            // Waits in a loop of its own before the next iteration.
            _ => {
                let last = self.block();
                format!(
                    "branch %c, b{last}, b{inner} b{inner}: %s := load &{other} plain %c := eq %s, {second}:i32 branch %c, b{after}, b{inner} b{after}: {between}jump b{head} b{last}: "
                )
            }
        };
        self.text += &rest;
        if holds < 2 {
            self.text += "unlock &m ";
        }
    }
}

//! Random programs whose threads synchronize.

use crate::random::Random;

/// What registers hold at first.
const START: &str = "%r := copy 0:i32 %s := copy 0:i32";
const CELLS: [&str; 3] = ["x", "y", "z"];

/// How large programs get.
#[derive(Clone, Copy)]
pub struct Size {
    /// Threads, with the main one.
    pub threads: usize,
    /// Most pieces of code in each.
    pub pieces: u64,
}

/// The text of a program whose main thread starts the others.
pub fn synchronizing(random: &mut Random, size: Size) -> String {
    let names = ["first", "second", "third"];
    let others = &names[..size.threads - 1];
    let mut text = "global x = 0:i32 global y = 0:i32 global z = 0:i32 global m = 0:i32 global n = 0:i32\n".to_string();
    for name in others {
        let check = ["", "%c := eq %r, 1:i32 assert %c, \"one\" "][random.below(2) as usize];
        let body = body(random, size.pieces);
        text += &format!("function {name}() {{ registers r, s, c\n b0: {START} {body} {check} return }}\n");
    }
    let spawns: String = others.iter().map(|name| format!("%{name} := spawn @{name}() ")).collect();
    let unpark = match random.below(2) {
        0 => String::new(),
        _ => format!("unpark %{} ", others[random.below(others.len() as u64) as usize]),
    };
    let from = random.below(2) as usize;
    let joins: String = others[from..].iter().map(|name| format!("join %{name} ")).collect();
    let own = body(random, size.pieces.min(2));
    text += &format!(
        "function main() {{ registers first, second, third, r, s, c
 b0: {START} {spawns} {own} {unpark} {joins} %r := load &x plain return }}
thread main = @main()
"
    );
    text
}

fn body(random: &mut Random, length: u64) -> String {
    (0..1 + random.below(length)).map(|_| piece(random)).collect()
}

fn piece(random: &mut Random) -> String {
    let cell = CELLS[random.below(3) as usize];
    let other = CELLS[random.below(3) as usize];
    let monitor = ["m", "n"][random.below(2) as usize];
    let value = random.below(3);
    match random.below(16) {
        0 | 1 => format!("store &{cell}, {value}:i32 plain "),
        2 | 3 => format!("%r := load &{cell} plain "),
        4 => format!("lock &{monitor} %r := load &{cell} plain unlock &{monitor} "),
        5 => format!("lock &{monitor} store &{cell}, {value}:i32 plain %r := load &{cell} plain unlock &{monitor} "),
        6 => format!("lock &{monitor} lock &n store &{cell}, {value}:i32 plain unlock &n unlock &{monitor} "),
        7 => format!("lock &m wait &m %r := load &{cell} plain unlock &m "),
        8 => format!("lock &m {} &m unlock &m ", ["notify", "notify_all"][random.below(2) as usize]),
        9..=11 => block(random, cell, other, value),
        12 => format!("%r := update &{cell}, add 1:i32 plain "),
        13 => {
            let weak = ["", "_weak"][random.below(2) as usize];
            format!("%r, %s := compare_exchange{weak} &{cell}, {value}:i32, 1:i32 plain else plain ")
        }
        14 => format!("%s := choose 0..{}:i32 store &{cell}, %s plain ", 1 + random.below(3)),
        _ => ["park ", "fence plain{MFENCE} ", "fence plain{SS} ", "fence plain{SL} "][random.below(4) as usize].into(),
    }
}

/// An atomic block of two or three parts.
fn block(random: &mut Random, cell: &str, other: &str, value: u64) -> String {
    let parts: String = (0..1 + random.below(3))
        .map(|part| {
            let cell = if part == 0 { cell } else { other };
            match random.below(9) {
                0..=2 => format!("%r := load &{cell} plain "),
                3 => format!("%r := load &{cell} plain await %r "),
                4 => format!("store &{cell}, {value}:i32 plain "),
                5 => format!("%s := choose 0..{}:i32 store &{cell}, %s plain ", 1 + random.below(2)),
                6 => "%s := choose 0..2:i32 await %s ".into(),
                7 => format!("%r, %s := compare_exchange &{cell}, 0:i32, 1:i32 plain else plain "),
                _ => format!("%r := update &{cell}, add 1:i32 plain "),
            }
        })
        .collect();
    let last = ["", "await %s ", "await %r ", "%r := eq %r, 1:i32 await %r "][random.below(4) as usize];
    // What it awaits may have been set before it.
    format!("atomic_begin {parts}{last}atomic_end ")
}

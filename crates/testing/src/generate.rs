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

/// The text of a program whose threads give blocks of memory back and get them again. Two are there before all threads, and
/// perhaps a third that was freed.
pub fn recycling(random: &mut Random, size: Size) -> String {
    let names = &["first", "second", "third", "fourth"][..size.threads];
    let mut text = "global p = 0:i32 global q = 0:i32 global x = 0:i32 global m = 0:i32\n".to_string();
    let freed = ["", "%c := allocate block = 0:i32 reuse store %c, 3:i32 plain free %c "][random.below(2) as usize];
    text += &format!(
        "function prepare() {{ registers a, b, c b0: %a := allocate block = 0:i32 reuse %b := allocate block = 0:i32 reuse
 store %a, 1:i32 plain store &p, %a plain store &q, %b plain {freed} return }}
setup @prepare()\n"
    );
    // The first one starts the others, or all run from the start.
    let is_main = random.below(3) == 0;
    for (number, name) in names.iter().enumerate() {
        let starts = if is_main && number == 0 { &names[1..] } else { &[] };
        let registers: String = starts.iter().map(|name| format!(", {name}")).collect();
        let spawns: String = starts.iter().map(|name| format!("%{name} := spawn @{name}() ")).collect();
        let joins: String = starts.iter().map(|name| format!("join %{name} ")).collect();
        let joins = if random.below(2) == 0 { joins + "%r := load &x plain " } else { String::new() };
        let mut own: String = (0..1 + random.below(size.pieces)).map(|_| recycling_piece(random)).collect();
        if number + 1 == names.len() && !text.contains("free") {
            own += "free %b ";
        }
        let start = ["%a := load &p plain ", "%a := allocate block = 0:i32 reuse "][random.below(2) as usize];
        let check = ["", "%c := eq %r, 1:i32 assert %c, \"one\" "][random.below(4) as usize / 3];
        text += &format!(
            "function {name}() {{ registers a, b, r, s, c{registers}
 b0: {START} {spawns}{start}%b := copy %a {own} {joins} {check} return }}\n"
        );
    }
    let threads = if is_main { &names[..1] } else { names };
    threads.iter().for_each(|name| text += &format!("thread {name} = @{name}()\n"));
    if random.below(4) == 0 {
        let registers: String = (0..threads.len()).map(|number| format!("{number}:%r, ")).collect();
        text += &format!("exists true observed {registers}x\n");
    }
    text
}

fn recycling_piece(random: &mut Random) -> String {
    let root = ["p", "q"][random.below(2) as usize];
    let (own, other) = [("a", "b"), ("b", "a")][random.below(2) as usize];
    let value = random.below(3);
    match random.below(18) {
        15..=17 => recycling_block(random, root, own),
        0 | 1 => format!("free %{own} "),
        2 | 3 => format!("%{own} := allocate block = 0:i32 reuse "),
        4 => format!("%{own} := load &{root} plain "),
        5 => format!("store &{root}, %{own} plain "),
        6 => format!("store %{own}, {value}:i32 plain "),
        7 => format!("%r := load %{own} plain "),
        8 | 9 => format!("%s, %c := compare_exchange &{root}, %{own}, %{other} plain else plain "),
        10 => format!("%{own} := exchange &{root}, %{other} plain free %{own} "),
        11 => format!("lock &m %{own} := load &{root} plain free %{own} unlock &m "),
        12 => format!("store &x, {value}:i32 plain "),
        13 => "%r := load &x plain ".into(),
        _ => format!("%r := update %{own}, add 1:i32 plain "),
    }
}

/// The text of a program whose threads still access blocks that they have given back, plainly and in other modes.
pub fn late_accesses(random: &mut Random, size: Size) -> String {
    let names = &["first", "second", "third", "fourth"][..size.threads];
    let mut text = "global p = 0:i32 global x = 0:i32 global m = 0:i32
function prepare() { registers a b0: %a := allocate block = 0:i32 reuse store &p, %a plain return }
setup @prepare()\n"
        .to_string();
    for name in names {
        let start = ["%a := load &p plain ", "%a := allocate block = 0:i32 reuse "][random.below(2) as usize];
        let own: String = (0..1 + random.below(size.pieces)).map(|_| late_piece(random)).collect();
        text += &format!("function {name}() {{ registers a, r, s b0: {START} {start}{own} return }}\n");
    }
    names.iter().for_each(|name| text += &format!("thread {name} = @{name}()\n"));
    text
}

fn late_piece(random: &mut Random) -> String {
    let read = ["plain", "plain", "relaxed", "acquire", "seq_cst"][random.below(5) as usize];
    let write = ["plain", "plain", "relaxed", "release", "seq_cst"][random.below(5) as usize];
    let value = random.below(2);
    match random.below(12) {
        0..=2 => format!("free %a store %a, {value}:i32 {write} "),
        3 => format!("free %a store &x, {value}:i32 plain store %a, {value}:i32 {write} "),
        4 => "free %a ".into(),
        5 | 6 => format!("%a := allocate block = 0:i32 reuse %r := load %a {read} "),
        7 => format!("%a := allocate block = 0:i32 reuse %r := load %a {read} %s := load &x plain "),
        8 => {
            let access = [format!("%r := load %a {read}"), format!("store %a, {value}:i32 plain")];
            let access = &access[random.below(2) as usize];
            format!("atomic_begin %a := allocate block = 0:i32 reuse {access} atomic_end ")
        }
        9 => format!("%r := load %a {read} "),
        10 => format!("%r := update %a, add 1:i32 {write} "),
        _ => [format!("store &p, %a {write} "), format!("%a := load &p {read} ")][random.below(2) as usize].clone(),
    }
}

/// An atomic block that gives memory back, or gets some.
fn recycling_block(random: &mut Random, root: &str, own: &str) -> String {
    let parts: String = (0..1 + random.below(3))
        .map(|_| match random.below(8) {
            0 | 1 => format!("free %{own} "),
            2 | 3 => format!("%{own} := allocate block = 0:i32 reuse "),
            4 => format!("%{own} := load &{root} plain "),
            5 => format!("store &{root}, %{own} plain "),
            6 => format!("%r := load %{own} plain "),
            _ => "%r := load &x plain await %r ".into(),
        })
        .collect();
    format!("atomic_begin {parts}atomic_end ")
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

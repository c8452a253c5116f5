//! X86 code, as the program it becomes and as the final state that it leads to.

mod support;

use support::{code, compare, messages, read, run};

/// One thread of instructions, separated by `;`.
fn test(language: &str, init: &str, instructions: &str, observed: &str) -> String {
    let rows: String = instructions.split(';').map(|instruction| format!("{} ;\n", instruction.trim())).collect();
    format!("{language} test\n{{ {init} }}\n P0 ;\n{rows}locations [{observed}]\n")
}

fn check(instructions: &str, expected: &str) {
    compare(&code(&read(&test("X86", "", instructions, ""))), expected);
}

fn check_run(init: &str, instructions: &str, observed: &str, expected: &str) {
    assert_eq!(run(&test("X86", init, instructions, observed)), expected, "{instructions}");
}

fn check_run_64(init: &str, instructions: &str, observed: &str, expected: &str) {
    assert_eq!(run(&test("X86_64", init, instructions, observed)), expected, "{instructions}");
}

fn check_messages(instructions: &str, expected: &str) {
    assert_eq!(messages(&test("X86", "", instructions, "")), expected, "{instructions}");
}

#[test]
fn moves_are_plain_accesses_and_fences_carry_their_name() {
    check(
        "MOV [x],$1; mov EAX, [y]; MOV EBX,EAX; MOV [x],EBX; MOV ECX,-1; mfence; SFENCE; LFENCE",
        "
        b0:
          store &x, 1:i32 plain
          %EAX := load &y plain
          %EBX := copy %EAX
          store &x, %EBX plain
          %ECX := copy -1:i32
          fence plain{MFENCE}
          fence plain{SFENCE}
          fence plain{LFENCE}
          return
        ",
    );
}

#[test]
fn an_exchange_with_memory_is_locked_without_a_prefix() {
    check(
        "XCHG [x],EAX; LOCK XCHG EAX,[x]",
        "
        b0:
          %EAX := exchange &x, %EAX plain{X}
          %EAX := exchange &x, %EAX plain{X}
          return
        ",
    );
}

#[test]
fn arithmetic_on_memory_is_atomic_only_with_a_lock() {
    check(
        "LOCK ADD [x],$2; ADD [x],$2; LOCK XADD [x],EAX; LOCK NEG [x]",
        "
        b0:
          %_0 := update &x, add 2:i32 plain{X}
          %_1 := load &x plain
          %_2 := add %_1, 2:i32
          store &x, %_2 plain
          %_3 := update &x, add %EAX plain{X}
          %EAX := copy %_3
          %_4 := update &x, mul -1:i32 plain{X}
          return
        ",
    );
}

#[test]
fn a_locked_compare_and_exchange_keeps_what_it_saw_in_eax() {
    check(
        "LOCK CMPXCHG [x],EBX; JNE L; NOP; L: MOV [y],$1",
        "
        b0:
          %_0, %_1 := compare_exchange &x, %EAX, %EBX plain{X} else plain{X}
          %ZF := eq %EAX, %_0
          %EAX := copy %_0
          branch %ZF, b1, b1
        b1:
          store &y, 1:i32 plain
          return
        ",
    );
}

#[test]
fn a_backward_jump_is_a_loop_whose_head_is_named_by_its_label() {
    let program = read(&test("X86", "", "L0: MOV EAX,[x]; CMP EAX,$0; JE L0; MOV [y],$1", ""));
    compare(
        &code(&program),
        "
        b0:
          jump b1
        b1:
          %EAX := load &x plain
          %ZF := eq %EAX, 0:i32
          branch %ZF, b1, b2
        b2:
          store &y, 1:i32 plain
          return
        ",
    );
    let head = program.functions[0].blocks[1].span.unwrap();
    assert_eq!(program.sources.snippet(head), "L0:");
}

#[test]
fn spans_are_the_text_of_the_instruction() {
    let text = "X86 t\n{}\n P0          | P1 ;\n L: LOCK INC  [x] (* why *) | MOV  EAX , [y]\t;\n";
    let program = read(text);
    let snippets = |thread: usize| {
        let block = program.functions[thread].blocks.last().unwrap();
        program.sources.snippet(block.instructions[0].span.unwrap()).to_string()
    };
    assert_eq!(snippets(0), "LOCK INC  [x]");
    assert_eq!(snippets(1), "MOV  EAX , [y]");
}

#[test]
fn jumps_decide_as_the_manual_says() {
    // left, right, and the jumps that are taken after `CMP left,right`.
    let cases = [
        (1, 1, "JE JZ JNS JAE JNB JNC JBE JNA JLE JNG JGE JNL JNO"),
        (1, 2, "JNE JNZ JS JB JC JNAE JBE JNA JL JNGE JLE JNG JNO"),
        (2, 1, "JNE JNZ JNS JA JNBE JAE JNB JNC JG JNLE JGE JNL JNO"),
        (-1, 1, "JNE JNZ JS JA JNBE JAE JNB JNC JL JNGE JLE JNG JNO"),
        (1, -1, "JNE JNZ JNS JB JC JNAE JBE JNA JG JNLE JGE JNL JNO"),
        (i32::MIN, 1, "JNE JNZ JNS JA JNBE JAE JNB JNC JL JNGE JLE JNG JO"),
        (i32::MAX, -1, "JNE JNZ JS JB JC JNAE JBE JNA JG JNLE JGE JNL JO"),
    ];
    let all = "JE JZ JNE JNZ JS JNS JO JNO JB JC JNAE JAE JNB JNC JBE JNA JA JNBE JL JNGE JGE JNL JLE JNG JG JNLE";
    for (left, right, taken) in cases {
        for jump in all.split(' ') {
            let instructions = format!("MOV EAX,{left}; CMP EAX,{right}; {jump} L; MOV EBX,$1; L: NOP");
            let expected = if taken.split(' ').any(|other| other == jump) { 0 } else { 1 };
            check_run("", &instructions, "0:EBX", &format!("0:EBX={expected}"));
        }
    }
}

#[test]
fn flags_come_from_every_instruction_that_sets_them() {
    let flags = "SETE AL; SETS BL; SETC CL; SETO DL";
    let cases = [
        ("ADD ESI,$1", -1, "0:al=1 0:bl=0 0:cl=1 0:dl=0"),
        ("ADD ESI,$1", i32::MAX, "0:al=0 0:bl=1 0:cl=0 0:dl=1"),
        ("SUB ESI,$1", 0, "0:al=0 0:bl=1 0:cl=1 0:dl=0"),
        ("SUB ESI,$1", i32::MIN, "0:al=0 0:bl=0 0:cl=0 0:dl=1"),
        ("INC ESI", -1, "0:al=1 0:bl=0 0:cl=0 0:dl=0"),
        ("INC ESI", i32::MAX, "0:al=0 0:bl=1 0:cl=0 0:dl=1"),
        ("DEC ESI", i32::MIN, "0:al=0 0:bl=0 0:cl=0 0:dl=1"),
        ("NEG ESI", 5, "0:al=0 0:bl=1 0:cl=1 0:dl=0"),
        ("NEG ESI", i32::MIN, "0:al=0 0:bl=1 0:cl=1 0:dl=1"),
        ("XOR ESI,ESI", 7, "0:al=1 0:bl=0 0:cl=0 0:dl=0"),
        ("TEST ESI,ESI", -7, "0:al=0 0:bl=1 0:cl=0 0:dl=0"),
        ("AND ESI,$6", 1, "0:al=1 0:bl=0 0:cl=0 0:dl=0"),
        ("LOCK DEC [x]", 0, "0:al=1 0:bl=0 0:cl=0 0:dl=0"),
        ("LOCK XADD [x],ESI", -1, "0:al=1 0:bl=0 0:cl=1 0:dl=0"),
        ("NOT ESI", -1, "0:al=0 0:bl=0 0:cl=0 0:dl=0"),
    ];
    for (instruction, value, expected) in cases {
        let instructions = format!("MOV ESI,{value}; {instruction}; {flags}");
        let shown = run(&test("X86", "x=1", &instructions, "0:al; 0:bl; 0:cl; 0:dl"));
        // Views show as signed numbers of their width; flags are 0 or 1.
        assert_eq!(shown, expected, "{instruction} on {value}");
    }
}

#[test]
fn shifts_give_the_last_bit_to_the_carry_flag() {
    check_run("", "MOV EAX,$5; SHR EAX,$1; SETC BL", "0:EAX; 0:bl", "0:EAX=2 0:bl=1");
    check_run("", "MOV EAX,-8; SAR EAX,$2; SETC BL", "0:EAX; 0:bl", "0:EAX=-2 0:bl=0");
    check_run("", "MOV EAX,0x80000001; SHL EAX,$1; SETC BL", "0:EAX; 0:bl", "0:EAX=2 0:bl=1");
}

#[test]
fn conditional_moves_and_exchanges_of_registers() {
    check_run(
        "",
        "MOV EAX,$1; MOV EBX,$2; CMP EAX,EBX; CMOVL EAX,EBX; CMOVG EBX,EDX",
        "0:EAX; 0:EBX",
        "0:EAX=2 0:EBX=2",
    );
    check_run("", "MOV EAX,$1; MOV EBX,$2; XCHG EAX,EBX", "0:EAX; 0:EBX", "0:EAX=2 0:EBX=1");
    check_run("x=5", "MOV EAX,$5; MOV EBX,$9; LOCK CMPXCHG [x],EBX", "0:EAX; x", "0:EAX=5 x=9");
    check_run("x=6", "MOV EAX,$5; MOV EBX,$9; LOCK CMPXCHG [x],EBX", "0:EAX; x", "0:EAX=6 x=6");
    check_run("x=5", "MOV EAX,$5; MOV EBX,$9; CMPXCHG [x],EBX", "0:EAX; x", "0:EAX=5 x=9");
    check_run("x=6", "MOV EAX,$5; MOV EBX,$9; CMPXCHG [x],EBX", "0:EAX; x", "0:EAX=6 x=6");
    check_run("x=6", "MOV EAX,$5; XADD [x],EAX", "0:EAX; x", "0:EAX=6 x=11");
}

#[test]
fn a_loop_counts() {
    check_run("x=5", "MOV ECX,[x]; L0: ADD EAX,ECX; DEC ECX; JNZ L0", "0:EAX", "0:EAX=15");
}

#[test]
fn registers_hold_addresses_and_arrays_have_elements() {
    check_run("x=1; 0:EBX=x", "MOV EAX,[EBX]; MOV [EBX],$7", "0:EAX; x; 0:EBX", "0:EAX=1 x=7 0:EBX=x");
    check_run("int t[3]={1,2,3}; 0:EBX=t", "MOV EAX,[EBX+8]; MOV ECX,[t+4]", "0:EAX; 0:ECX", "0:EAX=3 0:ECX=2");
    check_run("", "LEA EAX,[x]; MOV [EAX],$3; MOV EBX,$x", "x; 0:EBX", "x=3 0:EBX=x");
}

#[test]
fn x86_64_has_the_source_first_and_views_of_registers() {
    check_run_64("", "movl $1,(x); movl (x),%eax; movl x,%ebx", "0:rax; 0:EBX; x", "0:rax=1 0:ebx=1 x=1");
    check_run_64("0:rax=-1", "movl $2,%eax", "0:rax", "0:rax=2");
    check_run_64("0:rax=-1", "movb $2,%al", "0:rax; 0:al; 0:ax", "0:rax=-254 0:al=2 0:ax=-254");
    check_run_64("uint64_t x=5; 0:rbx=x", "movq (%rbx),%rax; lock xaddq %rax,(%rbx)", "0:rax; x", "0:rax=5 x=10");
    check_run_64("int64_t t[2]={1,-1}; 0:rax=t; 0:rbx=1", "movq 0(%rax,%ebx,8),%rcx", "0:rcx", "0:rcx=-1");
    check_run_64("int64_t t[2]={1,-1}; 0:rax=t", "movq 8(%rax),%rcx", "0:rcx", "0:rcx=-1");
    check_run_64("0:r8=3; 0:R9=1", "subq %r9,%r8; cmpq $2,%r8; sete %al", "0:r8; 0:al", "0:r8=2 0:al=1");
    check_run_64("", "movq $0x100000000,%rax; nopl 0(%rax)", "0:rax", "0:rax=4294967296");
}

#[test]
fn what_is_not_modelled_is_refused_with_its_place() {
    check_messages("PUSH EAX", "test:4:1: error: the instruction `PUSH` is not supported");
    check_messages(
        "MOVNTI [x],EAX; MOVSD",
        "test:4:1: error: the instruction `MOVNTI` is not supported\ntest:5:1: error: the instruction `MOVSD` is not supported",
    );
    check_messages(
        "MOV AH,$1",
        "test:4:5: error: the register `AH` is not supported\n  note: the location `AH` is written [AH]",
    );
    check_messages(
        "MOV [x],AL; MOV [x],EAX",
        "test:5:1: error: the access of `x` with 32 bits, elsewhere 8 bits, is not supported",
    );
    check_messages("MOV [x+2],EAX", "test:4:1: error: an address between two elements is not supported");
    check_messages("SHL EAX,CL", "test:4:1: error: a shift by a register is not supported");
    check_messages(
        "JE B; A: INC EAX; B: INC EBX; JNE A",
        "test:5:1: error: a loop that is entered at two places is not supported",
    );
    let indirect = test("X86_64", "uint32_t x; 0:rbx=x", "movq (%rbx),%rax", "");
    let expected = "test:4:1: error: the access of `x` with 64 bits, elsewhere 32 bits, is not supported";
    assert_eq!(messages(&indirect), expected);
}

#[test]
fn wrong_code_is_reported_line_by_line() {
    check_messages(
        "MOV EAX; JE nowhere; MOV [x],[y]; LOCK MOV [x],EAX; MOV EAX,BX; MOV x,$1; MOV $1,EAX; MOV EAX,$1,; 7",
        "\
test:4:1: error: this instruction does not take such operands
test:5:4: error: there is no label `nowhere` in this thread
test:6:1: error: an instruction has at most one memory operand
test:7:1: error: `LOCK` needs an instruction that reads and writes memory
test:8:1: error: the operands have different widths
test:9:5: error: `x` is not a register
  note: the location `x` is written [x]
test:10:1: error: the target must be a register or a memory cell
test:11:13: error: expected a register, a number or a memory cell, found the end
test:12:1: error: expected an instruction, found `7`",
    );
}

#[test]
fn x86_64_has_the_operand_order_of_herd() {
    let swap = |instruction: &str| format!("movl $5,%eax; movl $9,%ebx; {instruction}");
    for instruction in
        ["lock cmpxchgl (x),%ebx", "lock cmpxchgl %ebx,(x)", "cmpxchgl [x],%ebx", "lock cmpxchg (x),%ebx"]
    {
        check_run_64("uint32_t x=5", &swap(instruction), "0:eax; x", "0:eax=5 x=9");
        check_run_64("uint32_t x=6", &swap(instruction), "0:eax; x", "0:eax=6 x=6");
    }
    // The first operand is the target, as in herd7.
    check_run_64("", "movl $5,%eax; movl $5,%ecx; movl $9,%ebx; cmpxchgl %ecx,%ebx", "0:ecx; 0:ebx", "0:ecx=9 0:ebx=9");
    for instruction in ["lock xaddl %ebx,(x)", "lock xaddl (x),%ebx"] {
        check_run_64("uint32_t x=1", &swap(instruction), "0:ebx; x", "0:ebx=1 x=10");
    }
    for instruction in ["xchgl (x),%ebx", "xchgl %ebx,(x)", "lock xchgl (x),%ebx"] {
        check_run_64("uint32_t x=1", &swap(instruction), "0:ebx; x", "0:ebx=1 x=9");
    }
    let carry = |instruction: &str| format!("movl $1,%eax; cmpl $2,%eax; movl $9,%ebx; {instruction}");
    for instruction in ["cmovcl %ebx,(x)", "cmovcl (x),%ebx"] {
        check_run_64("uint32_t x=7", &carry(instruction), "0:ebx", "0:ebx=7");
    }
    check_run_64("", &carry("cmovcl %ebx,%eax"), "0:ebx; 0:eax", "0:ebx=1 0:eax=1");
    check_run_64("", &carry("cmovbl %ebx,%eax"), "0:ebx; 0:eax", "0:ebx=9 0:eax=9");
}

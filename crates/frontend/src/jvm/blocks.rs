//! The basic blocks of bytecode, without exception handlers.

use std::collections::HashMap;

use cafebabe::bytecode::Opcode;

use super::class::Body;

/// The basic blocks of a method.
pub struct Blocks {
    /// Index of the first instruction of each block, and past its last, ascending.
    pub ranges: Vec<(usize, usize)>,
    /// Where each block may go on, in the order of [`targets`] with the next instruction last.
    pub successors: Vec<Vec<usize>>,
    /// How many edges lead to each block from blocks that are reached, the entry of the method counted.
    pub arriving: Vec<usize>,
    /// The blocks that are reached, each before those it dominates.
    pub order: Vec<usize>,
    /// Block by the offset of its first instruction.
    by_offset: HashMap<usize, usize>,
}

impl Blocks {
    /// The blocks of a body; `None` if control may run off its end or a jump leads nowhere. Handlers start no blocks.
    pub fn of(body: &Body) -> Option<Blocks> {
        Blocks::starting(body, &[])
    }

    /// The blocks of a body in which handlers start blocks too. No edges lead to these.
    pub fn with_handlers(body: &Body) -> Option<Blocks> {
        let handlers: Vec<usize> = body.handlers.iter().map(|handler| handler.handler_pc.into()).collect();
        Blocks::starting(body, &handlers)
    }

    fn starting(body: &Body, offsets: &[usize]) -> Option<Blocks> {
        let opcodes = body.opcodes;
        let mut starts = vec![false; opcodes.len()];
        *starts.first_mut()? = true;
        let index: HashMap<usize, usize> = opcodes.iter().enumerate().map(|(i, (offset, _))| (*offset, i)).collect();
        for offset in offsets {
            starts[*index.get(offset)?] = true;
        }
        for (at, (offset, opcode)) in opcodes.iter().enumerate() {
            for target in targets(*offset, opcode)? {
                starts[*index.get(&target)?] = true;
            }
            if ends_block(opcode) && at + 1 < opcodes.len() {
                starts[at + 1] = true;
            }
        }
        let firsts: Vec<usize> = (0..opcodes.len()).filter(|&at| starts[at]).collect();
        let ends = firsts.iter().skip(1).copied().chain([opcodes.len()]);
        let ranges: Vec<(usize, usize)> = firsts.iter().copied().zip(ends).collect();
        let by_offset = firsts.iter().enumerate().map(|(block, &at)| (opcodes[at].0, block)).collect();
        let mut blocks = Blocks { ranges, successors: Vec::new(), arriving: Vec::new(), order: Vec::new(), by_offset };
        blocks.connect(body)?;
        Some(blocks)
    }

    /// The block that starts at an offset.
    pub fn at(&self, offset: usize) -> Option<usize> {
        self.by_offset.get(&offset).copied()
    }

    fn connect(&mut self, body: &Body) -> Option<()> {
        let count = self.ranges.len();
        let mut runs_off = vec![false; count];
        for (block, &(_, end)) in self.ranges.iter().enumerate() {
            let (offset, last) = &body.opcodes[end - 1];
            let mut next: Vec<usize> =
                targets(*offset, last)?.into_iter().map(|target| self.at(target)).collect::<Option<_>>()?;
            if falls_through(last) {
                runs_off[block] = block + 1 == count;
                next.extend((block + 1 < count).then_some(block + 1));
            }
            self.successors.push(next);
        }
        self.order = reverse_postorder(&self.successors);
        self.arriving = vec![0; count];
        self.arriving[0] = 1;
        for next in self.order.iter().flat_map(|&block| &self.successors[block]) {
            self.arriving[*next] += 1;
        }
        (!self.order.iter().any(|&block| runs_off[block])).then_some(())
    }
}

/// The offsets that an instruction may jump to.
pub fn targets(offset: usize, opcode: &Opcode) -> Option<Vec<usize>> {
    use Opcode::*;
    let distances = match opcode {
        Goto(d) | IfAcmpeq(d) | IfAcmpne(d) | IfIcmpeq(d) | IfIcmpge(d) | IfIcmpgt(d) | IfIcmple(d) | IfIcmplt(d)
        | IfIcmpne(d) | Ifeq(d) | Ifge(d) | Ifgt(d) | Ifle(d) | Iflt(d) | Ifne(d) | Ifnonnull(d) | Ifnull(d) => {
            vec![*d]
        }
        Lookupswitch(table) => table.match_offsets.iter().map(|(_, d)| *d).chain([table.default]).collect(),
        Tableswitch(table) => table.jumps.iter().copied().chain([table.default]).collect(),
        _ => vec![],
    };
    let target = |distance: i32| usize::try_from(i64::try_from(offset).ok()? + i64::from(distance)).ok();
    distances.into_iter().map(target).collect()
}

/// Whether the next instruction starts a block.
fn ends_block(opcode: &Opcode) -> bool {
    !falls_through(opcode) || targets(usize::MAX >> 2, opcode).is_some_and(|targets| !targets.is_empty())
}

/// Whether control may go on with the next instruction.
pub fn falls_through(opcode: &Opcode) -> bool {
    use Opcode::*;
    !matches!(
        opcode,
        Goto(_) | Lookupswitch(_) | Tableswitch(_) | Return | Ireturn | Lreturn | Areturn | Freturn | Dreturn | Athrow
    )
}

/// Depth-first from block 0, with a stack of its own.
fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    seen[0] = true;
    let mut stack = vec![(0, 0)];
    let mut order = Vec::new();
    while let Some((block, edge)) = stack.pop() {
        match successors[block].get(edge) {
            None => order.push(block),
            Some(&next) => {
                stack.push((block, edge + 1));
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

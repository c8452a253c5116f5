//! What loads may give in a whole program.
//!
//! Which accesses of `main` are events depends on the cells that other threads touch, and those are found by the analysis: so
//! a first one scouts, with every access as an event.

use program::Unsupported;

use super::{Unseen, Values, values};
use crate::flow::Flow;
use crate::inline::Inlined;
use crate::unroll::Unrolling;
use crate::walk::whole::Whole;
use crate::walk::{Extras, Unfolded};

/// What loads may give, and how `main` starts and joins its threads.
pub fn whole_values(
    inlined: &Inlined,
    unrolling: &Unrolling,
    extras: Extras,
    flow: Flow,
) -> Result<(Values, Whole), Unsupported> {
    let analyse = |whole: &Whole| {
        let unfolded = Unfolded { inlined, unrolling, whole: Some(whole), extras };
        values(unfolded, flow, &Unseen::default())
    };
    let main = &unrolling.threads[Whole::MAIN.0 as usize];
    let whole = Whole::new(inlined, unrolling);
    let scouted = analyse(&whole)?.course;
    let mut whole = whole.learn(&scouted, main);
    let found = analyse(&whole)?;
    whole.order(&found.course.marks, main);
    if !whole.sends_messages() {
        return Ok((found, whole));
    }
    Ok((analyse(&whole)?, whole))
}

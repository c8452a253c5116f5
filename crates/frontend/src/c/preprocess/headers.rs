//! The headers that are built in.

/// Name and text of each header that is built in.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("assert.h", include_str!("../headers/assert.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("lsl_protos.h", include_str!("../headers/lsl_protos.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("sched.h", include_str!("../headers/sched.h")),
    ("semaphore.h", include_str!("../headers/semaphore.h")),
    ("stdatomic.h", include_str!("../headers/stdatomic.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("string.h", include_str!("../headers/string.h")),
    ("threads.h", include_str!("../headers/threads.h")),
    ("unistd.h", include_str!("../headers/unistd.h")),
];

/// Definitions that every program starts with.
pub(super) const PREDEFINED: &str = include_str!("../headers/predefined.h");

/// The text of the built-in header `name`.
pub(super) fn embedded(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

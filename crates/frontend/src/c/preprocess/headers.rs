//! The headers that are built in.

/// Name and text of each header that is built in.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("asm/types.h", include_str!("../headers/asm/types.h")),
    ("asm/unistd.h", include_str!("../headers/asm/unistd.h")),
    ("assert.h", include_str!("../headers/assert.h")),
    ("byteswap.h", include_str!("../headers/byteswap.h")),
    ("ctype.h", include_str!("../headers/ctype.h")),
    ("dirent.h", include_str!("../headers/dirent.h")),
    ("emmintrin.h", include_str!("../headers/emmintrin.h")),
    ("endian.h", include_str!("../headers/endian.h")),
    ("err.h", include_str!("../headers/err.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("fcntl.h", include_str!("../headers/fcntl.h")),
    ("features.h", include_str!("../headers/features.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("getopt.h", include_str!("../headers/getopt.h")),
    ("immintrin.h", include_str!("../headers/immintrin.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("iso646.h", include_str!("../headers/iso646.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("linux/futex.h", include_str!("../headers/linux/futex.h")),
    ("linux/types.h", include_str!("../headers/linux/types.h")),
    ("locale.h", include_str!("../headers/locale.h")),
    ("lsl_protos.h", include_str!("../headers/lsl_protos.h")),
    ("malloc.h", include_str!("../headers/malloc.h")),
    ("math.h", include_str!("../headers/math.h")),
    ("memory.h", include_str!("../headers/memory.h")),
    ("palisade_futex.h", include_str!("../headers/palisade_futex.h")),
    ("poll.h", include_str!("../headers/poll.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("sched.h", include_str!("../headers/sched.h")),
    ("semaphore.h", include_str!("../headers/semaphore.h")),
    ("setjmp.h", include_str!("../headers/setjmp.h")),
    ("signal.h", include_str!("../headers/signal.h")),
    ("stdalign.h", include_str!("../headers/stdalign.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdatomic.h", include_str!("../headers/stdatomic.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("stdnoreturn.h", include_str!("../headers/stdnoreturn.h")),
    ("string.h", include_str!("../headers/string.h")),
    ("strings.h", include_str!("../headers/strings.h")),
    ("sys/cdefs.h", include_str!("../headers/sys/cdefs.h")),
    ("sys/errno.h", include_str!("../headers/sys/errno.h")),
    ("sys/fcntl.h", include_str!("../headers/sys/fcntl.h")),
    ("sys/mman.h", include_str!("../headers/sys/mman.h")),
    ("sys/param.h", include_str!("../headers/sys/param.h")),
    ("sys/poll.h", include_str!("../headers/sys/poll.h")),
    ("sys/queue.h", include_str!("../headers/sys/queue.h")),
    ("sys/resource.h", include_str!("../headers/sys/resource.h")),
    ("sys/select.h", include_str!("../headers/sys/select.h")),
    ("sys/signal.h", include_str!("../headers/sys/signal.h")),
    ("sys/socket.h", include_str!("../headers/sys/socket.h")),
    ("sys/stat.h", include_str!("../headers/sys/stat.h")),
    ("sys/syscall.h", include_str!("../headers/sys/syscall.h")),
    ("sys/sysinfo.h", include_str!("../headers/sys/sysinfo.h")),
    ("sys/time.h", include_str!("../headers/sys/time.h")),
    ("sys/types.h", include_str!("../headers/sys/types.h")),
    ("sys/unistd.h", include_str!("../headers/sys/unistd.h")),
    ("sys/wait.h", include_str!("../headers/sys/wait.h")),
    ("syscall.h", include_str!("../headers/syscall.h")),
    ("threads.h", include_str!("../headers/threads.h")),
    ("time.h", include_str!("../headers/time.h")),
    ("unistd.h", include_str!("../headers/unistd.h")),
    ("wchar.h", include_str!("../headers/wchar.h")),
    ("x86intrin.h", include_str!("../headers/x86intrin.h")),
    ("xmmintrin.h", include_str!("../headers/xmmintrin.h")),
];

/// Definitions that every program starts with.
pub(super) const PREDEFINED: &str = include_str!("../headers/predefined.h");

/// Functions of gcc's that programs need not declare, written in C.
pub(super) const BUILTINS: &str = include_str!("../headers/builtins.h");

/// The text of the built-in header `name`.
pub(super) fn embedded(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

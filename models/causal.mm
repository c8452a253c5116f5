// name: causal: causal consistency
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: each order is total on all accesses, not only on a thread's own reads and the writes, which allows the same; questions about final values of memory are refused; threads may be ordered as wholes; monitors, of which these models say nothing, are held by one thread at a time and order what was done before they are left with what is done after they are entered
// relation: sc <= causal <= pram
model causal

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate lock(action)
  predicate unlock(action)
  predicate thread_start(action)
  predicate thread_end(action)
  predicate of[thread](action)
  relation program_order(action, action)
  relation ends_before(thread_end, thread_start)
  relation same_monitor(action, action)
  relation matching(lock, unlock)
  relation sees(read, write)
  relation same_location(action, action)

define
  set access = read | write
  // Who enters a monitor comes after who left it before.
  relation handed_on = turns & unlock * lock & same_monitor
  relation earlier =
      program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order

exists
  // All threads agree on who holds monitors when.
  order turns on lock | unlock
  // Each thread has its own order. Of the reads of other threads only the place after the write that they see matters: a
  // partial order of them with program order and write-into always extends to a total one.
  order ord[P] on access

forall
  L, M  : lock
  U     : unlock
  P     : thread
  R     : read
  W, W' : write

require
  <proper-locking: program order> program_order & (lock | unlock) * (lock | unlock) <= turns
  <proper-locking>
    matching(L, U) & same_monitor(L, M) & turns(L, M) & ~program_order(L, M) => turns(U, M)
  <program-order> earlier & access * access <= ord[P]
  <write-into> sees(R, W) => ord[P](W, R)

  // A read of this thread sees the last write of its location before it.
  <read-value: no overwritten write>
    ~(of[P](R) & sees(R, W) & same_location(W, W') & ord[P](W, W') & ord[P](W', R))

end model

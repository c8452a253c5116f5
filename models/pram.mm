// name: pram: pipelined random access memory
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: questions about final values of memory are refused; threads may be ordered as wholes; monitors, of which these models say nothing, are held by one thread at a time and order what was done before they are left with what is done after they are entered
// relation: sc <= causal <= pram; pc <= pram
model pram

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
  // Who enters a monitor comes after who left it before.
  relation handed_on = turns & unlock * lock & same_monitor
  relation earlier =
      program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order
  // What a thread knows: its own reads, and the writes of all.
  set view[P] = read & of[P] | write

exists
  // All threads agree on who holds monitors when.
  order turns on lock | unlock
  // Each thread has its own order of these.
  order ord[P] on view[P]

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
  <program-order> earlier & view[P] * view[P] <= ord[P]

  // A read sees the last write of its location before it, in the order of its thread.
  <read-value: no later write> sees(R, W) => ~ord[P](R, W)
  <read-value: no overwritten write> ~(sees(R, W) & same_location(W, W') & ord[P](W, W') & ord[P](W', R))

end model

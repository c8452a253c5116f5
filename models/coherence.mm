// name: coherence: each location by itself is sequentially consistent
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: the order of a location's accesses also decides its final value; threads may be ordered as wholes; monitors, of which these models say nothing, are held by one thread at a time and order what was done before they are left with what is done after they are entered
// relation: sc <= pc <= coherence
model coherence

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate lock(action)
  predicate unlock(action)
  predicate thread_start(action)
  predicate thread_end(action)
  predicate at[location](action)
  relation program_order(action, action)
  relation ends_before(thread_end, thread_start)
  relation same_monitor(action, action)
  relation matching(lock, unlock)
  relation sees(read, write)
  relation coherence(write, write)

define
  set access = read | write
  // Who enters a monitor comes after who left it before.
  relation handed_on = turns & unlock * lock & same_monitor
  relation earlier =
      program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order

exists
  // All threads agree on who holds monitors when.
  order turns on lock | unlock
  // One order of all accesses of each location.
  order ord[C] on access & at[C]

forall
  L, M  : lock
  U     : unlock
  C     : location
  R     : read
  W, W' : write

require
  <proper-locking: program order> program_order & (lock | unlock) * (lock | unlock) <= turns
  <proper-locking>
    matching(L, U) & same_monitor(L, M) & turns(L, M) & ~program_order(L, M) => turns(U, M)
  <program-order> earlier & (access & at[C]) * (access & at[C]) <= ord[C]

  // A read sees the last write before it.
  <read-value: no later write> sees(R, W) => ~ord[C](R, W)
  <read-value: no overwritten write> ~(sees(R, W) & ord[C](W, W') & ord[C](W', R))

  <final-value> coherence & at[C] * at[C] <= ord[C]

end model

// name: pc: processor consistency
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, correct it
// deviations: Nemos requires that the orders of threads be contained in the common order of writes too, which MemSAT found too strong; the common order is coherence, so that it also decides the final values of memory; threads may be ordered as wholes
// relation: sc <= pc <= pram; pc <= coherence
model pc

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate thread_start(action)
  predicate thread_end(action)
  predicate of[thread](action)
  relation program_order(action, action)
  relation ends_before(thread_end, thread_start)
  relation sees(read, write)
  relation same_location(action, action)
  relation coherence(write, write)

define
  relation earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order
  // What a thread knows: its own reads, and the writes of all.
  set view[P] = read & of[P] | write

exists
  // Each thread has its own order of these.
  order ord[P] on view[P]

forall
  P     : thread
  R     : read
  W, W' : write

require
  <program-order> earlier & view[P] * view[P] <= ord[P]

  // A read sees the last write of its location before it, in the order of its thread.
  <read-value: no later write> sees(R, W) => ~ord[P](R, W)
  <read-value: no overwritten write> ~(sees(R, W) & same_location(W, W') & ord[P](W, W') & ord[P](W', R))

  // All threads agree on the order of the writes of each location.
  <common-write-order> coherence <= ord[P]

end model

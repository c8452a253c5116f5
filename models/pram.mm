// name: pram: pipelined random access memory
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: questions about final values of memory are refused; threads may be ordered as wholes
// relation: sc <= causal <= pram; pc <= pram
model pram

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

end model

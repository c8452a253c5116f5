// name: coherence: each location by itself is sequentially consistent
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: the order of a location's accesses also decides its final value; threads may be ordered as wholes
// relation: sc <= pc <= coherence
model coherence

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate thread_start(action)
  predicate thread_end(action)
  predicate at[location](action)
  relation program_order(action, action)
  relation ends_before(thread_end, thread_start)
  relation sees(read, write)
  relation coherence(write, write)

define
  set access = read | write
  relation earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order

exists
  // One order of all accesses of each location.
  order ord[C] on access & at[C]

forall
  C     : location
  R     : read
  W, W' : write

require
  <program-order> earlier & (access & at[C]) * (access & at[C]) <= ord[C]

  // A read sees the last write before it.
  <read-value: no later write> sees(R, W) => ~ord[C](R, W)
  <read-value: no overwritten write> ~(sees(R, W) & ord[C](W, W') & ord[C](W', R))

  <final-value> coherence & at[C] * at[C] <= ord[C]

end model

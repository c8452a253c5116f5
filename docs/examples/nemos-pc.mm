// name: nemos-pc: processor consistency as Nemos states it, with its mistake, for study
// source: Yang, Gopalakrishnan, Lindstrom, Slind, Nemos, IPDPS 2004; the mistake was found by Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, section 4.1
// deviations: none known
// relation: forbids as much as sc on the tests of Nemos; pc is the corrected model
model nemos-pc

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate of[thread](action)
  relation program_order(action, action)
  relation sees(read, write)
  relation same_location(action, action)

define
  relation earlier = program_order | initial * (action \ initial)
  // What a thread knows: its own reads, and the writes of all.
  set view[P] = read & of[P] | write

exists
  // Each thread has its own order, which matters for what it knows; and there is one that all share.
  relation ord[thread](action, action)
  relation common(action, action)

forall
  P       : thread
  X, Y, Z : action
  R       : read
  W, W'   : write

require
  <program-order> earlier & view[P] * view[P] <= ord[P]
  <weak-total> view[P](X) & view[P](Y) & ~(X = Y) => ord[P](X, Y) | ord[P](Y, X)
  <transitive> view[P](X) & view[P](Y) & view[P](Z) & ord[P](X, Y) & ord[P](Y, Z) => ord[P](X, Z)
  <asymmetric> view[P](X) & view[P](Y) => ~(ord[P](X, Y) & ord[P](Y, X))
  <read-value: no later write> view[P](R) & sees(R, W) => ~ord[P](R, W)
  <read-value: no overwritten write>
    ~(view[P](R) & sees(R, W) & same_location(W, W') & ord[P](W, W') & ord[P](W', R))

  // All threads agree on the order of the writes of each location.
  <common-write-order> same_location(W, W') & ~(W = W') => common(W, W') | common(W', W)
  // The mistake: `=>` is meant. As it stands, the orders of all threads are the same.
  <map-constraints> common(X, Y) <=> ord[P](X, Y)

end model

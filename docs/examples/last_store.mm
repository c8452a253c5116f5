// name: last_store: a thread's stores stay in order, and a load sees the last store of its location
// source: an example of docs/guide.md
// deviations: none
// relation: weaker than sc: only stores are kept in program order
model last_store

predefined
  set instruction
  predicate access(instruction)
  predicate load(access)
  predicate store(access)
  predicate has_seed(load)
  relation seed(load, store)
  relation aliased(access, access)
  relation program_order(instruction, instruction)

exists
  relation memory_order(access, access)

forall
  L       : load
  S, S'   : store
  X, Y, Z : access

require
  // Memory order is total.
  <T1> memory_order(X, Y) & memory_order(Y, Z) => memory_order(X, Z)
  <T2> ~memory_order(X, X)
  <T3> memory_order(X, Y) | memory_order(Y, X) | X = Y

  // Stores are not reordered.
  <stores> program_order(S, S') => memory_order(S, S')

  // A load sees the last store before it, or the initial value if there is none.
  <v1> seed(L, S) => memory_order(S, L)
  <v2> seed(L, S) & aliased(L, S') & memory_order(S', L) & ~(S = S') => memory_order(S', S)
  <v3> aliased(L, S) & memory_order(S, L) => has_seed(L)

end model

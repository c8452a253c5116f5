// name: sc: sequential consistency, by axioms
// source: Burckhardt, Memory model sensitive analysis of concurrent data types, thesis, 2007, section 3.5.2
// deviations: <co> is added, so that memory order also decides the final values of memory
// relation: the same as sc.cat
model sc

predefined
  set instruction
  predicate access(instruction)
  predicate load(access)
  predicate store(access)
  predicate has_seed(load)
  relation seed(load, store)
  relation aliased(access, access)
  relation program_order(instruction, instruction)
  relation atomic(instruction, instruction)
  relation coherence(store, store)

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

  // It keeps program order.
  <M1> program_order(X, Y) => memory_order(X, Y)

  // A load sees the last store before it, or the initial value if there is none.
  <v1> seed(L, S) => memory_order(S, L)
  <v2> seed(L, S) & aliased(L, S') & memory_order(S', L) & ~(S = S') => memory_order(S', S)
  <v3> aliased(L, S) & memory_order(S, L) => has_seed(L)

  // Nothing comes between the accesses of an atomic block.
  <a1> atomic(X, Y) & program_order(X, Y) & ~atomic(Y, Z) & memory_order(X, Z) => memory_order(Y, Z)

  <co> coherence(S, S') => memory_order(S, S')

end model

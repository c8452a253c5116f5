// name: write_once: last_store, where no location is stored to twice
// source: an example of docs/systems/memsat.md
// deviations: none
// relation: stronger than last_store
model write_once

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

  // In the logic of MemSAT: what is stored once is stored for good, and no value is stored more than three times.
  <once> no {S, S' : store | l(S) = l(S') & ~(S = S')}
  <few> #{S : store | V(S) = 1} <= 3
  <values> seed(L, S) => V(L) = V(S)
  // `L` is any load: variables of an axiom may be used within its sets.
  <seed> lone {S : store | seed(L, S)}

end model

// name: relaxed: what common machines have in common
// source: Burckhardt, Memory model sensitive analysis of concurrent data types, thesis, 2007, section 3.5.3
// deviations: <ff> is added for final fields of Java; <co> is added, so that memory order also decides the final values of memory; <thin-air> is added, as in relaxed.cat (the thesis's range analysis leaves such executions out, section 7.3.2)
// relation: rmo <= relaxed; the weakest model with one memory order: dependencies order nothing without a fence
model relaxed

predefined
  set instruction
  predicate access(instruction)
  predicate load(access)
  predicate store(access)
  predicate has_seed(load)
  relation seed(load, store)
  relation aliased(access, access)
  relation program_order(instruction, instruction)
  relation data_dependent(load, instruction)
  relation control_dependent(load, instruction)
  relation atomic(instruction, instruction)
  relation coherence(store, store)
  predicate final_field(access)
  predicate fence(instruction)
  predicate ll_fence(fence)
  predicate ls_fence(fence)
  predicate sl_fence(fence)
  predicate ss_fence(fence)
  predicate al_fence(fence)
  predicate ddl_fence(fence)
  predicate cd_fence(fence)

exists
  relation memory_order(access, access)

forall
  L, L'   : load
  S, S'   : store
  X, Y, Z : access
  F       : fence

require
  // Memory order is total.
  <T1> memory_order(X, Y) & memory_order(Y, Z) => memory_order(X, Z)
  <T2> ~memory_order(X, X)
  <T3> memory_order(X, Y) | memory_order(Y, X) | X = Y

  // A store stays after earlier accesses of its location.
  <M1> program_order(X, S) & aliased(X, S) => memory_order(X, S)

  // Fences keep apart what their names say.
  <ll> ll_fence(F) & program_order(L, F) & program_order(F, L') => memory_order(L, L')
  <ls> ls_fence(F) & program_order(L, F) & program_order(F, S') => memory_order(L, S')
  <sl> sl_fence(F) & program_order(S, F) & program_order(F, L') => memory_order(S, L')
  <ss> ss_fence(F) & program_order(S, F) & program_order(F, S') => memory_order(S, S')
  <al> al_fence(F) & program_order(L, F) & program_order(F, L') & aliased(L, L') => memory_order(L, L')
  <dd> ddl_fence(F) & program_order(L, F) & program_order(F, L') & data_dependent(L, L') => memory_order(L, L')
  <cd> cd_fence(F) & program_order(L, F) & program_order(F, X) & control_dependent(L, X) => memory_order(L, X)

  // Who reads a final field of Java, or something through it, does so after the address was read.
  <ff> data_dependent(L, L') & (final_field(L) | final_field(L')) => memory_order(L, L')

  // A load sees the last store before it, in memory order or of its own thread, or else the initial value.
  <v1> seed(L, S) => memory_order(S, L) | program_order(S, L)
  <v2> seed(L, S) & aliased(L, S') & (memory_order(S', L) | program_order(S', L)) & ~(S = S')
         => memory_order(S', S)
  <v3> aliased(L, S) & (memory_order(S, L) | program_order(S, L)) => has_seed(L)

  // The accesses of an atomic block come in order, and nothing between them.
  <a1> atomic(X, Y) & program_order(X, Y) & ~atomic(Y, Z) & memory_order(X, Z) => memory_order(Y, Z)
  <a2> atomic(X, Y) & program_order(X, Y) => memory_order(X, Y)

  <co> coherence(S, S') => memory_order(S, S')

  // No value comes about in a circle.
  <thin-air> acyclic seed^-1 | data_dependent

end model

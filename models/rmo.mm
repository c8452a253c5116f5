// name: rmo: SPARC relaxed memory order
// source: Burckhardt, Memory model sensitive analysis of concurrent data types, thesis, 2007, section 3.6.1, after The SPARC Architecture Manual, version 9, appendix D
// deviations: <co> is added, so that memory order also decides the final values of memory; <thin-air> is added, which the others imply, so that it is seen without search
// relation: pso <= rmo <= relaxed (but for the fences al, ddl and cd, which only relaxed knows)
model rmo

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
  predicate fence(instruction)
  predicate ll_fence(fence)
  predicate ls_fence(fence)
  predicate sl_fence(fence)
  predicate ss_fence(fence)

exists
  relation memory_order(access, access)
  relation dependence_order(access, access)

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

  // A load stays before what depends on it.
  <A1> program_order(L, X) & dependence_order(L, X) => memory_order(L, X)

  // Fences keep apart what their names say.
  <A2_ll> ll_fence(F) & program_order(L, F) & program_order(F, L') => memory_order(L, L')
  <A2_ls> ls_fence(F) & program_order(L, F) & program_order(F, S') => memory_order(L, S')
  <A2_sl> sl_fence(F) & program_order(S, F) & program_order(F, L') => memory_order(S, L')
  <A2_ss> ss_fence(F) & program_order(S, F) & program_order(F, S') => memory_order(S, S')

  // A store stays after earlier accesses of its location.
  <A3> program_order(X, S) & aliased(X, S) => memory_order(X, S)

  // A load sees the last store before it, in memory order or of its own thread, or else the initial value.
  <v1> seed(L, S) => memory_order(S, L) | program_order(S, L)
  <v2> seed(L, S) & aliased(L, S') & (memory_order(S', L) | program_order(S', L)) & ~(S = S')
         => memory_order(S', S)
  <v3> aliased(L, S) & (memory_order(S, L) | program_order(S, L)) => has_seed(L)

  // What depends on what, within a thread.
  <D1> program_order(X, S) & control_dependent(X, S) => dependence_order(X, S)
  <D2> program_order(X, Y) & data_dependent(X, Y) => dependence_order(X, Y)
  <D3> program_order(S, L) & aliased(S, L) => dependence_order(S, L)
  <Dt> program_order(X, Y) & program_order(Y, Z) & dependence_order(X, Y) & dependence_order(Y, Z)
         => dependence_order(X, Z)

  // The accesses of an atomic block come in order, and nothing between them.
  <a1> atomic(X, Y) & program_order(X, Y) & ~atomic(Y, Z) & memory_order(X, Z) => memory_order(Y, Z)
  <a2> atomic(X, Y) & program_order(X, Y) => memory_order(X, Y)

  <co> coherence(S, S') => memory_order(S, S')

  // No value comes about in a circle.
  <thin-air> acyclic seed^-1 | data_dependent

end model

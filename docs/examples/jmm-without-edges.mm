// name: jmm-without-edges: the revised Java memory model with a mistake, for study
// source: Sevcik, Aspinall, On validity of program transformations in the Java memory model, ECOOP 2008, as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, figure 3, state it
// deviations: as jmm-revised, but nothing synchronises with the starts of threads: neither initial writes nor the ends of earlier threads. MemSAT (section 4.2) found that the published text says so, and that no program has an execution then: the core of any program shows why
// relation: forbids everything that reads an initial value
model jmm-without-edges
executions

predefined
  set action
  predicate read(action)
  predicate write(action)
  predicate initial(write)
  predicate volatile(action)
  predicate lock(action)
  predicate unlock(action)
  predicate thread_start(action)
  predicate thread_end(action)
  predicate special(action)
  relation program_order(action, action)
  relation sees(read, write)
  relation same_location(action, action)
  relation same_monitor(action, action)
  relation matching(lock, unlock)
  relation ends_before(thread_end, thread_start)
  relation freezes(action, read)
  relation dereferences(read, action)
  relation memory_chain(action, action)
  predicate value_agrees[execution](write)
  predicate location_agrees[execution](action)

exists
  // The actions that are committed when E_I is done; none for 0.
  predicate committed[execution](action)
  order so[E] on synchronisation[E]

define
  set synchronisation[E] = volatile[E] \ initial[E] | lock[E] | unlock[E] | thread_start[E] | thread_end[E]

  // Synchronises-with, without edges to the starts of threads.
  relation sw[E] =
      so[E] & (unlock[E] * lock[E] & same_monitor[E] | write[E] * read[E] & same_location[E])

  // Happens-before: the closure of program order and synchronises-with. As program order is transitive, it is enough to
  // close the steps between synchronisation actions.
  relation across[E] = (sw[E] | [synchronisation[E]]; program_order[E]; sw[E])^+
  relation hb[E] = program_order[E] | program_order[E]?; across[E]; program_order[E]?

  // Final fields (17.5.1): what happens before a freeze counts as happening before a read of the frozen field through a
  // reference that was written after the freeze, and before what is read through that field. This is not transitive.
  relation frozen[E] = ([domain(freezes[E])]; hb[E]; memory_chain[E]^+) & freezes[E]
  relation guaranteed[E] = hb[E]; frozen[E]; (dereferences[E]^+)?

forall
  E             : run
  I             : execution
  R_E           : read[E]
  W_E, V_E      : write[E]
  L_E, M_E      : lock[E]
  U_E           : unlock[E]
  R             : read
  W             : write
  R_I           : read[I]
  W_I           : write[I]
  X, Y          : action

require
  // Every execution is well formed.
  <synchronisation-order> program_order[E] & synchronisation[E] * synchronisation[E] | ends_before[E] <= so[E]
  <proper-locking>
    matching[E](L_E, U_E) & same_monitor[E](L_E, M_E) & so[E](L_E, M_E) & ~program_order[E](L_E, M_E) => so[E](U_E, M_E)
  <volatile-read: no later write> sees[E](R_E, W_E) => ~so[E](R_E, W_E)
  <volatile-read: the last write>
    sees[E](R_E, W_E) & same_location[E](V_E, R_E) & so[E](V_E, R_E) & ~(V_E = W_E) => so[E](V_E, W_E)
  <happens-before-read: no later write> sees[E](R_E, W_E) => ~hb[E](R_E, W_E)
  <happens-before-read: no overwritten write>
    ~(sees[E](R_E, W_E) & same_location[E](V_E, R_E) & hb[E](W_E, V_E) & (hb[E](V_E, R_E) | guaranteed[E](V_E, R_E)))

  // Actions are committed step by step, until all are.
  <commit: nothing at first> empty committed[0]
  <commit: more and more> committed[I-1] <= committed[I]
  <commit: all at last> action <= committed[last]
  <commit: same location and monitor> committed[I] <= location_agrees[I]

  <jmm-rule-1: committed actions are executed> committed[I] <= action[I]
  <jmm-rule-2: committed reads and happens-before>
    committed[I](R) & sees(R, W) => (hb(W, R) <=> hb[I](W, R)) & ~hb[I](R, W)
  <jmm-rule-4: committed writes write the same> committed[I] & write <= value_agrees[I]
  <jmm-rule-5: earlier committed reads see the same> committed[I-1](R) & sees(R, W) => sees[I](R, W)
  <jmm-rule-6: other reads see writes that happen before> sees[I](R_I, W_I) => committed[I-1](R_I) | hb[I](W_I, R_I) | guaranteed[I](W_I, R_I)
  <jmm-rule-7: committed reads see committed writes>
    committed[I](R) & sees(R, W) => committed[I-1](R) | committed[I-1](W)
  <jmm-rule-9: special actions and what happens before>
    committed[I](Y) & special(Y) & hb(X, Y) => committed[I](X)

show
  sw, hb

end model

// name: jmm-original: the Java memory model
// source: Manson, Pugh, Adve, The Java memory model, POPL 2005; Java language specification 17.4.8; as Torlak, Vaziri, Dolby, MemSAT, PLDI 2010, check it
// deviations: as in MemSAT ends of threads synchronise with starts of later threads, and rule 8 is about E_1..E_k, not about the main execution; in rule 8 an action happens before itself; final fields as in 17.5.1, but for chains through objects that were made before the threads start
// relation: forbids causality tests 19 and 20 and transformation test 5, which jmm-revised allows
model jmm-original
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

  // Synchronises-with. Initial writes are as if written by a thread that ends before all others start.
  relation sw[E] =
      so[E] & (unlock[E] * lock[E] & same_monitor[E] | write[E] * read[E] & same_location[E] | ends_before[E])
    | initial[E] * thread_start[E]

  // Happens-before: the closure of program order and synchronises-with. As program order is transitive, it is enough to
  // close the steps between synchronisation actions.
  relation across[E] = (sw[E] | [synchronisation[E]]; program_order[E]; sw[E])^+
  relation hb[E] = program_order[E] | program_order[E]?; across[E]; program_order[E]?

  // What E_I commits anew; what happens before or is such an action; the synchronisation without which happens-before
  // would be another one.
  set fresh[I] = committed[I] \ committed[I-1]
  set before_fresh[I] = domain([synchronisation[I]]; hb[I]?; [fresh[I]])
  relation ssw[I] = sw[I] \ program_order[I] \ (sw[I] & (hb[I]; hb[I]))

  // Final fields (17.5.1): what happens before a freeze counts as happening before a read of the frozen field through a
  // reference that was written after the freeze, and before what is read through that field. This is not transitive.
  relation frozen[E] = ([domain(freezes[E])]; hb[E]; memory_chain[E]^+) & freezes[E]
  relation guaranteed[E] = hb[E]; frozen[E]; (dereferences[E]^+)?

forall
  E             : run
  I, J          : execution
  R_E           : read[E]
  W_E, V_E      : write[E]
  L_E, M_E      : lock[E]
  U_E           : unlock[E]
  R             : read
  W             : write
  R_I           : read[I]
  W_I           : write[I]
  X_I           : action[I]
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
  <jmm-rule-2: committed happens-before agrees> committed[I](X) & committed[I](Y) => (hb[I](X, Y) <=> hb(X, Y))
  <jmm-rule-3: committed synchronisation order agrees> committed[I](X) & committed[I](Y) => (so[I](X, Y) <=> so(X, Y))
  <jmm-rule-4: committed writes write the same> committed[I] & write <= value_agrees[I]
  <jmm-rule-5: earlier committed reads see the same> committed[I-1](R) & sees(R, W) => sees[I](R, W)
  <jmm-rule-6: other reads see writes that happen before> sees[I](R_I, W_I) => committed[I-1](R_I) | hb[I](W_I, R_I) | guaranteed[I](W_I, R_I)
  <jmm-rule-7: committed reads see committed writes>
    (forall R : read . forall W : write . fresh[I](R) & sees(R, W) => committed[I-1](W))
    & (forall R : read . forall W : write[I] . fresh[I](R) & sees[I](R, W) => committed[I-1](W))
  <jmm-rule-8: sufficient synchronisation stays> I <= J => ssw[I]; [before_fresh[I]] <= sw[J]
  <jmm-rule-9: special actions that happen before> committed[I](Y) & special[I](X_I) & hb[I](X_I, Y) => committed[I](X_I)

show
  sw, hb

end model

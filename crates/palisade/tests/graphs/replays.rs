//! The schedule of a graph that was found makes it happen again: with the same failure, and to the same final state.

use mcr::graphs::schedule::{parse, print};
use palisade::graphs::{explored, replay};
use palisade::{Engine, Model, Request, Task};
use program::End;
use testing::campaign::{Tally, asked, run};
use testing::concurrent_c::{concurrent, rivals};
use testing::litmus_c::{litmus, threads};
use testing::random::Random;

/// Asks, and lets what was found happen again, from the text of its schedule.
fn again(task: &Task, text: &str, tally: &mut Tally) {
    for name in ["rc11", "rc20", "tso"] {
        let model = Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"));
        let mut request = Request { engine: Engine::Mcr, ..Request::new(task, &model) };
        request.options.mcr.classes = palisade::request::Classes::Mazurkiewicz;
        request.options.mcr.max_executions = Some(2_000);
        let Ok(answer) = request.answer() else { continue };
        let Some(growth) = &answer.growth else { continue };
        let written = print(&growth.schedule, name);
        let read = parse(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
        assert_eq!(read, growth.schedule);
        let program = explored(&request).unwrap_or_else(|refusal| panic!("{refusal}"));
        let replayed = replay(&program, &request, &read).unwrap_or_else(|why| panic!("{why:?}\n{written}\n{text}"));
        match (&answer.outcome.failure, replayed.replay.end) {
            (Some(failure), End::Failed(found)) => {
                // Answers also say where memory was allocated.
                let is_same = failure.kind == found.kind && failure.message.starts_with(&found.message);
                assert!(is_same, "{failure:?}, but then {found:?}\n{written}\n{text}");
                tally.count(&format!("{name} fails"));
            }
            (None, End::Finished) => {
                let witness = answer.outcome.witness.unwrap_or_else(|| panic!("no witness\n{text}"));
                assert_eq!(witness.state, replayed.replay.execution.state, "{written}\n{text}");
                tally.count(&format!("{name} allowed"));
            }
            (failure, end) => panic!("under {name} {failure:?}, but then {end:?}\n{written}\n{text}"),
        }
    }
}

fn whole(random: &mut Random, tally: &mut Tally) {
    let text = if random.below(2) == 0 { concurrent(random) } else { rivals(random) };
    let task = Task::c("random.c", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    again(&task, &text, tally);
}

fn small(random: &mut Random, tally: &mut Tally) {
    let text = litmus(&threads(random, 3));
    let task = Task::litmus("random.litmus", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    again(&task, &text, tally);
}

#[test]
fn what_was_found_happens_again() {
    let tally = run(1, 100, whole);
    assert!(tally.of("rc11 fails") > 20 && tally.of("tso fails") > 5, "{tally:?}");
    let tally = run(1, 40, small);
    assert!(tally.of("rc20 allowed") > 10, "{tally:?}");
    // Another thread writes between the read and the write of an exchange, if these do not stay together.
    run(2358, 1, small);
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn much_that_was_found_happens_again() {
    let (first, times) = asked(2_000);
    run(first, times, whole);
    run(first, times, small);
}

/// A read may get what was overwritten; not what came before something that its thread has seen.
#[test]
fn a_step_that_the_model_forbids_is_refused() {
    let text = "#include <stdatomic.h>\n#include <pthread.h>\natomic_int x;\n\
        void *t(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); return 0; }\n\
        int main(void) {\n    pthread_t a;\n    pthread_create(&a, 0, t, 0);\n\
        \x20   int first = atomic_load_explicit(&x, memory_order_relaxed);\n\
        \x20   return first - atomic_load_explicit(&x, memory_order_relaxed);\n}\n";
    let task = Task::c("twice.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let model = Model::named("rc11").unwrap_or_else(|refusal| panic!("{refusal}"));
    let request = Request::new(&task, &model);
    let program = explored(&request).unwrap_or_else(|refusal| panic!("{refusal}"));
    let steps = |second: &str| {
        let text =
            format!("palisade schedule 1\nstart 0 1\nwrite 1 after start\nread 0 from 1 0\nread 0 from {second}\n");
        let schedule = parse(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
        replay(&program, &request, &schedule).map(|replayed| replayed.replay.end).map_err(|why| format!("{why:?}"))
    };
    assert_eq!(steps("1 0"), Ok(End::Finished));
    assert_eq!(steps("start"), Err("Step(4, \"the model forbids this\")".into()));
    assert_eq!(steps("1 7"), Err("Step(4, \"there is no such write of this location\")".into()));
}

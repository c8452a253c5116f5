//! Explorations that are divided: the parts together have the executions and errors of the whole.

use std::sync::Arc;

use palisade::cube::Cube;
use palisade::{Engine, Mcr, Model, Options, Request, Task, Verdict, cubes};
use testing::campaign::{Tally, asked, run};
use testing::concurrent_c::{concurrent, rivals};
use testing::random::Random;

/// Executions, blocked ones, and whether something goes wrong; nothing if no end is reached soon.
type Came = Option<(u64, u64, bool)>;

fn request<'a>(task: &'a Task, model: &'a Model, cube: Option<Arc<Cube>>) -> Request<'a> {
    let mcr = Mcr { exhaustive: true, jobs: Some(1), max_executions: Some(5_000), cube, ..Mcr::default() };
    Request { engine: Engine::Mcr, options: Options { mcr, ..Options::default() }, ..Request::new(task, model) }
}

fn explored(task: &Task, model: &Model, cube: Option<&Arc<Cube>>) -> Came {
    let answer = request(task, model, cube.cloned()).answer().ok()?;
    let is_complete = answer.outcome.part.as_ref().map_or(answer.is_decided(), |part| part.is_complete);
    let number = |wanted: &str| {
        let mut figures = answer.outcome.statistics.figures.iter();
        figures.find(|(name, _)| name == wanted).map_or(0, |(_, number)| *number)
    };
    let is_wrong = answer.outcome.verdict == Verdict::Violated;
    (is_complete && answer.outcome.incomplete.is_none())
        .then(|| (number("executions"), number("blocked executions"), is_wrong))
}

fn same(text: &str, parts: usize, tally: &mut Tally) {
    let task = Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    for name in ["rc11", "sc"] {
        let model = Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"));
        let Ok(cubes) = cubes::divide(&request(&task, &model, None), parts) else {
            tally.count("not divided");
            continue;
        };
        assert_eq!(cubes.len(), parts, "{text}");
        let cubes = cubes.iter().map(|cube| {
            let read = Cube::parse(&cube.to_json()).unwrap_or_else(|| panic!("{}\n{text}", cube.to_json()));
            assert_eq!(&read, cube, "{text}");
            Arc::new(read)
        });
        let came: Vec<Came> = cubes.map(|cube| explored(&task, &model, Some(&cube))).collect();
        // On a machine classes are counted in another way unless execution graphs are asked for.
        let all = Arc::new(cubes::divide(&request(&task, &model, None), 1).expect("one part").remove(0));
        let (Some(whole), Some(came)) =
            (explored(&task, &model, Some(&all)), came.into_iter().collect::<Option<Vec<_>>>())
        else {
            tally.count("not explored");
            continue;
        };
        let sum = came.iter().fold((0, 0, false), |sum, part| (sum.0 + part.0, sum.1 + part.1, sum.2 || part.2));
        assert_eq!(sum, whole, "under {name}, in {parts} parts\n{text}");
        if name == "rc11" {
            assert_eq!(explored(&task, &model, None), Some(whole), "not divided\n{text}");
        }
        tally.count(if whole.2 { "violated" } else { "holds" });
        tally.count_if(came.iter().filter(|part| part.0 > 0).count() > 1, "in several parts");
    }
}

fn programs(random: &mut Random, tally: &mut Tally) {
    let text = if random.below(2) == 0 { concurrent(random) } else { rivals(random) };
    let parts = [2, 3, 7, 20][random.below(4) as usize];
    same(&text, parts, tally);
}

#[test]
fn parts_have_the_executions_of_the_whole() {
    let tally = run(1, 40, programs);
    assert!(tally.of("in several parts") > 20 && tally.of("violated") > 5 && tally.of("holds") > 5, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn parts_have_the_executions_of_the_whole_in_many_programs() {
    let (first, times) = asked(2_000);
    run(first, times, programs);
}

#[test]
fn what_is_no_cube_is_not_read() {
    for text in [
        "",
        "{}",
        "[]",
        "{\"schema\":1,\"cube\":0,\"of\":2,\"question\":\"\",\"decisions\":1,\"top\":true,\"subtrees\":[]}",
    ] {
        assert_eq!(Cube::parse(text), None, "{text}");
    }
}

//! Executions that go wrong, as every engine shows them: in the words of the program, with the step that fails marked, and last.

use palisade::{Engine, Model, Request, Task, Verdict};
use report::html;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";

const ENGINES: [(Engine, &str); 6] = [
    (Engine::Axiomatic, "rc11"),
    (Engine::Mcr, "rc11"),
    (Engine::Axiomatic, "sc"),
    (Engine::Operational, "sc"),
    (Engine::Operational, "tso"),
    (Engine::Mcr, "pso"),
];

/// An answer in the forms in which it can be had.
struct Told {
    text: String,
    dot: String,
    json: serde_json::Value,
    page: String,
}

fn told(text: &str, (engine, model): (Engine, &str)) -> Told {
    let task = Task::c("told.c", &format!("{HEAD}{text}")).unwrap_or_else(|refusal| panic!("{refusal}"));
    let model = Model::named(model).unwrap_or_else(|refusal| panic!("{refusal}"));
    let mut answer = Request { engine, ..Request::new(&task, &model) }.answer().unwrap_or_else(|no| panic!("{no}"));
    assert_eq!(answer.outcome.verdict, Verdict::Violated, "{} under {}", engine.name(), model.name());
    let steps = answer.steps();
    let shown = answer.shown("told.c");
    Told {
        text: steps.unwrap_or_else(|| answer.text("told.c")),
        dot: report::dot::answer(&shown),
        json: report::json::value(&shown),
        page: html::answer(&shown),
    }
}

/// The last row of the execution is marked, and so many are; nothing has a number where the program has a name.
fn assert_ends_where_it_fails(text: &str, stops: usize) {
    for asked in ENGINES {
        let told = told(text, asked);
        let about = format!("{} under {}", asked.0.name(), asked.1);
        let marked: Vec<&str> = told.text.lines().filter(|line| line.contains("<== here")).collect();
        assert_eq!(marked.len(), stops, "{about}: {}", told.text);
        let after = told.text.lines().skip_while(|line| *line != marked[marked.len() - 1]).nth(1);
        assert!(after.is_none_or(|line| line.trim().is_empty()), "{about}: {}", told.text);
        assert!(told.dot.contains("#d1242f"), "{about}: {}", told.dot);
        assert!(told.page.contains("goes wrong here"), "{about}: {}", told.page);
        let events = told.json["witness"]["events"].as_array().expect("events");
        let cells: String = events.iter().map(|event| format!("{} {} ", event["location"], event["name"])).collect();
        for text in [&told.text, &told.dot, &told.page, &cells] {
            let has_number = |word: &str| word.len() > 8 && word.chars().all(|c| c.is_ascii_digit());
            assert!(!text.split(|c: char| !c.is_ascii_digit()).any(has_number), "{about}: {text}");
        }
    }
}

const USE_AFTER_FREE: &str = "struct node { int key; struct node *next; };
_Atomic(struct node *) slot;
void *reader(void *arg) {
    struct node *n = atomic_load(&slot);
    if (n) return (void *)(long)n->key;
    return 0;
}
void *remover(void *arg) { free(atomic_exchange(&slot, NULL)); return 0; }
int main(void) {
    pthread_t a, b;
    struct node *n = malloc(sizeof *n);
    n->key = 1; n->next = 0;
    atomic_store(&slot, n);
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, remover, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}";

#[test]
fn a_use_after_free_comes_last() {
    assert_ends_where_it_fails(USE_AFTER_FREE, 1);
    for asked in ENGINES {
        let text = told(USE_AFTER_FREE, asked).text;
        assert!(text.contains("free node1"), "{text}");
    }
}

const OUT_OF_BOUNDS: &str = "struct queue { int data[2]; atomic_int tail; } q;
void *push(void *arg) {
    for (int i = 0; i < 2; i++) q.data[atomic_fetch_add(&q.tail, 1)] = 7;
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, push, 0);
    q.data[atomic_fetch_add(&q.tail, 1)] = 7;
    pthread_join(a, 0);
    return 0;
}";

#[test]
fn an_index_out_of_bounds_comes_last_although_earlier_ones_at_its_place_are_right() {
    assert_ends_where_it_fails(OUT_OF_BOUNDS, 1);
    for asked in ENGINES {
        let told = told(OUT_OF_BOUNDS, asked);
        assert!(told.text.contains("q.tail"), "{}", told.text);
        let message = told.json["failure"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("an index out of bounds"), "{} under {}: {message}", asked.0.name(), asked.1);
    }
}

#[test]
fn what_comes_after_a_failed_assertion_is_not_shown() {
    let text = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int x, after;
    void *t(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
    int main(void) {
        pthread_t a;
        pthread_create(&a, 0, t, 0);
        pthread_mutex_lock(&m);
        assert(x == 0);
        after = 1;
        pthread_mutex_unlock(&m);
        pthread_join(a, 0);
        return 0;
    }";
    assert_ends_where_it_fails(text, 1);
    for asked in ENGINES {
        let told = told(text, asked);
        assert!(!told.text.contains("after"), "{}", told.text);
        assert!(told.text.contains("lock(m)") && told.dot.contains("lock(m)"), "{}{}", told.text, told.dot);
        let events = told.json["witness"]["events"].as_array().expect("events").iter();
        let of_lock = |event: &&serde_json::Value| event["location"] == "m" && !event["thread"].is_null();
        assert!(events.filter(of_lock).all(|event| event["does"].as_str().is_some_and(|does| does.ends_with("(m)"))));
    }
}

#[test]
fn only_the_unlock_that_fails_is_marked() {
    let text = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int x;
    void *t(void *arg) {
        pthread_mutex_lock(&m);
        x++;
        if (x == 2) pthread_mutex_unlock(&m);
        pthread_mutex_unlock(&m);
        return 0;
    }
    int main(void) {
        pthread_t a, b;
        pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);
        pthread_join(a, 0); pthread_join(b, 0);
        return 0;
    }";
    assert_ends_where_it_fails(text, 1);
}

#[test]
fn an_access_through_null_comes_last_without_a_cell() {
    let text = "struct settings { int first, level; } usual = {1, 2};
    _Atomic(struct settings *) current;
    int seen;
    void *use(void *arg) { struct settings *s = atomic_load(&current); seen = s->level; return 0; }
    int main(void) {
        pthread_t a;
        pthread_create(&a, 0, use, 0);
        atomic_store(&current, &usual);
        pthread_join(a, 0);
        return 0;
    }";
    assert_ends_where_it_fails(text, 1);
    for asked in ENGINES {
        let text = told(text, asked).text;
        assert!(!text.contains("no cell") && !text.contains("seen :="), "{text}");
    }
}

#[test]
fn threads_that_wait_for_each_other_end_with_that() {
    let text = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
    void *t(void *arg) {
        pthread_mutex_lock(&m); pthread_mutex_lock(&n);
        pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);
        return 0;
    }
    int main(void) {
        pthread_t a;
        pthread_create(&a, 0, t, 0);
        pthread_mutex_lock(&n); pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);
        pthread_join(a, 0);
        return 0;
    }";
    assert_ends_where_it_fails(text, 2);
    for asked in ENGINES {
        let told = told(text, asked);
        assert!(!told.text.contains("At the end"), "{}", told.text);
        assert!(told.text.contains("lock(m)") && told.text.contains("lock(n)"), "{}", told.text);
    }
}

#[test]
fn locks_that_are_made_ready_and_waited_for_are_one_step_each() {
    let text = "#include <semaphore.h>
    sem_t items; pthread_barrier_t gate; pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
    int n;
    void *producer(void *arg) {
        pthread_barrier_wait(&gate);
        pthread_rwlock_wrlock(&shared); n = 3; pthread_rwlock_unlock(&shared);
        sem_post(&items);
        return 0;
    }
    int main(void) {
        pthread_t a;
        sem_init(&items, 0, 0); pthread_barrier_init(&gate, 0, 2);
        pthread_create(&a, 0, producer, 0);
        pthread_barrier_wait(&gate);
        sem_wait(&items);
        pthread_rwlock_rdlock(&shared);
        assert(n == 4);
        return 0;
    }";
    assert_ends_where_it_fails(text, 1);
    for asked in ENGINES {
        let text = told(text, asked).text;
        for operation in
            ["barrier(gate)", "post(items)", "wait(items)", "lock to write(shared)", "lock to read(shared)"]
        {
            assert_eq!(
                text.matches(operation).count() - text.matches(&format!("{operation} goes on")).count(),
                if operation.starts_with("barrier") { 2 } else { 1 },
                "{operation} in {text}"
            );
        }
    }
}

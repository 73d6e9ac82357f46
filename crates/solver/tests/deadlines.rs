//! Every layer ends when its deadline is over, also where a library does not look at a clock.

use cairn_deadline::Deadline;
use cairn_expr::{Assignment, BinOp, CmpOp, Dag, ExprId, FloatCmp, InputByte, Math};
use cairn_solver::{
    Answer, Cache, CounterexampleCache, Engine, Enumerate, Layer, Limits, Metrics, Portfolio, Query, Slice,
    Solver, Stats, Unknown, Walk, WalkSettings, backend_process, standard,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Long enough for all of these queries to go on for ever, as far as a test is concerned.
const LIMITS: Limits = Limits { time: Duration::from_secs(600) };
/// A deadline, and how long after it an answer may come on a machine that is busy with much else.
const DEADLINE: Duration = Duration::from_millis(100);
const SLACK: Duration = Duration::from_secs(1);

/// The end of a stack, which gives up and so has the layers above search on.
struct GivesUp;

impl Solver for GivesUp {
    fn solve(&mut self, _: &Dag, _: &Query, _: &dyn Assignment, _: &Deadline) -> Answer {
        Answer::Unknown(Unknown::TimeLimit)
    }

    fn set_limits(&mut self, _: Limits) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

fn zeros(_: InputByte) -> u8 {
    0
}

/// Starts backends in processes of their own: this test program with the one test that serves as one.
fn have_backend_processes() {
    backend_process::set_command(["--exact", "serves_as_a_backend_process", "--ignored", "--nocapture"]);
}

#[test]
#[ignore = "it is the process that other tests start"]
fn serves_as_a_backend_process() {
    backend_process::serve(u64::MAX).expect("standard input is a socket");
}

fn word(dag: &mut Dag, bytes: u32) -> ExprId {
    let first = dag.input(InputByte { object: 0, offset: 0 });
    (1..bytes).fold(first, |low, offset| {
        let high = dag.input(InputByte { object: 0, offset });
        dag.concat(high, low)
    })
}

/// Returns a number of 32 bits behind very many dependent operations on so many bytes; products are not among
/// them, so that nothing can be said against turning it into gates.
fn deep(dag: &mut Dag, bytes: u32, depth: u32) -> ExprId {
    let input = word(dag, bytes);
    let start = if bytes == 4 { input } else { dag.zext(input, 32) };
    let seven = dag.constant(32, 7);
    (0..depth).fold(start, |value, i| {
        let shifted = dag.binary(BinOp::LShr, value, seven);
        let sum = dag.binary(BinOp::Add, value, shifted);
        let number = dag.constant(32, u128::from(i.wrapping_mul(2_654_435_761)));
        let changed = dag.binary(BinOp::Xor, sum, number);
        dag.binary(BinOp::Add, changed, start)
    })
}

fn equals(dag: &mut Dag, value: ExprId, number: u128) -> ExprId {
    let number = dag.constant(32, number);
    dag.compare(CmpOp::Eq, value, number)
}

/// No sine is 2, which a search cannot find out.
fn sine(dag: &mut Dag) -> ExprId {
    let x = word(dag, 8);
    let (sine, two) = (dag.math(Math::Sin, &[x]), dag.constant(64, 2f64.to_bits().into()));
    dag.float_compare(FloatCmp::Eq, sine, two)
}

fn effort() -> WalkSettings {
    let mut settings = WalkSettings::default();
    settings.set("effort=1000").expect("a setting");
    settings
}

fn alone(engine: impl Engine + 'static) -> Box<dyn Solver> {
    Box::new(Portfolio::new(LIMITS, vec![Box::new(engine)]))
}

fn layers() -> Vec<(&'static str, Box<dyn Solver>)> {
    have_backend_processes();
    vec![
        ("count", Box::new(Metrics::new(LIMITS).over(GivesUp))),
        ("slice", Box::new(Slice::default().over(GivesUp))),
        ("cache", Box::new(Cache::new(LIMITS).over(GivesUp))),
        ("reuse", alone(CounterexampleCache::default())),
        ("enumerate", alone(Enumerate::default())),
        ("walk", alone(Walk::new(effort()))),
        ("bit-blasting", cairn_solver::only_sat(LIMITS)),
        ("backend process", cairn_solver::only_z3(LIMITS)),
        ("all", standard(LIMITS)),
    ]
}

/// Asks, and tells how long that took.
fn ask(solver: &mut dyn Solver, dag: &Dag, target: ExprId, deadline: &Deadline) -> (Answer, Duration) {
    let start = Instant::now();
    let answer = solver.solve(dag, &Query { prefix: &[], target }, &zeros, deadline);
    (answer, start.elapsed())
}

#[test]
fn a_deadline_that_is_over_ends_every_layer_at_once() {
    let mut dag = Dag::new();
    let value = deep(&mut dag, 3, 20_000);
    let target = equals(&mut dag, value, 0x1234_5678);
    let over = Deadline::after(Duration::ZERO);
    for (name, mut layer) in layers() {
        let (answer, time) = ask(&mut *layer, &dag, target, &over);
        assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
        assert!(time < SLACK, "{name} took {time:?}");
    }
}

#[test]
fn every_layer_ends_soon_after_its_deadline_on_what_is_hard_for_it() {
    let mut dag = Dag::new();
    let (two, four) = (deep(&mut dag, 2, 20_000), deep(&mut dag, 4, 20_000));
    let targets = [equals(&mut dag, two, 0x1234_5678), equals(&mut dag, four, 0x1234_5678), sine(&mut dag)];
    for target in targets {
        for (name, mut layer) in layers() {
            let (answer, time) = ask(&mut *layer, &dag, target, &Deadline::after(DEADLINE));
            assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
            assert!(time < DEADLINE + SLACK, "{name} took {time:?}");
        }
    }
}

#[test]
fn an_interrupt_ends_a_backend_that_does_not_look_and_the_next_query_is_answered() {
    have_backend_processes();
    let mut dag = Dag::new();
    let value = deep(&mut dag, 4, 50_000);
    let hard = equals(&mut dag, value, 1);
    let input = word(&mut dag, 4);
    let easy = equals(&mut dag, input, 77);
    let mut solver = cairn_solver::only_z3(LIMITS);
    for _ in 0..2 {
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::interrupted_by(flag.clone());
        let interrupt = std::thread::spawn(move || {
            std::thread::sleep(2 * DEADLINE);
            flag.store(true, Ordering::Relaxed);
        });
        let (answer, time) = ask(&mut *solver, &dag, hard, &deadline);
        interrupt.join().unwrap();
        assert_eq!(answer, Answer::Unknown(Unknown::TimeLimit));
        assert!(time >= DEADLINE && time < 2 * DEADLINE + SLACK, "{time:?}");
        let (answer, _) = ask(&mut *solver, &dag, easy, &Deadline::never());
        let Answer::Sat(model) = answer else { panic!("{answer:?}") };
        assert_eq!(model.iter().map(|(_, value)| value).collect::<Vec<u8>>(), [77, 0, 0, 0]);
    }
}

#[test]
fn a_process_answers_as_the_backend_in_this_process_does() {
    have_backend_processes();
    let mut dag = Dag::new();
    let value = deep(&mut dag, 4, 3);
    let (mut apart, mut here) = (cairn_solver::only_z3(LIMITS), cairn_solver::Z3::new(LIMITS));
    let (mut prefix, mut kinds) = (Vec::new(), [0, 0]);
    for number in [5, 0x0100_0000, 0x10_0000, 77, 3, 0x2000, 1, 2] {
        let number = dag.constant(32, number);
        let target = dag.compare(CmpOp::Ult, value, number);
        let query = Query { prefix: &prefix, target };
        let answers = [&mut *apart, &mut here as &mut dyn Solver]
            .map(|solver| solver.solve(&dag, &query, &zeros, &Deadline::never()));
        // Models may differ, since each has terms of its own.
        let kind = |answer: &Answer| match answer {
            Answer::Sat(_) => 0,
            Answer::Unsat => 1,
            Answer::Unknown(why) => panic!("{why:?}"),
        };
        assert_eq!(kind(&answers[0]), kind(&answers[1]));
        kinds[kind(&answers[0])] += 1;
        prefix.push(if number.index().is_multiple_of(2) { target } else { dag.not(target) });
    }
    assert!(kinds[0] > 0, "{kinds:?}");
}

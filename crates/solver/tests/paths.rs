//! Queries as a search asks them, one flip after the other: what the backend keeps from one must not change
//! the next.

#[path = "../../expr/tests/recipe/mod.rs"]
#[allow(dead_code, reason = "only what builds expressions is needed here")]
mod recipe;

use cairn_deadline::Deadline;
use cairn_expr::{CmpOp, Dag, Evaluator, ExprId, InputByte};
use cairn_solver::{Answer, Limits, Query, Solver, Z3, standard};
use recipe::{Floats, Recipe};
use std::time::Duration;

const BYTE: InputByte = InputByte { object: 0, offset: 0 };
const LIMITS: Limits = Limits { time: Duration::from_secs(5) };

fn holds(dag: &Dag, evaluator: &mut Evaluator, e: ExprId, value: u8) -> bool {
    evaluator.eval(dag, e, &|_: InputByte| value) == 1
}

/// Returns the path of a random program on one byte. It compares what it computes with what that would be for
/// another byte, and goes the way the value takes.
fn path(dag: &mut Dag, rng: &mut fastrand::Rng, value: u8) -> Vec<ExprId> {
    let computed = Recipe::random(rng, 80, &[BYTE], Floats::None).build(dag);
    let (mut path, mut evaluator) = (Vec::new(), Evaluator::new());
    for e in computed {
        let other = rng.u8(..);
        let constant = evaluator.eval(dag, e, &|_: InputByte| other);
        let constant = dag.constant(dag.width(e), constant);
        let condition = dag.compare(CmpOp::ALL[rng.usize(..10)], e, constant);
        let taken = if holds(dag, &mut evaluator, condition, value) { condition } else { dag.not(condition) };
        if dag.as_constant(taken).is_none() && !path.contains(&taken) && path.len() < 25 {
            path.push(taken);
        }
    }
    path
}

/// Every flip of the path that is not known to be impossible, with the values of the byte that take it.
fn flips(dag: &mut Dag, path: &[ExprId]) -> Vec<(usize, ExprId, Vec<u8>)> {
    let mut reaching: Vec<u8> = (0..=255).collect();
    let (mut flips, mut evaluator) = (Vec::new(), Evaluator::new());
    for (i, &taken) in path.iter().enumerate() {
        let flipped = dag.not(taken);
        let (stay, leave) = reaching.into_iter().partition(|&value| holds(dag, &mut evaluator, taken, value));
        if dag.as_constant(flipped).is_none() {
            flips.push((i, flipped, leave));
        }
        reaching = stay;
    }
    flips
}

fn check(dag: &Dag, solver: &mut dyn Solver, path: &[ExprId], flip: &(usize, ExprId, Vec<u8>), seed: u8) {
    let (at, target, values) = flip;
    let answer = solver.solve(
        dag,
        &Query { prefix: &path[..*at], target: *target },
        &|_: InputByte| seed,
        &Deadline::never(),
    );
    match answer {
        Answer::Sat(model) => assert!(values.contains(&model.get(BYTE).unwrap_or(seed))),
        Answer::Unsat => assert!(values.is_empty(), "{values:?} take flip {at} of {}", path.len()),
        Answer::Unknown(why) => panic!("{why:?}"),
    }
}

fn check_all_orders(solver: &mut dyn Solver) {
    let mut dag = Dag::new();
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..25 {
        let seed = rng.u8(..);
        let path = path(&mut dag, &mut rng, seed);
        let mut flips = flips(&mut dag, &path);
        // Breadth first, depth first, at random.
        for order in 0..3 {
            match order {
                0 => {}
                1 => flips.reverse(),
                _ => rng.shuffle(&mut flips),
            }
            flips.iter().for_each(|flip| check(&dag, solver, &path, flip, seed));
        }
    }
}

#[test]
fn z3_answers_every_flip_in_every_order() {
    let mut z3 = Z3::new(LIMITS);
    check_all_orders(&mut z3);
    assert!(z3.stats().layers.get("smt").asked > 500, "{:?}", z3.stats());
}

#[test]
fn the_standard_stack_answers_every_flip_in_every_order() {
    let mut solver = standard(LIMITS);
    check_all_orders(&mut *solver);
    let stats = solver.stats();
    let (total, layers) = (stats.total, stats.layers);
    assert_eq!(total.asked, total.sat + total.unsat);
    let answering = [
        layers.get("cache"),
        layers.get("enumerate"),
        layers.get("reuse"),
        layers.get("walk"),
        layers.get("smt"),
    ];
    assert_eq!(total.asked, answering.iter().map(|layer| layer.answered()).sum::<u64>(), "{stats:?}");
    assert!(total.sat > 50 && total.unsat > 50 && layers.get("cache").answered() > 100, "{stats:?}");
    assert!(stats.sliced_constraints <= stats.constraints);
    let own =
        answering.into_iter().chain([layers.get("slice"), layers.get("validate")]).map(|layer| layer.seconds);
    assert!(own.sum::<f64>() <= total.seconds, "{stats:?}");
}

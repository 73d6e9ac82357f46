//! Inputs made of the pieces that a lexer tells apart: a parser's automaton is learnt without an expression.

use crate::mutation::{Scene, files};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Strategies that solve, and one of them with the one that combines pieces.
const SOLVING: &str = "auto:cfg,cgs,random-branch,weights";
const WITH_PIECES: &str = "interleave:cfg,pieces";
/// Executions in which the only sequence of five tokens out of twenty that the parser accepts is found. Trying all
/// sequences would take a million times as many.
const ENOUGH: &str = "3000";

/// Returns the scene of the program; `defined` is a macro that it is compiled with.
fn scene(defined: &str) -> Scene {
    Scene::new(&format!("#define {defined} 1\n{}", include_str!("pieces.c")))
}

#[test]
fn a_sequence_of_tokens_that_no_expression_describes_is_found() {
    for defined in ["RETURNED", "STORED"] {
        let scene = scene(defined);
        let found = scene.figures("with", &["--strategy", WITH_PIECES, "--execs", ENOUGH]);
        assert_eq!(found["crashes"], 1, "{defined}: {found}");
        let crashes = files(&scene.out("with"));
        let mut crashes = crashes.iter().filter(|(name, _)| name.starts_with("crashes"));
        let text = String::from_utf8_lossy(crashes.next().unwrap().1).replace([' ', '\n'], "");
        assert!(text.starts_with("if->") && text.contains("<=@"), "{text}");
        let solved = scene.figures("without", &["--strategy", SOLVING, "--execs", ENOUGH]);
        assert_eq!(solved["crashes"], 0, "{defined}: {solved}");
    }
}

#[test]
fn the_same_seed_makes_the_same_combinations() {
    let scene = scene("RETURNED");
    let [first, again, other] = [("first", "3"), ("again", "3"), ("other", "4")].map(|(out, seed)| {
        scene.figures(out, &["--strategy", WITH_PIECES, "--execs", "1500", "--seed", seed]);
        files(&scene.out(out))
    });
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn killed_at_any_moment_a_campaign_with_pieces_goes_on_as_if_nothing_had_happened() {
    let scene = scene("RETURNED");
    for workers in ["1", "2"] {
        let budget = ["--strategy", WITH_PIECES, "--execs", ENOUGH, "--seed", "4", "--workers", workers];
        let (whole, killed) = (format!("whole-{workers}"), format!("killed-{workers}"));
        let begun = Instant::now();
        let expected = scene.figures(&whole, &budget);
        let time = begun.elapsed();
        let mut rng = fastrand::Rng::with_seed(9);
        let out = scene.out(&killed);
        for _ in 0..5 {
            let first: &[&str] = if out.join("queue").exists() { &["--resume"] } else { &["--force"] };
            let mut command = scene.command(&out, &[first, &budget].concat());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(time.mul_f64(rng.f64()).max(Duration::from_millis(50)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let resumed = scene.figures(&killed, &[&["--resume"], &budget[..]].concat());
        assert_eq!(resumed["executions"], expected["executions"]);
        // With several workers, their order is another each time.
        if workers == "1" {
            assert_eq!(files(&out), files(&scene.out(&whole)));
        }
    }
}

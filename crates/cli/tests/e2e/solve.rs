//! Queries that leave a campaign as files, and come back.

use crate::common::{CommandOutput, cairn, output_of, root, write_source};
use serde_json::Value;
use std::path::Path;

fn solve(options: &[&str], what: &Path) -> CommandOutput {
    output_of(cairn().arg("solve").args(options).arg(what))
}

#[test]
fn dumped_queries_are_answered_as_in_the_campaign() {
    let place = tempfile::tempdir().unwrap();
    let queries = place.path().join("queries");
    let mut command = cairn();
    command
        .args(["run", "--quiet", "--json", "--strategy", "dfs", "--solver-timeout", "60000", "--out"])
        .arg(place.path().join("out"));
    command.arg("--dump-queries").arg(&queries).arg(root().join("examples/triangle.c"));
    let explored = output_of(&mut command);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    let summary: Value = serde_json::from_str(&explored.stdout).unwrap();
    let [sat, unsat] = ["sat", "unsat"].map(|answer| summary["solver"][answer].as_u64().unwrap());
    assert!(sat > 3 && unsat > 3, "{summary}");
    for options in [&["--solver", "stack"][..], &["--solver", "z3"], &["--solver", "z3", "--fresh"]] {
        let solved = solve(&[options, &["--json", "--timeout", "60"]].concat(), &queries);
        assert_eq!(solved.code, Some(0), "{solved:?}");
        let answers: Value = serde_json::from_str(&solved.stdout).unwrap();
        let files = answers["answers"].as_array().unwrap();
        assert!(files.iter().all(|file| file["status"] == file["answer"]), "{answers}");
        // Nothing else than in the campaign, where every query was asked once.
        assert_eq!([&answers["sat"], &answers["unsat"]], [sat, unsat], "{answers}");
        let asked = answers["layers"]["smt"]["asked"].as_u64().unwrap() as usize;
        assert!(
            if options.contains(&"z3") { asked == files.len() } else { asked <= files.len() },
            "{answers}"
        );
    }
    let lines = solve(&["--timeout", "60"], &queries);
    let last = lines.stdout.lines().last().unwrap();
    assert!(
        last.starts_with(&format!("{} queries: {sat} sat, {unsat} unsat, 0 unknown;", sat + unsat)),
        "{lines:?}"
    );
    assert_eq!(lines.stdout.lines().count() as u64, sat + unsat + 1);
}

#[test]
fn as_many_queries_are_written_as_are_wanted() {
    let place = tempfile::tempdir().unwrap();
    let queries = place.path().join("queries");
    let mut command = cairn();
    command.args(["run", "--dump-limit", "3", "--out"]).arg(place.path().join("out"));
    command.arg("--dump-queries").arg(&queries).arg(root().join("examples/triangle.c"));
    let explored = output_of(&mut command);
    assert!(explored.stderr.ends_with(&format!("3 queries in {}\n", queries.display())), "{explored:?}");
    assert_eq!(std::fs::read_dir(&queries).unwrap().count(), 3);
    let explored = output_of(command.arg("--force"));
    assert!(explored.code == Some(2) && explored.stderr.contains("there is something in it"), "{explored:?}");
}

#[test]
fn answers_are_what_smtlib_expects() {
    let place = tempfile::tempdir().unwrap();
    let script = |text: &str| write_source(place.path(), "query.smt2", text);
    let file = script(
        "(set-logic QF_BV) (declare-const |x y| (_ BitVec 16)) (declare-const b Bool)
         (assert (= (bvmul |x y| #x0003) #x0021)) (assert (= b (bvult |x y| #x000c)))
         (check-sat) (get-value ((bvnot |x y|)))
         (push 1) (assert (not b)) (assert (bvult |x y| #x0100)) (check-sat) (pop 1)",
    );
    let solved = solve(&[], &file);
    let expected = "sat\n(\n  (define-fun |x y| () (_ BitVec 16) #x000b)\n  (define-fun b () Bool true)\n)\n\
                    (((bvnot |x y|) #xfff4))\nunsat\n";
    assert_eq!((solved.code, solved.stdout.as_str(), solved.stderr.as_str()), (Some(0), expected, ""));

    // A function of the C library, which only a search can answer.
    let file = script(
        "(declare-fun cairn.sin.f64 ((_ BitVec 64)) (_ BitVec 64)) (declare-const x (_ BitVec 64))
         (assert (fp.gt ((_ to_fp 11 53) (cairn.sin.f64 x)) ((_ to_fp 11 53) RNE 0.999))) (check-sat)",
    );
    for options in [&[][..], &["--solver", "walk"]] {
        let solved = solve(options, &file);
        assert!(solved.code == Some(0) && solved.stdout.starts_with("sat\n"), "{solved:?}");
    }

    let file = script("(set-info :status sat) (declare-const x Bool) (assert (and x (not x))) (check-sat)");
    let contradicted = solve(&[], &file);
    assert_eq!((contradicted.code, contradicted.stdout.as_str()), (Some(1), "unsat\n"), "{contradicted:?}");
    assert!(
        contradicted.stderr.ends_with("its :status is sat, but the answer is unsat\n"),
        "{contradicted:?}"
    );

    let text = "(declare-const x (_ BitVec 8)) (assert (= (bvmul x x) #x02)) (check-sat)";
    let unknown = solve(&["--solver", "walk", "--timeout", "1"], &script(text));
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), "unknown\n"), "{unknown:?}");
    assert!(
        unknown.stderr.contains("query.smt2: unknown after ")
            && unknown.stderr.ends_with(" s: the time limit was reached, or is too short to begin\n"),
        "{unknown:?}"
    );
}

#[test]
fn a_script_that_cannot_be_read_is_named_with_its_place() {
    let place = tempfile::tempdir().unwrap();
    let good = write_source(place.path(), "a.smt2", "(check-sat)");
    let bad = write_source(place.path(), "b.smt2", "(check-sat)\n(assert (select a b))");
    let solved = solve(&[], &bad);
    assert_eq!((solved.code, solved.stdout.as_str()), (Some(2), ""), "{solved:?}");
    assert_eq!(
        solved.stderr,
        format!("cairn: {}: line 2, column 17: Cairn does not know `a`\n", bad.display())
    );
    let solved = solve(&[], place.path());
    assert!(
        solved.code == Some(2) && solved.stdout.starts_with(&format!("{}: sat", good.display())),
        "{solved:?}"
    );
}

//! The corpus of Concolic Walk (`bench/walk`): what it calls feasible is.

use crate::common::{build_instrumented, build_plain, output_of, root, run};
use cairn_campaign::{KTest, KTestObject};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Exit code of a satisfied formula.
const REACHED: Option<i32> = Some(10);

/// A line of `witnesses`: an input and what it is for.
struct Witness {
    target: String,
    input: KTest,
}

#[test]
fn every_formula_holds_for_its_witness() {
    let place = tempfile::tempdir().unwrap();
    let targets = ["blind", "coral", "hash", "opti"].map(|program| reach_all(program, place.path()));
    // All but coral 46, which cannot hold.
    assert_eq!(targets, [1, 83, 5, 6]);
}

/// Runs a program on all its witnesses; tells how many there are.
fn reach_all(program: &str, place: &Path) -> usize {
    let plain = place.join(program);
    build_plain(&source(program), &plain);
    let witnesses = witnesses(program);
    for witness in &witnesses {
        let test = place.join("test.ktest");
        std::fs::write(&test, witness.input.encode()).unwrap();
        let result = output_of(Command::new(&plain).arg(&witness.target).env("CAIRN_TEST", &test));
        assert_eq!(result.code, REACHED, "{program} {}", witness.target);
    }
    witnesses.len()
}

#[test]
fn witnesses_cover_every_feasible_branch() {
    for (program, infeasible) in branch_programs() {
        let place = tempfile::tempdir().unwrap();
        let (target, seeds) = (place.path().join("target"), place.path().join("seeds"));
        build_instrumented(&source(&program), &target);
        std::fs::create_dir(&seeds).unwrap();
        let witnesses = witnesses(&program);
        for (i, witness) in witnesses.iter().enumerate() {
            std::fs::write(seeds.join(format!("{i:03}.ktest")), witness.input.encode()).unwrap();
        }
        let (out, execs) = (place.path().join("out"), witnesses.len().to_string());
        let paths = [&seeds, &out, &target].map(|path| path.display().to_string());
        let result =
            run(["run", "--json", "--execs", &execs, "--seeds", &paths[0], "--out", &paths[1], &paths[2]]);
        let summary: Value = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
        let number = |key: &str| summary[key].as_u64().unwrap();
        assert_eq!(
            number("branches_covered") + infeasible,
            number("branches_total"),
            "{program}: {result:?}"
        );
    }
}

fn source(program: &str) -> std::path::PathBuf {
    root().join("bench/walk").join(program).with_extension("c")
}

/// The words of every line of a table in `bench/walk`.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("bench/walk").join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

/// The programs whose branches are counted, and how many sides of them are called infeasible.
fn branch_programs() -> BTreeMap<String, u64> {
    let rows = table("corpus").into_iter().filter(|row| row[2] == "branches");
    rows.map(|row| (row[1].clone(), row[3].parse().unwrap())).collect()
}

fn witnesses(program: &str) -> Vec<Witness> {
    let lines = table("witnesses").into_iter().filter(|line| line[0] == program);
    lines
        .map(|line| {
            let object = |word: &String| KTestObject { name: String::new(), bytes: number(word) };
            let objects = line[2..].iter().map(object).collect();
            Witness { target: line[1].clone(), input: KTest { args: Vec::new(), objects } }
        })
        .collect()
}

/// The bytes of `1.5`, `1i`, `1l` or `1.5f`.
fn number(word: &str) -> Vec<u8> {
    if let Ok(double) = word.parse::<f64>() {
        return double.to_le_bytes().to_vec();
    }
    let (digits, kind) = word.split_at(word.len() - 1);
    match kind {
        "i" => digits.parse::<i32>().unwrap().to_le_bytes().to_vec(),
        "l" => digits.parse::<i64>().unwrap().to_le_bytes().to_vec(),
        _ => digits.parse::<f32>().unwrap().to_le_bytes().to_vec(),
    }
}

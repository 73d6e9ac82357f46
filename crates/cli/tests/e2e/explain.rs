//! Weights: explained, searched with, and refused if they are wrong.

use crate::common::{CommandOutput, root, run, write_source};
use std::path::Path;

/// The weights that ship, as a file, with one text in place of another.
fn weights(directory: &Path, from: &str, to: &str) -> String {
    let shipped = std::fs::read_to_string(root().join("crates/search/weights/default.toml")).unwrap();
    let changed = shipped.replacen(from, to, 1);
    assert!(from == to || changed != shipped, "{from}");
    write_source(directory, "weights.toml", &changed).to_str().unwrap().to_owned()
}

/// Searches an example by a file of weights.
fn search(directory: &Path, file: &str, option: &str) -> CommandOutput {
    let (source, out) = (root().join("examples/magic.c"), directory.join("out"));
    let (strategy, out) = (format!("parametric:{file}"), out.to_str().unwrap().to_owned());
    let words =
        ["run", source.to_str().unwrap(), "--strategy", &strategy, "--sym-file", "20", "--execs", "1000"];
    run(words.into_iter().chain(["--oracle", option, "--out", &out, "--", "@@"]))
}

#[test]
fn weights_are_described_in_words_the_strongest_first() {
    let directory = tempfile::tempdir().unwrap();
    let shipped: Vec<_> = run(["explain"]).stdout.lines().map(str::to_owned).collect();
    assert!(shipped[0].starts_with("Weights `default`: "), "{shipped:?}");
    assert!(shipped.iter().any(|line| line.starts_with("It goes for branches ")));
    assert!(shipped.iter().any(|line| line.starts_with("It keeps away from branches ")));
    let strength = |line: &String| line.split_whitespace().next().unwrap().parse::<f64>().unwrap().abs();
    let table: Vec<_> = shipped[shipped.len() - 40..].iter().map(strength).collect();
    assert!(table.is_sorted_by(|a, b| a >= b), "{table:?}");

    let file = weights(directory.path(), "weights = [\n    0.0,", "weights = [\n    -99.5,");
    let result = run(["explain", &file]).stdout;
    assert!(result.contains("It keeps away from branches in `main`;"), "{result}");
    let json: serde_json::Value = serde_json::from_str(&run(["explain", "--json", &file]).stdout).unwrap();
    assert_eq!(json["features"].as_array().unwrap().len(), 40);
    assert_eq!(
        (&json["features"][0]["feature"], &json["features"][0]["weight"]),
        (&"in-main".into(), &(-99.5).into())
    );
    assert_eq!(json["beside"]["strategy"], "random-branch");
}

#[test]
fn explain_names_the_companion_and_the_search_uses_it() {
    let directory = tempfile::tempdir().unwrap();
    let (shipped, other) = ("\"random-branch\"\nshare = 0.5", "\"generational\"\nshare = 0.25");
    let file = weights(directory.path(), shipped, other);
    let result = run(["explain", &file]).stdout;
    assert!(result.contains("For 25 % of the search it leaves the choice to generational."), "{result}");
    let result = search(directory.path(), &file, "--log=json");
    assert_eq!(result.code, Some(1), "there is a crash to be found: {result:?}");
    assert!(result.stderr.contains("and for 25 % of the time generational"), "{}", result.stderr);
}

#[test]
fn a_wrong_file_of_weights_is_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let file = weights(directory.path(), "\"in-main\"", "\"in-the-main\"");
    let strategy = format!("parametric:{file}");
    let source = root().join("examples/magic.c");
    let source = source.to_str().unwrap();
    for args in [vec!["explain", &file], vec!["run", source, "--strategy", &strategy, "--sym-stdin", "4"]] {
        let result = run(&args);
        assert_eq!((result.code, result.stderr.lines().count()), (Some(2), 1), "{}", result.stderr);
        assert!(result.stderr.contains("names a feature `in-the-main` that is none"), "{}", result.stderr);
    }
    let result = run(["explain", "no/such.toml"]);
    assert_eq!(result.code, Some(2));
    assert!(result.stderr.starts_with("cairn: `no/such.toml` cannot be read: "), "{}", result.stderr);
}

#[test]
fn parametric_search_goes_by_the_file_and_finds_its_way() {
    let directory = tempfile::tempdir().unwrap();
    let file = weights(directory.path(), "", "");
    let result = search(directory.path(), &file, "--json");
    let json: serde_json::Value = serde_json::from_str(&result.stdout).expect(&result.stderr);
    assert_eq!(result.code, Some(1), "there is a crash to be found: {json}");
}

//! `cairn compare` runs every strategy as often, and tells them apart.

use crate::chromium::Chromium;
use crate::common::{root, run, write_source};

/// Random input does not find the word; solving strategies do, and cover all.
const WORD: &str = r#"#include <unistd.h>
int main(void) {
    char word[4];
    if (read(0, word, 4) != 4) return 1;
    if (word[0] == 'c' && word[1] == 'a' && word[2] == 'r' && word[3] == 'n') return 2;
    return 0;
}
"#;

#[test]
fn strategies_are_compared_and_the_same_seed_gives_the_same_figures() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "word.c", WORD);
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let compare = |csv: &str| {
        let result = run([
            "compare",
            "--strategies",
            "dfs,random-input",
            "--trials",
            "4",
            "--execs",
            "40",
            "--seed",
            "7",
            "--fixed-length",
            "--sym-stdin",
            "4",
            "--csv",
            csv,
            "--curves",
            &file("curves.csv"),
            source.to_str().unwrap(),
        ]);
        assert_eq!(result.code, Some(0), "{result:?}");
        assert_eq!(result.stderr.lines().filter(|line| line.contains(" of 8: ")).count(), 8, "{result:?}");
        result.stdout
    };
    let table = compare(&file("first.csv"));
    let row = |name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    // Ten branches; random guesses never reach the word's later letters.
    let (dfs, random) = (row("dfs"), row("random-input"));
    assert_eq!(dfs[1..4], ["4", "9.0", "9"], "{table}");
    assert_eq!((dfs.last().unwrap().as_str(), random.last().unwrap().as_str()), ("best", "0.029"), "{table}");
    assert!(random[2].parse::<f64>().unwrap() < 9.0 && dfs[5].parse::<u32>().unwrap() > 0, "{table}");

    let without_times = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(file(name)).unwrap();
        let rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        rows.map(|row| [0, 1, 2, 3, 5, 6, 11].map(|column| row[column].clone()).to_vec()).collect()
    };
    compare(&file("second.csv"));
    assert_eq!(without_times("first.csv").len(), 9);
    assert_eq!(without_times("first.csv"), without_times("second.csv"));
    let curves = std::fs::read_to_string(file("curves.csv")).unwrap();
    let last = curves.lines().rfind(|line| line.starts_with("dfs,0,")).unwrap();
    assert!(last.starts_with("dfs,0,5,9,"), "{curves}");
}

#[test]
fn an_earlier_comparison_is_the_baseline() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "word.c", WORD);
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let compare = |strategies: &str, trials: &str, more: &[&str]| {
        let usual = ["compare", "--quiet", "--execs", "40", "--fixed-length", "--sym-stdin", "4"];
        let asked = ["--strategies", strategies, "--trials", trials, source.to_str().unwrap()];
        run(usual.iter().chain(&asked).chain(more))
    };
    let (csv, page) = (file("first.csv"), file("page.html"));
    assert_eq!(compare("random-input,dfs", "2", &["--csv", &csv]).code, Some(0));
    let again = compare("dfs,bfs", "2", &["--baseline", &csv, "--html", &page]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""), "{again:?}");
    let row = |result: &str, name: &str| -> Vec<String> {
        let line = result.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().rev().take(3).map(str::to_owned).collect()
    };
    assert_eq!(row(&again.stdout, "dfs"), ["1.000", "+0.0", "9.0"]);
    assert_eq!(row(&again.stdout, "bfs"), ["-", "-", "-"]);
    let mut browser = Chromium::start();
    browser.open(std::path::Path::new(&page), "");
    browser.wait_for("document.querySelectorAll('#curves .line').length === 2");
    assert_eq!((browser.count("#curves .band"), browser.count("tbody tr")), (2, 2));
    browser.click("[data-value=time]");
    browser.wait_for("document.querySelectorAll('#curves .line').length === 2");
    let theme = "document.documentElement.dataset.theme";
    let before = browser.value(theme);
    browser.press("t");
    assert_ne!(browser.value(theme), before);
    assert_eq!(browser.complaints, Vec::<String>::new());

    // The same file as if it were of another program, and no file of ours.
    let text = std::fs::read_to_string(&csv).unwrap();
    std::fs::write(&csv, text.replace(",word", ",sentence")).unwrap();
    let other = compare("dfs", "1", &["--baseline", &csv]);
    assert!(other.stderr.contains("of another program, sentence, not word"), "{other:?}");
    for (baseline, complaint) in
        [(file("none.csv"), "cannot read"), (source.display().to_string(), "is no file that")]
    {
        let refused = compare("dfs", "1", &["--baseline", &baseline]);
        assert_eq!((refused.code, refused.stderr.lines().count()), (Some(2), 1), "{refused:?}");
        assert!(refused.stderr.contains(complaint), "{refused:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused_in_a_sentence() {
    let source = root().join("examples/triangle.c");
    for (strategies, complaint) in [
        ("dfs, fastest", "there is no strategy `fastest`; there are: auto"),
        ("dfs:fastest", "its depth is a number from 1 to 4294967295, not `fastest`"),
        ("dfs,bfs,dfs", "--strategies has dfs twice"),
        ("dfs;interleave:dfs", "it takes two strategies or more"),
    ] {
        let result = run(["compare", "--strategies", strategies, source.to_str().unwrap()]);
        assert_eq!((result.code, result.stderr.lines().count()), (Some(2), 1), "{result:?}");
        assert!(result.stderr.contains(complaint), "{result:?}");
    }
}

#[test]
fn a_failure_leaves_what_was_done_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let gone = "#include <unistd.h>\nint main(int argc, char **argv) { return unlink(argv[0]) != 0; }\n";
    let source = write_source(directory.path(), "gone.c", gone);
    let csv = write_source(directory.path(), "old.csv", "old\n");
    let (source, csv_name) = (source.to_str().unwrap(), csv.to_str().unwrap());
    let compare =
        ["compare", "--no-sandbox", "--strategies=dfs,bfs", "--trials=1", "--jobs=1", "--csv", csv_name];
    let refused = run(compare.iter().copied().chain(["--curves", csv_name, source]));
    let written = || std::fs::read_to_string(&csv).unwrap();
    assert_eq!((refused.code, written().as_str()), (Some(2), "old\n"), "{refused:?}");
    let result = run(compare.iter().copied().chain([source]));
    assert_eq!((result.code, written().lines().count()), (Some(2), 2), "{result:?}");
    assert!(
        result.stdout.contains("\ndfs            1 ") && result.stderr.contains("cannot run"),
        "{result:?}"
    );
}

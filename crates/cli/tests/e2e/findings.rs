//! What a user is told of a crash.

use crate::common::{run, write_source};
use std::collections::BTreeSet;
use std::path::Path;

/// Four faults, each of which many inputs show; two are in library functions.
const FAULTY: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int depth_of(const char *text, int length) {
    int depth = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] == '(') depth++;
        else if (text[i] == ')') depth--;
        else if (text[i] == '!' && depth == 2) *(volatile int *)0 = 3;
        assert(depth >= 0);
    }
    return depth;
}
int main(void) {
    char text[17] = "";
    int length = (int)fread(text, 1, 16, stdin), depth = depth_of(text, length);
    if (text[6] == 'x') {
        char *block = malloc(4);
        free(block);
        if (text[7] == 'y') free(block);
    }
    if (depth == 3) memset(0, depth, 9);
    return 0;
}
"#;

/// A line of the source, counted from one.
fn line_of(part: &str) -> usize {
    1 + FAULTY.lines().position(|line| line.contains(part)).unwrap()
}

fn explained(out: &Path) -> BTreeSet<(String, Vec<u8>)> {
    let reports = out.join("crashes/reports");
    let one = |id: usize| {
        let text = std::fs::read_to_string(reports.join(format!("id:{id:06}.txt"))).unwrap();
        let found = std::fs::read(reports.join(format!("id:{id:06},min"))).unwrap();
        (text, found)
    };
    let count = std::fs::read_dir(&reports).unwrap().count() / 2;
    (0..count).map(one).collect()
}

#[test]
fn a_fault_is_reported_once_with_its_line_and_the_smallest_input() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "faulty.c", FAULTY);
    let out = place.path().join("out");
    let out_text = out.to_str().unwrap();
    let said = run([
        "run",
        "-q",
        "--sym-stdin",
        "16",
        "--execs",
        "1500",
        "--out",
        out_text,
        source.to_str().unwrap(),
    ]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let expected = [
        ("SIGABRT in depth_of", "assert(depth >= 0)", ")"),
        ("SIGSEGV in depth_of", "*(volatile int *)0", "((!"),
        ("SIGABRT in main", "if (text[7] == 'y')", "000000xy"),
        ("SIGSEGV in main", "memset(0", "((("),
    ];
    let explained = explained(&out);
    assert_eq!(explained.len(), expected.len(), "{explained:#?}");
    assert!(said.stdout.contains("4 crashes"), "{}", said.stdout);
    for (headline, at, input) in expected {
        let headline = format!("killed by {headline} ({}:{})", source.display(), line_of(at));
        let (text, smallest) = explained.iter().find(|(text, _)| text.starts_with(&headline)).unwrap();
        assert_eq!(String::from_utf8_lossy(smallest), input, "{text}");
        assert!(text.contains(&format!("  main ({}:", source.display())), "no stack: {text}");
        assert!(text.lines().any(|line| line.starts_with('>') && line.contains(at)), "no source: {text}");
        assert!(text.contains(&format!("stdin: \"{input}\"")), "no input: {text}");
        let again = text.lines().last().unwrap().trim().strip_prefix("cairn ").unwrap();
        assert_eq!(run(again.split(' ')).code, Some(1), "{again}");
    }
}

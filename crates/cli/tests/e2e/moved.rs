//! Reports on campaigns from any directory, and after the campaign directory was moved.

use crate::common::{CommandOutput, cairn, output_of, write_source};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SOURCE: &str = "#include <stdio.h>\nint main(void) { int c = getchar(); /* the marked line */ if (c == 'k') return 1; return 0; }\n";

/// A project in a directory of its own: a source, a program, and a campaign on each.
fn project(place: &Path) {
    fs::create_dir(place.join("project")).unwrap();
    let project = place.join("project");
    write_source(&project, "check.c", SOURCE);
    let built = in_directory(&project, &["cc", "-g", "check.c", "-o", "check"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    for (out, program) in [("built", "./check"), ("compiled", "check.c")] {
        let made = ["run", "--quiet", "--sym-stdin", "1", "--execs", "20", "--out", out, program];
        let result = in_directory(&project, &made);
        assert_eq!(result.code, Some(0), "{result:?}");
    }
}

fn in_directory(directory: &Path, args: &[&str]) -> CommandOutput {
    output_of(cairn().current_dir(directory).args(args))
}

/// Reports, choices and exports of a campaign work from a directory, and show the source.
fn check(from: &Path, campaign: &str) {
    let report = in_directory(from, &["report", campaign, "--format", "json"]);
    assert_eq!((report.code, report.stderr.as_str()), (Some(0), ""), "{campaign}: {report:?}");
    let page = in_directory(from, &["report", campaign, "--out", "page.html"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    let page = fs::read_to_string(from.join("page.html")).expect("files are named as seen from here");
    assert!(page.contains("the marked line"), "{campaign} shows its source");
    let chosen = in_directory(from, &["cmin", campaign]);
    assert_eq!(chosen.code, Some(0), "{chosen:?}");
    assert!(chosen.stdout.starts_with(campaign), "{chosen:?}");
    let small = tempfile::tempdir_in(from).unwrap();
    let small = small.path().join("small");
    let exported =
        in_directory(from, &["export", campaign, "--format", "ktest", "--out", small.to_str().unwrap()]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert!(small.join("test000001.ktest").is_file());
}

#[test]
fn a_campaign_is_reported_on_from_any_directory() {
    let place = TempDir::new().unwrap();
    project(place.path());
    let elsewhere = TempDir::new().unwrap();
    for out in ["built", "compiled"] {
        check(&place.path().join("project"), out);
        check(elsewhere.path(), place.path().join("project").join(out).to_str().unwrap());
    }
}

#[test]
fn a_campaign_is_reported_on_after_it_was_moved() {
    let place = TempDir::new().unwrap();
    project(place.path());
    let at = |name: &str| place.path().join(name);
    // The campaign alone: its program is where it was.
    fs::rename(at("project/built"), at("moved")).unwrap();
    check(place.path(), "moved");
    fs::rename(at("moved"), at("project/built")).unwrap();
    // The whole project: its program is where it was as seen from the campaign.
    fs::rename(at("project"), at("renamed")).unwrap();
    check(place.path(), "renamed/built");
    check(place.path(), "renamed/compiled");
    // A program that is elsewhere must be named.
    fs::rename(at("renamed/check"), at("prog")).unwrap();
    let lost = in_directory(place.path(), &["report", "renamed/built"]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
    assert!(lost.stderr.contains("is not there any more: say where it is with --program PATH"), "{lost:?}");
    let named =
        in_directory(place.path(), &["report", "renamed/built", "--program", "prog", "--format", "csv"]);
    assert_eq!(named.code, Some(0), "{named:?}");
    let chosen = in_directory(place.path(), &["cmin", "renamed/built", "--program", "prog"]);
    assert_eq!(chosen.code, Some(0), "{chosen:?}");
}

#[test]
fn a_program_that_has_changed_is_run_only_if_it_is_named() {
    let place = TempDir::new().unwrap();
    project(place.path());
    let project = place.path().join("project");
    write_source(&project, "check.c", &SOURCE.replace("'k'", "'l'"));
    assert_eq!(in_directory(&project, &["cc", "-g", "check.c", "-o", "check"]).code, Some(0));
    let result = in_directory(&project, &["cmin", "built"]);
    assert_eq!(result.code, Some(2), "{result:?}");
    assert!(result.stderr.contains("has changed since the campaign in built ran it"), "{result:?}");
    let named = in_directory(&project, &["cmin", "built", "--program", "./check"]);
    assert_eq!(named.code, Some(0), "{named:?}");
}

#[test]
fn test_comp_finds_the_source_of_a_moved_campaign() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("a")).unwrap();
    let source =
        "extern int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int() == 7; }\n";
    write_source(&place.path().join("a"), "t.c", source);
    let made = in_directory(&place.path().join("a"), &["run", "--quiet", "--execs", "9", "t.c"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    fs::rename(place.path().join("a"), place.path().join("b")).unwrap();
    let export = |out: &str, more: &[&str]| {
        let args = ["export", "b/cairn-out", "--format", "testcomp", "--out", out];
        in_directory(place.path(), &args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let exported = export("suite", &[]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    fs::rename(place.path().join("b/t.c"), place.path().join("u.c")).unwrap();
    let lost = export("other", &[]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
    assert!(lost.stderr.contains("--program FILE.c"), "{lost:?}");
    assert_eq!(export("other", &["--program", "u.c"]).code, Some(0));
}

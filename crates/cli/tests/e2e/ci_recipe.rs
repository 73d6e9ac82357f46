//! The recipe in docs/ci.md, followed to the letter: a build that was red is red until the fault is fixed.

use crate::common::{cairn, output_of, root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A step of the workflow that runs commands.
struct Step {
    name: String,
    always: bool,
    commands: String,
}

/// The steps in the YAML of the page that have `run:`.
fn steps(page: &str) -> Vec<Step> {
    let yaml = page.split("```yaml").nth(1).unwrap().split("```").next().unwrap();
    yaml.split("\n      - ").skip(1).filter_map(step).collect()
}

fn step(text: &str) -> Option<Step> {
    let field = |name: &str| {
        let start = format!("{name}: ");
        text.lines().find_map(|line| line.trim().strip_prefix(&start).map(str::to_owned))
    };
    let mut commands = field("run")?;
    if commands == "|" {
        let block = text.lines().skip_while(|line| !line.trim().starts_with("run:")).skip(1);
        commands = block.map(str::trim).collect::<Vec<_>>().join("\n");
    }
    Some(Step {
        name: field("name").unwrap_or_default(),
        always: field("if").as_deref() == Some("always()"),
        commands,
    })
}

/// A shell as the service starts it, with `cairn` on its path and neither a home nor any state of the user's.
fn shell(project: &Path, commands: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-e", "-c", commands]).current_dir(project);
    let cairn = cairn();
    let programs = Path::new(cairn.get_program()).parent().unwrap().to_owned();
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.envs(cairn.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env_remove("XDG_STATE_HOME").env_remove("HOME");
    command
}

/// A build by the recipe; the names of the steps that failed.
fn build(project: &Path, steps: &[Step]) -> Vec<String> {
    // Every build begins with a fresh checkout and what was kept.
    for left in ["campaign", "calculator", "report.html"] {
        let path = project.join(left);
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
    let mut failed = Vec::new();
    for step in steps.iter() {
        if !failed.is_empty() && !step.always {
            continue;
        }
        let result = output_of(&mut shell(project, &step.commands));
        match result.code {
            Some(0) => {}
            Some(1) => failed.push(step.name.clone()),
            _ => panic!("{}: {result:?}", step.commands),
        }
    }
    assert!(project.join("report.html").is_file());
    failed
}

#[test]
fn a_red_build_stays_red_until_the_fault_is_fixed() {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let steps = steps(&page);
    let names: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["build", "replay", "explore", "report", "keep"]);
    let project = tempfile::tempdir().unwrap();
    let source = project.path().join("calculator.c");
    fs::copy(root().join("examples/calculator.c"), &source).unwrap();

    assert_eq!(build(project.path(), &steps), ["explore"]);
    assert!(project.path().join("kept/crashes").read_dir().unwrap().count() > 0);
    assert_eq!(build(project.path(), &steps), ["replay", "explore"], "nothing was fixed");

    // With hardly any budget: the fault needs not be found again.
    let small = "cairn run --quiet --sym-stdin 5 --execs 3 --seeds kept --out small ./calculator";
    let small = output_of(&mut shell(project.path(), small));
    assert_eq!(small.code, Some(1), "{small:?}");
    let without = "cairn run --quiet --sym-stdin 5 --execs 3 --out without ./calculator";
    assert_eq!(output_of(&mut shell(project.path(), without)).code, Some(0));

    let text = fs::read_to_string(&source).unwrap();
    let fixed = text.replace("if (right.number == 0 && !right.grouped)", "if (right.number == 0)");
    assert_ne!(fixed, text);
    fs::write(&source, fixed).unwrap();
    assert_eq!(build(project.path(), &steps), [""; 0], "the fault is fixed");
}

#[test]
fn replay_takes_directories_and_reports_every_input() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let source = crate::common::write_source(
        place.path(),
        "p.c",
        "#include <stdlib.h>\n#include <stdio.h>\nint main(void) { int c = getchar(); if (c == 'x') abort(); puts(\"noise\"); return 3; }\n",
    );
    let program = at("p");
    crate::common::build_instrumented(&source, &program);
    fs::create_dir(at("good")).unwrap();
    fs::write(at("good/a"), "a").unwrap();
    fs::write(at("good/b"), "b").unwrap();
    fs::write(at("bad"), "x").unwrap();
    let replay =
        |paths: &[&str]| output_of(cairn().current_dir(place.path()).arg("replay").arg(&program).args(paths));
    let good = replay(&["good"]);
    assert_eq!((good.code, good.stdout.as_str()), (Some(0), "good/a: exit code 3\ngood/b: exit code 3\n"));
    let both = replay(&["good", "bad"]);
    assert_eq!(both.code, Some(1), "{both:?}");
    assert!(both.stdout.ends_with("bad: killed by SIGABRT\n"), "{both:?}");
    assert!(both.stderr.contains("3 tests, 1 crash or hang"), "{both:?}");
    assert_eq!(replay(&["good", "none"]).code, Some(2));
    fs::create_dir(at("empty")).unwrap();
    let empty = replay(&["empty"]);
    assert_eq!(empty.code, Some(2), "{empty:?}");
    assert!(empty.stderr.contains("there is no input in empty"), "{empty:?}");
    // One file: as a shell would run it.
    let one = replay(&["good/a"]);
    assert_eq!((one.code, one.stdout.as_str()), (Some(0), "noise\n"));
}

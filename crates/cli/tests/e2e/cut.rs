//! Runs that have more to record than there is room for.

use crate::common::{build_instrumented, write_source};
use cairn_exec::{ExitKind, Limits, Mode, Run, Server, TargetSpec, TraceStep};
use cairn_expr::Dag;
use cairn_program::Program;
use std::path::Path;

/// A sum grows label by label; the first bytes are looked at again at the end, when there may be no room left.
const SUMS: &str = r#"
    #include <stdio.h>
    int main(void)
    {
        unsigned char bytes[64];
        unsigned sum = 1;
        int found = 0;
        if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes) return 2;
        for (int i = 0; i < 64; i++) {
            sum = sum * 3 + bytes[i];
            if (sum % 7 == 3) found++;
        }
        if (bytes[0] == 'a') found++;
        return found > 20;
    }
"#;

fn record(target: &Path, limits: Limits, dag: &mut Dag) -> (Run, Vec<TraceStep>) {
    let program = Program::read(target).unwrap();
    let mut spec = TargetSpec::new(target, program.branch_count() as usize);
    spec.stdin = Some(64);
    let input = spec.blank_input();
    let mut server = Server::start(spec, limits).unwrap();
    let run = server.run(&input, Mode::TRACE).unwrap();
    let trace = server.decode(dag);
    assert!(!run.flags.damaged && !trace.damaged);
    (run, trace.steps)
}

#[test]
fn what_is_recorded_is_the_beginning_of_the_path() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("sums");
    build_instrumented(&write_source(directory.path(), "sums.c", SUMS), &target);
    let mut dag = Dag::new();
    let (whole, steps) = record(&target, Limits::default(), &mut dag);
    assert!(!whole.flags.labels_full && !whole.flags.events_full && steps.len() > 65, "{}", steps.len());
    let few = |labels, events| Limits { labels, events, ..Limits::default() };
    for (limits, labels_full) in [(few(200, 1000), true), (few(5000, 40), false)] {
        let (run, path) = record(&target, limits, &mut dag);
        assert_eq!((run.flags.labels_full, run.flags.events_full), (labels_full, !labels_full));
        assert_eq!((run.end, run.coverage), (whole.end, whole.coverage.clone()), "it runs on to its end");
        assert!(matches!(run.end, ExitKind::Exit(_)));
        assert!(!path.is_empty() && path.len() < steps.len());
        assert_eq!(path, steps[..path.len()]);
    }
}

/// Half a million decisions in a run that ends by itself: the last ones are known as well.
#[test]
fn a_long_run_is_traced_whole() {
    const LONG: &str = r#"
        #include <stdio.h>
        int main(void)
        {
            static unsigned char bytes[64];
            unsigned long found = 0;
            if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes) return 2;
            for (unsigned i = 0; i < 500000; i++)
                if ((bytes[i % 60] ^ i) > i % 200) found++;
            if (bytes[63] == 'z') found = 0;
            return found == 0;
        }
    "#;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("long");
    build_instrumented(&write_source(directory.path(), "long.c", LONG), &target);
    let mut dag = Dag::new();
    let (run, steps) = record(&target, Limits::default(), &mut dag);
    assert!(matches!(run.end, ExitKind::Exit(_)), "{:?}", run.end);
    assert!(steps.len() > 450_000, "{}", steps.len());
    assert_eq!(dag.inputs(steps[steps.len() - 1].value).first().map(|byte| byte.offset), Some(63));
    let few = Limits { steps: 1000, ..Limits::default() };
    let (_, prefix) = record(&target, few, &mut dag);
    assert_eq!(prefix, steps[..1000]);
}

mod fake;
use cairn_campaign::Settings;
use cairn_exec::End;
use cairn_program::testing::Sketch;
use fake::{Fake, stdin};
#[test]
fn perf() {
    for n in [1000usize, 10000, 50000] {
        let mut sketch = Sketch::new();
        let site = sketch.branch();
        let mut fake = Fake::new(sketch.build(), move |t| {
            for i in 0..n {
                let b = t.byte(0, i % 64);
                let c = t.less(b, (i / 64) as u64 % 251 + 1);
                t.branch(site, c);
            }
            End::Exit(0)
        });
        for strategy in ["dfs", "random-branch"] {
            let s = Settings { execs: Some(200), ..Settings::new(strategy, vec![stdin(64)]) };
            let sum = fake.explore(&s, None);
            println!("{n} {strategy}: {:.3}s solver {:.3}s queries {} smt {} sat {} execs {}", sum.elapsed_seconds, sum.solver.seconds, sum.solver.queries, sum.solver.smt, sum.solver.sat, sum.executions);
        }
    }
}

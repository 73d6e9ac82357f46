//! Strategies by name.

use cairn_program::Program;
use cairn_search::{Rng, check, create, list, split_list};

fn refusal(spec: &str) -> String {
    check(spec).expect_err("refused").to_string()
}

fn description(spec: &str) -> String {
    create(spec, &Program::default()).unwrap().describe()
}

/// Returns the settings that a strategy requires.
pub fn example(name: &str) -> String {
    match name {
        "interleave" => "interleave:bfs,random-state".to_owned(),
        "homi" | "randomprune" => format!("{name}[cycle=4,rounds=12/3,least=1,explore=2]:random-state"),
        _ => name.to_owned(),
    }
}

#[test]
fn every_listed_strategy_can_be_created() {
    for info in list() {
        assert!(description(&example(info.name)).starts_with(info.name));
        assert!(info.usage.starts_with(info.name));
    }
    assert!(description("dfs:100").starts_with("dfs:100"));
}

#[test]
fn a_wrong_name_lists_the_right_ones() {
    let refused = refusal("dsf");
    assert!(
        refused.starts_with("there is no strategy `dsf`; there are: auto[:A,B,...], dfs[:DEPTH], bfs, "),
        "{refused}"
    );
    assert!(list().iter().all(|info| refused.contains(info.usage)));
    assert!(refusal("").starts_with("there is no strategy ``"));
}

#[test]
fn wrong_settings_are_explained() {
    for spec in ["dfs:0", "dfs:-1", "dfs:", "dfs:deep", "dfs:4294967296"] {
        assert!(refusal(spec).contains("its depth is a number from 1 to 4294967295"), "{spec}");
    }
    assert!(refusal("parametric:no/such.toml").contains("`no/such.toml` cannot be read: "));
    assert!(refusal("random-branch:7").contains("it has no settings"));
}

#[test]
fn interleaved_strategies_keep_their_settings() {
    let description = description("interleave:dfs:100,bfs,dfs");
    assert!(description.starts_with("interleave: dfs:100 "), "{description}");
    assert_eq!(description.matches(", then ").count(), 2);
    assert!(refusal("interleave").contains("it takes two strategies or more"));
    assert!(refusal("interleave:bfs").contains("it takes two strategies or more"));
    assert!(refusal("interleave:dsf,bfs").contains("there is no strategy `dsf`"));
    for wrong in ["auto:bfs,dfs,dsf", "interleave:dfs,bfs, dsf", "auto:bfs,cgs:2,nodom,dsf,fixed"] {
        assert!(refusal(wrong).contains("there is no strategy `dsf`; there are: auto"), "{wrong}");
    }
    assert_eq!(split_list("dfs:7, bfs,cgs:3, nodom,dfs,8"), ["dfs:7", "bfs", "cgs:3,nodom", "dfs,8"]);
    for nested in ["interleave:bfs,interleave:bfs,bfs", "auto:bfs,interleave:bfs,dfs"] {
        assert!(refusal(nested).contains("`interleave` cannot be a part of it"));
    }
}

#[test]
fn a_wrapped_strategy_keeps_its_settings() {
    assert!(description("homi:cgs:5,nodom").ends_with(": cgs:5,nodom (branches in new contexts)"));
    let list = split_list("homi[cycle=9,least=3]:dfs:7,bfs,randomprune:cgs:5,nodom");
    assert_eq!(list, ["homi[cycle=9,least=3]:dfs:7", "bfs", "randomprune:cgs:5,nodom"]);
    check("auto:homi[cycle=9,rounds=90/3]:covnew,homi:klee,bfs").unwrap();
    for spec in ["homi", "homi:", "homi:homi:bfs", "randomprune:homi[cycle=3]:bfs", "homi:auto:homi:dfs,cfg"]
    {
        assert!(refusal(spec).contains("it takes a strategy that does not prune itself"), "{spec}");
    }
    assert!(refusal("homi:dsf").contains("there is no strategy `dsf`"));
    assert!(refusal("homi[cycle=9]").contains("it takes `:` and a strategy"));
    let (huge, many) = (format!("rounds={0}/{0}", u64::MAX), format!("candidates={}", u64::MAX));
    let steps = format!("rounds={}/4", u64::MAX);
    let wrong =
        ["cycle=0", "pace=3", "rounds=3/4", "ratio=100/2", "least=few", "explore", &huge, &many, &steps];
    for setting in wrong {
        let refused = refusal(&format!("homi[{setting}]:bfs"));
        assert!(refused.contains(&format!("`{setting}` is no setting that it can have")), "{refused}");
    }
}

#[test]
fn random_numbers_depend_on_the_seed_alone() {
    let draw = |seed| {
        let mut rng = Rng::new(seed);
        let mut bytes = [0; 13];
        rng.fill(&mut bytes);
        (bytes, rng.below(1000))
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    let mut rng = Rng::new(9);
    let mut seen = [false; 6];
    for _ in 0..200 {
        seen[rng.below(6)] = true;
    }
    assert_eq!(seen, [true; 6]);
}

//! Strategies by name.

use cairn_search::{Rng, create, list};

fn refusal(asked: &str) -> String {
    create(asked).err().expect("refused").to_string()
}

#[test]
fn every_listed_strategy_can_be_made() {
    for info in list() {
        assert!(create(info.name).unwrap().describe().starts_with(info.name));
        assert!(info.usage.starts_with(info.name));
    }
    assert!(create("dfs:100").unwrap().describe().starts_with("dfs:100"));
}

#[test]
fn a_wrong_name_lists_the_right_ones() {
    assert_eq!(refusal("dsf"), "there is no strategy `dsf`; there are: dfs[:DEPTH], random-branch");
    assert!(refusal("").starts_with("there is no strategy ``"));
}

#[test]
fn wrong_settings_are_explained() {
    for asked in ["dfs:0", "dfs:-1", "dfs:", "dfs:deep"] {
        assert!(refusal(asked).contains("its depth is a number from 1 on"), "{asked}");
    }
    assert!(refusal("random-branch:7").contains("it has no settings"));
}

#[test]
fn random_numbers_are_the_seeds() {
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

//! Strategies by name.

use crate::strategy::{Dfs, RandomBranch};
use crate::traits::Strategy;
use thiserror::Error;

type Made = Result<Box<dyn Strategy>, String>;

/// A strategy one can ask for.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name.
    pub name: &'static str,
    /// How it is written, with its settings.
    pub usage: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    make: fn(Option<&str>) -> Made,
}

const ALL: &[Info] = &[
    Info {
        name: "dfs",
        usage: "dfs[:DEPTH]",
        summary: "depth first: every path through the first DEPTH branches that have two sides",
        make: |depth| Ok(Box::new(Dfs::parse(depth)?)),
    },
    Info {
        name: "random-branch",
        usage: "random-branch",
        summary: "flip a random branch of the current path, and go on from the new one",
        make: |settings| match settings {
            None => Ok(Box::new(RandomBranch::new())),
            Some(_) => Err("it has no settings".to_owned()),
        },
    },
];

/// Why there is no such strategy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownStrategy {
    /// No strategy has this name.
    #[error("there is no strategy `{name}`; there are: {}", usages())]
    Name {
        /// The name asked for.
        name: String,
    },
    /// The strategy is there, but not with these settings.
    #[error("strategy `{asked}`: {reason}")]
    Settings {
        /// The whole of what was asked for.
        asked: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// All strategies.
pub fn list() -> &'static [Info] {
    ALL
}

/// The strategy written as `NAME` or `NAME:SETTINGS`.
pub fn create(asked: &str) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    let (name, settings) = match asked.split_once(':') {
        Some((name, settings)) => (name, Some(settings)),
        None => (asked, None),
    };
    let Some(info) = ALL.iter().find(|info| info.name == name) else {
        return Err(UnknownStrategy::Name { name: name.to_owned() });
    };
    (info.make)(settings).map_err(|reason| UnknownStrategy::Settings { asked: asked.to_owned(), reason })
}

fn usages() -> String {
    ALL.iter().map(|info| info.usage).collect::<Vec<_>>().join(", ")
}

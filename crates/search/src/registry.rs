//! Strategies by name.

use crate::strategy::{
    Auto, Bfs, CarFast, Cfg, Cgs, Chameleon, CovNew, Cpicnt, Depth, Dfs, Generational, Homi, Icnt,
    Interleave, Md2u, Parametric, Qc, RandomBranch, RandomInput, RandomPath, RandomState, UniformRandom,
};
use crate::traits::Strategy;
use crate::weighted::ByWeight;
use crate::weights::{self, Weights};
use cairn_program::Program;
use std::path::Path;
use thiserror::Error;

type Made = Result<Box<dyn Strategy>, String>;
type Named = (String, Box<dyn Strategy>);

/// A strategy one can ask for.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// How it is written, with its settings.
    pub usage: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    make: Make,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    Plain(fn(&Program) -> Box<dyn Strategy>),
    WithSettings(fn(Option<&str>, &Program) -> Made),
}

/// What `auto` chooses among.
const ARMS: &str = "cfg,cgs,random-branch,weights";

const ALL: &[StrategyInfo] = &[
    StrategyInfo {
        name: "auto",
        usage: "auto[:A,B,...]",
        summary: "whichever of several strategies brings most at the time",
        make: Make::WithSettings(|arms, program| Ok(Box::new(auto(arms.unwrap_or(ARMS), program)?))),
    },
    StrategyInfo {
        name: "dfs",
        usage: "dfs[:DEPTH]",
        summary: "depth first, through the first DEPTH branches with two sides",
        make: Make::WithSettings(|depth, _| Ok(Box::new(Dfs::parse(depth)?))),
    },
    StrategyInfo {
        name: "bfs",
        usage: "bfs",
        summary: "breadth first",
        make: Make::Plain(|_| Box::new(Bfs::new())),
    },
    StrategyInfo {
        name: "random-branch",
        usage: "random-branch",
        summary: "a random branch of the current path, then on from there (CREST)",
        make: Make::Plain(|_| Box::new(RandomBranch::new())),
    },
    StrategyInfo {
        name: "uniform-random",
        usage: "uniform-random",
        summary: "walks that take each side with equal probability (CREST)",
        make: Make::Plain(|_| Box::new(UniformRandom::new())),
    },
    StrategyInfo {
        name: "cfg",
        usage: "cfg",
        summary: "the branch of the path nearest to an uncovered one (CREST's CFDS)",
        make: Make::Plain(|program| Box::new(Cfg::new(program))),
    },
    StrategyInfo {
        name: "generational",
        usage: "generational",
        summary: "all branches of the run that covered most new ones (SAGE)",
        make: Make::Plain(|_| Box::new(Generational::new())),
    },
    StrategyInfo {
        name: "carfast",
        usage: "carfast",
        summary: "the uncovered branch that most code depends on (CarFast)",
        make: Make::Plain(|program| Box::new(CarFast::new(program))),
    },
    StrategyInfo {
        name: "cgs",
        usage: "cgs[:KMAX][,nodom][,fixed]",
        summary: "branches in new contexts, growing up to KMAX (CGS); nodom: dominators count, fixed: KMAX at once",
        make: Make::WithSettings(|settings, program| Ok(Box::new(Cgs::parse(settings, program)?))),
    },
    StrategyInfo {
        name: "parametric",
        usage: "parametric[:FILE]",
        summary: "the branch of the last path that learnt weights like best (ParaDySE), and what stands beside them",
        make: Make::WithSettings(parametric),
    },
    StrategyInfo {
        name: "weights",
        usage: "weights[:FILE]",
        summary: "the weights of parametric alone, as published",
        make: Make::WithSettings(|file, program| Ok(Box::new(Parametric::new(&weights_of(file)?, program)))),
    },
    StrategyInfo {
        name: "chameleon",
        usage: "chameleon",
        summary: "parametric, with weights that evolve while it searches (Chameleon)",
        make: Make::Plain(|program| Box::new(Chameleon::new(program))),
    },
    StrategyInfo {
        name: "random-state",
        usage: "random-state",
        summary: "a random branch of the whole tree (KLEE)",
        make: Make::Plain(|_| Box::new(RandomState)),
    },
    StrategyInfo {
        name: "random-path",
        usage: "random-path",
        summary: "walks towards untried branches, each side as likely (KLEE)",
        make: Make::Plain(|_| Box::new(RandomPath)),
    },
    StrategyInfo {
        name: "depth",
        usage: "depth",
        summary: "random, deep branches more likely (KLEE's nurs:depth)",
        make: Make::Plain(|_| Box::new(ByWeight::new(Depth))),
    },
    StrategyInfo {
        name: "covnew",
        usage: "covnew",
        summary: "random, near or behind new code more likely (KLEE's nurs:covnew)",
        make: Make::Plain(|program| Box::new(CovNew::new(program))),
    },
    StrategyInfo {
        name: "md2u",
        usage: "md2u",
        summary: "random, near uncovered code more likely (KLEE's nurs:md2u)",
        make: Make::Plain(|program| Box::new(ByWeight::new(Md2u::new(program)))),
    },
    StrategyInfo {
        name: "icnt",
        usage: "icnt",
        summary: "random, sides that were taken rarely more likely (KLEE's nurs:icnt)",
        make: Make::Plain(|program| Box::new(ByWeight::new(Icnt::new(program)))),
    },
    StrategyInfo {
        name: "cpicnt",
        usage: "cpicnt",
        summary: "random, calling contexts that decided little more likely (KLEE's nurs:cpicnt)",
        make: Make::Plain(|program| Box::new(ByWeight::new(Cpicnt::new(program)))),
    },
    StrategyInfo {
        name: "qc",
        usage: "qc",
        summary: "random, paths that were cheap to solve more likely (KLEE's nurs:qc)",
        make: Make::Plain(|_| Box::new(Qc::new())),
    },
    StrategyInfo {
        name: "klee",
        usage: "klee",
        summary: "random-path and covnew in turn (KLEE's default)",
        make: Make::Plain(|program| Box::new(klee(program))),
    },
    StrategyInfo {
        name: "homi",
        usage: "homi:BASE",
        summary: "BASE over states whose conditions learning finds promising (HOMI)",
        make: Make::WithSettings(|rest, program| {
            let (settings, base) = wrapped(rest, program)?;
            Ok(Box::new(Homi::learning(base, settings, program)?))
        }),
    },
    StrategyInfo {
        name: "randomprune",
        usage: "randomprune:BASE",
        summary: "BASE over states that chance leaves (to compare homi with)",
        make: Make::WithSettings(|rest, program| {
            let (settings, base) = wrapped(rest, program)?;
            Ok(Box::new(Homi::random(base, settings, program)?))
        }),
    },
    StrategyInfo {
        name: "random-input",
        usage: "random-input",
        summary: "random testing: no solving",
        make: Make::Plain(|_| Box::new(RandomInput)),
    },
    StrategyInfo {
        name: "interleave",
        usage: "interleave:A,B,...",
        summary: "strategies in turn, with their settings: interleave:dfs:100,bfs",
        make: Make::WithSettings(|parts, program| Ok(Box::new(interleave(parts, program)?))),
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
pub fn list() -> &'static [StrategyInfo] {
    ALL
}

/// The strategy written as `NAME`, `NAME:SETTINGS`, `NAME,SETTINGS` or `NAME[SETTINGS]:...`, for this program.
pub fn create(asked: &str, program: &Program) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    let (name, settings) = split(asked);
    let Some(info) = ALL.iter().find(|info| info.name == name) else {
        return Err(UnknownStrategy::Name { name: name.to_owned() });
    };
    let made = match (info.make, settings) {
        (Make::Plain(make), None) => Ok(make(program)),
        (Make::Plain(_), Some(_)) => Err("it has no settings".to_owned()),
        (Make::WithSettings(make), settings) => make(settings, program),
    };
    made.map_err(|reason| UnknownStrategy::Settings { asked: asked.to_owned(), reason })
}

/// Whether a strategy can be written like this, before there is a program.
pub fn check(asked: &str) -> Result<(), UnknownStrategy> {
    create(asked, &Program::default()).map(|_| ())
}

/// A strategy's name and its settings.
fn split(asked: &str) -> (&str, Option<&str>) {
    match asked.find([':', ',', '[']) {
        Some(end) if asked[end..].starts_with('[') => (&asked[..end], Some(&asked[end..])),
        Some(end) => (&asked[..end], Some(&asked[end + 1..])),
        None => (asked, None),
    }
}

/// The strategies of a list with commas. Settings may have commas of their own, in brackets or not: a part that is no
/// strategy's name belongs to the strategy before it, if that can have it.
pub fn split_list(list: &str) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    let mut depth = 0;
    let parts = list.split(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    });
    for part in parts.map(str::trim) {
        let is_name = ALL.iter().any(|info| info.name == split(part).0);
        let joined = asked.last().map(|last| format!("{last},{part}"));
        match (asked.last_mut(), joined) {
            (Some(last), Some(joined)) if !is_name && check(&joined).is_ok() => *last = joined,
            _ => asked.push(part.to_owned()),
        }
    }
    asked
}

fn weights_of(file: Option<&str>) -> Result<Weights, String> {
    file.map_or_else(|| Ok(Weights::default()), |file| weights::read_weights(Path::new(file)))
}

/// By the weights of a file, or by those that ship with Cairn; and by what the file has beside them.
fn parametric(file: Option<&str>, program: &Program) -> Made {
    let weights = weights_of(file)?;
    let by_weights = || Box::new(Parametric::new(&weights, program));
    let Some(beside) = &weights.beside else { return Ok(by_weights()) };
    let other = create(&beside.strategy, program).map_err(|error| error.to_string())?;
    if beside.share >= 1.0 {
        return Ok(other);
    }
    Ok(Box::new(Interleave::by_share("parametric", [by_weights(), other], beside.share)))
}

/// Strategies in turn.
fn interleave(parts: Option<&str>, program: &Program) -> Result<Interleave, String> {
    let parts = several(parts.unwrap_or_default(), program)?;
    Ok(Interleave::new("interleave", parts.into_iter().map(|(_, strategy)| strategy).collect()))
}

/// A strategy around another one, written as `BASE` or `[SETTINGS]:BASE`: its settings, and the other one.
fn wrapped<'a>(rest: Option<&'a str>, program: &Program) -> Result<(&'a str, Box<dyn Strategy>), String> {
    let rest = rest.unwrap_or_default();
    let (settings, base) = match rest.strip_prefix('[') {
        Some(rest) => {
            rest.split_once("]:").ok_or("behind its settings in brackets it takes `:` and a strategy")?
        }
        None => ("", rest),
    };
    // Two that prune would set aside and resume the same flips for ever.
    let parts = match split(base) {
        ("auto" | "interleave", Some(list)) => split_list(list),
        _ => vec![base.to_owned()],
    };
    if parts.iter().any(|part| ["", "homi", "randomprune"].contains(&split(part).0)) {
        return Err("it takes a strategy that does not prune itself, as in homi:covnew".to_owned());
    }
    Ok((settings, create(base, program).map_err(|error| error.to_string())?))
}

/// What KLEE does unless told otherwise.
fn klee(program: &Program) -> Interleave {
    Interleave::new("klee", vec![Box::new(RandomPath), Box::new(CovNew::new(program))])
}

/// A choice among strategies.
fn auto(arms: &str, program: &Program) -> Result<Auto, String> {
    Ok(Auto::for_program(several(arms, program)?, program))
}

/// The strategies of a list, two of them at least, with their names. None is made of others: a comma would not tell whose
/// it is.
fn several(list: &str, program: &Program) -> Result<Vec<Named>, String> {
    let asked = split_list(list);
    if let Some(nested) = asked.iter().find(|one| ["interleave", "auto"].contains(&split(one).0)) {
        return Err(format!("`{}` cannot be a part of it", split(nested).0));
    }
    if asked.len() < 2 {
        return Err("it takes two strategies or more".to_owned());
    }
    let make = |name: String| {
        let made = create(&name, program).map_err(|error| error.to_string())?;
        Ok((name, made))
    };
    asked.into_iter().map(make).collect()
}

fn usages() -> String {
    ALL.iter().map(|info| info.usage).collect::<Vec<_>>().join(", ")
}

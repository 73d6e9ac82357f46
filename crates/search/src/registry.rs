//! The registry: strategies by name.

use crate::strategy::{
    Auto, Bfs, CarFast, Cfg, Cgs, Chameleon, CovNew, Cpicnt, DefUse, Depth, Dfs, Generational, Homi, Icnt,
    Interleave, Md2u, Mutation, Parametric, Pieces, Qc, RandomBranch, RandomInput, RandomPath, RandomState,
    UniformRandom,
};
use crate::traits::Strategy;
use crate::weighted::WeightedRandom;
use crate::weights::{self, Weights};
use cairn_program::Program;
use std::path::Path;
use thiserror::Error;

type CreateResult = Result<Box<dyn Strategy>, String>;
type NamedStrategy = (String, Box<dyn Strategy>);

/// A strategy that users can select.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// Its syntax, with the settings.
    pub usage: &'static str,
    /// Its description, in one line.
    pub summary: &'static str,
    make: Constructor,
}

#[derive(Clone, Copy, Debug)]
enum Constructor {
    Plain(fn(&Program) -> Box<dyn Strategy>),
    WithSettings(fn(Option<&str>, &Program) -> CreateResult),
}

/// Default arms of `auto`; bench/RESULTS.md compares sets of arms.
const AUTO_ARMS: &str = "cfg:once,cgs,random-branch,weights,def-use:only,mutation,pieces";

const ALL: &[StrategyInfo] = &[
    StrategyInfo {
        name: "auto",
        usage: "auto[:A,B,...]",
        summary: "whichever of several strategies brings most at the time",
        make: Constructor::WithSettings(|arms, program| {
            Ok(Box::new(auto(arms.unwrap_or(AUTO_ARMS), program)?))
        }),
    },
    // Systematic search.
    StrategyInfo {
        name: "dfs",
        usage: "dfs[:DEPTH]",
        summary: "depth first, through the first DEPTH branches with two sides",
        make: Constructor::WithSettings(|depth, _| Ok(Box::new(Dfs::parse(depth)?))),
    },
    StrategyInfo {
        name: "bfs",
        usage: "bfs",
        summary: "breadth first",
        make: Constructor::Plain(|_| Box::new(Bfs::new())),
    },
    // Strategies of CREST, SAGE, CarFast, CGS, ParaDySE and Chameleon.
    StrategyInfo {
        name: "random-branch",
        usage: "random-branch",
        summary: "a random branch of the current path, then on from there (CREST)",
        make: Constructor::Plain(|_| Box::new(RandomBranch::new())),
    },
    StrategyInfo {
        name: "uniform-random",
        usage: "uniform-random",
        summary: "walks that take each side with equal probability (CREST)",
        make: Constructor::Plain(|_| Box::new(UniformRandom::new())),
    },
    StrategyInfo {
        name: "cfg",
        usage: "cfg[:once]",
        summary: "the branch of the path nearest to an uncovered one (CREST's CFDS); once: no flip again",
        make: Constructor::WithSettings(|settings, program| Ok(Box::new(Cfg::parse(settings, program)?))),
    },
    StrategyInfo {
        name: "generational",
        usage: "generational",
        summary: "all branches of the run that covered most new ones (SAGE)",
        make: Constructor::Plain(|_| Box::new(Generational::new())),
    },
    StrategyInfo {
        name: "carfast",
        usage: "carfast",
        summary: "the uncovered branch that most code depends on (CarFast)",
        make: Constructor::Plain(|program| Box::new(CarFast::new(program))),
    },
    StrategyInfo {
        name: "cgs",
        usage: "cgs[:KMAX][,nodom][,fixed]",
        summary: "branches in new contexts, growing up to KMAX (CGS); nodom: dominators count, fixed: KMAX at once",
        make: Constructor::WithSettings(|settings, program| Ok(Box::new(Cgs::parse(settings, program)?))),
    },
    StrategyInfo {
        name: "parametric",
        usage: "parametric[:FILE]",
        summary: "the branch of the last path with the highest learnt weight (ParaDySE), and its companion strategy",
        make: Constructor::WithSettings(parametric),
    },
    StrategyInfo {
        name: "weights",
        usage: "weights[:FILE]",
        summary: "the weights of parametric alone, as published",
        make: Constructor::WithSettings(|file, program| {
            Ok(Box::new(Parametric::new(&weights_of(file)?, program)))
        }),
    },
    StrategyInfo {
        name: "chameleon",
        usage: "chameleon",
        summary: "parametric, with weights that evolve while it searches (Chameleon)",
        make: Constructor::Plain(|program| Box::new(Chameleon::new(program))),
    },
    StrategyInfo {
        name: "def-use",
        usage: "def-use[:only]",
        summary: "towards stores to what uncovered branches read, or any branch; only: no other branch",
        make: Constructor::WithSettings(|settings, program| Ok(Box::new(DefUse::parse(settings, program)?))),
    },
    // Random choice among all flips of the tree.
    StrategyInfo {
        name: "random-state",
        usage: "random-state",
        summary: "a random branch of the whole tree (KLEE)",
        make: Constructor::Plain(|_| Box::new(RandomState)),
    },
    StrategyInfo {
        name: "random-path",
        usage: "random-path",
        summary: "walks towards untried branches, each side as likely (KLEE)",
        make: Constructor::Plain(|_| Box::new(RandomPath)),
    },
    StrategyInfo {
        name: "depth",
        usage: "depth",
        summary: "random, deep branches more likely (KLEE's nurs:depth)",
        make: Constructor::Plain(|_| Box::new(WeightedRandom::new(Depth))),
    },
    StrategyInfo {
        name: "covnew",
        usage: "covnew",
        summary: "random, near or behind new code more likely (KLEE's nurs:covnew)",
        make: Constructor::Plain(|program| Box::new(CovNew::new(program))),
    },
    StrategyInfo {
        name: "md2u",
        usage: "md2u",
        summary: "random, near uncovered code more likely (KLEE's nurs:md2u)",
        make: Constructor::Plain(|program| Box::new(WeightedRandom::new(Md2u::new(program)))),
    },
    StrategyInfo {
        name: "icnt",
        usage: "icnt",
        summary: "random, sides that were taken rarely more likely (KLEE's nurs:icnt)",
        make: Constructor::Plain(|program| Box::new(WeightedRandom::new(Icnt::new(program)))),
    },
    StrategyInfo {
        name: "cpicnt",
        usage: "cpicnt",
        summary: "random, calling contexts that decided little more likely (KLEE's nurs:cpicnt)",
        make: Constructor::Plain(|program| Box::new(WeightedRandom::new(Cpicnt::new(program)))),
    },
    StrategyInfo {
        name: "qc",
        usage: "qc",
        summary: "random, paths that were cheap to solve more likely (KLEE's nurs:qc)",
        make: Constructor::Plain(|_| Box::new(Qc::new())),
    },
    StrategyInfo {
        name: "klee",
        usage: "klee",
        summary: "random-path and covnew in turn (KLEE's default)",
        make: Constructor::Plain(|program| Box::new(klee(program))),
    },
    // Strategies around others, and the baseline without solving.
    StrategyInfo {
        name: "homi",
        usage: "homi:BASE",
        summary: "BASE over states whose conditions learning finds promising (HOMI)",
        make: Constructor::WithSettings(|rest, program| {
            let (settings, base) = parse_wrapped(rest, program)?;
            Ok(Box::new(Homi::learning(base, settings, program)?))
        }),
    },
    StrategyInfo {
        name: "randomprune",
        usage: "randomprune:BASE",
        summary: "BASE over states that chance leaves (to compare homi with)",
        make: Constructor::WithSettings(|rest, program| {
            let (settings, base) = parse_wrapped(rest, program)?;
            Ok(Box::new(Homi::random(base, settings, program)?))
        }),
    },
    StrategyInfo {
        name: "random-input",
        usage: "random-input",
        summary: "random testing: no solving",
        make: Constructor::Plain(|_| Box::new(RandomInput)),
    },
    StrategyInfo {
        name: "mutation",
        usage: "mutation",
        summary: "mutants of tests, executed without tracing, and no solving",
        make: Constructor::Plain(|_| Box::new(Mutation::default())),
    },
    StrategyInfo {
        name: "pieces",
        usage: "pieces",
        summary: "inputs made of what the program's lexer tells apart, executed without tracing, and no solving",
        make: Constructor::Plain(|program| Box::new(Pieces::new(program))),
    },
    StrategyInfo {
        name: "interleave",
        usage: "interleave:A,B,...",
        summary: "strategies in turn, with their settings: interleave:dfs:100,bfs",
        make: Constructor::WithSettings(|parts, program| Ok(Box::new(interleave(parts, program)?))),
    },
];

/// The reason a strategy cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownStrategy {
    /// No strategy has this name.
    #[error("there is no strategy `{name}`; there are: {}", usages())]
    Name {
        /// The requested name.
        name: String,
    },
    /// The strategy exists, but not with these settings.
    #[error("strategy `{spec}`: {reason}")]
    Settings {
        /// The complete text of the request.
        spec: String,
        /// The error in the settings.
        reason: String,
    },
}

/// Returns all strategies.
pub fn list() -> &'static [StrategyInfo] {
    ALL
}

/// Creates the strategy written as `NAME`, `NAME:SETTINGS`, `NAME,SETTINGS` or `NAME[SETTINGS]:...`, for this
/// program.
pub fn create(spec: &str, program: &Program) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    let (name, settings) = split(spec);
    let Some(info) = ALL.iter().find(|info| info.name == name) else {
        return Err(UnknownStrategy::Name { name: name.to_owned() });
    };
    let made = match (info.make, settings) {
        (Constructor::Plain(make), None) => Ok(make(program)),
        (Constructor::Plain(_), Some(_)) => Err("it has no settings".to_owned()),
        (Constructor::WithSettings(make), settings) => make(settings, program),
    };
    made.map_err(|reason| UnknownStrategy::Settings { spec: spec.to_owned(), reason })
}

/// Checks the syntax of a strategy before there is a program.
pub fn check(spec: &str) -> Result<(), UnknownStrategy> {
    create(spec, &Program::default()).map(|_| ())
}

/// Splits a request into the strategy's name and its settings.
fn split(spec: &str) -> (&str, Option<&str>) {
    match spec.find([':', ',', '[']) {
        Some(end) if spec[end..].starts_with('[') => (&spec[..end], Some(&spec[end..])),
        Some(end) => (&spec[..end], Some(&spec[end + 1..])),
        None => (spec, None),
    }
}

/// Splits a comma-separated list of strategies. Settings may contain commas, in brackets or not: a part that
/// is no strategy's name belongs to the strategy before it, if that accepts it.
pub fn split_list(list: &str) -> Vec<String> {
    let mut specs: Vec<String> = Vec::new();
    let mut depth = 0;
    let parts = list.split(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    });
    for part in parts.map(str::trim) {
        let is_name = ALL.iter().any(|info| info.name == split(part).0);
        let joined = specs.last().map(|last| format!("{last},{part}"));
        match (specs.last_mut(), joined) {
            (Some(last), Some(joined)) if !is_name && check(&joined).is_ok() => *last = joined,
            _ => specs.push(part.to_owned()),
        }
    }
    specs
}

fn weights_of(file: Option<&str>) -> Result<Weights, String> {
    file.map_or_else(|| Ok(Weights::default()), |file| weights::read_weights(Path::new(file)))
}

/// Creates `parametric` from the weights of a file or the built-in ones, with the companion strategy that the
/// file names.
fn parametric(file: Option<&str>, program: &Program) -> CreateResult {
    let weights = weights_of(file)?;
    let by_weights = || Box::new(Parametric::new(&weights, program));
    let Some(companion) = &weights.companion else { return Ok(by_weights()) };
    let other = create(&companion.strategy, program).map_err(|error| error.to_string())?;
    if companion.share >= 1.0 {
        return Ok(other);
    }
    Ok(Box::new(Interleave::by_share("parametric", [by_weights(), other], companion.share)))
}

/// Creates strategies that alternate.
fn interleave(parts: Option<&str>, program: &Program) -> Result<Interleave, String> {
    let parts = create_list(parts.unwrap_or_default(), program)?;
    Ok(Interleave::new("interleave", parts.into_iter().map(|(_, strategy)| strategy).collect()))
}

/// Parses the argument of a strategy that wraps another one, written as `BASE` or `[SETTINGS]:BASE`, into
/// settings and base.
fn parse_wrapped<'a>(
    rest: Option<&'a str>,
    program: &Program,
) -> Result<(&'a str, Box<dyn Strategy>), String> {
    let rest = rest.unwrap_or_default();
    let (settings, base) = match rest.strip_prefix('[') {
        Some(rest) => {
            rest.split_once("]:").ok_or("behind its settings in brackets it takes `:` and a strategy")?
        }
        None => ("", rest),
    };
    // Two pruning strategies would suspend and resume the same flips for ever.
    let parts = match split(base) {
        ("auto" | "interleave", Some(list)) => split_list(list),
        _ => vec![base.to_owned()],
    };
    if parts.iter().any(|part| ["", "homi", "randomprune"].contains(&split(part).0)) {
        return Err("it takes a strategy that does not prune itself, as in homi:covnew".to_owned());
    }
    Ok((settings, create(base, program).map_err(|error| error.to_string())?))
}

/// Creates KLEE's default search.
fn klee(program: &Program) -> Interleave {
    Interleave::new("klee", vec![Box::new(RandomPath), Box::new(CovNew::new(program))])
}

/// Creates a bandit over the listed strategies.
fn auto(arms: &str, program: &Program) -> Result<Auto, String> {
    Ok(Auto::for_program(create_list(arms, program)?, program))
}

/// Creates the strategies of a list, at least two, with their names. Composite ones are rejected, since their
/// commas would be ambiguous.
fn create_list(list: &str, program: &Program) -> Result<Vec<NamedStrategy>, String> {
    let specs = split_list(list);
    if let Some(nested) = specs.iter().find(|one| ["interleave", "auto"].contains(&split(one).0)) {
        return Err(format!("`{}` cannot be a part of it", split(nested).0));
    }
    if specs.len() < 2 {
        return Err("it takes two strategies or more".to_owned());
    }
    let make = |name: String| {
        let made = create(&name, program).map_err(|error| error.to_string())?;
        Ok((name, made))
    };
    specs.into_iter().map(make).collect()
}

fn usages() -> String {
    ALL.iter().map(|info| info.usage).collect::<Vec<_>>().join(", ")
}

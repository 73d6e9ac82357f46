//! The stacks of layers that Cairn uses.
//!
//! From the top: count, slice, look up, then the portfolio of engines, which tries the cheap ones first until
//! it knows better. Each layer makes the next one's work smaller: only sliced queries come back often enough
//! for a cache. The functions build from the bottom up: each line puts a layer on top of the stack so far.

use crate::dump::{Dump, QuerySink};
use crate::stats::Layers;
use crate::{
    BackendProcess, Cache, ClassicWalk, CounterexampleCache, Engine, Enumerate, Layer, Limits, Metrics,
    Portfolio, Slice, Solver, Walk, WalkMode, WalkSettings, Z3, backend_process, bitblast,
};
use std::sync::OnceLock;

/// Returns the usual stack with the default local search.
pub fn standard(limits: Limits) -> Box<dyn Solver> {
    with_walk(limits, WalkSettings::default())
}

/// Returns the usual stack with these settings of local search. The published algorithm
/// ([`WalkMode::Classic`]) is measured alone: only slicing and a cache are on top of it, and what it does not
/// find stays unknown.
pub fn with_walk(limits: Limits, walk: WalkSettings) -> Box<dyn Solver> {
    usual(bottom(backend(), limits, walk), limits, None)
}

/// Returns the usual stack, which passes every distinct sliced query to `sink`.
pub fn dumping(limits: Limits, walk: WalkSettings, sink: QuerySink) -> Box<dyn Solver> {
    usual(bottom(backend(), limits, walk), limits, Some(sink))
}

/// Returns a stack of Z3 alone, its models validated.
pub fn only_z3(limits: Limits) -> Box<dyn Solver> {
    over(Metrics::new(limits), Box::new(Portfolio::new(limits, vec![backend()])))
}

/// Returns a stack of bit-blasting alone, its models validated.
pub fn only_sat(limits: Limits) -> Box<dyn Solver> {
    over(Metrics::new(limits), Box::new(Portfolio::new(limits, bitblast::bit_blasting().into())))
}

/// Returns a stack of local search alone.
pub fn only_walk(limits: Limits) -> Box<dyn Solver> {
    let walk = Box::new(Walk::new(WalkSettings::default()));
    over(Metrics::new(limits), Box::new(Portfolio::new(limits, vec![walk])))
}

/// Returns what is below slicing and cache.
fn bottom(backend: Box<dyn Engine>, limits: Limits, walk: WalkSettings) -> Box<dyn Solver> {
    if walk.mode == WalkMode::Classic {
        return Box::new(ClassicWalk::new(walk));
    }
    let mut engines: Vec<Box<dyn Engine>> =
        vec![Box::new(Enumerate::default()), Box::new(CounterexampleCache::default())];
    if walk.mode == WalkMode::Full {
        engines.push(Box::new(Walk::new(walk)));
    }
    engines.extend(bitblast::bit_blasting());
    engines.push(backend);
    Box::new(Portfolio::new(limits, engines))
}

fn usual(bottom: Box<dyn Solver>, limits: Limits, sink: Option<QuerySink>) -> Box<dyn Solver> {
    let mut stack = bottom;
    stack = over(Cache::new(limits), stack);
    if let Some(sink) = sink {
        stack = over(Dump::new(sink), stack);
    }
    stack = over(Slice::default(), stack);
    over(Metrics::new(limits), stack)
}

/// Puts a layer on top of a stack.
fn over(layer: impl Layer + 'static, below: Box<dyn Solver>) -> Box<dyn Solver> {
    Box::new(layer.over(below))
}

/// Returns Z3 in a process of its own, or in this one if the program has not said how to start one.
fn backend() -> Box<dyn Engine> {
    match backend_process::command() {
        Some(command) => Box::new(BackendProcess::new(command)),
        None => Box::new(Z3::new(Limits::default())),
    }
}

/// Returns the layers of the usual stack with tallies of zero: it is the list of those that are always shown.
/// Nothing is started for it: the backend process would be at the first query.
pub(crate) fn known_layers() -> &'static Layers {
    static KNOWN: OnceLock<Layers> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let limits = Limits::default();
        let backend = Box::new(BackendProcess::new(&[]));
        usual(bottom(backend, limits, WalkSettings::default()), limits, None).stats().layers
    })
}

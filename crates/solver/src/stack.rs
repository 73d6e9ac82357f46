//! The stacks of layers that Cairn uses.
//!
//! From the top: count, slice, look up, enumerate, try earlier models and cores, bit-blast, search, Z3; models of
//! bit-blasting and of Z3 are validated. What
//! is cheap and often enough comes first, and each layer makes the next one's work smaller: only sliced
//! queries come back often enough for a cache, and only what enumeration leaves is worth a look at earlier
//! models. The functions build from the bottom up: each line puts a layer on top of the stack so far.

use crate::dump::{Dump, QuerySink};
use crate::stats::Layers;
use crate::{
    BitBlast, Cache, CounterexampleCache, Enumerate, Layer, Limits, Metrics, NullSolver, Slice, Solver,
    Validate, Walk, WalkMode, WalkSettings, Worker, Z3, worker,
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
    usual(backend(limits), limits, walk, None)
}

/// Returns the usual stack, which passes every distinct sliced query to `sink`.
pub fn dumping(limits: Limits, walk: WalkSettings, sink: QuerySink) -> Box<dyn Solver> {
    usual(backend(limits), limits, walk, Some(sink))
}

/// Returns a stack of Z3 alone, its models validated.
pub fn only_z3(limits: Limits) -> Box<dyn Solver> {
    let stack = over(Validate::default(), backend(limits));
    over(Metrics::new(limits), stack)
}

/// Returns a stack of bit-blasting alone, its models validated.
pub fn only_sat(limits: Limits) -> Box<dyn Solver> {
    let stack = over(BitBlast::new(limits), Box::new(NullSolver));
    let stack = over(Validate::default(), stack);
    over(Metrics::new(limits), stack)
}

/// Returns a stack of local search alone.
pub fn only_walk(limits: Limits) -> Box<dyn Solver> {
    let stack = over(Walk::new(WalkSettings::default()), Box::new(NullSolver));
    over(Metrics::new(limits), stack)
}

fn usual(
    backend: Box<dyn Solver>,
    limits: Limits,
    walk: WalkSettings,
    sink: Option<QuerySink>,
) -> Box<dyn Solver> {
    let mut stack = backend;
    stack = over(Validate::default(), stack);
    stack = over(Walk::new(walk), stack);
    if walk.mode != WalkMode::Classic {
        stack = over(BitBlast::new(limits), stack);
        stack = over(Validate::default(), stack);
        stack = over(CounterexampleCache::default(), stack);
        stack = over(Enumerate::new(limits), stack);
    }
    stack = over(Cache::default(), stack);
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
fn backend(limits: Limits) -> Box<dyn Solver> {
    match worker::command() {
        Some(command) => Box::new(Worker::new(command, limits)),
        None => Box::new(Z3::new(limits)),
    }
}

/// Returns the layers of the usual stack with tallies of zero: it is the list of those that are always shown.
/// Nothing is started for it: the worker process would be at the first query.
pub(crate) fn known_layers() -> &'static Layers {
    static KNOWN: OnceLock<Layers> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let limits = Limits::default();
        let backend = Box::new(Worker::new(&[], limits));
        usual(backend, limits, WalkSettings::default(), None).stats().layers
    })
}

//! KLEE's search by instruction count of the calling context (`nurs:cpicnt`).
//!
//! A pending state weighs 1/n, n being the number of instructions that all states together have executed so far in the
//! calling context of its innermost frame, callees excluded; a function that calls itself, through others or not, is
//! folded into its first call.
//!
//! What differs. A state is an untried flip, and n is the number of decisions on symbolic values. Calls and returns are
//! not recorded: the context is a chain of functions that is made up from where a path decides. A function on the chain is
//! gone back to; any other was called by the last function on it that may call it, directly or through others.
//! So functions that decide nothing are not in it, nor is from which place of a function the next was called.
//!
//! Cost: one addition per node of a run, and a walk along the chain where the function changes; twelve bytes for each
//! such change among new nodes; and see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::Weigh;
use cairn_program::{CallGraph, Callees, FunctionId, Program, SiteId};
use cairn_tree::{Flip, NodeId, Tree};
use rustc_hash::FxHashMap;

/// A chain of calls, as an index.
type ContextId = u32;

/// The chain with nothing on it.
const EMPTY: ContextId = 0;

/// A chain of calls.
#[derive(Clone, Debug)]
struct Context {
    /// Its last function, and the chain before that; none of [`EMPTY`].
    last: Option<(ContextId, FunctionId)>,
    /// Decisions made in it.
    decisions: u64,
}

/// All chains that paths were on.
#[derive(Clone, Debug)]
struct Contexts {
    callees: Callees,
    all: Vec<Context>,
    ids: FxHashMap<(ContextId, FunctionId), ContextId>,
}

impl Contexts {
    fn new(program: &Program) -> Contexts {
        let callees = Callees::new(program, &CallGraph::new(program));
        Contexts { callees, all: vec![Context { last: None, decisions: 0 }], ids: FxHashMap::default() }
    }

    /// The context in which a path decides in this function, after it has decided in that context.
    fn after(&mut self, context: ContextId, function: FunctionId) -> ContextId {
        let on_chain = self.chain(context).find(|(_, on_chain)| *on_chain == function);
        if let Some((known, _)) = on_chain {
            return known;
        }
        let caller = self.chain(context).find(|(_, caller)| self.callees.may_call(*caller, function));
        let before = caller.map_or(EMPTY, |(caller, _)| caller);
        *self.ids.entry((before, function)).or_insert_with(|| {
            self.all.push(Context { last: Some((before, function)), decisions: 0 });
            self.all.len() as ContextId - 1
        })
    }

    /// The contexts that a context is made of, itself first, with the last function of each.
    fn chain(&self, context: ContextId) -> impl Iterator<Item = (ContextId, FunctionId)> + '_ {
        let last = |context: ContextId| self.all[context as usize].last;
        let first = last(context).map(|(before, function)| (context, before, function));
        let chain = std::iter::successors(first, move |(_, context, _)| {
            last(*context).map(|(before, function)| (*context, before, function))
        });
        chain.map(|(context, _, function)| (context, function))
    }
}

/// How often each calling context decided something.
#[derive(Clone, Debug)]
pub struct Cpicnt {
    /// By site.
    function: Vec<FunctionId>,
    contexts: Contexts,
    /// The context of all nodes from this one up to the next in the list.
    spans: Vec<(NodeId, ContextId)>,
}

impl Cpicnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Cpicnt {
        let function = program.sites().map(|(_, site)| site.function).collect();
        Cpicnt { function, contexts: Contexts::new(program), spans: Vec::new() }
    }

    /// The context of a node that follows one in that context; what stands at no site of the program does not change it.
    fn context_after(&mut self, context: ContextId, SiteId(site): SiteId) -> ContextId {
        match self.function.get(site as usize) {
            Some(function) => self.contexts.after(context, *function),
            None => context,
        }
    }

    fn context_of(&self, node: NodeId) -> ContextId {
        self.spans[self.spans.partition_point(|(first, _)| *first <= node) - 1].1
    }
}

impl Weigh for Cpicnt {
    fn see(&mut self, run: &RunView) -> bool {
        let mut context = EMPTY;
        for (at, node) in run.nodes.iter().enumerate() {
            context = self.context_after(context, run.tree.site(*node));
            self.contexts.all[context as usize].decisions += 1;
            let is_new = at >= run.first_new;
            if is_new && self.spans.last().is_none_or(|(_, last)| *last != context) {
                self.spans.push((*node, context));
            }
        }
        false
    }

    fn weight(&self, _: &Tree, flip: Flip) -> f64 {
        1.0 / self.contexts.all[self.context_of(flip.node) as usize].decisions as f64
    }

    fn describe(&self) -> &'static str {
        "cpicnt (flips by chance, in calling contexts that decided little more likely)"
    }
}

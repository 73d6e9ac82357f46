//! KLEE's search by instruction count of the calling context (`nurs:cpicnt`).
//!
//! KLEE's public code: a pending state weighs 1/n, n being the number of instructions that all states
//! together have executed so far in the calling context of its innermost frame, without callees; a recursive
//! function, directly or indirectly, is folded into its first call.
//!
//! Deviations. A state is an untried flip, and n is the number of decisions on symbolic values. Calls and
//! returns are not recorded, so the context is a chain of functions reconstructed from where a path decides.
//! A function that is on the chain is returned to; any other was called by the last function on it that may
//! call it, directly or indirectly. So the chain contains neither functions that decide nothing nor call
//! sites.
//!
//! Cost: one addition per node of a run, and a walk along the chain where the function changes; twelve bytes
//! for each such change among new nodes; and see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::FlipWeight;
use cairn_program::{CallGraph, Callees, FunctionId, Program, SiteId};
use cairn_tree::{Flip, NodeId, Tree};
use rustc_hash::FxHashMap;

/// Index of a chain of calls.
type ContextId = u32;

/// The empty chain.
const EMPTY: ContextId = 0;

/// A chain of calls.
#[derive(Clone, Debug)]
struct CallContext {
    /// Its last function, and the chain before it; none for [`EMPTY`].
    last: Option<(ContextId, FunctionId)>,
    /// Number of decisions made in it.
    decisions: u64,
}

/// All chains seen on paths.
#[derive(Clone, Debug)]
struct CallContexts {
    callees: Callees,
    all: Vec<CallContext>,
    ids: FxHashMap<(ContextId, FunctionId), ContextId>,
}

impl CallContexts {
    fn new(program: &Program) -> CallContexts {
        let callees = Callees::new(program, &CallGraph::new(program));
        CallContexts {
            callees,
            all: vec![CallContext { last: None, decisions: 0 }],
            ids: FxHashMap::default(),
        }
    }

    /// Returns the context in which a path decides in `function`, after it has decided in `context`.
    fn after(&mut self, context: ContextId, function: FunctionId) -> ContextId {
        let on_chain = self.chain(context).find(|(_, on_chain)| *on_chain == function);
        if let Some((known, _)) = on_chain {
            return known;
        }
        let caller = self.chain(context).find(|(_, caller)| self.callees.may_call(*caller, function));
        let before = caller.map_or(EMPTY, |(caller, _)| caller);
        *self.ids.entry((before, function)).or_insert_with(|| {
            self.all.push(CallContext { last: Some((before, function)), decisions: 0 });
            self.all.len() as ContextId - 1
        })
    }

    /// Returns the prefixes of a chain, itself first, with the last function of each.
    fn chain(&self, context: ContextId) -> impl Iterator<Item = (ContextId, FunctionId)> + '_ {
        let last = |context: ContextId| self.all[context as usize].last;
        let first = last(context).map(|(before, function)| (context, before, function));
        let chain = std::iter::successors(first, move |(_, context, _)| {
            last(*context).map(|(before, function)| (*context, before, function))
        });
        chain.map(|(context, _, function)| (context, function))
    }
}

/// Number of decisions by calling context.
#[derive(Clone, Debug)]
pub struct Cpicnt {
    /// Function, by site.
    function: Vec<FunctionId>,
    contexts: CallContexts,
    /// CallContexts of consecutive nodes: of all from this one up to the next in the list.
    spans: Vec<(NodeId, ContextId)>,
}

impl Cpicnt {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Cpicnt {
        let function = program.sites().map(|(_, site)| site.function).collect();
        Cpicnt { function, contexts: CallContexts::new(program), spans: Vec::new() }
    }

    /// Returns the context of a node that follows one in `context`; steps without a site in the program do
    /// not change it.
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

impl FlipWeight for Cpicnt {
    fn on_run(&mut self, run: &RunView) -> bool {
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

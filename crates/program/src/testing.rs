//! Hand-made programs for the tests of this crate and of those that depend on it.

pub mod plan;

use crate::model::Program;
use cairn_wire::meta::{Block, Function, Side, Site, Unit};
use cairn_wire::{SiteId, SiteKind};

/// Builder of a program of one function with consecutive sites.
#[derive(Clone, Debug)]
pub struct Sketch {
    unit: Unit,
    sides: u32,
}

impl Default for Sketch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sketch {
    /// Creates a program without sites.
    pub fn new() -> Sketch {
        let main = Function { name: "main".into(), blocks: vec![Block::default()], ..Function::default() };
        let files = vec!["sketch.c".into()];
        let unit = Unit { source: "sketch.c".into(), files, functions: vec![main], ..Unit::default() };
        Sketch { unit, sides: 0 }
    }

    /// Adds a conditional branch.
    pub fn branch(&mut self) -> SiteId {
        self.site(SiteKind::Branch, 1, vec![vec![], vec![]])
    }

    /// Adds a switch of this width with one side per list of values, and a default that lists none.
    pub fn switch(&mut self, width: u32, cases: &[&[u64]]) -> SiteId {
        let listed = cases.iter().map(|values| values.to_vec());
        self.site(SiteKind::Switch, width, listed.chain([vec![]]).collect())
    }

    /// Adds a site at which a value may be concretized.
    pub fn concretization(&mut self) -> SiteId {
        self.site(SiteKind::Concretization, 64, vec![])
    }

    /// Adds a call of a function that may be uninstrumented.
    pub fn foreign(&mut self, name: &str) -> SiteId {
        self.unit.foreign.push(name.into());
        self.site(SiteKind::UninstrumentedCall, self.unit.foreign.len() as u32 - 1, vec![])
    }

    /// Marks all sites, earlier and later ones, as outside user code.
    pub fn uncounted(&mut self) {
        self.unit.functions[0].uncounted = true;
    }

    /// Returns the unit.
    pub fn unit(&self) -> Unit {
        self.unit.clone()
    }

    /// Builds the program.
    pub fn build(&self) -> Program {
        Program::from_units(vec![self.unit()]).expect("a sketch is never damaged")
    }

    fn site(&mut self, kind: SiteKind, width: u32, values: Vec<Vec<u64>>) -> SiteId {
        let id = self.unit.sites.len() as u32;
        let blocks = &mut self.unit.functions[0].blocks;
        let (here, next) = (blocks.len() as u32 - 1, blocks.len() as u32);
        blocks[here as usize].successors = vec![next; values.len().max(1)];
        blocks[here as usize].site = (!values.is_empty()).then_some(id);
        blocks.push(Block::default());
        let sides: Vec<_> = values.into_iter().map(|values| Side { successor: next, values }).collect();
        let first_side = self.sides;
        self.sides += sides.len() as u32;
        let (line, column) = (id + 1, 1);
        let (contents, callees, reads) = Default::default();
        let (function, block, file) = (0, here, 0);
        self.unit.sites.push(Site {
            kind,
            function,
            block,
            file,
            line,
            column,
            first_side,
            width,
            contents,
            callees,
            reads,
            sides,
        });
        SiteId(id)
    }
}

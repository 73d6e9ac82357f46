//! Programs of several functions, specified block by block.

use crate::model::Program;
use cairn_wire::SiteKind;
use cairn_wire::meta::{self, ConditionFeatures, Definition, Function, Side, Site, Unit};

/// A basic block of a test program.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    block: meta::Block,
    selects: u32,
    decides: bool,
    contents: ConditionFeatures,
    /// Variables that its condition reads, by name.
    reads: Vec<u64>,
    /// Variables that it stores to, by name.
    stores: Vec<(u64, Option<u64>)>,
}

/// Creates a block that ends with a decision between these blocks of its function: a branch if there are two,
/// otherwise a switch.
pub fn decide(successors: &[u32]) -> Plan {
    Plan { decides: true, ..lead(successors) }
}

/// Creates a block that continues with another one.
pub fn jump(successor: u32) -> Plan {
    lead(&[successor])
}

/// Creates a block at the end of its function.
pub fn end() -> Plan {
    lead(&[])
}

fn lead(successors: &[u32]) -> Plan {
    let block = meta::Block { instructions: 1, successors: successors.to_vec(), ..meta::Block::default() };
    Plan { block, ..Plan::default() }
}

impl Plan {
    /// Adds a call of the function of this name.
    pub fn call(mut self, name: &str) -> Plan {
        self.block.calls.push(meta::Call::Direct(name.into()));
        self
    }

    /// Adds a call through a pointer to functions of this type.
    pub fn call_pointer(mut self, type_hash: u64) -> Plan {
        self.block.calls.push(meta::Call::Indirect(type_hash));
        self
    }

    /// Sets the number of selects.
    pub fn selects(mut self, count: u32) -> Plan {
        self.selects = count;
        self
    }

    /// Sets the features of its condition.
    pub fn contents(mut self, contents: ConditionFeatures) -> Plan {
        self.contents = contents;
        self
    }

    /// Adds a variable to those that its condition reads.
    pub fn reads(mut self, variable: u64) -> Plan {
        self.reads.push(variable);
        self
    }

    /// Adds a store to a variable, of a constant if one is given.
    pub fn stores(mut self, variable: u64, constant: Option<u64>) -> Plan {
        self.stores.push((variable, constant));
        self
    }

    /// Sets the number of instructions, one by default.
    pub fn instructions(mut self, count: u32) -> Plan {
        self.block.instructions = count;
        self
    }
}

/// A function of a test program.
#[derive(Clone, Debug)]
pub struct Body {
    function: Function,
    blocks: Vec<Plan>,
    pointed_at: bool,
}

/// Creates a function of these blocks, the first of them its entry.
pub fn function(name: &str, blocks: &[Plan]) -> Body {
    let function = Function { name: name.into(), ..Function::default() };
    Body { function, blocks: blocks.to_vec(), pointed_at: false }
}

impl Body {
    /// Marks it as callable through pointers of this type.
    pub fn pointed_at(mut self, type_hash: u64) -> Body {
        self.function.type_hash = type_hash;
        self.pointed_at = true;
        self
    }

    /// Marks it as outside user code.
    pub fn uncounted(mut self) -> Body {
        self.function.uncounted = true;
        self
    }
}

/// Builds the program of these functions. Branches are numbered block by block, a block's selects before its
/// end.
pub fn build(functions: &[Body]) -> Program {
    let mut unit = Unit { source: "plan.c".into(), files: vec!["plan.c".into()], ..Unit::default() };
    let mut sides = 0;
    for (body, index) in functions.iter().zip(0..) {
        let mut function = body.function.clone();
        unit.pointed_at.extend(body.pointed_at.then(|| function.name.clone()));
        for (plan, block) in body.blocks.iter().zip(0..) {
            let mut number = |variable: u64| {
                unit.variables.push(variable);
                unit.variables.len() as u32 - 1
            };
            let reads: Vec<u32> = plan.reads.iter().map(|variable| number(*variable)).collect();
            let mut definition = |(variable, constant): &(u64, Option<u64>)| Definition {
                variable: number(*variable),
                constant: *constant,
            };
            let definitions = plan.stores.iter().map(&mut definition).collect();
            let mut add = |kind, successors: &[u32]| {
                let (contents, reads) = (plan.contents, reads.clone());
                unit.sites.push(Site { contents, reads, ..site(kind, index, block, sides, successors) });
                sides += successors.len() as u32;
            };
            (0..plan.selects).for_each(|_| add(SiteKind::Select, &[block; 2]));
            let successors = &plan.block.successors;
            if plan.decides {
                add(if successors.len() == 2 { SiteKind::Branch } else { SiteKind::Switch }, successors);
            }
            let site = plan.decides.then(|| unit.sites.len() as u32 - 1);
            function.blocks.push(meta::Block { site, definitions, ..plan.block.clone() });
        }
        unit.functions.push(function);
    }
    Program::from_units(vec![unit]).expect("a plan whose edges lead to its own blocks")
}

fn site(kind: SiteKind, function: u32, block: u32, first_side: u32, successors: &[u32]) -> Site {
    let values = |side| if kind == SiteKind::Switch { vec![side] } else { vec![] };
    let side = |(&successor, side)| Side { successor, values: values(side) };
    let sides = successors.iter().zip(0..).map(side).collect();
    let width = if kind == SiteKind::Switch { 32 } else { 1 };
    let (file, line, column, contents, callees, reads) = Default::default();
    Site { kind, function, block, file, line, column, first_side, width, contents, callees, reads, sides }
}

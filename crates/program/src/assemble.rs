//! Joins the metadata of all units to one program: local indices become ids, names become functions.
//!
//! Every index is checked here, so that the rest of Cairn can use ids without checks.

use crate::error::Damage;
use crate::model::{
    Block, BlockId, BranchId, Call, Definition, Function, FunctionId, Program, Side, Site, VariableId, mask,
};
use cairn_wire::meta::{self, ConditionFeatures, Unit};
use cairn_wire::site::USER_MAIN;
use cairn_wire::{SiteId, SiteKind};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A unit and its position in the linked program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedUnit {
    /// Metadata of the unit.
    pub unit: Unit,
    /// Id of its first site.
    pub first_site: u32,
    /// Id of its first branch.
    pub first_branch: u32,
    /// Number of coverage bytes of the whole program.
    pub program_branches: u32,
}

impl Program {
    /// Creates the program that results from linking these units in this order.
    pub fn from_units(units: Vec<Unit>) -> Result<Program, Damage> {
        assemble(lay_out(units))
    }

    /// Creates the program of units whose positions in the linked file are known.
    pub fn from_placed_units(units: Vec<PlacedUnit>) -> Result<Program, Damage> {
        assemble(units)
    }
}

/// Places units one after the other.
fn lay_out(units: Vec<Unit>) -> Vec<PlacedUnit> {
    let sides = |unit: &Unit| unit.sites.iter().map(|site| site.sides.len() as u32).sum::<u32>();
    let program_branches = units.iter().map(sides).sum();
    let (mut first_site, mut first_branch) = (0, 0);
    let position = |unit: Unit| {
        let placed = PlacedUnit { first_site, first_branch, program_branches, unit };
        first_site += placed.unit.sites.len() as u32;
        first_branch += sides(&placed.unit);
        placed
    };
    units.into_iter().map(position).collect()
}

/// Joins units to a program.
fn assemble(mut units: Vec<PlacedUnit>) -> Result<Program, Damage> {
    units.sort_by_key(|placed| placed.first_site);
    let branches = units.first().map_or(0, |placed| placed.program_branches);
    let mut program = Program { owners: vec![None; branches as usize], ..Program::default() };
    let names = FunctionNames::collect(&units);
    let variables = number_variables(&units);
    program.variables = variables.len() as u32;
    for (index, placed) in units.iter().enumerate() {
        UnitJoiner::new(&mut program, &names, &variables, placed, index as u32).join()?;
    }
    for (index, placed) in units.iter().enumerate() {
        program.checks = program.checks.with(placed.unit.checks);
        let pointed_at = placed.unit.pointed_at.iter().filter_map(|name| names.resolve(index as u32, name));
        for function in pointed_at {
            program.functions[function.0 as usize].address_taken = true;
        }
    }
    Ok(program)
}

/// The functions that names refer to, per unit and between units.
struct FunctionNames<'a> {
    local: Vec<HashMap<&'a str, FunctionId>>,
    global: HashMap<&'a str, FunctionId>,
}

impl<'a> FunctionNames<'a> {
    /// Numbers all functions in unit order. Of several definitions of one global name (weak symbols) the
    /// first counts, as for most linkers.
    fn collect(units: &'a [PlacedUnit]) -> Self {
        let mut names = FunctionNames { local: Vec::new(), global: HashMap::new() };
        let mut next = 0;
        for placed in units {
            let mut local = HashMap::new();
            for function in &placed.unit.functions {
                local.insert(function.name.as_str(), FunctionId(next));
                if !function.internal {
                    names.global.entry(&function.name).or_insert(FunctionId(next));
                }
                next += 1;
            }
            names.local.push(local);
        }
        names
    }

    fn resolve(&self, unit: u32, name: &str) -> Option<FunctionId> {
        let local = self.local[unit as usize].get(name);
        local.or_else(|| self.global.get(name)).copied()
    }
}

/// Numbers the variables that conditions read, by the hashes of their names.
fn number_variables(units: &[PlacedUnit]) -> HashMap<u64, VariableId> {
    let mut ids = HashMap::new();
    for unit in units.iter().map(|placed| &placed.unit) {
        for read in unit.sites.iter().flat_map(|site| &site.reads) {
            if let Some(hash) = unit.variables.get(*read as usize) {
                let next = VariableId(ids.len() as u32);
                ids.entry(*hash).or_insert(next);
            }
        }
    }
    ids
}

/// Shortens the name of a file below `here`; the result can always be opened from there.
fn shorten(here: &Path, file: &str) -> Arc<str> {
    let below = Path::new(file).strip_prefix(here).ok().and_then(Path::to_str);
    below.filter(|below| !below.is_empty()).unwrap_or(file).into()
}

/// Adds one unit to the program.
struct UnitJoiner<'a> {
    program: &'a mut Program,
    names: &'a FunctionNames<'a>,
    variables: &'a HashMap<u64, VariableId>,
    placed: &'a PlacedUnit,
    index: u32,
    files: Vec<Arc<str>>,
    first_function: u32,
    /// By function of the unit: its first block.
    first_blocks: Vec<u32>,
}

impl<'a> UnitJoiner<'a> {
    fn new(
        program: &'a mut Program,
        names: &'a FunctionNames<'a>,
        variables: &'a HashMap<u64, VariableId>,
        placed: &'a PlacedUnit,
        index: u32,
    ) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let files = placed.unit.files.iter().map(|file| shorten(&here, file)).collect();
        let first_function = program.functions.len() as u32;
        let mut next_block = program.blocks.len() as u32;
        let mut first_blocks = Vec::with_capacity(placed.unit.functions.len());
        for function in &placed.unit.functions {
            first_blocks.push(next_block);
            next_block += function.blocks.len() as u32;
        }
        UnitJoiner { program, names, variables, placed, index, files, first_function, first_blocks }
    }

    fn join(mut self) -> Result<(), Damage> {
        let unit = &self.placed.unit;
        if !unit.sites.is_empty() && self.placed.first_site != self.program.sites.len() as u32 {
            return Err(self.damage("its sites do not follow those of the unit before it"));
        }
        for (local, function) in unit.functions.iter().enumerate() {
            self.function(local, function)?;
        }
        for site in &unit.sites {
            self.site(site)?;
        }
        Ok(())
    }

    fn function(&mut self, local: usize, function: &meta::Function) -> Result<(), Damage> {
        let first = self.first_blocks[local];
        let file = self.file(function.file)?;
        let id = FunctionId(self.first_function + local as u32);
        for block in &function.blocks {
            let block = self.block(local, id, block)?;
            self.program.blocks.push(block);
        }
        self.program.functions.push(Function {
            name: Arc::from(source_name(&function.name)),
            file,
            line: function.line,
            unit: self.index,
            internal: function.internal,
            address_taken: false,
            counted: !function.uncounted,
            type_hash: function.type_hash,
            blocks: first..first + function.blocks.len() as u32,
        });
        Ok(())
    }

    fn block(&self, local: usize, function: FunctionId, block: &meta::Block) -> Result<Block, Damage> {
        let successors = block.successors.iter().map(|&to| self.block_id(local, to));
        Ok(Block {
            function,
            instructions: block.instructions,
            successors: successors.collect::<Result<_, _>>()?,
            site: block.site.map(|site| self.site_id(site)).transpose()?,
            calls: block.calls.iter().map(|call| self.call(call)).collect(),
            definitions: self.definitions(block)?,
        })
    }

    /// Returns a block's stores to variables that some condition reads.
    fn definitions(&self, block: &meta::Block) -> Result<Vec<Definition>, Damage> {
        let mut definitions = Vec::new();
        for meta::Definition { variable, constant } in &block.definitions {
            let variable = self.variable(*variable)?;
            definitions.extend(variable.map(|variable| Definition { variable, constant: *constant }));
        }
        Ok(definitions)
    }

    /// Returns the id of a variable of the unit; `None` if no condition reads it.
    fn variable(&self, local: u32) -> Result<Option<VariableId>, Damage> {
        let hash = self.placed.unit.variables.get(local as usize);
        let hash = hash.ok_or_else(|| self.damage("a variable is named that is not there"))?;
        Ok(self.variables.get(hash).copied())
    }

    fn call(&self, call: &meta::Call) -> Call {
        match call {
            meta::Call::Indirect(type_hash) => Call::Indirect(*type_hash),
            meta::Call::Direct(name) => match self.names.resolve(self.index, name) {
                Some(function) => Call::Internal(function),
                None => Call::External(Arc::from(name.as_str())),
            },
        }
    }

    fn site(&mut self, site: &meta::Site) -> Result<(), Damage> {
        let local = site.function as usize;
        if local >= self.placed.unit.functions.len() {
            return Err(self.damage("a site names a function that is not there"));
        }
        self.check_shape(site)?;
        let function = FunctionId(self.first_function + site.function);
        let sides = self.sides(local, site)?;
        let first_branch = self.claim_branches(site)?;
        let decides = !site.sides.is_empty();
        let is_check = site.contents.check().is_some();
        let counted = decides && !is_check && self.program.function(function).counted;
        self.program.counted_branches += if counted { sides.len() as u32 } else { 0 };
        let site = Site {
            kind: site.kind,
            function,
            block: self.block_id(local, site.block)?,
            file: self.file(site.file)?,
            line: site.line,
            column: site.column,
            width: site.width,
            first_branch,
            cases: if site.kind == SiteKind::Switch { cases(&sides) } else { Vec::new() },
            sides,
            callee: self.callee(site)?,
            contents: self.contents(site),
            reads: self.reads(site)?,
            counted,
        };
        self.program.sites.push(site);
        Ok(())
    }

    fn callee(&self, site: &meta::Site) -> Result<Option<Arc<str>>, Damage> {
        if site.kind != SiteKind::UninstrumentedCall {
            return Ok(None);
        }
        let name = self.placed.unit.foreign.get(site.width as usize);
        let name = name.ok_or_else(|| self.damage("a call names a function that is not there"))?;
        Ok(Some(Arc::from(name.as_str())))
    }

    fn contents(&self, site: &meta::Site) -> ConditionFeatures {
        let mut contents = site.contents;
        let is_external = |name: &String| self.names.resolve(self.index, name).is_none();
        if site.callees.iter().any(is_external) {
            contents.insert(ConditionFeatures::EXTERNAL_CALL);
        }
        contents
    }

    fn reads(&self, site: &meta::Site) -> Result<Vec<VariableId>, Damage> {
        let read: Result<Vec<_>, _> = site.reads.iter().map(|&variable| self.variable(variable)).collect();
        Ok(read?.into_iter().flatten().collect())
    }

    fn check_shape(&self, site: &meta::Site) -> Result<(), Damage> {
        let sides_fit = match site.kind {
            SiteKind::Branch | SiteKind::Select => site.sides.len() == 2,
            SiteKind::Switch => !site.sides.is_empty(),
            SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => {
                site.sides.is_empty()
            }
        };
        if sides_fit { Ok(()) } else { Err(self.damage("a site has the wrong number of sides")) }
    }

    fn sides(&self, local: usize, site: &meta::Site) -> Result<Vec<Side>, Damage> {
        let side = |side: &meta::Side| {
            let values = side.values.iter().map(|&value| mask(value, site.width)).collect();
            Ok(Side { successor: self.block_id(local, side.successor)?, values })
        };
        site.sides.iter().map(side).collect()
    }

    /// Assigns the coverage bytes of the next site to it.
    fn claim_branches(&mut self, site: &meta::Site) -> Result<BranchId, Damage> {
        let id = SiteId(self.program.sites.len() as u32);
        let first = self.placed.first_branch as usize + site.first_side as usize;
        let owners = self.program.owners.get_mut(first..first + site.sides.len());
        let Some(owners) = owners else {
            return Err(self.damage("a site's branches lie outside the coverage section"));
        };
        if owners.iter().any(Option::is_some) {
            return Err(self.damage("two sites have the same branch"));
        }
        for (side, owner) in owners.iter_mut().enumerate() {
            *owner = Some((id, side as u32));
        }
        Ok(BranchId(first as u32))
    }

    fn block_id(&self, local: usize, block: u32) -> Result<BlockId, Damage> {
        if (block as usize) < self.placed.unit.functions[local].blocks.len() {
            return Ok(BlockId(self.first_blocks[local] + block));
        }
        Err(self.damage("an edge leads to a block that is not there"))
    }

    fn site_id(&self, site: u32) -> Result<SiteId, Damage> {
        if (site as usize) < self.placed.unit.sites.len() {
            return Ok(SiteId(self.placed.first_site + site));
        }
        Err(self.damage("a block names a site that is not there"))
    }

    fn file(&self, file: u32) -> Result<Arc<str>, Damage> {
        let found = self.files.get(file as usize).cloned();
        found.ok_or_else(|| self.damage("a file is named that is not there"))
    }

    fn damage(&self, what: &str) -> Damage {
        Damage(format!("unit {}: {what}", self.placed.unit.source))
    }
}

/// Returns the value table of a switch; for a value listed twice the first side counts.
fn cases(sides: &[Side]) -> Vec<(u64, u32)> {
    let all = sides.iter().enumerate();
    let mut cases: Vec<_> =
        all.flat_map(|(side, s)| s.values.iter().map(move |&value| (value, side as u32))).collect();
    cases.sort_unstable();
    cases.dedup_by_key(|case| case.0);
    cases
}

/// Returns the source name of a symbol.
pub(crate) fn source_name(symbol: &str) -> &str {
    if symbol == USER_MAIN { "main" } else { symbol }
}

//! What a program consists of, and look-up by id.

use crate::assemble::{self, PlacedUnit};
use crate::error::{Damage, ProgramError};
use cairn_wire::meta::{ConditionFeatures, Unit};
use cairn_wire::{Checks, SiteId, SiteKind};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// One side of a site: the index of its coverage byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BranchId(pub u32);

/// A function with a body, dense over the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// A basic block, dense over the program; a function's blocks follow one another, its entry first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// A place where a run decides something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// What stands there.
    pub kind: SiteKind,
    /// The function it is in.
    pub function: FunctionId,
    /// The block it is in.
    pub block: BlockId,
    /// Source file.
    pub file: Arc<str>,
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Source column, 0 if unknown.
    pub column: u32,
    /// Width of the deciding value in bits.
    pub width: u32,
    /// The branch of side 0; the other sides' branches follow.
    pub first_branch: BranchId,
    /// The sides; empty for a pin and for a foreign call.
    pub sides: Vec<Side>,
    /// What a foreign call calls, or the name of an instruction that is not followed.
    pub callee: Option<Arc<str>>,
    /// What its condition is made of.
    pub contents: ConditionFeatures,
    /// Whether its branches are the user's, and count in what the user is told.
    pub counted: bool,
    /// A switch's values and the sides they take, sorted: switches may have thousands of cases.
    pub(crate) cases: Vec<(u64, u32)>,
}

/// One side of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Block the side leads to.
    pub successor: BlockId,
    /// Values of a switch's operand that take it; the last side is the default and also takes all
    /// values that no side lists.
    pub values: Vec<u64>,
}

impl Site {
    /// The side a run with this deciding value takes; 0 for a pin.
    pub fn side_of(&self, value: u64) -> u32 {
        match self.kind {
            SiteKind::Branch | SiteKind::Select => (value & 1) as u32,
            SiteKind::Concretization | SiteKind::UninstrumentedCall => 0,
            SiteKind::Switch => {
                let value = mask(value, self.width);
                match self.cases.binary_search_by_key(&value, |case| case.0) {
                    Ok(found) => self.cases[found].1,
                    Err(_) => self.sides.len() as u32 - 1,
                }
            }
        }
    }

    /// The branches of its sides.
    pub fn branches(&self) -> impl Iterator<Item = BranchId> + use<> {
        let first = self.first_branch.0;
        (first..first + self.sides.len() as u32).map(BranchId)
    }
}

/// The low `width` bits of `value`.
pub(crate) fn mask(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: Arc<str>,
    /// Source file.
    pub file: Arc<str>,
    /// Line of its definition, 0 if unknown.
    pub line: u32,
    /// Translation unit it was compiled in, in link order.
    pub unit: u32,
    /// Visible in its own unit only.
    pub internal: bool,
    /// May be called through a pointer: some unit uses its address.
    pub address_taken: bool,
    /// Whether its branches are the user's.
    pub counted: bool,
    /// Equal for functions of the same type.
    pub type_hash: u64,
    /// Its blocks' ids, the entry first.
    pub blocks: Range<u32>,
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The function it is in.
    pub function: FunctionId,
    /// Instructions before instrumentation.
    pub instructions: u32,
    /// Successors; those of a terminator with a site in side order.
    pub successors: Vec<BlockId>,
    /// Site of the terminator.
    pub site: Option<SiteId>,
    /// Calls in order.
    pub calls: Vec<Call>,
}

/// A call in a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// To a function of the program.
    Internal(FunctionId),
    /// To a function whose body was not compiled with `cairn cc`.
    External(Arc<str>),
    /// Through a pointer to functions with this type hash.
    Indirect(u64),
}

/// The static model of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub(crate) sites: Vec<Site>,
    pub(crate) functions: Vec<Function>,
    pub(crate) blocks: Vec<Block>,
    /// Owner of each coverage byte; a linker may leave bytes between units that nobody owns.
    pub(crate) owners: Vec<Option<(SiteId, u32)>>,
    pub(crate) counted_branches: u32,
    /// Faults that some of its code decides on because that was asked for.
    pub(crate) checks: Checks,
    /// Where functions lie in the file, sorted; empty if it was stripped.
    pub(crate) code: Vec<Code>,
}

/// Where a function's code lies, as offsets from the program's start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub start: u64,
    pub end: u64,
    pub function: FunctionId,
}

impl Program {
    /// Reads the model out of an executable.
    pub fn read(path: &Path) -> Result<Program, ProgramError> {
        crate::elf::read(path)
    }

    /// The program these units would be linked to, in this order.
    pub fn from_units(units: Vec<Unit>) -> Result<Program, Damage> {
        assemble::assemble(assemble::lay_out(units))
    }

    /// The program of units whose place in the linked file is known.
    pub fn from_placed_units(units: Vec<PlacedUnit>) -> Result<Program, Damage> {
        assemble::assemble(units)
    }

    /// All sites with their ids.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.sites.iter().enumerate().map(|(i, site)| (SiteId(i as u32), site))
    }

    /// The site with this id, which must be below [`Program::site_count`].
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    /// How many sites there are.
    pub fn site_count(&self) -> u32 {
        self.sites.len() as u32
    }

    /// How many coverage bytes the target has.
    pub fn branch_count(&self) -> u32 {
        self.owners.len() as u32
    }

    /// How many branches the user's own code has.
    pub fn counted_branches(&self) -> u32 {
        self.counted_branches
    }

    /// Faults that it was built to be checked for, beside those that always are.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// The branch that a side of a site is.
    pub fn branch(&self, site: SiteId, side: u32) -> BranchId {
        BranchId(self.site(site).first_branch.0 + side)
    }

    /// The site and side of a branch; none for a byte that the linker put between two units.
    pub fn site_of(&self, branch: BranchId) -> Option<(SiteId, u32)> {
        *self.owners.get(branch.0 as usize)?
    }

    /// Whether a branch is the user's.
    pub fn is_counted(&self, branch: BranchId) -> bool {
        self.site_of(branch).is_some_and(|(site, _)| self.site(site).counted)
    }

    /// Whether a branch is a fault of the user's code, which is no branch of the source.
    pub fn is_fault(&self, branch: BranchId) -> bool {
        self.site_of(branch).is_some_and(|(site, side)| {
            let site = self.site(site);
            side == 1 && site.contents.check().is_some() && self.function(site.function).counted
        })
    }

    /// All functions with their ids.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().enumerate().map(|(i, function)| (FunctionId(i as u32), function))
    }

    /// The function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The function whose code is at this offset from the program's start; none for code that was
    /// not compiled with `cairn cc`, and if the file was stripped.
    pub fn function_at(&self, offset: u64) -> Option<FunctionId> {
        let after = self.code.partition_point(|code| code.start <= offset);
        let code = &self.code[after.checked_sub(1)?];
        (offset < code.end).then_some(code.function)
    }

    /// The block with this id.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// All blocks in id order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter()
    }

    /// All calls, block by block.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().flat_map(|block| &block.calls)
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The blocks of a function.
    pub fn blocks_of(&self, id: FunctionId) -> &[Block] {
        let range = &self.function(id).blocks;
        &self.blocks[range.start as usize..range.end as usize]
    }

    /// Functions of the program that a function calls by name, each once, in id order.
    pub fn callees(&self, id: FunctionId) -> Vec<FunctionId> {
        let calls = self.blocks_of(id).iter().flat_map(|block| &block.calls);
        let mut callees: Vec<_> = calls
            .filter_map(|call| match call {
                Call::Internal(callee) => Some(*callee),
                Call::External(_) | Call::Indirect(_) => None,
            })
            .collect();
        callees.sort_unstable();
        callees.dedup();
        callees
    }
}

//! The parts of a program, and lookup by id.

use cairn_wire::meta::ConditionFeatures;
use cairn_wire::{Checks, SiteId, SiteKind};
use std::ops::Range;
use std::sync::Arc;

/// Id of a branch, one side of a site: the index of its coverage byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BranchId(pub u32);

/// Id of a function with a body, dense over the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// Id of a basic block, dense over the program; a function's blocks are consecutive, its entry first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// Id of a variable that some condition reads, dense over the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// A branch, switch or select, or a site of a concretization or of an uninstrumented call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Kind of the site.
    pub kind: SiteKind,
    /// Function it is in.
    pub function: FunctionId,
    /// Block it is in.
    pub block: BlockId,
    /// Source file.
    pub file: Arc<str>,
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Source column, 0 if unknown.
    pub column: u32,
    /// Width of the deciding value in bits.
    pub width: u32,
    /// Branch of side 0; those of the other sides follow.
    pub first_branch: BranchId,
    /// Sides; empty for a concretization and for an uninstrumented call.
    pub sides: Vec<Side>,
    /// Callee of an uninstrumented call, or the name of an instruction that labels cannot follow.
    pub callee: Option<Arc<str>>,
    /// Features of its condition.
    pub contents: ConditionFeatures,
    /// Variables that its condition reads.
    pub reads: Vec<VariableId>,
    /// True if its branches belong to user code, and count in the reported coverage.
    pub counted: bool,
    /// Values of a switch with the sides they take, sorted: switches may have thousands of cases.
    pub(crate) cases: Vec<(u64, u32)>,
}

/// One side of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Block the side leads to.
    pub successor: BlockId,
    /// Values of a switch's operand that take it; the last side is the default and also takes all values that
    /// no side lists.
    pub values: Vec<u64>,
}

impl Site {
    /// Returns the side that a run with this deciding value takes; 0 for a concretization.
    pub fn side_of(&self, value: u64) -> u32 {
        match self.kind {
            SiteKind::Branch | SiteKind::Select => (value & 1) as u32,
            SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => 0,
            SiteKind::Switch => {
                let value = mask(value, self.width);
                match self.cases.binary_search_by_key(&value, |case| case.0) {
                    Ok(found) => self.cases[found].1,
                    Err(_) => self.sides.len() as u32 - 1,
                }
            }
        }
    }

    /// Returns the branches of its sides.
    pub fn branches(&self) -> impl Iterator<Item = BranchId> + use<> {
        let first = self.first_branch.0;
        (first..first + self.sides.len() as u32).map(BranchId)
    }
}

/// Returns the low `width` bits of `value`.
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
    /// True if it is visible in its own unit only.
    pub internal: bool,
    /// True if some unit takes its address, so that it may be called through a pointer.
    pub address_taken: bool,
    /// True if its branches belong to user code.
    pub counted: bool,
    /// Hash of its type, equal for functions of the same type.
    pub type_hash: u64,
    /// Ids of its blocks, the entry first.
    pub blocks: Range<u32>,
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Function it is in.
    pub function: FunctionId,
    /// Number of instructions before instrumentation.
    pub instructions: u32,
    /// Successors; those of a terminator with a site in the order of its sides.
    pub successors: Vec<BlockId>,
    /// Site of the terminator.
    pub site: Option<SiteId>,
    /// Calls in execution order.
    pub calls: Vec<Call>,
    /// Stores to variables that some condition reads.
    pub definitions: Vec<Definition>,
}

/// A store to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The variable.
    pub variable: VariableId,
    /// The stored value, if it is a constant.
    pub constant: Option<u64>,
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
    /// By coverage byte: its site and side; a linker may leave bytes between units that belong to no site.
    pub(crate) owners: Vec<Option<(SiteId, u32)>>,
    pub(crate) counted_branches: u32,
    /// Number of variables that conditions read.
    pub(crate) variables: u32,
    /// Optional fault checks that some of its code was built with.
    pub(crate) checks: Checks,
    /// String literals that its conditions and tables refer to.
    pub(crate) strings: Vec<Vec<u8>>,
    /// Code ranges of functions in the file, sorted; empty if it was stripped.
    pub(crate) code: Vec<CodeRange>,
}

/// The code range of a function, as offsets from the program's start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeRange {
    pub start: u64,
    pub end: u64,
    pub function: FunctionId,
}

impl Program {
    /// Returns all sites with their ids.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        self.sites.iter().enumerate().map(|(i, site)| (SiteId(i as u32), site))
    }

    /// Returns the site with this id, which must be below [`Program::site_count`].
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    /// Returns the site with this id, if there is one: the runtime reports some decisions at no site.
    pub fn known_site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.0 as usize)
    }

    /// Returns the number of sites.
    pub fn site_count(&self) -> u32 {
        self.sites.len() as u32
    }

    /// Returns the number of coverage bytes of the target.
    pub fn branch_count(&self) -> u32 {
        self.owners.len() as u32
    }

    /// Returns the number of variables that conditions read.
    pub fn variable_count(&self) -> u32 {
        self.variables
    }

    /// Returns the number of branches of user code.
    pub fn counted_branches(&self) -> u32 {
        self.counted_branches
    }

    /// Returns the optional fault checks that it was built with.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Returns the string literals that its conditions and tables refer to.
    pub fn strings(&self) -> &[Vec<u8>] {
        &self.strings
    }

    /// Returns the branch of a side of a site.
    pub fn branch(&self, site: SiteId, side: u32) -> BranchId {
        BranchId(self.site(site).first_branch.0 + side)
    }

    /// Returns the site and side of a branch; `None` for a byte that the linker put between two units.
    pub fn site_of(&self, branch: BranchId) -> Option<(SiteId, u32)> {
        *self.owners.get(branch.0 as usize)?
    }

    /// True if a branch belongs to user code.
    pub fn is_counted(&self, branch: BranchId) -> bool {
        self.site_of(branch).is_some_and(|(site, _)| self.site(site).counted)
    }

    /// True if a branch is a fault of user code, which is no branch of the source.
    pub fn is_fault(&self, branch: BranchId) -> bool {
        self.site_of(branch).is_some_and(|(site, side)| {
            let site = self.site(site);
            side == 1 && site.contents.check().is_some() && self.function(site.function).counted
        })
    }

    /// Returns all functions with their ids.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().enumerate().map(|(i, function)| (FunctionId(i as u32), function))
    }

    /// Returns the function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// Returns the function whose code is at this offset from the program's start; `None` for code that was
    /// not compiled with `cairn cc`, and if the file was stripped.
    pub fn function_at(&self, offset: u64) -> Option<FunctionId> {
        let after = self.code.partition_point(|code| code.start <= offset);
        let code = &self.code[after.checked_sub(1)?];
        (offset < code.end).then_some(code.function)
    }

    /// Returns the block with this id.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// Returns all blocks in id order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter()
    }

    /// Returns all calls, block by block.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().flat_map(|block| &block.calls)
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Returns the blocks of a function.
    pub fn blocks_of(&self, id: FunctionId) -> &[Block] {
        let range = &self.function(id).blocks;
        &self.blocks[range.start as usize..range.end as usize]
    }

    /// Returns the functions of the program that a function calls by name, each once, in id order.
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

//! Sites of a unit: collected before anything is changed, described in the metadata, counted by one coverage
//! store on each side.

use super::SYSTEM_HEADERS;
use super::condition_features;
use super::coverage_store::{store_coverage, store_coverage_at};
use super::definitions::VariableNumbers;
use super::edges::MovedEdges;
use super::intrinsics::intrinsic;
use super::site_sides::sides_of;
use crate::llvm::{Block, Linkage, Location, Module, Opcode, Value};
use cairn_wire::site::{self, SiteKind, SiteRecord};
use cairn_wire::{ABI_VERSION, Checks, meta};
use std::collections::{HashMap, HashSet};
use std::ffi::CString;

/// Directory of the C++ library's headers, wherever clang has found them.
const CXX_HEADERS: &str = "/include/c++/";

/// A site of the unit, by its record's index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRef(u32);

/// Sites and functions of a translation unit.
pub struct Sites {
    unit: meta::Unit,
    /// True if the branches count as the user's.
    counted: bool,
    sides: u32,
    files: HashMap<String, u32>,
    variables: VariableNumbers,
    concretizations: HashMap<(u32, Location), SiteRef>,
    uninstrumented: HashMap<(u32, Location, u32), SiteRef>,
    /// Placeholders until the number of records and sides is known.
    records: Value,
    coverage: Value,
}

/// Sites of one function, as needed by the label pass.
#[derive(Default)]
pub struct FunctionSites {
    /// Index of the function in the metadata.
    pub index: u32,
    /// Sites of terminators and selects.
    pub by_instruction: HashMap<Value, SiteRef>,
    /// Inserted coverage stores, which are not to be instrumented.
    pub coverage_stores: HashSet<Value>,
}

impl Sites {
    /// Starts an empty unit; `counted` if its branches count as the user's.
    pub fn new(module: &Module, counted: bool, checks: Checks) -> Sites {
        let unit = meta::Unit { source: module.source(), checks, ..meta::Unit::default() };
        let placeholder = |name| module.global(name, module.byte_array(0));
        Sites {
            unit,
            counted,
            sides: 0,
            files: HashMap::new(),
            variables: VariableNumbers::default(),
            concretizations: HashMap::new(),
            uninstrumented: HashMap::new(),
            records: placeholder("cairn.records"),
            coverage: placeholder("cairn.coverage"),
        }
    }

    /// Lists the functions whose address the unit takes. Must run before the pass takes addresses itself.
    pub fn collect_address_taken(&mut self, module: &Module) {
        let functions = module.functions().into_iter();
        let used = functions.filter(|f| intrinsic(*f).is_none() && is_address_taken(*f));
        self.unit.pointed_at = used.map(Value::name).collect();
    }

    /// Returns the address of a site's record.
    pub fn record(&self, module: &Module, site: SiteRef) -> Value {
        module.offset(self.records, u64::from(site.0) * size_of::<SiteRecord>() as u64)
    }

    /// Describes a function and, if it is to be instrumented, collects its sites and inserts their coverage
    /// stores.
    pub fn add_function(&mut self, module: &Module, function: Value, instrumented: bool) -> FunctionSites {
        let index = self.unit.functions.len() as u32;
        let described = self.describe(module, function);
        self.unit.functions.push(described);
        let mut found = FunctionSites { index, ..FunctionSites::default() };
        if instrumented {
            self.find_sites(module, function, &mut found);
            self.insert_coverage_stores(module, function, &mut found);
        }
        found
    }

    /// Returns the concretization site of an instruction's source line, created on first use.
    pub fn concretization(&mut self, function: u32, at: Value) -> SiteRef {
        let location = Location { column: 0, ..at.location() };
        if let Some(site) = self.concretizations.get(&(function, location.clone())) {
            return *site;
        }
        let site = self.push(SiteKind::Concretization, function, 0, &location, 64, Vec::new());
        self.concretizations.insert((function, location), site);
        site
    }

    /// Returns the site of a source line's calls of a function that may be uninstrumented.
    pub fn uninstrumented(&mut self, function: u32, at: Value, name: &str) -> SiteRef {
        let location = Location { column: 0, ..at.location() };
        let name = self.uninstrumented_name(name);
        let key = (function, location.clone(), name);
        if let Some(site) = self.uninstrumented.get(&key) {
            return *site;
        }
        let site = self.push(SiteKind::UninstrumentedCall, function, 0, &location, name, Vec::new());
        self.uninstrumented.insert(key, site);
        site
    }

    /// Creates the site of a producer.
    pub fn producer(&mut self, function: u32, at: Value) -> SiteRef {
        self.push(SiteKind::Producer, function, 0, &at.location(), 64, Vec::new())
    }

    fn uninstrumented_name(&mut self, name: &str) -> u32 {
        let names = &mut self.unit.foreign;
        let known = names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        }) as u32
    }

    fn file(&mut self, name: &str) -> u32 {
        let next = self.files.len() as u32;
        *self.files.entry(name.to_owned()).or_insert_with(|| {
            self.unit.files.push(name.to_owned());
            next
        })
    }

    fn push(
        &mut self,
        kind: SiteKind,
        function: u32,
        block: u32,
        at: &Location,
        width: u32,
        sides: Vec<meta::Side>,
    ) -> SiteRef {
        let file = self.file(&at.file);
        let first_side = self.sides;
        self.sides += sides.len() as u32;
        let (line, column) = (at.line, at.column);
        self.unit.sites.push(meta::Site {
            kind,
            function,
            block,
            file,
            line,
            column,
            first_side,
            width,
            contents: meta::ConditionFeatures::default(),
            callees: Vec::new(),
            reads: Vec::new(),
            sides,
        });
        SiteRef(self.unit.sites.len() as u32 - 1)
    }

    fn describe(&mut self, module: &Module, function: Value) -> meta::Function {
        let name = function.name();
        let location = function.location();
        let blocks = function.blocks();
        let number: HashMap<Block, u32> = blocks.iter().zip(0..).map(|(b, i)| (*b, i)).collect();
        meta::Function {
            file: self.file(&location.file),
            line: location.line,
            internal: function.linkage() == Linkage::LLVMInternalLinkage,
            uncounted: !self.counted || name.starts_with("cairn_") || is_system(&location.file),
            type_hash: type_hash(&function.function_type().text()),
            blocks: blocks.iter().map(|b| self.describe_block(module, *b, &number)).collect(),
            name,
        }
    }

    fn describe_block(&mut self, module: &Module, block: Block, number: &HashMap<Block, u32>) -> meta::Block {
        let instructions = block.instructions();
        let calls = instructions.iter().filter(|i| i.is_call()).filter_map(|call| describe_call(*call));
        meta::Block {
            instructions: instructions.iter().filter(|i| i.opcode() != Opcode::LLVMPHI).count() as u32,
            successors: block.terminator().successors().iter().map(|b| number[b]).collect(),
            site: None,
            calls: calls.collect(),
            definitions: self.variables.read_definitions(module, block),
        }
    }

    fn find_sites(&mut self, module: &Module, function: Value, found: &mut FunctionSites) {
        let blocks = function.blocks();
        let number: HashMap<Block, u32> = blocks.iter().zip(0..).map(|(b, i)| (*b, i)).collect();
        for block in blocks {
            for instruction in block.instructions() {
                let Some((kind, width, sides)) = sides_of(instruction, number[&block], &number) else {
                    continue;
                };
                let at = instruction.location();
                let site = self.push(kind, found.index, number[&block], &at, width, sides);
                found.by_instruction.insert(instruction, site);
                let described = &mut self.unit.sites[site.0 as usize];
                (described.contents, described.callees) =
                    condition_features::read_annotation(module, instruction);
                described.reads = self.variables.read_uses(module, instruction);
                if kind != SiteKind::Select {
                    let described =
                        &mut self.unit.functions[found.index as usize].blocks[number[&block] as usize];
                    described.site = Some(site.0);
                    described.successors =
                        self.unit.sites[site.0 as usize].sides.iter().map(|s| s.successor).collect();
                }
            }
        }
    }

    /// Inserts the coverage stores: in a block on each edge of a branch or switch, before a select.
    fn insert_coverage_stores(&self, module: &Module, function: Value, found: &mut FunctionSites) {
        let blocks = function.blocks();
        let builder = module.builder();
        let mut moved = MovedEdges::default();
        let mut sites: Vec<_> = found.by_instruction.iter().map(|(v, s)| (*v, *s)).collect();
        sites.sort_by_key(|(_, site)| site.0);
        for (instruction, site) in sites {
            let described = &self.unit.sites[site.0 as usize];
            let first = u64::from(described.first_side);
            if described.kind == SiteKind::Select {
                builder.before(instruction);
                let side = builder.zext(instruction.operand(0), module.int(64));
                let base = module.offset(self.coverage, first);
                let at = builder.byte_address(module.int(8), base, side);
                found.coverage_stores.insert(store_coverage_at(module, &builder, function, at));
                continue;
            }
            let edges: Vec<Block> = (0..described.sides.len() as u64)
                .map(|side| {
                    let edge = module.block_at_end(function);
                    builder.at_end(edge);
                    let at = module.offset(self.coverage, first + side);
                    found.coverage_stores.insert(store_coverage(module, &builder, function, at));
                    builder.jump(blocks[described.sides[side as usize].successor as usize]);
                    edge
                })
                .collect();
            redirect(instruction, described, &blocks, &edges, &mut moved);
        }
        moved.rebuild_phis(&builder);
    }

    /// Emits records, coverage bytes and the metadata blob into their sections.
    pub fn emit(mut self, module: &Module) {
        self.unit.variables = std::mem::take(&mut self.variables).into_names();
        let mut kept = Vec::new();
        let records = self.emit_records(module);
        let coverage = self.emit_coverage(module);
        kept.extend(records.iter().chain(&coverage));
        kept.push(self.emit_blob(module, records, coverage));
        module.retain(&kept);
    }

    fn emit_records(&self, module: &Module) -> Option<Value> {
        let records: Vec<u8> =
            self.unit.sites.iter().zip(0..).flat_map(|(s, i)| record_bytes(s, i)).collect();
        replace_placeholder(
            module,
            self.records,
            site::SECTION,
            32,
            module.bytes(&records),
            records.is_empty(),
        )
    }

    fn emit_coverage(&self, module: &Module) -> Option<Value> {
        let bytes = vec![0; self.sides as usize];
        replace_placeholder(
            module,
            self.coverage,
            site::COVERAGE_SECTION,
            1,
            module.bytes(&bytes),
            bytes.is_empty(),
        )
    }

    fn emit_blob(&self, module: &Module, records: Option<Value>, coverage: Option<Value>) -> Value {
        let payload = self.unit.encode();
        let words =
            [meta::MAGIC, ABI_VERSION, payload.len() as u32, self.unit.sites.len() as u32, self.sides];
        let front: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let padding =
            vec![
                0;
                (meta::Header::SIZE + payload.len()).next_multiple_of(8) - meta::Header::SIZE - payload.len()
            ];
        let total = (meta::Header::SIZE + payload.len() + padding.len()) as u64;
        let blob = module.global("cairn.meta", module.byte_array(total));
        let distance = |to: Option<Value>, at: usize| match to {
            Some(to) => module.distance(to, module.offset(blob, at as u64)),
            None => module.constant(32, 0),
        };
        let contents = module.packed(&[
            module.bytes(&front),
            distance(records, meta::Header::RECORDS_DISTANCE_AT),
            distance(coverage, meta::Header::COVERAGE_DISTANCE_AT),
            module.constant(32, 0),
            module.bytes(&payload),
            module.bytes(&padding),
        ]);
        // The initialiser's type differs from the placeholder's: the global is replaced, with all uses.
        let placed = module.global("cairn.blob", contents.ty());
        let section = CString::new(site::META_SECTION).expect("no NUL");
        module.place(placed, contents, &section, 8, true);
        blob.replace_with(placed);
        blob.delete_global();
        placed
    }
}

/// Replaces a placeholder by the final global.
fn replace_placeholder(
    module: &Module,
    placeholder: Value,
    section: &str,
    align: u32,
    contents: Value,
    empty: bool,
) -> Option<Value> {
    if empty {
        placeholder.delete_global();
        return None;
    }
    let real = module.global(&placeholder.name(), contents.ty());
    let section = CString::new(section).expect("no NUL");
    module.place(real, contents, &section, align, false);
    placeholder.replace_with(real);
    placeholder.delete_global();
    Some(real)
}

fn record_bytes(site: &meta::Site, local: u32) -> Vec<u8> {
    let mut bytes = vec![site.kind as u8, 0, 0, 0];
    for word in [local, site.line, site.column, 0, 0, 0, 0] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Describes a call; `None` for assembly and intrinsics.
fn describe_call(call: Value) -> Option<meta::Call> {
    let callee = call.callee();
    if callee.is_inline_asm() || intrinsic(callee).is_some() {
        return None;
    }
    Some(match callee.is_function() {
        true => meta::Call::Direct(callee.name()),
        false => meta::Call::Indirect(type_hash(&call.callee_type().text())),
    })
}

/// True if a file is a system header: branches of its templates do not count as the user's.
fn is_system(file: &str) -> bool {
    file.starts_with(SYSTEM_HEADERS) || file.contains(CXX_HEADERS)
}

/// True if a function is used other than as a direct callee.
pub fn is_address_taken(function: Value) -> bool {
    function.users().into_iter().any(|user| {
        let called = user.is_instruction() && user.is_call() && user.callee() == function;
        !called || user.arguments().contains(&function)
    })
}

/// Returns a hash of a type's text.
pub fn type_hash(text: &str) -> u64 {
    // FNV-1a: small, and the same on every machine.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Redirects the successors of a site through the blocks on its edges.
fn redirect(terminator: Value, site: &meta::Site, blocks: &[Block], edges: &[Block], moved: &mut MovedEdges) {
    let from = terminator.block();
    let is_switch = site.kind == SiteKind::Switch;
    for (i, successor) in terminator.successors().into_iter().enumerate() {
        let side = match is_switch {
            true => site.sides.iter().position(|s| blocks[s.successor as usize] == successor),
            false => Some(1 - i),
        };
        terminator.set_successor(i as u32, edges[side.expect("every successor has a side")]);
    }
    for (side, edge) in site.sides.iter().zip(edges) {
        moved.add(from, blocks[side.successor as usize], *edge);
    }
}

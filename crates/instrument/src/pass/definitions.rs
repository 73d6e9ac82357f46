//! Definitions and uses: the variables that conditions read, and the stores to them.
//!
//! A condition that does not depend on the input may depend on what another part of the program has stored
//! before: an option sets a flag, and much later the flag decides. The driver relates the two by the variable's
//! name ([`super::variables`]). They are collected before `sroa` and attached to the deciding instruction and to
//! the block's terminator, where `sites` reads them after inlining.
//!
//! A variable of a condition may also be a copy: what is stored to a local that the condition reads is read as
//! well. An argument is a store to the parameter, and a function's value a store to its result. What small
//! functions store, or return, counts for their callers, since they are inlined.

use super::intrinsics::intrinsic;
use super::site_sides::is_site;
use super::variables::{VariableNames, is_load};
use crate::llvm::{Block, Module, Opcode, Value};
use cairn_wire::meta::Definition;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Kinds of the metadata with the variables read, and with those stored to.
const READS: &str = "cairn.reads";
const STORES: &str = "cairn.stores";
/// Number of copies and small functions between a variable and a condition; a chosen bound.
const MAX_COPIES: u32 = 2;

/// Attaches the variables that it reads to each site of the module, and its definitions to each block.
pub fn annotate(module: &Module) {
    for function in module.functions() {
        let names = VariableNames::new(module, function);
        for block in function.blocks() {
            for site in block.instructions().into_iter().filter(|i| is_site(*i)) {
                let mut reads = Reads { module, names: &names, found: BTreeSet::new(), seen: HashSet::new() };
                reads.collect(condition(site), MAX_COPIES);
                let words: Vec<String> = reads.found.iter().map(u64::to_string).collect();
                if !words.is_empty() {
                    module.attach_text(site, READS, &words.join(" "));
                }
            }
            let mut stores = BTreeMap::new();
            collect_stores(module, block, &names, MAX_COPIES, &mut stores);
            if !stores.is_empty() {
                module.attach_text(block.terminator(), STORES, &store_words(&stores));
            }
        }
    }
}

/// Numbers of the variables of a unit, in order of appearance.
#[derive(Default)]
pub struct VariableNumbers(HashMap<u64, u32>);

impl VariableNumbers {
    /// Returns and detaches the variables that a site's condition reads.
    pub fn read_uses(&mut self, module: &Module, site: Value) -> Vec<u32> {
        let note = module.detach_text(site, READS).unwrap_or_default();
        note.split_whitespace().filter_map(|word| word.parse().ok()).map(|hash| self.number(hash)).collect()
    }

    /// Returns and detaches the definitions of a block.
    pub fn read_definitions(&mut self, module: &Module, block: Block) -> Vec<Definition> {
        let note = module.detach_text(block.terminator(), STORES).unwrap_or_default();
        let definition = |word: &str| {
            let (hash, constant) = word.split_once('=')?;
            Some(Definition { variable: self.number(hash.parse().ok()?), constant: constant.parse().ok() })
        };
        note.split_whitespace().filter_map(definition).collect()
    }

    /// Returns the hashes of all names by number.
    pub fn into_names(self) -> Vec<u64> {
        let mut names: Vec<_> = self.0.into_iter().map(|(hash, number)| (number, hash)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, hash)| hash).collect()
    }

    fn number(&mut self, hash: u64) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(hash).or_insert(next)
    }
}

/// Constants stored to each variable; `None` for a value that is none.
type Stores = BTreeMap<u64, BTreeSet<Option<u64>>>;

fn store_words(stores: &Stores) -> String {
    let word = |hash: &u64, constant: &Option<u64>| {
        format!("{hash}={}", constant.map(|constant| constant.to_string()).unwrap_or_default())
    };
    let words: Vec<String> =
        stores.iter().flat_map(|(hash, values)| values.iter().map(move |value| word(hash, value))).collect();
    words.join(" ")
}

/// Returns the value that a site decides on.
fn condition(site: Value) -> Value {
    if site.opcode() == Opcode::LLVMBr { site.condition() } else { site.operand(0) }
}

/// Collector of the variables that a value is computed from.
struct Reads<'a> {
    module: &'a Module,
    names: &'a VariableNames,
    found: BTreeSet<u64>,
    seen: HashSet<Value>,
}

impl Reads<'_> {
    fn collect(&mut self, value: Value, copies: u32) {
        if !value.is_instruction() || !self.seen.insert(value) {
            return;
        }
        match value.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                self.load(value.operand(0), copies);
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(value, copies),
            Opcode::LLVMPHI => {
                value.incoming().into_iter().for_each(|(value, _)| self.collect(value, copies));
            }
            Opcode::LLVMAlloca | Opcode::LLVMGetElementPtr => {}
            _ => value.operands().into_iter().for_each(|operand| self.collect(operand, copies)),
        }
    }

    fn load(&mut self, address: Value, copies: u32) {
        self.found.extend(self.names.at(address));
        if !address.is_alloca() || copies == 0 {
            return;
        }
        let stores = address.users().into_iter().filter(|user| user.opcode() == Opcode::LLVMStore);
        for store in stores.filter(|store| store.operand(1) == address) {
            self.collect(store.operand(0), copies - 1);
        }
    }

    fn call(&mut self, call: Value, copies: u32) {
        let callee = call.callee();
        if callee.is_inline_asm() || intrinsic(callee).is_some() {
            call.arguments().into_iter().for_each(|argument| self.collect(argument, copies));
        } else if callee.is_function() {
            self.found.insert(self.names.result_of(callee));
            if let ([block], true) = (&callee.blocks()[..], copies > 0) {
                let names = VariableNames::new(self.module, callee);
                let inner = Reads {
                    names: &names,
                    module: self.module,
                    found: BTreeSet::new(),
                    seen: HashSet::new(),
                };
                self.found.extend(inner.of_result(*block, copies - 1));
            }
        }
    }

    /// Returns the variables that a function of one block computes its result from.
    fn of_result(mut self, block: Block, copies: u32) -> BTreeSet<u64> {
        block.terminator().operands().into_iter().for_each(|value| self.collect(value, copies));
        self.found
    }
}

/// Collects the stores of a block.
fn collect_stores(module: &Module, block: Block, names: &VariableNames, inlined: u32, stores: &mut Stores) {
    for instruction in block.instructions() {
        match instruction.opcode() {
            Opcode::LLVMStore => {
                let value = instruction.operand(0);
                // The prologue keeps parameters in memory; their values come from the callers.
                if let Some(variable) = names.at(instruction.operand(1)).filter(|_| !value.is_param()) {
                    stores.entry(variable).or_default().insert(constant(value));
                }
            }
            Opcode::LLVMRet => {
                for value in instruction.operands().into_iter().filter(|value| !is_load(*value)) {
                    stores.entry(names.result()).or_default().insert(constant(value));
                }
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                collect_call(module, instruction, names, inlined, stores)
            }
            _ => {}
        }
    }
}

/// Collects what a call stores: arguments to parameters, and values of the callee to variables whose addresses it
/// is given.
fn collect_call(module: &Module, call: Value, names: &VariableNames, inlined: u32, stores: &mut Stores) {
    let callee = call.callee();
    if callee.is_inline_asm() || intrinsic(callee).is_some() {
        return;
    }
    for (index, argument) in call.arguments().into_iter().enumerate() {
        if callee.is_function() {
            stores.entry(names.param_of(callee, index)).or_default().insert(constant(argument));
        }
        let is_address = argument.is_alloca() || argument.is_address_computation();
        if let Some(variable) = names.at(argument).filter(|_| is_address) {
            stores.entry(variable).or_default().insert(None);
        }
    }
    if let ([block], true) =
        (&callee.is_function().then(|| callee.blocks()).unwrap_or_default()[..], inlined > 0)
    {
        collect_stores(module, *block, &VariableNames::new(module, callee), inlined - 1, stores);
    }
}

/// Returns a stored value if it is a constant; 0 for the null pointer.
fn constant(value: Value) -> Option<u64> {
    value.as_constant().or_else(|| (!value.is_instruction() && value.is_null()).then_some(0))
}

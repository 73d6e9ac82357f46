//! Producers: functions that return constants chosen by control flow, such as a lexer's kinds of tokens.
//!
//! What such a value depends on is in no expression: the decisions lie in the producer, and its caller decides over
//! a constant. The runtime is notified of each entry and each return, and so splits a run's input into the pieces that
//! made the producer return a value (`runtime/src/producers.rs`). The value is the function's result, or stored
//! through a parameter.
//!
//! ```text
//! entry:  __cairn_enter(site)
//! store:  store i32 TK_STAR, ptr %kind    then: __cairn_result(site, %kind, 4)
//! return: __cairn_produce(site, value)
//! ```

use super::abi::Abi;
use super::sites::Sites;
use crate::llvm::{Module, Opcode, TypeKind, Value};
use std::collections::{BTreeSet, HashSet};

/// Distinct constants that a function must return to be a producer: more than the results of a comparison (-1, 0, 1).
const MIN_CONSTANTS: usize = 4;

/// A producer, found before its function is instrumented.
pub struct Producer {
    /// Its return instructions.
    returns: Vec<Value>,
    /// Stores through the parameter by which it returns the value; none if that is its result.
    stores: Vec<Value>,
}

/// Values that a function may return.
#[derive(Default)]
struct Returned {
    constants: BTreeSet<u64>,
    callees: HashSet<Value>,
    seen: HashSet<Value>,
}

impl Returned {
    /// Collects the constants and the callees that a value may come from.
    fn collect(&mut self, value: Value) {
        if let Some(constant) = value.as_constant() {
            self.constants.insert(constant);
            return;
        }
        if !value.is_instruction() || !self.seen.insert(value) {
            return;
        }
        match value.opcode() {
            Opcode::LLVMPHI => value.incoming().into_iter().for_each(|(from, _)| self.collect(from)),
            Opcode::LLVMSelect => [1, 2].into_iter().for_each(|index| self.collect(value.operand(index))),
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc => self.collect(value.operand(0)),
            Opcode::LLVMCall => drop(self.callees.insert(value.callee())),
            _ => {}
        }
    }
}

/// Returns the functions of a module whose result is chosen among constants: by themselves, or by a function that
/// they call for it.
pub fn find_by_result(functions: &HashSet<Value>) -> HashSet<Value> {
    let returned = |function: &Value| {
        let mut all = Returned::default();
        returns(*function).iter().filter_map(|ret| ret.operands().first().copied()).for_each(|value| {
            if is_number(value) {
                all.collect(value);
            }
        });
        (*function, all)
    };
    let all: Vec<(Value, Returned)> = functions.iter().map(returned).collect();
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for (function, returned) in &all {
            let calls_one = returned.callees.iter().any(|callee| found.contains(callee));
            if returned.constants.len() >= MIN_CONSTANTS || calls_one {
                found.insert(*function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

impl Producer {
    /// Returns what to note of a function; `by_result` are the functions that return the value as their result.
    pub fn of(function: Value, by_result: &HashSet<Value>) -> Option<Producer> {
        let stores = stores_through_parameter(function).unwrap_or_default();
        let is_producer = !stores.is_empty() || by_result.contains(&function);
        is_producer.then(|| Producer { returns: returns(function), stores })
    }

    /// Emits the notes, after the function was instrumented.
    pub fn emit(self, module: &Module, abi: &Abi, sites: &mut Sites, function: Value, index: u32) {
        let builder = module.builder();
        let entry = function.blocks()[0].instructions();
        let Some(first) = entry.into_iter().find(|i| i.opcode() != Opcode::LLVMAlloca) else { return };
        let site = sites.producer(index, function);
        let record = sites.record(module, site);
        builder.before(first);
        builder.call(abi.enter, &[record]);
        for store in self.stores {
            let Some(next) = store.next() else { continue };
            let (value, address) = (store.operand(0), store.operand(1));
            let bytes = module.constant(32, module.store_size(value.ty()));
            builder.before(next);
            let address = abi.widen(&builder, address);
            builder.call(abi.result_at, &[record, address, bytes]);
        }
        for ret in self.returns {
            builder.before(ret);
            let value = ret.operands().first().copied().filter(|value| is_number(*value));
            let value = value.map_or(module.constant(64, 0), |value| abi.widen(&builder, value));
            builder.call(abi.produce, &[record, value]);
        }
    }
}

fn returns(function: Value) -> Vec<Value> {
    let terminators = function.blocks().into_iter().map(|block| block.terminator());
    terminators.filter(|terminator| terminator.opcode() == Opcode::LLVMRet).collect()
}

/// True for an integer that fits a word.
fn is_number(value: Value) -> bool {
    value.ty().kind() == TypeKind::LLVMIntegerTypeKind && value.ty().int_width() <= u64::BITS
}

/// Returns the stores of numbers through the parameter that enough distinct constants are stored through.
fn stores_through_parameter(function: Value) -> Option<Vec<Value>> {
    let stores = |param: &Value| -> Vec<Value> {
        let is_store = |user: &Value| user.is_instruction() && user.opcode() == Opcode::LLVMStore;
        let users = param.users().into_iter().filter(is_store);
        users.filter(|store| store.operand(1) == *param && is_number(store.operand(0))).collect()
    };
    let constants = |stores: &Vec<Value>| {
        stores.iter().filter_map(|store| store.operand(0).as_constant()).collect::<BTreeSet<u64>>().len()
    };
    function.params().iter().map(stores).find(|stores| constants(stores) >= MIN_CONSTANTS)
}

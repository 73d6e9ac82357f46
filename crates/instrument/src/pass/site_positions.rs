//! Source positions of sites: moves each to the start of its condition, where llvm-cov reports it.

use super::coverage_map::{CoverageMap, Position};
use super::site_sides::is_site;
use crate::llvm::{Location, Module, Opcode, Predicate, Value};

/// LLVM's number of the predicate `fcmp une`.
const UNORDERED_OR_UNEQUAL: u32 = 14;

/// Sets the source positions of a module's branches and selects. Must run before inlining, which copies them.
///
/// Clang gives the branch on an operand of `a && b` the position of the operator, and the branch on the last
/// operand the position of the whole condition.
pub fn set_positions(module: &Module, map: &CoverageMap) {
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        for site in block.instructions().into_iter().filter(|i| is_site(*i)) {
            let condition = match site.opcode() {
                Opcode::LLVMBr => site.condition(),
                Opcode::LLVMSelect => site.operand(0),
                // A switch keeps the position of its keyword: llvm-cov counts its cases, at their labels.
                _ => continue,
            };
            if let Some((line, column)) = condition_position(map, site.location(), condition) {
                module.set_position(site, line, column);
            }
        }
    }
}

fn condition_position(map: &CoverageMap, decided: Location, condition: Value) -> Option<Position> {
    let position = |at: &Location| (at.line, at.column);
    let condition = last_operand(condition);
    let candidates = tested(condition).into_iter().chain([condition]).filter(|value| value.is_instruction());
    let computed =
        candidates.map(Value::location).find(|at| at.line > 0 && at.column > 0 && at.file == decided.file);
    let value = computed.as_ref().map_or_else(|| position(&decided), position);
    map.condition_start(&decided.file, value, position(&decided))
}

/// Returns the last operand of a condition made of `&&`, `||` and `!`: the others are branched on before.
fn last_operand(condition: Value) -> Value {
    if !condition.is_instruction() {
        return condition;
    }
    match condition.opcode() {
        Opcode::LLVMXor if condition.operand(1).as_constant() == Some(1) => {
            last_operand(condition.operand(0))
        }
        // With other uses, as in `if (x = (a && b))`, the result is a value of the source.
        Opcode::LLVMPHI if !is_kept(condition) => {
            let values = condition.incoming().into_iter().map(|(value, _)| value);
            let computed: Vec<Value> = values.filter(|value| value.as_constant().is_none()).collect();
            if let [last] = computed[..] { last_operand(last) } else { condition }
        }
        _ => condition,
    }
}

/// True if a value has a use other than the decision on it. Unused conversions that clang leaves behind do
/// not count.
fn is_kept(condition: Value) -> bool {
    let is_use = |user: &Value| user.opcode() == Opcode::LLVMBr || !user.users().is_empty();
    condition.users().iter().filter(|user| is_use(user)).count() > 1
}

/// Returns the value that a condition compares with zero. Where the comparison is implicit, as in `a && b`,
/// clang positions it at the enclosing operator.
fn tested(condition: Value) -> Option<Value> {
    let is_unequal = condition.is_instruction()
        && match condition.opcode() {
            Opcode::LLVMICmp => condition.predicate() == Predicate::LLVMIntNE,
            Opcode::LLVMFCmp => condition.float_predicate() == UNORDERED_OR_UNEQUAL,
            _ => false,
        };
    (is_unequal && condition.operand(1).is_null()).then(|| condition.operand(0))
}

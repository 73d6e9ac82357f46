//! The pass: from a unit's bitcode to the same with labels, coverage and metadata.
//!
//! Works on what clang makes before optimisation, once locals are in registers (`sroa`): the branches
//! are then those of the source. A light clean-up afterwards takes out what the pass left over.

mod abi;
mod atomics;
mod calls;
mod checks;
mod condition_features;
mod conditions;
mod coverage_map;
mod coverage_store;
mod edges;
mod emit;
mod function;
mod guard;
mod inline;
mod intrinsics;
mod modelled;
mod objects;
mod op_semantics;
mod outputs;
mod places;
mod segment;
mod sinks;
mod sites;
mod taint;
mod types;
mod uninstrumented_calls;
mod variadic;

use crate::driver::Instrumenter;
use crate::llvm::{Linkage, Module, Opcode, Value};
pub(crate) use abi::WRAPPER_PREFIX;
use abi::{Abi, WRAPPED};
use cairn_wire::Checks;
use cairn_wire::site::USER_MAIN;
use coverage_map::CoverageMap;
use function::{FunctionPass, Unit};
use sites::{Sites, is_address_taken};
use std::collections::HashSet;
use std::path::Path;

/// Where the headers of the system lie.
const SYSTEM_HEADERS: &str = "/usr/include/";

/// The instrumenting pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass {
    /// Faults to look for beside those that always are.
    pub checks: Checks,
}

impl Instrumenter for Pass {
    fn instrument(&self, input: &Path, mapping: Option<&Path>, output: &Path) -> Result<(), String> {
        let module = Module::read(input)?;
        if !module.triple().starts_with("x86_64") {
            return module.write(output);
        }
        // IR from elsewhere may describe variables, too, between instructions that the pass inserts others before.
        module.run_passes(c"strip-nonlinetable-debuginfo")?;
        let conditions = match mapping {
            Some(mapping) => CoverageMap::take(&Module::read(mapping)?),
            None => CoverageMap::take(&module),
        };
        if mapping.is_none() && !conditions.is_empty() {
            // The mapping comes with functions that clang would not have emitted.
            module.run_passes(c"globaldce")?;
        }
        conditions::split(&module);
        places::set(&module, &conditions);
        condition_features::note(&module);
        module.run_passes(c"function(sroa)")?;
        inline::mark_small_functions(&module);
        module.run_passes(c"always-inline,function(sroa)")?;
        if has_wide_switch(&module) {
            module.run_passes(c"function(lower-switch)")?;
        }
        instrument(&module, self.checks);
        module.verify().map_err(|e| format!("internal error: the instrumented module is malformed: {e}"))?;
        module.run_passes(c"function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,adce)")?;
        module.write(output)
    }

    fn checks(&self) -> Checks {
        self.checks
    }
}

fn instrument(module: &Module, checks: Checks) {
    let abi = Abi::declare(module);
    let is_model = modelled::is_model(module);
    let checks = if is_model { Checks::default() } else { checks };
    let mut sites = Sites::new(module, !is_model, checks);
    forget_purity(module);
    keep_ends_apart(module);
    if !is_model {
        redirect_libc(module);
    }
    if let Some(main) = module.function("main").filter(|f| !f.is_declaration()) {
        main.set_name(USER_MAIN);
    }
    adopt_inline_bodies(module);
    sites.note_addresses(module);
    let bodies: Vec<Value> = module.functions().into_iter().filter(|f| has_own_body(*f)).collect();
    let instrumented: HashSet<Value> = bodies.iter().copied().filter(|f| can_instrument(*f)).collect();
    let private = instrumented.iter().copied().filter(|f| is_private(*f)).collect();
    let unit = Unit { module, abi: &abi, is_model, checks, instrumented: &instrumented, private: &private };
    for function in bodies {
        let chosen = instrumented.contains(&function);
        if chosen && !is_model {
            checks::insert(module, function, checks);
        }
        let found = sites.add_function(module, function, chosen);
        if chosen {
            FunctionPass::run(&unit, &mut sites, found, function);
        } else if !function.has_attribute("naked") {
            tell_unfollowed(module, &abi, function);
        }
    }
    objects::emit(module);
    sites.emit(module);
}

/// Whether a switch is on more bits than an event has room for; as comparisons they are no problem.
fn has_wide_switch(module: &Module) -> bool {
    let mut terminators = module.functions().into_iter().flat_map(Value::blocks).map(|b| b.terminator());
    terminators.any(|t| t.opcode() == Opcode::LLVMSwitch && t.operand(0).ty().int_width() > u64::BITS)
}

/// C99 `inline` functions without an external copy link only because the optimiser inlines them. Those of
/// the user become functions of the unit; libc's own are left to libc, which is what the models know.
fn adopt_inline_bodies(module: &Module) {
    let offered = |f: &Value| !f.is_declaration() && f.linkage() == Linkage::LLVMAvailableExternallyLinkage;
    for function in module.functions().into_iter().filter(offered) {
        if !function.location().file.starts_with(SYSTEM_HEADERS) {
            function.make_internal();
        }
    }
}

/// Bodies that are only there for inlining belong to another unit.
fn has_own_body(function: Value) -> bool {
    !function.is_declaration() && function.linkage() != Linkage::LLVMAvailableExternallyLinkage
}

/// Whether only instrumented code of the unit calls it, and passes nothing that must be told from what an
/// earlier call has left: structs in memory and variadic arguments go by the tag.
fn is_private(function: Value) -> bool {
    let by_value = || (0..function.params().len() as u32).any(|i| function.byval_type(i).is_some());
    function.linkage() == Linkage::LLVMInternalLinkage
        && !is_address_taken(function)
        && !is_called_otherwise(function)
        && !function.function_type().is_variadic()
        && !by_value()
}

/// Whether some call passes or expects other types than the function has: old C calls what it has not declared.
fn is_called_otherwise(function: Value) -> bool {
    function.users().into_iter().any(|call| call.callee_type() != function.function_type())
}

/// `asm goto` is left alone, and so is `musttail`, after which there is no place for labels: functions with them run as
/// they are, on concrete values.
fn can_instrument(function: Value) -> bool {
    let odd = |i: &Value| i.opcode() == Opcode::LLVMCallBr || i.is_call() && i.is_must_tail();
    !function.has_attribute("naked") && !function.blocks().iter().any(|b| b.instructions().iter().any(odd))
}

/// Has a function that gets no labels say so whenever it begins: what it reads in memory may be symbolic.
fn tell_unfollowed(module: &Module, abi: &Abi, function: Value) {
    let instructions = function.blocks()[0].instructions();
    if let Some(first) = instructions.into_iter().find(|i| i.opcode() != Opcode::LLVMAlloca) {
        let builder = module.builder();
        builder.before(first);
        builder.call(abi.unfollowed, &[]);
    }
}

/// Functions the source calls pure write thread-local labels now.
fn forget_purity(module: &Module) {
    for function in module.functions() {
        if function.name().starts_with("llvm.") {
            continue;
        }
        module.remove_attribute(function, "memory");
        module.remove_attribute(function, "speculatable");
        for block in function.blocks() {
            for call in block.instructions().into_iter().filter(|i| i.is_call()) {
                if intrinsics::intrinsic(call.callee()).is_none() {
                    module.remove_call_attribute(call, "memory");
                }
            }
        }
    }
}

/// Two calls of `abort` are two faults: they must not become one by clean-up.
fn keep_ends_apart(module: &Module) {
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        for call in block.instructions().into_iter().filter(|i| i.is_call()) {
            let callee = call.callee();
            if callee.is_function() && callee.has_attribute("noreturn") {
                module.add_call_attribute(call, "nomerge");
            }
        }
    }
}

/// Sends calls of wrapped and modelled functions to what stands for them. With optimisation on, libc's
/// headers offer bodies of some of them for inlining: those go with the name, and nobody emits them.
fn redirect_libc(module: &Module) {
    for name in WRAPPED.iter().chain(modelled::MODELLED) {
        if let Some(declared) = module.function(name).filter(|f| !has_own_body(*f)) {
            declared.set_name(&format!("{WRAPPER_PREFIX}{name}"));
        }
    }
    for (intrinsic, model) in modelled::COUNTERS {
        if let Some(declared) = module.function(intrinsic) {
            declared.set_name(&format!("{WRAPPER_PREFIX}{model}"));
        }
    }
}

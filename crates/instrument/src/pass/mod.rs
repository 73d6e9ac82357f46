//! The instrumenting pass: adds labels, events, coverage stores and metadata to a unit's bitcode.
//!
//! It runs on clang's output before optimisation, so that the branches are those of the source. Order of
//! work:
//!
//! 1. [`conditions`] normalises conditions, [`site_positions`], [`condition_features`] and [`definitions`]
//!    annotate them.
//! 2. LLVM's `sroa` promotes locals to registers; [`inline`] marks small functions for `always-inline`.
//! 3. [`checks`] inserts branches on faults, [`sites`] collects the sites and inserts coverage stores.
//! 4. [`taint`] finds the values of a function that may be labelled, [`function`] cuts its blocks into
//!    segments ([`segment`]: IR before and after), [`guard`] and [`emit`] generate guard and slow path.
//! 5. [`sites`], [`objects`] and [`string_literals`] emit site records, metadata, the table of globals and the
//!    literals that conditions and tables refer to.
//! 6. LLVM's clean-up passes remove what the pass left over.

mod abi;
mod atomics;
mod calls;
mod checks;
mod condition_features;
mod conditions;
mod coverage_map;
mod coverage_store;
mod definitions;
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
mod producers;
mod segment;
mod semantics;
mod sinks;
mod site_positions;
mod site_sides;
mod sites;
mod string_literals;
mod taint;
mod types;
mod uninstrumented_calls;
mod unmodelled_input;
mod variables;
mod variadic;

use crate::driver::Instrumenter;
use crate::llvm::{Linkage, Module, Opcode, Value};
use crate::symbols::WRAPPER_PREFIX;
use abi::{Abi, WRAPPED};
use cairn_wire::Checks;
use cairn_wire::site::USER_MAIN;
use coverage_map::CoverageMap;
use function::{FunctionPass, UnitContext};
use producers::Producer;
use sites::{Sites, is_address_taken};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// Directory of the system's headers.
const SYSTEM_HEADERS: &str = "/usr/include/";

/// The instrumenting pass: adds labels, events, coverage stores and metadata to a module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass {
    /// Optional checks to insert; the checks for faults that raise a signal always are.
    pub checks: Checks,
}

impl Instrumenter for Pass {
    fn instrument(&self, input: &Path, mapping: Option<&Path>, output: &Path) -> Result<(), String> {
        let module = Module::read(input)?;
        if !module.triple().starts_with("x86_64") {
            return module.write(output);
        }
        // IR from other front ends may have debug records of variables between the phis and allocas that the
        // pass inserts at.
        module.run_passes(c"strip-nonlinetable-debuginfo")?;
        let conditions = match mapping {
            Some(mapping) => CoverageMap::take(&Module::read(mapping)?),
            None => CoverageMap::take(&module),
        };
        if mapping.is_none() && !conditions.is_empty() {
            // For the mapping clang also emits unused functions.
            module.run_passes(c"globaldce")?;
        }
        conditions::split(&module);
        site_positions::set_positions(&module, &conditions);
        condition_features::annotate(&module);
        definitions::annotate(&module);
        let is_users = !modelled::is_model(&module);
        let literals = if is_users { string_literals::collect(&module) } else { BTreeSet::new() };
        module.run_passes(c"function(sroa)")?;
        inline::mark_small_functions(&module);
        module.run_passes(c"always-inline,function(sroa)")?;
        if has_wide_switch(&module) {
            module.run_passes(c"function(lower-switch)")?;
        }
        instrument(&module, self.checks);
        string_literals::emit(&module, &literals);
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
    drop_purity_attributes(module);
    keep_noreturn_calls_distinct(module);
    if !is_model {
        redirect_libc(module);
    }
    if let Some(main) = module.function("main").filter(|f| !f.is_declaration()) {
        main.set_name(USER_MAIN);
    }
    internalize_inline_functions(module);
    sites.collect_address_taken(module);
    let bodies: Vec<Value> = module.functions().into_iter().filter(|f| is_emitted_here(*f)).collect();
    let instrumented: HashSet<Value> = bodies.iter().copied().filter(|f| can_instrument(*f)).collect();
    let private = instrumented.iter().copied().filter(|f| is_private(*f)).collect();
    let unit =
        UnitContext { module, abi: &abi, is_model, checks, instrumented: &instrumented, private: &private };
    let by_result = if is_model { HashSet::new() } else { producers::find_by_result(&instrumented) };
    for function in bodies {
        let chosen = instrumented.contains(&function);
        if chosen && !is_model {
            checks::insert(module, function, checks);
        }
        let found = sites.add_function(module, function, chosen);
        if chosen {
            let (index, producer) = (found.index, Producer::of(function, &by_result).filter(|_| !is_model));
            FunctionPass::run(&unit, &mut sites, found, function);
            if let Some(producer) = producer {
                producer.emit(module, &abi, &mut sites, function, index);
            }
        } else if !function.has_attribute("naked") {
            report_unfollowed_entry(module, &abi, function);
        }
    }
    objects::emit(module);
    sites.emit(module);
}

/// True if a switch's operand is wider than an event's value; it is lowered to comparisons, which have no
/// limit.
fn has_wide_switch(module: &Module) -> bool {
    let mut terminators = module.functions().into_iter().flat_map(Value::blocks).map(|b| b.terminator());
    terminators.any(|t| t.opcode() == Opcode::LLVMSwitch && t.operand(0).ty().int_width() > u64::BITS)
}

/// Makes the user's C99 `inline` functions internal. Without an external definition they link only because
/// the optimiser inlines them, and the pass runs before it. Those of libc's headers are left to libc, which
/// the models replace.
fn internalize_inline_functions(module: &Module) {
    let offered = |f: &Value| !f.is_declaration() && f.linkage() == Linkage::LLVMAvailableExternallyLinkage;
    for function in module.functions().into_iter().filter(offered) {
        if !function.location().file.starts_with(SYSTEM_HEADERS) {
            function.make_internal();
        }
    }
}

/// True if the function is emitted by this unit: `available_externally` bodies belong to another one.
fn is_emitted_here(function: Value) -> bool {
    !function.is_declaration() && function.linkage() != Linkage::LLVMAvailableExternallyLinkage
}

/// True if only instrumented code of the unit calls the function, directly, and passes nothing that needs the
/// tag: the shadow of structs in memory and variadic arguments do.
fn is_private(function: Value) -> bool {
    let by_value = || (0..function.params().len() as u32).any(|i| function.byval_type(i).is_some());
    function.linkage() == Linkage::LLVMInternalLinkage
        && !is_address_taken(function)
        && !has_mismatched_call(function)
        && !function.function_type().is_variadic()
        && !by_value()
}

/// True if some call uses another function type than the function has, as calls of undeclared functions in
/// old C do.
fn has_mismatched_call(function: Value) -> bool {
    function.users().into_iter().any(|call| call.callee_type() != function.function_type())
}

/// True if the pass can instrument the function. `callbr` (`asm goto`) is not supported, and after a
/// `musttail` call no code can store labels: such functions run as compiled, on concrete values.
fn can_instrument(function: Value) -> bool {
    let odd = |i: &Value| i.opcode() == Opcode::LLVMCallBr || i.is_call() && i.is_must_tail();
    !function.has_attribute("naked") && !function.blocks().iter().any(|b| b.instructions().iter().any(odd))
}

/// Reports each entry of a function without labels to the runtime: the memory that it reads may be symbolic.
fn report_unfollowed_entry(module: &Module, abi: &Abi, function: Value) {
    let instructions = function.blocks()[0].instructions();
    if let Some(first) = instructions.into_iter().find(|i| i.opcode() != Opcode::LLVMAlloca) {
        let builder = module.builder();
        builder.before(first);
        builder.call(abi.unfollowed, &[]);
    }
}

/// Removes attributes that no longer hold: functions that the source declares pure write thread-local labels
/// now.
fn drop_purity_attributes(module: &Module) {
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

/// Keeps the clean-up passes from merging calls of `noreturn` functions: two calls of `abort` are two faults.
fn keep_noreturn_calls_distinct(module: &Module) {
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        for call in block.instructions().into_iter().filter(|i| i.is_call()) {
            let callee = call.callee();
            if callee.is_function() && callee.has_attribute("noreturn") {
                module.add_call_attribute(call, "nomerge");
            }
        }
    }
}

/// Redirects calls of wrapped and modelled functions to the wrapper or model. With optimisation on, libc's
/// headers offer inline bodies of some; renaming the function makes these unused.
fn redirect_libc(module: &Module) {
    for name in WRAPPED.iter().chain(modelled::MODELLED) {
        if let Some(declared) = module.function(name).filter(|f| !is_emitted_here(*f)) {
            declared.set_name(&format!("{WRAPPER_PREFIX}{name}"));
        }
    }
    for (intrinsic, model) in modelled::COUNTERS {
        if let Some(declared) = module.function(intrinsic) {
            declared.set_name(&format!("{WRAPPER_PREFIX}{model}"));
        }
    }
}

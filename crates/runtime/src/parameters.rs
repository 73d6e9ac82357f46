//! Labels of parameters that are passed in memory: variadic ones, and structs passed by value.

use crate::recorder::recorder;
use crate::shadow::{__cairn_clear, __cairn_copy, store};
use crate::tls::tls;
use cairn_wire::tls::{MAX_ARGS, Piece, REGISTER_AREA, Tls, Variadic};

/// `va_list` of the x86-64 calling convention.
#[repr(C)]
struct VaList {
    integer_offset: u32,
    vector_offset: u32,
    stack: u64,
    registers: u64,
}

/// Labels the arguments of a variadic function that begins. The function's prologue has saved the argument
/// registers to the area that the list names, without instrumentation: what lies there gets the labels the
/// caller has passed, and loses old ones. `named` is the number of stack bytes of the named parameters, which
/// the list leaves out.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_va_enter(list: *const VaList, function: u64, named: u64) {
    if !recorder().tracing {
        return;
    }
    // SAFETY: a list of the program, as the calling convention lays it out.
    let list = unsafe { &*list };
    __cairn_clear(list.registers, REGISTER_AREA.into());
    let tls = tls();
    if tls.tag == function && tls.variadic != 0 {
        let call = tls.variadic as *const Variadic;
        // SAFETY: the caller of this very function has passed the address of a constant.
        let stack_bytes = unsafe { (*call).stack_bytes };
        __cairn_clear(list.stack, u64::from(stack_bytes).saturating_sub(named));
        // SAFETY: as above; the pieces follow their number.
        let pieces =
            unsafe { core::slice::from_raw_parts(call.add(1) as *const Piece, (*call).pieces as usize) };
        for piece in pieces {
            label_piece(tls, piece, list.registers, list.stack - named);
        }
    }
}

/// Gives an argument its label, or a struct the labels of the object it was copied from.
fn label_piece(tls: &Tls, piece: &Piece, registers: u64, stack: u64) {
    let at = match piece.place.checked_sub(REGISTER_AREA) {
        Some(offset) => stack + u64::from(offset),
        None => registers + u64::from(piece.place),
    };
    match (piece.source as usize).checked_sub(MAX_ARGS) {
        Some(copy) => __cairn_copy(at, tls.byval[copy], piece.size.into()),
        None => match tls.args[piece.source as usize] {
            0 => {}
            label => store(at, piece.size, label),
        },
    }
}

/// Labels a struct parameter passed by value, at the start of its function: the copy gets the labels of the
/// original.
#[unsafe(no_mangle)]
extern "C" fn __cairn_byval(function: u64, slot: u32, copy: u64, len: u64) {
    let tls = tls();
    match tls.byval.get(slot as usize) {
        Some(&original) if tls.tag == function && original != 0 => __cairn_copy(copy, original, len),
        _ => __cairn_clear(copy, len),
    }
}

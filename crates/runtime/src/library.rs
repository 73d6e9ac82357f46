//! Functions of the C library that the program interposes.
//!
//! Library models call the C library's functions. If the program defines one of these names, the linker would
//! bind the model to the program's function, which may do anything. `cairn cc` then links a list of such
//! names (`driver/interposition.rs`); here they are looked up in the libraries that the dynamic linker has
//! loaded, before any of the program's code runs.

use core::arch::global_asm;
use core::ffi::{CStr, c_char};

// A static program has no dynamic section.
global_asm!(".weak _DYNAMIC", ".hidden _DYNAMIC");

unsafe extern "C" {
    static _DYNAMIC: Dynamic;
}

/// The libraries whose functions models call.
const LIBRARIES: [&CStr; 2] = [c"libc.so.6", c"libm.so.6"];

/// An entry of the list of interposed functions, which ends with a null name.
#[repr(C)]
struct InterposedFunction {
    name: *const c_char,
    /// Location for the address of the C library's function.
    target: *mut usize,
    /// The program's own function, which is used if there is no other.
    own: usize,
}

/// An entry of a dynamic section.
#[repr(C)]
#[derive(Clone, Copy)]
struct Dynamic {
    tag: u64,
    value: u64,
}

/// The dynamic linker's `r_debug`, for debuggers.
#[repr(C)]
struct LinkerDebug {
    version: i32,
    first: *const LoadedObject,
}

/// The dynamic linker's `link_map`: a loaded object.
#[repr(C)]
struct LoadedObject {
    /// Address that its addresses are relative to.
    base: u64,
    name: *const c_char,
    dynamic: *const Dynamic,
    next: *const LoadedObject,
}

/// An ELF symbol.
#[repr(C)]
struct ElfSymbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

// Tags of dynamic sections, `DT_*`.
const END: u64 = 0;
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
const SONAME: u64 = 14;
const DEBUG: u64 = 21;
const HASH: u64 = 0x6fff_fef5;
const VERSIONS: u64 = 0x6fff_fff0;

/// Looks up the functions of a list.
///
/// # Safety
/// The list must be one that `cairn cc` has linked.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_bind(list: *const InterposedFunction) {
    let mut next = list;
    // SAFETY: the list goes on until a null name; targets are the stubs' own.
    unsafe {
        while !(*next).name.is_null() {
            let InterposedFunction { name, target, own } = *next;
            *target = find(CStr::from_ptr(name)).unwrap_or(own);
            next = next.add(1);
        }
    }
}

/// Returns the address of a function of the C library; `None` in a static program.
fn find(name: &CStr) -> Option<usize> {
    let mut object = first_object()?;
    loop {
        if let Some(found) = Library::of(object).and_then(|library| library.function(name)) {
            return Some(found);
        }
        // SAFETY: the dynamic linker's list, which ends with null.
        object = unsafe { object.next.as_ref() }?;
    }
}

fn first_object() -> Option<&'static LoadedObject> {
    // Hidden from the compiler, which assumes that a variable's address is not null.
    let dynamic = core::hint::black_box(&raw const _DYNAMIC);
    if dynamic.is_null() {
        return None;
    }
    let debug = entry(dynamic, DEBUG)? as *const LinkerDebug;
    // SAFETY: the dynamic linker has filled it in, with null if there is no list.
    unsafe { debug.as_ref()?.first.as_ref() }
}

/// Returns the value of an entry of a dynamic section.
fn entry(dynamic: *const Dynamic, tag: u64) -> Option<u64> {
    let mut at = dynamic;
    // SAFETY: the section ends with an `END` entry.
    unsafe {
        while (*at).tag != END {
            if (*at).tag == tag {
                return Some((*at).value);
            }
            at = at.add(1);
        }
    }
    None
}

/// The symbols of one of [`LIBRARIES`].
struct Library {
    base: u64,
    strings: u64,
    symbols: *const ElfSymbol,
    hash: *const u32,
    versions: *const u16,
}

impl Library {
    fn of(object: &LoadedObject) -> Option<Library> {
        let value = |tag| entry(object.dynamic, tag);
        // The dynamic linker relocates these values, unless the section is read-only.
        let address = |tag| value(tag).map(|at| if at < object.base { at + object.base } else { at });
        let (strings, soname) = (address(STRINGS)?, value(SONAME)?);
        // SAFETY: the name is one of the library's strings.
        let soname = unsafe { CStr::from_ptr((strings + soname) as *const c_char) };
        if !LIBRARIES.contains(&soname) {
            return None;
        }
        let (symbols, hash) = (address(SYMBOLS)? as *const ElfSymbol, address(HASH)? as *const u32);
        let versions = address(VERSIONS)? as *const u16;
        Some(Library { base: object.base, strings, symbols, hash, versions })
    }

    /// Looks up a function in the GNU hash table: buckets lead into chains, which hold the symbols' hashes.
    fn function(&self, name: &CStr) -> Option<usize> {
        let wanted = hash_of(name);
        // SAFETY: the table's own numbers say how large its parts are.
        unsafe {
            let [buckets, first, bloom] = [0, 1, 2].map(|index| *self.hash.add(index));
            let bucket_list = self.hash.add(4 + 2 * bloom as usize);
            let chains = bucket_list.add(buckets as usize);
            let mut index = *bucket_list.add((wanted % buckets) as usize);
            if index < first {
                return None;
            }
            loop {
                let hash = *chains.add((index - first) as usize);
                if hash | 1 == wanted | 1
                    && let Some(found) = self.function_at(index as usize, name)
                {
                    return Some(found);
                }
                if hash & 1 != 0 {
                    return None;
                }
                index += 1;
            }
        }
    }

    /// Returns the address of a symbol if it is this function, in the version that programs are linked with.
    ///
    /// # Safety
    /// The library must have a symbol with this index.
    unsafe fn function_at(&self, index: usize, name: &CStr) -> Option<usize> {
        const HIDDEN_VERSION: u16 = 0x8000;
        const FUNCTION: u8 = 2;
        const RESOLVER: u8 = 10;
        // SAFETY: as the caller says; names are among the strings.
        unsafe {
            let symbol = &*self.symbols.add(index);
            let own_name = CStr::from_ptr((self.strings + u64::from(symbol.name)) as *const c_char);
            let is_hidden = *self.versions.add(index) & HIDDEN_VERSION != 0;
            if own_name != name || symbol.section == 0 || is_hidden {
                return None;
            }
            let address = (self.base + symbol.value) as usize;
            match symbol.info & 0xf {
                FUNCTION => Some(address),
                // An ifunc: the library chooses among implementations.
                RESOLVER => Some(core::mem::transmute::<usize, extern "C" fn() -> usize>(address)()),
                _ => None,
            }
        }
    }
}

/// Returns the GNU hash of a symbol name.
fn hash_of(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

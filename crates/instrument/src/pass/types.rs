//! Label-carrying parts of types.

use crate::llvm::{Module, Type, TypeKind};
use cairn_wire::Loss;

/// Maximum number of scalars of a labelled aggregate or vector.
const MAX_LEAVES: usize = cairn_wire::tls::MAX_RESULTS;
/// Widest integer that can carry a label.
const MAX_WIDTH: u32 = 128;

/// A scalar of a (possibly aggregate) value.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Byte offset within the value in memory.
    pub offset: u64,
    /// Size in memory in bytes.
    pub size: u64,
    /// Width in bits if it can carry a label: integers up to 128 bits, pointers, `float` and `double`.
    pub width: Option<u32>,
}

/// Returns the scalars of a type in order; `None` if there are too many, or the type has no size.
pub fn leaves(module: &Module, ty: Type) -> Option<Vec<Leaf>> {
    let mut all = Vec::new();
    collect(module, ty, 0, &mut all)?;
    Some(all)
}

fn collect(module: &Module, ty: Type, offset: u64, all: &mut Vec<Leaf>) -> Option<()> {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => {
            for (i, field) in ty.fields().into_iter().enumerate() {
                collect(module, field, offset + module.field_offset(ty, i as u32), all)?;
            }
        }
        TypeKind::LLVMArrayTypeKind => {
            let (element, len) = ty.array();
            repeat(module, element, len, offset, all)?;
        }
        TypeKind::LLVMVectorTypeKind => {
            repeat(module, ty.element(), ty.vector_len().into(), offset, all)?;
        }
        _ if !ty.is_sized() => return None,
        _ => all.push(Leaf { offset, size: module.store_size(ty), width: scalar_width(ty) }),
    }
    (all.len() <= MAX_LEAVES).then_some(())
}

fn repeat(module: &Module, element: Type, len: u64, offset: u64, all: &mut Vec<Leaf>) -> Option<()> {
    let stride = module.alloc_size(element);
    (0..len.min(MAX_LEAVES as u64 + 1)).try_for_each(|i| collect(module, element, offset + i * stride, all))
}

/// Returns the width of a scalar that can carry a label.
pub fn scalar_width(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(ty.int_width()).filter(|w| *w <= MAX_WIDTH),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => Some(64),
        TypeKind::LLVMFloatTypeKind => Some(32),
        _ => None,
    }
}

/// True for vectors of a fixed number of elements.
pub fn is_vector(ty: Type) -> bool {
    ty.kind() == TypeKind::LLVMVectorTypeKind
}

/// Returns width and number of a vector's elements; a scalar is a vector of one.
pub fn lanes(ty: Type) -> Option<(u32, u32)> {
    match is_vector(ty) {
        true => Some((scalar_width(ty.element())?, ty.vector_len())).filter(|l| l.1 <= MAX_LEAVES as u32),
        false => Some((scalar_width(ty)?, 1)),
    }
}

/// True if some part of a value of this type can carry a label.
pub fn labelable(module: &Module, ty: Type) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
            leaves(module, ty).is_some_and(|all| all.iter().any(|leaf| leaf.width.is_some()))
        }
        _ => lanes(ty).is_some(),
    }
}

/// True if the shadow can hold the labels of such a value: vector elements that are not whole bytes are
/// packed, several in one byte.
pub fn labelable_in_memory(module: &Module, ty: Type) -> bool {
    let packed = is_vector(ty) && lanes(ty).is_some_and(|(width, _)| width % 8 != 0);
    labelable(module, ty) && !packed
}

/// Returns the reason for which values of an unlabelled type are lost.
pub fn loss(ty: Type) -> Loss {
    match ty.kind() {
        TypeKind::LLVMX86_FP80TypeKind | TypeKind::LLVMFP128TypeKind => Loss::LongDouble,
        TypeKind::LLVMVectorTypeKind | TypeKind::LLVMScalableVectorTypeKind => Loss::Vector,
        TypeKind::LLVMIntegerTypeKind if ty.int_width() > MAX_WIDTH => Loss::Wide,
        _ => Loss::Instruction,
    }
}

/// Returns the index of the first scalar and the number of scalars of the part of an aggregate at `indices`.
pub fn leaf_range(module: &Module, mut ty: Type, indices: &[u32]) -> (usize, usize) {
    let count = |ty| leaves(module, ty).map_or(0, |all| all.len());
    let mut start = 0;
    for &index in indices {
        ty = match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                let fields = ty.fields();
                start += fields[..index as usize].iter().map(|f| count(*f)).sum::<usize>();
                fields[index as usize]
            }
            _ => {
                start += index as usize * count(ty.element());
                ty.element()
            }
        };
    }
    (start, count(ty))
}

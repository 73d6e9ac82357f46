//! Inputs as differences to the input they were derived from.

use cairn_exec::{Input, Object};
use cairn_wire::ObjectKind;
use serde::{Deserialize, Serialize};

/// Maximum number of equal bytes between two changes that are stored in one patch: a patch of its own takes
/// two bytes or more for its lengths.
const MAX_GAP: usize = 3;

/// Difference of two inputs, object by object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Delta(Vec<ObjectDelta>);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum ObjectDelta {
    /// This many unchanged objects.
    Same(u32),
    Patched {
        len: u32,
        patches: Vec<Patch>,
    },
    Whole(WholeObject),
}

/// Replaced bytes, `skip` bytes after the end of the previous patch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Patch {
    skip: u32,
    bytes: Vec<u8>,
}

/// A complete object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct WholeObject {
    kind: u8,
    name: String,
    index: u32,
    limit: u32,
    bytes: Vec<u8>,
}

impl Delta {
    /// Computes the difference of `input` to `base`.
    pub fn new(base: &Input, input: &Input) -> Delta {
        let mut parts = Vec::new();
        for (number, object) in input.objects.iter().enumerate() {
            match (base.objects.get(number), parts.last_mut()) {
                (Some(old), Some(ObjectDelta::Same(count))) if old == object => *count += 1,
                (Some(old), _) if old == object => parts.push(ObjectDelta::Same(1)),
                (old, _) => parts.push(ObjectDelta::changed(old, object)),
            }
        }
        Delta(parts)
    }

    /// Restores the input; None if `base` is not the one that the difference was computed for.
    pub fn apply(&self, base: &Input) -> Option<Input> {
        let mut objects = Vec::new();
        for part in &self.0 {
            let old = base.objects.get(objects.len()..).unwrap_or_default();
            match part {
                ObjectDelta::Same(count) => objects.extend_from_slice(old.get(..*count as usize)?),
                ObjectDelta::Patched { len, patches } => objects.push(patched(old.first()?, *len, patches)?),
                ObjectDelta::Whole(whole) => objects.push(whole.object()?),
            }
        }
        Some(Input { objects })
    }
}

impl ObjectDelta {
    /// Computes the difference of an object that has changed.
    fn changed(old: Option<&Object>, object: &Object) -> ObjectDelta {
        match old {
            Some(old) if is_same_object(old, object) => ObjectDelta::Patched {
                len: object.bytes.len() as u32,
                patches: patches(&old.bytes, &object.bytes),
            },
            _ => ObjectDelta::Whole(WholeObject::of(object)),
        }
    }
}

impl WholeObject {
    fn of(object: &Object) -> WholeObject {
        let Object { kind, name, index, bytes, limit } = object;
        let (kind, name, bytes) = (*kind as u8, name.clone(), bytes.clone());
        WholeObject { kind, name, index: *index, limit: *limit as u32, bytes }
    }

    fn object(&self) -> Option<Object> {
        let kind = ObjectKind::from_u8(self.kind)?;
        let (name, bytes) = (self.name.clone(), self.bytes.clone());
        Some(Object { kind, name, index: self.index, bytes, limit: self.limit as usize })
    }
}

fn is_same_object(a: &Object, b: &Object) -> bool {
    (a.kind, &a.name, a.index, a.limit) == (b.kind, &b.name, b.index, b.limit)
}

fn patches(old: &[u8], new: &[u8]) -> Vec<Patch> {
    let is_other = |at: usize| old.get(at) != new.get(at);
    let (mut patches, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some(start) = (at..new.len()).find(|at| is_other(*at)) {
        let mut last = start;
        while let Some(next) = (last + 1..new.len().min(last + 2 + MAX_GAP)).find(|at| is_other(*at)) {
            last = next;
        }
        at = last + 1;
        patches.push(Patch { skip: (start - end) as u32, bytes: new[start..at].to_vec() });
        end = at;
    }
    patches
}

fn patched(old: &Object, len: u32, patches: &[Patch]) -> Option<Object> {
    let mut object = old.clone();
    object.bytes.resize(len as usize, 0);
    let mut at = 0;
    for Patch { skip, bytes } in patches {
        let start = at + *skip as usize;
        at = start + bytes.len();
        object.bytes.get_mut(start..at)?.copy_from_slice(bytes);
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &Input, input: &Input, max_bytes: usize) {
        let delta = Delta::new(base, input);
        assert_eq!(delta.apply(base).as_ref(), Some(input));
        let bytes = postcard::to_stdvec(&delta).unwrap();
        assert!(bytes.len() <= max_bytes, "{} bytes: {delta:?}", bytes.len());
        assert_eq!(postcard::from_bytes::<Delta>(&bytes).unwrap(), delta);
    }

    #[test]
    fn a_delta_restores_its_input() {
        let of = |stdin: &[u8], arg: &[u8]| Input {
            objects: vec![Object::stdin(stdin).up_to(300), Object::arg(1, arg)],
        };
        let base = of(&[0; 200], b"abc");
        let mut other = vec![0; 200];
        (other[7], other[9], other[150]) = (1, 2, 3);
        check(&base, &base, 3);
        check(&base, &of(&other, b"abc"), 16);
        check(&base, &of(&[0; 20], b"abc"), 6);
        check(&of(&[0; 20], b""), &of(&other, b"xyz"), 300);
        check(&Input::default(), &base, 300);
        let mut longer = base.clone();
        longer.objects.push(Object::named("size", [1, 2, 3, 4]));
        check(&base, &longer, 20);
        check(&longer, &base, 3);
    }

    #[test]
    fn a_delta_of_another_input_is_refused() {
        let base = Input { objects: vec![Object::stdin([0; 8])] };
        let delta = Delta::new(&base, &base);
        assert_eq!(delta.apply(&Input::default()), None);
    }
}

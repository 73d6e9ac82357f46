//! An input, told by what it has other than the input it was made from.

use cairn_exec::{Input, Object};
use cairn_wire::ObjectKind;
use serde::{Deserialize, Serialize};

/// Equal bytes between two patches that are cheaper to repeat than to skip.
const GAP: usize = 3;

/// What makes an input of another one, object by object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Delta(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Part {
    /// So many objects as they were.
    Same(u32),
    Patched {
        len: u32,
        patches: Vec<Patch>,
    },
    Whole(Whole),
}

/// Bytes that replace others, so far behind the end of the patch before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Patch {
    skip: u32,
    bytes: Vec<u8>,
}

/// An object, all of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Whole {
    kind: u8,
    name: String,
    index: u32,
    limit: u32,
    bytes: Vec<u8>,
}

impl Delta {
    /// What `input` has other than `base`.
    pub fn new(base: &Input, input: &Input) -> Delta {
        let mut parts = Vec::new();
        for (number, object) in input.objects.iter().enumerate() {
            match (base.objects.get(number), parts.last_mut()) {
                (Some(old), Some(Part::Same(count))) if old == object => *count += 1,
                (Some(old), _) if old == object => parts.push(Part::Same(1)),
                (old, _) => parts.push(Part::other(old, object)),
            }
        }
        Delta(parts)
    }

    /// The input again; nothing if `base` is not what it was told by.
    pub fn apply(&self, base: &Input) -> Option<Input> {
        let mut objects = Vec::new();
        for part in &self.0 {
            let old = base.objects.get(objects.len()..).unwrap_or_default();
            match part {
                Part::Same(count) => objects.extend_from_slice(old.get(..*count as usize)?),
                Part::Patched { len, patches } => objects.push(patched(old.first()?, *len, patches)?),
                Part::Whole(whole) => objects.push(whole.object()?),
            }
        }
        Some(Input { objects })
    }
}

impl Part {
    /// An object that is not what it was.
    fn other(old: Option<&Object>, object: &Object) -> Part {
        match old {
            Some(old) if is_same_place(old, object) => {
                Part::Patched { len: object.bytes.len() as u32, patches: patches(&old.bytes, &object.bytes) }
            }
            _ => Part::Whole(Whole::of(object)),
        }
    }
}

impl Whole {
    fn of(object: &Object) -> Whole {
        let Object { kind, name, index, bytes, limit } = object;
        let (kind, name, bytes) = (*kind as u8, name.clone(), bytes.clone());
        Whole { kind, name, index: *index, limit: *limit as u32, bytes }
    }

    fn object(&self) -> Option<Object> {
        let kind = ObjectKind::from_u8(self.kind)?;
        let (name, bytes) = (self.name.clone(), self.bytes.clone());
        Some(Object { kind, name, index: self.index, bytes, limit: self.limit as usize })
    }
}

fn is_same_place(a: &Object, b: &Object) -> bool {
    (a.kind, &a.name, a.index, a.limit) == (b.kind, &b.name, b.index, b.limit)
}

fn patches(old: &[u8], new: &[u8]) -> Vec<Patch> {
    let is_other = |at: usize| old.get(at) != new.get(at);
    let (mut patches, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some(start) = (at..new.len()).find(|at| is_other(*at)) {
        let mut last = start;
        while let Some(next) = (last + 1..new.len().min(last + 2 + GAP)).find(|at| is_other(*at)) {
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

    fn check(base: &Input, input: &Input, most_bytes: usize) {
        let delta = Delta::new(base, input);
        assert_eq!(delta.apply(base).as_ref(), Some(input));
        let bytes = postcard::to_stdvec(&delta).unwrap();
        assert!(bytes.len() <= most_bytes, "{} bytes: {delta:?}", bytes.len());
        assert_eq!(postcard::from_bytes::<Delta>(&bytes).unwrap(), delta);
    }

    #[test]
    fn an_input_is_what_its_delta_makes_of_another() {
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

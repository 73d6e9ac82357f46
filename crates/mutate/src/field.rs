//! The part of an input object that mutators may change, and its limits.

use cairn_exec::Object;

/// Bytes under mutation, with the number of them that fits.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    bytes: &'a mut Vec<u8>,
    most: usize,
    /// Length to which the bytes are filled with zeros in the end; 0 if the length is symbolic.
    size: usize,
}

impl<'a> Field<'a> {
    /// Returns what mutators may change of an object; None if it has no room for a byte. Of an argument that is
    /// its text, of everything else all of it.
    pub(crate) fn of(object: &'a mut Object) -> Option<Field<'a>> {
        let is_symbolic = object.has_any_length();
        let most = if is_symbolic { object.limit.max(object.bytes.len()) } else { object.bytes.len() };
        let size = if is_symbolic { 0 } else { most };
        if object.kind.is_argument() {
            let text = object.as_argument().len();
            object.bytes.truncate(text);
        }
        (most > 0).then_some(Field { bytes: &mut object.bytes, most, size })
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Returns the bytes to be changed in place.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the largest number of bytes.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Inserts bytes at an offset; the end of what does not fit then is cut off.
    pub(crate) fn insert(&mut self, at: usize, bytes: impl Iterator<Item = u8>) {
        self.bytes.splice(at..at, bytes.take(self.most - at));
        self.bytes.truncate(self.most);
    }

    /// Replaces a range by bytes; the end of what does not fit then is cut off.
    pub(crate) fn replace(&mut self, range: std::ops::Range<usize>, bytes: &[u8]) {
        self.bytes.splice(range, bytes.iter().copied());
        self.bytes.truncate(self.most);
    }

    /// Removes a range.
    pub(crate) fn remove(&mut self, range: std::ops::Range<usize>) {
        self.bytes.drain(range);
    }
}

impl Drop for Field<'_> {
    /// Fills an object of a given size with zeros.
    fn drop(&mut self) {
        if self.size > 0 {
            self.bytes.resize(self.size, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes of an object after a mutation.
    fn after(mut object: Object, mutate: impl FnOnce(&mut Field)) -> Vec<u8> {
        mutate(&mut Field::of(&mut object).unwrap());
        object.bytes
    }

    #[test]
    fn a_stream_of_symbolic_length_grows_up_to_its_limit() {
        let stream = || Object::stdin("abc").up_to(5);
        assert_eq!(after(stream(), |field| field.insert(1, b"xy".iter().copied())), b"axybc");
        assert_eq!(after(stream(), |field| field.insert(1, b"xyz".iter().copied())), b"axyzb");
        assert_eq!(after(stream(), |field| field.insert(3, b"vwxyz".iter().copied())), b"abcvw");
        assert_eq!(after(stream(), |field| field.remove(0..2)), b"c");
        assert_eq!(after(stream(), |field| field.replace(1..2, b"xyz")), b"axyzc");
    }

    #[test]
    fn everything_else_keeps_its_size() {
        assert_eq!(after(Object::named("n", "abc"), |field| field.remove(0..1)), b"bc\0");
        assert_eq!(after(Object::stdin("abc"), |field| field.insert(0, std::iter::once(b'x'))), b"xab");
    }

    #[test]
    fn an_argument_is_its_text() {
        let argument = || Object::arg(1, *b"ab\0d");
        assert_eq!(after(argument(), |field| assert_eq!((field.len(), field.most()), (2, 4))), b"ab\0\0");
        assert_eq!(after(argument(), |field| field.insert(2, b"xyz".iter().copied())), b"abxy");
    }

    #[test]
    fn without_room_there_is_nothing_to_change() {
        assert!(Field::of(&mut Object::named("n", "")).is_none());
        assert!(Field::of(&mut Object::stdin("").up_to(1)).is_some());
    }
}

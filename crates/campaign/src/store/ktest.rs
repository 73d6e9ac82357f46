//! KLEE's test format: named objects in one file, readable by KLEE's own tools.
//!
//! `KTEST`, a version, the program's arguments, two numbers about symbolic arguments that KLEE no longer
//! uses, and the objects; all numbers are 32 bits, big-endian.

use thiserror::Error;

const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;

/// A test in KLEE's format.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KTest {
    /// The program and its arguments.
    pub args: Vec<String>,
    /// The objects in order.
    pub objects: Vec<KTestObject>,
}

/// A named object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KTestObject {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Error of decoding a test in KLEE's format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KTestError {
    /// The magic number is missing.
    #[error("it is not in KLEE's .ktest format")]
    Magic,
    /// The version is not supported.
    #[error("it is of version {0} of KLEE's .ktest format, newer than {VERSION}")]
    Version(u32),
    /// The file is truncated, or has trailing bytes.
    #[error("it is a damaged .ktest file")]
    Damaged,
}

impl KTest {
    /// Encodes the test.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let word = |bytes: &mut Vec<u8>, value: usize| bytes.extend((value as u32).to_be_bytes());
        let text = |bytes: &mut Vec<u8>, text: &[u8]| {
            bytes.extend((text.len() as u32).to_be_bytes());
            bytes.extend(text);
        };
        word(&mut bytes, VERSION as usize);
        word(&mut bytes, self.args.len());
        self.args.iter().for_each(|arg| text(&mut bytes, arg.as_bytes()));
        word(&mut bytes, 0);
        word(&mut bytes, 0);
        word(&mut bytes, self.objects.len());
        for object in &self.objects {
            text(&mut bytes, object.name.as_bytes());
            text(&mut bytes, &object.bytes);
        }
        bytes
    }

    /// Decodes the content of a file.
    pub fn decode(bytes: &[u8]) -> Result<KTest, KTestError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(KTestError::Magic)?;
        let mut reader = KTestReader(rest);
        let version = reader.word().ok_or(KTestError::Damaged)?;
        if version > VERSION {
            return Err(KTestError::Version(version));
        }
        reader.test(version).filter(|_| reader.0.is_empty()).ok_or(KTestError::Damaged)
    }
}

struct KTestReader<'a>(&'a [u8]);

impl KTestReader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*word))
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let len = self.word()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    fn test(&mut self, version: u32) -> Option<KTest> {
        let mut test = KTest::default();
        for _ in 0..self.word()? {
            test.args.push(self.text()?);
        }
        if version >= 2 {
            let _unused = (self.word()?, self.word()?);
        }
        for _ in 0..self.word()? {
            test.objects.push(KTestObject { name: self.text()?, bytes: self.bytes()? });
        }
        Some(test)
    }
}

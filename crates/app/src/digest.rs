//! Digests that are stored in files and compared by later processes, perhaps of another build of Cairn. The standard
//! library's hashers promise no such stability.

use crate::error::Error;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Returns the fingerprint of a file's content, as journals and snapshots store it.
pub fn fingerprint(path: &Path) -> Result<u64, Error> {
    let content = std::fs::read(path).map_err(|error| Error::cannot("read", path, error))?;
    Ok(Fingerprint::default().bytes(&content).finish())
}

/// Feeds values of known encoding to SHA-256.
#[derive(Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds a number, as eight little-endian bytes.
    pub fn number(&mut self, number: u64) -> &mut Fingerprint {
        self.0.update(number.to_le_bytes());
        self
    }

    /// Adds bytes after their length, so that neighbouring values cannot run together.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Fingerprint {
        self.number(bytes.len() as u64).0.update(bytes);
        self
    }

    /// Returns the first eight bytes of the digest, little-endian.
    pub fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    /// The expected values are the first bytes that `sha256sum` prints for the same encoding.
    #[test]
    fn a_stored_fingerprint_has_the_same_value_on_every_machine() {
        assert_eq!(Fingerprint::default().bytes(b"").finish(), 0x7a0b_81a1_f570_55af);
        assert_eq!(Fingerprint::default().bytes(b"abc").finish(), 0xad39_01ec_5edc_91ce);
    }

    #[test]
    fn neighbouring_values_do_not_run_together() {
        assert_ne!(
            Fingerprint::default().bytes(b"a").bytes(b"bc").finish(),
            Fingerprint::default().bytes(b"ab").bytes(b"c").finish()
        );
    }
}

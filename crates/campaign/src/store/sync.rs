//! Imports inputs of other fuzzers that work on the same program.
//!
//! Instances of AFL++ share a directory in which each has one of its own, with a queue of numbered files. A
//! campaign in there looks like one of them, so they import its tests; this module does the reverse. Like
//! AFL++, it keeps its position in each of the other queues in `.synced`.

use super::directory::{SYNC_POSITIONS, write_whole};
use super::testcase::{fit, read_test};
use cairn_exec::Input;
use cairn_program::read_file;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two scans of the other queues; a chosen interval.
const SCAN_INTERVAL: Duration = Duration::from_secs(3);
/// Size of a position file: one number, as AFL++ writes it.
const POSITION_BYTES: u64 = 4;
const QUEUE: &str = "queue";

/// Directory shared with other fuzzers, and this campaign's name in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyncSettings {
    /// The shared directory.
    pub directory: PathBuf,
    /// Name of this campaign's part of it.
    pub name: String,
}

/// A file in the queue of another instance.
#[derive(Clone, PartialEq, Eq, Debug)]
struct QueueFile {
    instance: String,
    id: u32,
    path: PathBuf,
}

/// Importer of other instances' inputs.
#[derive(Debug)]
pub(crate) struct SyncImporter {
    settings: SyncSettings,
    /// First number not yet scanned, by instance.
    next: BTreeMap<String, u32>,
    waiting: VecDeque<QueueFile>,
    /// File returned last. Its position is written when the next one is requested: it has been executed by
    /// then.
    last: Option<(String, u32)>,
    scanned: Option<Instant>,
}

impl SyncImporter {
    /// Creates an importer that continues at the stored positions.
    pub fn new(settings: SyncSettings) -> SyncImporter {
        let (next, waiting) = Default::default();
        let mut sync = SyncImporter { settings, next, waiting, last: None, scanned: None };
        for instance in names(&sync.positions()) {
            let number = read_file(&sync.positions().join(&instance), POSITION_BYTES).ok();
            let number = number.and_then(|bytes| bytes.try_into().ok());
            sync.next.extend(number.map(|number| (instance, u32::from_ne_bytes(number))));
        }
        sync
    }

    /// Returns the next new input of another instance, with the objects of `blank`.
    pub fn next(&mut self, blank: &Input) -> Option<Input> {
        self.write_position();
        if self.waiting.is_empty() && self.is_due() {
            self.scan();
        }
        while let Some(QueueFile { instance, id, path }) = self.waiting.pop_front() {
            self.last = Some((instance, id));
            // It may have been removed, or not fit the target.
            if let Ok(test) = read_test(&path, blank) {
                return Some(fit(test, blank));
            }
            self.write_position();
        }
        None
    }

    /// True if the other queues are due to be scanned.
    pub fn is_due(&self) -> bool {
        self.scanned.is_none_or(|at| at.elapsed() >= SCAN_INTERVAL)
    }

    fn positions(&self) -> PathBuf {
        self.settings.directory.join(&self.settings.name).join(SYNC_POSITIONS)
    }

    /// Writes the position after the last file. If that fails, the input is executed again later, which is
    /// harmless.
    fn write_position(&mut self) {
        let Some((instance, id)) = self.last.take() else { return };
        let positions = self.positions();
        if fs::create_dir_all(&positions).is_ok() {
            let _ = write_whole(&positions, &instance, &(id + 1).to_ne_bytes(), false);
        }
    }

    /// Scans the other queues for new files.
    fn scan(&mut self) {
        self.scanned = Some(Instant::now());
        let own = self.settings.name.clone();
        for instance in names(&self.settings.directory).into_iter().filter(|name| *name != own) {
            let queue = self.settings.directory.join(&instance).join(QUEUE);
            let next = self.next.entry(instance.clone()).or_default();
            let mut found: Vec<QueueFile> = names(&queue)
                .iter()
                .filter(|name| !is_own(name, &own))
                .filter_map(|name| Some((number(name)?, queue.join(name))))
                .filter(|(id, path)| *id >= *next && is_plain_file(path))
                .map(|(id, path)| QueueFile { instance: instance.clone(), id, path })
                .collect();
            found.sort_by_key(|found| found.id);
            *next = found.last().map_or(*next, |last| last.id + 1);
            self.waiting.extend(found);
        }
    }
}

/// True for a regular file: neither a link, which may lead to anything, nor a pipe, which would block.
fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Returns the names in a directory, sorted, without hidden ones.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// Returns the number in a name such as `id:000017,src:000003,op:havoc`.
fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("id:")?.split(',').next()?;
    digits.parse().ok().filter(|id| *id < u32::MAX)
}

/// True if another instance imported the file from this campaign.
fn is_own(name: &str, own: &str) -> bool {
    name.split(',').any(|part| part.strip_prefix("sync:") == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::Object;

    fn put(directory: &Path, name: &str, content: &str) {
        fs::create_dir_all(directory.join("queue")).unwrap();
        fs::write(directory.join("queue").join(name), content).unwrap();
    }

    fn imported(sync: &mut SyncImporter) -> Vec<String> {
        sync.scanned = None;
        let blank = Input { objects: vec![Object::stdin("").up_to(2)] };
        let text = |input: Input| String::from_utf8(input.objects[0].bytes.clone()).unwrap();
        std::iter::from_fn(|| sync.next(&blank).map(text)).collect()
    }

    #[test]
    fn every_input_of_others_is_imported_once() {
        let shared = tempfile::tempdir().unwrap();
        let instance = |name: &str| shared.path().join(name);
        let settings = SyncSettings { directory: shared.path().to_owned(), name: "cairn".to_owned() };
        put(&instance("cairn"), "id:000000,op:seed", "our own");
        put(&instance("main"), "id:000001,src:000000,op:havoc", "later");
        put(&instance("main"), "id:000000,orig:a", "first");
        put(&instance("main"), "id:000002,sync:cairn,src:000000", "our own");
        put(&instance("main"), ".state", "no input");
        put(&instance("main"), "README.txt", "no input");
        put(&instance("second"), "id:000000,orig:a", "long enough");
        fs::write(shared.path().join("a file"), "").unwrap();
        let mut sync = SyncImporter::new(settings.clone());
        assert_eq!(imported(&mut sync), ["first", "later", "long enough"]);
        assert_eq!(fs::read(instance("cairn").join(".synced/main")).unwrap(), 2_u32.to_ne_bytes());
        put(&instance("main"), "id:000003,op:havoc", "new");
        assert_eq!(imported(&mut sync), ["new"]);
        assert_eq!(imported(&mut SyncImporter::new(settings.clone())), [""; 0]);
        put(&instance("second"), "id:000001,op:havoc", "newer");
        assert_eq!(imported(&mut SyncImporter::new(settings)), ["newer"]);
    }
}

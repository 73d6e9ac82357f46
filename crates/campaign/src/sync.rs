//! Inputs of other fuzzers that work on the same program.
//!
//! Instances of AFL++ share a directory in which each has one of its own, with a queue of numbered files. A campaign in there
//! looks as one of them, so they take its tests by themselves; this is the other way round. As AFL++ does, the campaign
//! notes in `.synced` how far it has come with each of the others.

use crate::directory::write_whole;
use crate::testcase::{fit, read_test};
use cairn_exec::Input;
use cairn_program::read_file;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two looks at the others' queues.
const INTERVAL: Duration = Duration::from_secs(3);
/// Where it is noted how far we have come with each of the others, as one number of four bytes.
pub(crate) const NOTES: &str = ".synced";
const NOTE_BYTES: u64 = 4;
const QUEUE: &str = "queue";

/// Where to find others, and which of them is this campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyncSettings {
    /// The directory that is shared.
    pub directory: PathBuf,
    /// Our own part of it.
    pub name: String,
}

/// A file in another instance's queue.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    instance: String,
    id: u32,
    path: PathBuf,
}

/// What was taken from whom.
#[derive(Debug)]
pub(crate) struct Sync {
    settings: SyncSettings,
    /// By instance: the first number that was not looked at.
    next: BTreeMap<String, u32>,
    waiting: VecDeque<Found>,
    /// The one that was handed out last, and is noted when the next is asked for: by then it has been run.
    last: Option<(String, u32)>,
    looked: Option<Instant>,
}

impl Sync {
    /// Goes on where the notes of the campaign end.
    pub fn new(settings: SyncSettings) -> Sync {
        let (next, waiting) = Default::default();
        let mut sync = Sync { settings, next, waiting, last: None, looked: None };
        for instance in names(&sync.notes()) {
            let number = read_file(&sync.notes().join(&instance), NOTE_BYTES).ok();
            let number = number.and_then(|bytes| bytes.try_into().ok());
            sync.next.extend(number.map(|number| (instance, u32::from_ne_bytes(number))));
        }
        sync
    }

    /// An input that another instance has found and this one has not looked at, in the shape of `blank`.
    pub fn next(&mut self, blank: &Input) -> Option<Input> {
        self.note_last();
        if self.waiting.is_empty() && self.is_due() {
            self.look();
        }
        while let Some(Found { instance, id, path }) = self.waiting.pop_front() {
            self.last = Some((instance, id));
            // It may be gone by now, or not be meant for us.
            if let Ok(test) = read_test(&path, blank) {
                return Some(fit(test, blank));
            }
            self.note_last();
        }
        None
    }

    /// Whether it is time to look at the others' queues.
    pub fn is_due(&self) -> bool {
        self.looked.is_none_or(|at| at.elapsed() >= INTERVAL)
    }

    fn notes(&self) -> PathBuf {
        self.settings.directory.join(&self.settings.name).join(NOTES)
    }

    /// If it cannot be written down, an input is run once more some day: nothing is lost.
    fn note_last(&mut self) {
        let Some((instance, id)) = self.last.take() else { return };
        let notes = self.notes();
        if fs::create_dir_all(&notes).is_ok() {
            let _ = write_whole(&notes, &instance, &(id + 1).to_ne_bytes(), false);
        }
    }

    /// Finds what is new.
    fn look(&mut self) {
        self.looked = Some(Instant::now());
        let own = self.settings.name.clone();
        for instance in names(&self.settings.directory).into_iter().filter(|name| *name != own) {
            let queue = self.settings.directory.join(&instance).join(QUEUE);
            let next = self.next.entry(instance.clone()).or_default();
            let mut found: Vec<Found> = names(&queue)
                .iter()
                .filter(|name| !is_ours(name, &own))
                .filter_map(|name| Some((number(name)?, queue.join(name))))
                .filter(|(id, path)| *id >= *next && is_plain_file(path))
                .map(|(id, path)| Found { instance: instance.clone(), id, path })
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

/// What is in a directory, without what is hidden.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// The number in a name such as `id:000017,src:000003,op:havoc`.
fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("id:")?.split(',').next()?;
    digits.parse().ok().filter(|id| *id < u32::MAX)
}

/// Whether another instance has it from us.
fn is_ours(name: &str, own: &str) -> bool {
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

    fn taken(sync: &mut Sync) -> Vec<String> {
        sync.looked = None;
        let blank = Input { objects: vec![Object::stdin("").up_to(2)] };
        let text = |input: Input| String::from_utf8(input.objects[0].bytes.clone()).unwrap();
        std::iter::from_fn(|| sync.next(&blank).map(text)).collect()
    }

    #[test]
    fn every_input_of_others_is_taken_once() {
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
        let mut sync = Sync::new(settings.clone());
        assert_eq!(taken(&mut sync), ["first", "later", "long enough"]);
        assert_eq!(fs::read(instance("cairn").join(".synced/main")).unwrap(), 2_u32.to_ne_bytes());
        put(&instance("main"), "id:000003,op:havoc", "new");
        assert_eq!(taken(&mut sync), ["new"]);
        assert_eq!(taken(&mut Sync::new(settings.clone())), [""; 0]);
        put(&instance("second"), "id:000001,op:havoc", "newer");
        assert_eq!(taken(&mut Sync::new(settings)), ["newer"]);
    }
}

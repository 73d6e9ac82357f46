//! The journal as a file.
//!
//! After a line that says what it is come frames: length, checksum, records. A frame is written in one piece when something
//! is about to be reported; whatever is behind the last whole frame, nobody has heard of, and it is cut off.

use super::record::{Charter, Record};
use crate::directory::{DirectoryError, unwritable};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name in the campaign directory.
pub(crate) const JOURNAL: &str = "journal";
/// The first line; another number is another format.
const FIRST_LINE: &[u8] = b"cairn journal 2\n";
/// Length and checksum.
const HEAD: usize = 8;
/// Records that wait for being written, in bytes.
const MOST_WAITING: usize = 64 << 10;
/// How long they wait: what is shown meanwhile is not much ahead of what is on disk.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// A frame that says it is longer is none.
const LONGEST_FRAME: usize = 1 << 30;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of whole frames.
    len: u64,
    waiting: Vec<u8>,
    flushed: Instant,
}

impl Journal {
    /// A new one.
    pub fn create(directory: &Path) -> Result<Journal, DirectoryError> {
        let path = directory.join(JOURNAL);
        let begin = |mut file: File| file.write_all(FIRST_LINE).map(|()| file);
        let file = File::create(&path).and_then(begin).map_err(|source| unwritable(&path, source))?;
        Ok(Journal::at(path, file, FIRST_LINE.len() as u64))
    }

    fn at(path: PathBuf, file: File, len: u64) -> Journal {
        Journal { path, file, len, waiting: Vec::new(), flushed: Instant::now() }
    }

    /// Goes on behind this many bytes; tells how many there were behind.
    fn cut(&mut self, len: u64) -> io::Result<u64> {
        let cut = self.file.metadata()?.len() - len;
        self.file.set_len(len)?;
        self.file.seek(SeekFrom::Start(len))?;
        self.len = len;
        Ok(cut)
    }

    /// Writes down what the campaign is.
    pub fn begin(&mut self, charter: &Charter) -> Result<(), DirectoryError> {
        self.waiting = encoded(charter);
        self.flush()
    }

    /// Adds a record. It is on disk after the next flush, which does not take long to come.
    pub fn add(&mut self, record: &Record) -> Result<(), DirectoryError> {
        self.waiting.extend(encoded(record));
        if self.waiting.len() >= MOST_WAITING || self.flushed.elapsed() >= LONGEST_WAIT {
            return self.flush();
        }
        Ok(())
    }

    /// Hands all records to the system: whatever happens to this process, they are there.
    pub fn flush(&mut self) -> Result<(), DirectoryError> {
        self.flushed = Instant::now();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(HEAD + self.waiting.len());
        frame.extend((self.waiting.len() as u32).to_le_bytes());
        frame.extend(crc32fast::hash(&self.waiting).to_le_bytes());
        frame.append(&mut self.waiting);
        if let Err(source) = self.file.write_all(&frame) {
            // Half a frame would be cut off anyway; this way there is nothing to repair.
            let _ = self.file.set_len(self.len);
            return Err(unwritable(&self.path, source));
        }
        self.len += frame.len() as u64;
        Ok(())
    }

    /// Has the system write all records to the disk: whatever happens to the machine, they are there.
    pub fn sync(&mut self) -> Result<(), DirectoryError> {
        self.flush()?;
        self.file.sync_data().map_err(|source| unwritable(&self.path, source))
    }
}

fn encoded(item: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(item).expect("what is in memory can be written")
}

/// What an old journal holds.
#[derive(Debug)]
pub(crate) struct OldJournal {
    pub charter: Charter,
    /// Runs in it.
    pub runs: u64,
    /// Files of each place, by their names without an extension.
    pub kept: [Vec<String>; 3],
    /// Bytes that were cut off its end.
    pub cut: u64,
    records: Records,
    journal: Journal,
}

impl OldJournal {
    /// Opens a journal to go on with it, and cuts off what cannot be read. Nothing if not even what it begins with can.
    pub fn open(directory: &Path) -> Result<Option<OldJournal>, DirectoryError> {
        let path = directory.join(JOURNAL);
        let failed = |source| DirectoryError::Unreadable { path: path.clone(), source };
        let mut records = Records::open(&path).map_err(failed)?;
        let Some(charter) = records.charter().map_err(failed)? else { return Ok(None) };
        let mut first = Records::open(&path).map_err(failed)?;
        first.charter().map_err(failed)?;
        let file = OpenOptions::new().write(true).open(&path).map_err(|source| unwritable(&path, source))?;
        let journal = Journal::at(path.clone(), file, 0);
        let mut old =
            OldJournal { charter, runs: 0, kept: Default::default(), cut: 0, records: first, journal };
        while let Some(record) = records.next().map_err(failed)? {
            old.survey(record);
        }
        old.cut = old.journal.cut(records.whole).map_err(|source| unwritable(&path, source))?;
        Ok(Some(old))
    }

    fn survey(&mut self, record: Record) {
        let Record::Ran(ran) = record else { return };
        self.runs += 1;
        for keep in ran.seen.map(|seen| seen.kept).unwrap_or_default() {
            self.kept[keep.place as usize].push(keep.name);
        }
    }

    /// Where it is, its records, and where new ones go.
    pub fn into_parts(self) -> (PathBuf, Records, Journal) {
        (self.journal.path.clone(), self.records, self.journal)
    }
}

/// Reads records, one after the other.
#[derive(Debug)]
pub(crate) struct Records {
    file: BufReader<File>,
    /// Bytes up to the end of the last frame that is whole.
    whole: u64,
    frame: Vec<u8>,
    /// Bytes of the frame that were read.
    at: usize,
}

impl Records {
    fn open(path: &Path) -> io::Result<Records> {
        Ok(Records { file: BufReader::new(File::open(path)?), whole: 0, frame: Vec::new(), at: 0 })
    }

    fn charter(&mut self) -> io::Result<Option<Charter>> {
        let mut line = [0; FIRST_LINE.len()];
        if !fill(&mut self.file, &mut line)? || line != FIRST_LINE {
            return Ok(None);
        }
        self.whole = FIRST_LINE.len() as u64;
        if !self.next_frame()? {
            return Ok(None);
        }
        self.at = self.frame.len();
        Ok(postcard::from_bytes(&self.frame).ok())
    }

    /// The next record, if there is a whole one.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        if self.at == self.frame.len() && !self.next_frame()? {
            return Ok(None);
        }
        match postcard::take_from_bytes(&self.frame[self.at..]) {
            Ok((record, rest)) => {
                self.at = self.frame.len() - rest.len();
                Ok(Some(record))
            }
            // The checksum is right: whoever wrote it had other records.
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Reads a frame; false if there is none, or a broken one.
    fn next_frame(&mut self) -> io::Result<bool> {
        let mut head = [0; HEAD];
        if !fill(&mut self.file, &mut head)? {
            return Ok(false);
        }
        let [len, checksum] = [0, 4].map(|at| u32::from_le_bytes(head[at..at + 4].try_into().expect("four")));
        if len as usize > LONGEST_FRAME {
            return Ok(false);
        }
        self.frame.clear();
        self.at = 0;
        let read = (&mut self.file).take(len.into()).read_to_end(&mut self.frame)?;
        let is_whole = read == len as usize && len > 0 && crc32fast::hash(&self.frame) == checksum;
        match is_whole {
            true => self.whole += (HEAD + read) as u64,
            false => self.frame.clear(),
        }
        Ok(is_whole)
    }
}

/// Reads so many bytes; false if there are not as many.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

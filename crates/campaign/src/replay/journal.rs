//! The journal file.
//!
//! After a line with the format's version follow frames: length, checksum, records. A frame is written in one
//! piece before an event of its records is reported. Bytes after the last whole frame were therefore never
//! reported, and are cut off.

use super::record::{CampaignIdentity, Record};
use crate::store::directory::{DirectoryError, JOURNAL, unwritable};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// First line; the number is the version of the format.
const FIRST_LINE: &[u8] = b"cairn journal 3\n";
/// Size of a frame's header: length and checksum.
const HEADER: usize = 8;
/// Maximum number of buffered bytes; a chosen bound.
const MAX_BUFFERED: usize = 64 << 10;
/// Maximum time for which records are buffered, so that the status display is not far ahead of the disk; a
/// chosen bound.
const FLUSH_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum length of a frame; a larger one in a header is damage.
const MAX_FRAME: usize = 1 << 30;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Length of the file up to the last whole frame.
    len: u64,
    buffer: Vec<u8>,
    flushed: Instant,
}

impl Journal {
    /// Creates an empty journal.
    pub fn create(directory: &Path) -> Result<Journal, DirectoryError> {
        let path = directory.join(JOURNAL);
        let begin = |mut file: File| file.write_all(FIRST_LINE).map(|()| file);
        let file = File::create(&path).and_then(begin).map_err(|source| unwritable(&path, source))?;
        Ok(Journal::at(path, file, FIRST_LINE.len() as u64))
    }

    fn at(path: PathBuf, file: File, len: u64) -> Journal {
        Journal { path, file, len, buffer: Vec::new(), flushed: Instant::now() }
    }

    /// Truncates the file and continues at its end; returns the number of bytes cut off.
    fn truncate(&mut self, len: u64) -> io::Result<u64> {
        let cut = self.file.metadata()?.len() - len;
        self.file.set_len(len)?;
        self.file.seek(SeekFrom::Start(len))?;
        self.len = len;
        Ok(cut)
    }

    /// Writes the identity of the campaign.
    pub fn begin(&mut self, identity: &CampaignIdentity) -> Result<(), DirectoryError> {
        self.buffer = encoded(identity);
        self.flush()
    }

    /// Appends a record to the buffer, which is flushed within [`FLUSH_INTERVAL`] if records keep coming.
    pub fn append(&mut self, record: &Record) -> Result<(), DirectoryError> {
        self.buffer.extend(encoded(record));
        if self.buffer.len() >= MAX_BUFFERED || self.flushed.elapsed() >= FLUSH_INTERVAL {
            return self.flush();
        }
        Ok(())
    }

    /// Writes all buffered records to the file: they survive the end of this process.
    pub fn flush(&mut self) -> Result<(), DirectoryError> {
        self.flushed = Instant::now();
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(HEADER + self.buffer.len());
        frame.extend((self.buffer.len() as u32).to_le_bytes());
        frame.extend(crc32fast::hash(&self.buffer).to_le_bytes());
        frame.append(&mut self.buffer);
        if let Err(source) = self.file.write_all(&frame) {
            // A partial frame would be cut off on resumption; this way there is nothing to repair.
            let _ = self.file.set_len(self.len);
            return Err(unwritable(&self.path, source));
        }
        self.len += frame.len() as u64;
        Ok(())
    }

    /// Makes all records durable: they survive a failure of the machine.
    pub fn sync(&mut self) -> Result<(), DirectoryError> {
        self.flush()?;
        self.file.sync_data().map_err(|source| unwritable(&self.path, source))
    }
}

fn encoded(item: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(item).expect("records can be encoded")
}

/// The journal of a resumed campaign.
#[derive(Debug)]
pub(crate) struct ResumedJournal {
    pub identity: CampaignIdentity,
    /// Number of recorded runs.
    pub runs: u64,
    /// Names of the kept inputs in each folder, without extension.
    pub kept: [Vec<String>; 3],
    /// Number of bytes cut off its end.
    pub cut: u64,
    records: RecordReader,
    journal: Journal,
}

impl ResumedJournal {
    /// Opens a journal and cuts off a damaged end. None if not even its beginning can be read.
    pub fn open(directory: &Path) -> Result<Option<ResumedJournal>, DirectoryError> {
        let path = directory.join(JOURNAL);
        let failed = |source| DirectoryError::Unreadable { path: path.clone(), source };
        let mut records = RecordReader::open(&path).map_err(failed)?;
        let Some(identity) = records.identity().map_err(failed)? else { return Ok(None) };
        let mut first = RecordReader::open(&path).map_err(failed)?;
        first.identity().map_err(failed)?;
        let file = OpenOptions::new().write(true).open(&path).map_err(|source| unwritable(&path, source))?;
        let journal = Journal::at(path.clone(), file, 0);
        let mut resumed =
            ResumedJournal { identity, runs: 0, kept: Default::default(), cut: 0, records: first, journal };
        while let Some(record) = records.next().map_err(failed)? {
            resumed.count(record);
        }
        resumed.cut = resumed.journal.truncate(records.whole).map_err(|source| unwritable(&path, source))?;
        Ok(Some(resumed))
    }

    fn count(&mut self, record: Record) {
        let Record::Run(run) = record else { return };
        self.runs += 1;
        for keep in run.result.map(|result| result.kept).unwrap_or_default() {
            self.kept[keep.folder as usize].push(keep.name);
        }
    }

    /// Returns its path, a reader of its records, and the journal for new ones.
    pub fn into_parts(self) -> (PathBuf, RecordReader, Journal) {
        (self.journal.path.clone(), self.records, self.journal)
    }
}

/// Reads the records of a journal in order.
#[derive(Debug)]
pub(crate) struct RecordReader {
    file: BufReader<File>,
    /// Length up to the end of the last whole frame.
    whole: u64,
    frame: Vec<u8>,
    /// Position in the current frame.
    at: usize,
}

impl RecordReader {
    fn open(path: &Path) -> io::Result<RecordReader> {
        Ok(RecordReader { file: BufReader::new(File::open(path)?), whole: 0, frame: Vec::new(), at: 0 })
    }

    fn identity(&mut self) -> io::Result<Option<CampaignIdentity>> {
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

    /// Returns the next record; None after the last whole one.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        if self.at == self.frame.len() && !self.next_frame()? {
            return Ok(None);
        }
        match postcard::take_from_bytes(&self.frame[self.at..]) {
            Ok((record, rest)) => {
                self.at = self.frame.len() - rest.len();
                Ok(Some(record))
            }
            // The checksum is right, so another version of Cairn wrote it.
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Reads the next frame; false if there is none, or a damaged one.
    fn next_frame(&mut self) -> io::Result<bool> {
        let mut header = [0; HEADER];
        if !fill(&mut self.file, &mut header)? {
            return Ok(false);
        }
        let [len, checksum] =
            [0, 4].map(|at| u32::from_le_bytes(header[at..at + 4].try_into().expect("four")));
        if len as usize > MAX_FRAME {
            return Ok(false);
        }
        self.frame.clear();
        self.at = 0;
        let read = (&mut self.file).take(len.into()).read_to_end(&mut self.frame)?;
        let is_whole = read == len as usize && len > 0 && crc32fast::hash(&self.frame) == checksum;
        match is_whole {
            true => self.whole += (HEADER + read) as u64,
            false => self.frame.clear(),
        }
        Ok(is_whole)
    }
}

/// Fills a buffer; false if the file ends first.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

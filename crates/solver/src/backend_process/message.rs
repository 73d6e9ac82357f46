//! Messages between the driver and a backend process: a 32-bit length, then the message in `postcard` encoding.

use crate::{Limits, Unknown};
use cairn_expr::{InputByte, Parcel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;

/// Largest message: more than the largest DAG takes.
const MAX_BYTES: u32 = 1 << 30;

/// Sent by the process when it is ready.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Hello;

/// A query.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Request {
    /// Expressions the process lacks.
    pub(super) parcel: Parcel,
    /// Constraints by number, the target last.
    pub(super) constraints: Vec<u32>,
    /// Time limit of a query, in microseconds.
    limit: u64,
    /// Time left until this query's deadline, in microseconds.
    left: u64,
}

impl Request {
    pub(super) fn new(parcel: Parcel, constraints: Vec<u32>, limit: Duration, left: Duration) -> Request {
        let micros = |time: Duration| time.as_micros().try_into().unwrap_or(u64::MAX);
        Request { parcel, constraints, limit: micros(limit), left: micros(left) }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { time: Duration::from_micros(self.limit) }
    }

    pub(super) fn left(&self) -> Duration {
        Duration::from_micros(self.left)
    }
}

/// A reply, and the CPU time and nominal time that it took.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Answered {
    pub(super) reply: Reply,
    pub(super) cpu: Duration,
    pub(super) spent: Duration,
}

/// The verdict on a query.
#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Reply {
    /// Object and offset of each byte, with its value if Z3 gives one.
    Sat(Vec<(u32, u32, Option<u8>)>),
    Unsat,
    TimeLimit,
    Unsupported,
}

impl Reply {
    pub(super) fn unknown(why: Unknown) -> Reply {
        match why {
            Unknown::TimeLimit => Reply::TimeLimit,
            Unknown::Unsupported | Unknown::Invalid => Reply::Unsupported,
        }
    }
}

pub(super) fn packed(byte: InputByte, value: Option<u8>) -> (u32, u32, Option<u8>) {
    (byte.object, byte.offset, value)
}

pub(super) fn unpacked((object, offset, value): (u32, u32, Option<u8>)) -> (InputByte, Option<u8>) {
    (InputByte { object, offset }, value)
}

/// Encodes a message as a frame.
pub(super) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes: Vec<u8> = postcard::to_extend(message, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a message is too long"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

pub(super) fn write(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message)?)
}

/// Reads the next message; `None` at the end.
pub(super) fn read<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = Some(u32::from_le_bytes(length)).filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a message is too long"))?;
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

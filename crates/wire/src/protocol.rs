//! The fork server's protocol.
//!
//! The driver starts the target with [`ENV_CONTROL`] set to `shm,command,status,data,sealed,bound`: three
//! inherited descriptor numbers, the limit of a run's data in MiB beyond the runtime's own, 1 if signals of
//! runs must not reach the processes above them, and 1 if the driver has set `LD_BIND_NOW`. The runtime maps
//! the shared memory and writes a [`Hello`] to `status`. For every [`RUN`] byte it forks a child (or resumes
//! one of persistent mode) and, when the child has ended, writes an [`Ended`] to `status`. `SIGUSR1` makes
//! the server kill its run. End of file on the command pipe ends the server. Every message fits a pipe's
//! atomic write.
//!
//! The program's constructors run before the runtime, with access to all descriptors: each message may be
//! forged. No message names a process, so a forged one cannot direct the driver at a process of its choice.

/// Environment variable that turns an instrumented program into a fork server.
pub const ENV_CONTROL: &str = "CAIRN_CONTROL";
/// Environment variables that fill up the space of arguments and environment, so that the stack begins at the
/// same address whatever they are. The runtime removes them.
pub const ENV_PADDING: [&str; 2] = ["CAIRN_PADDING", "CAIRN_PADDING_2"];
/// Command byte: run once.
pub const RUN: u8 = b'R';
/// First word of a [`Hello`].
pub const HELLO_MAGIC: u32 = 0x4e52_4943;

/// First message of a fork server.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hello {
    /// [`HELLO_MAGIC`].
    pub magic: u32,
    /// The target's [`crate::ABI_VERSION`].
    pub abi: u32,
    /// Number of site records in the running program.
    pub sites: u32,
    /// Number of coverage bytes in the running program.
    pub sides: u32,
}

/// Report that a child has ended, or could not be forked.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// Status from `waitpid`; a negative error number if there is no child.
    pub wait_status: i32,
    /// Peak resident size in KiB.
    pub max_rss_kib: u32,
    /// CPU time of the child in microseconds.
    pub cpu_micros: u64,
    /// 1 if the process has undone its run and waits, stopped, for the next one (persistent mode).
    pub waits: u32,
    /// 1 if the process had made another run before.
    pub reused: u32,
}

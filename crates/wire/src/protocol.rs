//! The fork server: who says what on which descriptor.
//!
//! The driver starts the target with [`ENV_CONTROL`] set to `shm,command,status,data,sealed,bound`: three inherited
//! descriptor numbers, how many mebibytes of data a run may have beyond those of the runtime, whether (1) signals
//! of runs are to be kept from the processes above them, and whether the driver has set `LD_BIND_NOW`. The
//! runtime maps the shared memory, writes a [`Hello`] to `status`, and then, for every [`RUN`] byte it reads, forks a child (or
//! has one go on that has made a run before) and, when the child has ended, writes an [`Ended`] to `status`. `SIGUSR1` has the
//! server kill its run. End of file on the command pipe ends the server. Every message fits a pipe's atomic write.
//!
//! The program's constructors run before the runtime, with all descriptors: each message may be forged. None of them names
//! a process, so that there is no process that a forged one could point the driver at.

/// Environment variable that turns an instrumented program into a fork server.
pub const ENV_CONTROL: &str = "CAIRN_CONTROL";
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
    /// Site records the running program has.
    pub sites: u32,
    /// Coverage bytes the running program has.
    pub sides: u32,
}

/// A child has ended, or there is none.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// Status as `waitpid` gives it; a negative error number if there is no child.
    pub wait_status: i32,
    /// Peak resident size in KiB.
    pub max_rss_kib: u32,
    /// CPU time of the child in microseconds.
    pub cpu_micros: u64,
    /// 1 if the process has undone its run and waits, stopped, for the next one.
    pub waits: u32,
    /// 1 if the process has made another run before.
    pub reused: u32,
}

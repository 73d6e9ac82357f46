use super::*;
use crate::spec::TargetSpec;
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::process::{Child, Command};

const MEGABYTE: u64 = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(20);

struct Running {
    child: Child,
    environment: RunEnvironment,
}

impl Running {
    /// Starts a shell, as the supervisor of what it starts.
    fn shell(script: &str) -> Running {
        Running::begin(Command::new("sh").args(["-c", script]))
    }

    fn begin(command: &mut Command) -> Running {
        let environment = RunEnvironment::create(&TargetSpec::new("/bin/true", 0)).unwrap();
        let child = command.env("SCRATCH", environment.scratch()).spawn().unwrap();
        Running { child, environment }
    }

    /// Checks until a limit is exceeded.
    fn exceeded(&self, limits: &Limits) -> Option<ExceededLimit> {
        let mut monitor = LimitMonitor::new(self.child.id(), limits, None, &self.environment);
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if let Some(exceeded) = monitor.check().unwrap() {
                return Some(exceeded);
            }
            std::thread::sleep(monitor.interval());
        }
        None
    }

    fn check(&self, limits: &Limits) -> Option<ExceededLimit> {
        LimitMonitor::new(self.child.id(), limits, None, &self.environment).check().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let children = processes::family(self.child.id(), 100);
        for pid in children {
            let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        self.child.wait().unwrap();
    }
}

fn memory(megabytes: u64) -> Limits {
    Limits { memory: megabytes * MEGABYTE, ..Limits::default() }
}

#[test]
fn a_process_that_grows_is_noticed() {
    let run = Running::shell("{ head -c 200M /dev/zero; sleep 30; } | tail -n 1 >/dev/null");
    assert_eq!(run.exceeded(&memory(100)), Some(ExceededLimit::Memory));
    assert_eq!(run.check(&memory(400)), None);
}

#[test]
fn children_belong_to_the_run() {
    let run = Running::shell("sleep 30; true");
    assert_eq!(run.exceeded(&Limits { processes: 1, ..Limits::default() }), Some(ExceededLimit::Processes));
}

/// Runs `sleep` with a descriptor of a memfd of 64 MiB, in each of so many processes.
fn with_a_memfd(processes: usize) -> Running {
    let mut memfd: File = memfd_create("test", MemfdFlags::empty()).unwrap().into();
    memfd.write_all(&vec![1; 64 << 20]).unwrap();
    let script = "sleep 30 & ".repeat(processes) + "wait";
    let run = Running::shell(&script);
    rustix::io::fcntl_setfd(memfd.as_fd(), rustix::io::FdFlags::CLOEXEC).unwrap();
    run
}

#[test]
fn a_memfd_that_no_process_has_mapped_is_counted_once() {
    let run = with_a_memfd(5);
    assert_eq!(run.exceeded(&memory(60)), Some(ExceededLimit::Memory));
    assert_eq!(run.check(&memory(128)), None);
}

#[test]
fn too_many_files_are_noticed_while_a_run_goes_on() {
    let run = Running::shell("sh -c 'for i in 1 2 3 4 5 6 7 8 9; do : >$SCRATCH/$i; done; sleep 30'; true");
    let scratch = |entries| ScratchSpace { entries, ..Limits::default().scratch };
    assert_eq!(
        run.exceeded(&Limits { scratch: scratch(8), ..Limits::default() }),
        Some(ExceededLimit::Scratch)
    );
    assert_eq!(run.check(&Limits { scratch: scratch(9), ..Limits::default() }), None);
}

#[test]
fn files_without_a_name_are_counted() {
    let run =
        Running::shell("sh -c 'exec 3>$SCRATCH/f; rm $SCRATCH/f; head -c 50M /dev/zero >&3; sleep 30'; true");
    let limits = |megabytes| {
        let scratch = ScratchSpace { bytes: megabytes * MEGABYTE, ..Limits::default().scratch };
        Limits { scratch, ..Limits::default() }
    };
    assert_eq!(run.exceeded(&limits(40)), Some(ExceededLimit::Scratch));
    assert_eq!(run.check(&limits(60)), None);
}

#[test]
fn names_that_are_not_text_hide_nothing() {
    assert!(ProcessMemory::of(std::process::id()).unwrap().total() > 0);
    let name = c"\xff\xfe";
    // SAFETY: sets the name of this thread from a string that ends in zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    // SAFETY: asks for the number of this thread.
    let thread = unsafe { libc::gettid() } as u32;
    assert!(ProcessMemory::of(thread).unwrap().total() > 0);
}

#[test]
fn invisible_shared_memory_is_bounded_by_the_growth_of_the_machines() {
    let file = |inode| FileId { device: 1, inode };
    let part = |resident, size| mappings::MappedPart { resident, size };
    let mapped = MappedMemory {
        shared: [(file(1), part(10, 1000)), (file(2), part(5, 5))].into(),
        ..MappedMemory::default()
    };
    let none = OpenFiles::default();
    assert_eq!(shared(&mapped, &none, 0), 15);
    assert_eq!(shared(&mapped, &none, 100), 100);
    assert_eq!(shared(&mapped, &none, 5000), 15 + 990);
    let open = OpenFiles { shared_memory: [(file(1), 400)].into(), ..OpenFiles::default() };
    assert_eq!(shared(&mapped, &open, 5000), 405);
    let in_flight = OpenFiles { is_incomplete: true, ..open };
    assert_eq!(shared(&mapped, &in_flight, 5000), 5000);
}

//! Ending all descendants of a process: shared by the driver's supervisor and the target's fork server.
//!
//! Both are child subreapers, so orphaned descendants become their children. Neither may use the C library,
//! so each passes its own system calls.

/// `SIGKILL` of Linux.
const SIGKILL: i32 = 9;
/// `EPERM` of Linux.
const EPERM: i32 = 1;
/// `ECHILD` of Linux.
const ECHILD: i32 = 10;
/// Stands for all processes that may be signalled, and for any child.
const ALL: i32 = -1;

/// Room for the list of children.
const MAX_LIST: usize = 4096;

/// System calls of a supervising process; results are the kernel's.
pub trait ProcessCalls {
    /// Returns the number of the parent process.
    fn parent(&self) -> i32;
    /// Sends a signal.
    fn kill(&self, process: i32, signal: i32) -> i32;
    /// Waits for the end of a child.
    fn wait(&self, child: i32) -> i32;
    /// Reads the kernel's list of children, numbers that each end in a space, as far as there is room; `None`
    /// if there is no such list.
    fn read_children<'a>(&self, room: &'a mut [u8]) -> Option<&'a [u8]>;
}

/// Kills all descendants, and waits until they are gone. `confined` if the process's signals are confined to
/// its descendants.
pub fn sweep(calls: &impl ProcessCalls, confined: bool) {
    loop {
        if !kill_descendants(calls, confined) {
            return;
        }
        // Waits for one of the children, which are dying; theirs then become ours.
        if calls.wait(ALL) == -ECHILD {
            return;
        }
    }
}

/// Kills all descendants, or all children if signals are not confined; false if the kernel does not list
/// these.
pub fn kill_descendants(calls: &impl ProcessCalls, confined: bool) -> bool {
    // The confinement is relied upon only while a signal to the parent is refused.
    if !(confined && calls.kill(calls.parent(), 0) == -EPERM) {
        return kill_children(calls);
    }
    // Reaches every process below this one and, as was checked just now, no other.
    calls.kill(ALL, SIGKILL);
    true
}

/// Kills all children; false if the kernel does not list them.
fn kill_children(calls: &impl ProcessCalls) -> bool {
    let mut room = [0; MAX_LIST];
    let Some(text) = calls.read_children(&mut room) else { return false };
    // A number that was cut off at the end is not that of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for child in words.filter_map(parse_number) {
        // A child of ours that was not waited for: no other process has this number.
        calls.kill(child, SIGKILL);
    }
    true
}

fn parse_number(digits: &[u8]) -> Option<i32> {
    let add = |n: i32, digit: &u8| {
        let value = digit.is_ascii_digit().then(|| i32::from(digit - b'0'))?;
        n.checked_mul(10)?.checked_add(value)
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use core::cell::RefCell;

    /// A kernel with these children, of which each wait reaps one.
    struct FakeKernel {
        list: Option<&'static str>,
        refuses_parent: bool,
        children: RefCell<i32>,
        killed: RefCell<Vec<i32>>,
    }

    impl FakeKernel {
        fn new(list: Option<&'static str>, refuses_parent: bool, children: i32) -> FakeKernel {
            let (children, killed) = (RefCell::new(children), RefCell::default());
            FakeKernel { list, refuses_parent, children, killed }
        }
    }

    impl ProcessCalls for FakeKernel {
        fn parent(&self) -> i32 {
            1
        }

        fn kill(&self, process: i32, signal: i32) -> i32 {
            if signal == SIGKILL {
                self.killed.borrow_mut().push(process);
            }
            if process == 1 && self.refuses_parent { -EPERM } else { 0 }
        }

        fn wait(&self, _: i32) -> i32 {
            *self.children.borrow_mut() -= 1;
            if *self.children.borrow() < 0 { -ECHILD } else { 2 }
        }

        fn read_children<'a>(&self, room: &'a mut [u8]) -> Option<&'a [u8]> {
            let text = self.list?.as_bytes();
            room[..text.len()].copy_from_slice(text);
            Some(&room[..text.len()])
        }
    }

    #[test]
    fn all_are_killed_at_once_only_while_the_parent_is_out_of_reach() {
        let confined = FakeKernel::new(Some("7 8 "), true, 0);
        sweep(&confined, true);
        assert_eq!(*confined.killed.borrow(), [ALL]);
        let reachable = FakeKernel::new(Some("7 8 "), false, 0);
        sweep(&reachable, true);
        assert_eq!(*reachable.killed.borrow(), [7, 8]);
    }

    #[test]
    fn children_are_killed_until_none_is_left() {
        let kernel = FakeKernel::new(Some("7 "), false, 2);
        sweep(&kernel, false);
        assert_eq!(*kernel.killed.borrow(), [7, 7, 7]);
    }

    #[test]
    fn a_number_that_was_cut_off_is_not_killed() {
        let kernel = FakeKernel::new(Some("7 12345"), false, 0);
        assert!(kill_descendants(&kernel, false));
        assert_eq!(*kernel.killed.borrow(), [7]);
    }

    #[test]
    fn nothing_is_killed_without_a_list() {
        let kernel = FakeKernel::new(None, false, 1);
        sweep(&kernel, false);
        assert_eq!((kernel.killed.borrow().len(), *kernel.children.borrow()), (0, 1));
    }
}

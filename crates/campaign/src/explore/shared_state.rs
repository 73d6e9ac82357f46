//! A mutex-protected state whose guard can release the lock for a while.
//!
//! Executing and solving take most of the time and need only a small copy of the state. So a worker holds the
//! lock while it chooses and integrates results, and releases it during the long work:
//! [`StateGuard::unlocked`].

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The state and its lock.
pub(super) struct SharedState<T> {
    state: Mutex<T>,
    /// Signalled whenever the lock is released.
    released: Condvar,
}

impl<T> SharedState<T> {
    /// Creates an unlocked state.
    pub fn new(state: T) -> SharedState<T> {
        SharedState { state: Mutex::new(state), released: Condvar::new() }
    }

    /// Acquires the lock.
    pub fn lock(&self) -> StateGuard<'_, T> {
        StateGuard { shared: self, guard: Some(self.lock_mutex()) }
    }

    /// Returns the state, after all workers have ended.
    pub fn into_inner(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_mutex(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The locked state.
pub(super) struct StateGuard<'s, T> {
    shared: &'s SharedState<T>,
    /// None only while the lock is released.
    guard: Option<MutexGuard<'s, T>>,
}

impl<T> StateGuard<'_, T> {
    /// Runs `work` with the lock released.
    pub fn unlocked<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.guard = None;
        self.shared.released.notify_all();
        let result = work();
        self.guard = Some(self.shared.lock_mutex());
        result
    }

    /// Releases the lock until a condition holds.
    pub fn wait_until(&mut self, mut holds: impl FnMut(&mut T) -> bool) {
        let guard = self.guard.take().expect("the lock is held");
        self.shared.released.notify_all();
        let waited = self.shared.released.wait_while(guard, |state| !holds(state));
        self.guard = Some(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl<T> Drop for StateGuard<'_, T> {
    fn drop(&mut self) {
        self.guard = None;
        self.shared.released.notify_all();
    }
}

impl<T> Deref for StateGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.guard.as_ref().expect("the lock is held")
    }
}

impl<T> DerefMut for StateGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.guard.as_mut().expect("the lock is held")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn others_can_lock_while_it_is_unlocked() {
        let shared = SharedState::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            let mut guard = shared.lock();
            *guard = 1;
            scope.spawn(|| {
                let mut guard = shared.lock();
                *guard += 10;
                drop(guard);
                sender.send(()).unwrap();
            });
            assert_eq!(*guard, 1);
            guard.unlocked(|| receiver.recv().unwrap());
            assert_eq!(*guard, 11);
        });
        assert_eq!(shared.into_inner(), 11);
    }

    #[test]
    fn a_waiting_thread_continues_when_its_condition_holds() {
        let shared = SharedState::new(Vec::new());
        std::thread::scope(|scope| {
            for number in [2, 0, 3, 1] {
                let shared = &shared;
                scope.spawn(move || {
                    let mut guard = shared.lock();
                    guard.wait_until(|state| state.len() == number);
                    guard.push(number);
                });
            }
        });
        assert_eq!(shared.into_inner(), [0, 1, 2, 3]);
    }
}

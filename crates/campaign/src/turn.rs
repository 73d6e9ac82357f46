//! One state, and workers that take turns with it.
//!
//! What takes long, running a program or solving, needs nothing of the state but a little that can be copied. So a worker
//! has the state for itself while it decides and takes in results, and lets others have it [`Turn::meanwhile`].

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The state, while nobody has it.
pub(crate) struct Table<T> {
    state: Mutex<T>,
    /// Told whenever somebody gives the state back.
    given_back: Condvar,
}

impl<T> Table<T> {
    pub fn new(state: T) -> Table<T> {
        Table { state: Mutex::new(state), given_back: Condvar::new() }
    }

    /// Takes the state.
    pub fn take(&self) -> Turn<'_, T> {
        Turn { table: self, guard: Some(self.lock()) }
    }

    /// The state, when everybody is gone.
    pub fn into_state(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state, in the hands of one.
pub(crate) struct Turn<'t, T> {
    table: &'t Table<T>,
    /// None only while it is given back.
    guard: Option<MutexGuard<'t, T>>,
}

impl<T> Turn<'_, T> {
    /// Does something while others may take turns.
    pub fn meanwhile<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.guard = None;
        self.table.given_back.notify_all();
        let result = work();
        self.guard = Some(self.table.lock());
        result
    }

    /// Lets others take turns until something holds of the state.
    pub fn wait_until(&mut self, mut holds: impl FnMut(&mut T) -> bool) {
        let guard = self.guard.take().expect("it is our turn");
        self.table.given_back.notify_all();
        let waited = self.table.given_back.wait_while(guard, |state| !holds(state));
        self.guard = Some(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.guard = None;
        self.table.given_back.notify_all();
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.guard.as_ref().expect("it is our turn")
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.guard.as_mut().expect("it is our turn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn others_have_their_turn_meanwhile() {
        let table = Table::new(0);
        let (tell, told) = mpsc::channel();
        std::thread::scope(|scope| {
            let mut turn = table.take();
            *turn = 1;
            scope.spawn(|| {
                let mut turn = table.take();
                *turn += 10;
                drop(turn);
                tell.send(()).unwrap();
            });
            assert_eq!(*turn, 1);
            turn.meanwhile(|| told.recv().unwrap());
            assert_eq!(*turn, 11);
        });
        assert_eq!(table.into_state(), 11);
    }

    #[test]
    fn who_waits_goes_on_when_others_have_done_what_it_waits_for() {
        let table = Table::new(Vec::new());
        std::thread::scope(|scope| {
            for number in [2, 0, 3, 1] {
                let table = &table;
                scope.spawn(move || {
                    let mut turn = table.take();
                    turn.wait_until(|state| state.len() == number);
                    turn.push(number);
                });
            }
        });
        assert_eq!(table.into_state(), [0, 1, 2, 3]);
    }
}

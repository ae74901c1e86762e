//! Counts locks: stands in for the C library's functions that take one, counts, and calls the originals.
//! `LD_PRELOAD` loads it into counted trials only, and the driver reads the counters of its thread with
//! [`shakedown_locks_read`].
//!
//! Rust's standard library, and most crates that lock, take a free lock without a call and ask the
//! kernel only to wait for one that is taken, by `syscall(SYS_futex, ...)`. So their waits are counted
//! and their operations are not. Waits inside of glibc itself, such as those for a heap of malloc's, are
//! not the measured library's and not counted.
//!
//! This library must not know who reads its counters, or what is measured.

use libc::{EBUSY, RTLD_NEXT, c_int, c_long, c_void, pthread_mutex_t, pthread_rwlock_t};
use std::{
    cell::Cell,
    ffi::CStr,
    mem,
    sync::atomic::{AtomicPtr, Ordering::Relaxed},
};

/// What is counted; the layout is shared with `driver`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LockCounters {
    /// Locks that the thread took by a function of the C library.
    operations: u64,
    /// Times that it found a lock taken, and waited.
    waits: u64,
}

thread_local! {
    static COUNTERS: Cell<LockCounters> =
        const { Cell::new(LockCounters { operations: 0, waits: 0 }) };
}

fn count(operations: u64, waits: u64) {
    COUNTERS.with(|counters| {
        let before = counters.get();
        counters.set(LockCounters {
            operations: before.operations + operations,
            waits: before.waits + waits,
        });
    });
}

/// Fills in `reading` for the calling thread.
///
/// # Safety
/// `reading` must point to a `LockCounters`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shakedown_locks_read(reading: *mut LockCounters) {
    // SAFETY: the caller's promise.
    unsafe { reading.write(COUNTERS.with(Cell::get)) };
}

/// A function that this library stands in for.
struct Original {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Original {
    const fn new(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn get(&self) -> *mut c_void {
        let mut found = self.found.load(Relaxed);
        if found.is_null() {
            // SAFETY: the name is a C string. Threads that come here together find the same.
            found = unsafe { libc::dlsym(RTLD_NEXT, self.name.as_ptr()) };
            if found.is_null() {
                // SAFETY: nothing can be locked without it.
                unsafe { libc::abort() };
            }
            self.found.store(found, Relaxed);
        }
        found
    }
}

type Lock<T> = unsafe extern "C" fn(*mut T) -> c_int;

/// Takes a lock, and counts a wait if it is not free.
unsafe fn lock<T>(attempt: &Original, wait: &Original, at: *mut T) -> c_int {
    // SAFETY: both are functions of the C library with this signature, as the callers say.
    let (attempt, wait) = unsafe {
        (
            mem::transmute::<*mut c_void, Lock<T>>(attempt.get()),
            mem::transmute::<*mut c_void, Lock<T>>(wait.get()),
        )
    };
    // SAFETY: as the caller says.
    match unsafe { attempt(at) } {
        0 => {
            count(1, 0);
            0
        }
        EBUSY => {
            count(1, 1);
            // SAFETY: as the caller says.
            unsafe { wait(at) }
        }
        // The function that was called has its own words for it.
        // SAFETY: as the caller says.
        _ => unsafe { wait(at) },
    }
}

/// Defines a function that waits for a lock.
macro_rules! waits {
    ($($name:ident, $attempt:ident, $type:ty;)*) => {$(
        #[doc = concat!(stringify!($name), "(3).")]
        ///
        /// # Safety
        /// As for the original.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: *mut $type) -> c_int {
            const fn name(text: &'static str) -> &'static CStr {
                match CStr::from_bytes_with_nul(text.as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("no C string"),
                }
            }
            static ATTEMPT: Original = Original::new(name(concat!(stringify!($attempt), "\0")));
            static WAIT: Original = Original::new(name(concat!(stringify!($name), "\0")));
            // SAFETY: the caller's promise, and the two functions take this type.
            unsafe { lock(&ATTEMPT, &WAIT, at) }
        }
    )*};
}

waits! {
    pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t;
    pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t;
    pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t;
}

/// Of linux/futex.h: operations that wait, without the flags behind them.
const WAITS: [c_int; 3] = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET, libc::FUTEX_LOCK_PI];
const FLAGS: c_int = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;

type SystemCall =
    unsafe extern "C" fn(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;

/// syscall(2), whose arguments are all of one size, and passed alike whether they are named or not.
///
/// # Safety
/// As for the original.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    static ORIGINAL: Original = Original::new(c"syscall");
    if number == libc::SYS_futex && WAITS.contains(&(b as c_int & !FLAGS)) {
        count(0, 1);
    }
    // SAFETY: the C library's function takes as many as it needs of these.
    unsafe {
        let original = mem::transmute::<*mut c_void, SystemCall>(ORIGINAL.get());
        original(number, a, b, c, d, e, f)
    }
}

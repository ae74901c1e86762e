//! The lock meter, preloaded into a process as into a driver: this test's own program, called again.

use std::{
    cell::UnsafeCell,
    env,
    ffi::c_void,
    mem,
    path::Path,
    process::Command,
    sync::{Arc, Barrier, Mutex},
    thread,
    time::Duration,
};

/// As in the meter.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct LockCounters {
    operations: u64,
    waits: u64,
}

/// What this thread's locks came to while `work` ran.
fn counted(work: impl FnOnce()) -> LockCounters {
    // SAFETY: the meter exports this name, with this signature; the test is called with it.
    let read: unsafe extern "C" fn(*mut LockCounters) = unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"shakedown_locks_read".as_ptr());
        assert!(!found.is_null(), "the meter is not loaded");
        mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut LockCounters)>(found)
    };
    let (mut before, mut after) = (LockCounters::default(), LockCounters::default());
    // SAFETY: both are valid places for a reading.
    unsafe { read(&raw mut before) };
    work();
    // SAFETY: as above.
    unsafe { read(&raw mut after) };
    LockCounters {
        operations: after.operations - before.operations,
        waits: after.waits - before.waits,
    }
}

/// Takes what `hold` holds in another thread for a moment.
fn contended(hold: impl FnOnce(&Barrier) + Send + 'static, take: impl FnOnce()) -> LockCounters {
    let held = Arc::new(Barrier::new(2));
    let other = thread::spawn({
        let held = Arc::clone(&held);
        move || hold(&held)
    });
    held.wait();
    let found = counted(take);
    other.join().unwrap();
    found
}

const MOMENT: Duration = Duration::from_millis(50);

/// A lock of the C library.
struct Native(UnsafeCell<libc::pthread_rwlock_t>);

// SAFETY: locks are made to be shared.
unsafe impl Sync for Native {}

static NATIVE: Native = Native(UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER));

#[test]
#[ignore = "called by the test below, with the meter"]
fn preloaded() {
    let free = counted(|| {
        for _ in 0..5 {
            // SAFETY: the lock is initialised, and unlocked by who locked it.
            unsafe {
                assert_eq!(libc::pthread_rwlock_rdlock(NATIVE.0.get()), 0);
                assert_eq!(libc::pthread_rwlock_unlock(NATIVE.0.get()), 0);
            }
        }
    });
    assert_eq!(free, LockCounters { operations: 5, waits: 0 });
    let native = contended(
        // SAFETY: as above.
        |held| unsafe {
            assert_eq!(libc::pthread_rwlock_wrlock(NATIVE.0.get()), 0);
            held.wait();
            thread::sleep(MOMENT);
            assert_eq!(libc::pthread_rwlock_unlock(NATIVE.0.get()), 0);
        },
        // SAFETY: as above.
        || unsafe {
            assert_eq!(libc::pthread_rwlock_rdlock(NATIVE.0.get()), 0);
            assert_eq!(libc::pthread_rwlock_unlock(NATIVE.0.get()), 0);
        },
    );
    assert_eq!(native, LockCounters { operations: 1, waits: 1 });
    let lock = Arc::new(Mutex::new(()));
    assert_eq!(counted(|| drop(lock.lock())), LockCounters::default());
    let rust = contended(
        {
            let lock = Arc::clone(&lock);
            move |held| {
                let _guard = lock.lock().unwrap();
                held.wait();
                thread::sleep(MOMENT);
            }
        },
        || drop(lock.lock().unwrap()),
    );
    assert_eq!(rust.operations, 0);
    assert!(rust.waits > 0, "{rust:?}");
}

#[test]
fn waits_are_counted_for_locks_of_c_and_of_rust() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lock-meter");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/locks/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .status();
    assert!(built.unwrap().success());
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "preloaded", "--ignored"])
        .env("LD_PRELOAD", folder.join("release/libshakedown_locks.so"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

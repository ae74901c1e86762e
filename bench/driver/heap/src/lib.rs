//! Counts heap allocations: replaces glibc's malloc functions, counts, and calls the originals. So it
//! sees every library in the process, whatever its language. `LD_PRELOAD` loads it into counted
//! trials only, and the driver reads the counters with [`shakedown_heap_read`].
//!
//! This library must not know who reads its counters, or what is measured.

use libc::{c_int, c_void, size_t};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

// glibc exports its allocator under these names too; asking for them needs no `dlsym`,
// which allocates.
unsafe extern "C" {
    fn __libc_malloc(size: size_t) -> *mut c_void;
    fn __libc_calloc(count: size_t, size: size_t) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: size_t) -> *mut c_void;
    fn __libc_memalign(alignment: size_t, size: size_t) -> *mut c_void;
    fn __libc_free(memory: *mut c_void);
    fn malloc_usable_size(memory: *mut c_void) -> size_t;
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What is counted; the layout is shared with `driver`.
#[repr(C)]
pub struct HeapCounters {
    /// Calls that allocate or grow.
    allocations: u64,
    /// Bytes asked for.
    bytes: u64,
    /// Bytes alive now, as the allocator rounds them.
    live: u64,
    /// Most bytes alive since the last reading.
    peak: u64,
}

/// Fills in `reading` and lets the peak begin anew.
///
/// # Safety
/// `reading` must point to a `HeapCounters`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shakedown_heap_read(reading: *mut HeapCounters) {
    let live = LIVE.load(Relaxed);
    let peak = PEAK.swap(live, Relaxed);
    let now = HeapCounters {
        allocations: ALLOCATIONS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        live,
        peak,
    };
    // SAFETY: the caller's promise.
    unsafe { reading.write(now) };
}

/// Counts a call that gave `memory` for `asked` bytes.
fn gave(memory: *mut c_void, asked: size_t) -> *mut c_void {
    if !memory.is_null() {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(asked as u64, Relaxed);
        // SAFETY: the allocator just gave it.
        let size = unsafe { malloc_usable_size(memory) } as u64;
        let live = LIVE.fetch_add(size, Relaxed) + size;
        PEAK.fetch_max(live, Relaxed);
    }
    memory
}

/// Counts that `memory` is given back, before it is.
fn takes(memory: *mut c_void) {
    if !memory.is_null() {
        // SAFETY: the caller owns it, so that the allocator knows it.
        LIVE.fetch_sub(unsafe { malloc_usable_size(memory) } as u64, Relaxed);
    }
}

/// malloc(3).
///
/// # Safety
/// As for malloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: size_t) -> *mut c_void {
    // SAFETY: the caller's promise, here and below.
    gave(unsafe { __libc_malloc(size) }, size)
}

/// calloc(3).
///
/// # Safety
/// As for calloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: size_t, size: size_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    gave(unsafe { __libc_calloc(count, size) }, count.saturating_mul(size))
}

/// realloc(3). Counts as an allocation when it grows.
///
/// # Safety
/// As for realloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(old: *mut c_void, size: size_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    let before = if old.is_null() { 0 } else { unsafe { malloc_usable_size(old) } };
    // SAFETY: the caller's promise.
    let new = unsafe { __libc_realloc(old, size) };
    if new.is_null() {
        // Either it failed and the old memory lives on, or size 0 freed it.
        if size == 0 {
            LIVE.fetch_sub(before as u64, Relaxed);
        }
        return new;
    }
    LIVE.fetch_sub(before as u64, Relaxed);
    if size > before {
        return gave(new, size);
    }
    // SAFETY: the allocator just gave it.
    LIVE.fetch_add(unsafe { malloc_usable_size(new) } as u64, Relaxed);
    new
}

/// free(3).
///
/// # Safety
/// As for free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(memory: *mut c_void) {
    takes(memory);
    // SAFETY: the caller's promise.
    unsafe { __libc_free(memory) };
}

/// posix_memalign(3).
///
/// # Safety
/// As for posix_memalign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    into: *mut *mut c_void,
    alignment: size_t,
    size: size_t,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the caller's promise.
    let memory = gave(unsafe { __libc_memalign(alignment, size) }, size);
    if memory.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller's promise.
    unsafe { into.write(memory) };
    0
}

/// aligned_alloc(3).
///
/// # Safety
/// As for aligned_alloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: size_t, size: size_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    gave(unsafe { __libc_memalign(alignment, size) }, size)
}

/// memalign(3).
///
/// # Safety
/// As for memalign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: size_t, size: size_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    gave(unsafe { __libc_memalign(alignment, size) }, size)
}

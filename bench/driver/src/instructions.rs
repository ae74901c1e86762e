//! Instructions: the processor's own counter, or callgrind's.

use crate::step_meter::{Endpoint, StepMeter};
use shakedown_protocol::DriverRefusal;
use std::{ffi::CStr, fs::File, io::Read, os::fd::FromRawFd};

/// What callgrind's dumps of the two ends are marked with, the client's first.
pub const MARKS: [&CStr; 2] = [c"shakedown:client", c"shakedown:server"];

/// Client requests of valgrind.h and callgrind.h (valgrind 3.x; they are a stable interface).
const RUNNING_ON_VALGRIND: usize = 0x1001;
const CALLGRIND: usize = (b'C' as usize) << 24 | (b'T' as usize) << 16;
const ZERO_STATS: usize = CALLGRIND + 1;
const TOGGLE_COLLECT: usize = CALLGRIND + 2;
const DUMP_STATS_AT: usize = CALLGRIND + 3;

/// Speaks to valgrind; without it, does nothing and returns 0.
#[inline]
fn client_request(request: usize, argument: usize) -> usize {
    let arguments = [request, argument, 0, 0, 0, 0];
    let mut result = 0_usize;
    // SAFETY: valgrind.h fixes these sequences: they change no register but the result, and
    // on a processor they do nothing.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(), inout("rdx") result,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "ror x12, x12, 3", "ror x12, x12, 13", "ror x12, x12, 51", "ror x12, x12, 61",
            "orr x10, x10, x10",
            in("x4") arguments.as_ptr(), inout("x3") result,
        );
    }
    let _ = &raw mut result;
    let _ = &arguments;
    result
}

/// Whether this process runs under valgrind.
pub fn under_valgrind() -> bool {
    client_request(RUNNING_ON_VALGRIND, 0) > 0
}

/// Lets callgrind collect while one end works. Callgrind is started with
/// `--collect-atstart=no`.
#[derive(Debug)]
pub struct Callgrind {
    end: Endpoint,
    current: Endpoint,
    collects: bool,
}

impl Callgrind {
    /// Collects `end`, from zero.
    pub fn of(end: Endpoint) -> Self {
        client_request(ZERO_STATS, 0);
        Self { end, current: Endpoint::Client, collects: true }
    }

    /// Collects nothing, in the same rhythm.
    pub const fn silent(end: Endpoint) -> Self {
        Self { end, current: Endpoint::Client, collects: false }
    }

    fn toggle_at(&self, end: Endpoint) {
        if self.collects && end == self.end {
            client_request(TOGGLE_COLLECT, 0);
        }
    }

    /// Writes what was collected, marked with the end's name.
    pub fn dump(&self) {
        client_request(DUMP_STATS_AT, MARKS[self.end as usize].as_ptr() as usize);
    }
}

impl StepMeter for Callgrind {
    fn start(&mut self, end: Endpoint) {
        self.current = end;
        self.toggle_at(end);
    }

    fn switch(&mut self, to: Endpoint) {
        self.toggle_at(self.current);
        self.current = to;
        self.toggle_at(to);
    }

    fn stop(&mut self) {
        self.toggle_at(self.current);
    }
}

/// The processor's counter of instructions in user mode.
#[derive(Debug)]
pub struct HardwareCounter {
    counter: File,
    last: u64,
    current: usize,
    counted: [u64; 2],
}

/// The beginning of `struct perf_event_attr` (linux/perf_event.h), up to `PERF_ATTR_SIZE_VER0`.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
}

/// `PERF_TYPE_HARDWARE` and `PERF_COUNT_HW_INSTRUCTIONS`.
const HARDWARE: u32 = 0;
const INSTRUCTIONS: u64 = 1;
/// Bits of `flags`: leave out the kernel and the hypervisor.
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;

impl HardwareCounter {
    /// Opens the counter for this thread.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] where there is none, or it is not allowed.
    pub fn open() -> Result<Self, DriverRefusal> {
        let attributes = Attributes {
            kind: HARDWARE,
            size: size_of::<Attributes>() as u32,
            config: INSTRUCTIONS,
            flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..Attributes::default()
        };
        // SAFETY: the attributes are valid and as long as they say; this thread, any CPU.
        let fd = unsafe {
            libc::syscall(libc::SYS_perf_event_open, &raw const attributes, 0, -1, -1, 0)
        };
        if fd < 0 {
            let error = std::io::Error::last_os_error();
            let text = format!(
                "no instruction counter ({error}) and not under callgrind: install valgrind"
            );
            return Err(DriverRefusal::Unsupported(text));
        }
        // SAFETY: the kernel just gave this descriptor to us alone.
        let counter = unsafe { File::from_raw_fd(fd as i32) };
        Ok(Self { counter, last: 0, current: 0, counted: [0; 2] })
    }

    /// Forgets what was counted.
    pub const fn reset(&mut self) {
        self.counted = [0; 2];
    }

    /// Instructions of both ends, the client's first.
    pub const fn counted(&self) -> [u64; 2] {
        self.counted
    }

    fn read(&mut self) -> u64 {
        let mut value = [0; 8];
        // A counter that was opened reads 8 bytes; a failure would show as a count of 0.
        let _ = self.counter.read_exact(&mut value);
        u64::from_ne_bytes(value)
    }
}

impl StepMeter for HardwareCounter {
    fn start(&mut self, end: Endpoint) {
        self.current = end as usize;
        self.last = self.read();
    }

    fn switch(&mut self, to: Endpoint) {
        self.stop();
        self.current = to as usize;
        self.last = self.read();
    }

    fn stop(&mut self) {
        let now = self.read();
        self.counted[self.current] += now.saturating_sub(self.last);
    }
}

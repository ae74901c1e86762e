//! Finds what was preloaded into this process.

use shakedown_protocol::DriverRefusal;
use std::{ffi::CStr, mem};

/// A meter's function that fills in a reading.
pub type Reader<T> = unsafe extern "C" fn(*mut T);

/// Finds the function by which a preloaded meter is read.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] if `meter` was not preloaded.
///
/// # Safety
/// Whatever exports `name` is a [`Reader`] of this type.
pub unsafe fn reader<T>(meter: &str, name: &CStr) -> Result<Reader<T>, DriverRefusal> {
    // SAFETY: the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        let text = format!("the {meter} was not loaded into this process (LD_PRELOAD)");
        return Err(DriverRefusal::Unsupported(text));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { mem::transmute::<*mut libc::c_void, Reader<T>>(found) })
}

/// Reads a meter.
pub fn read<T: Default>(reader: Reader<T>) -> T {
    let mut reading = T::default();
    // SAFETY: the function came from `reader`, whose caller vouched for its type.
    unsafe { reader(&raw mut reading) };
    reading
}

//! What the library allocates and we free.

use crate::error::failure;
use shakedown_driver::DriverError;

/// An object of the library that is ours.
pub struct Owned<T> {
    pointer: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Takes over what `what` returned.
    ///
    /// # Errors
    /// What the library says, if that is null.
    ///
    /// # Safety
    /// Nobody else frees it, and `free` does.
    pub unsafe fn new(
        what: &str,
        pointer: *mut T,
        free: unsafe extern "C" fn(*mut T),
    ) -> Result<Self, DriverError> {
        some(what, pointer).map(|pointer| Self { pointer, free })
    }

    /// The library's pointer, valid for as long as `self`.
    #[inline]
    pub const fn as_ptr(&self) -> *mut T {
        self.pointer
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it is ours, by the promise to `new`.
        unsafe { (self.free)(self.pointer) };
    }
}

/// The pointer that `what` returned.
///
/// # Errors
/// What the library says, if it is null.
pub fn some<T>(what: &str, pointer: *mut T) -> Result<*mut T, DriverError> {
    if pointer.is_null() { Err(failure(what)) } else { Ok(pointer) }
}

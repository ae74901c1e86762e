//! The rules that the source files keep, as `docs/architecture.md` and `CONTRIBUTING.md` state them.

mod arrows;
mod assumptions;
mod called;
mod circles;
mod length;
mod map;
mod names;
mod shell;
mod source;

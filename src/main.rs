//! The `shakedown` command.
fn main() {}

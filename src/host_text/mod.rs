//! What `shakedown host` prints for people.

mod boot;
mod check;
mod osnoise;
mod tune;
mod watch;

pub use boot::boot;
pub use check::check;
pub use osnoise::osnoise;
pub use tune::tune;
pub use watch::watch;

//! What a host did to a trial.

use shakedown_protocol::Flaw;

/// What the host did, as a clause.
pub(super) const fn flaw(flaw: Flaw) -> &'static str {
    match flaw {
        Flaw::Stolen => "the hypervisor took CPU time",
        Flaw::Preempted => "other processes ran on the CPU",
        Flaw::Throttled => "the CPU throttled",
        Flaw::Frequency => "the CPU's frequency changed",
        Flaw::Migrated => "the process moved to another CPU",
        Flaw::Paged => "pages were read from disk",
        Flaw::Waited => "the process waited for a CPU",
    }
}

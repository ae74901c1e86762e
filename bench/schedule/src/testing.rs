//! Values that tests share.

#[path = "../tests/drivers/sound.rs"]
mod sound;

pub(crate) use sound::*;

use crate::execute::{Execution, Termination};
use shakedown_protocol::*;

/// What a quiet process of one second leaves.
pub(crate) fn execution(stdout: &[u8]) -> Execution {
    Execution {
        started_ms: 1_700_000_000_000,
        watch: HostWatch {
            wall_us: 1_000_000,
            user_us: 990_000,
            system_us: 5_000,
            peak_kib: 6000,
            ready_us: Some(0),
            migrations: Some(0),
            ..HostWatch::default()
        },
        ending: Termination::Exited(0),
        stdout: stdout.to_vec(),
        stderr: "the end of stderr".to_owned(),
        instructions: None,
        profiles: Vec::new(),
    }
}

/// A measured trial of `a` at this position of block 0.
pub(crate) fn trial(position: u32) -> Trial {
    let request = request(&plan().scenarios[0].to_string(), Meter::Time);
    let execution = execution(b"");
    Trial {
        block: 0,
        position,
        subject: "a".to_owned(),
        scenario: request.scenario,
        meter: request.meter,
        link: 0,
        cpu: Some(1),
        started_ms: execution.started_ms,
        watch: execution.watch,
        flaws: vec![],
        outcome: TrialOutcome::Measured(measured(&request)),
    }
}

//! What a reader must know of a host, said once.

use shakedown_protocol::{HostFacts, KnobState};

/// What a reader does with the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForWhat {
    /// Compares medians.
    Numbers,
    /// Takes the verdicts of the gate, which knows how noisy the host is.
    Verdicts,
    /// The same, where no time was judged, which is said already.
    VerdictsOnCounts,
}

/// What is wrong with the host, and what follows; `None` where it is as it should be.
pub fn host(host: &HostFacts, what: ForWhat) -> Option<String> {
    let mut wrong = Vec::new();
    if host.virtualization != "none" {
        wrong.push(format!("is a virtual machine ({})", host.virtualization));
    }
    if !host.fit {
        let off = host.knobs.iter().filter(|knob| knob.state == KnobState::Differs).count();
        let knobs = match off {
            0 => String::new(),
            1 => " (1 setting is not as recommended)".to_owned(),
            n => format!(" ({n} settings are not as recommended)"),
        };
        wrong.push(format!("is not tuned for benchmarks{knobs}"));
    }
    let follows = match what {
        ForWhat::Numbers => ": treat these numbers as a rough indication",
        ForWhat::Verdicts => ": expect more inconclusive results than on a quiet host",
        ForWhat::VerdictsOnCounts => "",
    };
    (!wrong.is_empty()).then(|| format!("The host {}{follows}.", wrong.join(" and ")))
}

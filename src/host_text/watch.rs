//! What happened on a host in an interval, for people.

use shakedown_host::watch::{CounterDelta, LostTime};
use shakedown_report::decimal_percent;

/// One line about an interval.
pub fn watch(found: &CounterDelta) -> String {
    let mut parts = Vec::new();
    if !found.khz.is_empty() {
        let mhz: Vec<String> =
            found.khz.iter().map(|(cpu, khz)| format!("{cpu}:{}", khz / 1000)).collect();
        parts.push(format!("MHz {}", mhz.join(" ")));
    }
    let mut count = |name: &str, number: Option<u64>| {
        if let Some(number) = number {
            parts.push(format!("{name} {number}"));
        }
    };
    count("interrupts", found.interrupts);
    count("deep idles", found.deep_idles);
    count("throttles", found.throttles);
    count("SMIs", found.smis);
    count("memory errors", found.memory_errors);
    let shares = [
        ("cpu", found.pressure_cpu),
        ("memory", found.pressure_memory),
        ("storage", found.pressure_io),
        ("steal", found.steal),
    ];
    for (name, share) in shares {
        if let Some(share) = share {
            parts.push(format!("{name} {}", decimal_percent(share, 1)));
        }
    }
    if let Some(heat) = found.temperature_mc {
        parts.push(format!("{:.1} °C", heat as f64 / 1000.0));
    }
    let findings = findings(found);
    let findings =
        if findings.is_empty() { String::new() } else { format!("  ! {}", findings.join("; ")) };
    format!("{}{findings}\n", parts.join(", "))
}

/// Alarms and lost time; empty on a quiet host.
fn findings(found: &CounterDelta) -> Vec<String> {
    let mut findings = found.alarms();
    findings.extend(found.lost_time().into_iter().map(|(kind, share)| {
        let words = match kind {
            LostTime::Cpu => "tasks waited for a CPU",
            LostTime::Memory => "tasks waited for memory",
            LostTime::Storage => "tasks waited for storage",
            LostTime::Stolen => "the hypervisor took",
        };
        format!("{words} {} of the time", decimal_percent(share, 1))
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_was_counted_and_what_disturbed() {
        let found = CounterDelta {
            khz: vec![(3, 3_000_000)],
            throttles: Some(2),
            pressure_cpu: Some(0.1),
            pressure_io: Some(0.0),
            steal: Some(0.05),
            temperature_mc: Some(43_000),
            ..CounterDelta::default()
        };
        insta::assert_snapshot!(watch(&found), @"MHz 3:3000, throttles 2, cpu 10.0 %, storage 0.0 %, steal 5.0 %, 43.0 °C  ! 2 throttle events; tasks waited for a CPU 10.0 % of the time; the hypervisor took 5.0 % of the time");
    }
}

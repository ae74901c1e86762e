//! Everything about a machine, at one time.

use crate::{HostError, HostRoot, Profile, cpu, epoch, helper, knobs, system};
use shakedown_protocol::{HostFacts, KnobState};

/// This machine as root sees it, where a runner's helper tells; or else as this user does.
///
/// A runner, and more so a sandbox, sees less of its host: no unit, no process of others, not
/// which interrupts refused to move. What it measures belongs to the same epoch all the same.
///
/// # Errors
/// Those of [`observe`].
pub fn facts(root: &HostRoot) -> Result<HostFacts, HostError> {
    let is_root = nix::unistd::Uid::effective().is_root();
    let told = || {
        let answer = helper::ask(&root.path(helper::SOCKET), "facts").ok()?;
        serde_json::from_str(&answer.text).ok().filter(|_| answer.code == 0)
    };
    if !is_root
        && helper::is_there(root)
        && let Some(facts) = told()
    {
        return Ok(facts);
    }
    observe(root)
}

/// Observes a machine.
///
/// It is `fit` when it is no guest and no knob differs from what a quiet host has.
///
/// # Errors
/// If `/proc` is missing; knobs that can't be read are said to be so.
pub fn observe(root: &HostRoot) -> Result<HostFacts, HostError> {
    let cpu = cpu::cpu(root)?;
    let kernel = system::kernel(root)?;
    let memory_kib = system::memory_kib(root)?;
    let virtualization = system::virtualization(root);
    let profile = Profile::of(root)?;
    let knobs = knobs::knobs(root, &profile);
    let quiet = knobs.iter().all(|knob| knob.state != KnobState::Differs);
    Ok(HostFacts {
        name: root.read("proc/sys/kernel/hostname").unwrap_or_default(),
        epoch: epoch::epoch(root, &cpu, &knobs, &profile)?,
        fit: quiet && virtualization == "none",
        cpu,
        kernel,
        system: system::distribution(root),
        virtualization,
        memory_kib,
        knobs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TuneOptions, changes,
        testing::{FIXTURES, TestMachine},
        tune,
    };
    use std::fmt::Write;

    fn told(root: &HostRoot) -> String {
        let facts = observe(root).unwrap();
        let mut text = format!(
            "{} {} {} {} fit={}\n{:?}\n",
            facts.cpu.model, facts.kernel, facts.system, facts.virtualization, facts.fit, facts.cpu
        );
        for knob in &facts.knobs {
            let found = knob.found.as_deref().unwrap_or("-");
            let wanted = knob.wanted.as_deref().unwrap_or("-");
            let _ =
                writeln!(text, "{:<18} {:<10} {found} (wanted {wanted})", knob.name, knob.state);
        }
        text
    }

    #[test]
    fn machines_as_they_come_and_tuned() {
        for (name, _) in FIXTURES {
            let machine = TestMachine::new(name);
            insta::assert_snapshot!(format!("{name}_as_it_comes"), told(&machine.root));
            // What runs keeps running in a tree: the daemon is stopped with its unit.
            tune(&machine.root, &TuneOptions::new(&machine.root)).unwrap();
            machine.put("proc/812/comm", "bash");
            insta::assert_snapshot!(format!("{name}_tuned"), told(&machine.root));
        }
    }

    #[test]
    fn a_tuned_server_is_fit_and_a_guest_is_not() {
        for (name, fit) in [("intel", true), ("arm", true), ("vm", false), ("hybrid", false)] {
            let machine = TestMachine::new(name);
            assert!(!observe(&machine.root).unwrap().fit, "{name}");
            tune(&machine.root, &TuneOptions::new(&machine.root)).unwrap();
            machine.put("proc/812/comm", "bash");
            assert_eq!(observe(&machine.root).unwrap().fit, fit, "{name}");
        }
    }

    #[test]
    fn an_epoch_changes_with_a_setting_but_not_with_the_load() {
        let machine = TestMachine::new("intel");
        let before = observe(&machine.root).unwrap().epoch;
        machine.put("proc/pressure/cpu", "some avg10=55.00 total=1");
        machine.put("proc/812/comm", "cron");
        machine.put("systemd/cron.service", "inactive");
        assert_eq!(observe(&machine.root).unwrap().epoch, before);
        machine.put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
        let after = observe(&machine.root).unwrap().epoch;
        assert_ne!(after.id, before.id);
        assert_eq!(changes(&before, &after), ["knob turbo: on became off"]);
    }

    #[test]
    fn a_machine_without_proc_is_an_error_and_this_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let error = observe(&HostRoot::at(folder.path())).unwrap_err();
        assert!(error.to_string().contains("/proc"), "{error}");
        let facts = observe(&HostRoot::real()).unwrap();
        assert!(facts.cpu.online > 0 && facts.memory_kib > 0, "{facts:?}");
        assert_eq!(facts.epoch.id.len(), 16);
    }
}

//! What `shakedown host boot` prints.

use shakedown_host::boot::BootPlan;
use std::fmt::Write;

/// The parameters, the file, and what was done with it.
pub fn boot(plan: &BootPlan, write: bool, changed: bool) -> String {
    let mut text = String::new();
    for parameter in &plan.parameters {
        let active = if parameter.active { "active" } else { "not in this boot" };
        let _ = writeln!(
            text,
            "{:<28} {active:<17} for {}; costs {}",
            parameter.word, parameter.knob, parameter.cost
        );
    }
    let _ = writeln!(text, "\n/{}:", plan.file);
    for line in plan.after.lines() {
        let _ = writeln!(text, "  {line}");
    }
    let command = plan.command.join(" ");
    let same = plan.before.as_deref() == Some(plan.after.trim_end());
    let done = match (write, changed) {
        (false, _) if same => "nothing to change: the file is up to date".to_owned(),
        (false, _) => format!("nothing written; --write writes it and runs `{command}`"),
        (true, false) => "nothing to change: the file is up to date".to_owned(),
        (true, true) => "written; takes effect at the next boot".to_owned(),
    };
    let _ = writeln!(text, "\n{done}");
    text
}

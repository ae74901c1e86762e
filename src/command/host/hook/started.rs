//! Before a job's first step.

use super::{HookArgs, annotate, environment, helper, hold::Hold, say};
use crate::exit::{CommandError, Exit};
use anyhow::Result;
use shakedown_host::admission::{AdmissionPolicy, AdmissionRefusal, HostState, RunnerJob, decide};

/// Admits the job, or refuses it with every reason.
///
/// # Errors
/// If it is refused, or can't be judged.
pub(super) fn run(args: &HookArgs) -> Result<Exit> {
    let admitted = admit(args);
    if let Err(error) = &admitted {
        annotate("error", &format!("job refused: {error:#}"));
    }
    admitted
}

fn admit(args: &HookArgs) -> Result<Exit> {
    let policy = AdmissionPolicy::load(&args.policy)?;
    let job = RunnerJob::from_environment(&environment())?;
    // What may not run here does not get to touch the host either.
    refuse(&decide(&policy, &job, &HostState::default()))?;
    let mut found = HostState::default();
    let hold = match Hold::take(&policy.lock, &job.title)? {
        Ok(hold) => Some(hold),
        Err(busy) => {
            found.holder = Some(busy.0);
            None
        }
    };
    if hold.is_some() {
        // Not while another run measures: tuning would disturb it.
        found.unfit = prepare(&policy)?;
    }
    refuse(&decide(&policy, &job, &found))?;
    if let Some(hold) = hold {
        hold.keep();
    }
    say(&format!("admitted: {}", job.title));
    if !found.unfit.is_empty() {
        annotate("warning", &format!("the host is not fit: {}", found.unfit.join("; ")));
    }
    Ok(Exit::Done)
}

/// Tunes the host and says why it is not fit after that.
fn prepare(policy: &AdmissionPolicy) -> Result<Vec<String>> {
    let tuned = helper::ask(&policy.helper, "tune")?;
    let (epoch, mut unfit) = helper::check(&policy.helper)?;
    say(&format!("epoch {epoch}"));
    if tuned.code != 0 {
        say(&tuned.text);
        unfit.push(format!("tuning ended with {}; the log above tells why", tuned.code));
    }
    Ok(unfit)
}

fn refuse(refusals: &[AdmissionRefusal]) -> Result<()> {
    if refusals.is_empty() {
        return Ok(());
    }
    let passing = |refusal: &AdmissionRefusal| {
        matches!(refusal, AdmissionRefusal::Busy(_) | AdmissionRefusal::Unfit(_))
    };
    let exit = if refusals.iter().all(passing) { Exit::Host } else { Exit::Input };
    let told: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    Err(CommandError::new(exit, told.join("\n")).into())
}

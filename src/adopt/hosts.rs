//! The hosts that a repository's jobs can reach: its own runners, and those of its organization.

use super::{
    LABEL,
    inspect::{SetupItem, SetupState, item},
};
use shakedown_forge::{
    RegisteredRunner,
    setup::{RepositorySettings, SettingAnswer},
};
use shakedown_host::{KnownRunnerReleases, RunnerAge};

/// The items about them. `seen` are the releases of the runner.
pub(super) fn runners(
    settings: &RepositorySettings,
    seen: &KnownRunnerReleases,
    now_ms: u64,
) -> Vec<SetupItem> {
    let has_label =
        |runner: &&RegisteredRunner| runner.labels.iter().any(|label| label.name == LABEL);
    let own = settings.runners.value().into_iter().flatten().filter(has_label);
    let mut ours: Vec<(&RegisteredRunner, Option<&str>)> = own.map(|one| (one, None)).collect();
    let mut items = Vec::new();
    for group in settings.runner_groups.value().into_iter().flatten() {
        let found: Vec<&RegisteredRunner> = group.runners.iter().filter(has_label).collect();
        if found.is_empty() {
            continue;
        }
        let what = format!("runner group {}", group.name);
        let hosts = format!("{} with label {LABEL}", found.len());
        if settings.public && !group.public {
            let fix = "Settings of the organization, Actions, Runner groups: allow public repositories; \
                       or a group of its own for this repository";
            let said = format!("{hosts}, and closed to public repositories");
            items.push(item(&what, SetupState::Missing, said, fix));
        } else {
            items.push(item(&what, SetupState::Ok, hosts, ""));
            ours.extend(found.into_iter().map(|one| (one, Some(group.name.as_str()))));
        }
    }
    items.insert(0, reachable(settings, &ours));
    for (runner, group) in ours {
        let version = runner.version.as_deref().and_then(|version| version.parse().ok());
        let age = RunnerAge::new(version, Some(seen.clone()), now_ms);
        let state = if age.is_alarm() { SetupState::Missing } else { SetupState::Ok };
        let fix = "on the host: sudo shakedown host runner-update";
        let group = group.map_or_else(String::new, |group| format!(" (group {group})"));
        items.push(item(&format!("runner {}{group}", runner.name), state, age.line(now_ms), fix));
    }
    items
}

/// Whether there is a host at all.
fn reachable(
    settings: &RepositorySettings,
    ours: &[(&RegisteredRunner, Option<&str>)],
) -> SetupItem {
    let what = format!("hosts with label {LABEL}");
    let online = ours.iter().filter(|(runner, _)| runner.status == "online").count();
    let found = format!("{} registered, {online} online", ours.len());
    let hidden = |permission: &str| {
        let fix = format!("ask with a token that has {permission}");
        item(&what, SetupState::Unknown, "the token may not ask", fix)
    };
    match (&settings.runners, &settings.runner_groups) {
        _ if online > 0 => item(&what, SetupState::Ok, found, ""),
        (SettingAnswer::Hidden, _) => hidden("Administration: read"),
        (_, SettingAnswer::Hidden) => {
            hidden("Self-hosted runners: read of the organization, which may have some")
        }
        _ => item(
            &what,
            SetupState::Missing,
            found,
            "install a host with runner-setup/install.sh, or start its shakedown-runner.service",
        ),
    }
}

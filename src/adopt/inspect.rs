//! Is everything there that the service rests on? What the API says, item by item.

use super::{
    Adoption, CHECK, LABEL, POLICY, QUEUE, WORKFLOWS, actions, files::AdoptedFile, hosts::runners,
    workflow_path,
};
use serde::Serialize;
use shakedown_forge::setup::{RepositorySettings, SettingAnswer};
use shakedown_host::KnownRunnerReleases;
use shakedown_protocol::is_commit;

/// The action that draws the chart.
const CHART_ACTION: &str = "benchmark-action/";

/// How an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetupState {
    /// As it should be.
    Ok,
    /// It works, and could be better.
    Advice,
    /// Something does not work without it.
    Missing,
    /// The token may not ask.
    Unknown,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupItem {
    /// What was looked at.
    pub what: String,
    /// How it is.
    pub state: SetupState,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub fix: String,
}

pub(super) fn item(
    what: &str,
    state: SetupState,
    found: impl Into<String>,
    fix: impl Into<String>,
) -> SetupItem {
    let fix = if state == SetupState::Ok { String::new() } else { fix.into() };
    SetupItem { what: what.to_owned(), state, found: found.into(), fix }
}

/// An item whose value must be what `good` takes.
fn value<T>(
    what: &str,
    answer: &SettingAnswer<T>,
    show: impl Fn(&T) -> String,
    good: impl Fn(&T) -> bool,
    (otherwise, fix, permission): (SetupState, &str, &str),
) -> SetupItem {
    match answer {
        SettingAnswer::Value(found) if good(found) => item(what, SetupState::Ok, show(found), ""),
        SettingAnswer::Value(found) => item(what, otherwise, show(found), fix),
        SettingAnswer::Missing => item(what, otherwise, "none", fix),
        SettingAnswer::Hidden => {
            let fix = format!("ask with a token that has {permission}");
            item(what, SetupState::Unknown, "the token may not ask", fix)
        }
    }
}

/// Every item, in the order in which they are set up. `expected` are the files as this version has them.
pub fn inspect(
    adoption: &Adoption,
    settings: &RepositorySettings,
    expected: &[AdoptedFile],
    seen: &KnownRunnerReleases,
    now_ms: u64,
) -> Vec<SetupItem> {
    let mut items = workflows(adoption, settings, expected);
    items.extend(variables(adoption, settings));
    items.extend(permissions(adoption, settings, expected));
    items.extend(runners(settings, seen, now_ms));
    items.push(value(
        "required check",
        &settings.required_checks,
        |all| all.join(", "),
        |all| all.iter().any(|check| check == CHECK),
        (
            SetupState::Advice,
            "require the check `shakedown` once you trust it",
            "Administration: read",
        ),
    ));
    items
}

fn workflows(
    adoption: &Adoption,
    settings: &RepositorySettings,
    expected: &[AdoptedFile],
) -> Vec<SetupItem> {
    let queue = settings.merge_queue.then_some(QUEUE);
    let names = WORKFLOWS.into_iter().chain(queue);
    let mut items: Vec<SetupItem> = names
        .map(|name| {
            let path = workflow_path(name);
            let id = expected.iter().find(|file| file.path == path).map(AdoptedFile::blob_id);
            let fix = format!(
                "`shakedown adopt {}{} --force` in a checkout, and merge what it writes",
                adoption.repo,
                if name == QUEUE { " --merge-queue" } else { "" }
            );
            let missing = SettingAnswer::Missing;
            let there = settings.files.get(&path).unwrap_or(&missing);
            let same = there.value().is_none_or(|file| Some(&file.sha) == id.as_ref());
            let otherwise = if same { SetupState::Missing } else { SetupState::Advice };
            value(
                &path,
                there,
                |_| {
                    if same { "as in this version" } else { "differs from this version" }.to_owned()
                },
                |_| same,
                (otherwise, &fix, "Contents: read"),
            )
        })
        .collect();
    if settings.merge_queue {
        let last = items.len() - 1;
        items[last].what += ", for the merge queue";
    }
    items
}

fn variables(adoption: &Adoption, settings: &RepositorySettings) -> Vec<SetupItem> {
    let repo = &adoption.repo;
    let of = |name: &str, state: SetupState, wanted: &str, good: &dyn Fn(&str) -> bool| {
        let fix = format!("gh variable set {name} --repo {repo} --body '{wanted}'");
        let found = match &settings.variables {
            SettingAnswer::Value(all) => match all.get(name) {
                Some(value) => SettingAnswer::Value(value.clone()),
                None => SettingAnswer::Missing,
            },
            SettingAnswer::Missing => SettingAnswer::Missing,
            SettingAnswer::Hidden => SettingAnswer::Hidden,
        };
        let what = format!("variable {name}");
        value(&what, &found, String::clone, |value| good(value), (state, &fix, "Variables: read"))
    };
    let tool = adoption.tool.to_string();
    let mut items = vec![
        of("SHAKEDOWN_REPOSITORY", SetupState::Missing, &tool, &|value| value.contains('/')),
        of("SHAKEDOWN_REF", SetupState::Missing, &adoption.commit, &is_commit),
        of("BENCH_STACK", SetupState::Missing, &adoption.stack, &|value| !value.is_empty()),
    ];
    let policy = settings.files.get(POLICY).is_some_and(|file| file.value().is_some());
    if policy {
        items.push(of("BENCH_POLICY", SetupState::Advice, POLICY, &|value| !value.is_empty()));
    }
    let pages = settings.variables.value().and_then(|all| all.get("BENCH_PAGES"));
    if pages.is_some_and(|value| value == "on") {
        items.push(value(
            "Pages",
            &settings.pages,
            String::clone,
            |kind| kind == "workflow",
            (SetupState::Missing, "Settings, Pages: source \"GitHub Actions\"", "Pages: read"),
        ));
    }
    items
}

fn permissions(
    adoption: &Adoption,
    settings: &RepositorySettings,
    expected: &[AdoptedFile],
) -> Vec<SetupItem> {
    let repo = &adoption.repo;
    let label = format!("gh label create {LABEL} --repo {repo}");
    let token = format!(
        "gh api -X PUT repos/{repo}/actions/permissions/workflow -f default_workflow_permissions=read"
    );
    let forks = format!(
        "gh api -X PUT repos/{repo}/actions/permissions/fork-pr-contributor-approval -f approval_policy=all_external_contributors"
    );
    let admin = "Administration: read";
    let mut items = vec![
        value(
            "label bench",
            settings.labels.get(LABEL).unwrap_or(&SettingAnswer::Missing),
            |()| "there".to_owned(),
            |()| true,
            (SetupState::Missing, &label, "Issues: read"),
        ),
        value(
            "Actions",
            &settings.actions,
            |found| {
                if found.enabled {
                    format!("enabled, {} actions", found.allowed_actions)
                } else {
                    "disabled".to_owned()
                }
            },
            |found| found.enabled && found.allowed_actions != "local_only",
            (
                SetupState::Missing,
                "Settings, Actions, General: allow them, with actions of GitHub",
                admin,
            ),
        ),
        value(
            "permissions of jobs that declare none",
            &settings.default_permissions,
            String::clone,
            |found| found == "read",
            (SetupState::Advice, &token, admin),
        ),
        value(
            "approval for runs of forks",
            &settings.fork_approval,
            String::clone,
            |found| found == "all_external_contributors",
            (SetupState::Missing, &forks, admin),
        ),
    ];
    if settings.actions.value().is_some_and(|found| found.allowed_actions == "selected") {
        items.push(allow_list(settings, expected));
    }
    items
}

/// The chart's action counts only where the chart is drawn.
fn allow_list(settings: &RepositorySettings, expected: &[AdoptedFile]) -> SetupItem {
    let chart = settings.variables.value().and_then(|all| all.get("BENCH_CHART"));
    let chart = chart.is_some_and(|value| value == "on");
    let mut used = actions::used(expected);
    used.retain(|action| chart || !action.starts_with(CHART_ACTION));
    let refused = settings.selected.value().map_or_else(Vec::new, |l| actions::refused(&used, l));
    let fix = format!(
        "Settings, Actions, General, \"Allow specified actions\": {}",
        if refused.is_empty() { "those of the checklist".to_owned() } else { refused.join(", ") }
    );
    value(
        "allow-list of actions",
        &settings.selected,
        |found| {
            let own = found.github_owned_allowed;
            format!("GitHub's own: {own}; {}", found.patterns_allowed.join(", "))
        },
        |_| refused.is_empty(),
        (SetupState::Missing, &fix, "Administration: read"),
    )
}

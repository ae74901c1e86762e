//! The actions of others, as their own `action.yml` describes them: what a workflow hands to one exists there, what it
//! reads comes from there, its job has the permissions, and the stand-ins of the tests are no kinder.

use crate::yaml::{File, files};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

#[derive(Debug, Deserialize)]
pub struct Action {
    /// `node24` or `composite`.
    runs: String,
    commit: String,
    /// Inputs that have no default.
    inputs: Vec<String>,
    defaults: BTreeMap<String, String>,
    required: Vec<String>,
    outputs: Vec<String>,
    pub permissions: BTreeMap<String, String>,
}

impl Action {
    fn takes(&self, input: &str) -> bool {
        self.defaults.contains_key(input) || self.inputs.iter().any(|one| one == input)
    }
}

pub fn actions() -> BTreeMap<String, Action> {
    toml::from_str(include_str!("actions.toml")).unwrap()
}

/// Adds a line for whatever a step asks of an action that it does not have.
fn check(file: &File, actions: &BTreeMap<String, Action>, broken: &mut Vec<String>) {
    for (job, step) in file.steps() {
        let uses = step["uses"].as_str().unwrap_or_default();
        let Some((name, commit)) = uses.split_once('@') else { continue };
        let mut say =
            |what: String| broken.push(format!("{}: job `{job}`: {name}: {what}", file.name));
        let Some(action) = actions.get(name).filter(|action| action.commit == commit) else {
            say(format!("tests/workflows/actions.toml does not describe {commit}"));
            continue;
        };
        let empty = serde_json::Map::new();
        let with = step["with"].as_object().unwrap_or(&empty);
        for input in with.keys().filter(|input| !action.takes(input)) {
            say(format!("there is no input `{input}`"));
        }
        for input in action.required.iter().filter(|input| !with.contains_key(*input)) {
            say(format!("input `{input}` is missing"));
        }
        if let Some(id) = step["id"].as_str() {
            for output in outputs_of(&file.text, id) {
                if !action.outputs.contains(&output) {
                    say(format!("there is no output `{output}`"));
                }
            }
        }
        let allowed = &file.yaml["jobs"][job]["permissions"];
        for (permission, right) in &action.permissions {
            let has = allowed[permission].as_str().unwrap_or_default();
            if file.yaml["jobs"].is_object() && has != right && has != "write" {
                say(format!("the job lacks {permission}: {right}"));
            }
        }
    }
}

/// What a file reads of the outputs of a step.
fn outputs_of(text: &str, id: &str) -> BTreeSet<String> {
    let start = format!("steps.{id}.outputs.");
    let name = |rest: &str| {
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect()
    };
    text.split(&start).skip(1).map(name).collect()
}

#[test]
fn steps_ask_of_an_action_only_what_it_has() {
    let (actions, mut broken) = (actions(), Vec::new());
    for file in files() {
        check(&file, &actions, &mut broken);
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    let used: String = files().into_iter().map(|file| file.text).collect();
    for (name, action) in &actions {
        assert!(["node24", "composite"].contains(&&*action.runs), "{name} runs on {}", action.runs);
        assert!(
            used.contains(&format!("uses: {name}@")),
            "{name} is described, and nobody uses it"
        );
    }
}

#[test]
fn a_step_that_asks_for_more_is_told_of() {
    let text = "jobs:\n  one:\n    permissions: { contents: read }\n    steps:\n\
        \x20     - { id: a, uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f, with: { overwite: true } }\n\
        \x20     - run: ${{ steps.a.outputs.url }}\n\
        \x20     - { uses: actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 }\n\
        \x20     - { uses: actions/cache@v5 }\n";
    let file = File::parse("workflows/bad.yml", text, crate::yaml::Kind::Workflow);
    let mut broken = Vec::new();
    check(&file, &actions(), &mut broken);
    let told = broken.join("\n");
    for part in [
        "no input `overwite`",
        "input `path` is missing",
        "no output `url`",
        "the job lacks pages: write",
        "does not describe v5",
    ] {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
}

/// A stand-in takes only what the action takes, and leaves out what the action leaves out.
#[test]
fn the_stand_ins_have_the_inputs_and_defaults_of_the_actions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/act/actions");
    for (name, action) in actions() {
        let file = folder.join(name.rsplit('/').next().unwrap()).join("action.yml");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let stand_in: Value = serde_norway::from_str(&text).unwrap();
        for (input, of) in stand_in["inputs"].as_object().unwrap() {
            assert!(
                action.takes(input),
                "the stand-in of {name} takes `{input}`, which that one does not"
            );
            let default = action.defaults.get(input).map_or("", String::as_str);
            let here = of["default"].as_str().unwrap_or_default();
            let must = of["required"] == Value::Bool(true);
            assert!(here == default || must, "`{input}` of {name} is {default:?}, here {here:?}");
        }
    }
}

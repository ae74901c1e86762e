//! The files, parsed, with their text.

use serde_json::Value;
use std::{fs, path::Path};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Workflow,
    Action,
}

/// One file under `.github`.
#[derive(Debug)]
pub struct File {
    /// Its path under `.github`.
    pub name: String,
    pub text: String,
    pub yaml: Value,
    pub kind: Kind,
}

impl File {
    pub fn parse(name: &str, text: &str, kind: Kind) -> Self {
        let yaml = serde_norway::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), text: text.to_owned(), yaml, kind }
    }

    /// Name and content of each job.
    pub fn jobs(&self) -> Vec<(&str, &Value)> {
        let jobs = self.yaml["jobs"].as_object();
        jobs.into_iter().flatten().map(|(name, job)| (name.as_str(), job)).collect()
    }

    /// Every step, with the job that it is in.
    pub fn steps(&self) -> Vec<(&str, &Value)> {
        let steps = |value: &'_ Value| value["steps"].as_array().cloned().unwrap_or_default().len();
        let of_jobs = self
            .jobs()
            .into_iter()
            .flat_map(|(name, job)| (0..steps(job)).map(move |at| (name, &job["steps"][at])));
        let runs = &self.yaml["runs"];
        of_jobs.chain((0..steps(runs)).map(|at| ("runs", &runs["steps"][at]))).collect()
    }
}

/// Every workflow and composite action.
pub fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github");
    let list = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root.join(folder)).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("readable").file_name());
        names.map(|name| format!("{folder}/{}", name.to_string_lossy())).collect()
    };
    let read = |name: String, kind: Kind| {
        let text = fs::read_to_string(root.join(&name)).expect("readable");
        File::parse(&name, &text, kind)
    };
    let workflows = list("workflows").into_iter().map(|name| read(name, Kind::Workflow));
    let actions = list("actions").into_iter().map(|name| format!("{name}/action.yml"));
    workflows.chain(actions.map(|name| read(name, Kind::Action))).collect()
}

//! Measures what a study names, and judges it.

use super::{
    folder::{MeasuredStudy, write_verdicts},
    load,
};
use crate::{
    host_options::HostOptions,
    output::{causes, replace_file, say},
    project::ProjectRoot,
    session::{
        SubjectBuilder, resume_line,
        run::{RunOptions, measure},
        write_reports,
    },
};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use shakedown_protocol::{FailedBuild, RunRecord, Scenario, Subject};
use shakedown_report::Report;
use shakedown_study::{
    Study, StudyJudgement, StudyMode, StudyRecord, StudyRun, TrialBudget, judge_study, unmet_needs,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Which study, and how.
#[derive(Debug)]
pub struct StudyOptions {
    /// Its name; may be left out when it is resumed.
    pub name: Option<String>,
    /// Which form is measured.
    pub mode: StudyMode,
    /// Folder for records and verdicts; the default is `runs/<id>`.
    pub out: Option<PathBuf>,
    /// Folder of a study that was stopped, or of a finished one that is judged again.
    pub resume: Option<PathBuf>,
    /// Folder with records of its runs, which are judged: nothing is measured.
    pub judge: Option<PathBuf>,
    /// How the host is used.
    pub host_options: HostOptions,
}

/// Measures a study, judges it, and writes the verdicts.
///
/// # Errors
/// Bad input, failed builds, a full disk. Subjects that can't be had are part of the verdicts.
pub fn conduct(options: &StudyOptions) -> Result<(StudyJudgement, Vec<PathBuf>)> {
    let root = ProjectRoot::find()?;
    let host = options.host_options.observe()?;
    let (begun, out) = begin(options)?;
    let study = load(&root, &begun.study)?;
    if options.resume.is_none() && options.judge.is_none() {
        begun.create(&out)?;
    }
    let claims = study.claims.iter().filter(|claim| unmet_needs(&claim.needs, &host).is_none());
    let needed: BTreeSet<String> = claims.flat_map(shakedown_study::Claim::runs).collect();
    let mut records = BTreeMap::new();
    for run in study.runs.iter().filter(|run| needed.contains(&run.id)) {
        let one = StudyPart { root: &root, study: &study, run, mode: begun.mode, out: &out };
        let record = match options.judge {
            Some(_) => one.recorded()?.unwrap_or_default(),
            None => one.measure(&options.host_options)?,
        };
        records.insert(run.id.clone(), record);
    }
    let judgement = judge_study(&study, begun.mode, &host, &records);
    let files = write_verdicts(&judgement, &out)?;
    Ok((judgement, files))
}

fn begin(options: &StudyOptions) -> Result<(MeasuredStudy, PathBuf)> {
    if let Some(folder) = &options.resume {
        let begun = MeasuredStudy::read(folder)?;
        let same = options.name.as_ref().is_none_or(|name| *name == begun.study);
        ensure!(same, "{} holds the study `{}`", folder.display(), begun.study);
        return Ok((begun, folder.clone()));
    }
    let study = options.name.clone().context("name a study; `shakedown study list` shows them")?;
    let out = options.judge.clone().or_else(|| options.out.clone());
    let out = out.unwrap_or_else(|| Path::new("runs").join(shakedown_schedule::new_id()));
    Ok((MeasuredStudy { study, mode: options.mode }, out))
}

/// One run of a study.
struct StudyPart<'a> {
    root: &'a ProjectRoot,
    study: &'a Study,
    run: &'a StudyRun,
    mode: StudyMode,
    out: &'a Path,
}

impl StudyPart<'_> {
    fn folder(&self) -> PathBuf {
        self.out.join(&self.run.id)
    }

    fn begun(&self) -> bool {
        shakedown_schedule::record_path(&self.folder()).exists()
    }

    /// Its record, if it was measured to the end.
    fn recorded(&self) -> Result<Option<StudyRecord>> {
        if !self.begun() {
            return Ok(None);
        }
        let record = shakedown_schedule::load_record(&self.folder())?;
        if record.finish.is_none() {
            return Ok(None);
        }
        let (_, mut missing) = self.subjects()?;
        missing.extend(not_built(&record));
        Ok(Some(StudyRecord { record: Some(record), missing }))
    }

    fn measure(&self, host_options: &HostOptions) -> Result<StudyRecord> {
        if let Some(record) = self.recorded()? {
            return Ok(record);
        }
        let (folder, begun) = (self.folder(), self.begun());
        let (subjects, mut missing) = self.subjects()?;
        for (subject, why) in &missing {
            say(format_args!("without {subject}: {why}"));
        }
        if subjects.is_empty() {
            return Ok(StudyRecord { record: None, missing });
        }
        let options = RunOptions {
            subjects,
            suite: self.suite()?.to_string_lossy().into_owned(),
            out: Some(folder.clone()),
            resume: begun.then(|| folder.clone()),
            as_named: true,
            resume_line: Some(resume_line("study", self.out, &host_options.arguments())),
            host_options: host_options.clone(),
            ..RunOptions::default()
        };
        let ((record, folder), _) = measure(&options)?;
        write_reports(&Report::new(&record, &shakedown_summary::summarize(&record)), &folder)?;
        missing.extend(not_built(&record));
        Ok(StudyRecord { record: Some(record), missing })
    }

    /// The subjects that can be had, and why the others can't.
    fn subjects(&self) -> Result<(Vec<Subject>, BTreeMap<String, String>)> {
        let builder = SubjectBuilder::open(self.root)?;
        let (mut had, mut missing) = (Vec::new(), BTreeMap::new());
        for subject in &self.run.subjects {
            match builder.resolve(std::slice::from_ref(subject)) {
                Ok(_) => had.push(subject.clone()),
                Err(error) => {
                    missing.insert(subject.to_string(), causes(&error));
                }
            }
        }
        Ok((had, missing))
    }

    /// The suite of the run, as a file of its own: reports name it in the line that measures the same again.
    fn suite(&self) -> Result<PathBuf> {
        let name = format!("{}-{}", self.study.name, self.run.id);
        let path = self.out.join(format!("{name}.toml"));
        let suite = StudySuite {
            name: &name,
            description: &self.study.question,
            aslr: "on",
            meters: self.run.meters.iter().map(|meter| meter.name()).collect(),
            tickets: self.run.tickets,
            ids: &self.run.scenarios,
            blocks: self.study.budget(self.mode).blocks,
            budget: self.study.budget(self.mode).times,
        };
        replace_file(&path, toml::to_string(&suite)?)?;
        Ok(path)
    }
}

/// The subjects of a record that did not build, and why.
fn not_built(record: &RunRecord) -> impl Iterator<Item = (String, String)> {
    let why = |one: &FailedBuild| (one.subject.to_string(), format!("not built: {}", one.error));
    record.plan.not_built.iter().map(why)
}

/// A suite as its file has it.
#[derive(Debug, Serialize)]
struct StudySuite<'a> {
    name: &'a str,
    description: &'a str,
    blocks: u32,
    aslr: &'a str,
    meters: Vec<&'a str>,
    tickets: u8,
    ids: &'a [Scenario],
    budget: TrialBudget,
}

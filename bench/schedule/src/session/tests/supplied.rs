//! Links that are made while a comparison runs.

use super::{
    comparisons::{pairs, undecided},
    *,
};
use crate::LinkSupply;
use std::error::Error;

/// Makes files, and notes how many links it was asked for.
struct Maker<'a> {
    folder: &'a Path,
    asked: Mutex<Vec<u32>>,
    /// Gives the first link another content.
    other: bool,
}

impl LinkSupply for Maker<'_> {
    fn supply(
        &self,
        subjects: &[BuiltSubject],
        links: u32,
    ) -> Result<Vec<BuiltSubject>, Box<dyn Error + Send + Sync>> {
        self.asked.lock().unwrap().push(links);
        let more = |subject: &BuiltSubject| {
            let BuiltSubject { mut entry, mut binaries } = subject.clone();
            for number in binaries.len()..links as usize {
                let path = self.folder.join(format!("{}{number}", entry.name));
                fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
                entry.artifact.links.push(preflight::digest(&path).unwrap());
                binaries.push(path);
            }
            if self.other {
                entry.artifact.links.swap(0, 1);
            }
            BuiltSubject { entry, binaries }
        };
        Ok(subjects.iter().map(more).collect())
    }
}

fn maker(folder: &Path) -> Maker<'_> {
    Maker { folder, asked: Mutex::new(Vec::new()), other: false }
}

/// A comparison of ten blocks, each of two pairs.
fn ten_blocks(folder: &Path, counts: CountTiming) -> Session {
    let mut session = pairs(folder);
    session.plan.blocks = 10;
    session.options.counts = Some(counts);
    session
}

#[test]
fn links_are_made_when_a_block_needs_them_and_named_before_they_run() {
    let folder = tempfile::tempdir().unwrap();
    let session = ten_blocks(folder.path(), CountTiming::AfterTimes);
    let (mock, maker) = (Mock::default(), maker(folder.path()));
    let out = session.out.clone();
    let mut judge = |record: &RunRecord| {
        let saved = load_record(&out).unwrap();
        let ran = |t: &Trial| saved.subjects.iter().any(|s| s.artifact.links.len() as u32 > t.link);
        assert!(record.trials.iter().all(ran));
        undecided(record)
    };
    let mut silent = SilentObserver;
    let record = SessionStart::New.compare(session, Some(&maker), &mut judge, &mock, &mut silent);
    let record = record.unwrap();
    // `b` has one link at first. Each block runs two.
    assert_eq!(*maker.asked.lock().unwrap(), [2, 6, 20]);
    let timed = record.trials.iter().filter(|trial| trial.meter == Meter::Time);
    let timed = timed.filter(|trial| !trial.scenario.is_memory());
    assert!(timed.clone().all(|trial| trial.link / 2 == trial.block), "each pair has its own");
    assert_eq!(timed.map(|trial| trial.link).max(), Some(19));
    assert!(record.subjects.iter().all(|subject| subject.artifact.links.len() == 20));
    assert_eq!(load_record(&out).unwrap(), record);
}

#[test]
fn a_comparison_that_was_killed_makes_the_links_that_it_lacks() {
    let meant = {
        let folder = tempfile::tempdir().unwrap();
        let session = ten_blocks(folder.path(), CountTiming::AfterTimes);
        let (mock, maker) = (Mock::default(), maker(folder.path()));
        let made = Some(&maker as &dyn LinkSupply);
        SessionStart::New.compare(session, made, &mut undecided, &mock, &mut SilentObserver)
    };
    let folder = tempfile::tempdir().unwrap();
    let session = || ten_blocks(folder.path(), CountTiming::AfterTimes);
    let maker = maker(folder.path());
    let go = |start: SessionStart, session: Session, mock: &Mock| {
        let made = Some(&maker as &dyn LinkSupply);
        start.compare(session, made, &mut undecided, mock, &mut SilentObserver)
    };
    let dies = Mock { dies_at: Some(20), ..Mock::default() };
    let killed = std::panic::AssertUnwindSafe(|| go(SessionStart::New, session(), &dies));
    std::panic::catch_unwind(killed).unwrap_err();
    let kept = load_record(&folder.path().join("out")).unwrap();
    let links = kept.subjects[0].artifact.links.len() as u32;
    assert_eq!(links, 6);
    // Whoever resumes builds what the record names.
    let mut again = session();
    again.subjects = maker.supply(&again.subjects, links).unwrap();
    let finished = go(SessionStart::Resume, again, &Mock::default()).unwrap();
    assert_eq!(places(&finished), places(&meant.unwrap()));
    assert_eq!(finished.subjects[1].artifact.links.len(), 20);
}

#[test]
fn links_beside_times_are_there_when_their_block_begins() {
    if TrialCpus::choose(&HostFiles::here(), None).unwrap().beside(1).is_none() {
        println!("skipped: this machine has no second core");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = ten_blocks(folder.path(), CountTiming::BesideTimes);
    let maker = maker(folder.path());
    let made = Some(&maker as &dyn LinkSupply);
    let mock = Mock::default();
    let record =
        SessionStart::New.compare(session, made, &mut undecided, &mock, &mut SilentObserver);
    assert_eq!(record.unwrap().subjects[0].artifact.links.len(), 20);
    assert_eq!(*maker.asked.lock().unwrap(), [2, 6, 20]);
}

#[test]
fn links_of_another_artifact_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let session = ten_blocks(folder.path(), CountTiming::AfterTimes);
    let maker = Maker { other: true, ..maker(folder.path()) };
    let made = Some(&maker as &dyn LinkSupply);
    let mock = Mock::default();
    let error = SessionStart::New
        .compare(session, made, &mut undecided, &mock, &mut SilentObserver)
        .unwrap_err()
        .to_string();
    assert!(error.contains("more links can't be made: those of a are of another"), "{error}");
    assert_eq!(mock.asked().len(), 0);
}

use super::*;
use crate::testing::{self, trial};
use proptest::prelude::*;
use shakedown_protocol::Meter;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    (folder, path)
}

fn unsupported(meter: Option<Meter>) -> Unsupported {
    let scenario = testing::plan().scenarios[0];
    Unsupported { subject: "a".to_owned(), scenario, meter, reason: "can't".to_owned() }
}

fn saved(path: &Path) -> RunRecord {
    RunRecord::from_json(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_file_is_the_record_after_every_step() {
    let (_folder, path) = folder();
    let mut file = RecordFile::create(&path, testing::record()).unwrap();
    assert_eq!(saved(&path), testing::record());
    for position in 0..4 {
        file.push(trial(position)).unwrap();
        assert_eq!(&saved(&path), file.record());
    }
    file.unsupported(unsupported(Some(Meter::Heap))).unwrap();
    assert_eq!(&saved(&path), file.record());
    file.unsupported(unsupported(None)).unwrap();
    assert_eq!(file.record().unsupported, [unsupported(None)]);
    assert_eq!(&saved(&path), file.record());
    file.finish(Some(RunCompletion { at_ms: 5, planned: 4 })).unwrap();
    file.finish(None).unwrap();
    assert_eq!(&saved(&path), file.record());
    let (again, dropped) = RecordFile::reopen(&path).unwrap();
    assert_eq!((again.record(), dropped), (file.record(), 0));
    let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left aside");
}

#[test]
fn a_record_is_never_overwritten() {
    let (_folder, path) = folder();
    fs::write(&path, "mine").unwrap();
    let error = RecordFile::create(&path, testing::record()).unwrap_err();
    assert!(matches!(error, RecordFileError::Exists(_)), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn foreign_and_newer_files_are_told_apart_from_torn_ones() {
    let (_folder, path) = folder();
    let told = |text: &str| {
        fs::write(&path, text).unwrap();
        read(&path).unwrap_err().to_string().replace(&path.display().to_string(), "FILE")
    };
    let said = [
        told(""),
        told("{"),
        told("[]"),
        told("hello\n{}"),
        told("{\"schema\":99,\"trials\":[\n]}"),
        told("{\"schema\":99,\"trials\":[\n"),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

/// The bytes of a file with trials, and how long it is with none, one, two, ... of them.
fn written(trials: u32) -> (Vec<u8>, Vec<usize>) {
    let (_folder, path) = folder();
    let mut file = RecordFile::create(&path, testing::record()).unwrap();
    let mut ends = vec![file.end as usize];
    for position in 0..trials {
        file.push(trial(position)).unwrap();
        ends.push(file.end as usize);
    }
    (fs::read(&path).unwrap(), ends)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// A crash may leave any part of the last write, with anything behind it.
    #[test]
    fn whole_trials_survive_any_tear(
        cut in 0.0f64..1.0, noise in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let (bytes, ends) = written(5);
        let cut = ends[0] + ((bytes.len() - ends[0]) as f64 * cut) as usize;
        let mut torn = bytes[..cut].to_vec();
        torn.extend(&noise);
        let (_folder, path) = folder();
        fs::write(&path, &torn).unwrap();
        let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
        let (file, _) = RecordFile::reopen(&path).unwrap();
        prop_assert_eq!(file.record().trials.len(), whole);
        for (position, kept) in file.record().trials.iter().enumerate() {
            prop_assert_eq!(kept, &trial(position as u32));
        }
        prop_assert_eq!(&saved(&path), file.record());
    }
}

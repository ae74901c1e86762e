use super::*;
use crate::ValueFormat;

fn setting() -> Setting {
    Setting::File { path: "proc/sys/vm/stat_interval".to_owned(), format: ValueFormat::Number }
}

fn begun(folder: &Path) -> Journal {
    let mut journal = Journal::open(folder).unwrap();
    let root = HostRoot::at("/nonexistent");
    journal
        .add(&root, JournalEntry::Begin(JournalHeader::new("boot".to_owned(), "2-3".to_owned())))
        .unwrap();
    let was = OriginalValue {
        setting: setting(),
        knob: "vm-stat-interval".to_owned(),
        was: "1".to_owned(),
        wanted: Some("10".to_owned()),
    };
    journal.add(&root, JournalEntry::Originals(vec![was])).unwrap();
    journal.add(&root, JournalEntry::Set { setting: setting(), to: "10".to_owned() }).unwrap();
    journal
}

#[test]
fn what_was_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    let journal = begun(&deep);
    let log = journal.log.clone();
    assert!(matches!(Journal::open(&deep), Err(TuneError::Busy(_))), "one at a time");
    drop(journal);
    assert_eq!(Journal::open(&deep).unwrap().log, log);
}

#[test]
fn a_torn_line_was_never_acted_on() {
    let folder = tempfile::tempdir().unwrap();
    drop(begun(folder.path()));
    let path = folder.path().join(FILE);
    let whole = fs::read_to_string(&path).unwrap();
    let log = read(&path).unwrap();
    for torn in ["{", "{\"set\":{\"setting\":\"text:/sys/x\",\"to\":\"1\"}}", "\0\0"] {
        fs::write(&path, format!("{whole}{torn}")).unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        assert_eq!(journal.log, log, "{torn}");
        journal.add(&HostRoot::at("/nonexistent"), JournalEntry::Done).unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{whole}\"done\"\n"));
    }
}

#[test]
fn damage_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    drop(begun(folder.path()));
    let path = folder.path().join(FILE);
    let whole = fs::read_to_string(&path).unwrap();
    let told = |text: &str| {
        fs::write(&path, text).unwrap();
        Journal::open(folder.path()).unwrap_err().to_string()
    };
    assert!(told(&whole.replace("\"set\"", "\"sat\"")).contains("tune.jsonl:3: unknown variant"));
    assert!(
        told(&whole.replace("\"schema\":2", "\"schema\":7"))
            .contains("shakedown that tuned this host")
    );
    assert!(told(&whole.replace("/proc/", "/etc/")).contains("not below /sys or /proc"));
    let headless: String = whole.lines().skip(1).map(|line| format!("{line}\n")).collect();
    assert!(told(&headless).contains("tune.jsonl:1: the first line"));
}

#[test]
fn a_journal_that_cant_be_written_stops_everything() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Journal::open(&folder.path().join("file/journal")).unwrap_err();
    assert!(matches!(error, TuneError::Write { .. }), "{error}");
    // A disk that is full.
    let full = folder.path().join("full");
    fs::create_dir(&full).unwrap();
    std::os::unix::fs::symlink("/dev/full", full.join(FILE)).unwrap();
    let lock = Flock::lock(File::open(&full).unwrap(), FlockArg::LockExclusive).unwrap();
    let mut journal =
        Journal { folder: full.clone(), file: None, log: JournalState::default(), _lock: lock };
    let header = JournalEntry::Begin(JournalHeader::new(String::new(), String::new()));
    let error = journal.add(&HostRoot::at("/nonexistent"), header).unwrap_err().to_string();
    assert!(error.contains("can't write the journal"), "{error}");
    assert_eq!(journal.log, JournalState::default(), "nothing was taken for written");
}

#[test]
fn whoever_checks_a_host_can_read_what_refused() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("journal");
    let journal = begun(&deep);
    let mut refusals = Refusals::default();
    refusals.0.insert(setting().to_string(), "no".to_owned());
    journal.refusals(&HostRoot::at("/nonexistent"), &refusals).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&deep), 0o755);
    assert_eq!(mode(&deep.join("refused.json")), 0o644);
    journal.refusals(&HostRoot::at("/nonexistent"), &Refusals::default()).unwrap();
    assert!(!deep.join("refused.json").exists());
}

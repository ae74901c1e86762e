//! Artifacts that nobody should believe.

use super::*;
use proptest::prelude::*;
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    io::{Read, Write},
    time::{Duration, Instant},
};
use zip::{ZipWriter, write::SimpleFileOptions};

pub(super) const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

pub(super) fn sound() -> Vec<u8> {
    serde_json::to_vec(&comparison(&[(FULL, [1.0, 1.0])])).unwrap()
}

/// Makes an archive and tries to take it in.
pub(super) fn archive(
    pack: impl FnOnce(&mut ZipWriter<File>),
) -> (tempfile::TempDir, Result<TakenArtifact, IntakeRefusal>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("artifact.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    pack(&mut zip);
    zip.finish().unwrap();
    let taken = take(&path, &IntakeLimits::default());
    (folder, taken)
}

pub(super) fn add(zip: &mut ZipWriter<File>, name: &str, bytes: &[u8]) {
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
}

pub(super) fn refused(pack: impl FnOnce(&mut ZipWriter<File>)) -> String {
    archive(pack).1.unwrap_err().to_string()
}

#[test]
fn a_sound_record_is_taken_in() {
    let (_folder, taken) = archive(|zip| add(zip, RECORD, &sound()));
    let taken = taken.unwrap();
    assert_eq!(taken.record, comparison(&[(FULL, [1.0, 1.0])]));
    assert!(taken.explanation.is_none());
}

#[test]
fn nothing_but_the_record_may_be_in_the_archive() {
    let names = [
        "../record.json",
        "/record.json",
        "a/record.json",
        "record.json/",
        "RECORD.JSON",
        "record.json\0.txt",
        "report.html",
        "..\\record.json",
        "\u{1b}[2J",
    ];
    let mut said: Vec<String> = Vec::new();
    for name in names {
        said.push(refused(|zip| add(zip, name, &sound())));
    }
    said.push(refused(|zip| {
        add(zip, RECORD, &sound());
        add(zip, "problem.txt", b"all is well");
    }));
    said.push(refused(|zip| {
        zip.add_symlink(RECORD, "/etc/passwd", SimpleFileOptions::default()).unwrap();
    }));
    said.push(refused(|zip| zip.add_directory(RECORD, SimpleFileOptions::default()).unwrap()));
    said.push(refused(|_| {}));
    said.push(refused(|zip| {
        for n in 0..5000 {
            add(zip, &format!("{n}"), b"");
        }
    }));
    for line in &said {
        assert!(!line.chars().any(char::is_control), "{line}");
    }
    let (last, rest) = said.split_last().unwrap();
    assert!(last.contains("more entries"), "{last}");
    let (last, rest) = rest.split_last().unwrap();
    assert!(last.contains("empty"), "{last}");
    assert!(rest.iter().all(|line| line.contains("and nothing else")), "{rest:#?}");
    assert!(rest.iter().any(|line| line.contains("symbolic link")), "{rest:#?}");
}

/// Smaller than the real limits, as making bombs takes time.
const SMALL: IntakeLimits = IntakeLimits {
    archive: 1 << 20,
    record: 4 << 20,
    explanation: 1 << 20,
    ratio: 250,
    values: 1000,
    depth: 32,
    string: 1000,
    trials: 100,
    scenarios: 100,
    rounds: 100,
    name: 100,
};

/// Bytes of one kind, packed; and what `edit` makes of the archive.
fn bomb(byte: u8, size: u64, edit: impl FnOnce(&mut Vec<u8>)) -> IntakeRefusal {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("artifact.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    zip.start_file(RECORD, SimpleFileOptions::default()).unwrap();
    std::io::copy(&mut std::io::repeat(byte).take(size), &mut zip).unwrap();
    zip.finish().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    edit(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
    take(&path, &SMALL).unwrap_err()
}

#[test]
fn a_bomb_is_not_unpacked() {
    let said = bomb(0, 5 << 20, |_| {}).to_string();
    assert!(said.contains("unpacks to more than 4194304 bytes"), "{said}");
    let said = bomb(b' ', 3 << 20, |_| {}).to_string();
    assert!(said.contains("250 times its packed size"), "{said}");
}

#[test]
fn an_archive_that_lies_about_its_sizes_is_read_within_the_limits() {
    // The size, wherever it stands, becomes ten bytes.
    let refusal = bomb(b' ', 8 << 20, |bytes| {
        let real = (8_u32 << 20).to_le_bytes();
        let windows = bytes.windows(4).enumerate();
        let places: Vec<usize> = windows.filter(|(_, w)| *w == real).map(|(at, _)| at).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
    });
    assert!(
        matches!(refusal, IntakeRefusal::Ratio { .. } | IntakeRefusal::Damaged(_)),
        "{refusal}"
    );
}

#[test]
fn a_huge_file_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("artifact.zip");
    File::create(&path).unwrap().set_len(2 << 30).unwrap();
    let begun = Instant::now();
    let said = take(&path, &IntakeLimits::default()).unwrap_err().to_string();
    assert!(said.contains("2147483648 bytes"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn what_was_cut_off_or_flipped_is_refused_without_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("artifact.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    add(&mut zip, RECORD, &sound());
    zip.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for cut in [0, 1, 30, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(take(&path, &IntakeLimits::default()).is_err(), "cut at {cut}");
    }
    let wanted = comparison(&[(FULL, [1.0, 1.0])]);
    for step in 0..200 {
        let mut flipped = whole.clone();
        let at = step * whole.len() / 200;
        flipped[at] ^= 1 << (step % 8);
        std::fs::write(&path, &flipped).unwrap();
        if let Ok(taken) = take(&path, &IntakeLimits::default()) {
            assert_eq!(
                taken.record, wanted,
                "byte {at}: damage that is not noticed must not matter"
            );
        }
    }
}

fn of(bytes: &[u8]) -> String {
    read(bytes, &IntakeLimits::default()).unwrap_err().to_string()
}

#[test]
fn nonsense_is_refused_before_anything_is_built_of_it() {
    assert!(of(b"\xff\xfe").contains("UTF-8"));
    assert!(of(b"").contains("not sensible JSON"));
    assert!(of("[".repeat(100_000).as_bytes()).contains("too many levels"));
    let many = format!("[{}0]", "0,".repeat(2000));
    let small = |bytes: &[u8]| read(bytes, &SMALL).unwrap_err().to_string();
    assert!(small(many.as_bytes()).contains("too many values"));
    let long = format!("{{\"schema\":\"{}\"}}", "x".repeat(70_000));
    assert!(of(long.as_bytes()).contains("too long"));
    assert!(of(b"{\"schema\": 1} {}").contains("trailing"));
    assert!(of(b"{\"schema\": 99}").contains("update shakedown"));
}

#[test]
fn records_that_no_comparison_makes_are_refused() {
    let said = |edit: &dyn Fn(&mut RunRecord)| {
        let mut record = comparison(&[(FULL, [1.0, 1.0])]);
        edit(&mut record);
        of(&serde_json::to_vec(&record).unwrap())
    };
    assert!(said(&|r| r.plan.blocks = u32::MAX).contains("blocks"));
    assert!(said(&|r| r.trials[3].block = 4_000_000_000).contains("blocks"));
    assert!(said(&|r| r.trials[3].link = u32::MAX).contains("blocks"));
    assert!(said(&|r| r.id = "x".repeat(301)).contains("more than 300 characters"));
    assert!(said(&|r| r.host.name = "a\nb".to_owned()).contains("control characters"));
    assert!(said(&|r| r.trials[0].subject = "nobody".to_owned()).contains("unknown subject"));
    assert!(said(&|r| r.finish = None).contains("not finished"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, &IntakeLimits::default());
    }

    #[test]
    fn no_json_makes_it_panic(text in "[\\[\\]{}\",:0-9a-z ]{0,80}") {
        let _ = read(text.as_bytes(), &IntakeLimits::default());
    }
}

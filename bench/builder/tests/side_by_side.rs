//! Builds of one driver at the same time.

#![allow(missing_docs)]

mod common;

use common::{Heard, World, says};
use shakedown_builder::{BuildEvent, BuiltArtifact};
use std::{
    fs::{self, File},
    process::Command,
    thread,
    time::Duration,
};

/// Whether a process may mount folders for itself here, which a spare folder needs.
fn may_mount() -> bool {
    let output =
        Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Holds the lock of the shared folder, as a build that takes long does.
fn hold(world: &World) -> File {
    let locks = world.cached("locks");
    let name = locks
        .iter()
        .find(|name| name.starts_with("work-") && name.len() == "work-.lock".len() + 32);
    let file = File::open(world.at("cache/locks").join(name.unwrap())).unwrap();
    fs4::FileExt::lock(&file).unwrap();
    file
}

/// The folders that drivers are compiled in, without those of which something is only being made.
fn folders(world: &World) -> Vec<String> {
    world.cached("work").into_iter().filter(|name| !name.starts_with('.')).collect()
}

fn build(world: &World, name: &str) -> (BuiltArtifact, bool) {
    let heard = Heard::default();
    let built = world.builder().build(&world.resolve(name), &heard).unwrap();
    (built, waited(&heard))
}

fn waited(heard: &Heard) -> bool {
    let is_waiting = |event: &BuildEvent| matches!(event, BuildEvent::Waiting { .. });
    heard.0.lock().unwrap().iter().any(is_waiting)
}

/// Builds while the shared folder is held, and lets it go when the build has been waiting for a second and `check` found
/// everything as before.
fn build_that_waits(world: &World, name: &str, check: impl Fn()) -> BuiltArtifact {
    let other = hold(world);
    let heard = Heard::default();
    thread::scope(|scope| {
        let building = scope.spawn(|| world.builder().build(&world.resolve(name), &heard).unwrap());
        while !waited(&heard) {
            assert!(!building.is_finished(), "the folder is taken");
            thread::sleep(Duration::from_millis(20));
        }
        thread::sleep(Duration::from_secs(1));
        assert!(!building.is_finished(), "the folder is taken");
        check();
        drop(other);
        building.join().unwrap()
    })
}

#[test]
fn who_waited_once_leaves_a_folder_for_the_next() {
    let world = World::new();
    let (first, waited) = build(&world, "tinyrs@1.0");
    assert!(!waited);
    assert_eq!(folders(&world).len(), 1, "nobody needs another");

    // There is no spare yet: this one waits for the other, and does not compile everything again beside it.
    let second = build_that_waits(&world, "tinyrs@1.1", || assert_eq!(folders(&world).len(), 1));
    assert_eq!(says(&second.binaries[0]), "tinyrs 110");
    if !may_mount() || thread::available_parallelism().unwrap().get() < 2 {
        assert_eq!(folders(&world).len(), 1, "a spare would be of no use");
        return;
    }
    assert_eq!(folders(&world).len(), 2, "{:?}", folders(&world));

    let _other = hold(&world);
    fs::remove_dir_all(world.at("cache/artifacts")).unwrap();
    for (name, before) in [("tinyrs@1.0", &first), ("tinyrs@1.1", &second)] {
        let (again, waited) = build(&world, name);
        assert!(!waited, "{name}: the spare is free");
        let (again, before) = (&again.artifact, &before.artifact);
        assert_eq!(again.id, before.id);
        assert_eq!(again.links, before.links, "{name}: the folder does not show in the binary");
    }
    let log = fs::read_dir(world.at("cache/logs"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let log: String = log.collect();
    assert!(!log.contains("Compiling helper"), "the spare has what was compiled before: {log}");
}

#[test]
fn nobody_takes_a_folder_with_other_dependencies() {
    let world = World::new();
    build(&world, "tinyrs@1.0");
    let shared = folders(&world)[0].clone();
    // As a spare that was made for another lockfile.
    let spare = format!("cache/work/{shared}-1");
    world.write(&format!("{spare}/compiled"), "0123456789abcdef0123456789abcdef\n");
    build_that_waits(&world, "tinyrs@1.1", || assert!(!world.at(&spare).join("target").exists()));
    let several = may_mount() && thread::available_parallelism().unwrap().get() > 1;
    assert_eq!(world.at(&spare).join("target").exists(), several, "it is made anew");
}

//! What can happen to a history, done to one: damage, kills, full disks, several writers, a branch
//! that others push to.

mod branch;
mod damage;
mod decisions;
mod packing;
mod writers;

use crate::Store;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("history")).unwrap();
    (folder, store)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn runs(store: &Store) -> Vec<PathBuf> {
    files_below(&store.root().join("runs"))
}

//! TestMachines for tests: the trees in `tests/fixtures`.

use crate::{
    HostRoot,
    simulation::{CrashPoint, SimulatedMachine},
    tree,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Every tree, by name.
pub(crate) const FIXTURES: [(&str, &str); 6] = [
    ("intel", include_str!("../tests/fixtures/intel.txt")),
    ("amd", include_str!("../tests/fixtures/amd.txt")),
    ("arm", include_str!("../tests/fixtures/arm.txt")),
    ("hybrid", include_str!("../tests/fixtures/hybrid.txt")),
    ("vm", include_str!("../tests/fixtures/vm.txt")),
    ("v1", include_str!("../tests/fixtures/v1.txt")),
];

/// A machine on disk.
pub(crate) struct TestMachine {
    _folder: tempfile::TempDir,
    pub root: HostRoot,
    pub crash_point: CrashPoint,
    /// Folder of its journal, outside of the tree.
    pub journal: PathBuf,
}

impl TestMachine {
    pub fn new(name: &str) -> Self {
        // In memory where there is such a folder: the journal waits for the disk.
        let shared = Path::new("/dev/shm");
        let folder = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(folder).unwrap();
        let root = folder.path().join("root");
        let text = FIXTURES.iter().find(|(other, _)| *other == name).unwrap().1;
        tree::unpack(text, &root).unwrap();
        let crash_point = CrashPoint::default();
        Self {
            root: SimulatedMachine::root(root, crash_point.clone()),
            crash_point,
            journal: folder.path().join("journal"),
            _folder: folder,
        }
    }

    /// Every file and its text.
    pub fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        collect(&self.root.path(""), &mut files);
        files
    }

    pub fn put(&self, path: &str, text: &str) {
        fs::write(self.root.path(path), format!("{text}\n")).unwrap();
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // An empty folder counts too.
            files.insert(path.clone(), String::new());
            collect(&path, files);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.insert(path, text);
        }
    }
}

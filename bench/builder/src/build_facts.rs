//! What a build made and what it cost: sizes and times.

use crate::{BuildError, call::BuildLog, objects};
use object::{Object as _, ObjectSection as _, SectionFlags, SectionKind, elf};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

/// File of an artifact with its facts.
const FACTS: &str = "facts.json";

/// Bytes by section, of a program or of all objects of a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionSizes {
    /// Code.
    pub text: u64,
    /// What is loaded and never written to: constants, tables, unwind information.
    pub rodata: u64,
    /// Initialised variables, and constants that are relocated when the program starts.
    pub data: u64,
    /// Variables that are zero at first; they are not in the file.
    pub bss: u64,
}

impl SectionSizes {
    /// Of the programs or static libraries at these paths together.
    pub(crate) fn of<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<Self, BuildError> {
        let mut all = Self::default();
        for path in paths {
            all.add(path).map_err(BuildError::io("read", path))?;
        }
        Ok(all)
    }

    fn add(&mut self, path: &Path) -> io::Result<()> {
        objects::each(path, |object| {
            for section in object.sections() {
                let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
                let is = |flag: elf::SectionFlags| sh_flags.0 & flag.0 != 0;
                let zero = [SectionKind::UninitializedData, SectionKind::UninitializedTls];
                let of = if !is(elf::SHF_ALLOC) {
                    continue;
                } else if zero.contains(&section.kind()) {
                    &mut self.bss
                } else if is(elf::SHF_EXECINSTR) {
                    &mut self.text
                } else if is(elf::SHF_WRITE) {
                    &mut self.data
                } else {
                    &mut self.rodata
                };
                *of += section.size();
            }
        })
    }

    /// What is loaded from the file: all that `strip` leaves of a program, but for its headers.
    pub const fn loaded(&self) -> u64 {
        self.text + self.rodata + self.data
    }
}

/// What compiling cost when it was really done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CompileCost {
    /// Wall time in seconds, without waiting for other builds, fetching and probing.
    pub seconds: f64,
    /// Compilers that may have run at a time.
    pub jobs: usize,
    /// Crates that cargo compiled in that time; 0 where it was not cargo. The others were found compiled, so that times
    /// compare only where this is equal.
    pub crates: usize,
}

impl CompileCost {
    /// From `begun` to now, with as many jobs as there are CPUs; `log` has what cargo said.
    pub(crate) fn since(begun: Instant, log: &BuildLog) -> Result<Self, BuildError> {
        let seconds = begun.elapsed().as_secs_f64();
        let text = log.text().map_err(BuildError::io("read", &log.path))?;
        let compiled = |line: &&str| line.trim_start().starts_with("Compiling ");
        let crates = text.lines().filter(compiled).count();
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { seconds, jobs, crates })
    }
}

/// Sizes and times of an artifact. Sizes of the same build repeat exactly; times are those of the machine that built,
/// with whatever else ran on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildFacts {
    /// The measured program: the driver with the library in it, or the in-tree benchmark.
    pub program: SectionSizes,
    /// All objects in the archives of the library, of which the linker takes what the driver uses. `None` where
    /// cargo or Go compiles the library together with the driver: there nothing tells the two apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<SectionSizes>,
    /// Compiling the library: that of its own build, which artifacts share. `None` without one, and for a library that
    /// was built before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_cost: Option<CompileCost>,
    /// Compiling the measured program, with the library where it has no build of its own.
    pub driver_cost: CompileCost,
}

impl BuildFacts {
    /// Those of the artifact at `place`; `None` if it was built before facts were kept.
    pub(crate) fn read(place: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(place.join(FACTS)).ok()?).ok()
    }

    /// Writes them into an artifact that is not published yet.
    pub(crate) fn write(&self, place: &Path) -> Result<(), BuildError> {
        let path = place.join(FACTS);
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        text.and_then(|text| fs::write(&path, text)).map_err(BuildError::io("write", &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_code_constants_and_variables() {
        let mut sizes = SectionSizes::default();
        let this = std::env::current_exe().unwrap();
        sizes.add(&this).unwrap();
        for part in [sizes.text, sizes.rodata, sizes.data, sizes.bss] {
            assert!(part > 0, "{sizes:?}");
        }
        let file = this.metadata().unwrap().len();
        assert!(sizes.loaded() < file, "debug information is not loaded: {sizes:?}, {file}");
    }

    #[test]
    fn what_is_no_object_has_no_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "!<arch>\nno archive").unwrap();
        let mut sizes = SectionSizes::default();
        let _ = sizes.add(&path);
        assert_eq!(sizes, SectionSizes::default());
        assert!(BuildFacts::read(folder.path()).is_none());
    }
}

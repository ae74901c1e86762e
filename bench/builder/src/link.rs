//! Links the same objects in other orders.
//!
//! While linking a driver of Rust, lld packs all its inputs into one archive. From that archive it links
//! another binary in milliseconds, with the sections shuffled by a seed: the same code at other
//! addresses.

use crate::{
    BuildError,
    call::{BuildLog, Caller},
    digest::{self, CacheKey},
    job::BuildJob,
    toolchain::RustToolchain,
};
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::{
    collections::BTreeSet,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
};

/// Sections that may be reordered. The order of others (`.init`, `.ctors`, ...) has a meaning.
const FREE: &[&str] = &[".text*", ".rodata*", ".data*", ".bss*"];

/// The linker that can shuffle: lld, which comes with Rust.
#[derive(Debug, Clone)]
pub(crate) struct Linker {
    /// Folder with `ld.lld` for the compiler driver; `None` if it is on the path.
    folder: Option<PathBuf>,
    /// The linker itself and its first arguments.
    call: Vec<String>,
}

impl Linker {
    /// Finds the linker of the toolchain, or else of the system.
    pub(crate) fn find(caller: &Caller, rust: &RustToolchain) -> Option<Self> {
        if let Some(folder) = rust.own_linker() {
            let program = folder.parent()?.join("rust-lld");
            if program.is_file() {
                let call =
                    vec![program.to_str()?.to_owned(), "-flavor".to_owned(), "gnu".to_owned()];
                return Some(Self { folder: Some(folder), call });
            }
        }
        caller.find("ld.lld")?;
        Some(Self { folder: None, call: vec!["ld.lld".to_owned()] })
    }

    /// Arguments for rustc: use this linker, and pack its inputs into `kit`.
    pub(crate) fn arguments(&self, kit: &Path) -> Vec<String> {
        let mut all = vec!["-Clink-arg=-fuse-ld=lld".to_owned()];
        if let Some(folder) = &self.folder {
            all.push(format!("-Clink-arg=-B{}", folder.display()));
        }
        all.push(format!("-Clink-arg=-Wl,--reproduce={}", kit.display()));
        all
    }

    fn command(&self, caller: &Caller) -> Command {
        let (program, first) = self.call.split_first().map_or(("ld.lld", &[][..]), |(p, f)| (p, f));
        let mut command = caller.command(program);
        command.args(first);
        command
    }
}

/// Seed of one link of an artifact. Artifacts have different orders, so that base and head do
/// not share layout effects.
fn seed(id: &str, link: u32) -> u32 {
    let digest = CacheKey::new("link seed 1").with("id", id).with("link", link.to_le_bytes()).id();
    // lld takes -1 for "reverse"; keep clear of it, and of 0.
    (u32::from_str_radix(&digest[..8], 16).unwrap_or(1) >> 1).max(1)
}

/// The link that an artifact has from its build.
pub(crate) struct PlainLink<'a> {
    /// Id of the artifact.
    pub(crate) id: &'a str,
    pub(crate) path: &'a Path,
}

/// Links `kit` again for each of `links`, into `folder` as `driver.N`, and gives their digests.
pub(crate) fn relink(
    job: &BuildJob<'_>,
    linker: &Linker,
    kit: &Path,
    plain: &PlainLink<'_>,
    links: Range<u32>,
    folder: &Path,
) -> Result<Vec<String>, BuildError> {
    let unpacked =
        tempfile::tempdir_in(folder).map_err(BuildError::io("create a folder in", folder))?;
    let file = fs::File::open(kit).map_err(BuildError::io("open", kit))?;
    tar::Archive::new(file).unpack(unpacked.path()).map_err(BuildError::io("unpack", kit))?;
    let inputs = fs::read_dir(unpacked.path()).map_err(BuildError::io("read", unpacked.path()))?;
    let inputs = inputs.flatten().map(|entry| entry.path()).find(|path| path.is_dir());
    let inputs = inputs.unwrap_or_else(|| unpacked.path().to_owned());
    reordered(job, plain, links, folder, |log, out, seed| {
        let mut options = Vec::new();
        if let Some(seed) = seed {
            options.extend(FREE.iter().map(|glob| format!("--shuffle-sections={glob}={seed}")));
            // Profiles are taken of the plain link. Without debug information another one takes a tenth of
            // a second and a few MiB, so that there may be many.
            options.push("--strip-debug".to_owned());
        }
        let mut command = linker.command(job.caller);
        command.current_dir(&inputs).arg("@response.txt").args(options).arg("-o").arg("linked");
        job.run(log, "link", "link", &mut command)?;
        // Inside the archive's own root: the linker sees nothing else.
        fs::rename(inputs.join("linked"), out).map_err(BuildError::io("write", out))
    })
}

/// Makes each of `links` in `folder` as `driver.N`, and gives their digests. `link` writes a link to a path, in
/// the order of a seed, or the plain one. Checks first that this comes out as it was, then that each order
/// is one of its own.
pub(crate) fn reordered(
    job: &BuildJob<'_>,
    plain: &PlainLink<'_>,
    links: Range<u32>,
    folder: &Path,
    link: impl Fn(&mut BuildLog, &Path, Option<u32>) -> Result<(), BuildError>,
) -> Result<Vec<String>, BuildError> {
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{}-links.log", plain.id)))?;
    let digest = |path: &Path| digest::file(path).map_err(BuildError::io("read", path));
    let again = folder.join("plain");
    link(&mut log, &again, None)?;
    let (repeated, expected) = (digest(&again)?, digest(plain.path)?);
    fs::remove_file(&again).map_err(BuildError::io("remove", &again))?;
    if repeated != expected {
        let text = format!("linking again gave {repeated}, not {expected}: another linker?");
        return Err(failed(job, &mut log, text));
    }
    let mut orders = BTreeSet::from_iter(order(plain.path)?);
    let mut digests = Vec::new();
    for number in links {
        let out = folder.join(format!("driver.{number}"));
        link(&mut log, &out, Some(seed(plain.id, number)))?;
        digests.push(digest(&out)?);
        if order(&out)?.is_some_and(|order| !orders.insert(order)) {
            let text = format!("link {number} has its functions in an order that is there already");
            return Err(failed(job, &mut log, text));
        }
    }
    Ok(digests)
}

fn failed(job: &BuildJob<'_>, log: &mut BuildLog, text: String) -> BuildError {
    log.note(&text);
    BuildError::Failed {
        subject: job.subject.to_string(),
        step: "link".to_owned(),
        log: log.path.clone(),
        tail: text,
    }
}

/// Digest over the function names in order of address; `None` if the binary is stripped.
fn order(binary: &Path) -> Result<Option<String>, BuildError> {
    let data = fs::read(binary).map_err(BuildError::io("read", binary))?;
    let file = object::File::parse(&*data)
        .map_err(|error| BuildError::io("read", binary)(std::io::Error::other(error)))?;
    let functions = file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.size() > 0);
    let mut functions: Vec<(u64, &[u8])> =
        functions.map(|s| (s.address(), s.name_bytes().unwrap_or_default())).collect();
    functions.sort_unstable();
    if functions.is_empty() {
        return Ok(None);
    }
    Ok(Some(CacheKey::new("order").all("function", functions.iter().map(|(_, name)| name)).id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_between_links_and_artifacts() {
        let seeds: BTreeSet<u32> =
            ["a", "b"].iter().flat_map(|id| (1..50).map(|n| seed(id, n))).collect();
        assert_eq!(seeds.len(), 98);
        assert!(seeds.iter().all(|seed| (1..=i32::MAX as u32).contains(seed)));
    }

    #[test]
    fn a_program_has_an_order() {
        let this = std::env::current_exe().unwrap();
        assert_eq!(order(&this).unwrap(), order(&this).unwrap());
        assert!(order(&this).unwrap().is_some());
    }
}

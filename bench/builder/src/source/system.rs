//! A library that the system has: its release, its digest, the packages that brought it.

use crate::{
    BuildError, Release,
    call::Caller,
    catalog::{CatalogStack, SystemSource},
    digest::{self, CacheKey},
    job::BuildJob,
};
use shakedown_protocol::SourceSeen;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The release that is installed.
pub(crate) fn release(caller: &Caller, system: &SystemSource) -> Option<Release> {
    number(&call(caller, &system.version)?)
}

/// The first number with a dot in a text.
fn number(text: &str) -> Option<Release> {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let mut numbers = text.split(|c: char| !digits(c)).map(|part| part.trim_matches('.'));
    numbers.find(|part| part.contains('.'))?.parse().ok()
}

/// What a call prints, without the line's end.
fn call(caller: &Caller, words: &[String]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    caller.output(program, &arguments).map(|text| text.trim_end().to_owned())
}

/// Finds the library and checks that it is of the series asked for.
pub(super) fn fetch(
    job: &BuildJob<'_>,
    stack: &CatalogStack,
    system: &SystemSource,
    wanted: &Release,
) -> Result<(SourceSeen, Release), BuildError> {
    let missing = |what: String| BuildError::Tools {
        subject: job.subject.to_string(),
        missing: vec![what],
        install: format!("apt-get install {}", system.package),
    };
    let Some(release) = release(job.caller, system) else {
        let what = format!("{} (`{}` fails)", stack.title, system.version.join(" "));
        return Err(missing(what));
    };
    if !release.within(wanted) {
        let what = format!(
            "this machine has {} {release}, not {wanted}: {} is measured as the system has it. Write \
             {} or {}@{release}",
            stack.title, stack.name, stack.name, stack.name
        );
        return Err(BuildError::Source { what, log: None });
    }
    let mut key = CacheKey::new("system 1");
    let mut objects = BTreeSet::new();
    for files in &system.files {
        let Some(folder) = call(job.caller, &files.folder).filter(|folder| !folder.is_empty())
        else {
            let what = format!("a folder of {} (`{}` fails)", stack.title, files.folder.join(" "));
            return Err(missing(what));
        };
        for name in &files.names {
            let path = Path::new(&folder).join(name);
            let path = path.canonicalize().map_err(|_| missing(path.display().to_string()))?;
            if path.is_dir() {
                let sha256 = digest::tree(&path).map_err(BuildError::io("read", &path))?;
                key = key.with("folder", name).with("sha256", sha256);
            }
            objects.extend(loaded(job.caller, &path));
            objects.insert(path);
        }
    }
    for path in objects.iter().filter(|path| path.is_file()) {
        let sha256 = digest::file(path).map_err(BuildError::io("read", path))?;
        let name = path.file_name().unwrap_or_default();
        key = key.with("file", name.as_encoded_bytes()).with("sha256", sha256);
    }
    let origin = owners(job.caller, &objects).unwrap_or_else(|| system.version.join(" "));
    let seen =
        SourceSeen { kind: "system".to_owned(), origin, revision: None, sha256: key.sha256() };
    Ok((seen, release))
}

/// The shared objects that one loads; nothing for other files.
fn loaded(caller: &Caller, path: &Path) -> Vec<PathBuf> {
    if !path.file_name().unwrap_or_default().to_string_lossy().contains(".so") {
        return Vec::new();
    }
    let text = caller.output("ldd", &[&path.to_string_lossy()]).unwrap_or_default();
    let paths = text.split_whitespace().filter(|word| word.starts_with('/'));
    paths.filter_map(|path| Path::new(path).canonicalize().ok()).collect()
}

/// The packages that the files belong to, with their versions; `None` where no package manager
/// knows them.
fn owners(caller: &Caller, files: &BTreeSet<PathBuf>) -> Option<String> {
    // Before the folders were merged, `/lib` was one of its own, and packages still say so.
    let old = |path: &PathBuf| path.strip_prefix("/usr").ok().map(|p| Path::new("/").join(p));
    let names = files.iter().cloned().chain(files.iter().filter_map(old));
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    // Succeeds only if it knows every name.
    let found = |name: &String| caller.output("dpkg-query", &["--search", name]);
    let owner = |text: String| Some(text.split_once(": ")?.0.split(", ").next()?.to_owned());
    let packages: BTreeSet<String> = names.iter().filter_map(found).filter_map(owner).collect();
    let version = |name: &String| {
        let version = caller.output("dpkg-query", &["--show", "--showformat=${Version}", name])?;
        let bare = name.split(':').next().unwrap_or(name);
        Some((bare.to_owned(), version))
    };
    let versions: BTreeMap<String, String> = packages.iter().filter_map(version).collect();
    let words: Vec<String> = versions.iter().map(|(name, v)| format!("{name} {v}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found_in_what_programs_print() {
        for (text, expected) in [
            ("3.7.9\n", Some("3.7.9")),
            ("go1.26.8", Some("1.26.8")),
            ("go version go1.19.8 linux/amd64", Some("1.19.8")),
            ("version 5 of 2.28.3.", Some("2.28.3")),
            ("none", None),
            ("", None),
        ] {
            let found = number(text).map(|release| release.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_shared_object_comes_with_what_it_loads() {
        let caller = Caller::default();
        let text = caller.output("ldd", &["/bin/sh"]).unwrap();
        let libc =
            text.split_whitespace().find(|word| word.starts_with('/') && word.contains("libc.so"));
        let found = loaded(&caller, Path::new(libc.unwrap()));
        assert!(found.iter().any(|path| path.to_string_lossy().contains("ld-linux")), "{found:?}");
        let this = std::env::current_exe().unwrap();
        assert!(loaded(&caller, &this).is_empty(), "not a shared object");
    }
}

//! The probes of a driver.

use super::{Surfaces, outcome::ProbeOutcomes};
use crate::{BuildError, Incompatibility};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// File that is prepended to each probe.
const PRELUDE: &str = "prelude.rs";
/// Comment in a probe that names variants with precedence.
const UNLESS: &str = "// unless: ";

/// The probes of a driver, by surface and variant.
pub(super) struct ProbeSet {
    prelude: String,
    surfaces: BTreeMap<String, BTreeMap<String, ApiProbe>>,
}

struct ApiProbe {
    code: String,
    /// Variants of the same surface with precedence.
    unless: Vec<String>,
}

/// Name of the example for a probe.
pub(super) fn example(surface: &str, variant: &str) -> String {
    format!("{surface}--{variant}")
}

impl ProbeSet {
    /// Reads the probes in `folder`; `None` if the folder is missing.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, BuildError> {
        if !folder.is_dir() {
            return Ok(None);
        }
        let prelude = read(&folder.join(PRELUDE))?;
        let mut surfaces = BTreeMap::new();
        for path in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
            let mut variants = BTreeMap::new();
            for file in
                entries(&path)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs"))
            {
                let code = read(&file)?;
                let unless = code.lines().find_map(|line| line.strip_prefix(UNLESS));
                let unless = unless.unwrap_or_default().split(", ").map(ToOwned::to_owned);
                let unless = unless.filter(|name| !name.is_empty()).collect();
                variants.insert(stem(&file), ApiProbe { code, unless });
            }
            surfaces.insert(stem(&path), variants);
        }
        Ok(Some(Self { prelude, surfaces }))
    }

    /// Replaces the content of `folder` by one example per probe.
    pub(super) fn write(&self, folder: &Path) -> Result<(), BuildError> {
        let write = || -> io::Result<()> {
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
            fs::create_dir_all(folder)?;
            for (surface, variants) in &self.surfaces {
                for (variant, probe) in variants {
                    let path = folder.join(format!("{}.rs", example(surface, variant)));
                    fs::write(path, format!("{}{}", self.prelude, probe.code))?;
                }
            }
            Ok(())
        };
        write().map_err(BuildError::io("write", folder))
    }

    /// Whether cargo compiled or refused every probe.
    pub(super) fn complete(&self, outcomes: &ProbeOutcomes) -> bool {
        self.surfaces.iter().all(|(surface, variants)| {
            variants.keys().all(|variant| outcomes.probes.contains_key(&example(surface, variant)))
        })
    }

    /// The one variant of each surface that fits.
    ///
    /// # Errors
    /// [`Incompatibility::Surface`] for the first surface without exactly one fitting variant.
    pub(super) fn judge(&self, outcomes: &ProbeOutcomes) -> Result<Surfaces, Incompatibility> {
        let one = |(surface, variants): (&String, &BTreeMap<String, ApiProbe>)| {
            let outcome = |variant: &str| outcomes.probes.get(&example(surface, variant));
            let compiles = |variant: &str| outcome(variant).is_some_and(Result::is_ok);
            let fits: Vec<&String> = (variants.iter())
                .filter(|(name, probe)| {
                    compiles(name) && !probe.unless.iter().any(|other| compiles(other))
                })
                .map(|(name, _)| name)
                .collect();
            if let [only] = fits[..] {
                return Ok((surface.clone(), only.clone()));
            }
            let mut failed = variants.keys().filter_map(|variant| outcome(variant)?.as_ref().err());
            let error = if fits.is_empty() { failed.next().cloned() } else { None };
            Err(Incompatibility::Surface {
                surface: surface.clone(),
                fits: fits.into_iter().cloned().collect(),
                error: error.unwrap_or_default(),
            })
        };
        self.surfaces.iter().map(one).collect()
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<String, BuildError> {
    fs::read_to_string(path).map_err(BuildError::io("read", path))
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let entries = fs::read_dir(folder).map_err(BuildError::io("read", folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe_set(folder: &Path) -> ProbeSet {
        for (path, text) in [
            ("prelude.rs", "use lib::*;\nfn main() {}\n"),
            ("io/new.rs", "fn probe() { new(); }\n"),
            ("io/old.rs", "fn probe() { old(); }\n"),
            ("kind/absent.rs", "fn probe() { absent(); }\n"),
            ("kind/told.rs", "// unless: absent\nfn probe() { told(); }\n"),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        ProbeSet::read(folder).unwrap().unwrap()
    }

    fn outcomes(compile: &[&str]) -> ProbeOutcomes {
        let all = ["io--new", "io--old", "kind--absent", "kind--told"];
        let of = |name: &&str| {
            let error = || format!("error: no {name}");
            let outcome = compile.contains(name).then_some(()).ok_or_else(error);
            ((*name).to_owned(), outcome)
        };
        ProbeOutcomes { probes: all.iter().map(of).collect(), library: None }
    }

    #[test]
    fn one_variant_of_each_surface_fits_or_the_surface_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let probes = probe_set(folder.path());
        let found = probes.judge(&outcomes(&["io--old", "kind--told"])).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(s, v)| (&**s, &**v)).collect();
        assert_eq!(found, [("io", "old"), ("kind", "told")]);
        let one = probes.judge(&outcomes(&["io--new", "kind--told", "kind--absent"])).unwrap();
        assert_eq!(one["kind"], "absent", "`told` gives way");

        let none = probes.judge(&outcomes(&["io--old"])).unwrap_err();
        assert_eq!(none.surface(), Some("kind"));
        assert_eq!(none.first_error(), "error: no kind--absent");
        let both = probes.judge(&outcomes(&["io--new", "io--old", "kind--told"])).unwrap_err();
        assert_eq!(both.first_error(), "several variants fit: new, old");
    }

    #[test]
    fn probes_without_an_answer_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let probes = probe_set(folder.path());
        let mut outcomes = outcomes(&[]);
        assert!(probes.complete(&outcomes));
        outcomes.probes.remove("io--new");
        assert!(!probes.complete(&outcomes));
    }

    #[test]
    fn probes_are_written_behind_the_prelude() {
        let folder = tempfile::tempdir().unwrap();
        let probes = probe_set(&folder.path().join("probes"));
        let examples = folder.path().join("examples");
        fs::create_dir(&examples).unwrap();
        fs::write(examples.join("gone--old.rs"), "").unwrap();
        probes.write(&examples).unwrap();
        let written = entries(&examples).unwrap();
        assert_eq!(written.len(), 4, "{written:?}");
        let text = fs::read_to_string(examples.join("io--new.rs")).unwrap();
        assert_eq!(text, "use lib::*;\nfn main() {}\nfn probe() { new(); }\n");
        assert!(ProbeSet::read(&folder.path().join("none")).unwrap().is_none());
    }
}

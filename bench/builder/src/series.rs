//! The newest release of a series in the registry, or the one that the system has.

use crate::{Builder, Catalog, CatalogError, CrateSource, Release, lockfile::Lockfile, source};
use shakedown_protocol::{Subject, SubjectVersion};
use std::fs;

/// Timeout of a query in seconds. Without the registry, the catalog's list is used.
const PATIENCE: &str = "http.timeout=10";

impl Builder {
    /// `subject` with the newest release of its series. `None` if the registry does not have the
    /// stack's releases under their own numbers, the subject names no series, or neither the registry
    /// nor cargo's cache of it has a release of the series.
    pub(crate) fn newest_of_series(&self, catalog: &Catalog, subject: &Subject) -> Option<Subject> {
        let stack = catalog.stack(&subject.stack)?;
        let registry = stack.registry.as_ref()?;
        let since = registry.since.as_ref()?;
        let series = match &subject.version {
            SubjectVersion::Newest => stack.default.to_string(),
            SubjectVersion::Release(text) => text.clone(),
            _ => return None,
        };
        let wanted = requirement(&series)?;
        let newest = self.newest(registry, &wanted, &[]);
        let newest = newest.or_else(|| self.newest(registry, &wanted, &["--offline"]))?;
        let prefix: Release = series.parse().ok()?;
        // What cargo remembers may be older than what the catalog lists.
        let listed = stack.known().into_iter().map(|known| &known.version);
        let listed = listed.filter(|release| release.within(&prefix) && !release.is_pre());
        let newest = listed.chain([&newest]).max()?;
        (newest >= since).then(|| Subject {
            version: SubjectVersion::Release(newest.to_string()),
            ..subject.clone()
        })
    }

    /// `subject` with the release that the system has, if its stack comes from the system and the name
    /// covers that release.
    pub(crate) fn installed(&self, catalog: &Catalog, subject: &Subject) -> Option<Subject> {
        let stack = catalog.stack(&subject.stack)?;
        let release = source::installed(self.caller(), stack.system.as_ref()?)?;
        let series = match &subject.version {
            SubjectVersion::Newest => stack.default.clone(),
            SubjectVersion::Release(text) => text.parse().ok()?,
            _ => return None,
        };
        release.within(&series).then(|| Subject {
            version: SubjectVersion::Release(release.to_string()),
            ..subject.clone()
        })
    }

    /// The releases between two, both included, the older ones first: those that the catalog lists,
    /// and those of the registry where it has the stack's releases under their own numbers. Releases
    /// that were withdrawn and pre-releases are not asked for.
    ///
    /// # Errors
    /// [`CatalogError::Stack`] for an unknown stack.
    pub fn releases_between(
        &self,
        catalog: &Catalog,
        stack: &str,
        [first, last]: [&Release; 2],
    ) -> Result<Vec<Release>, CatalogError> {
        let any = Subject {
            stack: stack.to_owned(),
            version: SubjectVersion::Release(last.to_string()),
            variants: Vec::new(),
        };
        let stack = catalog.resolve(&any)?.stack;
        let inside = |release: &Release| first < release && release < last;
        let known = stack.known().into_iter().map(|known| known.version.clone());
        let mut found: Vec<Release> = known.filter(|release| inside(release)).collect();
        if let Some(registry) = stack.registry.as_ref().filter(|registry| registry.since.is_some())
        {
            let mut before = last.clone();
            let older = |before: &Release| {
                let wanted = format!(">{first}, <{before}");
                let newest = self.newest(registry, &wanted, &[]);
                newest.or_else(|| self.newest(registry, &wanted, &["--offline"]))
            };
            while let Some(release) = older(&before).filter(|release| *release < before) {
                before = release.clone();
                found.push(release);
            }
        }
        found.extend([first.clone(), last.clone()]);
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The newest release that cargo finds for a requirement.
    pub(crate) fn newest(
        &self,
        registry: &CrateSource,
        wanted: &str,
        options: &[&str],
    ) -> Option<Release> {
        let name = &registry.name;
        let manifest = format!(
            "[package]\nname = \"newest\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
             [dependencies]\n{name} = {{ version = \"{wanted}\", default-features = false }}\n"
        );
        let folder = tempfile::tempdir().ok()?;
        fs::create_dir(folder.path().join("src")).ok()?;
        fs::write(folder.path().join("src/lib.rs"), "").ok()?;
        fs::write(folder.path().join("Cargo.toml"), manifest).ok()?;
        let mut command = self.cargo();
        command.args(["generate-lockfile", "--quiet", "--config", PATIENCE]);
        command.args(["--config", "net.retry=0"]).args(options).current_dir(folder.path());
        if !command.output().ok()?.status.success() {
            return None;
        }
        let lock = fs::read_to_string(folder.path().join("Cargo.lock")).ok()?;
        Lockfile::parse(&lock).ok()?.named(name).first()?.version.parse().ok()
    }
}

/// Cargo's requirement for a series: one or two of the three numbers of a release. Pre-releases match
/// only if there is nothing else. `None` if the text is not a series.
fn requirement(series: &str) -> Option<String> {
    let numbers: Vec<u64> =
        series.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [major] => Some(format!("~{major}")),
        [major, minor] => Some(format!(">={major}.{minor}.0-0, <{major}.{}.0", minor + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_a_number_that_is_not_written_in_full() {
        assert_eq!(requirement("0").as_deref(), Some("~0"));
        assert_eq!(requirement("0.23").as_deref(), Some(">=0.23.0-0, <0.24.0"));
        for other in ["0.23.46", "0.24-dev", "0.24.0-dev.2", "x", ""] {
            assert_eq!(requirement(other), None, "{other}");
        }
    }
}

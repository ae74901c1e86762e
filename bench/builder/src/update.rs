//! Finds releases that are missing in the catalog, and adds them.

use crate::{
    BuildError, Builder, Catalog, CatalogStack, Release, ResolvedSubject,
    catalog::{CatalogError, GitSource, KnownRelease},
    source,
};
use shakedown_protocol::{Subject, SubjectVersion};
use std::collections::BTreeMap;

/// A release without a catalog entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRelease {
    /// Its number.
    pub release: Release,
    /// Its tag in the stack's repository; `None` for a toolchain, whose number suffices.
    pub tag: Option<String>,
    /// The commit that the tag names today.
    pub commit: Option<String>,
}

/// What is new where a stack's releases appear first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamReleases {
    /// The commit of the repository's `HEAD`; `None` for an empty repository, and without one.
    pub head: Option<String>,
    /// Releases that the catalog lacks, oldest first. Of a repository: those newer than the catalog's
    /// oldest. Of toolchains, where the catalog has examples: the newest of each series from the oldest one
    /// of the catalog on.
    pub new: Vec<NewRelease>,
}

impl Builder {
    /// Asks the stack's repository for its `HEAD` and its releases, or the module proxy for the toolchains of
    /// Go. A stack with neither has none, one without a pattern for its tags no releases.
    ///
    /// # Errors
    /// [`BuildError::Tools`] without git or Go, [`BuildError::Network`] or [`BuildError::Source`]
    /// when the repository or the list can't be read.
    pub fn upstream(&self, stack: &CatalogStack) -> Result<UpstreamReleases, BuildError> {
        if let Some(toolchain) = &stack.toolchain {
            let newest = stack.known().last().map(|known| &known.version);
            let listed = source::go_releases(self.caller(), toolchain, newest)?;
            return Ok(UpstreamReleases { head: None, new: new_toolchains(stack, &listed) });
        }
        let Some(git) = &stack.git else {
            return Ok(UpstreamReleases { head: None, new: Vec::new() });
        };
        let refs = self.refs(&git.url)?;
        let head = refs.get("HEAD").cloned();
        let all = releases(git, &refs)?;
        let known = stack.known();
        let superseded = |new: &NewRelease| all.iter().any(|a| new.release.is_pre_of(&a.release));
        let new = all
            .iter()
            .filter(|new| known.iter().all(|known| known.version != new.release))
            .filter(|new| known.first().is_none_or(|oldest| oldest.version < new.release))
            .filter(|new| !superseded(new))
            .cloned()
            .collect();
        Ok(UpstreamReleases { head, new })
    }

    /// Like [`Catalog::resolve`], but also queries upstream. If the stack's releases come from a
    /// registry, a series means the newest release there, and any release there has its number; if they come from the system, the one that
    /// is installed. A release without a catalog entry means
    /// the commit of its tag in the stack's repository.
    ///
    /// # Errors
    /// [`CatalogError`] for an unknown name, with the answer of the repository.
    pub fn resolve(
        &self,
        catalog: &Catalog,
        subject: &Subject,
    ) -> Result<ResolvedSubject, CatalogError> {
        let newest = self.newest_of_series(catalog, subject);
        let newest = newest.or_else(|| self.installed(catalog, subject));
        let subject = newest.as_ref().unwrap_or(subject);
        let error = match catalog.resolve(subject) {
            Err(error @ CatalogError::Version { .. }) => error,
            other => return other,
        };
        let stack = catalog.stack(&subject.stack);
        let registry = stack.map(|stack| self.registry_releases(stack)).unwrap_or_default();
        let found = catalog.with_releases(&subject.stack, registry).resolve(subject);
        if !matches!(found, Err(CatalogError::Version { .. })) {
            return found;
        }
        let git = stack.and_then(|stack| stack.git.as_ref()).filter(|git| git.tags.is_some());
        let number = matches!(&subject.version, SubjectVersion::Release(text) if text.parse::<Release>().is_ok());
        let (Some(git), true) = (git, number) else { return Err(error) };
        let said = match self.refs(&git.url).and_then(|refs| releases(git, &refs)) {
            Ok(tagged) => {
                let tagged = tagged.into_iter().map(NewRelease::known).collect();
                let found = catalog.with_releases(&subject.stack, tagged).resolve(subject);
                match found {
                    Err(CatalogError::Version { .. }) => {
                        format!(", and {} has no tag of it", git.url)
                    }
                    other => return other,
                }
            }
            Err(error) => format!(", and its repository did not answer ({error})"),
        };
        Err(error.with_upstream(said))
    }

    /// The commit of every reference of a repository; for an annotated tag the tagged commit.
    fn refs(&self, url: &str) -> Result<BTreeMap<String, String>, BuildError> {
        let mut command = self.caller().command("git");
        command.env("GIT_TERMINAL_PROMPT", "0").args(["-c", "protocol.ext.allow=never"]);
        command.args(["ls-remote", "--end-of-options", url, "HEAD", "refs/tags/*"]);
        let output = command.output().map_err(|_| BuildError::Tools {
            subject: format!("the list of releases of {url}"),
            missing: vec!["git".to_owned()],
            install: "apt-get install git".to_owned(),
        })?;
        if !output.status.success() {
            let tail = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            if crate::call::network_to_blame(&tail) && url.contains("://") {
                return Err(BuildError::Network { what: url.to_owned(), tail });
            }
            let what = format!("can't read the repository {url}:\n{tail}");
            return Err(BuildError::Source { what, log: None });
        }
        Ok(commits(&String::from_utf8_lossy(&output.stdout)))
    }
}

impl NewRelease {
    /// How it is measured before it is in the catalog.
    pub fn subject(&self, stack: &str) -> String {
        self.tag
            .as_ref()
            .map_or_else(|| format!("{stack}@{}", self.release), |tag| format!("{stack}@git:{tag}"))
    }

    fn known(self) -> KnownRelease {
        KnownRelease {
            version: self.release,
            tag: self.tag,
            commit: self.commit,
            crate_version: None,
            tarball: None,
            sha256: String::new(),
        }
    }
}

/// The newest of each series that the catalog does not have, in the order of `listed`, the oldest first.
fn new_toolchains(stack: &CatalogStack, listed: &[Release]) -> Vec<NewRelease> {
    let known: Vec<&Release> = stack.known().into_iter().map(|known| &known.version).collect();
    let superseded = |release: &Release| {
        let mut all = listed.iter().chain(known.iter().copied());
        all.any(|other| other > release && other.is_of_series_of(release))
    };
    let new = listed.iter().filter(|new| !known.contains(new) && !superseded(new));
    let new = new.filter(|new| known.first().is_none_or(|oldest| *oldest < *new));
    new.map(|new| NewRelease { release: new.clone(), tag: None, commit: None }).collect()
}

/// The releases among the references of a repository, oldest first.
fn releases(
    git: &GitSource,
    refs: &BTreeMap<String, String>,
) -> Result<Vec<NewRelease>, BuildError> {
    let Some(pattern) = &git.tags else { return Ok(Vec::new()) };
    let pattern = regex::Regex::new(pattern)
        .map_err(|error| BuildError::Source { what: error.to_string(), log: None })?;
    let tags = refs.iter().filter_map(|(name, id)| Some((name.strip_prefix("refs/tags/")?, id)));
    let mut found: Vec<NewRelease> = tags
        .filter_map(|(tag, commit)| {
            let number = pattern.captures(tag)?.get(1)?.as_str().replace('_', ".");
            let release = number.parse().ok()?;
            let (tag, commit) = (Some(tag.to_owned()), Some(commit.clone()));
            Some(NewRelease { release, tag, commit })
        })
        .collect();
    found.sort_by(|a, b| a.release.cmp(&b.release));
    found.dedup_by(|a, b| a.release == b.release);
    Ok(found)
}

/// Reads what `git ls-remote` prints. An annotated tag has two lines, the second, ending in
/// `^{}`, with the commit.
fn commits(text: &str) -> BTreeMap<String, String> {
    let mut commits = BTreeMap::new();
    for (id, name) in text.lines().filter_map(|line| line.split_once('\t')) {
        match name.strip_suffix("^{}") {
            Some(tag) => _ = commits.insert(tag.to_owned(), id.to_owned()),
            None => _ = commits.entry(name.to_owned()).or_insert_with(|| id.to_owned()),
        }
    }
    commits
}

/// The text of a stack's file with releases appended to its list. Everything else stays, including
/// comments.
///
/// # Errors
/// When `text` is not TOML, or its releases are not written as `[[release]]`.
pub fn with_releases(text: &str, new: &[NewRelease]) -> Result<String, String> {
    let mut file: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let releases = file
        .get_mut("release")
        .and_then(toml_edit::Item::as_array_of_tables_mut)
        .ok_or("it has no [[release]] to add to")?;
    for addition in new {
        let mut table = toml_edit::Table::new();
        // A line between this one and the one before it.
        table.decor_mut().set_prefix("\n");
        table.set_position(releases.iter().last().and_then(toml_edit::Table::position));
        table["version"] = toml_edit::value(addition.release.to_string());
        for (key, text) in [("tag", &addition.tag), ("commit", &addition.commit)] {
            if let Some(text) = text {
                table[key] = toml_edit::value(text.as_str());
            }
        }
        releases.push(table);
    }
    Ok(file.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_its_commit_however_it_was_made() {
        let text = "aa\tHEAD\nbb\trefs/tags/light\ncc\trefs/tags/signed\ndd\trefs/tags/signed^{}\n";
        let found = commits(text);
        assert_eq!(found["HEAD"], "aa");
        assert_eq!(found["refs/tags/light"], "bb");
        assert_eq!(found["refs/tags/signed"], "dd");
        assert_eq!(commits("warning: redirecting\n\n"), BTreeMap::new());
    }

    #[test]
    fn releases_are_added_behind_the_others_and_nothing_else_changes() {
        let text = "name = \"t\" # why\n\n[[release]]\nversion = \"1.0.0\"\nsha256 = \"x\"\n\n[[driver]]\npackage = \"t\"\n";
        let new = NewRelease {
            release: "1.1.0".parse().unwrap(),
            tag: Some("v1.1.0".to_owned()),
            commit: Some("0123".to_owned()),
        };
        let written = with_releases(text, &[new]).unwrap();
        let expected = text.replace(
            "\n[[driver]]",
            "\n[[release]]\nversion = \"1.1.0\"\ntag = \"v1.1.0\"\ncommit = \"0123\"\n\n[[driver]]",
        );
        assert_eq!(written, expected);
        assert_eq!(with_releases(text, &[]).unwrap(), text);
        assert!(with_releases("name = \"t\"", &[]).is_err());
    }
}

//! Resolves a name from the command line to one buildable subject.

use super::{
    Catalog, CatalogError, CatalogStack, KnownRelease, SystemSource, Variant,
    chosen::chosen_variants, error::near, range,
};
use crate::Release;
use shakedown_protocol::{Subject, SubjectVersion};
use std::{collections::BTreeMap, env::consts::ARCH, path::PathBuf, sync::Arc};

/// A subject that can be built.
#[derive(Debug, Clone)]
pub struct ResolvedSubject {
    /// Its name, with the resolved release and without default variants.
    pub subject: Subject,
    /// Its stack.
    pub stack: Arc<CatalogStack>,
    /// Where its code comes from.
    pub source: ResolvedSource,
    /// Whether its in-tree benchmark measures it instead of a driver.
    pub in_tree: bool,
    /// Folder in its tree whose driver replaces ours, if the tree has it.
    pub own_driver: Option<String>,
}

/// Where a subject's code comes from.
#[derive(Debug, Clone)]
pub enum ResolvedSource {
    /// A release that the catalog knows.
    Release(KnownRelease),
    /// A revision of a git repository.
    Git {
        /// Repository.
        url: String,
        /// Commit, tag, branch or `HEAD`.
        revision: String,
    },
    /// An archive.
    Tarball {
        /// File or URL.
        location: String,
        /// Expected SHA-256.
        sha256: String,
    },
    /// A tree on this machine.
    Path(PathBuf),
    /// What the system has, if it is of this release or series.
    System(SystemSource, Release),
    /// The driver itself, for a stack without a library; the catalog has its release number.
    Driver(Release),
}

impl ResolvedSubject {
    /// The same subject, measured by its in-tree benchmark.
    #[must_use]
    pub fn in_tree(self) -> Self {
        Self { in_tree: true, ..self }
    }

    /// The same subject, measured with the driver in this folder of its tree, if it has one.
    #[must_use]
    pub fn with_own_driver(self, folder: Option<String>) -> Self {
        Self { own_driver: folder, ..self }
    }

    /// The variants that apply: those in the name, and the defaults of all other groups.
    pub fn variants(&self) -> Vec<&Variant> {
        let named = |variant: &Variant| self.subject.variants.contains(&variant.name);
        let all = &self.stack.variants;
        let taken = |group: &Option<String>| all.iter().any(|v| v.group == *group && named(v));
        all.iter().filter(|v| named(v) || (v.default && !taken(&v.group))).collect()
    }

    /// What the driver runs with on this machine.
    pub(crate) fn run_environment(&self) -> BTreeMap<String, String> {
        let own = self.variants().into_iter().filter_map(|v| v.run_environment.get(ARCH));
        own.flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Whether this is the stack's reference build, or a further choice on top of it.
    pub fn is_reference(&self) -> bool {
        let variants = self.variants();
        let has = |name: &String| variants.iter().any(|variant| variant.name == *name);
        !self.stack.reference.is_empty() && self.stack.reference.iter().all(has)
    }

    /// Whether `release` has every variant in the name.
    ///
    /// # Errors
    /// [`CatalogError::VariantVersion`] for the first that is not.
    pub(crate) fn check_variants(&self, release: &Release) -> Result<(), CatalogError> {
        let wrong = self
            .variants()
            .into_iter()
            .find(|v| !range::in_range(release, v.since.as_ref(), v.before.as_ref()));
        match wrong {
            None => Ok(()),
            Some(variant) => Err(CatalogError::VariantVersion {
                stack: self.stack.name.clone(),
                version: release.to_string(),
                variant: variant.name.clone(),
                reason: format!(
                    "it is for {}",
                    range::range_text(variant.since.as_ref(), variant.before.as_ref())
                ),
            }),
        }
    }
}

impl Catalog {
    /// `subject` as its stack's reference build. Variants that it names stay, and so does the
    /// choice of each group that it names one of: `rustls+glibc` stays without jemalloc.
    pub fn reference(&self, subject: &Subject) -> Subject {
        let mut subject = subject.clone();
        let Some(stack) = self.stacks.get(&subject.stack) else { return subject };
        let named = |name: &String| subject.variants.contains(name);
        let chosen = |group: &Option<String>| {
            group.is_some() && stack.variants.iter().any(|v| v.group == *group && named(&v.name))
        };
        let excludes = |variant: &Variant| {
            let other = |name: &String| {
                stack.variant(name).is_some_and(|o| o.conflicts.contains(&variant.name))
            };
            subject.variants.iter().any(|name| variant.conflicts.contains(name) || other(name))
        };
        let adds = stack.reference.iter().filter_map(|name| stack.variant(name));
        let adds = adds.filter(|v| !named(&v.name) && !chosen(&v.group) && !excludes(v));
        let adds: Vec<String> = adds.map(|variant| variant.name.clone()).collect();
        subject.variants.extend(adds);
        subject.variants.sort();
        subject
    }

    /// Resolves a name: `openssl@3.5` is the newest known 3.5.x, no version means the stack's default
    /// series, and a pre-release is chosen only if nothing else matches.
    ///
    /// # Errors
    /// [`CatalogError`] with similar names for an unknown stack, version or variant.
    pub fn resolve(&self, subject: &Subject) -> Result<ResolvedSubject, CatalogError> {
        let stack = self.stacks.get(&subject.stack).ok_or_else(|| CatalogError::Stack {
            found: subject.stack.clone(),
            near: near(&subject.stack, self.stacks.keys().map(String::as_str)),
            known: self.stacks.keys().cloned().collect(),
        })?;
        let variants = chosen_variants(stack, &subject.variants)?;
        let (version, source) = match &stack.system {
            Some(system) => (subject.version.clone(), installed(stack, system, &subject.version)?),
            None => named(stack, &subject.version)?,
        };
        let subject = Subject { stack: stack.name.clone(), version, variants };
        let resolved = ResolvedSubject {
            subject,
            stack: Arc::clone(stack),
            source,
            in_tree: false,
            own_driver: None,
        };
        if let ResolvedSource::Release(known) = &resolved.source {
            resolved.check_variants(&known.version)?;
        }
        Ok(resolved)
    }
}

/// A version of a stack that is built from source.
fn named(
    stack: &CatalogStack,
    version: &SubjectVersion,
) -> Result<(SubjectVersion, ResolvedSource), CatalogError> {
    Ok(match version {
        SubjectVersion::Newest if stack.is_bare() => (
            SubjectVersion::Release(stack.default.to_string()),
            ResolvedSource::Driver(stack.default.clone()),
        ),
        SubjectVersion::Release(text) if stack.is_bare() && *text == stack.default.to_string() => {
            (version.clone(), ResolvedSource::Driver(stack.default.clone()))
        }
        SubjectVersion::Newest => release(stack, &stack.default.to_string())?,
        SubjectVersion::Release(text) => release(stack, text)?,
        _ if stack.toolchain.is_some() => {
            return Err(CatalogError::ToolchainOnly { stack: stack.name.clone() });
        }
        SubjectVersion::Git { url, revision } => {
            let default = || stack.git.as_ref().map(|git| git.url.clone());
            let from = url
                .clone()
                .or_else(default)
                .ok_or_else(|| CatalogError::NoRepository { stack: stack.name.clone() })?;
            (version.clone(), ResolvedSource::Git { url: from, revision: revision.clone() })
        }
        SubjectVersion::Path(path) => (version.clone(), ResolvedSource::Path(path.into())),
        SubjectVersion::Tarball { location, sha256 } => (
            version.clone(),
            ResolvedSource::Tarball { location: location.clone(), sha256: sha256.clone() },
        ),
    })
}

/// What the system has, of the release or series that is asked for.
fn installed(
    stack: &CatalogStack,
    system: &SystemSource,
    version: &SubjectVersion,
) -> Result<ResolvedSource, CatalogError> {
    let only = || CatalogError::SystemOnly { stack: stack.name.clone() };
    let series = match version {
        SubjectVersion::Newest => stack.default.clone(),
        SubjectVersion::Release(text) => text.parse().map_err(|_| only())?,
        _ => return Err(only()),
    };
    Ok(ResolvedSource::System(system.clone(), series))
}

/// The newest release that `text` names or covers.
fn release(
    stack: &CatalogStack,
    text: &str,
) -> Result<(SubjectVersion, ResolvedSource), CatalogError> {
    let known = stack.known();
    let wanted = text.parse::<Release>().ok();
    let found = wanted.and_then(|wanted| {
        let exact = known.iter().find(|k| k.version.to_string() == text);
        let covered = || known.iter().filter(|k| k.version.within(&wanted));
        exact.or_else(|| covered().rfind(|k| !k.version.is_pre())).or_else(|| covered().next_back())
    });
    if let Some(unlisted) = found.is_none().then(|| unlisted(stack, text)).flatten() {
        return Ok((SubjectVersion::Release(text.to_owned()), ResolvedSource::Release(unlisted)));
    }
    let Some(found) = found else {
        let bare = stack.is_bare().then(|| stack.default.to_string());
        let names = known.iter().map(|k| k.version.to_string()).chain(bare);
        let names: Vec<String> = names.collect();
        return Err(CatalogError::Version {
            stack: stack.name.clone(),
            found: text.to_owned(),
            near: near(text, names.iter().map(String::as_str)),
            known: names,
            upstream: String::new(),
        });
    };
    let source = match (&found.commit, &stack.git) {
        (Some(commit), Some(git)) => {
            ResolvedSource::Git { url: git.url.clone(), revision: commit.clone() }
        }
        _ => ResolvedSource::Release((*found).clone()),
    };
    Ok((SubjectVersion::Release(found.version.to_string()), source))
}

/// A release of the stack's crate, or of Go, without a catalog entry: a full number, not older than the
/// first one that needs no entry.
fn unlisted(stack: &CatalogStack, text: &str) -> Option<KnownRelease> {
    let of_crate = stack.registry.as_ref().and_then(|registry| registry.since.as_ref());
    let since = of_crate.or(stack.toolchain.as_ref().map(|toolchain| &toolchain.since))?;
    let version: Release = text.parse().ok()?;
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let full = numbers.split('.').count() == 3;
    (full && version >= *since).then(|| KnownRelease {
        version,
        crate_version: None,
        tarball: None,
        tag: None,
        commit: None,
        sha256: String::new(),
    })
}

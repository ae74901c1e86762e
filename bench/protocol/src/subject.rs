//! One thing under test, and its name.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt, str::FromStr};

/// Which code of a stack: the part of a subject's name behind `@`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubjectVersion {
    /// The newest release that the catalog knows; written as nothing at all.
    Newest,
    /// A release number, whole (`3.5.5`) or a prefix of one (`3.5`).
    Release(String),
    /// A git revision (`git:HEAD`, `git:v0.23.46`), of the stack's own repository or of
    /// another one (`git:URL#REVISION`).
    Git {
        /// Repository, where it is not the catalog's.
        url: Option<String>,
        /// Commit, tag, branch or `HEAD`.
        revision: String,
    },
    /// A source tree on this machine (`path:../rustls`).
    Path(String),
    /// An archive with its digest (`tarball:FILE-OR-URL#SHA256`).
    Tarball {
        /// File or URL.
        location: String,
        /// SHA-256 in lower-case hexadecimal.
        sha256: String,
    },
}

/// A stack, a version of it and how it is built: `openssl@3.5.5+no-ml-kem+clang`.
///
/// ```
/// use shakedown_protocol::{Subject, SubjectVersion};
/// let subject: Subject = "rustls@git:HEAD+ring".parse().unwrap();
/// assert_eq!(subject.stack, "rustls");
/// assert_eq!(subject.variants, ["ring"]);
/// assert_eq!(subject.to_string(), "rustls@git:HEAD+ring");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Library family.
    pub stack: String,
    /// Which code.
    pub version: SubjectVersion,
    /// Build variants, sorted, each once.
    pub variants: Vec<String>,
}

impl Subject {
    /// The subject that a series is of: see [`RunRecord::followed_names`].
    ///
    /// [`RunRecord::followed_names`]: crate::RunRecord::followed_names
    pub(crate) fn followed(&self, resolved: &Self) -> Self {
        match (&self.version, &resolved.version) {
            (SubjectVersion::Git { revision, .. }, SubjectVersion::Git { url, .. }) => {
                let version = SubjectVersion::Git { url: url.clone(), revision: revision.clone() };
                Self { version, ..resolved.clone() }
            }
            _ => resolved.clone(),
        }
    }
}

/// Why a text is not a subject.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// The stack's name is empty or has characters that names don't have.
    #[error(
        "`{0}` is not a subject: write stack@version[+variant...], such as openssl@3.5 or rustls@0.23+ring"
    )]
    Stack(String),
    /// A version that is empty or malformed.
    #[error(
        "`{0}` is not a version: write a release (3.5.5), git:REVISION, git:URL#REVISION, path:DIR or tarball:FILE#SHA256"
    )]
    Version(String),
    /// A variant that is empty, malformed or named twice.
    #[error(
        "`{0}` is not a build variant, or stands there twice: write +name, such as +ring or +clang"
    )]
    Variant(String),
}

/// Whether a text can stand as a stack, variant or release in a name: these become parts of
/// paths and ids, so that nothing but letters, digits and `.-_` may be in them.
fn plain(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['.', '-'])
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// Whether a text can be part of a location: it has no control characters, and programs don't take
/// it for an option.
fn location(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.chars().any(char::is_control)
}

impl FromStr for SubjectVersion {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || SubjectError::Version(text.to_owned());
        if let Some(git) = text.strip_prefix("git:") {
            let (url, revision) = match git.rsplit_once('#') {
                Some((url, revision)) => (Some(url.to_owned()), revision.to_owned()),
                None => (None, git.to_owned()),
            };
            let sound = location(&revision) && url.as_deref().is_none_or(location);
            return if sound { Ok(Self::Git { url, revision }) } else { Err(wrong()) };
        }
        if let Some(path) = text.strip_prefix("path:") {
            return if location(path) { Ok(Self::Path(path.to_owned())) } else { Err(wrong()) };
        }
        if let Some(tarball) = text.strip_prefix("tarball:") {
            let (location_text, sha256) = tarball.rsplit_once('#').ok_or_else(wrong)?;
            let digest = sha256.len() == 64
                && sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
            return if digest && location(location_text) {
                Ok(Self::Tarball { location: location_text.to_owned(), sha256: sha256.to_owned() })
            } else {
                Err(wrong())
            };
        }
        if plain(text) { Ok(Self::Release(text.to_owned())) } else { Err(wrong()) }
    }
}

impl FromStr for Subject {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, variants) = match text.split_once('+') {
            Some((name, variants)) => (name, variants.split('+').collect()),
            None => (text, Vec::new()),
        };
        let (stack, version) = match name.split_once('@') {
            Some((stack, version)) => (stack, version.parse()?),
            None => (name, SubjectVersion::Newest),
        };
        if !plain(stack) {
            return Err(SubjectError::Stack(text.to_owned()));
        }
        let mut sorted: Vec<String> = Vec::with_capacity(variants.len());
        for variant in variants {
            if !plain(variant) || sorted.iter().any(|v| v == variant) {
                return Err(SubjectError::Variant(variant.to_owned()));
            }
            sorted.push(variant.to_owned());
        }
        sorted.sort();
        Ok(Self { stack: stack.to_owned(), version, variants: sorted })
    }
}

impl fmt::Display for SubjectVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newest => Ok(()),
            Self::Release(number) => f.write_str(number),
            Self::Git { url: None, revision } => write!(f, "git:{revision}"),
            Self::Git { url: Some(url), revision } => write!(f, "git:{url}#{revision}"),
            Self::Path(path) => write!(f, "path:{path}"),
            Self::Tarball { location, sha256 } => write!(f, "tarball:{location}#{sha256}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stack)?;
        if self.version != SubjectVersion::Newest {
            write!(f, "@{}", self.version)?;
        }
        self.variants.iter().try_for_each(|variant| write!(f, "+{variant}"))
    }
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Subject {
    fn schema_name() -> Cow<'static, str> {
        "Subject".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "stack[@version][+variant...]",
            "examples": ["openssl@3.5.5", "rustls@0.23.46+ring"],
        })
    }
}

/// Whether a text is a full commit id, of SHA-1 or SHA-256.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn printing_then_parsing_is_the_identity(
            stack in "[a-z][a-z0-9-]{0,8}",
            version in prop_oneof![
                Just(String::new()),
                "@[0-9]\\.[0-9]{1,2}(\\.[0-9])?",
                "@git:[a-zA-Z0-9/._]{1,12}",
                "@git:https://example\\.org/[a-z]{1,8}#[a-f0-9]{7,40}",
                "@path:[./][a-z/. ]{0,12}",
                "@tarball:/[a-z/]{1,12}\\.tar\\.gz#[a-f0-9]{64}",
            ],
            variants in proptest::collection::btree_set("[a-z][a-z0-9-]{0,6}", 0..4)
        ) {
            let mut name = format!("{stack}{version}");
            for variant in &variants { name.push('+'); name.push_str(variant); }
            prop_assert_eq!(name.parse::<Subject>().unwrap().to_string(), name);
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,60}") {
            let _ = text.parse::<Subject>();
        }
    }

    #[test]
    fn refuses_what_could_be_mistaken() {
        for name in [
            "",
            "@3.5",
            "open ssl@3.5",
            "openssl@",
            "openssl@3.5+",
            "openssl@3.5+a+a",
            "openssl@../x",
            "rustls@git:--upload-pack=x",
            "rustls@path:",
            "x@tarball:f#12",
            "openssl@3.5\n",
            "../x@1",
            "rustls@git:",
        ] {
            assert!(name.parse::<Subject>().is_err(), "{name:?} must not parse");
        }
    }

    #[test]
    fn the_order_of_variants_does_not_make_another_subject() {
        let one: Subject = "openssl@3.5.5+no-ml-kem+clang".parse().unwrap();
        let two: Subject = "openssl@3.5.5+clang+no-ml-kem".parse().unwrap();
        assert_eq!(one, two);
    }

    #[test]
    fn full_commit_ids_are_told_from_names() {
        assert!(is_commit(&"0a".repeat(20)) && is_commit(&"f".repeat(64)));
        assert!(!is_commit("6bf3") && !is_commit(&"G".repeat(40)) && !is_commit(""));
    }
}

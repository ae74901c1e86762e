//! What base and head are, for a reader: a name, a short revision, and a page that shows it.

use crate::format::plain;
use serde::Serialize;
use shakedown_protocol::{RunRecord, SourceSeen};

/// Forges that show a commit of `https://HOST/OWNER/NAME` below `/commit/`. A record is a stranger's
/// until proven otherwise: it may name a commit on one of these, and lead a reader nowhere else.
const FORGES: [&str; 3] = ["github.com", "gitlab.com", "codeberg.org"];

/// Digits of a commit's id.
const SHORT: usize = 10;

/// A revision that was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// Name of the subject; empty where the commit says it all.
    pub name: String,
    /// The same, of a folder only its last part.
    pub brief: String,
    /// First digits of the commit's id, where there is one.
    pub short: Option<String>,
    /// Where the commit is shown, if that is known.
    pub url: Option<String>,
}

impl Revision {
    /// The subject at this place of a record.
    pub(crate) fn of(record: &RunRecord, place: usize, name: &str) -> Self {
        let source = record.subjects.get(place).map(|entry| &entry.artifact.source);
        let id = source.and_then(commit);
        let url = source.zip(id).and_then(|(source, id)| page(&source.origin, id));
        Self { name: name.to_owned(), brief: brief(name), short: id.map(short), url }
    }

    /// A commit of a repository that the forge itself has named.
    pub(crate) fn of_forge(server_url: &str, repo: &str, id: &str) -> Self {
        let url = format!("{}/{repo}/commit/{id}", server_url.trim_end_matches('/'));
        Self { short: Some(short(id)), url: Some(url), ..Self::default() }
    }

    /// Name and commit on one line, for a terminal.
    pub(crate) fn line(&self) -> String {
        match &self.short {
            Some(short) if !self.name.contains(short.as_str()) => {
                format!("{} at {short}", plain(&self.name))
            }
            _ => plain(&self.name),
        }
    }
}

/// `rustls@path:…/rustls` for a folder deep in a file system.
fn brief(name: &str) -> String {
    let Some((stack, path)) = name.split_once("@path:") else { return name.to_owned() };
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((above, last)) if !above.is_empty() => format!("{stack}@path:…/{last}"),
        _ => name.to_owned(),
    }
}

fn short(id: &str) -> String {
    id.chars().take(SHORT).collect()
}

fn commit(source: &SourceSeen) -> Option<&str> {
    let id = source.revision.as_deref()?;
    let hex = id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (hex && (7..=64).contains(&id.len())).then_some(id)
}

fn page(origin: &str, id: &str) -> Option<String> {
    let path = origin.strip_prefix("https://")?;
    let path = path.strip_suffix(".git").unwrap_or(path);
    let (host, repo) = path.split_once('/')?;
    let named = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    let parts: Vec<&str> = repo.split('/').collect();
    (FORGES.contains(&host) && parts.len() == 2 && parts.into_iter().all(named))
        .then(|| format!("https://{path}/commit/{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

    #[test]
    fn a_commit_is_linked_where_a_forge_shows_it_and_nowhere_else() {
        for origin in ["https://github.com/rustls/rustls", "https://github.com/rustls/rustls.git"] {
            let url = format!("https://github.com/rustls/rustls/commit/{ID}");
            assert_eq!(page(origin, ID), Some(url));
        }
        for origin in [
            "http://github.com/rustls/rustls",
            "https://github.com.evil.example/rustls/rustls",
            "https://evil.example/rustls/rustls",
            "https://user@github.com/rustls/rustls",
            "https://github.com/rustls",
            "https://github.com/rustls/rustls/issues",
            "https://github.com/rustls/rus\"tls",
            "https://github.com/rustls/../x",
            "https://github.com/rustls/rustls?x=y",
            "javascript:alert(1)",
            "/srv/rustls",
        ] {
            assert_eq!(page(origin, ID), None, "{origin}");
        }
    }

    #[test]
    fn of_a_folder_the_last_part_is_enough() {
        for (name, short) in [
            ("rustls@path:/work/evidence/handshake-5+lto", "rustls@path:…/handshake-5+lto"),
            ("rustls@path:/rustls", "rustls@path:/rustls"),
            (
                "rustls@git:https://github.com/rustls/rustls#main",
                "rustls@git:https://github.com/rustls/rustls#main",
            ),
        ] {
            assert_eq!(brief(name), short);
        }
    }

    #[test]
    fn only_an_id_is_an_id() {
        let of = |revision: &str| {
            let source = SourceSeen {
                kind: "git".to_owned(),
                origin: String::new(),
                revision: Some(revision.to_owned()),
                sha256: String::new(),
            };
            commit(&source).map(short)
        };
        assert_eq!(of(ID).as_deref(), Some("6bf3a0c2d1"));
        for wrong in ["", "main", "6bf3a0", "6bf3a0c2d1<b>", &"a".repeat(65)] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}

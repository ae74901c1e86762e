//! Looking for releases that the catalog does not know yet.

use crate::{BuildError, Release, Stack, Workshop};

/// A release that is tagged in a stack's repository and not in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// Its number.
    pub release: Release,
    /// Its tag: buildable at once, as `stack@git:TAG`.
    pub tag: String,
}

impl Workshop {
    /// Tags of the stack's repository that name a release newer than the oldest in the
    /// catalog and not in it, oldest first. A stack without a repository or a pattern for
    /// its tags has none.
    ///
    /// # Errors
    /// [`BuildError::Tools`] without git, [`BuildError::Network`] or [`BuildError::Source`]
    /// when the repository can't be read.
    pub fn new_releases(&self, stack: &Stack) -> Result<Vec<Addition>, BuildError> {
        let Some(git) = &stack.git else { return Ok(Vec::new()) };
        let Some(pattern) = &git.tags else { return Ok(Vec::new()) };
        let pattern = regex::Regex::new(pattern)
            .map_err(|error| BuildError::Source { what: error.to_string(), log: None })?;
        let known = stack.known();
        let mut found: Vec<Addition> = (self.tags(&git.url)?.into_iter())
            .filter_map(|tag| {
                let number = pattern.captures(&tag)?.get(1)?.as_str().replace('_', ".");
                Some(Addition { release: number.parse().ok()?, tag })
            })
            .filter(|new| known.iter().all(|known| known.version != new.release))
            .filter(|new| known.first().is_none_or(|oldest| oldest.version < new.release))
            .collect();
        found.sort_by(|a, b| a.release.cmp(&b.release));
        found.dedup_by(|a, b| a.release == b.release);
        Ok(found)
    }

    /// Names of the tags of a repository.
    fn tags(&self, url: &str) -> Result<Vec<String>, BuildError> {
        let mut command = self.caller().command("git");
        command.env("GIT_TERMINAL_PROMPT", "0").args(["-c", "protocol.ext.allow=never"]);
        command.args(["ls-remote", "--tags", "--refs", "--end-of-options", url]);
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
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().filter_map(|line| line.split_once("\trefs/tags/"));
        Ok(names.map(|(_, tag)| tag.to_owned()).collect())
    }
}

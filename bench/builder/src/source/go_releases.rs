//! The releases of Go that the module proxy lists. They are what a proxy says, until Go has fetched one of them.

use super::toolchain::{machine_suffix, module_command};
use crate::{
    BuildError, Release,
    call::{Caller, network_to_blame},
    catalog::ToolchainSource,
};

/// Releases since the first that needs no entry, for this kind of machine, the oldest first. Go's pre-releases
/// (`go1.27rc1`) are left out.
///
/// # Errors
/// [`BuildError::Tools`] without Go; [`BuildError::Network`] or [`BuildError::Source`] when the proxy does not
/// answer with a list that has at least `newest`: a proxy that knows less would hide every newer release.
pub(crate) fn go_releases(
    caller: &Caller,
    source: &ToolchainSource,
    newest: Option<&Release>,
) -> Result<Vec<Release>, BuildError> {
    let module = ToolchainSource::MODULE;
    let what = format!("the list of Go's releases ({module})");
    let folder = tempfile::tempdir();
    let folder = folder.map_err(BuildError::io("create a folder in", &std::env::temp_dir()))?;
    let mut command = module_command(caller, folder.path(), &what)?;
    let output = command
        .args(["list", "-m", "-versions", module])
        .output()
        .map_err(BuildError::io("run go in", folder.path()))?;
    if !output.status.success() {
        let tail = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if network_to_blame(&tail) {
            return Err(BuildError::Network { what, tail });
        }
        return Err(BuildError::Source { what: format!("can't read {what}:\n{tail}"), log: None });
    }
    let suffix = machine_suffix()?;
    let listed = listed(&String::from_utf8_lossy(&output.stdout), &suffix, &source.since);
    let least = newest.unwrap_or(&source.since);
    if listed.last().is_none_or(|last| last < least) {
        let what = format!(
            "{what} has no {least}, or newer, for {suffix}: the proxy (`go env GOPROXY`) does not have all of them"
        );
        return Err(BuildError::Source { what, log: None });
    }
    Ok(listed)
}

/// The releases among the versions of the module.
fn listed(text: &str, suffix: &str, since: &Release) -> Vec<Release> {
    let number = |word: &str| {
        let number = word.strip_prefix("v0.0.1-go")?.strip_suffix(suffix)?.strip_suffix('.')?;
        let plain = |part: &str| part == "0" || !part.starts_with('0');
        let numbers = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        // Whatever else a version may hold has no place in the name of a subject.
        let full = numbers && number.split('.').count() == 3 && number.split('.').all(plain);
        full.then(|| number.parse::<Release>().ok()).flatten()
    };
    let mut found: Vec<Release> = text.split_whitespace().filter_map(number).collect();
    found.retain(|release| release >= since);
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_numbers_for_this_machine_are_releases() {
        let text = "golang.org/toolchain v0.0.1-go1.24.9.linux-amd64 v0.0.1-go1.26.0.linux-amd64 \
            v0.0.1-go1.25.10.linux-amd64 v0.0.1-go1.25.9.linux-amd64 v0.0.1-go1.25.9.linux-amd64\n\
            v0.0.1-go1.27rc1.linux-amd64 v0.0.1-go1.28.linux-amd64 v0.0.1-go1.29.0.linux-arm64 \
            v0.0.1-go1.29.0-x.linux-amd64 v0.0.1-go1.29.0+x.linux-amd64 v0.0.1-go1.29.0a.linux-amd64 \
            v0.0.1-go1.029.0.linux-amd64 v0.0.1-go1.29.0.1.linux-amd64 v0.0.1-go1..0.linux-amd64 \
            v0.0.1-go1.29.99999999999999999999.linux-amd64 v0.0.1-go.linux-amd64 v0.0.1-golinux-amd64 \
            v0.0.1-go$(id).linux-amd64 v0.0.2-go1.29.0.linux-amd64 v0.0.1-go1.29.0.linux-amd64.zip \u{7f}";
        let found = listed(text, "linux-amd64", &"1.25.0".parse().unwrap());
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["1.25.9", "1.25.10", "1.26.0"]);
    }
}

//! Releases of the GitHub Actions runner.

use shakedown_forge::release::ForgeRelease;
use shakedown_host::PublishedRunner;

/// The repository of the runner.
pub const RUNNER: &str = "actions/runner";

/// The releases that are for everybody, with their versions.
pub fn published(all: &[ForgeRelease]) -> Vec<(PublishedRunner, &ForgeRelease)> {
    let known = |release: &ForgeRelease| {
        let version = release.tag_name.strip_prefix('v')?.parse().ok()?;
        let at: jiff::Timestamp = release.published_at.as_deref()?.parse().ok()?;
        let published_ms = u64::try_from(at.as_millisecond()).ok()?;
        Some(PublishedRunner { version, published_ms })
    };
    let public = all.iter().filter(|release| !release.draft && !release.prerelease);
    public.filter_map(|release| Some((known(release)?, release))).collect()
}

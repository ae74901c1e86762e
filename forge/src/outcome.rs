/// What a create-or-update request did. The number is that of the comment, check run or issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// There was none before.
    Created(u64),
    /// Its content differed.
    Updated(u64),
    /// It already had this content.
    Unchanged(u64),
    /// A newer run wrote it; it is left as it is.
    Superseded(u64),
    /// Dry run: nothing was sent.
    DryRun,
}

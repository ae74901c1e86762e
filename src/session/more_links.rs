//! More links of base and head while they are compared.

use super::SubjectBuilder;
use shakedown_protocol::SubjectEntry;
use shakedown_schedule::{BuiltSubject, LinkSupply};
use std::error::Error;

impl LinkSupply for SubjectBuilder {
    fn supply(
        &self,
        subjects: &[BuiltSubject],
        links: u32,
    ) -> Result<Vec<BuiltSubject>, Box<dyn Error + Send + Sync>> {
        let more = |(side, subject): (usize, &BuiltSubject)| {
            let built = self.more_links(side, &subject.entry.artifact, links)?;
            let entry = SubjectEntry { artifact: built.artifact, ..subject.entry.clone() };
            Ok(BuiltSubject { entry, binaries: built.binaries })
        };
        subjects.iter().enumerate().map(more).collect()
    }
}

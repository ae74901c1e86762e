//! What the subjects of a run are, where they are of several stacks.

use shakedown_protocol::RunRecord;

/// Which builds stand next to each other, where they are of several stacks.
pub(crate) fn of(record: &RunRecord) -> String {
    let entries = &record.subjects;
    if entries.windows(2).all(|two| two[0].artifact.subject.stack == two[1].artifact.subject.stack)
    {
        return String::new();
    }
    let other: Vec<&str> =
        entries.iter().filter(|e| !e.artifact.reference).map(|e| e.name.as_str()).collect();
    if other.is_empty() {
        return " Every stack is its reference build.".to_owned();
    }
    format!(" Not a reference build of its stack: {}.", other.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::fixture;

    #[test]
    fn a_run_over_several_stacks_says_whether_they_are_reference_builds() {
        let subjects = |reference: [bool; 2], names: [&str; 2]| {
            let entries = names.map(|name| fixture::entry(name, "crate", None)).into();
            let mut record = fixture::record("epoch", entries, &[]);
            for (entry, reference) in record.subjects.iter_mut().zip(reference) {
                entry.artifact.reference = reference;
            }
            of(&record)
        };
        let two = ["rustls@0.23.46+lto", "openssl@3.5.5"];
        assert_eq!(subjects([true, true], two), " Every stack is its reference build.");
        assert_eq!(
            subjects([true, false], two),
            " Not a reference build of its stack: openssl@3.5.5."
        );
        assert_eq!(subjects([false, true], ["openssl@3.5.5", "openssl@4.0.3"]), "");
    }
}

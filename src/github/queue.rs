//! What a check in progress says about what is before it.

use shakedown_forge::HostQueue;
use shakedown_report::words::plural;

/// One sentence for readers; it holds for the moment at which it is written.
pub fn sentence(queue: Option<HostQueue>) -> String {
    let Some(HostQueue { running, waiting, more }) = queue else {
        return "Its place in the queue is not known: the forge does not tell.".to_owned();
    };
    if (running, waiting, more) == (0, 0, false) {
        return "No job of an older run used this repository's hosts when this was written."
            .to_owned();
    }
    let least = if more { "at least " } else { "" };
    format!(
        "When this was written, {least}{} on this repository's hosts and {} for one, all of older runs. \
         Jobs of other repositories are not seen here.",
        plural(running, "job was running", "jobs were running"),
        plural(waiting, "job was waiting", "jobs were waiting"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_counted_and_what_is_not_known() {
        let said = |running, waiting, more| sentence(Some(HostQueue { running, waiting, more }));
        assert!(said(0, 0, false).starts_with("No job"));
        let text = said(1, 2, false);
        assert!(
            text.contains("1 job was running") && text.contains("2 jobs were waiting"),
            "{text}"
        );
        assert!(said(0, 30, true).contains("at least 0 jobs"));
        assert!(sentence(None).contains("not known"));
    }
}

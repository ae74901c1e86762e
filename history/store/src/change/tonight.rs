//! Which suspects are measured again tonight: one of each cause, within what the hosts have time for.

use super::{Cause, SuspectState, SuspectSummary};
use serde::Serialize;
use std::collections::BTreeMap;

/// GitHub refuses a matrix of more jobs, and with it the whole workflow.
/// <https://docs.github.com/en/actions/reference/limits>
pub const MATRIX: usize = 256;

/// What is measured again tonight, and what has to wait.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConfirmationPlan {
    /// One suspect of each of these causes.
    pub tonight: Vec<PlannedConfirmation>,
    /// The other open causes.
    pub later: Vec<PostponedCause>,
}

/// A suspect that is measured again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedConfirmation {
    /// Id of the suspect.
    pub id: String,
    /// Id of its cause.
    pub cause: String,
    /// The host that measures it: of the epoch in which the suspect was found.
    pub host: String,
}

/// A cause that is not measured again tonight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PostponedCause {
    /// Id of the cause.
    pub cause: String,
    /// Its open suspects.
    pub suspects: usize,
    /// The largest change, head over base.
    pub factor: f64,
    /// Why.
    pub reason: PostponedReason,
}

/// Why a cause has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PostponedReason {
    /// Larger changes use up the hosts' time.
    Budget,
    /// No host of the pool has the epoch of its suspects.
    NoHost,
}

/// Chooses. `hosts` has the host of each epoch, and each host has time for `each` confirmations.
///
/// Causes that nothing was decided about come first, then the ones for the worse, then the largest. A
/// cause with a confirmed suspect needs no other one. Of a cause whose largest suspect was dismissed, the
/// next one is measured another night.
pub fn tonight(
    causes: &[Cause],
    hosts: &BTreeMap<String, String>,
    each: usize,
) -> ConfirmationPlan {
    let mut open: Vec<OpenChange<'_>> = causes.iter().flat_map(OpenChange::all).collect();
    open.sort_by(|a, b| {
        let size = |one: &OpenChange<'_>| one.suspects.first().map_or(0.0, |one| one.size());
        let worse = |one: &OpenChange<'_>| one.suspects.iter().any(|one| one.worse);
        a.decided.cmp(&b.decided).then(worse(b).cmp(&worse(a))).then(size(b).total_cmp(&size(a)))
    });
    let mut left: BTreeMap<&String, usize> = hosts.values().map(|host| (host, each)).collect();
    let mut plan = ConfirmationPlan::default();
    for OpenChange { cause, suspects, .. } in open {
        let with_host = suspects.iter().filter_map(|one| Some((*one, hosts.get(&one.epoch)?)));
        let possible: Vec<(&SuspectSummary, &String)> = with_host.collect();
        let free = possible.iter().find(|(_, host)| left.get(host).is_some_and(|left| *left > 0));
        match free {
            Some((one, host)) if plan.tonight.len() < MATRIX => {
                *left.entry(host).or_default() -= 1;
                let (id, cause) = (one.id.clone(), cause.to_owned());
                plan.tonight.push(PlannedConfirmation { id, cause, host: (*host).clone() });
            }
            _ => plan.later.push(PostponedCause {
                cause: cause.to_owned(),
                suspects: suspects.len(),
                factor: suspects.first().map_or(1.0, |one| one.change.factor),
                reason: if possible.is_empty() {
                    PostponedReason::NoHost
                } else {
                    PostponedReason::Budget
                },
            }),
        }
    }
    plan
}

/// A change of which no suspect was confirmed.
struct OpenChange<'a> {
    cause: &'a str,
    /// Suspects that were dismissed.
    decided: usize,
    /// The open ones, for the worse first, the largest first.
    suspects: Vec<&'a SuspectSummary>,
}

impl<'a> OpenChange<'a> {
    /// Those of a cause: one, or one a night where the code is the same on both sides, so that something
    /// else has changed each time.
    fn all(cause: &'a Cause) -> Vec<Self> {
        let mut parts: BTreeMap<&str, Vec<&SuspectSummary>> = BTreeMap::new();
        for one in &cause.suspects {
            let night = if cause.last_good == cause.first_bad { &*one.first_bad.run } else { "" };
            parts.entry(night).or_default().push(one);
        }
        parts.into_values().filter_map(|part| Self::of(&cause.cause, part)).collect()
    }

    fn of(cause: &'a str, all: Vec<&'a SuspectSummary>) -> Option<Self> {
        if all.iter().any(|one| one.state == SuspectState::Confirmed) {
            return None;
        }
        let (mut suspects, decided): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| one.state == SuspectState::Suspect);
        suspects.sort_by(|a, b| b.worse.cmp(&a.worse).then(b.size().total_cmp(&a.size())));
        (!suspects.is_empty()).then_some(Self { cause, decided: decided.len(), suspects })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{cause::tests::known, causes};

    /// So many suspects of each cause, in two epochs.
    fn found(counts: &[usize]) -> Vec<SuspectSummary> {
        let mut all = Vec::new();
        for (cause, count) in counts.iter().enumerate() {
            for number in 0..*count {
                let revisions = [format!("good-{cause}"), format!("bad-{cause}")];
                let [good, bad] = revisions.each_ref().map(String::as_str);
                let scenario = format!("handshake-full/tls1.3/{number}");
                // The first cause is the smallest change, and its later suspects are the smaller ones.
                let factor = 0.99 - 0.1 * cause as f64 + 0.0001 * number as f64;
                let mut one =
                    known("rustls@git:HEAD", &scenario, [good, bad], factor, SuspectState::Suspect);
                one.suspect.epoch = if number % 2 == 0 { "e" } else { "f" }.to_owned();
                all.push(SuspectSummary::new(one, None));
            }
        }
        all
    }

    fn hosts(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(epoch, host)| ((*epoch).to_owned(), (*host).to_owned())).collect()
    }

    /// 22 nights of two subjects made that many of three changes, a job each.
    #[test]
    fn of_168_suspects_of_three_causes_three_are_measured_again() {
        let all = found(&[56, 56, 56]);
        assert_eq!(all.len(), 168);
        let plan = tonight(&causes(all.clone()), &hosts(&[("e", "bench-1"), ("f", "bench-2")]), 4);
        assert_eq!(plan.later, []);
        let mut chosen: Vec<&str> = plan.tonight.iter().map(|one| one.cause.as_str()).collect();
        assert_eq!(chosen.len(), 3);
        chosen.dedup();
        assert_eq!(chosen.len(), 3, "one of each");
        let first = all.iter().find(|one| one.id == plan.tonight[0].id).unwrap();
        assert_eq!(first.change.factor, 0.99 - 0.2, "the largest of the largest");
    }

    #[test]
    fn the_hosts_have_time_for_so_many_and_the_rest_is_listed() {
        let all = causes(found(&[9, 9, 9, 9, 9]));
        let plan = tonight(&all, &hosts(&[("e", "bench-1"), ("f", "bench-2")]), 2);
        let on = |host: &str| plan.tonight.iter().filter(|one| one.host == host).count();
        assert_eq!((on("bench-1"), on("bench-2")), (2, 2));
        let [later] = &plan.later[..] else { panic!("{:?}", plan.later) };
        assert_eq!((later.suspects, later.reason), (9, PostponedReason::Budget));
        assert_eq!(later.factor, 0.99, "the smallest waits");
        let nobody = tonight(&all, &hosts(&[("other", "bench-3")]), 2);
        assert!(nobody.tonight.is_empty() && nobody.later.len() == 5);
        assert!(nobody.later.iter().all(|one| one.reason == PostponedReason::NoHost));
        assert_eq!(tonight(&all, &hosts(&[("e", "bench-1")]), 0).later.len(), 5);
    }

    #[test]
    fn no_night_has_more_jobs_than_a_matrix_may_have() {
        let all = causes(found(&[1; 400]));
        let plan = tonight(&all, &hosts(&[("e", "bench-1")]), 1000);
        assert_eq!((plan.tonight.len(), plan.later.len()), (MATRIX, 400 - MATRIX));
    }

    /// The host has changed, twice: that is no cause in the code, and not the same one.
    #[test]
    fn nights_of_the_same_code_are_changes_of_their_own() {
        let mut all = Vec::new();
        for (number, night) in ["monday", "friday"].into_iter().enumerate() {
            let scenario = format!("handshake-full/tls1.3/{number}");
            let state = if number == 0 { SuspectState::Confirmed } else { SuspectState::Suspect };
            let mut one = known("noop@path:x", &scenario, ["tree", "tree"], 0.9, state);
            one.suspect.first_bad_run = night.to_owned();
            all.push(SuspectSummary::new(one, None));
        }
        assert_eq!(all[0].cause, all[1].cause);
        let plan = tonight(&causes(all.clone()), &hosts(&[("e", "bench-1")]), 4);
        let ids: Vec<&String> = plan.tonight.iter().map(|one| &one.id).collect();
        assert_eq!(ids, [&all[1].id]);
    }

    #[test]
    fn what_was_confirmed_needs_nothing_and_what_was_dismissed_lets_others_go_first() {
        let mut all = found(&[2, 2, 2]);
        // Of the largest cause one is confirmed, of the second one dismissed.
        all[4].state = SuspectState::Confirmed;
        all[2].state = SuspectState::Dismissed;
        let all = causes(all);
        let plan = tonight(&all, &hosts(&[("e", "bench-1"), ("f", "bench-1")]), 4);
        let ids: Vec<&str> = plan.tonight.iter().map(|one| one.id.as_str()).collect();
        let size = |id: &&str| {
            let one = all.iter().flat_map(|cause| &cause.suspects).find(|one| one.id == **id);
            one.unwrap().change.factor
        };
        let sizes: Vec<f64> = ids.iter().map(size).collect();
        assert_eq!(sizes, [0.99, 0.99 - 0.1 + 0.0001]);
    }
}

//! Sites that only moved: what they allocated in base is allocated elsewhere in head.

use super::weight;
use crate::{explanation::SiteChange, name};
use std::collections::{BTreeMap, BTreeSet};

/// Two amounts are the same if they differ by at most this share of the larger one. Signatures vary in
/// length, and so does what holds them.
const SAME: f64 = 0.02;

/// Removes the sites that cancel: those of a function whose allocations did not change in sum (a caller
/// has another name), and pairs of which base has one and head the other, with the same amounts and a
/// function in common (the function itself was renamed, moved or split).
pub(super) fn cancel(sites: &mut Vec<SiteChange>) {
    let same = unchanged_in_sum(sites);
    sites.retain(|site| !same.contains(&site.function));
    let (gone, new): (Vec<usize>, Vec<usize>) = (0..sites.len())
        .filter(|at| in_one(&sites[*at]))
        .partition(|at| amount(&sites[*at], 0) > 0.0);
    let mut cancelled = BTreeSet::new();
    for old in gone {
        let alike = |new: &&usize| !cancelled.contains(*new) && moved(&sites[old], &sites[**new]);
        // The more functions two sites share, the likelier it is that they are one.
        let best = new.iter().filter(alike).max_by_key(|new| shared(&sites[old], &sites[**new]));
        if let Some(new) = best.copied() {
            cancelled.extend([old, new]);
        }
    }
    let mut at = 0..;
    sites.retain(|_| at.next().is_some_and(|at| !cancelled.contains(&at)));
}

/// Functions whose sites changed, and whose allocations did not in sum.
fn unchanged_in_sum(sites: &[SiteChange]) -> BTreeSet<String> {
    let mut sums: BTreeMap<&String, SiteChange> = BTreeMap::new();
    for site in sites {
        let empty = || SiteChange {
            function: site.function.clone(),
            callers: Vec::new(),
            allocations: [0.0; 2],
            bytes: [0.0; 2],
            at_peak: [0.0; 2],
        };
        let sum = sums.entry(&site.function).or_insert_with(empty);
        for at in 0..2 {
            sum.allocations[at] += site.allocations[at];
            sum.bytes[at] += site.bytes[at];
            sum.at_peak[at] += site.at_peak[at];
        }
    }
    let same = sums.into_values().filter(|sum| weight(sum) == 0.0);
    same.map(|sum| sum.function).collect()
}

/// Everything that a site has in base (0) or in head (1), to tell nothing from something.
fn amount(site: &SiteChange, at: usize) -> f64 {
    site.allocations[at] + site.bytes[at] + site.at_peak[at]
}

/// Whether only one of base and head has the site.
fn in_one(site: &SiteChange) -> bool {
    (amount(site, 0) > 0.0) != (amount(site, 1) > 0.0)
}

/// Whether head allocates in `new` what base allocates in `old`.
fn moved(old: &SiteChange, new: &SiteChange) -> bool {
    let same = |before: [f64; 2], after: [f64; 2]| {
        (before[0] - after[1]).abs() <= SAME * before[0].max(after[1])
    };
    same(old.allocations, new.allocations)
        && same(old.bytes, new.bytes)
        && same(old.at_peak, new.at_peak)
        && shared(old, new) > 0
}

/// How many functions two sites have in common, by the last segments of their names.
fn shared(old: &SiteChange, new: &SiteChange) -> usize {
    names(old).intersection(&names(new)).count()
}

fn names(site: &SiteChange) -> BTreeSet<String> {
    let all = std::iter::once(&site.function).chain(&site.callers);
    all.map(|called| last_name(called)).collect()
}

/// `prepare_read` of `Buffer::prepare_read` and of `prepare_read (deframer/buffers.rs)`.
fn last_name(called: &str) -> String {
    let name = called.split(" (").next().unwrap_or_default();
    name::short(name).rsplit("::").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(function: &str, callers: &[&str], at_peak: [f64; 2]) -> SiteChange {
        SiteChange {
            function: function.to_owned(),
            callers: callers.iter().map(|&caller| caller.to_owned()).collect(),
            allocations: [0.0; 2],
            bytes: [0.0; 2],
            at_peak,
        }
    }

    fn left(mut sites: Vec<SiteChange>) -> Vec<String> {
        cancel(&mut sites);
        sites.into_iter().map(|site| site.function).collect()
    }

    #[test]
    fn a_function_in_another_module_cancels() {
        let old = held("Deframer::prepare_read", &["Deframer::read", "turn"], [2_048.0, 0.0]);
        let new = held("prepare_read (buffers.rs)", &["Buffers::read", "turn"], [0.0, 2_048.0]);
        assert!(left(vec![new, old]).is_empty());
    }

    #[test]
    fn what_grew_on_the_way_is_named() {
        let old = held("Deframer::prepare_read", &["turn"], [2_048.0, 0.0]);
        let new = held("prepare_read (buffers.rs)", &["turn"], [0.0, 4_096.0]);
        assert_eq!(left(vec![old, new]).len(), 2);
    }

    #[test]
    fn equal_amounts_of_strangers_do_not_cancel() {
        let old = held("read_certificate", &["parse"], [490.0, 0.0]);
        let new = held("keep_certificate", &["verify"], [0.0, 490.0]);
        assert_eq!(left(vec![old, new]).len(), 2);
    }

    #[test]
    fn of_two_equal_sites_only_as_many_cancel_as_there_are() {
        let old = held("Deframer::read", &["client", "turn"], [2_048.0, 0.0]);
        let new = |caller| held("Buffers::read", &[caller, "turn"], [0.0, 2_048.0]);
        let mut sites = vec![new("server"), old, new("client")];
        cancel(&mut sites);
        let [site] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!(site.callers[0], "server");
    }
}

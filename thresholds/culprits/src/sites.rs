//! Which places allocate more in head than in base.

use crate::{
    dhat::{AllocationSite, Frame, Sites},
    explanation::{SiteChange, SitesExplanation},
    name,
};
use std::collections::BTreeMap;

mod moved;

/// Callers that are named with a site.
const CALLERS: usize = 3;
/// Sites that are named.
const MOST: usize = 10;

/// The peak counts as unchanged below this share.
const SAME_PEAK: f64 = 0.005;

/// A site with a smaller change of the memory of a session is not named, in bytes.
const LEAST_HELD: f64 = 8.0;

/// Two profiles of the same process, which differ in the number of its operations: what the process
/// allocates once cancels in their difference.
#[derive(Debug, Clone, Copy)]
pub struct SitePair<'a> {
    /// The process with fewer operations.
    pub fewer: &'a Sites,
    /// The process with more operations.
    pub more: &'a Sites,
    /// How many more.
    pub operations: u64,
}

/// What one place allocates per operation.
#[derive(Debug, Clone, Copy, Default)]
struct PerOperation {
    allocations: f64,
    bytes: f64,
    at_peak: f64,
}

/// A function that allocates, with its callers.
type Place = (String, Vec<String>);

/// Compares the allocation sites of base and head.
///
/// A site is a function with its callers; functions that only serve others (`malloc`, `Vec::push`) are
/// left out of the stack.
pub fn explain_sites(base: SitePair<'_>, head: SitePair<'_>) -> SitesExplanation {
    let both = [base, head].map(places);
    let sum = |at: usize, get: fn(&PerOperation) -> f64| both[at].values().map(get).sum::<f64>();
    let sums = |get: fn(&PerOperation) -> f64| [sum(0, get), sum(1, get)];
    let mut all: BTreeMap<&Place, [PerOperation; 2]> = BTreeMap::new();
    for (at, places) in both.iter().enumerate() {
        for (place, one) in places {
            all.entry(place).or_default()[at] = *one;
        }
    }
    let peak = sums(|one| one.at_peak);
    // Where the peak is as high as before, what is live in that moment is chance.
    let same_peak = (peak[1] - peak[0]).abs() < SAME_PEAK * peak[0];
    let mut sites: Vec<SiteChange> =
        all.into_iter().map(|(place, pair)| site(place, pair)).collect();
    if same_peak {
        sites.iter_mut().for_each(|site| site.at_peak = [0.0; 2]);
    }
    moved::cancel(&mut sites);
    sites.retain(|site| weight(site) > 0.0);
    sites.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    sites.truncate(MOST);
    SitesExplanation {
        allocations: sums(|one| one.allocations),
        bytes: sums(|one| one.bytes),
        peak,
        sites,
    }
}

/// Bytes of one more session by site, where `operations` is how many more sessions `more` holds than `fewer`:
/// what both processes hold at their peak besides cancels.
pub fn explain_session_memory(base: SitePair<'_>, head: SitePair<'_>) -> SitesExplanation {
    let both = [base, head].map(held);
    let mut all: BTreeMap<Place, [f64; 2]> = BTreeMap::new();
    for (at, places) in both.into_iter().enumerate() {
        for (place, bytes) in places {
            all.entry(place).or_default()[at] = bytes;
        }
    }
    let peak = [0, 1].map(|at| all.values().map(|pair| pair[at]).sum());
    let mut sites: Vec<SiteChange> = all
        .into_iter()
        .map(|(place, pair)| {
            site(&place, pair.map(|at_peak| PerOperation { at_peak, ..PerOperation::default() }))
        })
        .collect();
    moved::cancel(&mut sites);
    let size = |site: &SiteChange| (site.at_peak[1] - site.at_peak[0]).abs();
    sites.retain(|site| size(site) >= LEAST_HELD);
    sites.sort_by(|a, b| size(b).total_cmp(&size(a)));
    sites.truncate(MOST);
    SitesExplanation { allocations: [0.0; 2], bytes: [0.0; 2], peak, sites }
}

/// Bytes at the peak that one more session holds, by place.
fn held(pair: SitePair<'_>) -> BTreeMap<Place, f64> {
    let mut places: BTreeMap<Place, f64> = BTreeMap::new();
    for (sites, sign) in [(pair.more, 1.0), (pair.fewer, -1.0)] {
        for site in &sites.0 {
            let bytes = site.at_peak as f64 / pair.operations.max(1) as f64;
            *places.entry(place(site)).or_default() += sign * bytes;
        }
    }
    places
}

/// How much a site changed, in bytes; an allocation weighs as much as a small block.
fn weight(site: &SiteChange) -> f64 {
    const BLOCK: f64 = 32.0;
    let change = |pair: [f64; 2]| (pair[1] - pair[0]).abs();
    let moved = BLOCK * change(site.allocations) + change(site.bytes) + change(site.at_peak);
    // Less than one allocation in twenty operations is chance: a table that grew at another time.
    let rare = change(site.allocations) < 0.05 && change(site.bytes) < 8.0;
    if rare && change(site.at_peak) < 64.0 { 0.0 } else { moved }
}

fn site(place: &Place, pair: [PerOperation; 2]) -> SiteChange {
    SiteChange {
        function: place.0.clone(),
        callers: place.1.clone(),
        allocations: pair.map(|one| one.allocations),
        bytes: pair.map(|one| one.bytes),
        at_peak: pair.map(|one| one.at_peak),
    }
}

fn places(pair: SitePair<'_>) -> BTreeMap<Place, PerOperation> {
    let mut places: BTreeMap<Place, PerOperation> = BTreeMap::new();
    let per = |count: u64| count as f64 / pair.operations.max(1) as f64;
    for (sites, sign) in [(pair.more, 1.0), (pair.fewer, -1.0)] {
        for site in &sites.0 {
            let one = places.entry(place(site)).or_default();
            one.allocations += sign * per(site.allocations);
            one.bytes += sign * per(site.bytes);
            // The peak is that of the larger process.
            one.at_peak += if sign > 0.0 { site.at_peak as f64 } else { 0.0 };
        }
    }
    places
}

fn place(site: &AllocationSite) -> Place {
    let mut stack = site.stack.iter().filter(|frame| !serves(frame));
    let function = stack.next().or(site.stack.last()).map(called).unwrap_or_default();
    (function, stack.take(CALLERS).map(called).collect())
}

/// A function with its file, where its own name does not say where it is.
fn called(frame: &Frame) -> String {
    match &frame.file {
        Some(file) if !frame.function.contains("::") => {
            format!("{} ({})", frame.function, name::end_of_path(file))
        }
        _ => frame.function.clone(),
    }
}

/// Whether a function allocates for whoever calls it.
fn serves(frame: &Frame) -> bool {
    const CONTAINERS: [&str; 5] = ["alloc::", "<alloc::", "core::", "<core::", "hashbrown::"];
    let file = frame.file.as_deref().unwrap_or("");
    (name::is_rust_library(file) && !file.contains("/library/std/src/io"))
        || name::serves(&frame.function, "")
        || CONTAINERS.iter().any(|prefix| frame.function.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(list: &[(&[&str], u64, u64)]) -> Sites {
        let site = |(stack, allocations, bytes): &(&[&str], u64, u64)| AllocationSite {
            stack: stack.iter().map(|s| Frame { function: (*s).to_owned(), file: None }).collect(),
            allocations: *allocations,
            bytes: *bytes,
            at_peak: 0,
        };
        Sites(list.iter().map(site).collect())
    }

    #[test]
    fn what_a_process_allocates_once_cancels_and_a_new_site_is_named() {
        let setup: (&[&str], u64, u64) = (&["malloc", "main"], 1_000, 50_000);
        let hello: &[&str] = &["malloc", "alloc::vec::Vec<T>::push", "client_hello", "start"];
        let extra: &[&str] = &["malloc", "alloc::slice::to_vec", "extra", "client_hello"];
        let base = [sites(&[setup, (hello, 10, 320)]), sites(&[setup, (hello, 20, 640)])];
        let head = [
            sites(&[setup, (hello, 10, 320), (extra, 10, 640)]),
            sites(&[setup, (hello, 20, 640), (extra, 20, 1_280)]),
        ];
        let [base, head] =
            [&base, &head].map(|[fewer, more]| SitePair { fewer, more, operations: 10 });
        let found = explain_sites(base, head);
        assert_eq!(found.allocations, [1.0, 2.0]);
        let [site] = &found.sites[..] else { panic!("{found:?}") };
        assert_eq!(
            (site.function.as_str(), &site.callers[..]),
            ("extra", &["client_hello".to_owned()][..])
        );
        assert_eq!((site.allocations, site.bytes), ([0.0, 1.0], [0.0, 64.0]));
    }

    #[test]
    fn memory_of_a_session_is_what_more_sessions_hold_more() {
        let at = |stack: &[&str], at_peak| AllocationSite {
            at_peak,
            ..sites(&[(stack, 0, 0)]).0[0].clone()
        };
        let held = |sessions: u64, each: u64| {
            Sites(vec![
                at(&["malloc", "main"], 50_000),
                at(&["malloc", "transcript", "start"], sessions * 300),
                at(&["malloc", "buffer", "start"], sessions * each),
            ])
        };
        let base = [held(10, 100), held(20, 100)];
        let head = [held(10, 4_196), held(20, 4_196)];
        let [base, head] =
            [&base, &head].map(|[fewer, more]| SitePair { fewer, more, operations: 10 });
        let found = explain_session_memory(base, head);
        assert_eq!(found.peak, [400.0, 4_496.0]);
        let [site] = &found.sites[..] else { panic!("{found:?}") };
        assert_eq!((site.function.as_str(), site.at_peak), ("buffer", [100.0, 4_196.0]));
    }

    #[test]
    fn a_site_whose_caller_was_renamed_did_not_change() {
        let [few, many] = [10, 20].map(|n| sites(&[(&["malloc", "seal", "old_name"], n, 32 * n)]));
        let [few_in_head, many_in_head] =
            [10, 20].map(|n| sites(&[(&["malloc", "seal", "new_name"], n, 32 * n)]));
        let base = SitePair { fewer: &few, more: &many, operations: 10 };
        let head = SitePair { fewer: &few_in_head, more: &many_in_head, operations: 10 };
        let found = explain_sites(base, head);
        assert_eq!((found.allocations, found.sites), ([1.0, 1.0], vec![]));
    }
}

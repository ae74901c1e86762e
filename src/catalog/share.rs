//! Splitting a suite over hosts.

use anyhow::{Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shakedown_schedule::Suite;
use std::{collections::BTreeSet, fmt::Write};

/// A job matrix of GitHub Actions.
#[derive(Debug, Serialize)]
pub struct JobMatrix {
    /// One entry for each job: the first parts of all hosts, then the second ones, and so on.
    pub include: Vec<HostShare>,
}

/// The scenarios of one host, or of one part of its share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostShare {
    host: String,
    /// Which part of the host's share, from 1.
    part: usize,
    /// Scenario ids, separated by spaces.
    only: String,
}

/// Fewer scenarios than this are not worth a job of their own, which builds its subjects again.
const SMALLEST_PART: usize = 8;

/// Splits a suite over hosts, and the share of each into as many parts.
///
/// # Errors
/// A host that is named twice.
pub fn share(suite: &Suite, hosts: &[String], parts: usize) -> Result<Vec<HostShare>> {
    let distinct: BTreeSet<&String> = hosts.iter().collect();
    if distinct.len() != hosts.len() {
        bail!("a host is named twice: it would measure its share twice");
    }
    let ids: Vec<String> = suite.scenarios.iter().map(ToString::to_string).collect();
    Ok(in_parts(&split(&ids, hosts), parts))
}

/// Assigns every id to one host; hosts without any are left out.
fn split(ids: &[String], hosts: &[String]) -> Vec<HostShare> {
    let shares = hosts.iter().map(|host| {
        let mine = ids.iter().filter(|id| owner(id, hosts) == Some(host));
        let only: Vec<&str> = mine.map(String::as_str).collect();
        HostShare { host: host.clone(), part: 1, only: only.join(" ") }
    });
    shares.filter(|share| !share.only.is_empty()).collect()
}

/// Splits each share into parts of like size, the first parts of all hosts first.
fn in_parts(shares: &[HostShare], parts: usize) -> Vec<HostShare> {
    let mut all = Vec::new();
    for share in shares {
        let ids: Vec<&str> = share.only.split(' ').collect();
        let parts = parts.clamp(1, ids.len().div_ceil(SMALLEST_PART));
        let each = ids.len().div_ceil(parts);
        all.extend(ids.chunks(each).enumerate().map(|(at, ids)| HostShare {
            part: at + 1,
            only: ids.join(" "),
            ..share.clone()
        }));
    }
    all.sort_by_key(|share| share.part);
    all
}

/// The host with the highest weight for this id (rendezvous hashing).
fn owner<'a>(id: &str, hosts: &'a [String]) -> Option<&'a String> {
    hosts.iter().max_by_key(|host| {
        // The length keeps `a` + `bc` and `ab` + `c` apart.
        Sha256::digest(format!("{}:{host}{id}", host.len()).as_bytes())
    })
}

/// The shares as text.
///
/// # Errors
/// None in practice: formatting.
pub fn text(shares: &[HostShare]) -> Result<String> {
    let mut text = String::new();
    for HostShare { host, part, only } in shares {
        let part = if *part > 1 { format!(", part {part}") } else { String::new() };
        writeln!(text, "{host}{part}")?;
        only.split(' ').try_for_each(|id| writeln!(text, "  {id}"))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(prefix: &str, count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{prefix}-{number}")).collect()
    }

    fn ids_of(shares: &[HostShare]) -> Vec<&str> {
        let mut ids: Vec<&str> = shares.iter().flat_map(|share| share.only.split(' ')).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn every_scenario_is_measured_once_and_by_hosts_that_have_a_like_share() {
        let ids = names("handshake-full/tls1.3", 120);
        let shares = split(&ids, &names("host", 3));
        let mut sorted: Vec<&str> = ids.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        assert_eq!(ids_of(&shares), sorted);
        assert!(shares.iter().all(|share| share.only.split(' ').count() > 20), "{shares:?}");
        assert_eq!(split(&ids, &names("host", 1))[0].only, ids.join(" "));
        assert_eq!(split(&[], &names("host", 2)), []);
    }

    #[test]
    fn parts_are_of_like_size_and_hosts_take_turns() {
        let ids = names("handshake-full/tls1.3", 60);
        let hosts = names("host", 2);
        let whole = split(&ids, &hosts);
        let parts = in_parts(&whole, 3);
        let order: Vec<(&str, usize)> = parts.iter().map(|p| (p.host.as_str(), p.part)).collect();
        let wanted = [1, 2, 3].map(|part| [("host-0", part), ("host-1", part)]);
        assert_eq!(order, wanted.concat());
        assert_eq!(ids_of(&parts), ids_of(&whole));
        for host in &hosts {
            let sizes: Vec<usize> = parts
                .iter()
                .filter(|part| part.host == *host)
                .map(|part| part.only.split(' ').count())
                .collect();
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 2, "{sizes:?}");
        }
    }

    #[test]
    fn a_small_share_stays_whole() {
        let few = split(&names("bulk/tls1.2", 7), &names("host", 1));
        assert_eq!(in_parts(&few, 4), few);
        assert_eq!(in_parts(&split(&names("bulk", 9), &names("host", 1)), 4).len(), 2);
    }

    #[test]
    fn a_new_host_takes_scenarios_over_and_nothing_else_moves() {
        let ids = names("bulk/tls1.2", 100);
        let (few, more) = (names("host", 3), names("host", 4));
        let moved = ids.iter().filter(|id| owner(id, &few) != owner(id, &more));
        let mut count = 0;
        for id in moved {
            assert_eq!(owner(id, &more).unwrap(), "host-3");
            count += 1;
        }
        assert!((10..50).contains(&count), "{count}");
        let mut other_order = few.clone();
        other_order.reverse();
        assert!(ids.iter().all(|id| owner(id, &few) == owner(id, &other_order)));
    }
}

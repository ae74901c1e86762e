//! Splitting a suite over hosts.

use anyhow::{Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shakedown_schedule::Suite;
use std::{collections::BTreeSet, fmt::Write};

/// A job matrix of GitHub Actions.
#[derive(Debug, Serialize)]
pub struct JobMatrix {
    /// One entry for each host.
    pub include: Vec<HostShare>,
}

/// The scenarios of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostShare {
    host: String,
    /// Scenario ids, separated by spaces.
    only: String,
}

/// Splits a suite over hosts.
///
/// # Errors
/// A host that is named twice.
pub fn share(suite: &Suite, hosts: &[String]) -> Result<Vec<HostShare>> {
    let distinct: BTreeSet<&String> = hosts.iter().collect();
    if distinct.len() != hosts.len() {
        bail!("a host is named twice: it would measure its share twice");
    }
    let ids: Vec<String> = suite.scenarios.iter().map(ToString::to_string).collect();
    Ok(split(&ids, hosts))
}

/// Assigns every id to one host; hosts without any are left out.
fn split(ids: &[String], hosts: &[String]) -> Vec<HostShare> {
    let shares = hosts.iter().map(|host| {
        let mine = ids.iter().filter(|id| owner(id, hosts) == Some(host));
        let only: Vec<&str> = mine.map(String::as_str).collect();
        HostShare { host: host.clone(), only: only.join(" ") }
    });
    shares.filter(|share| !share.only.is_empty()).collect()
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
    for HostShare { host, only } in shares {
        writeln!(text, "{host}")?;
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

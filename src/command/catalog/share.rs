//! `shakedown catalog share`.

use crate::{exit::Exit, project::ProjectRoot};
use anyhow::{Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shakedown_schedule::Suite;
use std::{collections::BTreeSet, fmt::Write};

/// Splits a suite over hosts: each scenario goes to one host, and stays there. All subjects of
/// a scenario are measured on the same host, since results of two hosts can't be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Who gets a scenario follows from the names of host and scenario alone. A host that is added
takes over its share and leaves everything else where it is; the share of one that is removed
goes to the others.")]
pub(super) struct Args {
    /// Names of the hosts
    #[arg(required = true)]
    hosts: Vec<String>,
    /// Which suite, by name or as a TOML file
    #[arg(long, short, default_value = "standard")]
    suite: String,
    /// As JSON, in the form that a matrix of GitHub Actions takes: {include: [{host, only}]}.
    /// `only` are ids with a space between them
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Matrix {
    include: Vec<Share>,
}

/// What one host measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Share {
    host: String,
    only: String,
}

/// Splits.
///
/// # Errors
/// A suite that is not known, or a host named twice.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let distinct: BTreeSet<&String> = args.hosts.iter().collect();
    if distinct.len() != args.hosts.len() {
        bail!("a host is named twice: it would measure its share twice");
    }
    let ids: Vec<String> = suite.scenarios.iter().map(ToString::to_string).collect();
    let shares = split(&ids, &args.hosts);
    if args.json {
        crate::output::print_json(&Matrix { include: shares })?;
    } else {
        crate::output::print(&text(&shares)?)?;
    }
    Ok(Exit::Done)
}

/// Gives every id to one host; hosts without any are left out.
fn split(ids: &[String], hosts: &[String]) -> Vec<Share> {
    let shares = hosts.iter().map(|host| {
        let mine = ids.iter().filter(|id| owner(id, hosts) == Some(host));
        let only: Vec<&str> = mine.map(String::as_str).collect();
        Share { host: host.clone(), only: only.join(" ") }
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

fn text(shares: &[Share]) -> Result<String> {
    let mut text = String::new();
    for Share { host, only } in shares {
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

    fn ids_of(shares: &[Share]) -> Vec<&str> {
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

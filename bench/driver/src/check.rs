//! Checks that both endpoints negotiated what the scenario requires.

use crate::{Connection, ConnectionInfo, Worker, connect::EndpointPair};
use shakedown_protocol::{Negotiated, Refusal, Scenario};

/// Checks every connection of a trial: the first against the scenario, the others against the
/// first.
#[derive(Debug)]
pub struct Checker<'a> {
    scenario: &'a Scenario,
    expected: Option<(ConnectionInfo, ConnectionInfo)>,
    negotiated: Option<Negotiated>,
    checked: u64,
}

impl<'a> Checker<'a> {
    /// Creates a checker.
    pub const fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, expected: None, negotiated: None, checked: 0 }
    }

    /// Checks one connection.
    ///
    /// # Errors
    /// [`Refusal::Broken`] if it does not match the scenario or the first connection.
    pub fn check<W: Worker>(&mut self, pair: &EndpointPair<W>) -> Result<(), Refusal> {
        let seen = (pair.client.connection_info()?, pair.server.connection_info()?);
        match &self.expected {
            Some(expected) if *expected == seen => {}
            Some(expected) => {
                let text = format!(
                    "connection {} differs from the first: {seen:?} instead of {expected:?}",
                    self.checked + 1
                );
                return Err(Refusal::Broken(text));
            }
            None => {
                self.negotiated = Some(agreed(&seen.0, &seen.1, self.scenario)?);
                self.expected = Some(seen);
            }
        }
        self.checked += 1;
        Ok(())
    }

    /// Number of connections checked.
    pub const fn checked(&self) -> u64 {
        self.checked
    }

    /// What every connection negotiated; `None` before the first check.
    pub fn negotiated(self) -> Option<Negotiated> {
        self.negotiated
    }
}

/// Combines the reports of both endpoints and checks them against the scenario.
fn agreed(
    client: &ConnectionInfo,
    server: &ConnectionInfo,
    scenario: &Scenario,
) -> Result<Negotiated, Refusal> {
    let same = client.version == server.version
        && client.suite == server.suite
        && client.resumed == server.resumed
        && (client.group.is_none() || server.group.is_none() || client.group == server.group);
    if !same {
        let text = format!("the endpoints disagree: client {client:?}, server {server:?}");
        return Err(Refusal::Broken(text));
    }
    let fresh = !client.resumed;
    let negotiated = Negotiated {
        version: client.version,
        suite: client.suite,
        suite_name: client.suite_name.to_owned(),
        group: client.group.or(server.group),
        key: client.peer_key.filter(|_| fresh),
        signature: client.peer_signature.filter(|_| fresh).map(str::to_owned),
        resumed: client.resumed,
        client_auth: server.peer_key.is_some(),
    };
    let differences = negotiated.differences(scenario);
    if differences.is_empty() {
        Ok(negotiated)
    } else {
        Err(Refusal::Broken(differences.join("; ")))
    }
}

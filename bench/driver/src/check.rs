//! Whether both ends negotiated what the scenario says.

use crate::{Connection, ConnectionInfo, Worker, connect::EndpointPair};
use shakedown_protocol::{Negotiated, Refusal, Scenario};

/// What every connection of a trial must show, learned from the first one and compared
/// with each that follows.
#[derive(Debug)]
pub struct Checker<'a> {
    scenario: &'a Scenario,
    expected: Option<(ConnectionInfo, ConnectionInfo)>,
    negotiated: Option<Negotiated>,
    checked: u64,
}

impl<'a> Checker<'a> {
    /// A checker that has seen nothing.
    pub const fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, expected: None, negotiated: None, checked: 0 }
    }

    /// Checks one connection.
    ///
    /// # Errors
    /// [`Refusal::Broken`] where it is not what the scenario asks for, or not what the
    /// connections before it were.
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

    /// How many connections were checked.
    pub const fn checked(&self) -> u64 {
        self.checked
    }

    /// What all of them negotiated.
    pub fn negotiated(self) -> Option<Negotiated> {
        self.negotiated
    }
}

/// What two ends agreed on, if it is what the scenario says.
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
        let text = format!("the two ends disagree: client {client:?}, server {server:?}");
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

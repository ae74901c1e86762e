//! Checks that both endpoints negotiated what the scenario requires.

use crate::{Connection, ConnectionInfo, Worker, connect::EndpointPair};
use shakedown_protocol::{DriverRefusal, Mismatch, Negotiated, TlsScenario};

/// Checks every connection of a trial: the first against the scenario, the others against the
/// first.
#[derive(Debug)]
pub struct Checker<'a> {
    scenario: &'a TlsScenario,
    expected: Option<(ConnectionInfo, ConnectionInfo)>,
    negotiated: Option<Negotiated>,
    checked: u64,
}

impl<'a> Checker<'a> {
    /// Creates a checker.
    pub const fn new(scenario: &'a TlsScenario) -> Self {
        Self { scenario, expected: None, negotiated: None, checked: 0 }
    }

    /// Checks one connection.
    ///
    /// # Errors
    /// [`DriverRefusal::Broken`] if it does not match the scenario or the first connection.
    pub fn check<W: Worker>(&mut self, pair: &EndpointPair<W>) -> Result<(), DriverRefusal> {
        let seen = (pair.client.connection_info()?, pair.server.connection_info()?);
        match &self.expected {
            Some(expected) if *expected == seen => {}
            Some(expected) => {
                let text = format!(
                    "connection {} differs from the first: {seen:?} instead of {expected:?}",
                    self.checked + 1
                );
                return Err(DriverRefusal::Broken(text));
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

/// Whether two endpoints report the same. One that reports nothing contradicts nobody.
fn agree<T: PartialEq>(one: Option<T>, two: Option<T>) -> bool {
    one.is_none() || two.is_none() || one == two
}

/// Combines the reports of both endpoints and checks them against the scenario.
fn agreed(
    client: &ConnectionInfo,
    server: &ConnectionInfo,
    scenario: &TlsScenario,
) -> Result<Negotiated, DriverRefusal> {
    let same = client.version == server.version
        && client.cipher_suite == server.cipher_suite
        && agree(client.resumed, server.resumed)
        && agree(client.group, server.group)
        && client.early_data == server.early_data;
    if !same {
        let text = format!("the endpoints disagree: client {client:?}, server {server:?}");
        return Err(DriverRefusal::Broken(text));
    }
    let Some(resumed) = client.resumed.or(server.resumed) else {
        let text = "neither endpoint reports whether the session was resumed";
        return Err(DriverRefusal::Broken(text.to_owned()));
    };
    let fresh = !resumed;
    let negotiated = Negotiated {
        version: client.version,
        cipher_suite: client.cipher_suite,
        cipher_suite_name: client.cipher_suite_name.to_owned(),
        group: client.group.or(server.group),
        key: client.peer_key.filter(|_| fresh),
        signature: client.peer_signature.filter(|_| fresh).map(str::to_owned),
        resumed,
        client_auth: server.peer_key.is_some(),
        certificates: client.peer_certificates.filter(|_| fresh),
        ocsp_response: client.ocsp_response.filter(|_| fresh),
        early_data: client.early_data,
    };
    broken(&negotiated.differences(scenario)).map_or(Ok(negotiated), Err)
}

/// The refusal of what differs from the scenario; `None` if nothing does.
pub fn broken(differences: &[Mismatch]) -> Option<DriverRefusal> {
    let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| DriverRefusal::Broken(texts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{CertificateKey, CipherSuite, Group, TlsVersion};

    fn facts(resumed: Option<bool>, group: Option<Group>) -> ConnectionInfo {
        ConnectionInfo {
            version: TlsVersion::Tls13,
            cipher_suite: CipherSuite::Aes256Gcm,
            cipher_suite_name: "TLS_AES_256_GCM_SHA384",
            group,
            peer_key: Some(CertificateKey::EcdsaP256),
            peer_signature: None,
            peer_certificates: None,
            ocsp_response: None,
            early_data: false,
            resumed,
        }
    }

    fn said(client: &ConnectionInfo, server: ConnectionInfo) -> Result<Negotiated, DriverRefusal> {
        let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap();
        agreed(client, &ConnectionInfo { peer_key: None, ..server }, &scenario)
    }

    #[test]
    fn one_end_may_be_silent_but_not_both() {
        let full = facts(Some(false), Some(Group::X25519));
        let silent = facts(None, None);
        assert!(!said(&full, silent).unwrap().resumed);
        assert!(matches!(said(&silent, silent), Err(DriverRefusal::Broken(_))));
        let resumed = facts(Some(true), Some(Group::X25519));
        assert!(matches!(said(&full, resumed), Err(DriverRefusal::Broken(_))), "they disagree");
        let no_group = facts(Some(false), None);
        let longer = ConnectionInfo { peer_certificates: Some(3), ..full };
        assert!(matches!(said(&longer, silent), Err(DriverRefusal::Broken(_))), "another chain");
        assert!(
            matches!(said(&no_group, silent), Err(DriverRefusal::Broken(_))),
            "no proof of the group"
        );
    }
}

//! What both endpoints negotiated, and what crossed the wire.

use crate::{
    CertificateKey, CipherSuite, Group, Mismatch, Parameter, TlsScenario, TlsVersion, Verification,
};
use serde::{Deserialize, Serialize};

/// What both ends agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Negotiated {
    /// Protocol version.
    pub version: TlsVersion,
    /// Cipher suite.
    #[serde(alias = "suite")]
    pub cipher_suite: CipherSuite,
    /// IANA name of the cipher suite.
    #[serde(alias = "suite_name")]
    pub cipher_suite_name: String,
    /// Key exchange group; `None` where the handshake had none (TLS 1.2 resumption) and for
    /// in-tree benchmarks.
    pub group: Option<Group>,
    /// Key of the server's certificate; `None` in resumptions.
    pub key: Option<CertificateKey>,
    /// Signature scheme of the server under its IANA name; `None` in resumptions.
    pub signature: Option<String>,
    /// Whether the handshake resumed an earlier session. Both ends must say so.
    pub resumed: bool,
    /// Whether the server saw a certificate of the client, in this session or the resumed one.
    #[serde(default)]
    pub client_auth: bool,
    /// How many certificates the client got; `None` in resumptions, and where the library does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<u8>,
    /// Whether the client got an OCSP response with them; `None` as for `certificates`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ocsp_response: Option<bool>,
    /// Whether the client sent early data, and the server got all of it. Both ends must say so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early_data: bool,
}

impl Negotiated {
    /// Every parameter that is not what the scenario requires.
    pub fn differences(&self, scenario: &TlsScenario) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let mut check = |parameter, required: String, negotiated: String| {
            if required != negotiated {
                found.push(Mismatch { parameter, required, negotiated });
            }
        };
        check(Parameter::Version, scenario.version.to_string(), self.version.to_string());
        let suites = [scenario.cipher_suite, self.cipher_suite].map(|suite| suite.to_string());
        let [wanted, got] = suites;
        check(Parameter::CipherSuite, wanted, got);
        check(Parameter::Resumed, scenario.resumes().to_string(), self.resumed.to_string());
        let sent = [scenario.sends_early_data(), self.early_data].map(|sent| sent.to_string());
        let [wanted, got] = sent;
        check(Parameter::EarlyData, wanted, got);
        // A TLS 1.2 resumption exchanges no keys, an in-tree benchmark does not name the group;
        // everything else must show it.
        let has_group = !(scenario.in_tree || self.resumed && self.version == TlsVersion::Tls12);
        if has_group {
            let got = self.group.map_or("none".to_owned(), |g| g.to_string());
            let wanted = match scenario.group {
                Group::Default => got.clone(),
                pinned => pinned.to_string(),
            };
            check(Parameter::Group, wanted, got);
        }
        if !self.resumed {
            let got = self.key.map_or("none".to_owned(), |k| k.to_string());
            check(Parameter::Key, scenario.key.to_string(), got);
            let Verification { chain, ocsp, .. } = scenario.verification;
            let usual = scenario.verification == Verification::default();
            // Of the usual, a library need not tell anything.
            if let Some(got) = told(self.certificates, usual) {
                check(Parameter::Certificates, chain.to_string(), got);
            }
            if let Some(got) = told(self.ocsp_response, !ocsp) {
                check(Parameter::OcspResponse, ocsp.to_string(), got);
            }
        }
        if !self.resumed || scenario.client_auth {
            let (wanted, got) = (scenario.client_auth.to_string(), self.client_auth.to_string());
            check(Parameter::ClientAuth, wanted, got);
        }
        found
    }
}

/// A fact as text; `None` if it is not told, and need not be.
fn told<T: ToString>(fact: Option<T>, may_be_silent: bool) -> Option<String> {
    match fact {
        Some(fact) => Some(fact.to_string()),
        None => (!may_be_silent).then(|| "unknown".to_owned()),
    }
}

/// What one end put on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SentTraffic {
    /// Bytes, record headers included.
    pub bytes: u64,
    /// TLS records.
    pub records: u64,
    /// Turns in which it sent something.
    pub flights: u64,
}

/// What crossed the wire in one operation, in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireTraffic {
    /// From client to server.
    pub client: SentTraffic,
    /// From server to client.
    pub server: SentTraffic,
}

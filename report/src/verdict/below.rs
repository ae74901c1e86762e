//! Whether what changed is in TLS or in the cryptography below it: a record that measured both says so.

use super::section::SectionKind;
use shakedown_gate::{Comparison, Verdict};
use shakedown_protocol::{
    AeadWork, CipherSuite, Group, HashFunction, Metric, Primitive, Resumption, Scenario,
    ScenarioKind, Side, TlsScenario, TlsVersion,
};
use std::collections::BTreeSet;

/// Primitives that a sentence names; the others are counted.
const NAMED: usize = 3;

/// What is compared between TLS and primitives.
#[derive(Clone, Copy)]
enum Measured {
    Time,
    Instructions,
}

/// A sentence for times and one for instructions, where TLS changed as the section says, and
/// primitives that it calls were measured, too.
pub(super) fn tls_or_below(kind: SectionKind, comparisons: &[Comparison]) -> Vec<String> {
    let all = [Measured::Time, Measured::Instructions];
    all.into_iter().filter_map(|measured| sentence(kind, measured, comparisons)).collect()
}

impl Measured {
    fn is(self, found: &Comparison) -> bool {
        match self {
            Self::Time => found.scenario.rate() == Some(found.metric),
            Self::Instructions => found.metric == Metric::Instructions,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "instructions",
        }
    }
}

fn sentence(kind: SectionKind, measured: Measured, comparisons: &[Comparison]) -> Option<String> {
    let measured_so = comparisons.iter().filter(|found| measured.is(found));
    let (changed, rest): (Vec<_>, Vec<_>) = measured_so
        .partition(|found| found.scenario.tls().is_some() && SectionKind::of(found) == Some(kind));
    let called: Vec<(Primitive, Verdict)> = rest
        .into_iter()
        .filter_map(|found| Some((primitive(found)?, found.verdict)))
        .filter(|(primitive, _)| changed.iter().any(|tls| calls(tls, primitive)))
        .collect();
    let names = |is: &dyn Fn(Verdict) -> bool| -> BTreeSet<String> {
        let some = called.iter().filter(|(_, verdict)| is(*verdict));
        some.map(|(primitive, _)| Scenario::Primitive(*primitive).to_string()).collect()
    };
    let way = if kind == SectionKind::Improved { Verdict::Improved } else { Verdict::Regressed };
    let all = names(&|_| true).len();
    let (moved, alike) = (names(&|verdict| verdict == way), names(&|v| v == Verdict::Pass));
    let (title, what) = (kind.title(), measured.words());
    Some(if all == 0 {
        return None;
    } else if !moved.is_empty() {
        format!(
            "Below TLS: of the primitives that these scenarios call, {} {title} in {what}, too. At least a part of \
             the change is in the cryptography.",
            listed(&moved)
        )
    } else if alike.len() == all {
        format!(
            "In TLS, as far as was measured: the primitives that these scenarios call and that were measured are \
             unchanged in {what} ({}).",
            listed(&alike)
        )
    } else {
        format!(
            "In TLS or below it: not decided, because not all primitives that these scenarios call could be judged \
             in {what} ({} of {all} unchanged).",
            alike.len()
        )
    })
}

fn listed(names: &BTreeSet<String>) -> String {
    let mut text: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let rest = format!("{more} more");
    if more > 0 {
        text.push(&rest);
    }
    match text.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => text.concat(),
    }
}

fn primitive(found: &Comparison) -> Option<Primitive> {
    match found.scenario {
        Scenario::Primitive(primitive) => Some(primitive),
        Scenario::Tls(_) | Scenario::Load(_) => None,
    }
}

/// Whether the scenario of a comparison calls a primitive, on its side.
fn calls(found: &Comparison, primitive: &Primitive) -> bool {
    let Some(tls) = found.scenario.tls() else { return false };
    match tls.kind {
        ScenarioKind::Bulk { .. } => protects(tls.cipher_suite, found.side, primitive),
        ScenarioKind::Handshake(resumption) => agrees(tls, resumption, primitive),
        ScenarioKind::Setup(_) => agrees(tls, Resumption::Full, primitive),
        ScenarioKind::Memory { .. } => false,
    }
}

/// Records: sealed by who sends, opened by who receives.
fn protects(suite: CipherSuite, side: Side, primitive: &Primitive) -> bool {
    let seals = side == Side::Send;
    matches!(primitive, Primitive::Aead { cipher, work, tag: true, .. }
        if *cipher == suite && (*work == AeadWork::Seal) == seals)
}

/// Key schedule and transcript in every handshake; a new secret in TLS 1.3 and in full handshakes; the
/// certificate's key in full ones. Which group a library prefers, its scenario does not say.
fn agrees(tls: &TlsScenario, resumption: Resumption, primitive: &Primitive) -> bool {
    let full = resumption == Resumption::Full;
    let exchanges = full || tls.version == TlsVersion::Tls13;
    let hash = match tls.cipher_suite {
        CipherSuite::Aes256Gcm => HashFunction::Sha384,
        CipherSuite::Aes128Gcm | CipherSuite::Chacha20 => HashFunction::Sha256,
    };
    match primitive {
        Primitive::Hash { function, .. } => *function == hash,
        Primitive::Hkdf { function } => *function == hash && tls.version == TlsVersion::Tls13,
        Primitive::Signature { key, .. } => full && *key == tls.key,
        Primitive::Agreement { group, .. } => exchanges && classical(tls.group) == Some(*group),
        Primitive::Kem { .. } => exchanges && tls.group.is_post_quantum(),
        Primitive::Aead { .. } | Primitive::Fetch(_) => false,
    }
}

/// The Diffie-Hellman part of a group.
const fn classical(group: Group) -> Option<Group> {
    match group {
        Group::X25519 | Group::X25519MlKem768 => Some(Group::X25519),
        Group::Secp256r1 | Group::Secp256r1MlKem768 => Some(Group::Secp256r1),
        Group::Secp384r1 => Some(Group::Secp384r1),
        Group::Default | Group::MlKem768 => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_gate::Policy;
    use shakedown_protocol::fixture::comparison::comparison;

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const SIGN: &str = "primitive/signature/ecdsa-p256/sign";
    const OTHER_KEY: &str = "primitive/signature/rsa-2048/sign";
    const AGREE: &str = "primitive/agreement/x25519/agree";

    fn told(scenarios: &[(&str, [f64; 2])]) -> Vec<String> {
        let judgement =
            shakedown_gate::judge(&comparison(scenarios), &Policy::shipped().unwrap()).unwrap();
        tls_or_below(SectionKind::Regressed, &judgement.comparisons)
    }

    #[test]
    fn a_slower_primitive_is_named_where_tls_calls_it() {
        let slower = [0.9, 0.9];
        let text = told(&[(FULL, slower), (SIGN, slower), (AGREE, [1.0, 1.0])]);
        assert_eq!(
            text,
            [format!(
                "Below TLS: of the primitives that these scenarios call, {SIGN} regressed in time, too. At least a \
                 part of the change is in the cryptography."
            )]
        );
        let text = told(&[(FULL, slower), (OTHER_KEY, slower), (AGREE, [1.0, 1.0])]);
        assert!(text[0].starts_with("In TLS, ") && !text[0].contains("rsa"), "{text:?}");
    }

    #[test]
    fn without_a_change_or_without_its_primitives_nothing_is_told() {
        assert!(told(&[(FULL, [1.0, 1.0]), (SIGN, [0.9, 0.9])]).is_empty());
        assert!(told(&[(FULL, [0.9, 0.9]), (OTHER_KEY, [0.9, 0.9])]).is_empty());
        assert!(told(&[(FULL, [0.9, 0.9])]).is_empty());
    }

    #[test]
    fn a_transfer_calls_the_aead_of_its_side() {
        let bulk = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";
        let (seal, open) =
            ("primitive/aead/aes256-gcm/seal/16KiB", "primitive/aead/aes256-gcm/open/16KiB");
        let text = told(&[(bulk, [0.9, 1.0]), (seal, [0.9, 0.9]), (open, [1.0, 1.0])]);
        assert!(text[0].starts_with("Below TLS") && text[0].contains(seal), "{text:?}");
        assert!(!text[0].contains(open), "{text:?}");
    }

    #[test]
    fn a_group_by_default_says_nothing_of_agreements() {
        let by_default = "handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256";
        assert!(told(&[(by_default, [0.9, 0.9]), (AGREE, [0.9, 0.9])]).is_empty());
    }

    #[test]
    fn many_names_are_counted() {
        let names = |count: usize| (0..count).map(|n| n.to_string()).collect::<BTreeSet<_>>();
        assert_eq!(
            [1, 2, 3, 5].map(|n| listed(&names(n))),
            ["0", "0 and 1", "0, 1 and 2", "0, 1, 2 and 2 more"]
        );
    }
}

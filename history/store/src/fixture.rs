//! Parts of a history for tests.

use crate::{
    SeriesInfo,
    change::{EffectSize, MeasuredRevision, SuspectState, SuspectSummary},
};
use shakedown_protocol::Better;

/// A change of rustls's handshakes in this night, in a cause of its own.
pub fn listed(worse: bool, factor: f64, night: i64, state: SuspectState) -> SuspectSummary {
    let revision = |n: i64| format!("{n:040x}");
    let at =
        |n| MeasuredRevision { revision: revision(n), run: "r".to_owned(), started_ms: Some(n) };
    SuspectSummary {
        id: "i".to_owned(),
        cause: format!("c{night}"),
        state,
        worse,
        series: SeriesInfo {
            subject: "rustls@git:main".to_owned(),
            scenario: "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".to_owned(),
            side: "server".to_owned(),
            metric: "handshakes".to_owned(),
            unit: "handshakes/s".to_owned(),
            better: Better::Higher,
        },
        stack: "rustls".to_owned(),
        variants: Vec::new(),
        epoch: "e".to_owned(),
        change: EffectSize { factor, low: factor - 0.01, high: factor + 0.01, p: 1e-9 },
        last_good: at(night - 1),
        first_bad: at(night),
        repository: Some("https://github.com/rustls/rustls".to_owned()),
        decisions: Vec::new(),
    }
}

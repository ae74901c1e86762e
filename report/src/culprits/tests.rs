use super::*;
use shakedown_culprits::{
    AllocationExplanation, EventChange, Explanation, SiteChange, SitesExplanation,
    TrafficExplanation, WireChange, WireExplanation,
};
use shakedown_protocol::{Metric, Side};
use std::collections::BTreeMap;

fn culprit(function: &str, change: f64, share: f64) -> Culprit {
    Culprit {
        function: function.to_owned(),
        renamed_from: None,
        change,
        share,
        own: [916.0, 916.0 + change],
        inclusive: [1_100_000.0, 1_100_000.0 + change],
        entries: [1.0, 1.0],
        calls: vec![("rustls::hash::HandshakeHash::add".to_owned(), 1_200.0)],
        files: vec![
            ("src/record_layer.rs".to_owned(), 5_000.0),
            ("iter/macros.rs".to_owned(), -12.0),
        ],
        lines: vec![("src/record_layer.rs:43".to_owned(), 4_988.0)],
    }
}

fn side(scenario: &str, change: f64, culprits: Vec<Culprit>, metric: Metric) -> SideExplanation {
    let events = vec![
        EventChange {
            event: "Ir".to_owned(),
            values: [1e6, 1e6 * (1.0 + change)],
            functions: vec![],
        },
        EventChange { event: "D1mr".to_owned(), values: [120.0, 480.0], functions: vec![] },
        EventChange { event: "DLmr".to_owned(), values: [20.0, 48.0], functions: vec![] },
    ];
    SideExplanation {
        scenario: scenario.parse().unwrap(),
        side: Side::Server,
        metrics: vec![metric],
        explanation: Explanation {
            total: [1e6, 1e6 * (1.0 + change)],
            culprits,
            remainder: 0.0,
            events,
        },
        page_faults: (metric == Metric::Handshakes).then_some([0.01, 2.0]),
        misses: BTreeMap::new(),
    }
}

fn sent(sender: Side, message: &str, part: Option<&str>, bytes: [u64; 2]) -> WireChange {
    let (message, part) = (message.to_owned(), part.map(str::to_owned));
    WireChange { sender, message, encrypted: part.is_none(), part, count: [1, 1], bytes }
}

pub(crate) fn explanation() -> ComparisonExplanation {
    let handler =
        "rustls::server::tls13::client_hello::CompleteClientHelloHandling::handle_client_hello";
    let update = "ring::digest::Context::update";
    let ticket = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let full = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let bulk = "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256";
    let site = SiteChange {
        function: "rustls::client::hs::emit_client_hello".to_owned(),
        callers: vec!["start_handshake (client/hs.rs)".to_owned()],
        allocations: [4.0, 5.0],
        bytes: [96.0, 112.0],
        at_peak: [0.0, 0.0],
    };
    ComparisonExplanation {
        run: "r".to_owned(),
        record_sha256: "0".repeat(64),
        base: "rustls@path:base".to_owned(),
        head: "rustls@path:head".to_owned(),
        sides: vec![
            side(
                ticket,
                0.0137,
                vec![culprit(handler, 13_700.0, 0.85), culprit(update, 2_100.0, 0.15)],
                Metric::Instructions,
            ),
            side(full, 0.012, vec![culprit(handler, 12_000.0, 1.0)], Metric::Instructions),
            side(bulk, 0.0, vec![], Metric::Handshakes),
        ],
        allocations: vec![AllocationExplanation {
            scenario: full.parse().unwrap(),
            sites: SitesExplanation {
                allocations: [182.0, 183.0],
                bytes: [44_750.0, 44_766.0],
                peak: [94_980.0, 94_980.0],
                sites: vec![site],
            },
        }],
        memory: vec![],
        traffic: vec![TrafficExplanation {
            scenario: full.parse().unwrap(),
            traffic: WireExplanation {
                client: [527, 1_711],
                server: [1_205, 1_209],
                changes: vec![
                    sent(Side::Client, "client_hello", Some("key_share"), [42, 1_226]),
                    sent(Side::Server, "encrypted records of flight 1", None, [900, 904]),
                ],
            },
        }],
        causes: vec![],
        not_profiled: vec![bulk.parse().unwrap()],
        failed: vec![(
            bulk.parse().unwrap(),
            "there is no valgrind\u{202e} on this machine".to_owned(),
        )],
        stacks: BTreeMap::from([
            ("side;main;handle".to_owned(), [100.0, 300.0]),
            ("side;main;encrypt".to_owned(), [500.0, 400.0]),
        ]),
    }
    .grouped()
}

#[test]
fn an_explanation_fits_80_columns() {
    let text = explanation_text(&Why::new(&explanation()));
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_the_processor_counted_replaces_the_model() {
    let mut found = explanation();
    for one in &mut found.sides {
        let counted = [("branch-misses", [50.0, 51.0]), ("L1-icache-load-misses", [40.0, 95.0])];
        one.misses = counted.map(|(name, pair)| (name.to_owned(), pair)).into();
    }
    let [sentence] = &outside_of_instructions(&found)[..] else { panic!() };
    assert!(sentence.contains("both ends together: L1-icache-load-misses 40 → 95."), "{sentence}");
    assert!(!sentence.contains("branch-misses") && !sentence.contains("model"), "{sentence}");
}

#[test]
fn what_has_one_cause_is_one_item() {
    let causes = causes(&explanation());
    let [cause] = &causes[..] else { panic!("{causes:#?}") };
    assert_eq!(cause.function, "CompleteClientHelloHandling::handle_client_hello");
    assert_eq!(cause.sides.len(), 2);
}

#[test]
fn a_flame_graph_is_red_where_head_costs_more_and_blue_where_it_costs_less() {
    let svg = String::from_utf8(flame_graph(&explanation()).unwrap().unwrap()).unwrap();
    let fill = |name: &str| {
        let at = svg.find(&format!("<title>{name} (")).unwrap_or_else(|| panic!("{name}: {svg}"));
        let rest = &svg[at..];
        let rest = &rest[rest.find("fill=\"rgb(").unwrap() + 10..];
        let color: Vec<u32> =
            rest[..rest.find(')').unwrap()].split(',').map(|n| n.trim().parse().unwrap()).collect();
        (color[0], color[2])
    };
    let (red, blue) = fill("handle");
    assert!(red > blue, "{red} {blue}");
    let (red, blue) = fill("encrypt");
    assert!(blue > red, "{red} {blue}");
    assert!(!svg.contains("http-equiv") && !svg.contains("src=\"http"), "nothing is loaded");
    let nothing = ComparisonExplanation { stacks: BTreeMap::new(), ..explanation() };
    assert!(flame_graph(&nothing).unwrap().is_none());
}

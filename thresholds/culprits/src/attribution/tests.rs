use super::*;
use crate::fixture::{Program, handshake};

fn explained(head: &Program) -> Explanation {
    explain(&handshake().graph(), &head.graph())
}

/// The names of the culprits and their shares in percent.
fn named(explanation: &Explanation) -> Vec<(&str, i64)> {
    let one = |c: &'_ Culprit| (c.share * 100.0).round() as i64;
    explanation.culprits.iter().map(|c| (c.function.as_str(), one(c))).collect()
}

#[test]
fn nothing_explains_no_change() {
    let same = explained(&handshake());
    assert_eq!((same.culprits.len(), same.remainder), (0, 0.0));
}

#[test]
fn a_slower_function_is_the_culprit_and_not_those_that_call_it() {
    let head = handshake().with("hash::update", 160.0, &[("hash::block", 4.0)]);
    let found = explained(&head);
    assert_eq!(named(&found), [("hash::update", 100)]);
    assert_eq!(found.culprits[0].own, [300.0, 800.0]);
    assert!(found.remainder.abs() < 1e-9);
}

#[test]
fn who_calls_more_often_is_the_culprit_and_not_what_is_called() {
    let calls = [("codec::encode", 12.0), ("hash::update", 3.0)];
    let found = explained(&handshake().with("client::start", 400.0, &calls));
    assert_eq!(named(&found), [("client::start", 100)]);
    assert_eq!(found.culprits[0].calls[0], ("hash::update".to_owned(), 2_860.0));
}

#[test]
fn who_calls_something_new_is_the_culprit() {
    let calls = [("hash::update", 3.0), ("verify", 1.0), ("checksum", 2.0)];
    let head = handshake().with("client::finish", 300.0, &calls).with("checksum", 500.0, &[]);
    let found = explained(&head);
    assert_eq!(named(&found), [("client::finish", 100)]);
    assert_eq!(found.culprits[0].calls[0], ("checksum".to_owned(), 1_000.0));
}

#[test]
fn renamed_moved_split_and_inlined_code_cancels_beside_a_real_change() {
    let slower = || handshake().with("verify", 9_500.0, &[("hash::block", 2.0)]);
    let split = slower()
        .with("client::start", 100.0, &[("client::hello", 1.0), ("hash::update", 2.0)])
        .with("client::hello", 300.0, &[("codec::encode", 12.0)]);
    let moved_call = slower()
        .with("main", 50.0, &[("client::start", 1.0), ("client::finish", 1.0), ("verify", 1.0)])
        .with("client::finish", 300.0, &[("hash::update", 3.0)]);
    for (what, head) in [
        ("renamed", slower().renamed("hash::update", "hash::append")),
        ("moved to another module", slower().renamed("codec::encode", "msgs::list::encode")),
        ("the culprit is renamed", slower().renamed("verify", "check_signature")),
        ("split", split),
        ("inlined", slower().inlined("codec::encode")),
        ("inlined, with calls", slower().inlined("hash::update")),
        ("a call was moved", moved_call),
    ] {
        let found = explained(&head);
        let first = &found.culprits[0];
        assert!(
            first.function == "verify" || first.renamed_from.as_deref() == Some("verify"),
            "{what}: {found:#?}"
        );
        assert!((first.share - 1.0).abs() < 0.1, "{what}: {:?}", named(&found));
        assert_eq!(found.culprits.len(), 1, "{what}: {:?}", named(&found));
    }
}

#[test]
fn two_culprits_are_both_named_the_larger_first() {
    let head = handshake().with("verify", 9_500.0, &[("hash::block", 2.0)]).with(
        "codec::encode",
        130.0,
        &[],
    );
    assert_eq!(named(&explained(&head)), [("codec::encode", 71), ("verify", 29)]);
}

#[test]
fn an_improvement_and_a_regression_have_opposite_signs() {
    let head = handshake().with("verify", 8_000.0, &[("hash::block", 2.0)]).with(
        "codec::encode",
        60.0,
        &[],
    );
    let found = explained(&head);
    let changes: Vec<f64> = found.culprits.iter().map(|c| c.change).collect();
    assert_eq!(changes, [-1_000.0, 360.0]);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Functions `f0` to `f9`, each of which calls only later ones.
    fn programs() -> impl Strategy<Value = Program> {
        let body = (100.0..5_000.0_f64, prop::collection::vec((1_usize..4, 1_u32..4), 0..3));
        prop::collection::vec(body, 10).prop_map(|bodies| {
            let name = |at: usize| if at == 0 { "main".to_owned() } else { format!("f{at}") };
            let mut program = Program::default();
            for (at, (own, calls)) in bodies.iter().enumerate() {
                let mut calls: Vec<(String, f64)> = calls
                    .iter()
                    .map(|(step, times)| (name(at + step), f64::from(*times)))
                    .filter(|(callee, _)| callee != "f10" && callee != "f11" && callee != "f12")
                    .collect();
                calls.sort_by(|a, b| a.0.cmp(&b.0));
                calls.dedup_by(|a, b| a.0 == b.0);
                if at == 0 {
                    calls = vec![(name(1), 1.0), (name(2), 2.0), (name(3), 1.0)];
                }
                let calls: Vec<(&str, f64)> = calls.iter().map(|(c, n)| (c.as_str(), *n)).collect();
                program = program.with(&name(at), *own, &calls);
            }
            program
        })
    }

    proptest! {
        #[test]
        fn what_arises_adds_up_to_the_change(program in programs(), at in 1_usize..10, more in 1.05..2.0_f64) {
            let mut head = program.clone();
            let body = head.0.get_mut(&format!("f{at}")).unwrap();
            body.own *= more;
            let (base, head) = (program.graph(), head.graph());
            let sum: f64 = changes(&base, &head).values().map(Arisen::sum).sum();
            let change = head.total[0] - base.total[0];
            prop_assert!((sum - change).abs() <= 1e-6 * base.total[0], "{sum} of {change}");
        }

        #[test]
        fn the_slower_function_is_named_whatever_else_is_renamed(
            program in programs(), at in 1_usize..10, other in 1_usize..10, more in 1.2..2.0_f64
        ) {
            let (name, other) = (format!("f{at}"), format!("f{other}"));
            let base = program.graph();
            prop_assume!(base.nodes.contains_key(&name) && name != other);
            let mut head = program.clone();
            head.0.get_mut(&name).unwrap().own *= more;
            let head = head.renamed(&other, "elsewhere::new").graph();
            let found = explain(&base, &head);
            prop_assume!(!found.is_unchanged());
            prop_assert_eq!(&found.culprits[0].function, &name);
            prop_assert!((found.culprits[0].share - 1.0).abs() < 0.05);
        }
    }
}

//! One trial: several runs of the program, each a sample.

use crate::output::{Rates, cipher_suite_name};
use shakedown_protocol::{
    DriverRefusal, DriverRequest, Measurement, Meter, Negotiated, Sample, ScenarioKind, SideResult,
    TlsScenario,
};

/// Operations of the first run, which only tells how long one takes.
const PILOT: u64 = 8;
/// Samples of a trial at least: a median needs some.
const FEWEST: usize = 3;
/// Runs of a trial at most, whatever the clock says.
const MOST: usize = 1000;
const NANOSECONDS_PER_MS: f64 = 1e6;

/// Measures by calling `run`, which runs the program for a number of operations.
///
/// # Errors
/// With what an in-tree benchmark can't do, or what went wrong in a run.
pub fn measure(
    request: &DriverRequest,
    run: impl Fn(&TlsScenario, u64) -> Result<Vec<Rates>, String>,
) -> Result<Measurement, DriverRefusal> {
    let Some(scenario) = request.scenario.tls().filter(|scenario| scenario.in_tree) else {
        let what =
            "this driver runs the library's own benchmark: it measures `intree/` scenarios only";
        return Err(DriverRefusal::Unsupported(what.to_owned()));
    };
    if request.meter != Meter::Time {
        let what = "an in-tree benchmark counts neither allocations nor instructions";
        return Err(DriverRefusal::Unsupported(what.to_owned()));
    }
    let run = |operations| -> Result<Vec<[Sample; 2]>, DriverRefusal> {
        let rates = run(scenario, operations).map_err(DriverRefusal::Failed)?;
        Ok(rates.iter().map(|rates| samples(scenario, operations, *rates)).collect())
    };
    let pilot = own_time(&run(PILOT)?) / PILOT as f64;
    let operations = |ms: u32, each: f64| {
        ((f64::from(ms) * NANOSECONDS_PER_MS / each).ceil() as u64).clamp(PILOT, u64::MAX / 4)
    };
    // The pilot is cold and slow; what follows goes by the warm-up.
    let warm = operations(request.warm_up_ms.max(1), pilot);
    let each = own_time(&run(warm)?) / warm as f64;
    let batch = operations(request.batch_ms, each);
    let wanted = f64::from(request.measure_ms) * NANOSECONDS_PER_MS;
    let (mut pairs, mut spent) = (Vec::new(), 0.0);
    for _ in 0..MOST {
        let measured = run(batch)?;
        spent += own_time(&measured);
        pairs.extend(measured);
        if spent >= wanted && pairs.len() >= FEWEST {
            break;
        }
    }
    Ok(measured(scenario, &pairs))
}

/// Time of both sides together, in nanoseconds.
fn own_time(pairs: &[[Sample; 2]]) -> f64 {
    pairs.iter().flatten().map(|sample| sample.nanoseconds as f64).sum()
}

/// What a run tells: it prints rates only, the time follows from how much it did.
fn samples(scenario: &TlsScenario, operations: u64, Rates(rates): Rates) -> [Sample; 2] {
    const MIB: f64 = 1_048_576.0;
    rates.map(|rate| {
        let (bytes, amount) = match scenario.kind {
            ScenarioKind::Bulk { write, .. } => {
                (operations * write.0, operations as f64 * write.0 as f64 / MIB)
            }
            _ => (0, operations as f64),
        };
        let nanoseconds = (amount / rate * 1e9).round().max(1.0) as u64;
        Sample { operations, nanoseconds, bytes, thread: 0 }
    })
}

fn measured(scenario: &TlsScenario, pairs: &[[Sample; 2]]) -> Measurement {
    let sides = scenario.sides().iter().enumerate().map(|(index, &side)| SideResult {
        side,
        samples: pairs.iter().map(|pair| pair[index]).collect(),
        latency: None,
        counts: None,
    });
    Measurement {
        scenario: (*scenario).into(),
        negotiated: Some(Negotiated {
            version: scenario.version,
            cipher_suite: scenario.cipher_suite,
            cipher_suite_name: cipher_suite_name(scenario),
            group: None,
            key: (!scenario.resumes()).then_some(scenario.key),
            signature: None,
            resumed: scenario.resumes(),
            client_auth: false,
            certificates: None,
            ocsp_response: None,
            early_data: false,
        }),
        wire: None,
        checked: 0,
        sides: sides.collect(),
        memory: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn request(id: &str, meter: Meter) -> DriverRequest {
        DriverRequest {
            protocol: shakedown_protocol::DRIVER_PROTOCOL,
            scenario: id.parse().unwrap(),
            meter,
            pki: "/".into(),
            warm_up_ms: 10,
            measure_ms: 100,
            batch_ms: 20,
            operations: 10,
            tickets: 2,
            seed: 1,
        }
    }

    const FULL: &str = "intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";

    #[test]
    fn runs_last_as_long_as_was_asked_for() {
        let asked = RefCell::new(Vec::new());
        // 1 ms for the client and 1 ms for the server.
        let found = measure(&request(FULL, Meter::Time), |_, operations| {
            asked.borrow_mut().push(operations);
            Ok(vec![Rates([1000.0, 1000.0])])
        });
        let found = found.unwrap();
        assert_eq!(*asked.borrow(), [8, 8, 10, 10, 10, 10, 10]);
        let client = &found.sides[0].samples;
        assert_eq!((client.len(), client[0].operations), (5, 10));
        assert_eq!(client[0].nanoseconds, 10_000_000);
        assert!(found.wire.is_none() && found.checked == 0);
        assert!(found.differences().is_empty());
    }

    #[test]
    fn transfers_count_in_mebibytes() {
        let id = "intree/bulk/tls1.3/aes128-gcm/default/rsa-2048/write-1MiB";
        let found =
            measure(&request(id, Meter::Time), |_, _| Ok(vec![Rates([500.0, 1000.0])])).unwrap();
        let [send, receive] = [found.sides[0].samples[0], found.sides[1].samples[0]];
        assert_eq!(send.bytes, send.operations << 20);
        assert_eq!(
            (send.nanoseconds, receive.nanoseconds),
            (send.operations * 2_000_000, receive.operations * 1_000_000)
        );
    }

    #[test]
    fn a_run_that_fails_yields_no_number() {
        let calls = RefCell::new(0);
        let found = measure(&request(FULL, Meter::Time), |_, _| {
            *calls.borrow_mut() += 1;
            if *calls.borrow() < 5 {
                Ok(vec![Rates([1000.0, 1000.0])])
            } else {
                Err("x".to_owned())
            }
        });
        assert_eq!(found.unwrap_err(), DriverRefusal::Failed("x".to_owned()));
    }

    #[test]
    fn what_it_can_not_give_is_refused() {
        let never = |_: &TlsScenario, _| panic!("nothing is run");
        let driver = "handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";
        for (id, meter) in [(FULL, Meter::Heap), (FULL, Meter::Instructions), (driver, Meter::Time)]
        {
            assert!(matches!(
                measure(&request(id, meter), never),
                Err(DriverRefusal::Unsupported(_))
            ));
        }
    }
}

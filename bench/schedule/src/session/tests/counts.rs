//! Counts beside times.

use super::{
    comparisons::{pairs, undecided},
    *,
};
use std::{sync::Condvar, time::Instant};

/// Holds the first time until a count is under way, and the other way round; notes what ran at the same
/// time.
#[derive(Default)]
struct Together {
    mock: Mock,
    running: Mutex<[usize; 2]>,
    changed: Condvar,
    met: std::sync::atomic::AtomicBool,
    crowded: std::sync::atomic::AtomicBool,
}

impl Executor for Together {
    fn execute(&self, job: &DriverCall<'_>) -> Execution {
        use std::sync::atomic::Ordering::SeqCst;
        let request: DriverRequest = serde_json::from_slice(job.input).unwrap();
        let kind = usize::from(order::is_counted(&(request.scenario, request.meter)));
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut running = self.running.lock().unwrap();
        running[kind] += 1;
        self.crowded.fetch_or(running[0] > 1 || running[0] == 1 && running[1] > 1, SeqCst);
        self.changed.notify_all();
        while !self.met.load(SeqCst) {
            if running[0] > 0 && running[1] > 0 {
                self.met.store(true, SeqCst);
                self.changed.notify_all();
                break;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "time and count did not meet");
            running = self.changed.wait_timeout(running, left).unwrap().0;
        }
        drop(running);
        let done = self.mock.execute(job);
        self.running.lock().unwrap()[kind] -= 1;
        done
    }
}

#[test]
fn counts_are_taken_beside_times_on_another_cpu() {
    let cpus = TrialCpus::choose(&HostFiles::here(), None).unwrap();
    if cpus.beside(1).is_none() {
        println!("skipped: this machine has no second core");
        return;
    }
    for paired in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = if paired { pairs(folder.path()) } else { session(folder.path()) };
        session.options.counts = Some(CountTiming::BesideTimes);
        let together = Together::default();
        let mut silent = SilentObserver;
        let record = if paired {
            SessionStart::New.compare(session, None, &mut undecided, &together, &mut silent)
        } else {
            SessionStart::New.run_plan(session, &together, &mut silent)
        };
        assert_eq!(record.unwrap().plan.counts, Some(CountTiming::BesideTimes));
        assert!(together.met.into_inner());
        assert!(!together.crowded.into_inner(), "one count beside a time, and one time");
        for one in together.mock.asked() {
            if !order::is_counted(&(one.request.scenario, one.request.meter)) {
                assert_eq!(one.cpus, cpus.for_threads(1));
            }
        }
    }
}

#[test]
fn counts_that_can_not_be_taken_beside_times_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    session.options.counts = Some(CountTiming::BesideTimes);
    // Threads that have all CPUs leave none.
    let id = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-64";
    session.plan.scenarios.push(id.parse().unwrap());
    let mock = Mock::default();
    let error = go(SessionStart::New, session, &mock).unwrap_err().to_string();
    assert!(error.starts_with("counts can't be taken beside times: "), "{error}");
    assert_eq!(mock.asked().len(), 0);
}

#[test]
fn a_plan_without_counts_does_not_say_when_they_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    session.plan.meters = vec![Meter::Time];
    session.plan.scenarios.retain(|scenario| !scenario.is_memory());
    session.options.counts = None;
    let record = go(SessionStart::New, session, &Mock::default()).unwrap();
    assert_eq!(record.plan.counts, None);
}

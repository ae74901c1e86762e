//! The load generator: a closed loop of connections that are open at once, bounded in time.

use crate::{
    client,
    clock::ProcessClock,
    connections::{PATIENCE, at_once, patience, tls},
    exchange::{self, Exchange},
    server::Server,
};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use rustls::{ClientConfig, ClientConnection};
use shakedown_driver::Recorder;
use shakedown_protocol::{
    DriverRefusal, DriverRequest, Latency, Negotiated, Sample, ScenarioKind, WireTraffic,
};
use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// Stack of a connection's thread: there may be thousands.
const STACK: usize = 512 * 1024;
/// Batches of a trial, at most.
const BATCHES: u32 = 20;

/// What came of a load.
pub struct Loaded {
    /// The generator's batches: operations, and its own CPU time.
    pub client: Vec<Sample>,
    /// The same operations, and the CPU time of the servers.
    pub server: Vec<Sample>,
    /// Times of single operations, from connecting to the end of the response.
    pub times: Option<Latency>,
    /// What each connection agreed on.
    pub negotiated: Negotiated,
    /// Connections that were checked.
    pub checked: u64,
    /// What one operation put on the wire.
    pub wire: WireTraffic,
}

/// State of all connections.
struct Shared {
    request: DriverRequest,
    address: SocketAddr,
    body: usize,
    done: AtomicU64,
    /// Connections that have ended their first operation: those to come resume, and transfers go on.
    begun: AtomicU64,
    checked: AtomicU64,
    recording: AtomicBool,
    stop: AtomicBool,
    times: Mutex<Recorder>,
    agreed: Mutex<Option<Negotiated>>,
    failure: Mutex<Option<DriverRefusal>>,
}

/// Loads the servers as long as the request says.
///
/// # Errors
/// The first thing that went wrong in any connection.
pub fn load(request: &DriverRequest, server: &Server, body: u64) -> Result<Loaded, DriverRefusal> {
    let failed = |error: String| DriverRefusal::Failed(error);
    let clocks = server.clocks().map_err(failed)?;
    let shared = Arc::new(Shared {
        request: request.clone(),
        address: server.address,
        body: usize::try_from(body).map_err(|error| failed(error.to_string()))?,
        done: AtomicU64::new(0),
        begun: AtomicU64::new(0),
        checked: AtomicU64::new(0),
        recording: AtomicBool::new(false),
        stop: AtomicBool::new(false),
        times: Mutex::default(),
        agreed: Mutex::new(None),
        failure: Mutex::new(None),
    });
    // Here, so that a certificate that can't be read is said once.
    let configs: Vec<Arc<ClientConfig>> =
        (0..at_once(request)).map(|_| client::configuration(request)).collect::<Result<_, _>>()?;
    let watcher = Arc::clone(&shared);
    let spawn = thread::Builder::new().name("generator".to_owned()).spawn(move || {
        leave_cpu();
        let Shared { request, address, body, .. } = &*watcher;
        let wire = exchange::traffic(tls(request), address, &configs[0], *body, PATIENCE);
        let wire =
            wire.map_err(|error| DriverRefusal::Failed(format!("first connection: {error}")))?;
        let connections: Vec<_> = configs
            .into_iter()
            .map_while(|config| {
                let shared = Arc::clone(&watcher);
                let thread = thread::Builder::new().stack_size(STACK);
                let spawned = thread.spawn(move || shared.attend(&config));
                let failed = |error| DriverRefusal::Failed(format!("no thread: {error}"));
                spawned.map_err(|error| watcher.end(failed(error))).ok()
            })
            .collect();
        let samples = watcher.sample(&clocks);
        watcher.stop.store(true, Relaxed);
        for connection in connections {
            let _ = connection.join();
        }
        samples.map(|samples| (samples, wire))
    });
    let generator = spawn.map_err(|error| failed(format!("no thread: {error}")))?;
    let result = generator.join().map_err(|_| failed("the load generator panicked".to_owned()))?;
    if let Some(failure) = locked(&shared.failure).take() {
        return Err(failure);
    }
    let ([client, server], wire) = result?;
    let negotiated = locked(&shared.agreed).take();
    let negotiated = negotiated.ok_or_else(|| failed("no connection was completed".to_owned()))?;
    let times = locked(&shared.times).finish();
    Ok(Loaded { client, server, times, negotiated, checked: shared.checked.load(Relaxed), wire })
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the CPU of the servers to them, where there is another one.
fn leave_cpu() {
    let this = Pid::from_raw(0);
    let Ok(theirs) = sched_getaffinity(this) else { return };
    let mut others = CpuSet::new();
    for cpu in 0..CpuSet::count() {
        if theirs.is_set(cpu) == Ok(false) {
            let _ = others.set(cpu);
        }
    }
    // With no other CPU this is refused, and both share.
    let _ = sched_setaffinity(this, &others);
}

impl Shared {
    /// Operations on one connection after the other, or all on one, until told to stop.
    fn attend(&self, config: &Arc<ClientConfig>) {
        let transfers = self.request.scenario.is_bulk();
        let ended = if transfers { self.transfers(config) } else { self.connections(config) };
        if let Err(failure) = ended {
            self.end(failure);
        }
    }

    /// Ends the load with the first thing that went wrong.
    fn end(&self, failure: DriverRefusal) {
        locked(&self.failure).get_or_insert(failure);
        self.stop.store(true, Relaxed);
    }

    fn connections(&self, config: &Arc<ClientConfig>) -> Result<(), DriverRefusal> {
        // The first connection of a thread has nothing to resume.
        let patience = patience(&self.request);
        let (mut first, mut begun) = (self.request.scenario.resumes(), false);
        while !self.stop.load(Relaxed) {
            let start = Instant::now();
            let mut connection =
                Exchange::open(&self.address, config, patience).map_err(DriverRefusal::Failed)?;
            connection.request(self.body, true).map_err(DriverRefusal::Failed)?;
            let time = start.elapsed();
            if !first {
                self.check(&connection.tls)?;
            }
            self.count(time, begun);
            (first, begun) = (false, true);
        }
        Ok(())
    }

    fn transfers(&self, config: &Arc<ClientConfig>) -> Result<(), DriverRefusal> {
        let patience = patience(&self.request);
        let mut connection =
            Exchange::open(&self.address, config, patience).map_err(DriverRefusal::Failed)?;
        let mut begun = false;
        while !self.stop.load(Relaxed) {
            let start = Instant::now();
            connection.request(self.body, false).map_err(DriverRefusal::Failed)?;
            if !begun {
                self.check(&connection.tls)?;
            }
            self.count(start.elapsed(), begun);
            begun = true;
        }
        Ok(())
    }

    fn count(&self, time: Duration, begun: bool) {
        if !begun {
            self.begun.fetch_add(1, Relaxed);
        }
        self.done.fetch_add(1, Relaxed);
        if self.recording.load(Relaxed) {
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            locked(&self.times).record(nanoseconds);
        }
    }

    fn check(&self, connection: &ClientConnection) -> Result<(), DriverRefusal> {
        let found = client::agreed(connection, tls(&self.request))?;
        self.checked.fetch_add(1, Relaxed);
        locked(&self.agreed).get_or_insert(found);
        Ok(())
    }

    /// Waits for the warm-up, then takes batches. Client and servers, in this order.
    fn sample(&self, clocks: &[ProcessClock]) -> Result<[Vec<Sample>; 2], DriverRefusal> {
        let failed = DriverRefusal::Failed;
        let begin = Instant::now();
        let warm = Duration::from_millis(self.request.warm_up_ms.into());
        let patience = patience(&self.request);
        let all = u64::from(at_once(&self.request));
        let (mut seen, mut moved) = (0, begin);
        while begin.elapsed() < warm || self.begun.load(Relaxed) < all {
            if self.stop.load(Relaxed) {
                return Ok([Vec::new(), Vec::new()]);
            }
            let done = self.done.load(Relaxed);
            if done != seen {
                (seen, moved) = (done, Instant::now());
            }
            // A connection that waits gives up before, and says more.
            if moved.elapsed() > warm + 2 * patience {
                let text = format!("the load generator hangs after {done} operations");
                return Err(failed(text));
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.recording.store(true, Relaxed);
        let batch = self.request.batch_ms.max(self.request.measure_ms / BATCHES).max(1);
        let batch = Duration::from_millis(batch.into());
        let end = Instant::now() + Duration::from_millis(self.request.measure_ms.into());
        let server = || clocks.iter().map(|clock| clock.now()).sum::<Result<u64, String>>();
        let read = || -> Result<[u64; 3], DriverRefusal> {
            let server = server().map_err(failed)?;
            let own = ProcessClock::own().now().map_err(failed)?;
            Ok([self.done.load(Relaxed), own, server])
        };
        let (mut samples, mut before) = ([Vec::new(), Vec::new()], read()?);
        let mut last = Instant::now();
        while Instant::now() < end || samples[0].is_empty() {
            if self.stop.load(Relaxed) || last.elapsed() > patience {
                break;
            }
            thread::sleep(batch);
            let after = read()?;
            let operations = after[0] - before[0];
            // A batch without an operation goes on.
            if operations == 0 || after[1] == before[1] || after[2] == before[2] {
                continue;
            }
            for (side, samples) in samples.iter_mut().enumerate() {
                samples.push(self.one(operations, after[side + 1] - before[side + 1]));
            }
            (before, last) = (after, Instant::now());
        }
        Ok(samples)
    }

    fn one(&self, operations: u64, nanoseconds: u64) -> Sample {
        let each = match tls(&self.request).kind {
            ScenarioKind::Bulk { .. } => self.body as u64,
            _ => 0,
        };
        Sample { operations, nanoseconds, bytes: operations * each, thread: 0 }
    }
}

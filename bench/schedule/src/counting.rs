//! Counts need a CPU, but no quiet: they are taken beside times, or on several CPUs after them.

use crate::{
    ScheduleError,
    cpus::TrialCpus,
    order::{cells, is_counted},
    runner::TrialRunner,
};
use shakedown_protocol::{CountTiming, RunPlan};
use std::{
    panic,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread::{self, ScopedJoinHandle},
};

/// When a new run takes its counts: as wanted, or after the times. `None` where there are none.
pub(crate) fn choose(plan: &RunPlan, wanted: Option<CountTiming>) -> Option<CountTiming> {
    let counted = cells(plan).iter().any(is_counted);
    counted.then(|| wanted.unwrap_or(CountTiming::AfterTimes))
}

/// Refuses a plan whose counts can't be taken when it says.
pub(crate) fn check(cpus: &TrialCpus, plan: &RunPlan) -> Result<(), ScheduleError> {
    if plan.counts == Some(CountTiming::BesideTimes) && beside(cpus, plan).is_none() {
        let text = "counts can't be taken beside times: there is no other CPU, or none with a core of its own";
        return Err(ScheduleError::Unfit(text.to_owned()));
    }
    Ok(())
}

/// The CPU that can take counts while times are measured.
fn beside(cpus: &TrialCpus, plan: &RunPlan) -> Option<u32> {
    let threads = plan.scenarios.iter().map(|scenario| scenario.threads().get()).max();
    cpus.beside(threads.unwrap_or(1))
}

/// Counts to take: the threads that take them go on with the next one.
struct CountQueue<'a, T> {
    tasks: &'a [T],
    next: AtomicUsize,
    stopped: AtomicBool,
}

impl<T: Sync> CountQueue<'_, T> {
    /// Takes counts until none is left, or one failed.
    fn work<R>(
        &self,
        cpu: u32,
        count: &impl Fn(&T, u32) -> Result<R, ScheduleError>,
    ) -> Result<Vec<R>, ScheduleError> {
        let mut all = Vec::new();
        while !self.stopped.load(Ordering::SeqCst) {
            let Some(task) = self.tasks.get(self.next.fetch_add(1, Ordering::SeqCst)) else {
                break;
            };
            all.push(count(task, cpu).inspect_err(|_| self.stop())?);
        }
        Ok(all)
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    fn left(&self) -> usize {
        self.tasks.len().saturating_sub(self.next.load(Ordering::SeqCst))
    }
}

impl TrialRunner<'_> {
    /// Runs `time` on this thread. Takes the counts `tasks` by `count` on one other CPU meanwhile, if the
    /// plan says so, and what is left of them on all CPUs for counts afterwards.
    pub fn time_and_count<V, T: Sync, R: Send>(
        &self,
        tasks: &[T],
        count: impl Fn(&T, u32) -> Result<R, ScheduleError> + Sync,
        time: impl FnOnce() -> Result<V, ScheduleError>,
    ) -> Result<(V, Vec<R>), ScheduleError> {
        let queue =
            CountQueue { tasks, next: AtomicUsize::new(0), stopped: AtomicBool::new(false) };
        let (queue, count) = (&queue, &count);
        let beside = self.beside();
        thread::scope(|scope| {
            let work = |cpu: u32| scope.spawn(move || queue.work(cpu, count));
            let mut helpers: Vec<_> = beside.map(work).into_iter().collect();
            let timed = time().inspect_err(|_| queue.stop());
            let mut free = self.cpus.counting().into_iter().filter(|cpu| Some(*cpu) != beside);
            let own = free.next();
            // This thread takes counts itself.
            helpers.extend(free.take(queue.left().saturating_sub(1)).map(work));
            let own = own.map_or_else(|| Ok(Vec::new()), |cpu| queue.work(cpu, count));
            let all: Vec<_> = helpers.into_iter().map(join).chain([own]).collect();
            let timed = timed?;
            let counted = all.into_iter().collect::<Result<Vec<Vec<R>>, _>>()?;
            Ok((timed, counted.into_iter().flatten().collect()))
        })
    }

    /// The CPU that works beside times, if the plan says so.
    pub fn beside(&self) -> Option<u32> {
        match self.plan.counts {
            Some(CountTiming::BesideTimes) => beside(self.cpus, self.plan),
            Some(CountTiming::AfterTimes) | None => None,
        }
    }
}

/// What a thread came to; its panic is passed on.
pub(crate) fn join<R>(helper: ScopedJoinHandle<'_, R>) -> R {
    helper.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

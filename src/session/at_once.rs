//! The same work for each of several items, a few at the same time.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Runs `work` for each item, `limit` of them at the same time, and returns the results in the order
/// of the items. After the first failure, items that have not begun are left out.
///
/// # Errors
/// The failure of the first item, in their order, that failed.
pub fn at_once<T: Sync, R: Send, E: Send>(
    limit: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        while !failed.load(Ordering::SeqCst) {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = items.get(index) else { return };
            let result = work(item);
            failed.fetch_or(result.is_err(), Ordering::SeqCst);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..limit.min(items.len()) {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn results_come_in_the_order_of_the_items_and_work_runs_at_the_same_time() {
        // Each of the first two waits for the other one.
        let both = Barrier::new(2);
        let work = |item: &u32| {
            if *item < 2 {
                both.wait();
            }
            Ok::<_, ()>(item * 10)
        };
        assert_eq!(at_once(2, &[0, 1, 2, 3, 4], work), Ok(vec![0, 10, 20, 30, 40]));
        assert_eq!(at_once(2, &[], work), Ok(vec![]));
    }

    #[test]
    fn never_more_than_the_limit_run() {
        let running = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let work = |_: &u32| {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, ()>(())
        };
        at_once(2, &[0; 50], work).unwrap();
        assert!(most.into_inner() <= 2);
    }

    #[test]
    fn the_first_failure_in_order_counts_and_nothing_begins_after_it() {
        let begun = AtomicUsize::new(0);
        let work = |item: &u32| {
            begun.fetch_add(1, Ordering::SeqCst);
            if *item == 1 { Err(*item) } else { Ok(*item) }
        };
        assert_eq!(at_once(1, &[0, 1, 2, 3], work), Err(1));
        assert_eq!(begun.into_inner(), 2);
    }
}

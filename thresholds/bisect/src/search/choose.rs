//! Which commit of a region tells the most.

use super::state::SearchState;
use fixedbitset::FixedBitSet;
use std::cmp::Reverse;

/// From this number of skipped commits in a region on, the next choice keeps away from the middle:
/// what broke the build broke it for the neighbours as well.
const KEEP_AWAY: usize = 2;

/// Steps that halving takes for a region, one commit of which is known to have the change.
pub(super) const fn work_left(commits: usize) -> usize {
    commits.next_power_of_two().trailing_zeros() as usize
}

/// The commit of `asked` that halves `region` best, or what it builds on if that has no number yet.
/// `None` if none can be measured.
pub(super) fn best(
    state: &SearchState<'_>,
    region: &FixedBitSet,
    asked: &FixedBitSet,
) -> Option<usize> {
    let graph = state.graph;
    let all = region.count_ones(..);
    let mut open: Vec<(usize, usize)> = asked
        .ones()
        .filter(|&place| state.is_open(place))
        .map(|place| {
            let older = graph.ancestors(place).intersection_count(region);
            (older.min(all - older), place)
        })
        .collect();
    // A commit whose base is not measured costs one more; otherwise the oldest.
    let costs = |place: usize| state.before_it(place) != place;
    open.sort_by_key(|&(halves, place)| (Reverse(halves), costs(place), place));
    let skipped = asked.ones().filter(|&place| state.observation(place).is_some()).count();
    let index = if skipped < KEEP_AWAY { 0 } else { away(skipped, open.len()) };
    open.get(index).map(|&(_, place)| state.before_it(place))
}

/// As `git bisect` does after skips: somewhere in the list, rather near its beginning, and somewhere
/// else each time.
fn away(skipped: usize, length: usize) -> usize {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let spread = (skipped as f64 * GOLDEN).fract();
    (length as f64 * spread * spread.sqrt()) as usize
}

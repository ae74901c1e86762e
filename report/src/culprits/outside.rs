//! What is said of times that changed while their instructions did not.

use super::exact;
use shakedown_culprits::{ComparisonExplanation, SideExplanation};

/// Sentences about sides whose time changed while their instructions did not.
pub fn outside_of_instructions(found: &ComparisonExplanation) -> Vec<String> {
    let sentence = |one: &SideExplanation| {
        let counted = if one.misses.is_empty() { by_model(one) } else { by_processor(one) };
        let faults = one.page_faults.map_or_else(String::new, |pair| {
            format!(" The kernel counted {}, both ends together.", in_words(pair))
        });
        format!(
            "{} {}: the time changed and the instructions did not; {counted}.{faults} The cause is not in \
             the instructions: think of memory layout, alignment or waiting.",
            one.scenario, one.side
        )
    };
    found.sides.iter().filter(|one| one.is_outside_of_instructions()).map(sentence).collect()
}

/// What the processor counted, by its names in `perf list`.
fn by_processor(one: &SideExplanation) -> String {
    // What these count for an operation repeats to a few percent.
    let moved = moved(0.05, one.misses.iter().map(|(name, pair)| (name.as_str(), *pair)));
    if moved.is_empty() {
        "nor did what the processor counts of caches and branches".to_owned()
    } else {
        format!("the processor counted, per operation and both ends together: {moved}")
    }
}

/// What callgrind's model of caches and branches saw, on a machine whose processor counts nothing.
fn by_model(one: &SideExplanation) -> String {
    let events = one.explanation.events.iter();
    let named = events.filter_map(|event| Some((event_name(&event.event)?, event.values)));
    let moved = moved(0.02, named);
    if moved.is_empty() {
        "nor did what the model of caches and branches counts".to_owned()
    } else {
        format!("the model of caches and branches saw, per operation: {moved}")
    }
}

/// Those that changed by more than this share.
fn moved<'a>(share: f64, events: impl Iterator<Item = (&'a str, [f64; 2])>) -> String {
    let changed = events.filter_map(|(name, [base, head])| {
        let moved = (head - base).abs() > share * base.max(head) && base.max(head) >= 5.0;
        moved.then(|| format!("{name} {} → {}", exact(base), exact(head)))
    });
    changed.collect::<Vec<_>>().join(", ")
}

/// What callgrind's events are called; `None` for those that follow from others.
fn event_name(event: &str) -> Option<&'static str> {
    Some(match event {
        "I1mr" => "misses of the instruction cache",
        "D1mr" => "read misses of the data cache",
        "D1mw" => "write misses of the data cache",
        "ILmr" | "DLmr" | "DLmw" => return None,
        "Bcm" => "mispredicted conditional branches",
        "Bim" => "mispredicted indirect branches",
        _ => return None,
    })
}

/// Page faults of an operation, in base and in head.
fn in_words(pair: [f64; 2]) -> String {
    // Less than one in twenty operations is chance: an allocator that went back to the kernel.
    const CHANCE: f64 = 0.05;
    let [base, head] = pair.map(|faults| if faults < CHANCE { 0.0 } else { faults });
    if (head - base).abs() < CHANCE {
        return format!("{} page faults per operation in base and in head", exact(base));
    }
    format!("{} → {} page faults per operation", exact(base), exact(head))
}

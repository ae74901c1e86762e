//! What is said of times that changed while their instructions did not.

use super::exact;
use shakedown_culprits::{ComparisonExplanation, SideExplanation};

/// Sentences about sides whose time changed while their instructions did not.
pub fn outside_of_instructions(found: &ComparisonExplanation) -> Vec<String> {
    let sentence = |one: &SideExplanation| {
        let moved: Vec<String> = one
            .explanation
            .events
            .iter()
            .filter_map(|event| {
                let [base, head] = event.values;
                let name = event_name(&event.event)?;
                let moved = (head - base).abs() > 0.02 * base.max(head) && base.max(head) >= 5.0;
                moved.then(|| format!("{name} {} → {}", exact(base), exact(head)))
            })
            .collect();
        let model = if moved.is_empty() {
            "nor did what the model of caches and branches counts".to_owned()
        } else {
            format!("the model of caches and branches saw, per operation: {}", moved.join(", "))
        };
        let faults = one.page_faults.map_or_else(String::new, |pair| {
            format!(" The kernel counted {}, both ends together.", in_words(pair))
        });
        format!(
            "{} {}: the time changed and the instructions did not; {model}.{faults} The cause is not in \
             the instructions: think of memory layout, alignment or waiting.",
            one.scenario, one.side
        )
    };
    found.sides.iter().filter(|one| one.is_outside_of_instructions()).map(sentence).collect()
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

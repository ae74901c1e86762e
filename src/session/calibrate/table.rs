//! A calibration, for people.

use super::{CalibrationResult, is_rate};
use crate::host_text;
use shakedown_report::{self as report, percent, signed_percent};
use std::fmt::Write;

/// What people read of a calibration.
pub fn calibration_table(calibrated: &CalibrationResult) -> String {
    let mut table = report::grid();
    let head = ["condition", "family", "side", "n", "spread", "noisiest", "drift", "MDE"];
    table.set_header(head);
    for found in &calibrated.conditions {
        for one in found.noise.iter().filter(is_rate) {
            table.add_row([
                found.record.clone(),
                one.family.clone(),
                one.side.to_string(),
                one.blocks.to_string(),
                percent(one.rms_effect),
                percent(one.max_rms_effect),
                signed_percent(one.drift),
                percent(one.minimum_detectable_effect),
            ]);
        }
    }
    let mut text = format!("noise of host epoch {}\n{table}\n\n", calibrated.epoch);
    text.push_str(
        "spread: root mean square effect of unchanged code over n blocks; drift: last third of the blocks \
         against the first; MDE: minimum detectable effect, the smallest slowdown that the policy finds nine times in ten\n",
    );
    if let Some(kernel) = &calibrated.kernel {
        let _ = writeln!(text, "\n{}", host_text::osnoise(kernel));
    }
    let limit = percent(calibrated.limit);
    let _ = match calibrated.fit {
        Some(true) => {
            writeln!(text, "fit: no family of relinked builds spreads by more than {limit}")
        }
        Some(false) => writeln!(text, "not fit: relinked builds spread by more than {limit}"),
        None => Ok(()),
    };
    text
}

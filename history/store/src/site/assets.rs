//! The files of the pages themselves.

use super::out::SiteWriter;
use crate::StoreError;

/// The bytes of files of the dashboard.
macro_rules! assets {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../dashboard/", $name)) as &[u8])),+]
    };
}

const FILES: &[(&str, &[u8])] = assets![
    "index.html",
    "style.css",
    "vendor/uPlot.iife.min.js",
    "vendor/uPlot.min.css",
    "vendor/uPlot.LICENSE",
];

/// Parts of the one script that a browser loads, in this order.
const SCRIPTS: &[(&str, &[u8])] = assets![
    "data.js",
    "element.js",
    "words.js",
    "address.js",
    "table.js",
    "form.js",
    "names.js",
    "plot.js",
    "keys.js",
    "legend.js",
    "changes.js",
    "means.js",
    "cell.js",
    "grid.js",
    "front.js",
    "numbers.js",
    "runs.js",
    "run.js",
    "operand.js",
    "compare.js",
    "cost.js",
    "claims.js",
    "picture.js",
    "points.js",
    "lines.js",
    "trend.js",
    "releases.js",
    "scaling.js",
    "hosts.js",
    "start.js",
];

/// Writes them.
pub(super) fn write(out: &mut SiteWriter<'_>) -> Result<(), StoreError> {
    for (name, content) in FILES {
        out.put(name, content)?;
    }
    let parts: Vec<&[u8]> = SCRIPTS.iter().map(|(_, content)| *content).collect();
    out.put("dashboard.js", &parts.concat())
}

"use strict";
// Geometric means: how many times as good a column is as another one, over the rows of a group.

// For each column of `rows` its mean factor against column `base`, with the widest ends that the
// intervals of all rows allow; null where they have no row in common.
function geometricMeans(rows, columns, base) {
  return columns.map((column) => {
    const logs = rows.flatMap((row) => {
      const [head, against] = [row.cells[column], row.cells[base]];
      if (!head || !against || !(head.median > 0 && against.median > 0)) return [];
      const factor = (x, y) => Math.log(timesAsGood(row.better, x, y));
      const sides = row.better === "higher" ? ["low", "high"] : ["high", "low"];
      const [worst, best] = [factor(head[sides[0]], against[sides[1]]), factor(head[sides[1]], against[sides[0]])];
      return [[factor(head.median, against.median), worst, best]];
    });
    if (logs.length === 0) return null;
    const mean = (at) => Math.exp(logs.reduce((sum, log) => sum + log[at], 0) / logs.length);
    const same = column === base;
    return { median: mean(0), low: same ? 1 : mean(1), high: same ? 1 : mean(2), n: logs.length, single: !same && rows.some((row) => [column, base].some((one) => row.cells[one]?.n === 1)) };
  });
}

// What a mean can be marked by: an interval for every column, and all rows of the group.
function comparableMeans(means, rows) {
  const single = means.some((mean) => mean?.single);
  return means.map((mean) => (mean && !single && mean.n === rows.length ? mean : null));
}

// What differs between the rows of a mean, in words.
function mixOf(rows) {
  const parts = [["side", "sides"], ["version", "TLS versions"], ["suite", "cipher suites"], ["group", "groups"], ["key", "keys"], ["options", "options"]];
  const mixed = parts.flatMap(([name, plural]) => {
    const values = [...new Set(rows.map((row) => String(row[name] ?? "") || "none"))].sort(releaseOrder.compare);
    return values.length > 1 ? [`${plural} (${values.join(", ")})`] : [];
  });
  return mixed.length ? `It mixes ${mixed.join("; ")}. Every row weighs the same.` : null;
}

"use strict";
// Two releases, branches, commits or runs side by side.

async function comparePage(main, overview, query) {
  const subjects = names(overview.subjects);
  const [first, second] = companions(overview, query.a ?? query.b);
  const [a, b] = query.a == null && query.b != null ? [second, query.b] : [query.a ?? first, query.b ?? second];
  const known = [...subjects, ...overview.runs.map((run) => run.name)];
  const results = h("div");
  fill(main, h("h1", {}, "Compare"), h("p", { class: "note" }, "Compare any two of: releases and branches (their newest values), commits, stored runs."));
  const [base, head] = await Promise.all([operand(overview, a), operand(overview, b)]);
  const fieldsOf = (search) => form(suggest("Base", "a", a, known), suggest("Head", "b", b, known), search);
  const missing = [base, head].map((side) => side.missing).filter(Boolean);
  if (missing.length) { main.append(fieldsOf(null), ...missing); return; }
  const pairs = paired(base, head);
  pairs.forEach(weigh);
  const longest = Math.max(0.01, ...pairs.map((row) => Math.abs(Math.log(row.factor))).filter(Number.isFinite));
  const both = bySubject(base, head);
  const rows = comparisonTable(pairs, longest, both, query.sort ?? "");
  const search = searchField("Only rows with all these words", query, (fits) => {
    const some = pairs.filter((row) => fits(`${row.scenario} ${row.side} ${row.metric} ${both ? row.subject : ""}`));
    const caption = `${head.label} against ${base.label}: ${some.length} of ${plural(pairs.length, "row")}`;
    rows.show(some, caption);
    announce(caption);
  });
  main.append(fieldsOf(search.field), h("dl", {}, h("dt", {}, "Base"), h("dd", {}, base.label, ": ", base.note), h("dt", {}, "Head"), h("dd", {}, head.label, ": ", head.note)), results);
  if (pairs.length === 0) { fill(results, h("p", {}, "These two have no scenario, side and metric in common.")); return; }
  const apart = pairs.filter((row) => row.apart).length;
  fill(results, apart ? h("p", { class: "worse" }, `${apart === pairs.length ? "All" : `${apart} of ${pairs.length}`} rows are of two host epochs. They have no factor: another host is another number.`) : null,
    pairs.some((row) => isInTree(row.scenario)) ? inTreeNote() : null, rows,
    h("p", { class: "note" }, "Factor: how many times as good head is; above 1 is better, for every metric. In brackets the widest that the two intervals allow; ~ where that holds 1. Bars: the factor's logarithm, to the right where head is better. This is not a verdict: a verdict needs a comparison that measures both side by side."));
  search.apply();
}

// Factor and direction of a row, where both sides are of one epoch.
function weigh(row) {
  row.apart = row.base.epoch !== row.head.epoch;
  const factor = (head, base) => (row.apart ? NaN : timesAsGood(row.better, head, base));
  const [worst, best] = row.better === "higher" ? ["low", "high"] : ["high", "low"];
  row.factor = factor(row.head.median, row.base.median);
  row.spread = [factor(row.head[worst], row.base[best]), factor(row.head[best], row.base[worst])];
  const single = row.base.n < 2 || row.head.n < 2;
  row.direction = single || !(row.spread[0] > 1 || row.spread[1] < 1) ? null : row.factor > 1 ? "better" : "worse";
}

function comparisonTable(pairs, longest, both, sort) {
  return table("Comparison", [
    ...(both ? [{ name: "Subject", wide: true, class: "id", key: (r) => r.subject, show: (r) => r.subject }] : []),
    { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => h("span", {}, trendOf({ ...r, subject: r.head.subject }, r.scenario), below(`${r.side} ${metricIn(r.metric, r.unit)}`), both ? narrow(`of ${r.subject}`) : null) },
    { name: "Factor", class: "number", key: (r) => (Number.isFinite(r.factor) ? r.factor : -1), show: (r) => factorOf(r, longest) },
    { name: "Base", class: "number", key: (r) => r.base.median, show: (r) => value(r.base) },
    { name: "Head", class: "number", key: (r) => r.head.median, show: (r) => value(r.head) },
    { name: "n", class: "number", show: (r) => `${r.base.n}, ${r.head.n}` },
  ], pairs, sort);
}

// The factor, in words and as a bar that grows from the middle: better to the right.
function factorOf(row, longest) {
  if (!Number.isFinite(row.factor) || row.factor <= 0) return row.apart ? "two epochs" : "–";
  const part = (50 * Math.abs(Math.log(row.factor))) / longest;
  const [low, high] = row.spread.map((end) => end.toFixed(3));
  return h("span", {}, h("span", { class: row.direction }, `${row.factor.toFixed(3)} ${row.direction ?? "~"}`), h("span", { class: "spread" }, ` [${low} to ${high}]`),
    h("span", { class: "bar", "aria-hidden": "true" }, h("span", { class: row.direction ?? "even", style: `width:${part}%;${row.factor > 1 ? "left" : "right"}:50%` })));
}

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
  main.append(fieldsOf(search.field), h("dl", {}, h("dt", {}, "Base"), h("dd", {}, base.label, ": ", base.note, measuredIn(overview, pairs, "base")), h("dt", {}, "Head"), h("dd", {}, head.label, ": ", head.note, measuredIn(overview, pairs, "head"))), results);
  if (pairs.length === 0) { fill(results, h("p", {}, "These two have no scenario, side and metric in common.")); return; }
  fill(results, conclusion(pairs), hostsApart(overview, pairs) ?? nightsApart(pairs),
    pairs.some((row) => isInTree(row.scenario)) ? inTreeNote() : null, rows,
    h("p", { class: "note" }, `Factor: head over base, of rates how many times as fast, of costs how many times as much. In brackets the widest that the two intervals allow${coverageOf(overview, pairs)}; no difference is shown where that holds 1. Bars: the factor's logarithm, to the right of the line at 1 where head is better, for every metric. This is not a verdict: a verdict needs a comparison that measures both side by side.`));
  search.apply();
}

// How often each interval holds its true median, at least.
function coverageOf(overview, pairs) {
  const least = Math.min(...pairs.flatMap((row) => [row.base, row.head]).map((one) => coverage(overview, one.n) ?? 1));
  return least < 1 ? `, each of which holds the true median in at least ${percentOf(least)} of cases` : "";
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
    { name: "Factor", class: "number", key: (r) => (Number.isFinite(r.factor) ? r.factor : -1), show: factorOf },
    { name: "← worse | better →", wide: true, show: (r) => factorBar(r, longest) },
    { name: "Base", class: "number", key: (r) => r.base.median, show: (r) => value(r.base) },
    { name: "Head", class: "number", key: (r) => r.head.median, show: (r) => value(r.head) },
    { name: "n", class: "number", show: (r) => `${r.base.n}, ${r.head.n}` },
  ], pairs, sort);
}

const hasFactor = (row) => Number.isFinite(row.factor) && row.factor > 0;

// Head over base in words: a rate is so many times as fast, of a cost it is so many times as much.
function factorOf(row) {
  if (!hasFactor(row)) return row.apart ? "two epochs" : "–";
  const cost = row.better === "lower";
  const of = (factor) => (cost ? 1 / factor : factor);
  const [low, high] = row.spread.map(of).sort((x, y) => x - y).map((end) => end.toPrecision(3));
  return h("span", { "data-factor": row.factor.toFixed(6) }, h("span", { class: row.direction }, `${of(row.factor).toPrecision(3)} times as ${cost ? "much" : "fast"}`),
    h("span", { class: "below" }, `${row.direction ?? "no difference shown"} [${low} to ${high}]`));
}

// How good head is, as a bar that grows from the line at 1: better to the right.
function factorBar(row, longest) {
  if (!hasFactor(row)) return null;
  const part = (50 * Math.abs(Math.log(row.factor))) / longest;
  return h("span", { class: "bar", "aria-hidden": "true" }, h("span", { class: row.direction ?? "even", style: `width:${part}%;${row.factor > 1 ? "left" : "right"}:50%` }));
}

// The result in a sentence: how many rows are better, and the geometric mean of each metric.
function conclusion(pairs) {
  const some = pairs.filter(hasFactor);
  if (some.length === 0) return null;
  const count = (direction) => some.filter((row) => row.direction === direction).length;
  const means = [...new Set(some.map((row) => row.metric))].map((metric) => {
    const logs = some.filter((row) => row.metric === metric).map((row) => Math.log(row.factor));
    return `${metric} ${times(Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length))}`;
  });
  return h("p", { class: "lead" }, h("strong", {}, `Head is better in ${count("better")}, worse in ${count("worse")} of ${plural(some.length, "row")}; no difference shown in ${count(null)}.`),
    ` Geometric mean of how many times as good head is: ${means.join(", ")}.`);
}

// When and where a side was measured, by the rows that are compared.
function measuredIn(overview, pairs, side) {
  const rows = pairs.map((row) => row[side]);
  if (rows.length === 0) return null;
  const times = rows.map((row) => row.t * 1000);
  const [first, last] = [day(Math.min(...times)), day(Math.max(...times))];
  const epochs = [...new Set(rows.map((row) => row.epoch))];
  const hosts = hostsOf(overview, rows);
  return [", measured ", first === last ? first : `${first} to ${last}`, ` on ${hosts.join(", ")}, `, epochs.map((epoch, at) => [at ? ", " : "", epochOf(epoch, "epoch ")])];
}

const hostsOf = (overview, rows) => [...new Set(rows.map((row) => overview.epochs.find((one) => one.epoch === row.epoch)?.host ?? "unknown host"))];

// Why rows have no factor: two hosts, or one host before and after something changed on it.
function hostsApart(overview, pairs) {
  const apart = pairs.filter((row) => row.apart);
  if (apart.length === 0) return null;
  const [base, head] = ["base", "head"].map((side) => hostsOf(overview, apart.map((row) => row[side])).join(" and "));
  const where = base === head ? `The host ${base} itself changed between the two sides (two epochs)` : `The two sides were measured on different hosts (base on ${base}, head on ${head})`;
  const which = apart.length === pairs.length ? "no row has a factor" : `${plural(apart.length, "row has", "rows have")} no factor`;
  return h("p", { class: "worse" }, `${where}, so ${which}: part of any difference would come from the ${base === head ? "host" : "hosts"}.`);
}

// What forbids to take the numbers of both sides for one measurement.
function nightsApart(pairs) {
  const nights = (side) => [...new Set(pairs.map((row) => day(row[side].t * 1000)))].sort().join();
  return nights("base") === nights("head") ? null : h("p", { class: "worse" }, "The two sides were not measured in the same runs: part of a difference may come from what changed on the host in between.");
}

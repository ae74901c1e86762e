"use strict";
// Two subjects side by side.

async function comparePage(main, overview, query) {
  const subjects = names(overview.subjects);
  const [first, second] = companions(overview, query.a ?? query.b);
  const [a, b] = query.a == null && query.b != null ? [second, query.b] : [query.a ?? first, query.b ?? second];
  main.append(h("h1", {}, "Compare two subjects"));
  const search = h("input", { type: "search", name: "find", value: query.find ?? "", placeholder: "tls1.3 server" });
  main.append(form("compare", query, choose("Base", "a", subjects, a), choose("Head", "b", subjects, b), h("label", {}, "Only rows with all these words", search)));
  const [ida, idb] = [idOf(overview.subjects, a), idOf(overview.subjects, b)];
  if (!ida || !idb) throw new Error("one of the subjects is not in the history");
  const [base, head] = await Promise.all([load(`subject/${ida}`), load(`subject/${idb}`)]);
  const key = (row) => JSON.stringify([row.scenario, row.side, row.metric, row.unit, row.epoch]);
  const heads = new Map(head.map((row) => [key(row), row]));
  const words = (query.find ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const pairs = base.flatMap((row) => (heads.has(key(row)) ? [{ ...row, base: row, head: heads.get(key(row)) }] : []));
  const shown = pairs.filter((row) => words.every((word) => `${row.scenario} ${row.side} ${row.metric}`.toLowerCase().includes(word)));
  for (const row of shown) {
    row.factor = row.head.median / row.base.median;
    // Intervals that overlap say nothing sure; the verdict of a gate is another matter.
    row.apart = row.head.low > row.base.high || row.head.high < row.base.low;
  }
  const logs = shown.map((row) => Math.abs(Math.log(row.factor))).filter(Number.isFinite);
  const longest = Math.max(...logs, 0.01);
  document.getElementById("status").textContent = `${shown.length} of ${pairs.length} rows`;
  if (pairs.length === 0) { main.append(h("p", {}, "These two were not measured in one host epoch.")); return; }
  main.append(table(`${b} against ${a}: ${shown.length} of ${pairs.length} rows; median [interval], factor = head / base`, [
    { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => h("a", { href: link("trend", { scenario: r.scenario, subject: b, side: r.side, metric: r.metric }) }, r.scenario) },
    { name: "Side", key: (r) => r.side, show: (r) => r.side },
    { name: "Metric", key: (r) => r.metric, show: (r) => `${r.metric} [${r.unit}]` },
    { name: "Base", class: "number", key: (r) => r.base.median, show: (r) => value(r.base) },
    { name: "Head", class: "number", key: (r) => r.head.median, show: (r) => value(r.head) },
    { name: "n", class: "number", show: (r) => `${r.base.n}, ${r.head.n}` },
    { name: "Factor", class: "number", key: (r) => (Number.isFinite(r.factor) ? r.factor : -1), show: (r) => (!Number.isFinite(r.factor) ? "–" : h("span", { class: r.apart ? (goodFactor(r.better, r.factor) ? "better" : "worse") : null },
      `${r.factor.toFixed(3)} ${r.apart ? (goodFactor(r.better, r.factor) ? "better" : "worse") : "~"}`,
      h("span", { class: "bar", "aria-hidden": "true", style: `width:${(100 * Math.abs(Math.log(r.factor))) / longest}%` }))) },
  ], shown), h("p", { class: "note" }, "~ : the intervals overlap. Rows are of one host epoch each."));
}

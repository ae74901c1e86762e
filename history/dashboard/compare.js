"use strict";
// Two subjects side by side.

async function comparePage(main, overview, query) {
  const subjects = names(overview.subjects);
  const [first, second] = companions(overview, query.a ?? query.b);
  const [a, b] = query.a == null && query.b != null ? [second, query.b] : [query.a ?? first, query.b ?? second];
  main.append(h("h1", {}, "Compare two subjects"));
  const search = h("input", { type: "search", name: "find", value: query.find ?? "", placeholder: "tls1.3 server" });
  main.append(form("compare", choose("Base", "a", subjects, a), choose("Head", "b", subjects, b), h("label", {}, "Only rows with all these words", search)));
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
    // The widest that the two intervals allow. Where it holds 1 nothing is sure; the verdict of a
    // gate is another matter.
    row.spread = [row.head.low / row.base.high, row.head.high / row.base.low];
    const apart = row.spread[0] > 1 || row.spread[1] < 1;
    row.direction = !apart ? null : goodFactor(row.better, row.factor) ? "better" : "worse";
  }
  const logs = shown.map((row) => Math.abs(Math.log(row.factor))).filter(Number.isFinite);
  const longest = Math.max(...logs, 0.01);
  document.getElementById("status").textContent = `${shown.length} of ${pairs.length} rows`;
  if (pairs.length === 0) { main.append(h("p", {}, "These two were not measured in one host epoch.")); return; }
  if (shown.some((row) => isInTree(row.scenario))) main.append(inTreeNote());
  main.append(table(`${b} against ${a}: ${shown.length} of ${pairs.length} rows; median [interval], factor = head / base [widest interval]`, [
    { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => h("span", {},
      h("a", { href: link("trend", { scenario: r.scenario, subject: b, side: r.side, metric: r.metric }) }, r.scenario), narrow(`${r.side} ${r.metric} [${r.unit}]`)) },
    { name: "Side", wide: true, key: (r) => r.side, show: (r) => r.side },
    { name: "Metric", wide: true, key: (r) => r.metric, show: (r) => `${r.metric} [${r.unit}]` },
    { name: "Factor", class: "number", key: (r) => (Number.isFinite(r.factor) ? r.factor : -1), show: (r) => factorOf(r, longest) },
    { name: "Base", class: "number", key: (r) => r.base.median, show: (r) => value(r.base) },
    { name: "Head", class: "number", key: (r) => r.head.median, show: (r) => value(r.head) },
    { name: "n", class: "number", show: (r) => `${r.base.n}, ${r.head.n}` },
  ], shown, query.sort ?? ""), h("p", { class: "note" }, "~ : the factor's interval holds 1. Bars: the factor's logarithm, to the right where head is better. Rows are of one host epoch each."));
}

// What a narrow window shows below a name, because it has no room for the columns.
const narrow = (text) => h("span", { class: "narrow" }, text);

// The factor, in words and as a bar that grows from the middle: better to the right.
function factorOf(row, longest) {
  if (!Number.isFinite(row.factor) || row.factor <= 0) return "–";
  const part = (50 * Math.abs(Math.log(row.factor))) / longest;
  const right = goodFactor(row.better, row.factor);
  const [low, high] = row.spread.map((end) => end.toFixed(3));
  return h("span", {}, h("span", { class: row.direction }, `${row.factor.toFixed(3)} ${row.direction ?? "~"}`), h("span", { class: "spread" }, ` [${low}, ${high}]`),
    h("span", { class: "bar", "aria-hidden": "true" }, h("span", { class: row.direction ?? "even", style: `width:${part}%;${right ? "left" : "right"}:50%` })));
}

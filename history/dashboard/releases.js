"use strict";
// A stack release by release.

async function releasesPage(main, overview, query) {
  const stacks = [...new Set(names(overview.subjects).map(stackOf))];
  const scenarios = names(overview.scenarios);
  const [stack, scenario] = [query.stack ?? largestStack(names(overview.subjects)), query.scenario ?? scenarios[0]];
  main.append(h("h1", {}, "Release by release"));
  const rows = (await load(`scenario/${idOf(overview.scenarios, scenario)}`)).filter((row) => stackOf(row.subject) === stack);
  const kinds = [...new Set(rows.map((row) => `${row.side} ${row.metric}`))];
  const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
  main.append(form("releases", choose("Stack", "stack", stacks, stack), choose("Scenario", "scenario", scenarios, scenario), choose("Side and metric", "kind", kinds, kind)));
  const shown = rows.filter((row) => `${row.side} ${row.metric}` === kind).sort((x, y) => releaseOrder.compare(x.subject, y.subject));
  if (shown.length === 0) { main.append(h("p", {}, `${stack} was not measured in this scenario.`)); return; }
  if (isInTree(scenario)) main.append(inTreeNote());
  const epochs = new Set(shown.map((row) => row.epoch));
  const { metric, unit } = shown[0];
  const chart = h("div", { class: "chart", role: "img", "aria-label": `${metric} of ${shown.length} releases; the table below holds the numbers` });
  main.append(chart);
  const at = shown.map((_, index) => index);
  // Three places a release, so that its step lies about its tick.
  const three = (of) => at.flatMap((index) => [-0.495, 0, 0.495].map((aside) => of(index, aside)));
  const release = (row) => row.subject.slice(stack.length + 1) || row.subject;
  plot(chart, {
    scales: { x: { time: false, range: [-0.5, shown.length - 0.5] }, y: { range: (_, low, high) => uPlot.rangeNum(Math.min(low, high * 0.5), high, 0.1, true) } },
    axes: [{ ...axis("release"), splits: () => at, values: (_, ticks) => ticks.map((tick) => release(shown[tick])), rotate: -40, size: 90 },
      { ...axis(`${metric} [${unit}]`), size: 80 }],
    series: [{ label: "release", value: (_, tick) => (tick == null ? "--" : release(shown[Math.round(tick)])) },
      edge("low"), edge("high"),
      { label: "median", stroke: colours[0], width: 2, points: { show: true, size: 6, filter: () => at.map((index) => 3 * index + 1) } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
  }, [three((index, aside) => index + aside), ...["low", "high", "median"].map((key) => three((index) => shown[index][key]))]);
  if (epochs.size > 1) main.append(h("p", { class: "worse" }, `These were measured in ${epochs.size} host epochs and are not comparable throughout.`));
  main.append(table(`${metric} [${unit}], newest value of each release; ${shown[0].better} is better`, [
    { name: "Release", show: (r) => r.subject },
    { name: "Median [interval]", class: "number", show: value },
    { name: "n", class: "number", show: (r) => String(r.n) },
    { name: "Against the one before", class: "number", show: (r) => { const before = shown[shown.indexOf(r) - 1]; return before && before.epoch === r.epoch ? percent(r.median / before.median) : ""; } },
    { name: "Epoch", show: (r) => r.epoch },
  ], shown));
}

"use strict";
// A stack release by release.

// Releases by number: 1.1.1w before 3.0, 3.9 before 3.10.
const releaseOrder = new Intl.Collator("en", { numeric: true });

async function releasesPage(main, overview, query) {
  const stacks = [...new Set(names(overview.subjects).map((name) => name.split("@")[0]))];
  const scenarios = names(overview.scenarios);
  const [stack, scenario] = [query.stack ?? stacks[0], query.scenario ?? scenarios[0]];
  main.append(h("h1", {}, "Release by release"));
  const rows = (await load(`scenario/${idOf(overview.scenarios, scenario)}`)).filter((row) => row.subject.split("@")[0] === stack);
  const kinds = [...new Set(rows.map((row) => `${row.side} ${row.metric}`))];
  const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
  main.append(form("releases", query, choose("Stack", "stack", stacks, stack), choose("Scenario", "scenario", scenarios, scenario), choose("Side and metric", "kind", kinds, kind)));
  const shown = rows.filter((row) => `${row.side} ${row.metric}` === kind).sort((x, y) => releaseOrder.compare(x.subject, y.subject));
  if (shown.length === 0) { main.append(h("p", {}, `${stack} was not measured in this scenario.`)); return; }
  const epochs = new Set(shown.map((row) => row.epoch));
  const { metric, unit } = shown[0];
  const chart = h("div", { class: "chart", role: "img", "aria-label": `${metric} of ${shown.length} releases; the table below holds the numbers` });
  main.append(chart);
  const at = shown.map((_, index) => index);
  const release = (row) => row.subject.slice(stack.length + 1) || row.subject;
  plot(chart, {
    scales: { x: { time: false, range: [-0.5, shown.length - 0.5] } },
    axes: [{ ...axis("release"), values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) && shown[tick] ? release(shown[tick]) : "")), rotate: -40, size: 90 },
      { ...axis(`${metric} [${unit}]`), size: 80 }],
    series: [{ label: "release", value: (_, tick) => (shown[tick] ? release(shown[tick]) : "") },
      { label: "low", stroke: "transparent", paths: uPlot.paths.stepped({ align: 1 }) }, { label: "high", stroke: "transparent", paths: uPlot.paths.stepped({ align: 1 }) },
      { label: "median", stroke: colours[0], width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: true, size: 6 } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
  }, [at, shown.map((r) => r.low), shown.map((r) => r.high), shown.map((r) => r.median)]);
  if (epochs.size > 1) main.append(h("p", { class: "worse" }, `These were measured in ${epochs.size} host epochs and are not comparable throughout.`));
  main.append(table(`${metric} [${unit}], newest value of each release; ${shown[0].better} is better`, [
    { name: "Release", show: (r) => r.subject },
    { name: "Median [interval]", class: "number", show: value },
    { name: "n", class: "number", show: (r) => String(r.n) },
    { name: "Against the one before", class: "number", show: (r) => { const before = shown[shown.indexOf(r) - 1]; return before && before.epoch === r.epoch ? percent(r.median / before.median) : ""; } },
    { name: "Epoch", show: (r) => r.epoch },
  ], shown));
}

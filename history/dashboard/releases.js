"use strict";
// A stack release by release.

async function releasesPage(main, overview, query) {
  const stacks = [...new Set(names(overview.subjects).map(stackOf))];
  const scenarios = names(overview.scenarios);
  const stack = query.stack ?? largestStack(names(overview.subjects));
  const own = names(overview.subjects).map((subject, at) => (stackOf(subject) === stack ? at : null)).filter((at) => at != null);
  const scenario = query.scenario ?? scenarios[overview.trends.findIndex((row) => own.some((at) => row[at]))] ?? scenarios[0];
  const heading = h("h1", {}, "Release by release");
  const strange = [...(stacks.includes(stack) ? [] : [unknown("stack", stack ?? "", stacks, (one) => link("releases", { stack: one }))]),
    ...(scenarios.includes(scenario) ? [] : [unknown("scenario", scenario ?? "", scenarios, (one) => link("releases", { scenario: one }))])];
  if (strange.length) { fill(main, heading, strange); return; }
  const [rows] = await Promise.all([load(`scenario/${idOf(overview.scenarios, scenario)}`), loadCharts()]);
  const measured = rows.filter((row) => stackOf(row.subject) === stack);
  const kinds = [...new Set(measured.map((row) => `${row.side} ${row.metric}`))];
  const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
  fill(main, heading, form(choose("Stack", "stack", stacks, stack), choose("Scenario", "scenario", scenarios, scenario), choose("Side and metric", "kind", kinds, kind)));
  const shown = measured.filter((row) => `${row.side} ${row.metric}` === kind).sort((x, y) => releaseOrder.compare(x.subject, y.subject));
  if (shown.length === 0) { main.append(h("p", {}, `${stack} was not measured in this scenario.`)); return; }
  if (query.kind && query.kind !== kind) main.append(alertOf(`This scenario has no ${query.kind}. Shown: ${kind}.`));
  if (isInTree(scenario)) main.append(inTreeNote());
  const epochs = new Set(shown.map((row) => row.epoch));
  const { metric, unit, better } = shown[0];
  const box = chartBox(`${metric} of ${plural(shown.length, "release")} of ${stack}; the table below holds the numbers`);
  main.append(box);
  const chart = drawReleases(box, stack, shown);
  const tell = (at) => [h("strong", {}, shown[at].subject), ": ", h("strong", {}, valueInWords(overview, shown[at])), `, ${day(shown[at].t * 1000)}, epoch ${shown[at].epoch.slice(0, 8)}, run `, runOf(shown[at].run), "."];
  main.append(chartKeys(box, chart, [{ x: shown.map((_, at) => at), y: shown.map((row) => row.median), tell }]));
  if (epochs.size > 1) main.append(h("p", { class: "worse" }, `These were measured in ${epochs.size} host epochs, so not all of them are comparable.`));
  const before = (row) => shown[shown.indexOf(row) - 1];
  main.append(table(`${metricIn(metric, unit)}, newest value of each release. ${isBetter(better)}`, [
    { name: "Release", show: (r) => trendOf(r, r.subject) },
    { name: "Median [interval]", class: "number", show: value },
    { name: "n", class: "number", show: (r) => String(r.n) },
    { name: "Against the one before", class: "number", show: (r) => (!before(r) ? "no earlier release" : before(r).epoch === r.epoch ? percent(r.median / before(r).median) : "other epoch") },
    { name: "Measured", class: "day", show: (r) => day(r.t * 1000) },
    { name: "Epoch", show: (r) => epochText(r.epoch) },
  ], shown));
}

// A step a release: its line lies about its tick.
function drawReleases(box, stack, shown) {
  const at = shown.map((_, index) => index);
  const three = (of) => at.flatMap((index) => [-0.45, 0, 0.45].map((aside) => of(index, aside)).concat(null));
  const release = (row) => row.subject.slice(stack.length + 1) || row.subject;
  const { metric, unit } = shown[0];
  return plot(box, {
    scales: { x: { time: false, range: [-0.5, shown.length - 0.5] }, y: { range: (_, low, high) => uPlot.rangeNum(Math.min(low, high * 0.5), high, 0.1, true) } },
    axes: [{ ...axis("release"), splits: () => at, values: (_, ticks) => ticks.map((tick) => release(shown[tick])), rotate: -40, size: 90 },
      { ...axis(metricIn(metric, unit)), size: 80 }],
    series: [{}, edge("low"), edge("high"),
      { label: "median", stroke: strokeOf(0), width: 2, points: { show: true, size: 7, fill: strokeOf(0), filter: () => at.map((index) => 4 * index + 1) } }],
    bands: [{ series: [2, 1], fill: bandOf(0) }],
  }, [at.flatMap((index) => [index - 0.45, index, index + 0.45, index + 0.5]), ...["low", "high", "median"].map((key) => three((index) => shown[index][key]))]);
}

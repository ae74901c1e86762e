"use strict";
// Host epochs, and how much they scatter.

async function hostsPage(main, overview, query) {
  fill(main, h("h1", {}, "Host epochs"), h("p", {}, "Numbers are compared inside one epoch only: one host in one fixed state."), table("Epochs, newest first", [
    { name: "Epoch", show: (e) => epochOf(e.epoch) },
    { name: "Host", key: (e) => e.host, show: (e) => e.host },
    { name: "CPU", key: (e) => e.cpu, show: (e) => e.cpu },
    { name: "First run", class: "day", key: (e) => e.first_ms, show: (e) => day(e.first_ms) },
    { name: "Last run", class: "day", key: (e) => e.last_ms, show: (e) => day(e.last_ms) },
    { name: "Runs", class: "number", key: (e) => e.runs, show: (e) => String(e.runs) },
    { name: "While not fit", class: "number", key: (e) => e.unfit, show: (e) => (e.unfit ? h("span", { class: "worse" }, String(e.unfit)) : "0") },
  ], overview.epochs));
  const chosen = query.epoch ? overview.epochs.find((e) => e.epoch === query.epoch) : overview.epochs[0];
  if (chosen) await noiseChart(main, overview, chosen);
  else if (query.epoch) main.append(unknown("host epoch", query.epoch, overview.epochs.map((e) => e.epoch), (epoch) => link("hosts", { epoch })));
}

// How much a night's value of unchanged code differs from the next night's.
async function noiseChart(main, overview, chosen) {
  const [rows] = await Promise.all([load(`noise/${chosen.noise}`), loadCharts()]);
  main.append(h("h2", {}, "Noise of epoch ", epochText(chosen.epoch)));
  if (rows.length === 0) {
    main.append(h("p", {}, "No release was measured often enough in this epoch to estimate its noise: that takes ten nights."));
    return;
  }
  rows.sort((a, b) => a.middle - b.middle);
  const box = chartBox(`Scatter of ${plural(rows.length, "series", "series")} from night to night; the table below holds the numbers`);
  main.append(box);
  const chart = plot(box, {
    scales: { x: { time: false, range: [-0.5, rows.length - 0.5] }, y: { range: (_, low, high) => [0, Math.max(high * 1.1, 0.1)] } },
    axes: [{ ...axis("row of the table, quietest first"), values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) && rows[tick] ? String(tick + 1) : "")) },
      { ...axis("scatter from night to night [%]"), size: 80 }],
    series: [{}, edge("least"), edge("most"), { label: "median", stroke: strokeOf(0), width: 2, points: { show: true, size: 7, fill: strokeOf(0) } }],
    bands: [{ series: [2, 1], fill: bandOf(0) }],
  }, [rows.map((_, at) => at), ...["least", "most", "middle"].map((key) => rows.map((row) => row[key] * 100))]);
  const tell = (at) => [`${seriesName(rows[at])}: `, h("strong", {}, percentOf(rows[at].middle, 2)), ` (${percentOf(rows[at].least, 2)} to ${percentOf(rows[at].most, 2)} over ${plural(rows[at].subjects, "release")})`];
  main.append(chartKeys(box, chart, [{ x: rows.map((_, at) => at), tell }]),
    h("p", { class: "note" }, "Line: median over the releases; band: the quietest to the noisiest of them. The scatter is the standard deviation of the logarithm of a night's median, estimated by the median difference between neighbouring nights, so that steps don't count."),
    table(`Scatter of unchanged code, ${chosen.host}, epoch ${chosen.epoch.slice(0, 8)}`, [
      { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => r.scenario },
      { name: "Side", key: (r) => r.side, show: (r) => r.side },
      { name: "Metric", key: (r) => r.metric, show: (r) => r.metric },
      { name: "Median", class: "number", key: (r) => r.middle, show: (r) => percentOf(r.middle, 2) },
      { name: "Least", class: "number", key: (r) => r.least, show: (r) => percentOf(r.least, 2) },
      { name: "Most", class: "number", key: (r) => r.most, show: (r) => percentOf(r.most, 2) },
      { name: "Releases", class: "number", key: (r) => r.subjects, show: (r) => String(r.subjects) },
      { name: "Nights", class: "number", key: (r) => r.nights, show: (r) => String(r.nights) },
    ], rows));
}

"use strict";
// Host epochs, and how much they scatter.

async function hostsPage(main, overview, query) {
  main.append(h("h1", {}, "Host epochs"), h("p", {}, "Numbers are compared inside one epoch only: one host in one fixed state."));
  main.append(table("Epochs, newest first", [
    { name: "Epoch", show: (e) => h("a", { href: link("hosts", { epoch: e.epoch }) }, e.epoch) },
    { name: "Host", key: (e) => e.host, show: (e) => e.host },
    { name: "First run", class: "day", key: (e) => e.first_ms, show: (e) => day(e.first_ms) },
    { name: "Last run", class: "day", key: (e) => e.last_ms, show: (e) => day(e.last_ms) },
    { name: "Runs", class: "number", key: (e) => e.runs, show: (e) => String(e.runs) },
    { name: "While not fit", class: "number", key: (e) => e.unfit, show: (e) => (e.unfit ? h("span", { class: "worse" }, String(e.unfit)) : "0") },
  ], overview.epochs));
  const chosen = overview.epochs.find((e) => e.epoch === query.epoch) ?? overview.epochs[0];
  if (chosen) await noiseChart(main, chosen);
}

// How much a night's value of unchanged code differs from the next night's.
async function noiseChart(main, chosen) {
  const rows = await load(`noise/${chosen.noise}`);
  main.append(h("h2", {}, `Noise of epoch ${chosen.epoch}`));
  if (rows.length === 0) {
    main.append(h("p", {}, "No release was measured often enough in this epoch to tell its noise: it takes ten nights."));
    return;
  }
  rows.sort((a, b) => a.middle - b.middle);
  const name = (row) => `${row.scenario} ${row.side} ${row.metric}`;
  const chart = h("div", { class: "chart", role: "img", "aria-label": `Scatter of ${rows.length} scenario-metrics from night to night; the table below holds the numbers` });
  const detail = h("p", { class: "note" }, " ");
  main.append(chart, detail);
  plot(chart, {
    scales: { x: { time: false, range: [-0.5, rows.length - 0.5] }, y: { range: (_, low, high) => [0, Math.max(high * 1.1, 0.1)] } },
    axes: [{ ...axis("row of the table, quietest first"), values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) && rows[tick] ? String(tick + 1) : "")) },
      { ...axis("scatter from night to night [%]"), size: 80 }],
    series: [{ label: "place", value: (_, tick) => (tick == null ? "--" : String(tick + 1)) }, edge("least"), edge("most"),
      { label: "median", stroke: colours[0], width: 2, points: { show: true, size: 7 } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
    hooks: { setCursor: [(u) => { const row = rows[u.cursor.idx]; if (row) detail.textContent = `${name(row)}: ${percentOf(row.middle)}`; }] },
  }, [rows.map((_, at) => at), ...["least", "most", "middle"].map((key) => rows.map((row) => row[key] * 100))]);
  main.append(h("p", { class: "note" }, "Line: median over the releases; band: the quietest to the noisiest of them. The scatter is the standard deviation of the logarithm of a night's median, estimated by the median difference between neighbouring nights, so that steps don't count."),
    table(`Scatter of unchanged code, ${chosen.host}, epoch ${chosen.epoch}`, [
      { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => r.scenario },
      { name: "Side", key: (r) => r.side, show: (r) => r.side },
      { name: "Metric", key: (r) => r.metric, show: (r) => r.metric },
      { name: "Median", class: "number", key: (r) => r.middle, show: (r) => percentOf(r.middle) },
      { name: "Least", class: "number", key: (r) => r.least, show: (r) => percentOf(r.least) },
      { name: "Most", class: "number", key: (r) => r.most, show: (r) => percentOf(r.most) },
      { name: "Releases", class: "number", key: (r) => r.subjects, show: (r) => String(r.subjects) },
      { name: "Nights", class: "number", key: (r) => r.nights, show: (r) => String(r.nights) },
    ], rows));
}

const percentOf = (share) => `${(share * 100).toFixed(2)} %`;

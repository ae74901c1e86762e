"use strict";
// A scenario over time.

async function trendPage(main, overview, query) {
  const [subjects, scenarios] = [names(overview.subjects), names(overview.scenarios)];
  const subject = query.subject ?? companions(overview)[0];
  const scenario = query.scenario ?? scenarios[overview.trends.findIndex((row) => row[subjects.indexOf(subject)])];
  const years = Number(query.years ?? 1);
  main.append(h("h1", {}, "A scenario over time"));
  const file = overview.trends[scenarios.indexOf(scenario)]?.[subjects.indexOf(subject)];
  const holder = h("div");
  if (!file) {
    main.append(form("trend", query, choose("Scenario", "scenario", scenarios, scenario), choose("Subject", "subject", subjects, subject)),
      h("p", {}, `${subject} was not measured in this scenario.`));
    return;
  }
  const wanted = overview.years.slice(-years);
  const parts = await Promise.all(wanted.map((year) => load(`trend/${file}-${year}`)));
  const runs = await Promise.all(wanted.map((year) => load(`runs/${year}`)));
  const kinds = [...new Set(parts.flatMap((part) => part.series).map((s) => `${s.side} ${s.metric}`))];
  const kind = query.side && query.metric ? `${query.side} ${query.metric}` : kinds[0];
  const spans = [...new Set([1, 3, 10].map((n) => Math.min(n, overview.years.length)))].map(String);
  const fields = form("trend", query, choose("Scenario", "scenario", scenarios, scenario), choose("Subject", "subject", subjects, subject),
    choose("Years", "years", spans, String(Math.min(years, overview.years.length))));
  const kindField = choose("Side and metric", "", kinds, kind);
  kindField.querySelector("select").addEventListener("change", (event) => {
    event.stopPropagation();
    const [side, metric] = event.target.value.split(" ");
    location.hash = link("trend", { ...query, scenario, subject, years, side, metric });
  });
  fields.append(kindField);
  main.append(fields, holder);
  // One row a point: the runs of each year, and what this series has there.
  const points = { t: [], median: [], low: [], high: [], n: [], run: [], revision: [], epoch: [] };
  let meta = null;
  parts.forEach((part, year) => {
    const one = part.series.find((s) => `${s.side} ${s.metric}` === kind);
    if (!one) return;
    meta = one;
    part.at.forEach((run, at) => {
      if (one.median[at] == null) return;
      const [t, epoch, name] = runs[year][run];
      const revision = part.revisions[part.revision[at]];
      const row = { t, epoch, run: name, revision, median: one.median[at], low: one.low[at], high: one.high[at], n: one.n[at] };
      for (const [column, cell] of Object.entries(row)) points[column].push(cell);
    });
  });
  if (!meta) { main.append(h("p", {}, `${kind} was not measured in these years.`)); return; }
  const changes = await load(`changes/${idOf(overview.scenarios, scenario)}`);
  const marks = changes.filter((c) => c.state !== "dismissed" && c.suspect.series.subject === subject
    && c.suspect.series.scenario === scenario && `${c.suspect.series.side} ${c.suspect.series.metric}` === kind);
  drawTrend(holder, overview, subject, meta, points, marks);
  trendTable(main, overview, subject, meta, points);
}

function drawTrend(holder, overview, subject, meta, points, marks) {
  const chartBox = h("div", { class: "chart", role: "img", "aria-label": `${meta.metric} of ${subject}, ${points.t.length} runs; the table below holds the numbers` });
  holder.append(chartBox, h("p", { class: "note" }, `Line: median of a run; band: its interval. ${meta.better} is better. Dashed red: a change point; dotted: another host epoch. Drag to zoom, double-click to see all; click to keep a run's line below.`));
  const detail = h("p", { class: "note", "aria-live": "off" }, " ");
  holder.append(detail);
  // A click keeps what is shown, so that its links can be reached.
  let kept = false;
  const tell = (at) => detail.replaceChildren(
    `${day(points.t[at] * 1000)}: ${number(points.median[at])} [${number(points.low[at])}, ${number(points.high[at])}] ${meta.unit}, n = ${points.n[at]}, revision `,
    revisionOf(overview, subject, points.revision[at]), `, epoch ${points.epoch[at]}, run `, runOf(points.run[at]), kept ? " (kept; click again to go on)" : "");
  const chart = plot(chartBox, {
    scales: { x: { time: true } },
    axes: [axis("day (UTC)"), { ...axis(`${meta.metric} [${meta.unit}]`), size: 80 }],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    series: [{}, { label: "low", stroke: "transparent" }, { label: "high", stroke: "transparent" },
      { label: "median", stroke: colours[0], width: 1.5, points: { show: points.t.length < 120, size: 5 } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
    hooks: {
      draw: [(u) => drawMarks(u, points, marks)],
      setCursor: [(u) => { if (u.cursor.idx != null && !kept) tell(u.cursor.idx); }],
    },
  }, [points.t, points.low, points.high, points.median]);
  chart.over.addEventListener("click", () => { kept = !kept; if (chart.cursor.idx != null) tell(chart.cursor.idx); });
}

function drawMarks(u, points, marks) {
  const line = (seconds, colour, dash) => {
    const x = u.valToPos(seconds, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = colour;
    u.ctx.lineWidth = 2;
    u.ctx.setLineDash(dash);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  };
  for (const mark of marks) line(mark.suspect.first_bad_ms / 1000, css("--worse"), [8, 4]);
  points.epoch.forEach((epoch, at) => {
    if (at > 0 && epoch !== points.epoch[at - 1]) line(points.t[at], css("--soft"), [2, 4]);
  });
}

function trendTable(main, overview, subject, meta, points) {
  const rows = points.t.map((t, at) => ({ t, at })).reverse().slice(0, 400);
  const details = h("details", {}, h("summary", {}, `The newest ${rows.length} runs as a table`));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    details.append(table(`${meta.metric} [${meta.unit}], newest first`, [
      { name: "Day", show: (r) => day(r.t * 1000) },
      { name: "Median", class: "number", show: (r) => number(points.median[r.at]) },
      { name: "Low", class: "number", show: (r) => number(points.low[r.at]) },
      { name: "High", class: "number", show: (r) => number(points.high[r.at]) },
      { name: "n", class: "number", show: (r) => String(points.n[r.at]) },
      { name: "Revision", class: "id", show: (r) => revisionOf(overview, subject, points.revision[r.at]) },
      { name: "Epoch", show: (r) => points.epoch[r.at] },
      { name: "Run", class: "id", show: (r) => runOf(points.run[r.at]) },
    ], rows));
  });
  main.append(details);
}

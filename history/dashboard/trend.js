"use strict";
// A scenario over time.

async function trendPage(main, overview, query) {
  const [subjects, scenarios] = [names(overview.subjects), names(overview.scenarios)];
  const worst = lookFirst(overview, query);
  const subject = query.subject ?? worst?.subject ?? companions(overview)[0];
  const scenario = query.scenario ?? worst?.scenario ?? scenarios[overview.trends.findIndex((row) => row[subjects.indexOf(subject)])];
  const years = Number(query.years ?? 1);
  main.append(h("h1", {}, "A scenario over time"));
  const file = overview.trends[scenarios.indexOf(scenario)]?.[subjects.indexOf(subject)];
  const holder = h("div");
  if (!file) {
    main.append(form("trend", choose("Scenario", "scenario", scenarios, scenario), choose("Subject", "subject", subjects, subject)),
      h("p", {}, `${subject} was not measured in this scenario.`));
    return;
  }
  const from = start(overview, years, query);
  const wanted = overview.years.filter((year) => year >= String(new Date(from).getUTCFullYear()));
  const parts = await Promise.all(wanted.map((year) => load(`trend/${file}-${year}`)));
  const runs = await Promise.all(wanted.map((year) => load(`runs/${year}`)));
  const kinds = [...new Set(parts.flatMap((part) => part.series).map((s) => `${s.side} ${s.metric}`))];
  const asked = `${query.side ?? worst?.side} ${query.metric ?? worst?.metric}`;
  const kind = kinds.includes(asked) ? asked : kinds[0];
  const spans = [...new Set([1, 3, 10].map((n) => Math.min(n, overview.years.length)))].map(String);
  const date = (label, name) => h("label", {}, label, h("input", { type: "date", name, value: query[name] ?? "" }));
  const fields = form("trend", choose("Scenario", "scenario", scenarios, scenario), choose("Subject", "subject", subjects, subject),
    choose("Years", "years", spans, String(Math.min(years, overview.years.length))), date("From (UTC)", "from"), date("To (UTC)", "to"),
    ...["side", "metric"].map((name, at) => h("input", { type: "hidden", name, value: kind.split(" ")[at] })));
  const kindField = choose("Side and metric", "", kinds, kind);
  kindField.querySelector("select").addEventListener("change", (event) => {
    event.stopPropagation();
    const [side, metric] = event.target.value.split(" ");
    location.hash = link("trend", { ...address().query, scenario, subject, side, metric });
  });
  fields.children[1].after(kindField);
  main.append(fields);
  if (isInTree(scenario)) main.append(inTreeNote());
  main.append(holder);
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
      if (t * 1000 < from) return;
      const revision = part.revisions[part.revision[at]];
      const row = { t, epoch, run: name, revision, median: one.median[at], low: one.low[at], high: one.high[at], n: one.n[at] };
      for (const [column, cell] of Object.entries(row)) points[column].push(cell);
    });
  });
  if (!meta || points.t.length === 0) { main.append(h("p", {}, `${kind} was not measured in these years.`)); return; }
  const changes = await load(`changes/${idOf(overview.scenarios, scenario)}`);
  const marks = changes.filter((c) => c.state !== "dismissed" && c.suspect.series.subject === subject
    && c.suspect.series.scenario === scenario && `${c.suspect.series.side} ${c.suspect.series.metric}` === kind);
  drawTrend(holder, overview, subject, meta, points, marks, zoomOf(query), fields);
  trendTable(main, overview, subject, meta, points);
}

// What to look at when nothing was asked for: the worst of what changed.
function lookFirst(overview, query) {
  if (query.subject || query.scenario) return null;
  const series = overview.changes.find((change) => change.state !== "dismissed")?.suspect.series;
  return series && names(overview.subjects).includes(series.subject) ? series : null;
}

// The first moment that is drawn, in milliseconds: so many years back from the newest run, or
// further if the address asks for it.
function start(overview, years, query) {
  const newest = overview.runs[0]?.started_ms ?? Date.now();
  const back = newest - years * 365.25 * 86400e3;
  const asked = Date.parse(query.from ?? "");
  return Number.isNaN(asked) ? back : Math.min(back, asked);
}

// The days that the address zooms to, in seconds; null where it leaves an end open.
function zoomOf(query) {
  const seconds = (text) => (Number.isNaN(Date.parse(text ?? "")) ? null : Date.parse(text) / 1000);
  const [from, to] = [seconds(query.from), seconds(query.to)];
  return { from, to: to == null || to < from ? null : to + 86400 };
}

// Whole days, so that what a drag chose can be written into fields and into the address.
function rememberZoom(chart, times, fields) {
  const { min, max } = chart.scales.x;
  const all = min <= times[0] && max >= times[times.length - 1];
  const zoom = all ? { from: null, to: null } : { from: day(min * 1000), to: day(max * 1000) };
  for (const [name, value] of Object.entries(zoom)) fields.elements[name].value = value ?? "";
  remember(zoom);
}

function drawTrend(holder, overview, subject, meta, points, marks, zoom, fields) {
  const chartBox = h("div", { class: "chart", role: "img", "aria-label": `${meta.metric} of ${subject}, ${points.t.length} runs; the table below holds the numbers` });
  holder.append(chartBox, h("p", { class: "note" }, `Line: median of a run; band: its interval. ${isBetter(meta.better)} Dashed: a change point; dotted: another host epoch. Drag, or choose days, to zoom; double-click to see all; click to keep a run's line below.`));
  const detail = h("p", { class: "note", "aria-live": "off" }, " ");
  holder.append(detail);
  // A click keeps what is shown, so that its links can be reached.
  let kept = false;
  const tell = (at) => detail.replaceChildren(
    `${day(points.t[at] * 1000)}: ${number(points.median[at])} [${number(points.low[at])}, ${number(points.high[at])}] ${meta.unit}, n = ${points.n[at]}, revision `,
    revisionOf(overview, subject, points.revision[at]), `, epoch ${points.epoch[at]}, run `, runOf(points.run[at]), kept ? " (kept; click again to go on)" : "");
  // Months where a tick is longer than some weeks, else days.
  const tick = (seconds, step) => new Date(seconds * 1000).toISOString().slice(0, step >= 28 * 86400 ? 7 : 10);
  // No line leads from one host epoch to another: their values are not compared.
  const gaps = (u, series, first, last) => {
    const found = [];
    for (let at = Math.max(1, first); at <= last; at += 1) {
      if (points.epoch[at] !== points.epoch[at - 1]) found.push([at - 1, at].map((end) => u.valToPos(points.t[end], "x", true)));
    }
    return found;
  };
  let ready = false;
  const chart = plot(chartBox, {
    scales: { x: { time: true } },
    axes: [{ ...axis("day (UTC)"), space: 90, values: (_, ticks, place, space, step) => ticks.map((seconds) => tick(seconds, step)) },
      { ...axis(`${meta.metric} [${meta.unit}]`), size: 80 }],
    padding: [null, 40, null, null],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    series: [{ label: "day", value: (_, seconds) => (seconds == null ? "--" : day(seconds * 1000)) }, edge("low", { gaps }), edge("high", { gaps }),
      { label: "median", stroke: colours[0], width: 1.5, gaps, points: { show: points.t.length < 120, size: 5 } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
    hooks: {
      draw: [(u) => drawMarks(u, points, marks)],
      setCursor: [(u) => { if (u.cursor.idx != null && !kept) tell(u.cursor.idx); }],
      setScale: [(u, key) => { if (ready && key === "x") rememberZoom(u, points.t, fields); }],
    },
  }, [points.t, points.low, points.high, points.median]);
  const [first, last] = [points.t[0], points.t[points.t.length - 1]];
  if (zoom.from != null || zoom.to != null) chart.setScale("x", { min: zoom.from ?? first, max: zoom.to ?? last });
  // Scales settle after this function; only what the reader does from then on is news.
  setTimeout(() => { ready = true; });
  // A drag ends with a click, too.
  let pressed = 0;
  chart.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
  chart.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - pressed) > 3) return;
    kept = !kept;
    if (chart.cursor.idx != null) tell(chart.cursor.idx);
  });
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
      { name: "Day", class: "day", show: (r) => day(r.t * 1000) },
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

"use strict";
// The dashboard. No framework: each page is a function that fills <main>; the address after #
// holds everything that a page shows, so that a view can be shared.

const loaded = new Map(); // data file -> promise of its content
const waiting = new Map();

// Data files call this: a page opened from a disk may load scripts, but not fetch files.
window.shakedownData = (name, data) => waiting.get(name)?.(data);

function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onerror = () => reject(new Error(`data/${name}.js is missing; build the site again`));
      document.head.append(script);
    }));
  }
  return loaded.get(name);
}

// Elements from text only: names come from anybody, and none of them becomes markup.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const number = (value) => digits.format(value);
const percent = (factor) => `${factor >= 1 ? "+" : "−"}${Math.abs((factor - 1) * 100).toFixed(1)} %`;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const value = (row) => `${number(row.median)} [${number(row.low)}, ${number(row.high)}]`;
const goodFactor = (better, factor) => (better === "higher" ? factor > 1 : factor < 1);
const commit = (revision) => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision);
const link = (page, query) => `#/${page}?${new URLSearchParams(query)}`;

function table(caption, columns, rows, sortable) {
  const body = h("tbody");
  let order = sortable ?? null;
  const draw = () => {
    const sorted = order == null ? rows : [...rows].sort((a, b) => {
      const [x, y] = [columns[order.at].key(a), columns[order.at].key(b)];
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) * order.sign;
    });
    body.replaceChildren(...sorted.map((row) => h("tr", {}, columns.map((column) => {
      const shown = column.show(row);
      return h("td", { class: column.class }, shown);
    }))));
    heads.forEach((head, at) => {
      if (order?.at === at) head.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const heads = columns.map((column, at) => h("th", { scope: "col", class: column.class === "number" ? "number" : null },
    column.key ? h("button", { type: "button", onclick: () => {
      order = { at, sign: order?.at === at ? -order.sign : 1 };
      draw();
    } }, column.name) : column.name));
  draw();
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body));
}

function choose(label, name, options, chosen) {
  return h("label", {}, label, h("select", { name }, options.map((option) =>
    h("option", { value: option, selected: option === chosen }, option))));
}

// A form whose fields live in the address.
function form(page, query, ...fields) {
  const element = h("form", { onsubmit: (event) => event.preventDefault() }, fields);
  element.addEventListener("change", () => {
    const next = { ...query, ...Object.fromEntries(new FormData(element)) };
    location.hash = link(page, next);
  });
  return element;
}

// Blue, orange, green, purple, ...: told apart by colour-blind readers (Tol, "bright").
const colours = ["#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#777777"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axis(label) {
  return { label, stroke: css("--ink"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
}

function plot(parent, options, data) {
  const width = () => Math.max(280, Math.min(1200, parent.clientWidth - 18));
  const chart = new uPlot({ width: width(), height: 360, ...options }, data, parent);
  const resize = () => { if (parent.isConnected) chart.setSize({ width: width(), height: 360 }); else removeEventListener("resize", resize); };
  addEventListener("resize", resize);
  return chart;
}

// ---- pages -------------------------------------------------------------------------------

async function overviewPage(main, overview) {
  const open = overview.changes.filter((change) => change.state !== "dismissed");
  const latest = overview.runs[0];
  main.append(h("h1", {}, "What changed lately"));
  main.append(h("p", {}, latest
    ? `Newest run: ${latest.suite} on ${latest.host}, ${day(latest.started_ms)}. The host was ${latest.fit ? "fit" : "not fit"}${latest.finished ? "" : "; the run did not finish"}.`
    : "No runs yet."));
  if (open.length === 0) main.append(h("p", {}, "No change is suspected or confirmed."));
  else main.append(table(`Changes, worst first (${open.length} of ${overview.changes_total})`, [
    { name: "Change", class: "number", key: (c) => c.suspect.found.factor, show: (c) => h("span", { class: c.suspect.worse ? "worse" : "better" },
      `${percent(c.suspect.found.factor)} ${c.suspect.worse ? "worse" : "better"}`) },
    { name: "Subject", key: (c) => c.suspect.series.subject, show: (c) => c.suspect.series.subject },
    { name: "Series", class: "id", key: (c) => c.suspect.series.scenario, show: (c) => h("a", { href: link("trend", {
      scenario: c.suspect.series.scenario, subject: c.suspect.series.subject,
      side: c.suspect.series.side, metric: c.suspect.series.metric,
    }) }, `${c.suspect.series.scenario} ${c.suspect.series.side} ${c.suspect.series.metric}`) },
    { name: "Interval (95 %)", class: "number", show: (c) => `${percent(c.suspect.found.low)} to ${percent(c.suspect.found.high)}` },
    { name: "State", key: (c) => c.state, show: (c) => c.state },
    { name: "Since", class: "day", key: (c) => c.suspect.first_bad_ms, show: (c) => day(c.suspect.first_bad_ms) },
    { name: "Revisions", show: (c) => `${commit(c.suspect.last_good)} … ${commit(c.suspect.first_bad)}` },
  ], open));
  main.append(h("h2", {}, "Newest runs"), table("Runs, newest first", [
    { name: "Day", key: (r) => r.started_ms, show: (r) => day(r.started_ms) },
    { name: "Suite", key: (r) => r.suite, show: (r) => r.suite },
    { name: "Host", key: (r) => r.host, show: (r) => r.host },
    { name: "Host fit", show: (r) => (r.fit ? "yes" : h("span", { class: "worse" }, "no")) },
    { name: "Run", class: "id", show: (r) => r.name },
  ], overview.runs.slice(0, 20)));
}

const names = (pairs) => pairs.map(([name]) => name);
const idOf = (pairs, name) => pairs.find(([known]) => known === name)?.[1];

// The two subjects that were measured in the most scenarios together, or whoever was measured
// most beside the one that was named.
function companions(overview, named) {
  const subjects = names(overview.subjects);
  const together = (x, y) => overview.trends.filter((row) => row[x] && row[y]).length;
  const most = (x) => subjects.map((_, y) => [y === x ? -1 : together(x, y), y]).sort((p, q) => q[0] - p[0] || p[1] - q[1])[0];
  const count = subjects.map((_, x) => overview.trends.filter((row) => row[x]).length);
  const first = named == null ? count.indexOf(Math.max(...count)) : Math.max(0, subjects.indexOf(named));
  return [subjects[first], subjects[most(first)[1]]];
}

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
  const longest = Math.max(...shown.map((row) => Math.abs(Math.log(row.factor))), 0.01);
  document.getElementById("status").textContent = `${shown.length} of ${pairs.length} rows`;
  if (pairs.length === 0) { main.append(h("p", {}, "These two were not measured in one host epoch.")); return; }
  main.append(table(`${b} against ${a}: ${shown.length} of ${pairs.length} rows; median [interval], factor = head / base`, [
    { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r) => h("a", { href: link("trend", { scenario: r.scenario, subject: b, side: r.side, metric: r.metric }) }, r.scenario) },
    { name: "Side", key: (r) => r.side, show: (r) => r.side },
    { name: "Metric", key: (r) => r.metric, show: (r) => `${r.metric} [${r.unit}]` },
    { name: "Base", class: "number", key: (r) => r.base.median, show: (r) => value(r.base) },
    { name: "Head", class: "number", key: (r) => r.head.median, show: (r) => value(r.head) },
    { name: "n", class: "number", show: (r) => `${r.base.n}, ${r.head.n}` },
    { name: "Factor", class: "number", key: (r) => r.factor, show: (r) => h("span", { class: r.apart ? (goodFactor(r.better, r.factor) ? "better" : "worse") : null },
      `${r.factor.toFixed(3)} ${r.apart ? (goodFactor(r.better, r.factor) ? "better" : "worse") : "~"}`,
      h("span", { class: "bar", "aria-hidden": "true", style: `width:${(100 * Math.abs(Math.log(r.factor))) / longest}%` })) },
  ], shown), h("p", { class: "note" }, "~ : the intervals overlap. Rows are of one host epoch each."));
}

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
  drawTrend(holder, subject, meta, points, marks);
  trendTable(main, meta, points);
}

function drawTrend(holder, subject, meta, points, marks) {
  const chartBox = h("div", { class: "chart", role: "img", "aria-label": `${meta.metric} of ${subject}, ${points.t.length} runs; the table below holds the numbers` });
  holder.append(chartBox, h("p", { class: "note" }, `Line: median of a run; band: its interval. ${meta.better} is better. Dashed red: a change point; dotted: another host epoch. Drag to zoom, double-click to see all.`));
  const detail = h("p", { class: "note", "aria-live": "off" }, " ");
  holder.append(detail);
  plot(chartBox, {
    scales: { x: { time: true } },
    axes: [axis("day (UTC)"), { ...axis(`${meta.metric} [${meta.unit}]`), size: 80 }],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    series: [{}, { label: "low", stroke: "transparent" }, { label: "high", stroke: "transparent" },
      { label: "median", stroke: colours[0], width: 1.5, points: { show: points.t.length < 120, size: 5 } }],
    bands: [{ series: [2, 1], fill: "#4477aa44" }],
    hooks: {
      draw: [(u) => drawMarks(u, points, marks)],
      setCursor: [(u) => {
        const at = u.cursor.idx;
        if (at != null) detail.textContent = `${day(points.t[at] * 1000)}: ${number(points.median[at])} [${number(points.low[at])}, ${number(points.high[at])}] ${meta.unit}, n = ${points.n[at]}, revision ${commit(points.revision[at])}, epoch ${points.epoch[at]}, run ${points.run[at]}`;
      }],
    },
  }, [points.t, points.low, points.high, points.median]);
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

function trendTable(main, meta, points) {
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
      { name: "Revision", class: "id", show: (r) => points.revision[r.at] },
      { name: "Epoch", show: (r) => points.epoch[r.at] },
    ], rows));
  });
  main.append(details);
}

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

// Scenarios that differ in one number only: sessions of a memory scenario, or threads.
function scalingPage(title, option, label) {
  return async (main, overview, query) => {
    const pattern = new RegExp(`/${option}-(\\d+)$`);
    const families = new Map();
    const scenarios = names(overview.scenarios);
    for (const name of scenarios) {
      const found = pattern.exec(name);
      if (!found) continue;
      const family = name.slice(0, found.index);
      if (!families.has(family)) families.set(family, []);
      families.get(family).push([Number(found[1]), name]);
    }
    main.append(h("h1", {}, title));
    // One thread is not written in a scenario's id.
    if (option === "threads") for (const [family, members] of families) if (scenarios.includes(family)) members.push([1, family]);
    if (families.size === 0) { main.append(h("p", {}, `No stored scenario has several values of ${label}.`)); return; }
    const family = families.has(query.family) ? query.family : [...families.keys()][0];
    const members = families.get(family).sort((x, y) => x[0] - y[0]);
    const files = await Promise.all(members.map(([, name]) => load(`scenario/${idOf(overview.scenarios, name)}`)));
    const kinds = [...new Set(files.flat().map((row) => `${row.side} ${row.metric}`))];
    const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
    main.append(form(option === "threads" ? "threads" : "memory", query, choose("Scenario", "family", [...families.keys()], family), choose("Side and metric", "kind", kinds, kind)));
    const cells = files.map((rows) => new Map(rows.filter((row) => `${row.side} ${row.metric}` === kind).map((row) => [row.subject, row])));
    const subjects = [...new Set(cells.flatMap((cell) => [...cell.keys()]))].sort(releaseOrder.compare);
    const any = cells.flatMap((cell) => [...cell.values()])[0];
    const chart = h("div", { class: "chart", role: "img", "aria-label": `${any.metric} over ${label}; the table below holds the numbers` });
    main.append(chart);
    plot(chart, {
      scales: { x: { time: false } },
      axes: [axis(label), { ...axis(`${any.metric} [${any.unit}]`), size: 80 }],
      series: [{ label }, ...subjects.slice(0, 14).map((name, at) => ({ label: name, stroke: colours[at % colours.length], width: 2, dash: at >= colours.length ? [6, 4] : undefined, points: { show: true, size: 6 } }))],
    }, [members.map(([n]) => n), ...subjects.slice(0, 14).map((name) => cells.map((cell) => cell.get(name)?.median ?? null))]);
    main.append(table(`${any.metric} [${any.unit}], median [interval]`, [
      { name: "Subject", key: (name) => name, show: (name) => name },
      ...members.map(([n], at) => ({ name: `${n} ${label}`, class: "number", show: (name) => (cells[at].has(name) ? value(cells[at].get(name)) : "—") })),
    ], subjects));
  };
}

async function hostsPage(main, overview) {
  main.append(h("h1", {}, "Host epochs"), h("p", {}, "Numbers are compared inside one epoch only: one host in one fixed state."));
  main.append(table("Epochs, newest first", [
    { name: "Epoch", show: (e) => e.epoch },
    { name: "Host", key: (e) => e.host, show: (e) => e.host },
    { name: "First run", key: (e) => e.first_ms, show: (e) => day(e.first_ms) },
    { name: "Last run", key: (e) => e.last_ms, show: (e) => day(e.last_ms) },
    { name: "Runs", class: "number", key: (e) => e.runs, show: (e) => String(e.runs) },
    { name: "While not fit", class: "number", key: (e) => e.unfit, show: (e) => (e.unfit ? h("span", { class: "worse" }, String(e.unfit)) : "0") },
  ], overview.epochs));
}

const pages = {
  overview: ["Overview", overviewPage],
  compare: ["Compare", comparePage],
  trend: ["Trend", trendPage],
  releases: ["Releases", releasesPage],
  threads: ["Threads", scalingPage("Throughput over threads", "threads", "threads")],
  memory: ["Memory", scalingPage("Memory over sessions", "sessions", "sessions")],
  hosts: ["Hosts", hostsPage],
};

let drawing = 0;
async function draw() {
  const mine = ++drawing;
  const [, page = "overview", search = ""] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const [title, fill] = pages[page] ?? pages.overview;
  const fresh = h("div");
  document.getElementById("pages").replaceChildren(...Object.entries(pages).map(([name, [text]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "aria-current": text === title ? "page" : null }, text))));
  document.title = `${title} – Shakedown`;
  const main = document.getElementById("main");
  const holdsFocus = document.activeElement?.name;
  // In place before it is filled: charts ask for their width.
  main.replaceChildren(fresh);
  try {
    await fill(fresh, await load("overview"), Object.fromEntries(new URLSearchParams(search)));
  } catch (error) {
    fresh.replaceChildren(h("h1", {}, title), h("p", { class: "worse", role: "alert" }, error.message));
  }
  if (mine !== drawing) return;
  if (holdsFocus) fresh.querySelector(`[name="${CSS.escape(holdsFocus)}"]`)?.focus();
  main.dataset.drawn = location.hash;
}

addEventListener("hashchange", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();

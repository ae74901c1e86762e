"use strict";
// A scenario over time, for one subject or for several.

async function trendPage(main, overview, query, lists) {
  const [subjects, scenarios] = [names(overview.subjects), names(overview.scenarios)];
  const worst = lookFirst(overview, await load("changes/lately"), query);
  const subject = query.subject ?? worst?.subject ?? companions(overview)[0];
  const scenario = query.scenario ?? worst?.scenario ?? scenarios[overview.trends.findIndex((row) => row[subjects.indexOf(subject)])] ?? "";
  const more = (lists.with ?? []).filter((name) => name && name !== subject);
  const heading = h("h1", {}, "A scenario over time");
  const strange = [...[subject, ...more].filter((name) => !subjects.includes(name)).map((name) => unknown("subject", name, subjects, (other) => link("trend", { subject: other }))),
    ...(scenarios.includes(scenario) || (!query.scenario && scenario === "" && scenarios.length) ? [] : [unknown("scenario", scenario, scenarios, (other) => link("trend", { scenario: other, subject: query.subject }))])];
  if (strange.length) { fill(main, heading, strange); return; }
  const years = Number(query.years ?? 1);
  const from = start(overview, years, query);
  const wanted = overview.years.filter((year) => year >= String(new Date(from).getUTCFullYear()));
  const [changes] = await Promise.all([load(`changes/${idOf(overview.scenarios, scenario)}`), loadCharts()]);
  const all = await Promise.all([subject, ...more].map(async (name) => [name, await seriesOf(overview, scenario, name, wanted)]));
  const found = all.map(([, one]) => one).filter(Boolean);
  const kinds = [...new Set(found.flatMap((one) => one.kinds))];
  const asked = `${query.side ?? worst?.side} ${query.metric ?? worst?.metric}`;
  const kind = kinds.includes(asked) ? asked : kinds[0];
  const fields = trendFields(overview, query, { subject, scenario, more, kinds, kind, years });
  fill(main, heading, fields, isInTree(scenario) ? inTreeNote() : null);
  all.filter(([, one]) => !one).forEach(([name]) => main.append(alertOf(`${name} was not measured in ${scenario}.`)));
  if (query.side && query.metric && kinds.length && !kinds.includes(asked)) main.append(alertOf(`This scenario has no ${asked}. Shown: ${kind}.`));
  const series = found.map((one) => pointsOf(one, kind, from)).filter((one) => one.points.length);
  if (series.length === 0) { main.append(h("p", {}, "Nothing was measured in these years.")); return; }
  const drawn = new Set(series.map((one) => one.subject));
  const marks = changes.filter((c) => drawn.has(c.series.subject) && c.series.scenario === scenario && `${c.series.side} ${c.series.metric}` === kind
    && c.first_bad.started_ms >= from).sort((a, b) => a.first_bad.started_ms - b.first_bad.started_ms).map((c, at) => ({ ...c, letter: letterOf(at) }));
  trendChart(main, overview, scenario, kind, series, marks, zoomOf(query), fields);
  series.forEach((one) => main.append(trendTable(overview, one)));
}

const letterOf = (at) => (at < 26 ? String.fromCharCode(65 + at) : `${letterOf(Math.floor(at / 26) - 1)}${letterOf(at % 26)}`);

// What to look at when nothing was asked for: the worst of what changed.
function lookFirst(overview, changes, query) {
  if (query.subject || query.scenario) return null;
  const series = changes.find((change) => change.state !== "dismissed")?.series;
  return series && names(overview.subjects).includes(series.subject) ? series : null;
}

// The first moment that is drawn, in milliseconds: so many years back from the newest run, or
// further if the address asks for it.
function start(overview, years, query) {
  const newest = overview.runs[0]?.started_ms ?? Date.now();
  const back = newest - years * 365.25 * DAY;
  const asked = Date.parse(query.from ?? "");
  return Number.isNaN(asked) ? back : Math.min(back, asked);
}

// The days that the address zooms to, in seconds; null where it leaves an end open.
function zoomOf(query) {
  const seconds = (text) => (Number.isNaN(Date.parse(text ?? "")) ? null : Date.parse(text) / 1000);
  const [from, to] = [seconds(query.from), seconds(query.to)];
  return { from, to: to == null || to < from ? null : to + 86400 };
}

function trendFields(overview, query, { subject, scenario, more, kinds, kind, years }) {
  const subjects = names(overview.subjects);
  const row = overview.trends[names(overview.scenarios).indexOf(scenario)];
  const others = subjects.filter((name, at) => row?.[at] && name !== subject && !more.includes(name));
  const spans = [...new Set([1, 3, 10].map((n) => Math.min(n, overview.years.length)))].map((n) => [String(n), plural(n, "year")]);
  const date = (label, name) => h("label", {}, label, h("input", { type: "date", name, value: query[name] ?? "" }));
  // Side and metric are two names in the address and one field here.
  const kindField = choose("Side and metric", "", kinds, kind);
  kindField.addEventListener("change", (event) => {
    event.stopPropagation();
    const [side, metric] = event.target.value.split(" ");
    go({ scenario, subject, side, metric });
  });
  const add = h("label", {}, "Add a series", h("select", { name: "" }, h("option", { value: "" }, "choose"), others.map((name) => h("option", { value: name }, name))));
  add.addEventListener("change", (event) => { event.stopPropagation(); go({ subject, scenario, with: [...more, event.target.value] }); });
  return form(choose("Scenario", "scenario", names(overview.scenarios), scenario), choose("Subject", "subject", subjects, subject), kindField, add,
    choose("Time", "years", spans, String(Math.min(years, overview.years.length))), date("From (UTC)", "from"), date("To (UTC)", "to"),
    (kind ?? "").split(" ").map((value, at) => h("input", { type: "hidden", name: ["side", "metric"][at], value })), more.map((name) => h("input", { type: "hidden", name: "with", value: name })));
}

function trendChart(main, overview, scenario, kind, series, marks, zoom, fields) {
  const [{ meta }] = series;
  const box = chartBox(`${meta.metric} of ${series.map((one) => one.subject).join(", ")} over time; the tables below hold the numbers`);
  const remove = (place) => (place === 0 ? null : h("button", { type: "button", class: "quiet", "aria-label": `Remove ${series[place].subject}`, title: `Remove ${series[place].subject}`, onclick: () => go({ with: series.slice(1).map((one) => one.subject).filter((name) => name !== series[place].subject) }) }, "×"));
  main.append(legend(series.map((one) => one.subject), remove), box);
  // Whole days, so that what a drag chose can be written into fields and into the address.
  const onZoom = (chart, times) => {
    const { min, max } = chart.scales.x;
    const all = min <= times[0] && max >= times.at(-1);
    const next = all ? { from: null, to: null } : { from: day(min * 1000), to: day(max * 1000) };
    for (const [name, value] of Object.entries(next)) fields.elements[name].value = value ?? "";
    remember(next);
  };
  const chart = drawLines(box, series, marks, zoom, onZoom);
  const tell = (one, point) => [h("strong", {}, one.subject), `, ${day(point.t * 1000)}: `, h("strong", {}, valueInWords(overview, point)), ", revision ", revisionOf(overview, one.subject, point.revision), `, epoch ${point.epoch}, run `, runOf(point.run), "."];
  const lines = series.map((one) => ({ x: one.points.map((p) => p.t), y: one.points.map((p) => p.median), tell: (at) => tell(one, one.points[at]) }));
  main.append(chartKeys(box, chart, lines),
    h("p", { class: "note" }, `Line: median of a run; band: its interval. ${isBetter(meta.better)} Dashed with a letter: a change point, listed below; dotted: the host changed (another epoch), so that values on both sides are not comparable. Drag, or choose days, to zoom; double-click to see all. Arrow keys: left and right from run to run, up and down from series to series.`),
    markList(overview, marks));
}

// The change points of the chart, by their letters.
function markList(overview, marks) {
  if (marks.length === 0) return h("p", {}, "No change point in this time.");
  return h("div", {}, h("h2", {}, "Change points"), h("ul", { class: "causes" }, marks.map((mark) => h("li", { class: "cause" },
    h("p", { class: "head" }, h("strong", {}, `${mark.letter} `), moved(mark), ` (interval, 95 %: ${changeInterval(mark)}) `, badge(mark.state), ` ${mark.series.subject}, first seen `, runOf(mark.first_bad.run, day(mark.first_bad.started_ms)), mark.recovered ? ", recovered since" : null),
    h("p", {}, "Commits: ", rangeOf(overview, mark.series.subject, mark.last_good.revision, mark.first_bad.revision), ". ", mark.state === "suspect" ? "Not measured again yet." : [mark.state === "confirmed" ? "Confirmed " : "Dismissed ", decided(mark), "."]),
    grounds(mark) ? h("p", { class: "note" }, grounds(mark)) : null))));
}

function trendTable(overview, { subject, meta, points }) {
  const rows = [...points].reverse().slice(0, 400);
  const details = h("details", {}, h("summary", {}, `${subject}: the newest ${plural(rows.length, "run")} as a table`));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    details.append(table(`${metricIn(meta.metric, meta.unit)} of ${subject}, newest first`, [
      { name: "Day", class: "day", show: (r) => day(r.t * 1000) },
      { name: "Median", class: "number", show: (r) => number(r.median) },
      { name: "Interval", class: "number", show: ends },
      { name: "n", class: "number", show: (r) => String(r.n) },
      { name: "Revision", class: "id", show: (r) => revisionOf(overview, subject, r.revision) },
      { name: "Epoch", show: (r) => epochText(r.epoch) },
      { name: "Run", class: "id", show: (r) => runOf(r.run) },
    ], rows));
  });
  return details;
}

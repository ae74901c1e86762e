"use strict";
// One row of the front page as a picture for a slide: everything that a reader of the slide must know is in it.

const SLIDE = { width: 1280, height: 720, left: 60, right: 1220 };
// Where the bars are, and how much of the height they may have.
const BARS = { left: 400, right: 940, top: 190, height: 400, most: 58 };
const PAPERS = {
  light: { paper: "#ffffff", ink: "#1c2024", soft: "#565e66", line: "#d8dde2", bar: "#9fb3c8", best: "#2b6cb0", notice: "#a3341c" },
  dark: { paper: "#14171a", ink: "#e6e9ec", soft: "#a5adb5", line: "#343b43", bar: "#4d5f73", best: "#7ab0ee", notice: "#ff9a80" },
};
// Width of a character against its height, about: names must fit before their bars.
const GLYPH = 0.58;

async function picturePage(main, overview, query) {
  const title = h("h1", {}, "A picture for a slide");
  const { fronts } = overview;
  if (fronts.length === 0) { fill(main, title, h("p", {}, "No runs yet")); return; }
  const front = frontOf(fronts, query);
  if (!front) { fill(main, title, unknownFront(fronts, query, "picture")); return; }
  const data = await load(`front/${front.file}`);
  const rows = frontRows(data.table);
  const scenarios = [...new Set(rows.map((row) => row.scenario))];
  const scenario = query.scenario ?? widest(rows).scenario;
  if (!scenarios.includes(scenario)) { fill(main, title, unknown("scenario", scenario, scenarios, (one) => link("picture", { scenario: one }))); return; }
  const own = rows.filter((row) => row.scenario === scenario);
  const kinds = own.map((row) => `${row.side} ${row.metric}`);
  const row = own.find((one) => `${one.side} ${one.metric}` === query.kind) ?? own.find((one) => MAIN_METRICS.has(one.metric)) ?? own[0];
  const background = query.background === "dark" ? "dark" : "light";
  const shown = ranked(row, data.columns.filter((column) => query.series === "all" || (column.newest && !column.moving)));
  fill(main, title, form(epochField(fronts, front), choose("Scenario", "scenario", scenarios, scenario), choose("Side and metric", "kind", kinds, `${row.side} ${row.metric}`),
    choose("Releases", "series", [["", "newest of each stack"], ["all", "newest of each release series, and branches"]], query.series ?? ""),
    choose("Background", "background", ["light", "dark"], background)));
  if (query.kind && !kinds.includes(query.kind)) main.append(alertOf(`This scenario has no ${query.kind}. Shown: ${row.side} ${row.metric}.`));
  if (shown.length === 0) { main.append(h("p", {}, "No release was measured in this row: choose branches, too.")); return; }
  const picture = slide(overview, front, row, shown, PAPERS[background]);
  main.append(h("div", { class: "slide" }, picture), saving(picture, `${row.scenario}-${row.side}-${row.metric}`.replace(/[^\w.-]+/g, "-")),
    h("p", { class: "note" }, "The numbers are those of ", h("a", { href: link("front", { epoch: query.epoch, find: row.scenario }) }, "Side by side"), "."));
}

// The row that the most subjects have, of those that matter most.
const widest = (rows) => rows.filter((row) => MAIN_METRICS.has(row.metric)).concat(rows).reduce((best, row) => (Object.keys(row.cells).length > Object.keys(best.cells).length ? row : best));

// The subjects that were measured, best first, each with what sets it apart.
function ranked(row, columns) {
  const measured = columns.filter((column) => row.cells[column.subject]);
  const cells = measured.map((column) => row.cells[column.subject]);
  const found = marks(cells.map((cell) => (cell.n > 1 ? cell : null)), row.better, measured.map((column) => column.moving));
  const sign = row.better === "higher" ? -1 : 1;
  return measured.map((column, at) => ({ subject: column.subject, cell: cells[at], mark: found[at]?.mark ?? null })).sort((x, y) => sign * (x.cell.median - y.cell.median));
}

function slide(overview, front, row, shown, colours) {
  const text = (x, y, size, content, more = {}) => svg("text", { x, y, "font-size": size, fill: colours.ink, ...more }, plain(content));
  const parts = [FAMILIES[row.family] ?? row.family, row.side].filter(Boolean).join(", ");
  const heading = parts[0].toUpperCase() + parts.slice(1);
  const rest = row.scenario.split("/").slice(1).join(" · ") || row.scenario;
  const about = `${metricIn(row.metric, row.unit)}, ${row.better} is better`;
  const label = `${heading}: ${rest}. ${about}. ${shown.map((one) => `${one.subject} ${value(one.cell)}`).join("; ")}`;
  const { width, height, left } = SLIDE;
  return svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": plain(label), "font-family": "system-ui, 'DejaVu Sans', sans-serif" },
    svg("rect", { width, height, fill: colours.paper }),
    text(left, 78, fitting(heading, 44, SLIDE.right - left), heading, { "font-weight": 700 }),
    text(left, 118, fitting(rest, 24, SLIDE.right - left), rest),
    text(left, 152, 22, about, { fill: colours.soft }),
    ...bars(row, shown, colours, text),
    ...footer(overview, front, shown, colours, text));
}

const fitting = (content, size, room) => Math.min(size, room / (GLYPH * plain(content).length));

// Bars from zero, with the intervals as lines, and the numbers beside them.
function bars(row, shown, colours, text) {
  const step = Math.min(BARS.most, BARS.height / shown.length);
  const size = Math.min(22, step * 0.55);
  // One size for all names, and one for all values.
  const smallest = (texts, room) => Math.min(...texts.map((one) => fitting(one, size, room)));
  const nameSize = smallest(shown.map((one) => one.subject), BARS.left - SLIDE.left - 14);
  const valueSize = smallest(shown.map(({ cell }) => value(cell)), SLIDE.right - BARS.right - 14);
  const most = Math.max(...shown.map(({ cell }) => Math.max(cell.median, cell.n > 1 ? cell.high : 0)));
  const x = (amount) => BARS.left + (most > 0 ? amount / most : 0) * (BARS.right - BARS.left);
  return shown.flatMap(({ subject, cell, mark }, at) => {
    const middle = BARS.top + step * (at + 0.5);
    const line = (x1, x2, y1, y2) => svg("line", { x1, x2, y1, y2, stroke: colours.ink, "stroke-width": 2 });
    const whisker = cell.n > 1 ? [line(x(cell.low), x(cell.high), middle, middle), ...[cell.low, cell.high].map((end) => line(x(end), x(end), middle - step / 8, middle + step / 8))] : [];
    const colour = mark?.includes("best") ? colours.best : colours.bar;
    return [
      text(BARS.left - 14, middle + size / 3, nameSize, subject, { "text-anchor": "end", "font-weight": mark?.includes("best") ? 700 : 400 }),
      svg("rect", { x: BARS.left, y: middle - step * 0.36, width: Math.max(1, x(cell.median) - BARS.left), height: step * 0.72, fill: colour }), ...whisker,
      text(BARS.right + 14, middle + size / 3, valueSize, value(cell)),
    ];
  });
}

// How, where and when: a picture travels without its page.
function footer(overview, front, shown, colours, text) {
  const { cpu } = overview.epochs.find((one) => one.epoch === front.epoch) ?? {};
  const latest = overview.runs.find((run) => run.epoch === front.epoch);
  const tuned = latest ? `${latest.fit ? "" : "not "}tuned for benchmarks` : "of which no run says whether it was tuned";
  const days = shown.map(({ cell }) => day(cell.t * 1000)).sort();
  const counts = shown.map(({ cell }) => cell.n).sort((x, y) => x - y);
  const span = (first, last) => (first === last ? `${first}` : `${first} to ${last}`);
  const covers = Math.min(...shown.filter(({ cell }) => cell.n > 1).map(({ cell }) => coverage(overview, cell.n)));
  const best = shown.find((one) => one.mark?.includes("best"));
  const lines = [
    `Bars: median of ${span(counts[0], counts.at(-1))} processes each${Number.isFinite(covers) ? `; lines: interval that holds the true median in at least ${percentOf(covers)} of cases` : ""}.`,
    best ? `${best.subject}: ${best.mark}${best.mark.startsWith("tied") ? ", because intervals overlap" : ""}.` : "No subject is marked as best.",
    `Host ${front.host}${cpu ? ` (${cpu})` : ""}, ${tuned}. Measured ${span(days[0], days.at(-1))} by Shakedown, host epoch ${front.epoch.slice(0, 8)}.`,
  ];
  const { left, right, height } = SLIDE;
  const written = lines.map((line, at) => text(left, height - 76 + 26 * at, fitting(line, 18, right - left), line, { fill: colours.soft }));
  const notice = overview.notice ? [text(right, 36, fitting(overview.notice, 20, right - left), overview.notice, { fill: colours.notice, "text-anchor": "end", "font-weight": 700 })] : [];
  return [svg("line", { x1: left, x2: right, y1: height - 112, y2: height - 112, stroke: colours.line }), ...written, ...notice];
}

// Links that save the picture, as text and as pixels.
function saving(picture, name) {
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  const save = async () => {
    const href = await pixels(source);
    h("a", { href, download: `${name}.png` }).click();
  };
  return h("p", {}, h("a", { class: "button", href: source, download: `${name}.svg` }, "Save as SVG"), h("button", { type: "button", onclick: save }, "Save as PNG"));
}

// Twice as many pixels as the picture is wide, for large screens.
async function pixels(source) {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * SLIDE.width, height: 2 * SLIDE.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

"use strict";
// The front page: every scenario side by side, for the newest of each stack and release series.

const MAIN_METRICS = new Set(["handshakes", "operations", "throughput", "peak-memory", "session-memory"]);
const MARKS = {
  best: "The best: no other interval overlaps its interval.",
  "tied for best": "The best value, but another interval overlaps its interval.",
  tied: "Tied: its interval overlaps that of the best.",
  "best release": "The best release: only a branch is better, and the interval of no other release overlaps its interval.",
  "tied for best release": "The best release, but another interval overlaps its interval.",
};

// What a factor of a metric multiplies; where less is better, it is no rate.
const timesWhat = (unit) => (unit.endsWith("/s") ? "times the rate of" : "times as good as");
const movingKind = (subject) => (subject.includes("@git:") ? "branch" : "not a release");

async function frontPage(main, overview, query) {
  const fronts = overview.fronts;
  if (fronts.length === 0) { fill(main, h("h1", {}, "No runs yet"), h("p", {}, "Add one: ", h("code", {}, "shakedown history add RUN"))); return; }
  const front = frontOf(fronts, query);
  if (!front) { fill(main, h("h1", {}, "Side by side"), unknownFront(fronts, query, "front")); return; }
  const [data, changes] = await Promise.all([load(`front/${front.file}`), load("changes/lately")]);
  const rows = frontRows(data.table);
  const shownColumns = data.columns.filter((column) => query.series === "all" || (column.newest && !(query.series === "releases" && column.moving)));
  const stacks = [...new Set(data.columns.map((column) => column.stack))];
  const chosen = query.stack && stacks.includes(query.stack) ? shownColumns.filter((column) => column.stack === query.stack) : shownColumns;
  const base = baseOf(data.columns, chosen, query.base);
  const results = h("div");
  const some = rows.filter((row) => fitsFields(row, query));
  const search = searchField("Only rows with all these words", query, (fits) => {
    const shown = some.filter((row) => fits(`${row.scenario} ${row.side} ${row.metric}`));
    fill(results, frontTables(overview, shown, chosen, base, query));
    announce(`${shown.length} of ${plural(rows.length, "row")}`);
  });
  fill(main, h("h1", {}, "TLS stacks side by side"), provenance(overview, front, rows), lately(changes),
    folded(query, fields(overview, fronts, front, rows, data.columns, chosen, base, query, search.field)), results);
  search.apply();
}

// The host epoch that the address names, or else the newest with something to compare.
const frontOf = (fronts, query) => fronts.find((one) => one.epoch === (query.epoch ?? (fronts.find((front) => front.columns > 1) ?? fronts[0]).epoch));
const unknownFront = (fronts, query, page) => unknown("recent host epoch", query.epoch, fronts.map((one) => one.epoch), (epoch) => link(page, { epoch }));
const epochField = (fronts, front) => (fronts.length > 1 ? choose("Host and epoch", "epoch", fronts.map((one) => [one.epoch, `${one.host}, ${one.epoch.slice(0, 8)}`]), front.epoch) : null);

// Rows of a table of numbers, each with a cell for each subject.
function frontRows({ subjects, rows }) {
  return rows.map(([scenario, side, metric, unit, better, cells]) => ({
    scenario, side, metric, unit, better, ...facets(scenario),
    cells: Object.fromEntries(subjects.flatMap((subject, at) => (cells[at] ? [[subject, cellOf(cells[at], unit)]] : []))),
  }));
}

const cellOf = ([median, low, high, n, t], unit) => ({ median, low, high, n, t, unit });

// What all means are relative to: what was asked for, or the newest release of the largest stack.
function baseOf(all, shown, asked) {
  const known = shown.map((column) => column.subject);
  if (known.includes(asked)) return asked;
  const stack = largestStack(all.map((column) => column.subject));
  return shown.find((column) => !column.moving && column.stack === stack)?.subject ?? known[0];
}

// On a narrow window the fields wait behind a line that says what they filter.
function folded(query, fields) {
  const chosen = Object.entries(query).filter(([name]) => name !== "epoch").map(([name, value]) => `${name} ${value}`);
  return h("details", { class: "fields", open: innerWidth > 700 }, h("summary", {}, chosen.length ? `Filter: ${chosen.join(", ")}` : "Filter by TLS version, group, key, side and more"), fields);
}

function fitsFields(row, query) {
  const main = query.metric ? query.metric === "all" || row.metric === query.metric : MAIN_METRICS.has(row.metric) || !facets(row.scenario).version;
  return main && ["family", "version", "group", "key", "side"].every((name) => !query[name] || row[name] === query[name]);
}

function fields(overview, fronts, front, rows, columns, chosen, base, query, search) {
  const field = (label, name) => {
    const values = [...new Set(rows.map((row) => row[name]).filter(Boolean))].sort(releaseOrder.compare);
    return values.length > 1 ? choose(label, name, [["", "any"], ...values.map((value) => [value, value])], query[name] ?? "") : null;
  };
  const stacks = [...new Set(columns.map((column) => column.stack))];
  const metrics = [...new Set(rows.map((row) => row.metric))];
  return form(
    epochField(fronts, front), field("Family", "family"), field("TLS version", "version"), field("Group", "group"), field("Key", "key"), field("Side", "side"),
    choose("Metric", "metric", [["", "speed and memory"], ["all", "all"], ...metrics.map((metric) => [metric, metric])], query.metric ?? ""),
    columns.some((column) => !column.newest || column.moving) ? choose("Releases", "series", [["", "newest of each stack, and branches"], ["releases", "newest of each stack, no branches"], ["all", "newest of each release series, and branches"]], query.series ?? "") : null,
    stacks.length > 1 ? choose("Stack", "stack", [["", "any"], ...stacks.map((stack) => [stack, stack])], query.stack ?? "") : null,
    chosen.length > 1 ? choose("Geometric means relative to", "base", chosen.map((column) => [column.subject, column.subject]), base) : null, search);
}

// Where and when.
function provenance(overview, front, rows) {
  const days = rows.flatMap((row) => Object.values(row.cells).map((cell) => cell.t * 1000));
  const [first, last] = [day(Math.min(...days)), day(Math.max(...days))];
  const latest = overview.runs.find((run) => run.epoch === front.epoch);
  const { cpu } = overview.epochs.find((one) => one.epoch === front.epoch) ?? {};
  return h("p", {}, `Host ${front.host}${cpu ? ` (${cpu})` : ""}, `, epochOf(front.epoch, "epoch "), first === last ? `, ${last}. ` : `, values of ${first} to ${last}. `,
    latest ? [runOf(latest.name, "Newest run"), ` (${latest.suite}, ${day(latest.started_ms)}): the host `, latest.fit ? "was tuned for benchmarks" : h("strong", { class: "worse" }, "was not tuned for benchmarks"), latest.finished ? "." : "; the run did not finish."] : null);
}

function frontTables(overview, rows, columns, base, query) {
  if (rows.length === 0) return h("p", {}, "No row fits the filter.");
  const groups = new Map();
  const order = (row) => `${row.family.startsWith("handshake") ? 0 : row.family === "bulk" ? 1 : 2} ${row.family} ${row.metric}`;
  for (const row of [...rows].sort((a, b) => releaseOrder.compare(order(a), order(b)))) {
    const key = `${row.family} ${row.metric} ${row.unit}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const bodies = [...groups.values()].map((group) => frontGroup(overview, group, columns, base, query));
  return [grid("Scenarios side by side", bodies),
    h("p", { class: "note" }, "best: the best value of the row, and no other interval overlaps its interval; best release: the same among releases, where a branch is better; tied: its interval overlaps that of the best. Bars: how good a value is against the best of its row. Below a value: its change from what the header of the column names, the release before or, of a branch, the newest release; “no difference” where the intervals overlap. An epoch is one host in one fixed state. Point at a cell, or walk with the arrow keys, for its interval; Enter shows it over time.")];
}

// A family: its geometric mean first, then its rows.
function frontGroup(overview, rows, columns, base, query) {
  const [{ family, metric, unit, better }] = rows;
  const means = geometricMeans(rows, columns.map((column) => column.subject), base);
  const about = [FAMILIES[family], `${metricIn(metric, unit)}, ${better} is better`].filter(Boolean);
  const title = h("tr", { role: "row", class: "family" }, h("th", { role: "columnheader", scope: "col" }, family, about.map((text) => h("span", { class: "note" }, text)), h("a", { class: "note", href: link("picture", { epoch: query.epoch, scenario: rows[0].scenario, kind: `${rows[0].side} ${metric}` }) }, "picture for a slide")),
    columns.map((column) => h("th", { role: "columnheader", scope: "col" }, column.stack, h("span", { class: "version" }, column.subject.slice(column.stack.length)), column.moving ? h("span", { class: "version" }, movingKind(column.subject)) : null, h("span", { class: "version" }, changeFrom(column)))));
  const moving = columns.map((column) => column.moving);
  const [found, supported] = [marks(means, "higher"), marks(comparableMeans(means, rows), "higher", moving)];
  const mean = h("tr", { role: "row", class: "mean" }, h("th", { role: "rowheader", scope: "row" }, `Geometric mean of ${plural(rows.length, "row")}`, h("span", { class: "note" }, `${timesWhat(unit)} ${base}`)),
    columns.map((column, at) => meanCell(column.subject, means[at], { share: found[at]?.share, mark: supported[at]?.mark }, rows, base)));
  return h("tbody", {}, title, mean, rows.map((row) => frontRow(overview, row, columns)));
}

// What the changes in a column are relative to.
const changeFrom = (column) => (column.previous ? `change from ${column.previous.slice(column.stack.length + 1)}` : "no earlier release");

function meanCell(subject, mean, found, rows, base) {
  if (!mean) return gridCell({ column: subject, text: "—", kind: "empty" });
  const whole = mean.n === rows.length;
  const { mark } = found;
  const range = subject === base ? "what the others are relative to" : mean.single ? "no interval: one trial" : `${times(mean.low)} to ${times(mean.high)}, the widest that the intervals of its rows allow`;
  const tell = () => [h("strong", {}, subject), h("br"), `${times(mean.median)} ${timesWhat(rows[0].unit).replace("times ", "")} ${base}`, h("br"), range, h("br"),
    `geometric mean of ${whole ? plural(mean.n, "row") : `${mean.n} of ${plural(rows.length, "row")}: the others were not measured, so that it is not marked`}. `, mixOf(rows)];
  return gridCell({ column: subject, kind: mark ?? "", tell, text: [times(mean.median), whole ? null : h("span", { class: "delta" }, `${mean.n} of ${rows.length}`)],
    more: [mark ? h("span", { class: "mark" }, mark) : null, bar(found.share, mark)] });
}

function changeText(step, column) {
  if (!step) return column.previous ? "not measured before" : null;
  return step.direction ? signed(step.share) : `no difference (${signed(step.share)})`;
}

function frontRow(overview, row, columns) {
  const cells = columns.map((column) => row.cells[column.subject]);
  const found = marks(cells, row.better, columns.map((column) => column.moving));
  const rest = row.scenario.split("/").slice(1).join("/");
  return h("tr", { role: "row" }, h("th", { role: "rowheader", scope: "row" }, breakable(rest || row.scenario), h("span", { class: "note" }, `${row.side}, ${row.unit}`)),
    columns.map((column, at) => valueCell(overview, row, column, cells[at], found[at])));
}

function valueCell(overview, row, column, cell, found) {
  if (!cell) return gridCell({ column: column.subject, text: "—", kind: "empty" });
  const step = since(cell, row.cells[column.previous], row.better);
  const tell = () => [h("strong", {}, column.subject), h("br"), `${row.scenario}, ${row.side}, ${row.metric}`, h("br"), h("strong", {}, valueInWords(overview, cell)), h("br"),
    found.mark ? [MARKS[found.mark], h("br")] : null,
    step ? [`${signed(step.share)} since ${column.previous}${step.direction ? `: ${step.direction}` : ", where the intervals overlap"}`, h("br")] : [column.previous ? `${column.previous} was not measured in this row.` : "No earlier release was measured in this host epoch.", h("br")], `Measured ${day(cell.t * 1000)}. `];
  return gridCell({
    column: column.subject, kind: found.mark ?? "", tell, href: link("trend", { scenario: row.scenario, subject: column.subject, side: row.side, metric: row.metric }),
    text: [number(cell.median), h("span", { class: "unit" }, ` ${row.unit}`)],
    more: [found.mark ? h("span", { class: "mark" }, found.mark) : null, bar(found.share, found.mark), h("span", { class: `delta ${step?.direction ?? ""}` }, changeText(step, column))],
  });
}

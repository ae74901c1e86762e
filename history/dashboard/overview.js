"use strict";
// What changed lately, and the newest runs.

async function overviewPage(main, overview, query) {
  const open = overview.changes.filter((change) => change.state !== "dismissed");
  const latest = overview.runs[0];
  main.append(h("h1", {}, "What changed lately"));
  main.append(h("p", {}, latest
    ? `Newest run: ${latest.suite} on ${latest.host}, ${day(latest.started_ms)}. The host was ${latest.fit ? "fit" : "not fit"}${latest.finished ? "" : "; the run did not finish"}.`
    : "No runs yet."));
  if (open.length === 0) main.append(h("p", {}, "No change is suspected or confirmed."));
  else main.append(causesOf(overview, open), table(`Changes, worst first (${open.length} of ${overview.changes_total})`, [
    { name: "Change", class: "number", key: (c) => c.suspect.found.factor, show: (c) => moved(c.suspect) },
    { name: "Subject", wide: true, key: (c) => c.suspect.series.subject, show: (c) => c.suspect.series.subject },
    { name: "Series", class: "id", key: (c) => c.suspect.series.scenario, show: (c) => h("span", {}, seriesOf(c.suspect.series), narrow(`of ${c.suspect.series.subject}`)) },
    { name: "Interval (95 %)", class: "number", show: (c) => `${percent(c.suspect.found.low)} to ${percent(c.suspect.found.high)}` },
    { name: "State", key: (c) => c.state, show: (c) => c.state },
    { name: "Since", class: "day", key: (c) => c.suspect.first_bad_ms, show: (c) => day(c.suspect.first_bad_ms) },
    { name: "Revisions", show: (c) => h("span", {}, revisionOf(overview, c.suspect.series.subject, c.suspect.last_good), " … ", revisionOf(overview, c.suspect.series.subject, c.suspect.first_bad)) },
  ], open, query.sort ?? ""));
  main.append(h("h2", {}, "Newest runs"), table("Runs, newest first", [
    { name: "Day", class: "day", key: (r) => r.started_ms, show: (r) => day(r.started_ms) },
    { name: "Suite", key: (r) => r.suite, show: (r) => `${r.suite}${r.in_tree ? " (in-tree benchmark)" : ""}` },
    { name: "Host", key: (r) => r.host, show: (r) => r.host },
    { name: "Host fit", show: (r) => (r.fit ? "yes" : h("span", { class: "worse" }, "no")) },
    { name: "Run", class: "id", show: (r) => runOf(r.name) },
  ], overview.runs.slice(0, 20)));
}

const moved = (suspect) => h("span", { class: suspect.worse ? "worse" : "better" },
  `${percent(suspect.found.factor)} ${suspect.worse ? "worse" : "better"}`);

const seriesOf = (series) => h("a", { href: link("trend", {
  scenario: series.scenario, subject: series.subject, side: series.side, metric: series.metric,
}) }, `${series.scenario} ${series.side} ${series.metric}`);

// One change of the code moves many series: a line a cause, those with the worst change first.
function causesOf(overview, changes) {
  const causes = new Map();
  for (const change of changes) {
    if (!causes.has(change.cause)) causes.set(change.cause, []);
    causes.get(change.cause).push(change);
  }
  return h("ul", { class: "causes" }, [...causes.values()].map((group) => {
    const [{ stack, family, suspect }] = group;
    const states = [...new Set(group.map((change) => change.state))].sort().join(", ");
    return h("li", {}, h("strong", {}, `${stack} ${family}`), ": ", moved(suspect),
      group.length > 1 ? ` at most, in ${group.length} series` : ` in one series`,
      `, since ${day(suspect.first_bad_ms)}, ${states}, between `, rangeOf(overview, suspect.series.subject, suspect.last_good, suspect.first_bad));
  }));
}

"use strict";
// What changed lately, and the newest runs.

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
    { name: "Revisions", show: (c) => h("span", {}, revisionOf(overview, c.suspect.series.subject, c.suspect.last_good), " … ", revisionOf(overview, c.suspect.series.subject, c.suspect.first_bad)) },
  ], open));
  main.append(h("h2", {}, "Newest runs"), table("Runs, newest first", [
    { name: "Day", key: (r) => r.started_ms, show: (r) => day(r.started_ms) },
    { name: "Suite", key: (r) => r.suite, show: (r) => r.suite },
    { name: "Host", key: (r) => r.host, show: (r) => r.host },
    { name: "Host fit", show: (r) => (r.fit ? "yes" : h("span", { class: "worse" }, "no")) },
    { name: "Run", class: "id", show: (r) => runOf(r.name) },
  ], overview.runs.slice(0, 20)));
}

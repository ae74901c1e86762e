"use strict";
// Stored runs: the list of a year, and the facts of one.

const FACTS = ["started", "epoch", "host", "suite", "fit", "finished", "inTree", "fallback", "backfill", "kind"];

// The run of this name, with its facts and builds; null where the history has none.
async function findRun(overview, name) {
  const year = name.slice(0, 4);
  if (!overview.years.includes(year)) return null;
  const builds = await load(`builds/${year}`);
  return Object.hasOwn(builds.runs, name) ? runFacts(builds, name) : null;
}

function runFacts(builds, name) {
  const run = builds.runs[name];
  const facts = Object.fromEntries(FACTS.map((fact, at) => [fact, run.facts[at]]));
  const measured = run.refs.flatMap((ref, at) => (ref == null ? [] : [{ subject: builds.subjects[at], revision: builds.revisions[ref] }]));
  const month = `${name.slice(0, 4)}/${name.slice(4, 6)}`;
  return { name, ...facts, measured, month, files: run.packed ? builds.packs[month] ?? [] : [`${name}.json.zst`] };
}

const allRuns = (builds) => Object.keys(builds.runs).sort().reverse().map((name) => runFacts(builds, name));

// The run of the same suite in the same host epoch before this one, within its year.
async function runBefore(run) {
  const runs = allRuns(await load(`builds/${run.name.slice(0, 4)}`));
  return runs.find((other) => other.name < run.name && other.suite === run.suite && other.epoch === run.epoch && other.started < run.started);
}

async function runsPage(main, overview, query) {
  const year = query.year ?? overview.years.at(-1);
  const heading = h("h1", {}, "Runs");
  if (!overview.years.includes(year)) { fill(main, heading, unknown("year", year ?? "", overview.years, (one) => link("runs", { year: one }))); return; }
  const runs = allRuns(await load(`builds/${year}`));
  const list = table("Runs", [
    { name: "Started (UTC)", class: "day", key: (r) => r.started, show: (r) => runOf(r.name, minute(r.started * 1000)) },
    { name: "Suite", key: (r) => r.suite, show: (r) => `${r.suite}${r.inTree ? " (in-tree benchmark)" : ""}` },
    { name: "Host", key: (r) => r.host, show: (r) => r.host },
    { name: "Epoch", wide: true, show: (r) => epochOf(r.epoch) },
    { name: "Host fit", show: (r) => (r.fit ? "yes" : h("span", { class: "worse" }, "no")) },
    { name: "Subjects", class: "number", key: (r) => r.measured.length, show: (r) => String(r.measured.length) },
    { name: "Run", wide: true, class: "id", show: (r) => r.name },
  ], runs, query.sort ?? "");
  const search = searchField("Only runs with all these words", query, (fits) => {
    const shown = runs.filter((r) => fits(`${r.name} ${r.suite} ${r.host} ${day(r.started * 1000)} ${r.measured.map((one) => `${one.subject} ${one.revision}`).join(" ")}`));
    const caption = `${shown.length} of ${plural(runs.length, "run")} of ${year}, newest first`;
    list.show(shown, caption);
    announce(caption);
  });
  fill(main, heading, form(choose("Year", "year", [...overview.years].reverse(), year), search.field), list);
  search.apply();
}

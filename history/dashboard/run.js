"use strict";
// One run: its numbers, its report, where, when and of what, and what it decided.

async function runPage(main, overview, query) {
  const name = query.run ?? overview.runs[0]?.name ?? "";
  const run = await findRun(overview, name);
  if (!run) { fill(main, h("h1", {}, "One run"), unknown("run", name, names(overview.runs.map((r) => [r.name])), (other) => link("run", { run: other })), h("p", {}, h("a", { href: "#/runs" }, "All runs"))); return; }
  const [before, changes] = await Promise.all([runBefore(run), load("changes")]);
  const when = minute(run.started * 1000);
  fill(main, h("h1", {}, `${run.suite} of ${when} UTC on ${run.host}`), h("p", { class: "actions" },
    overview.reports.includes(name) ? h("a", { class: "button", href: `reports/${name}.html` }, "Report of this run") : ["Its report: ", h("code", {}, `shakedown history show ${name} --record > record.json; shakedown report record.json`)],
    before ? [" ", h("a", { class: "button", href: link("compare", { a: before.name, b: name }) }, "Compare with the previous run")] : null),
    run.fit ? null : h("p", { class: "worse" }, "The host was not tuned for benchmarks: the report says which settings differ and what disturbed it."),
    run.finished ? null : h("p", { class: "worse" }, "The run did not finish."));
  const ruled = changes.flatMap((change) => change.decisions.filter((decision) => decision.run === name).map((decision) => ({ change, decision })));
  const begun = changes.filter((change) => change.first_bad.run === name && change.state !== "dismissed");
  main.append(...[h("p", {}, verdictOf(run, begun)), builtOf(overview, run)].filter(Boolean));
  if (begun.length) main.append(h("ul", { class: "causes" }, causesOf(begun).map((group) => causeItem(overview, group))));
  if (ruled.length) main.append(h("h2", {}, "What it decided"), h("ul", { class: "causes" }, ruled.map(({ change, decision }) => h("li", { class: "cause" },
    h("p", { class: "head" }, badge(decision.state), " ", trendOf(change.series, `${change.series.subject} ${seriesName(change.series)}`), " ", moved(change), ", commits ", rangeOf(overview, change.series.subject, change.last_good.revision, change.first_bad.revision)),
    h("p", { class: "note" }, decision.evidence)))));
  if (run.inTree) main.append(inTreeNote());
  main.append(h("h2", {}, "Numbers"), await runNumbers(overview, name, query, run.kind === "import"), h("h2", {}, "What was measured, and where"), facts(overview, run), measuredTable(overview, run));
}

// What a reader wants to know before any number: whether the host was as it should be, and what began here.
function verdictOf(run, begun) {
  const host = run.fit ? "The host was tuned for benchmarks. " : "";
  return `${host}${begun.length ? `${plural(begun.length, "series begins", "series begin")} to differ with this run:` : "No change that is known begins with this run."}`;
}

// The commits behind names that move, such as a branch.
function builtOf(overview, run) {
  const moving = run.measured.filter(({ revision }) => fullId(revision));
  return moving.length ? h("p", {}, moving.map((one, at) => [at ? ", " : "Commits: ", `${one.subject} is `, revisionOf(overview, one.subject, one.revision)]), ".") : null;
}

function facts(overview, run) {
  const { cpu } = overview.epochs.find((one) => one.epoch === run.epoch) ?? {};
  const facts = [
    ["Run", run.name], ["Started", `${minute(run.started * 1000)} UTC`], ["Suite", run.suite], ["Host", run.host], ...(cpu ? [["CPU", cpu]] : []),
    ["Host epoch", epochOf(run.epoch)], ["Host fit", run.fit ? "yes" : "no"], ["Finished", run.finished ? "yes" : "no"],
    ...(run.inTree ? [["Measured by", `in-tree benchmark${run.fallback ? `, instead of suite ${run.fallback}: the driver did not fit` : ""}`]] : []),
    ...(run.backfill ? [["Replaces", runOf(run.backfill)]] : []),
    ["Record", run.files.flatMap((file) => [recordOf(overview, `runs/${run.month}/${file}`), " "])],
    ["All samples", h("code", {}, `shakedown history show ${run.name} --record`)],
  ];
  return h("dl", {}, facts.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
}

function measuredTable(overview, run) {
  return table("What was measured", [
    { name: "Subject", key: (r) => r.subject, show: (r) => (names(overview.subjects).includes(r.subject) ? h("a", { href: link("trend", { subject: r.subject }) }, r.subject) : r.subject) },
    { name: "Revision or resolved version", class: "id", key: (r) => r.revision, show: (r) => revisionOf(overview, r.subject, r.revision) },
  ], run.measured);
}

// Where the history is on the web, if whoever built the site said so.
function recordOf(overview, path) {
  const base = overview.records;
  if (!/^https?:\/\/[^\s]+$/.test(base ?? "")) return h("code", {}, path);
  return h("a", { href: `${base.replace(/\/+$/, "")}/${path}`, rel: "noreferrer" }, path);
}

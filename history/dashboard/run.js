"use strict";
// One run: where, when, of what, and where its record is.

async function runPage(main, overview, query) {
  const name = query.run ?? overview.runs[0]?.name ?? "";
  main.append(h("h1", {}, "One run"));
  const year = name.slice(0, 4);
  const builds = overview.years.includes(year) ? await load(`builds/${year}`) : null;
  const run = builds?.runs[name];
  if (!run) { main.append(h("p", {}, `The history has no run ${name}.`)); return; }
  const [started, epoch, host, suite, fit, finished, inTree, fallback, backfill] = run.facts;
  const month = `${name.slice(0, 4)}/${name.slice(4, 6)}`;
  const files = run.packed ? builds.packs[month] ?? [] : [`${name}.json.zst`];
  const facts = [
    ["Run", name], ["Started", new Date(started * 1000).toISOString().replace(".000Z", " UTC").replace("T", " ")],
    ["Suite", suite], ["Host", host], ["Host epoch", h("a", { href: link("hosts", { epoch }) }, epoch)],
    ["Host fit", fit ? "yes" : "no"], ["Came to its end", finished ? "yes" : "no"],
    ...(inTree ? [["Measured by", `in-tree benchmark${fallback ? `, instead of suite ${fallback}: the driver did not fit` : ""}`]] : []),
    ...(backfill ? [["In the place of", runOf(backfill)]] : []),
    ["Record", h("span", {}, files.flatMap((file) => [recordOf(overview, `runs/${month}/${file}`), " "]))],
    ["All samples", h("code", {}, `shakedown history show ${name} --record`)],
  ];
  main.append(h("dl", {}, facts.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])));
  if (inTree) main.append(inTreeNote());
  const rows = run.refs.flatMap((ref, at) => (ref == null ? [] : [{ subject: builds.subjects[at], revision: builds.revisions[ref] }]));
  main.append(table("What was measured", [
    { name: "Subject", key: (r) => r.subject, show: (r) => h("a", { href: link("trend", { subject: r.subject }) }, r.subject) },
    { name: "Revision, or what the name stood for", class: "id", key: (r) => r.revision, show: (r) => revisionOf(overview, r.subject, r.revision) },
  ], rows));
}

// Where the history is on the web, if whoever built the site said so.
function recordOf(overview, path) {
  const base = overview.records;
  if (!/^https?:\/\/[^\s]+$/.test(base ?? "")) return h("code", {}, path);
  return h("a", { href: `${base.replace(/\/+$/, "")}/${path}`, rel: "noreferrer" }, path);
}

"use strict";
// Subjects, scenarios, revisions and runs by their names.

const names = (pairs) => pairs.map(([name]) => name);
const idOf = (pairs, name) => pairs.find(([known]) => known === name)?.[1];
const stackOf = (subject) => subject.split("@")[0];

// Releases by number: 1.1.1w before 3.0, 3.9 before 3.10.
const releaseOrder = new Intl.Collator("en", { numeric: true });

// Says that the history does not have what the address names, and what it has instead.
function unknown(what, name, known, hrefOf) {
  const text = name.toLowerCase();
  const share = (other) => other.toLowerCase().split(/[/@+.:-]/).filter((part) => part && text.includes(part)).length;
  const near = known.map((other) => [share(other), other]).filter(([count]) => count > 0)
    .sort((x, y) => y[0] - x[0]).slice(0, 4).map(([, other]) => other);
  const links = near.flatMap((other, at) => [at ? ", " : " Near it: ", hrefOf ? h("a", { href: hrefOf(other) }, other) : other]);
  return alertOf(`The history has no ${what} named “${name}”.`, links);
}

// The stack with the most subjects.
function largestStack(subjects) {
  const count = (stack) => subjects.filter((name) => stackOf(name) === stack).length;
  return [...new Set(subjects.map(stackOf))].sort((x, y) => count(y) - count(x) || x.localeCompare(y))[0];
}

// Two subjects worth looking at together: the newest release of the largest stack, or the one that
// was named, and whoever of another stack was measured in the most scenarios beside it; what moves
// with its project before releases.
function companions(overview, named) {
  const subjects = names(overview.subjects);
  const stack = largestStack(subjects);
  const releases = subjects.filter((name) => stackOf(name) === stack && !/@\w+:|\+/.test(name)).sort(releaseOrder.compare);
  const first = subjects.includes(named) ? named : releases.at(-1) ?? subjects[0];
  const x = subjects.indexOf(first);
  const worth = subjects.map((name, y) => [
    name === first ? -1 : overview.trends.filter((row) => row[x] && row[y]).length,
    stackOf(name) === stackOf(first) ? 0 : 1, name.includes("@git:") ? 1 : 0, y]);
  worth.sort((p, q) => q[0] - p[0] || q[1] - p[1] || q[2] - p[2] || q[3] - p[3]);
  return [first, subjects[worth[0]?.[3] ?? 0]];
}

// Only http and https become links: an address comes from a record, so from anybody.
function webOf(repository) {
  return /^https?:\/\/[^\s]+$/.test(repository ?? "") ? repository.replace(/\/+$/, "").replace(/\.git$/, "") : null;
}

// A revision as people read it; a link where its repository is on the web.
function revisionOf(overview, subject, revision) {
  const base = webOf(overview.repositories[subject]);
  const text = commit(revision);
  if (!base || !fullId(revision)) return text;
  return h("a", { href: `${base}/commit/${revision}`, rel: "noreferrer" }, text);
}

// From one revision to another: a link to what changed between them, where that can be had.
function rangeOf(overview, subject, from, to) {
  if (from === to) return `${commit(from)} (the same code)`;
  const base = webOf(overview.repositories[subject]);
  const text = `${commit(from)} … ${commit(to)}`;
  if (!base || !fullId(from) || !fullId(to)) return text;
  return h("a", { href: `${base}/compare/${from}...${to}`, rel: "noreferrer" }, text);
}

const runOf = (name, text = name) => h("a", { href: link("run", { run: name }) }, text.includes("/") ? breakable(text) : text);

// The start of a run, as its name says it.
const startOf = (name) => name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d).*$/, "$1-$2-$3 $4:$5 UTC");

const trendOf = (series, text) => h("a", { href: link("trend", {
  scenario: series.scenario, subject: series.subject, side: series.side, metric: series.metric,
}) }, text.includes("/") ? breakable(text) : text);

"use strict";
// Change points: what moved, by how much, between which commits, and who confirmed it.

const DAY = 86400e3;
const STATES = { confirmed: "confirmed: measured again and reproduced", suspect: "suspected, not measured again yet", dismissed: "dismissed: measured again and not reproduced" };

const badge = (state) => h("span", { class: `badge ${state}`, title: STATES[state] }, state);

const moved = (change) => h("span", { class: change.worse ? "worse" : "better" },
  `${percent(change.change.factor)} ${change.worse ? "worse" : "better"}`);

// The largest of the changes with one cause: of its regressions, if it has any.
function largest(group) {
  const live = group.filter((change) => change.state !== "dismissed");
  const some = live.length ? live : group;
  return some.reduce((a, b) => (a.worse !== b.worse ? (a.worse ? a : b) : Math.abs(goodness(b)) > Math.abs(goodness(a)) ? b : a));
}

// How far a cause moved its series.
function movedBy(group) {
  const most = largest(group);
  const same = group.filter((change) => change.worse === most.worse).length;
  const [way, size] = [most.worse ? "worse" : "better", extent(most.change.factor)];
  return [h("span", { class: way }, `${same > 1 ? "up to " : ""}${size} ${way} than before`), group.length === 1 ? ", in one series" : `, in ${same === group.length ? same : `${same} of ${group.length}`} series`];
}

// The subject of a cause, or its stack where it is seen in several.
const subjectOf = (group) => (group.every((change) => change.series.subject === group[0].series.subject) ? group[0].series.subject : group[0].stack);

const changeInterval = (change) => `${percent(change.change.low)} to ${percent(change.change.high)}`;

// How good a change is: the worst has the lowest.
const goodness = (change) => Math.abs(Math.log(change.change.factor)) * (change.worse ? -1 : 1);

const seriesName = (series) => `${series.scenario} ${series.side} ${series.metric}`;

// The decision that a change's state rests on, with its run and the words of it.
function decided(change) {
  const decision = change.decisions.filter((one) => one.state === change.state).at(-1);
  if (change.state === "suspect" || !decision) return "not measured again yet";
  return h("span", {}, decision.run ? ["by the ", runOf(decision.run, `run of ${startOf(decision.run)}`)] : `by hand on ${day(decision.at_ms)}`);
}

function grounds(change) {
  const decision = change.decisions.filter((one) => one.state === change.state).at(-1);
  return decision && change.state !== "suspect" ? decision.evidence.replace(`run ${decision.run}: `, "") : null;
}

// One change of the code moves many series: one entry a cause, those with the worst change first.
function causesOf(changes) {
  const causes = new Map();
  for (const change of changes) {
    if (!causes.has(change.cause)) causes.set(change.cause, []);
    causes.get(change.cause).push(change);
  }
  return [...causes.values()];
}

// The change that says most of its cause: a confirmed one, if there is one.
const decisive = (group) => Object.keys(STATES).map((state) => group.find((change) => change.state === state)).find(Boolean);

function causeItem(overview, group) {
  const [first] = group;
  const by = decisive(group);
  const counts = Object.keys(STATES).map((state) => [state, group.filter((change) => change.state === state).length]).filter(([, count]) => count);
  const since = Math.min(...group.map((change) => change.first_bad.started_ms));
  return h("li", { class: "cause" },
    h("p", { class: "head" }, h("strong", {}, `${first.family} of ${subjectOf(group)}`), ": ", movedBy(group), ": ",
      counts.map(([state, count], at) => [at ? ", " : "", counts.length > 1 ? `${count} ` : null, badge(state)])),
    h("p", {}, `First seen ${day(since)}. Commits: `, rangeOf(overview, first.series.subject, first.last_good.revision, first.first_bad.revision), ". ",
      by.state === "suspect" ? "Not measured again yet." : [by.state === "confirmed" ? "Confirmed " : "Dismissed ", decided(by), "."],
      first.recovered ? " Recovered since." : null),
    grounds(by) ? h("p", { class: "note" }, grounds(by)) : null);
}

// What the last month brought, in one sentence and with its largest.
function lately(recent) {
  const causes = causesOf(recent);
  const state = (group) => decisive(group).state;
  const counts = Object.keys(STATES).map((one) => [one, causes.filter((group) => state(group) === one).length]).filter(([, count]) => count);
  const live = causes.filter((group) => state(group) !== "dismissed");
  const most = live.length ? live.find((group) => largest(group) === largest(live.flat())) : null;
  return h("p", { class: "lately" }, h("strong", {}, "Last 30 days, all scenarios (the filter does not apply): "),
    counts.length ? [counts.map(([one, count], at) => [at ? ", " : "", at ? count : plural(count, "change"), ` ${one === "suspect" ? "suspected" : one}`]), ". "] : "no change was found. ",
    most ? largestLately(most) : null,
    h("a", { href: link("changes", { days: 30 }) }, "All changes"), ".");
}

function largestLately(group) {
  const [most, by] = [largest(group), decisive(group)];
  const since = Math.min(...group.map((change) => change.first_bad.started_ms));
  return [`The largest ${most.worse ? "regression" : "improvement"}: `, trendOf(by.series, `${most.family} of ${subjectOf(group)}`), ", ", movedBy(group),
    ", first seen ", h("a", { href: link("changes", { days: 30, find: `${subjectOf(group)} ${most.family} ${commit(most.first_bad.revision)}` }) }, day(since)), "; ", badge(by.state), " ", decided(by), ". "];
}

function changesTable(overview, changes, sort) {
  return table("Changes, worst first", [
    { name: "Change", class: "number", key: goodness, show: moved },
    { name: "Interval (95 %)", class: "number", show: changeInterval },
    { name: "Subject", wide: true, key: (c) => c.series.subject, show: (c) => c.series.subject },
    { name: "Series", class: "id", key: (c) => seriesName(c.series), show: (c) => h("span", {}, trendOf(c.series, seriesName(c.series)), narrow(`of ${c.series.subject}`)) },
    { name: "State", key: (c) => c.state, show: (c) => h("span", {}, badge(c.state), c.recovered ? " recovered" : null) },
    { name: "Decided", class: "id", show: decided },
    { name: "First seen", class: "day", key: (c) => c.first_bad.started_ms, show: (c) => day(c.first_bad.started_ms) },
    { name: "Commits", class: "id", show: (c) => rangeOf(overview, c.series.subject, c.last_good.revision, c.first_bad.revision) },
  ], changes, sort);
}

async function changesPage(main, overview, query) {
  const all = await load("changes");
  const [days, state] = [query.days ?? "90", query.state ?? "any"];
  const newest = overview.runs[0]?.started_ms ?? 0;
  const since = days === "all" ? -Infinity : newest - Number(days) * DAY;
  const chosen = all.filter((change) => change.first_bad.started_ms >= since && (state === "any" || change.state === state));
  const list = h("ul", { class: "causes" });
  const rows = changesTable(overview, chosen, query.sort ?? "");
  const search = searchField("Only changes with all these words", query, (fits) => {
    const shown = chosen.filter((change) => fits(`${change.series.subject} ${seriesName(change.series)} ${change.state} ${change.first_bad.revision}`));
    fill(list, causesOf(shown).map((group) => causeItem(overview, group)));
    const caption = `${shown.length} of ${plural(all.length, "change")}, worst first`;
    rows.show(shown, caption);
    announce(caption);
  });
  fill(main, h("h1", {}, "What changed"),
    form(choose("First seen in the last", "days", [["30", "30 days"], ["90", "90 days"], ["365", "year"], ["all", "all years"]], days),
      choose("State", "state", ["any", ...Object.keys(STATES)], state), search.field),
    chosen.length ? null : h("p", {}, "No change was found in this time."),
    list, h("h2", {}, "Every series"), rows,
    h("p", { class: "note" }, "A change is a shift in a nightly series. It stays suspected until both commits have been measured again side by side, and is then confirmed or dismissed. One cause can shift many series."));
  search.apply();
}

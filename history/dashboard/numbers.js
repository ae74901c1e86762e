"use strict";
// The numbers of a run: every metric of every subject, with interval, coverage, n and unit.

// A table of numbers as rows of one value each.
function flat({ subjects, rows }) {
  return rows.flatMap(([scenario, side, metric, unit, better, cells]) => cells.flatMap((cell, at) => (cell
    ? [{ subject: subjects[at], scenario, side, metric, unit, better, ...cellOf(cell, unit) }] : [])));
}

function numbersTable(overview, rows, sort, imported) {
  return table("Numbers", [
    { name: "Scenario", class: "id", key: (r) => r.scenario, show: (r, grouped) => h("span", {}, trendOf(r, grouped ? `${r.side} ${r.metric}` : r.scenario), grouped ? null : below(`${r.side} ${r.metric}`), narrow(r.subject)) },
    { name: "Subject", wide: true, class: "id", key: (r) => r.subject, show: (r) => r.subject },
    { name: "Median", class: "number", key: (r) => r.median, show: (r) => h("span", {}, number(r.median), h("span", { class: "soft" }, ` ${r.unit}`)) },
    { name: "Interval", class: "number", show: ends },
    ...(covered(overview, rows, imported) === null && !imported ? [{ name: "Covers", class: "number", key: (r) => coverage(overview, r.n) ?? 0, show: (r) => (r.n > 1 ? percentOf(coverage(overview, r.n)) : "–") }] : []),
    { name: "n", class: "number", key: (r) => r.n, show: (r) => String(r.n) },
  ], rows, sort, (r) => r.scenario);
}

// How often all intervals hold the true median, where that is the same for all.
function covered(overview, rows, imported) {
  const all = new Set(rows.map((row) => coverage(overview, row.n)));
  return !imported && all.size === 1 ? [...all][0] : null;
}

async function runNumbers(overview, name, query, imported) {
  const rows = flat(await load(`run/${name}`));
  if (rows.length === 0) return h("p", {}, "This run has no numbers.");
  const always = covered(overview, rows, imported);
  const shown = numbersTable(overview, rows, query.sort ?? "", imported);
  const search = searchField("Only rows with all these words", query, (fits) => {
    const some = rows.filter((row) => fits(`${row.scenario} ${row.side} ${row.metric} ${row.subject}`));
    const caption = `${some.length} of ${plural(rows.length, "number")}: median of the trials and its interval${always === null ? "" : `, which holds the true median in ${percentOf(always)} of cases`}`;
    shown.show(some, caption);
    announce(caption);
  });
  const all = h("div", {}, form(search.field), shown,
    imported ? h("p", { class: "note" }, "These numbers were imported: their intervals are those of the tool that measured them.") : h("p", { class: "note" }, `${always === null ? "Covers: how often such an interval holds the true median. " : ""}One trial has no interval.`));
  search.apply();
  return all;
}

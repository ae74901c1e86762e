"use strict";
// The points of series over time, and how several share one axis.

// A series of a scenario: `kinds` are what it has, `points` those of one kind from `from` on.
async function seriesOf(overview, scenario, subject, years) {
  const file = overview.trends[names(overview.scenarios).indexOf(scenario)]?.[names(overview.subjects).indexOf(subject)];
  if (!file) return null;
  const [parts, runs] = await Promise.all([Promise.all(years.map((year) => load(`trend/${file}-${year}`))), Promise.all(years.map((year) => load(`runs/${year}`)))]);
  return { subject, parts, runs, kinds: [...new Set(parts.flatMap((part) => part.series).map((s) => `${s.side} ${s.metric}`))] };
}

function pointsOf({ subject, parts, runs }, kind, from) {
  let meta = null;
  const points = parts.flatMap((part, year) => {
    const one = part.series.find((s) => `${s.side} ${s.metric}` === kind);
    if (!one) return [];
    meta = one;
    return part.at.flatMap((run, at) => {
      const [t, epoch, name] = runs[year][run];
      if (one.median[at] == null || t * 1000 < from) return [];
      return [{ t, epoch, run: name, revision: part.revisions[part.revision[at]], median: one.median[at], low: one.low[at], high: one.high[at], n: one.n[at], unit: one.unit }];
    });
  });
  return { subject, meta, points };
}

// Points of one host epoch that follow each other: nothing leads from one epoch to another, because
// their values are not compared.
function segments(points) {
  const found = [];
  for (const point of points) {
    if (found.at(-1)?.at(-1).epoch === point.epoch) found.at(-1).push(point);
    else found.push([point]);
  }
  return found;
}

// What a chart knows of its points: all times, and for each series its median there.
function aligned(all) {
  const values = all.map(({ points }) => new Map(points.map((point) => [point.t, point.median])));
  const times = [...new Set(values.flatMap((of) => [...of.keys()]))].sort((a, b) => a - b);
  return [times, ...values.map((of) => times.map((t) => of.get(t)))];
}

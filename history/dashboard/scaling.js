"use strict";
// What grows with a number: the rate with threads, memory with sessions.

// Subjects that a chart shows; all are in the table.
const MOST_LINES = 14;

// Scenarios that differ in one number only, by what they have in common.
function families(scenarios, option) {
  const pattern = new RegExp(`/${option}-(\\d+)$`);
  const found = new Map();
  for (const name of scenarios) {
    const match = pattern.exec(name);
    if (!match) continue;
    const family = name.slice(0, match.index);
    if (!found.has(family)) found.set(family, []);
    found.get(family).push([Number(match[1]), name]);
  }
  // One thread is not written in a scenario's id.
  if (option === "threads") for (const [family, members] of found) if (scenarios.includes(family)) members.push([1, family]);
  return found;
}

function scalingPage(title, option) {
  return async (main, overview, query) => {
    const all = families(names(overview.scenarios), option);
    const heading = h("h1", {}, title);
    if (all.size === 0) { fill(main, heading, h("p", {}, `No stored scenario has several values of ${option}.`)); return; }
    const family = query.family ?? [...all.keys()][0];
    if (!all.has(family)) { fill(main, heading, unknown(`scenario with ${option}`, family, [...all.keys()], (one) => link(option === "threads" ? "threads" : "memory", { family: one }))); return; }
    const members = all.get(family).sort((x, y) => x[0] - y[0]);
    const [files] = await Promise.all([Promise.all(members.map(([, name]) => load(`scenario/${idOf(overview.scenarios, name)}`))), loadCharts()]);
    const kinds = [...new Set(files.flat().map((row) => `${row.side} ${row.metric}`))];
    const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
    const cells = files.map((rows) => new Map(rows.filter((row) => `${row.side} ${row.metric}` === kind).map((row) => [row.subject, row])));
    const subjects = [...new Set(cells.flatMap((cell) => [...cell.keys()]))].sort(releaseOrder.compare);
    const any = cells.flatMap((cell) => [...cell.values()])[0];
    const drawn = subjects.slice(0, MOST_LINES);
    const box = chartBox(`${any.metric} over ${option}; the table below holds the numbers`);
    fill(main, heading, form(choose("Scenario", "family", [...all.keys()], family), choose("Side and metric", "kind", kinds, kind)), legend(drawn), box);
    const chart = drawScaling(box, option, any, members, cells, drawn);
    const lines = drawn.map((name) => {
      const there = members.map(([n], at) => [n, cells[at].get(name)]).filter(([, row]) => row);
      return { x: there.map(([n]) => n), y: there.map(([, row]) => row.median), tell: (at) => [h("strong", {}, name), `, ${number(there[at][0])} ${option}: `, h("strong", {}, valueInWords(overview, there[at][1])), "."] };
    });
    const unit = (n) => (n === 1 ? `1 ${option.replace(/s$/, "")}` : `${number(n)} ${option}`);
    main.append(chartKeys(box, chart, lines), h("p", { class: "note" }, `Points: newest median; bands: its interval. ${isBetter(any.better)}${subjects.length > MOST_LINES ? ` The first ${MOST_LINES} of ${subjects.length} subjects; all are in the table.` : ""}`),
      table(`${metricIn(any.metric, any.unit)}, median [interval]`, [
        { name: "Subject", key: (name) => name, show: (name) => name },
        ...members.map(([n], at) => ({ name: unit(n), class: "number", key: (name) => cells[at].get(name)?.median ?? 0, show: (name) => (cells[at].has(name) ? value(cells[at].get(name)) : "—") })),
      ], subjects));
  };
}

function drawScaling(box, option, any, members, cells, drawn) {
  const at = members.map(([n]) => n);
  const room = (at.at(-1) - at[0]) * 0.04 || 1;
  const curves = drawn.flatMap((name, place) => [
    { label: name, stroke: strokeOf(place), width: 2, dash: dashOf(place), points: { show: true, size: 6, fill: strokeOf(place) } }, edge("low"), edge("high")]);
  return plot(box, {
    scales: { x: { time: false, range: [at[0] - room, at.at(-1) + room] } },
    axes: [{ ...axis(option), splits: () => at, values: (_, ticks) => ticks.map(number) }, { ...axis(metricIn(any.metric, any.unit)), size: 80 }],
    series: [{}, ...curves],
    bands: drawn.map((_, place) => ({ series: [3 * place + 3, 3 * place + 2], fill: bandOf(place) })),
  }, [at, ...drawn.flatMap((name) => ["median", "low", "high"].map((key) => cells.map((cell) => cell.get(name)?.[key] ?? null)))]);
}

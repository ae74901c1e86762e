"use strict";
// What grows with a number: the rate with threads, memory with sessions.

// Scenarios that differ in one number only: sessions of a memory scenario, or threads.
function scalingPage(title, option, label) {
  return async (main, overview, query) => {
    const pattern = new RegExp(`/${option}-(\\d+)$`);
    const families = new Map();
    const scenarios = names(overview.scenarios);
    for (const name of scenarios) {
      const found = pattern.exec(name);
      if (!found) continue;
      const family = name.slice(0, found.index);
      if (!families.has(family)) families.set(family, []);
      families.get(family).push([Number(found[1]), name]);
    }
    main.append(h("h1", {}, title));
    // One thread is not written in a scenario's id.
    if (option === "threads") for (const [family, members] of families) if (scenarios.includes(family)) members.push([1, family]);
    if (families.size === 0) { main.append(h("p", {}, `No stored scenario has several values of ${label}.`)); return; }
    const family = families.has(query.family) ? query.family : [...families.keys()][0];
    const members = families.get(family).sort((x, y) => x[0] - y[0]);
    const files = await Promise.all(members.map(([, name]) => load(`scenario/${idOf(overview.scenarios, name)}`)));
    const kinds = [...new Set(files.flat().map((row) => `${row.side} ${row.metric}`))];
    const kind = kinds.includes(query.kind) ? query.kind : kinds[0];
    main.append(form(option === "threads" ? "threads" : "memory", choose("Scenario", "family", [...families.keys()], family), choose("Side and metric", "kind", kinds, kind)));
    const cells = files.map((rows) => new Map(rows.filter((row) => `${row.side} ${row.metric}` === kind).map((row) => [row.subject, row])));
    const subjects = [...new Set(cells.flatMap((cell) => [...cell.keys()]))].sort(releaseOrder.compare);
    const any = cells.flatMap((cell) => [...cell.values()])[0];
    const chart = h("div", { class: "chart", role: "img", "aria-label": `${any.metric} over ${label}; the table below holds the numbers` });
    main.append(chart);
    drawScaling(chart, label, any, members, cells, subjects);
    main.append(h("p", { class: "note" }, `Points: newest median; bands: its interval. ${isBetter(any.better)}${subjects.length > SHOWN ? ` The first ${SHOWN} of ${subjects.length} subjects; all are in the table.` : ""}`));
    main.append(table(`${any.metric} [${any.unit}], median [interval]`, [
      { name: "Subject", key: (name) => name, show: (name) => name },
      ...members.map(([n], at) => ({ name: n === 1 ? `1 ${label.replace(/s$/, "")}` : `${number(n)} ${label}`, class: "number", show: (name) => (cells[at].has(name) ? value(cells[at].get(name)) : "—") })),
    ], subjects));
  };
}

// Subjects that a chart can hold: seven colours, whole and dashed.
const SHOWN = 14;

function drawScaling(chart, label, any, members, cells, subjects) {
  const drawn = subjects.slice(0, SHOWN);
  const at = members.map(([n]) => n);
  const room = (at[at.length - 1] - at[0]) * 0.04 || 1;
  const curves = drawn.flatMap((name, place) => {
    const stroke = colours[place % colours.length];
    return [
      { label: name, stroke, width: 2, dash: place >= colours.length ? [6, 4] : undefined, points: { show: true, size: 6 } },
      edge("low", { class: "edge" }), edge("high", { class: "edge" })];
  });
  plot(chart, {
    scales: { x: { time: false, range: [at[0] - room, at[at.length - 1] + room] } },
    axes: [{ ...axis(label), splits: () => at, values: (_, ticks) => ticks.map(number) }, { ...axis(`${any.metric} [${any.unit}]`), size: 80 }],
    series: [{ label, value: (_, n) => (n == null ? "--" : number(n)) }, ...curves],
    bands: drawn.map((_, place) => ({ series: [3 * place + 3, 3 * place + 2], fill: `${colours[place % colours.length]}44` })),
  }, [at, ...drawn.flatMap((name) => ["median", "low", "high"].map((key) => cells.map((cell) => cell.get(name)?.[key] ?? null)))]);
}

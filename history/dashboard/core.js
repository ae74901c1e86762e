"use strict";
// The dashboard. No framework: each page is a function that fills <main>; the address after #
// holds everything that a page shows, so that a view can be shared.

const loaded = new Map(); // data file -> promise of its content
const waiting = new Map();

// Data files call this: a page opened from a disk may load scripts, but not fetch files.
window.shakedownData = (name, data) => waiting.get(name)?.(data);

function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onerror = () => reject(new Error(`data/${name}.js is missing; build the site again`));
      document.head.append(script);
    }));
  }
  return loaded.get(name);
}

// Elements from text only: names come from anybody, and none of them becomes markup.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const number = (value) => digits.format(value);
const percent = (factor) => (Number.isFinite(factor) ? `${factor >= 1 ? "+" : "−"}${Math.abs((factor - 1) * 100).toFixed(1)} %` : "–");
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const value = (row) => `${number(row.median)} [${number(row.low)}, ${number(row.high)}]`;
const isBetter = (better) => `${better === "higher" ? "Higher" : "Lower"} is better.`;
const goodFactor = (better, factor) => (better === "higher" ? factor > 1 : factor < 1);
const commit = (revision) => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision);
const link = (page, query) => `#/${page}?${new URLSearchParams(query)}`;

// The page and its state, as the address says them.
function address() {
  const [, page = "overview", search = ""] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? [];
  return { page, query: Object.fromEntries(new URLSearchParams(search)) };
}

// Puts state into the address without drawing the page again; null takes it out.
function remember(changes) {
  const { page, query } = address();
  const next = Object.entries({ ...query, ...changes }).filter(([, value]) => value != null && value !== "");
  history.replaceState(null, "", next.length ? link(page, Object.fromEntries(next)) : `#/${page}`);
  document.getElementById("main").dataset.drawn = location.hash;
}

// A table that sorts by its headers. `sort`, where given, is what the address says of the order,
// and the address is told of every change: `name`, or `-name` for descending.
function table(caption, columns, rows, sort) {
  const body = h("tbody");
  const named = sort?.replace(/^-/, "");
  const sorted = columns.findIndex((column) => column.key && column.name === named);
  let order = sorted < 0 ? null : { at: sorted, sign: sort.startsWith("-") ? -1 : 1 };
  const classes = (column) => [column.class, column.wide ? "wide" : null].filter(Boolean).join(" ") || null;
  const draw = () => {
    const sorted = order == null ? rows : [...rows].sort((a, b) => {
      const [x, y] = [columns[order.at].key(a), columns[order.at].key(b)];
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) * order.sign;
    });
    body.replaceChildren(...sorted.map((row) => h("tr", {}, columns.map((column) => {
      const shown = column.show(row);
      return h("td", { class: classes(column) }, shown);
    }))));
    heads.forEach((head, at) => {
      if (order?.at === at) head.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const heads = columns.map((column, at) => h("th", { scope: "col", class: classes(column) },
    column.key ? h("button", { type: "button", onclick: () => {
      order = { at, sign: order?.at === at ? -order.sign : 1 };
      if (sort !== undefined) remember({ sort: `${order.sign < 0 ? "-" : ""}${column.name}` });
      draw();
    } }, column.name) : column.name));
  draw();
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body));
}

function choose(label, name, options, chosen) {
  return h("label", {}, label, h("select", { name }, options.map((option) =>
    h("option", { value: option, selected: option === chosen }, option))));
}

// A form whose fields live in the address.
function form(page, ...fields) {
  const element = h("form", { onsubmit: (event) => event.preventDefault() }, fields);
  element.addEventListener("change", () => {
    const next = { ...address().query, ...Object.fromEntries(new FormData(element)) };
    location.hash = link(page, Object.fromEntries(Object.entries(next).filter(([, value]) => value !== "")));
  });
  return element;
}

// Blue, orange, green, purple, ...: told apart by colour-blind readers (Tol, "bright").
const colours = ["#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#777777"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The ends of a band: drawn by the band alone.
const edge = (label, more) => ({ label, stroke: "transparent", points: { show: false }, ...more });

function axis(label) {
  return { label, stroke: css("--ink"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
}

function plot(parent, options, data) {
  const width = () => Math.max(280, Math.min(1200, parent.clientWidth - 18));
  const chart = new uPlot({ width: width(), height: 360, ...options }, data, parent);
  const resize = () => { if (parent.isConnected) chart.setSize({ width: width(), height: 360 }); else removeEventListener("resize", resize); };
  addEventListener("resize", resize);
  return chart;
}

const names = (pairs) => pairs.map(([name]) => name);
const idOf = (pairs, name) => pairs.find(([known]) => known === name)?.[1];

const isInTree = (scenario) => scenario?.startsWith("intree/");

// What in-tree benchmarks are, wherever their numbers stand.
const inTreeNote = () => h("p", { class: "note" }, "In-tree benchmark: the numbers of intree/... are those of the benchmark program in each revision's own tree. It gives no wire facts, no counts, and no choice of group, and its numbers are not comparable with those of our drivers.");

const stackOf = (subject) => subject.split("@")[0];

// Releases by number: 1.1.1w before 3.0, 3.9 before 3.10.
const releaseOrder = new Intl.Collator("en", { numeric: true });

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

// A revision as people read it; a link where its repository is on the web. Only http and https
// become links: an address comes from a record, so from anybody.
function revisionOf(overview, subject, revision) {
  const base = webOf(overview.repositories[subject]);
  const text = commit(revision);
  if (!base || !fullId(revision)) return text;
  return h("a", { href: `${base}/commit/${revision}`, rel: "noreferrer" }, text);
}

const fullId = (revision) => /^[0-9a-f]{40,64}$/.test(revision);

function webOf(repository) {
  return /^https?:\/\/[^\s]+$/.test(repository ?? "") ? repository.replace(/\/+$/, "").replace(/\.git$/, "") : null;
}

// From one revision to another: a link to what changed between them, where that can be had.
function rangeOf(overview, subject, from, to) {
  const base = webOf(overview.repositories[subject]);
  if (!base || !fullId(from) || !fullId(to) || from === to) return `${commit(from)} … ${commit(to)}`;
  return h("a", { href: `${base}/compare/${from}...${to}`, rel: "noreferrer" }, `${commit(from)} … ${commit(to)}`);
}

function runOf(name) {
  return h("a", { href: link("run", { run: name }) }, name);
}

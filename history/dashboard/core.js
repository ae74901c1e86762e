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
const percent = (factor) => `${factor >= 1 ? "+" : "−"}${Math.abs((factor - 1) * 100).toFixed(1)} %`;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const value = (row) => `${number(row.median)} [${number(row.low)}, ${number(row.high)}]`;
const goodFactor = (better, factor) => (better === "higher" ? factor > 1 : factor < 1);
const commit = (revision) => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision);
const link = (page, query) => `#/${page}?${new URLSearchParams(query)}`;

function table(caption, columns, rows, sortable) {
  const body = h("tbody");
  let order = sortable ?? null;
  const draw = () => {
    const sorted = order == null ? rows : [...rows].sort((a, b) => {
      const [x, y] = [columns[order.at].key(a), columns[order.at].key(b)];
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) * order.sign;
    });
    body.replaceChildren(...sorted.map((row) => h("tr", {}, columns.map((column) => {
      const shown = column.show(row);
      return h("td", { class: column.class }, shown);
    }))));
    heads.forEach((head, at) => {
      if (order?.at === at) head.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const heads = columns.map((column, at) => h("th", { scope: "col", class: column.class === "number" ? "number" : null },
    column.key ? h("button", { type: "button", onclick: () => {
      order = { at, sign: order?.at === at ? -order.sign : 1 };
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
function form(page, query, ...fields) {
  const element = h("form", { onsubmit: (event) => event.preventDefault() }, fields);
  element.addEventListener("change", () => {
    const next = { ...query, ...Object.fromEntries(new FormData(element)) };
    location.hash = link(page, next);
  });
  return element;
}

// Blue, orange, green, purple, ...: told apart by colour-blind readers (Tol, "bright").
const colours = ["#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#777777"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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

// The two subjects that were measured in the most scenarios together, or whoever was measured
// most beside the one that was named.
function companions(overview, named) {
  const subjects = names(overview.subjects);
  const together = (x, y) => overview.trends.filter((row) => row[x] && row[y]).length;
  const most = (x) => subjects.map((_, y) => [y === x ? -1 : together(x, y), y]).sort((p, q) => q[0] - p[0] || p[1] - q[1])[0];
  const count = subjects.map((_, x) => overview.trends.filter((row) => row[x]).length);
  const first = named == null ? count.indexOf(Math.max(...count)) : Math.max(0, subjects.indexOf(named));
  return [subjects[first], subjects[most(first)[1]]];
}

// A revision as people read it; a link where its repository is on the web. Only http and https
// become links: an address comes from a record, so from anybody.
function revisionOf(overview, subject, revision) {
  const repository = overview.repositories[subject];
  const text = commit(revision);
  if (!/^[0-9a-f]{40,64}$/.test(revision) || !/^https?:\/\/[^\s]+$/.test(repository ?? "")) return text;
  const base = repository.replace(/\/+$/, "").replace(/\.git$/, "");
  return h("a", { href: `${base}/commit/${revision}`, rel: "noreferrer" }, text);
}

function runOf(name) {
  return h("a", { href: link("run", { run: name }) }, name);
}

"use strict";
// Numbers and names as people read them.

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const number = (value) => digits.format(value);
const signed = (share) => `${share >= 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(1)} %`;
const percent = (factor) => (Number.isFinite(factor) ? signed(factor - 1) : "–");
const times = (factor) => (Number.isFinite(factor) ? `${factor.toPrecision(3)}×` : "–");
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const minute = (ms) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
// A share without its sign, for words that say the direction.
const extent = (factor) => (Number.isFinite(factor) ? `${Math.abs((factor - 1) * 100).toFixed(1)} %` : "–");
// A metric with its unit; `handshakes/s` says both.
const metricIn = (metric, unit) => (unit.startsWith(`${metric}/`) ? unit : `${metric}, ${unit}`);
const isBetter = (better) => `${better === "higher" ? "Higher" : "Lower"} is better.`;
const commit = (revision) => (fullId(revision) ? revision.slice(0, 12) : revision);
const fullId = (revision) => /^[0-9a-f]{40,64}$/.test(revision);
const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

// How many times as good `head` is: above 1 is better, whatever the metric.
const timesAsGood = (better, head, base) => (better === "higher" ? head / base : base / head);

// How often an interval of so many trials covers the true median; one trial has no interval.
function coverage(overview, n) {
  if (!(n > 1)) return null;
  const known = overview.coverages;
  return known[Math.min(n, known.length - 1)];
}

// The first digits of an epoch tell it from all others of a history; the whole is in the title.
const epochText = (epoch) => h("span", { title: `host epoch ${epoch}: one host in one fixed state` }, epoch.slice(0, 8));
const epochOf = (epoch, text = "") => h("a", { href: link("hosts", { epoch }) }, text, epochText(epoch));

const percentOf = (share, places = 1) => `${(share * 100).toFixed(places).replace(/\.0+$/, "")} %`;

// `[4,070 to 4,090]`; one trial has none.
const ends = (row) => (row.n > 1 ? `[${number(row.low)} to ${number(row.high)}]` : "no interval");
const value = (row) => `${number(row.median)} ${ends(row)}`;

// The same in words, with unit, coverage and number of trials.
function valueInWords(overview, row) {
  const covers = coverage(overview, row.n);
  const interval = covers == null ? "one trial, no interval" : `interval ${number(row.low)} to ${number(row.high)} (covers ${percentOf(covers)}), n = ${row.n}`;
  return `${number(row.median)} ${row.unit}, ${interval}`;
}

const FAMILIES = {
  "handshake-full": "full handshakes",
  "handshake-ticket": "resumed handshakes, with a ticket",
  "handshake-session-id": "resumed handshakes, with a session id",
  bulk: "data over one connection",
  memory: "memory of open sessions",
};

const isInTree = (scenario) => scenario?.startsWith("intree/");

// What in-tree benchmarks are, wherever their numbers stand.
const inTreeNote = () => h("p", { class: "note" }, "In-tree benchmark: the numbers of intree/... are those of the benchmark program in each revision's own tree. It gives no wire facts, no counts, and no choice of group, and its numbers are not comparable with those of our drivers.");

// The parts of a scenario's id that pages filter by; an imported one may have none of them.
function facets(scenario) {
  const parts = (isInTree(scenario) ? scenario.slice("intree/".length) : scenario).split("/");
  const [family, version, suite, group, key, ...options] = parts;
  const ours = /^tls\d/.test(version ?? "");
  return ours ? { family, version, suite, group, key, options } : { family, options: parts.slice(1) };
}

"use strict";
// The CPUs that TLS needs for the traffic that a reader types in.

// What the reader types: `usual` is the amount at first, and `per` how much one of it is in the unit of its row.
const MIBIBYTES_PER_GIGABIT = 1e9 / 8 / 2 ** 20;
const TRAFFIC = [
  { name: "full", label: "Full handshakes/s", usual: 10_000, per: 1, what: "full handshakes" },
  { name: "resumed", label: "Resumed handshakes/s", usual: 40_000, per: 1, what: "resumptions" },
  { name: "sent", label: "Sent, Gbit/s", usual: 40, per: MIBIBYTES_PER_GIGABIT, what: "sending" },
  { name: "received", label: "Received, Gbit/s", usual: 4, per: MIBIBYTES_PER_GIGABIT, what: "receiving" },
];
// No site has more; it keeps a typing error from ending in a number that nobody can read.
const MOST_TRAFFIC = 1e9;

// The traffic that the address names, and a message for each amount that is not a number. A kind of traffic that
// was never measured starts at 0.
function trafficOf(query, found) {
  const wrong = [];
  const traffic = TRAFFIC.map((one) => {
    const usual = found[one.name] ? one.usual : 0;
    const amount = Number(query[one.name] || (query[one.name] === "" ? 0 : usual));
    const fits = amount >= 0 && amount <= MOST_TRAFFIC;
    if (!fits) wrong.push(`${one.label}: “${query[one.name]}” is not a number from 0 to ${MOST_TRAFFIC.toLocaleString("en")}; this page uses ${number(usual)}.`);
    return { ...one, amount: fits ? amount : usual };
  });
  return { traffic, wrong };
}

// The rows that say what each part of the traffic takes on a side, for TLS parameters such as
// `tls1.3/aes256-gcm/x25519/ecdsa-p256`; undefined where nothing was measured.
function rowsOfTraffic(rows, parameters, side) {
  const [version, suite] = parameters.split("/");
  const handshake = (family) => rows.find((row) => row.scenario === `${family}/${parameters}` && row.side === side && row.metric === "handshakes");
  // Group and key do not matter once a connection is established.
  const bulk = (direction) => rows.filter((row) => row.family === "bulk" && row.side === direction && row.metric === "throughput" && row.version === version && row.suite === suite && row.options.join() === "write-16KiB")
    .sort((x, y) => y.scenario.endsWith(`${parameters}/write-16KiB`) - x.scenario.endsWith(`${parameters}/write-16KiB`))[0];
  return { full: handshake("handshake-full"), resumed: handshake("handshake-ticket") ?? handshake("handshake-session-id"), sent: bulk("send"), received: bulk("receive") };
}

// CPUs of one subject: each part of the traffic over its rate. The ends are the widest that the
// intervals of all parts allow. `missing`: parts that were asked for and not measured.
function cpusOf(subject, traffic, found) {
  const wanted = traffic.filter((one) => one.amount > 0);
  const missing = wanted.filter((one) => !(found[one.name]?.cells[subject]?.median > 0));
  const parts = wanted.filter((one) => !missing.includes(one)).map((one) => {
    const cell = found[one.name].cells[subject];
    const demand = one.amount * one.per;
    return { ...one, cell, row: found[one.name], median: demand / cell.median, low: demand / cell.high, high: demand / cell.low };
  });
  const sum = (end) => parts.reduce((total, part) => total + part[end], 0);
  return { subject, missing, parts, median: sum("median"), low: sum("low"), high: sum("high"), n: Math.min(...parts.map((part) => part.cell.n)) };
}

async function costPage(main, overview, query) {
  const title = h("h1", {}, "CPUs for your traffic");
  const { fronts } = overview;
  if (fronts.length === 0) { fill(main, title, h("p", {}, "No runs yet")); return; }
  const front = frontOf(fronts, query);
  if (!front) { fill(main, title, unknownFront(fronts, query, "cost")); return; }
  const data = await load(`front/${front.file}`);
  const rows = frontRows(data.table);
  const all = parametersOf(rows);
  if (all.length === 0) { fill(main, title, h("p", {}, "No full handshakes were measured on this host.")); return; }
  const parameters = query.tls ?? all[0];
  if (!all.includes(parameters)) { fill(main, title, unknown("full handshake", parameters, all, (tls) => link("cost", { tls }))); return; }
  const side = query.side === "client" ? "client" : "server";
  const found = rowsOfTraffic(rows, parameters, side);
  const { traffic, wrong } = trafficOf(query, found);
  const costs = data.columns.map((column) => ({ ...cpusOf(column.subject, traffic, found), moving: column.moving }));
  fill(main, title, provenance(overview, front, rows), costFields(fronts, front, all, parameters, side, traffic), wrong.map((text) => alertOf(text)), costResult(overview, costs, found));
}

// TLS parameters with a full handshake; those first of which most was measured, and then the newest.
function parametersOf(rows) {
  const full = rows.filter((row) => row.family === "handshake-full" && row.version && row.options.length === 0 && row.metric === "handshakes" && row.side === "server");
  const parameters = full.map((row) => row.scenario.slice("handshake-full/".length));
  const measured = (one) => rows.filter((row) => `${row.scenario}/`.includes(`/${one}/`)).reduce((sum, row) => sum + Object.keys(row.cells).length, 0);
  return parameters.sort((x, y) => measured(y) - measured(x) || releaseOrder.compare(y, x));
}

function costFields(fronts, front, all, parameters, side, traffic) {
  return form(
    epochField(fronts, front), choose("TLS", "tls", all, parameters), choose("Side", "side", ["server", "client"], side),
    traffic.map((one) => h("label", {}, one.label, h("input", { type: "number", name: one.name, value: String(one.amount), min: "0", max: String(MOST_TRAFFIC), step: "any", inputmode: "decimal", size: "8" }))));
}

function costResult(overview, costs, found) {
  const whole = costs.filter((cost) => cost.missing.length === 0 && cost.parts.length > 0).sort((x, y) => x.median - y.median);
  const lacking = costs.filter((cost) => cost.missing.length > 0);
  if (whole.length === 0) return h("p", {}, lacking.length ? `No subject was measured for all of this traffic (${lacking[0].subject}: ${lackOf(lacking[0])}). Set what is missing to 0, or choose other TLS parameters.` : "All amounts are 0: type in how much traffic you have.");
  // One trial has no interval that could support a mark.
  const marked = marks(whole.map((cost) => (cost.n > 1 ? cost : null)), "lower", whole.map((cost) => cost.moving));
  whole.forEach((cost, at) => { cost.mark = marked[at]?.mark ?? null; });
  const used = Object.values(found).filter((row) => row && whole[0].parts.some((part) => part.row === row));
  return [leaderOf(whole), costTable(whole), h("ul", { class: "legend" }, whole[0].parts.map((part) => h("li", {}, h("span", { class: `swatch part-${part.name}`, "aria-hidden": "true" }), part.what))),
    lacking.length ? h("p", { class: "note" }, `Left out: ${lacking.map((cost) => `${cost.subject} (${lackOf(cost)})`).join("; ")}.`) : null,
    h("p", { class: "note" }, `CPUs: each part of the traffic over the rate of one CPU of this host that does nothing but TLS, in memory. Network, kernel, application, waiting for locks and spare capacity come on top, so compare the stacks, and measure your own service before you buy. In brackets the widest that the intervals of the parts allow${coverageOf(overview, whole.flatMap((cost) => cost.parts.map((part) => ({ base: part.cell, head: part.cell }))))}. From: `,
      used.map((row, at) => [at ? ", " : "", breakable(`${row.scenario} ${row.side}`)]), ".")];
}

const lackOf = (cost) => `${cost.missing.map((one) => one.what).join(", ")} not measured`;
const cpus = (value) => (value < 99.95 ? value.toPrecision(3) : Math.round(value).toLocaleString("en"));
const cpuEnds = (cost) => (cost.n > 1 ? `[${cpus(cost.low)} to ${cpus(cost.high)}]` : "no interval");

// The answer in a sentence.
function leaderOf(whole) {
  const [first] = whole;
  const tied = whole.filter((cost) => cost !== first && cost.mark?.startsWith("tied")).map((cost) => cost.subject);
  const most = whole.at(-1);
  return h("p", { class: "lately" }, h("strong", {}, `${first.subject} needs the fewest: ${cpus(first.median)} CPUs ${cpuEnds(first)}`),
    tied.length ? `, tied with ${tied.join(", ")}` : "", most === first ? "." : `. ${most.subject} needs the most: ${cpus(most.median)} ${cpuEnds(most)}, ${(most.median / first.median).toPrecision(3)} times as many.`);
}

function costTable(whole) {
  const most = whole.at(-1).median;
  return table("CPUs for this traffic, fewest first", [
    { name: "Subject", class: "id", key: (cost) => cost.subject, show: (cost) => h("span", {}, cost.subject, cost.mark ? h("span", { class: "mark" }, cost.mark) : null) },
    { name: "CPUs", class: "number", key: (cost) => cost.median, show: (cost) => h("span", {}, h("strong", {}, cpus(cost.median)), below(cpuEnds(cost))) },
    { name: "Parts", wide: true, show: (cost) => partsBar(cost, most) },
    ...TRAFFIC.filter((one) => whole[0].parts.some((part) => part.name === one.name)).map((one) => ({
      name: one.what[0].toUpperCase() + one.what.slice(1), class: "number", wide: true, key: (cost) => partOf(cost, one).median,
      show: (cost) => h("a", { href: link("trend", { scenario: partOf(cost, one).row.scenario, subject: cost.subject, side: partOf(cost, one).row.side, metric: partOf(cost, one).row.metric }) }, cpus(partOf(cost, one).median)),
    })),
  ], whole);
}

const partOf = (cost, one) => cost.parts.find((part) => part.name === one.name);

// A bar of all parts, as long as its share of the longest.
const partsBar = (cost, most) => h("span", { class: "parts", "aria-hidden": "true" },
  cost.parts.map((part) => h("span", { class: `part part-${part.name}`, style: `width:${(100 * part.median / most).toFixed(2)}%`, title: `${part.what}: ${cpus(part.median)} CPUs` })));

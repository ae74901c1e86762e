"use strict";
// Published claims about the speed of TLS, measured again: published against measured, and the verdict.

const VERDICTS = {
  confirmed: ["confirmed", "better", "the whole interval agrees with the claim"],
  refuted: ["refuted", "worse", "no part of the interval agrees with the claim"],
  undecided: ["undecided", "soft", "the interval is too wide, or there were too few blocks"],
  "not-measurable": ["not measurable", "soft", "this host or the catalog lacks something that it needs"],
};
const claimVerdict = (verdict) => { const [text, kind, why] = VERDICTS[verdict] ?? [verdict, "soft", ""]; return h("strong", { class: kind, title: why }, text); };

async function claimsPage(main, overview, query) {
  const title = h("h1", {}, "Published claims");
  const studies = await load("claims");
  if (studies.length === 0) {
    fill(main, title, h("p", {}, "The history holds no study. ", h("code", {}, "shakedown study NAME --full"), " measures one, and ", h("code", {}, "shakedown history add"), " adds the folder that it writes."));
    return;
  }
  if (query.study && !studies.some((one) => one.study === query.study)) {
    fill(main, title, unknown("study", query.study, studies.map((one) => one.study), (study) => link("claims", { study }))); return;
  }
  const shown = studies.filter((one) => !query.study || one.study === query.study);
  const verdicts = [...new Set(shown.flatMap((one) => one.claims.map((claim) => claim.verdict)))];
  const fields = form(
    choose("Study", "study", [["", "all"], ...studies.map((one) => one.study)], query.study ?? ""),
    choose("Verdict", "verdict", [["", "any"], ...verdicts.map((one) => [one, VERDICTS[one]?.[0] ?? one])], query.verdict ?? ""));
  fill(main, title, h("p", {}, `What was published about the speed of TLS libraries, measured again: ${tallyOf(shown.flatMap((one) => one.claims))}. A verdict follows from the interval, not from the median: `,
    Object.values(VERDICTS).slice(0, 3).map(([text, , why], at) => `${at ? "; " : ""}${text} where ${why}`), "."), fields, shown.map((one) => studySection(overview, one, query.verdict)));
}

// `2 confirmed, 1 refuted`.
function tallyOf(claims) {
  const counts = Object.entries(VERDICTS).map(([verdict, [text]]) => [claims.filter((claim) => claim.verdict === verdict).length, text]);
  return counts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`).join(", ") || "no claim";
}

function studySection(overview, one, verdict) {
  const claims = one.claims.filter((claim) => !verdict || claim.verdict === verdict);
  if (claims.length === 0) return null;
  const { host, source } = one;
  const address = webOf(source.url);
  const replaced = one.subjects.filter((subject) => subject.stands_for || subject.missing).map((subject) => (subject.missing ? `${subject.subject} is missing: ${subject.missing}` : `${subject.subject} stands for ${subject.stands_for}`));
  return h("section", {}, h("h2", {}, one.question),
    h("p", {}, "Published: ", address ? h("a", { href: address, rel: "noreferrer" }, source.title) : source.title, ` (${source.date}, on ${source.machine}). Measured ${day(one.started_ms)} on ${host.name} (${host.cpu}, ${plural(host.cpus, "CPU")}${host.virtualization === "none" ? "" : `, ${host.virtualization}`}), `,
      epochOf(host.epoch, "epoch "), host.fit ? "" : h("strong", { class: "worse" }, "; the host was not tuned for benchmarks"), one.mode === "full" ? "." : "; in the tiny form, which decides exact counts only."),
    one.differences ? h("p", { class: "note" }, `Measured differently here: ${one.differences}`) : null,
    replaced.length ? h("p", { class: "note" }, `${[...new Set(replaced)].join("; ")}.`) : null,
    claimsTable(`${one.study}: ${tallyOf(claims)}`, claims));
}

// A line for each claim, and below it one for each of its numbers.
function claimsTable(caption, claims) {
  const heads = [["Published claim", "id"], ["Published", "number"], ["Measured", "number"], ["Agrees if", "number wide"], ["Verdict", "wide"]];
  const body = claims.flatMap((claim) => [
    h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: "4" }, `${claim.id} ${claim.text}`, claim.ours ? below(`Ours, not published: ${claim.ours}`) : null, claim.why ? below(claim.why) : null, h("span", { class: "narrow" }, claimVerdict(claim.verdict))), h("td", { class: "wide" }, claimVerdict(claim.verdict))),
    ...(claim.why ? [] : claim.rows.map(claimRow)),
  ]);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), h("tbody", {}, body)));
}

const rowNumber = (value) => (value == null ? "–" : number(value));
function claimRow(row) {
  const interval = row.measured == null ? null : row.exact ? "exact" : row.low == null ? "no interval" : [`[${number(row.low)} to ${number(row.high)}]`, h("span", { class: "wide" }, `, n = ${row.n}`)];
  return h("tr", {}, h("td", { class: "id" }, row.what, row.gap ? below(gapText(row.gap)) : null, h("span", { class: "narrow" }, claimVerdict(row.verdict))), h("td", { class: "number" }, rowNumber(row.published)),
    h("td", { class: "number" }, rowNumber(row.measured), row.measured != null && row.unit ? h("span", { class: "soft" }, ` ${row.unit}`) : null, interval ? below(interval) : null), h("td", { class: "number wide" }, rangeText(row.accepted)), h("td", { class: "wide" }, claimVerdict(row.verdict)));
}

const gapText = (gap) => gap.here ?? gap.run ?? `${gap.value?.subject ?? "a subject"} gave no value`;
function rangeText({ low, high }) {
  if (low != null && high != null) return `${number(low)} to ${number(high)}`;
  return low != null ? `above ${number(low)}` : high != null ? `below ${number(high)}` : "always";
}

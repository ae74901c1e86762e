"use strict";
// What one side of a comparison names: a subject such as a release or a branch, a stored run, or a
// commit, whole or by its first characters.

// Gives { label, note, rows }, or { missing } with what to say.
async function operand(overview, text) {
  const id = idOf(overview.subjects, text);
  if (id) return { label: text, note: "newest values", rows: await load(`subject/${id}`) };
  if (/^\d{8}T\d{6}Z/.test(text)) return runOperand(overview, text);
  if (/^[0-9a-f]{7,64}$/.test(text)) {
    const found = await commitOperand(overview, text);
    if (found) return found;
  }
  return { missing: unknown("subject, run or commit", text, names(overview.subjects)) };
}

async function runOperand(overview, text) {
  const run = await findRun(overview, text);
  if (!run) return { missing: unknown("run", text, overview.runs.map((one) => one.name), (name) => link("run", { run: name })) };
  return { label: `run of ${minute(run.started * 1000)} UTC`, run, note: [runOf(run.name), `, ${run.suite} on ${run.host}`], rows: await rowsOf(run) };
}

async function rowsOf(run) {
  return flat(await load(`run/${run.name}`)).map((row) => ({ ...row, epoch: run.epoch, t: run.started, run: run.name }));
}

// The newest run of a commit. A release's revision is its name, so that only git has commits.
async function commitOperand(overview, text) {
  for (const year of [...overview.years].reverse()) {
    const builds = await load(`builds/${year}`);
    const fits = new Set(builds.revisions.filter((revision) => fullId(revision) && revision.startsWith(text)));
    if (fits.size > 1) return { missing: alertOf(`${fits.size} commits begin with ${text}: give more of it.`) };
    const run = fits.size ? allRuns(builds).find((one) => one.measured.some(({ revision }) => fits.has(revision))) : null;
    if (!run) continue;
    const [revision] = fits;
    const subjects = run.measured.filter((one) => one.revision === revision).map((one) => one.subject);
    const rows = (await rowsOf(run)).filter((row) => subjects.includes(row.subject));
    return { label: commit(revision), note: [revisionOf(overview, subjects[0], revision), ` of ${subjects.join(", ")}, `, runOf(run.name, `run of ${minute(run.started * 1000)} UTC`)], rows };
  }
  return null;
}

const subjectsOf = (side) => [...new Set(side.rows.map((row) => row.subject))];

// Whether both sides have several subjects, such as two runs: they meet subject by subject.
const bySubject = (base, head) => subjectsOf(base).length > 1 && subjectsOf(head).length > 1;

// Rows of both sides that belong together. A side with several subjects gives the one that the
// other side has, or one of its stack.
function paired(base, head) {
  const [of, and] = [subjectsOf(base), subjectsOf(head)];
  const both = bySubject(base, head);
  const only = (side, other) => {
    const [named] = other;
    const fits = side.find((name) => name === named) ?? side.find((name) => stackOf(name) === stackOf(named));
    return side.length > 1 ? fits : side[0];
  };
  const [one, two] = both ? [null, null] : [only(of, and), only(and, of)];
  const key = (row) => JSON.stringify([row.scenario, row.side, row.metric, row.unit, both ? row.subject : ""]);
  const heads = new Map(head.rows.filter((row) => both || row.subject === two).map((row) => [key(row), row]));
  return base.rows.filter((row) => both || row.subject === one).flatMap((row) => {
    const other = heads.get(key(row));
    return other ? [{ scenario: row.scenario, side: row.side, metric: row.metric, unit: row.unit, better: row.better, subject: other.subject, base: row, head: other }] : [];
  });
}

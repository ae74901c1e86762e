// The dashboard in a real browser: every page, light and dark, wide, at 1,000 and at 390 pixels, and
// then what each of them promises.
//
//   scripts/lib/dashboard.sh [PICTURES]
//
// builds SITE from the history of `cargo run -p shakedown-store --example nights`, installs what package.json
// pins, and calls this with NODE_PATH set: node pages.mjs SITE [PICTURES]
import { dark, hasChart, hasRows, narrow, open, phone } from "./harness.mjs";
import { changes } from "./changes.mjs";
import { claims } from "./claims.mjs";
import { charts } from "./charts.mjs";
import { comparison } from "./comparison.mjs";
import { cost } from "./cost.mjs";
import { front } from "./front.mjs";
import { names } from "./names.mjs";
import { picture } from "./picture.mjs";

const [site, pictures] = process.argv.slice(2);
const { check, close } = await open(site, pictures);

const both = async (page) => { await hasChart(page); await hasRows(page); };
for (const [suffix, options] of [["", {}], ["-dark", dark], ["-1000", narrow], ["-1000-dark", { ...narrow, ...dark }], ["-390", phone], ["-390-dark", { ...phone, ...dark }]]) {
  await check(`front${suffix}`, options, "#/front", hasRows);
  await check(`cost${suffix}`, options, "#/cost", hasRows);
  await check(`claims${suffix}`, options, "#/claims", hasRows);
  await check(`changes${suffix}`, options, "#/changes", hasRows);
  await check(`compare${suffix}`, options, "#/compare", hasRows);
  await check(`trend${suffix}`, options, "#/trend?years=3", hasChart);
  await check(`releases${suffix}`, options, "#/releases?stack=openssl", both);
  await check(`threads${suffix}`, options, "#/threads", both);
  await check(`memory${suffix}`, options, "#/memory", both);
  await check(`hosts${suffix}`, options, "#/hosts", both);
  await check(`runs${suffix}`, options, "#/runs", hasRows);
  await check(`run${suffix}`, options, "#/run", hasRows);
}
for (const group of [front, cost, claims, changes, comparison, charts, names, picture]) await group(check);
process.exit((await close()) ? 1 : 0);

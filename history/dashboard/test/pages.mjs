// The dashboard in a real browser: every page renders, filters work, the address carries the
// state, no console error, no finding of axe.
//
//   npm install --prefix /tmp/dash playwright-core axe-core
//   NODE_PATH=/tmp/dash/node_modules node history/dashboard/test/pages.mjs SITE [PICTURES]
//
// SITE is a folder that `shakedown site` built, from a history with at least two subjects.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

const [site, pictures] = process.argv.slice(2);
const base = `file://${path.resolve(site)}/index.html`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--allow-file-access-from-files=false"],
});
if (pictures) mkdirSync(pictures, { recursive: true });

let failures = 0;
async function check(name, options, hash, more = async () => {}) {
  const context = await browser.newContext({ bypassCSP: true, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    const start = Date.now();
    await page.goto(base + hash);
    await page.waitForFunction((wanted) => document.getElementById("main").dataset.drawn === wanted, hash);
    const took = Date.now() - start;
    assert.equal(await page.locator("[role=alert]").count(), 0, "the page says that something is missing");
    await more(page);
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: false });
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate(() => window.axe.run());
    const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(" | ")}`);
    assert.deepEqual(found, []);
    assert.deepEqual(errors, []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels wider than the window`);
    console.log(`ok ${name} (${took} ms)`);
  } catch (error) {
    failures += 1;
    console.error(`FAILED ${name}: ${error.message}`);
  }
  await context.close();
}

const hasRows = async (page) => assert.ok((await page.locator("tbody tr").count()) > 0, "a table without rows");
const hasChart = async (page) => assert.ok((await page.locator(".u-over").count()) === 1, "no chart");
const phone = { viewport: { width: 390, height: 844 } };
const dark = { colorScheme: "dark" };

for (const [suffix, options] of [["", {}], ["-dark", dark], ["-phone", phone]]) {
  await check(`overview${suffix}`, options, "#/overview", hasRows);
  await check(`compare${suffix}`, options, "#/compare", hasRows);
  await check(`trend${suffix}`, options, "#/trend?years=3", hasChart);
  await check(`releases${suffix}`, options, "#/releases?stack=openssl", async (page) => { await hasChart(page); await hasRows(page); });
  await check(`threads${suffix}`, options, "#/threads");
  await check(`memory${suffix}`, options, "#/memory");
  await check(`hosts${suffix}`, options, "#/hosts", hasRows);
}
await check("filter", {}, "#/compare", async (page) => {
  const all = await page.locator("tbody tr").count();
  await page.locator("input[type=search]").fill("tls1.3 server");
  await page.locator("input[type=search]").press("Enter");
  await page.waitForFunction((before) => document.querySelectorAll("tbody tr").length < before, all);
  const texts = await page.locator("tbody tr").allTextContents();
  assert.ok(texts.length > 0 && texts.every((text) => text.includes("tls1.3") && text.includes("server")));
  assert.match(page.url(), /find=tls1.3\+server/, "the address carries the filter");
});
await check("sort", {}, "#/compare", async (page) => {
  const factors = async () => (await page.locator("tbody tr td:nth-child(7)").allTextContents()).map(parseFloat);
  await page.getByRole("button", { name: "Factor" }).focus();
  await page.keyboard.press("Enter");
  const up = await factors();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await page.keyboard.press("Enter");
  assert.deepEqual(await factors(), [...up].reverse().sort((a, b) => b - a));
  assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
});
await check("hover", {}, "#/trend", async (page) => {
  await page.locator(".u-over").hover();
  await page.waitForFunction(() => /revision .* run /.test(document.getElementById("main").textContent));
});
await browser.close();
process.exit(failures ? 1 : 0);

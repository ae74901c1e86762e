// The dashboard in a real browser: every page renders, filters work, the address carries the
// state, no console error, no finding of axe.
//
//   scripts/lib/dashboard.sh [PICTURES]
//
// builds SITE from the history of `cargo run -p shakedown-store --example nights`, installs what package.json
// pins, and calls this with NODE_PATH set: node pages.mjs SITE [PICTURES]
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
  // A browser without a sandbox is for root and for pages of our own; the other flags keep it from
  // calling home.
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
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
    const { violations } = await page.evaluate(() => window.axe.run({ preload: false }));
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

const hasRows = async (page) => assert.ok((await page.locator(".scroll tbody tr").count()) > 0, "a table without rows");
const hasChart = async (page) => assert.ok((await page.locator(".u-over").count()) === 1, "no chart");
const phone = { viewport: { width: 390, height: 844 } };
const dark = { colorScheme: "dark" };

for (const [suffix, options] of [["", {}], ["-dark", dark], ["-phone", phone]]) {
  await check(`overview${suffix}`, options, "#/overview", hasRows);
  await check(`compare${suffix}`, options, "#/compare", hasRows);
  await check(`trend${suffix}`, options, "#/trend?years=3", hasChart);
  await check(`releases${suffix}`, options, "#/releases?stack=openssl", async (page) => { await hasChart(page); await hasRows(page); });
  await check(`threads${suffix}`, options, "#/threads", async (page) => { await hasChart(page); await hasRows(page); });
  await check(`memory${suffix}`, options, "#/memory", async (page) => { await hasChart(page); await hasRows(page); });
  await check(`hosts${suffix}`, options, "#/hosts", async (page) => { await hasChart(page); await hasRows(page); });
  await check(`run${suffix}`, options, "#/run", hasRows);
}
await check("filter", {}, "#/compare", async (page) => {
  const all = await page.locator(".scroll tbody tr").count();
  await page.locator("input[type=search]").fill("tls1.3 server");
  await page.locator("input[type=search]").press("Enter");
  await page.waitForFunction((before) => document.querySelectorAll("tbody tr").length < before, all);
  const texts = await page.locator(".scroll tbody tr").allTextContents();
  assert.ok(texts.length > 0 && texts.every((text) => text.includes("tls1.3") && text.includes("server")));
  assert.match(page.url(), /find=tls1.3\+server/, "the address carries the filter");
});
await check("sort", {}, "#/compare", async (page) => {
  const factors = async () => (await page.locator("tbody tr td:nth-child(4)").allTextContents()).map(parseFloat).filter(Number.isFinite);
  await page.getByRole("button", { name: "Factor" }).focus();
  await page.keyboard.press("Enter");
  const up = await factors();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await page.keyboard.press("Enter");
  assert.deepEqual(await factors(), [...up].reverse().sort((a, b) => b - a));
  assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
  assert.match(page.url(), /sort=-Factor/, "the address carries the order");
  await page.reload();
  await page.waitForFunction(() => document.getElementById("main").dataset.drawn === location.hash);
  assert.deepEqual(await factors(), [...up].sort((a, b) => b - a), "and whoever opens it sees the same");
});
await check("zoom", {}, "#/trend", async (page) => {
  const box = await page.locator(".u-over").boundingBox();
  const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.6));
  await page.mouse.down();
  await page.mouse.move(...at(0.8), { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /from=\d{4}-\d\d-\d\d&to=/.test(location.hash));
  const [from, to] = [await page.locator("input[name=from]").inputValue(), await page.locator("input[name=to]").inputValue()];
  assert.ok(from < to && page.url().includes(from) && page.url().includes(to), `${from} ${to} ${page.url()}`);
  // What is shared is drawn as it was, and the keyboard reaches the same.
  await page.reload();
  await page.waitForFunction(() => document.getElementById("main").dataset.drawn === location.hash);
  assert.equal(await page.locator("input[name=from]").inputValue(), from);
  await page.locator("input[name=from]").fill("2027-01-05");
  await page.locator("input[name=from]").press("Tab");
  await page.waitForFunction(() => location.hash.includes("from=2027-01-05") && document.getElementById("main").dataset.drawn === location.hash);
  assert.match(page.url(), /side=server&metric=handshakes/, "the series stays");
  await page.locator(".u-over").dblclick();
  await page.waitForFunction(() => !location.hash.includes("from="));
});
await check("hover", {}, "#/trend", async (page) => {
  await page.locator(".u-over").hover();
  await page.waitForFunction(() => /revision .* run /.test(document.getElementById("main").textContent));
});
await check("pin", {}, "#/trend?subject=rustls%40git%3AHEAD", async (page) => {
  await page.locator(".u-over").click();
  await page.getByText("kept; click again").waitFor();
  await page.mouse.move(5, 5);
  const hrefs = await page.locator("p.note a").evaluateAll((links) => links.map((a) => a.getAttribute("href")));
  assert.match(hrefs[0], /^https:\/\/github\.com\/rustls\/rustls\/commit\/[0-9a-f]{40}$/, "the commit is linked");
  assert.match(hrefs[1], /^#\/run\?run=/, "the run is linked");
});
await check("record", {}, "#/overview", async (page) => {
  await page.locator('a[href^="#/run?"]').first().click();
  await page.waitForFunction(() => location.hash.startsWith("#/run") && document.getElementById("main").dataset.drawn === location.hash);
  const record = await page.locator('dd a[href^="https://example.org/"]').getAttribute("href");
  assert.match(record, /^https:\/\/example\.org\/raw\/history\/runs\/\d{4}\/\d{2}\/.*\.zst$/);
  await page.goBack();
  await page.waitForFunction(() => document.getElementById("main").dataset.drawn === "#/overview");
});
await check("changes", {}, "#/overview", async (page) => {
  const worst = await page.locator(".scroll tbody tr").first().textContent();
  assert.match(worst, /worse.*rustls@git:HEAD.*suspect/s);
  const causes = await page.locator(".causes li").allTextContents();
  assert.match(causes[0], /^rustls handshake-full: −5\.\d % worse at most, in 6 series, since 2027-01-17/);
  assert.ok((await page.locator('.causes a[href*="/compare/"]').count()) >= 1, "what changed between the two is linked");
  assert.ok((await page.locator('td a[href^="https://github.com/rustls/rustls/commit/"]').count()) >= 2);
});
await check("hostile", {}, "#/run", async (page) => {
  const text = await page.locator("main").textContent();
  assert.ok(text.includes("bench-1 <b>&amp;"), "a name with markup is shown as it is");
  assert.ok(text.includes("boringssl@git:main"));
  assert.equal(await page.locator('a[href^="javascript:"], main b').count(), 0, "an address that is no web address is no link");
});
await check("memory-of-two", {}, "#/memory", async (page) => {
  const cells = await page.locator(".scroll tbody tr").first().locator("td").allTextContents();
  assert.equal(cells.length, 4, "a column a number of sessions");
  assert.ok(cells.slice(1).every((cell) => /^[\d,.]+ \[/.test(cell)), cells.join(" | "));
});
await browser.close();
process.exit(failures ? 1 : 0);

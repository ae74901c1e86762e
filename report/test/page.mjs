// report.html in a real browser: it fits a window of 1,000 pixels and a phone, in light and dark, with
// everything unfolded; the keyboard reaches what can be opened; nothing that a record says is markup.
//
//   scripts/lib/report-page.sh [PICTURES]
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";
import { audit, launch } from "../../history/dashboard/test/audit.mjs";

const [pages, pictures] = process.argv.slice(2);
if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await launch();
let failures = 0;

async function check(name, file, options, more = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
  const page = await context.newPage();
  try {
    await page.goto(`file://${path.resolve(pages, file)}`);
    await more(page);
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await audit(page);
    console.log(`ok ${name}`);
  } catch (error) {
    failures += 1;
    console.error(`FAILED ${name}: ${error.message}`);
  }
  await context.close();
}

const phone = { viewport: { width: 390, height: 844 } };
const dark = { colorScheme: "dark" };
const files = readdirSync(pages).filter((name) => name.endsWith(".html"));
assert.ok(files.length > 0, "no pages");
for (const file of files) {
  for (const [suffix, options] of [["", {}], ["-dark", dark], ["-phone", phone], ["-phone-dark", { ...phone, ...dark }]]) {
    await check(path.parse(file).name + suffix, file, options);
  }
}

await check("first", "comparison.html", {}, async (page) => {
  assert.match(await page.locator("h1").textContent(), /Failed: \d+ regressed/, "the verdict comes first");
  const bars = await page.locator("section svg.change").count();
  assert.ok(bars > 0 && bars === await page.locator("section tbody tr:not(.why)").count(), "a bar for each finding");
  const changes = await page.locator("section[aria-label=Regressed] span.change").allTextContents();
  const sizes = changes.map((text) => Math.abs(parseFloat(text)));
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a), "the largest change first");
  const link = await page.locator("header a").first().getAttribute("href");
  assert.match(link, /^https:\/\/github\.com\/rustls\/rustls\/commit\/[0-9a-f]{40}$/);
});
// What the reader needs is in the window: the change, its bar and the reason.
for (const [name, options] of [["seen", {}], ["seen-phone", phone]]) {
  await check(name, "comparison.html", options, async (page) => {
    for (const what of ["span.change", "svg.change", ".why td"]) {
      for (const box of await page.locator(`section ${what}`).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))) {
        assert.ok(box.left >= 0 && box.right <= (options.viewport?.width ?? 1000), `${what} ends at ${box.right}`);
      }
    }
  });
}
await check("keyboard", "comparison.html", {}, async (page) => {
  const fold = page.locator("details").first();
  await fold.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await fold.evaluate((one) => one.open), "Enter opens a fold");
  const outline = await fold.locator("summary").evaluate((one) => getComputedStyle(one).outlineStyle);
  assert.notEqual(outline, "none", "the focus is seen");
});
await check("markup", "words.html", {}, async (page) => {
  assert.equal(await page.locator("b").count(), 0, "a record's text became markup");
});

await browser.close();
process.exit(failures ? 1 : 0);

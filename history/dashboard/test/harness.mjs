// What every test of a page shares: a browser, the page as an address names it, and what holds
// for all of them: no console error, no finding of axe, nothing wider than the window.
import { mkdirSync } from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";
import { audit, launch } from "./audit.mjs";

export const phone = { viewport: { width: 390, height: 844 } };
export const narrow = { viewport: { width: 1000, height: 800 } };
export const dark = { colorScheme: "dark" };

// Where the page is, once it is drawn.
export const drawn = (page, hash) => page.waitForFunction((wanted) => document.getElementById("main").dataset.drawn === (wanted ?? location.hash), hash);
export const hasRows = async (page) => assert.ok((await page.locator(".scroll tbody tr").count()) > 0, "a table without rows");
export const hasChart = async (page) => assert.ok((await page.locator(".u-over").count()) === 1, "no chart");
export const rows = async (page) => page.locator(".scroll tbody tr").allTextContents();
export const alerts = (page) => page.locator("[role=alert]").allTextContents();

export async function open(site, pictures) {
  const base = `file://${path.resolve(site)}/index.html`;
  const browser = await launch();
  if (pictures) mkdirSync(pictures, { recursive: true });
  // ONLY: a pattern of names, for whoever works on one page.
  const only = new RegExp(process.env.ONLY ?? "");
  let failures = 0;
  // `alert`: what the page is expected to say is missing; nothing, unless told.
  async function check(name, { alert = 0, ...options }, hash, more = async () => {}) {
    if (!only.test(name)) return;
    const context = await browser.newContext({ bypassCSP: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const errors = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("data:") || errors.push(`asks for ${request.url()}`));
    try {
      const start = Date.now();
      await page.goto(base + hash);
      await drawn(page, hash);
      const took = Date.now() - start;
      const said = await alerts(page);
      assert.equal(said.length, alert, `the page says: ${said}`);
      await more(page);
      if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: false });
      await audit(page);
      assert.deepEqual(errors, []);
      console.log(`ok ${name} (${took} ms)`);
    } catch (error) {
      failures += 1;
      console.error(`FAILED ${name}: ${error.message}`);
    }
    await context.close();
  }
  return { check, close: async () => { await browser.close(); return failures; } };
}

// What the first view of the dashboard costs, in a real browser: what is transferred, packed as web
// servers pack it and as it is, and the time from the request until it is drawn, with nothing kept
// from before. A benchmark: it prints, and judges nothing.
//
//   scripts/lib/first-view.sh SITE
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import path from "node:path";

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const { chromium } = require("playwright-core");

const site = path.resolve(process.argv[2]);
const REPEATS = 5;
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
const server = createServer(async (request, response) => {
  const name = path.join(site, path.normalize(new URL(request.url, "http://x").pathname));
  try {
    const body = await readFile(name.startsWith(site) ? name : site);
    const packed = gzipSync(body, { level: 6 });
    seen.plain += body.length;
    seen.packed += packed.length;
    seen.files += 1;
    response.writeHead(200, { "content-type": types[path.extname(name)] ?? "text/plain", "content-encoding": "gzip" }).end(packed);
  } catch {
    response.writeHead(404).end();
  }
});
let seen;
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${server.address().port}/index.html`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

console.log("view                 files   KiB gzip   KiB plain   drawn (median of 5)");
for (const hash of ["#/front", "#/changes", "#/compare", "#/trend", "#/trend?years=10", "#/run", "#/hosts"]) {
  const times = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    seen = { plain: 0, packed: 0, files: 0 };
    const start = performance.now();
    await page.goto(base + hash, { waitUntil: "commit" });
    await page.waitForFunction((wanted) => document.getElementById("main")?.dataset.drawn === wanted, hash);
    times.push(performance.now() - start);
    const said = await page.locator("[role=alert]").allTextContents();
    if (said.length) throw new Error(`${hash}: ${said}`);
    await context.close();
  }
  times.sort((a, b) => a - b);
  const kib = (bytes) => (bytes / 1024).toFixed(0);
  console.log(`${hash.padEnd(20)} ${String(seen.files).padStart(5)} ${kib(seen.packed).padStart(10)} ${kib(seen.plain).padStart(11)} ${times[REPEATS >> 1].toFixed(0).padStart(10)} ms`);
}
await browser.close();
server.close();

// Charts: several series told apart, by pointer and by keyboard; change points; zoom; the band.
import assert from "node:assert/strict";
import { drawn } from "./harness.mjs";

const TICKET = "scenario=handshake-ticket%2Ftls1.3%2Faes256-gcm%2Fx25519%2Fecdsa-p256&side=server&metric=handshakes";
const readout = (page) => page.locator(".readout").textContent();

export async function charts(check) {
  await check("several-series", {}, `#/trend?${TICKET}&subject=rustls%40git%3AHEAD&with=openssl%404.0.3&with=aws-lc%401.68.0`, async (page) => {
    assert.deepEqual(await page.locator(".legend li > span").allTextContents(), ["rustls@git:HEAD", "openssl@4.0.3", "aws-lc@1.68.0"]);
    const looks = await page.locator(".legend line").evaluateAll((lines) => lines.map((line) => `${getComputedStyle(line).stroke} / ${line.getAttribute("stroke-dasharray")}`));
    for (const part of [0, 1]) assert.equal(new Set(looks.map((look) => look.split(" / ")[part])).size, 3, `${looks}`);
    await page.locator('label:has-text("Add a series") select').selectOption("openssl@3.0.8");
    await page.waitForFunction(() => document.querySelectorAll(".legend li").length === 4);
    assert.equal(new URL(page.url().replace("#/trend", "")).searchParams.getAll("with").length, 3, "the address carries the series");
    await drawn(page);
    await page.getByRole("button", { name: "Remove openssl@4.0.3" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".legend li").length === 3);
    await drawn(page);
  });
  await check("series-look-different", {}, "#/front", async (page) => {
    await page.evaluate(() => loadCharts());
    const looks = await page.evaluate(() => Array.from({ length: 20 }, (_, place) => `${strokeOf(place)} ${dashOf(place)}`));
    assert.equal(new Set(looks).size, 20);
  });
  await check("chart-by-keyboard", {}, `#/trend?${TICKET}&subject=rustls%40git%3AHEAD&with=openssl%404.0.3`, async (page) => {
    await page.locator(".chart").focus();
    await page.keyboard.press("End");
    assert.match(await readout(page), /^rustls@git:HEAD, 2027-02-15: [\d,]+ handshakes\/s, interval [\d,]+ to [\d,]+ \(covers 93\.8 %\), n = 5, revision [0-9a-f]{12}, epoch fedcba9876543210, run 2027/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await readout(page), /2027-02-14/);
    await page.keyboard.press("ArrowDown");
    assert.match(await readout(page), /^openssl@4\.0\.3, 2027-02-14/);
    assert.equal(await page.locator(".readout").getAttribute("aria-live"), "polite");
    await page.keyboard.press("Enter");
    assert.match(await readout(page), /Kept/);
    await page.keyboard.press("Tab");
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("href")), /^#\/run\?run=/, "its links can be reached");
  });
  for (const view of ["releases?stack=openssl", "threads", "memory", "hosts"]) {
    await check(`keyboard-${view.split("?")[0]}`, {}, `#/${view}`, async (page) => {
      await page.locator(".chart").focus();
      await page.keyboard.press("Home");
      const first = await readout(page);
      await page.keyboard.press("ArrowRight");
      const second = await readout(page);
      assert.match(second, /\d/);
      assert.notEqual(first, second);
    });
  }
  await check("change-point", {}, "#/trend", async (page) => {
    const [first] = await page.locator(".cause").allTextContents();
    assert.match(first, /^A −5\.\d % worse \(interval, 95 %: −5\.\d % to −4\.\d %\) confirmed rustls@git:HEAD, first seen 2027-01-17Commits: [0-9a-f]{12} … [0-9a-f]{12}\. Confirmed by the run of 2027-01-19/);
    const hrefs = await page.locator(".cause a").evaluateAll((links) => links.map((a) => a.getAttribute("href")));
    assert.ok(hrefs.some((href) => /^https:\/\/github\.com\/rustls\/rustls\/compare\/[0-9a-f]{40}\.\.\.[0-9a-f]{40}$/.test(href)));
    assert.ok(hrefs.some((href) => /^#\/run\?run=20270119T/.test(href)), "the run that confirmed it");
  });
  await check("chart-says", {}, `#/trend?${TICKET}&subject=rustls%40git%3AHEAD&years=3`, async (page) => {
    await page.evaluate(() => {
      window.lettered = [];
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.lettered.push(text); return draw.call(this, text, ...rest); };
    });
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.waitForFunction(() => window.lettered.length);
    const said = (await page.evaluate(() => window.lettered)).join("\n");
    assert.match(said, /^host changed: not comparable$/m);
    assert.match(said, /^handshakes\/s \(axis starts at [\d,.]+\)$/m);
    await page.goto(page.url().replace(/#.*/, "#/trend"));
    await drawn(page);
    await page.waitForFunction(() => window.lettered.some((text) => /^A: rustls@git:HEAD −5\.\d % confirmed$/.test(text)));
  });
  for (const [name, options] of [["epoch-ends", {}], ["epoch-ends-fine", { deviceScaleFactor: 2 }]]) {
    await check(name, options, `#/trend?${TICKET}&subject=rustls%40git%3AHEAD`, async (page) => {
      // Between the last point of an epoch and the first of the next nothing is drawn: neither line
      // nor band, up or down.
      const painted = await page.evaluate(async () => {
        const one = await seriesOf(await load("overview"), address().query.scenario, "rustls@git:HEAD", ["2026", "2027"]);
        const [before, after] = segments(pointsOf(one, "server handshakes", 0).points);
        const canvas = document.querySelector(".u-wrap canvas");
        const [over, ratio] = [document.querySelector(".u-over").getBoundingClientRect(), devicePixelRatio];
        const times = [before[0].t, after.at(-1).t];
        const x = (t) => over.left - canvas.getBoundingClientRect().left + ((t - times[0]) / (times[1] - times[0])) * over.width;
        const [from, to] = [x(before.at(-1).t) * ratio + 3, x(after[0].t) * ratio - 3];
        const context = canvas.getContext("2d");
        const wanted = [1, 3, 5].map((at) => parseInt(strokeOf(0).slice(at, at + 2), 16));
        const near = (data, at) => wanted.every((part, index) => Math.abs(data[at + index] - part) < 40) && data[at + 3] > 40;
        let count = 0;
        const { data } = context.getImageData(Math.ceil(from), 0, Math.max(1, Math.floor(to - from)), canvas.height);
        for (let at = 0; at < data.length; at += 4) if (near(data, at)) count += 1;
        const own = context.getImageData(Math.floor(x(before[5].t) * ratio), 0, 40, canvas.height).data;
        let there = 0;
        for (let at = 0; at < own.length; at += 4) if (near(own, at)) there += 1;
        return { count, there, width: to - from };
      });
      assert.ok(painted.there > 20, "the line is not found where it is");
      assert.equal(painted.count, 0, JSON.stringify(painted));
    });
  }
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
    await drawn(page);
    assert.equal(await page.locator("input[name=from]").inputValue(), from);
    await page.locator("input[name=from]").fill("2027-01-05");
    await page.locator("input[name=from]").press("Tab");
    await page.waitForFunction(() => location.hash.includes("from=2027-01-05") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match(page.url(), /side=server&metric=handshakes/, "the series stays");
    await page.locator(".u-over").dblclick();
    await page.waitForFunction(() => !location.hash.includes("from="));
  });
  await check("hover-and-keep", {}, "#/trend?subject=rustls%40git%3AHEAD", async (page) => {
    await page.locator(".u-over").hover();
    await page.waitForFunction(() => /revision .* run /.test(document.querySelector(".readout").textContent));
    await page.locator(".u-over").click();
    await page.getByText("Kept; Enter or a click").waitFor();
    await page.mouse.move(5, 5);
    const hrefs = await page.locator(".readout a").evaluateAll((links) => links.map((a) => a.getAttribute("href")));
    assert.match(hrefs[0], /^https:\/\/github\.com\/rustls\/rustls\/commit\/[0-9a-f]{40}$/, "the commit is linked");
    assert.match(hrefs[1], /^#\/run\?run=/, "the run is linked");
  });
  await check("memory-of-two", {}, "#/memory", async (page) => {
    const cells = await page.locator(".scroll tbody tr").first().locator("td").allTextContents();
    assert.equal(cells.length, 4, "a column a number of sessions");
    assert.ok(cells.slice(1).every((cell) => /^[\d,.]+ \[[\d,.]+ to [\d,.]+\]$/.test(cell)), cells.join(" | "));
  });
}

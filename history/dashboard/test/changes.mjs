// Changes: the worst first, their state, and the run that confirmed them; the page of that run.
import assert from "node:assert/strict";
import { drawn, rows } from "./harness.mjs";

export async function changes(check) {
  await check("changes-worst-first", {}, "#/changes", async (page) => {
    const first = (await rows(page))[0];
    assert.match(first, /worse.*rustls@git:HEAD.*handshake-full/s);
    // A regression is worse than any improvement, and a larger one than a smaller one.
    const goodness = async () => (await page.locator(".scroll tbody tr td:first-child").allTextContents()).map((text) => {
      const share = parseFloat(text.replace("−", "-")) / 100;
      return Math.abs(Math.log(1 + share)) * (text.includes("worse") ? -1 : 1);
    });
    const shown = await goodness();
    assert.ok(shown.length >= 8 && shown.some((one) => one < 0) && shown.some((one) => one > 0));
    assert.deepEqual(shown, [...shown].sort((a, b) => a - b));
    const button = page.getByRole("button", { name: "Change", exact: true });
    await button.click();
    await button.click();
    assert.deepEqual(await goodness(), [...shown].sort((a, b) => b - a), "the header turns it round");
    assert.match(page.url(), /sort=-Change/);
  });
  await check("changes-cause", {}, "#/changes", async (page) => {
    const causes = await page.locator(".cause").allTextContents();
    assert.match(causes[0], /^handshake-full of rustls@git:HEAD: up to 5\.\d % worse than before, in 6 series: 1 confirmed, 5 suspectFirst seen 2027-01-17/);
    assert.match(causes[0], /Confirmed by the run of 2027-01-19 12:06 UTC\.first bad against last good is regressed/);
    assert.equal(await page.locator('.cause a[href^="https://github.com/rustls/rustls/compare/"]').count(), causes.length, "what changed between the two is linked");
    await page.locator('.cause a[href^="#/run?"]').first().click();
    await page.waitForFunction(() => location.hash.startsWith("#/run") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match(await page.locator("main").textContent(), /What it decidedconfirmed rustls@git:HEAD handshake-full\/tls1\.3/);
  });
  await check("changes-largest", {}, "#/changes", async (page) => {
    const said = await page.evaluate(() => {
      const one = (factor, worse, state = "suspect") => ({ change: { factor }, worse, state });
      return [[one(1.02, false), one(1.05, false)], [one(0.98, true), one(1.2, false)], [one(0.97, true)], [one(0.9, true, "dismissed"), one(0.97, true)]]
        .map((group) => h("p", {}, movedBy(group)).textContent);
    });
    assert.deepEqual(said, ["up to 5.0 % better than before, in 2 series", "2.0 % worse than before, in 1 of 2 series", "3.0 % worse than before, in one series", "up to 3.0 % worse than before, in 2 series"]);
  });
  await check("changes-filter", {}, "#/changes", async (page) => {
    const all = (await rows(page)).length;
    await page.locator("input[type=search]").pressSequentially("bulk");
    const some = await rows(page);
    assert.ok(some.length > 0 && some.length < all && some.every((text) => text.includes("bulk")));
    await page.locator("select[name=state]").selectOption("confirmed");
    await page.waitForFunction(() => location.hash.includes("state=confirmed") && document.getElementById("main").dataset.drawn === location.hash);
    assert.equal((await rows(page)).length, 0, "no change of bulk was confirmed");
  });
  await check("run-numbers-and-report", {}, "#/runs", async (page) => {
    await page.locator("input[type=search]").pressSequentially("2027-02-15");
    assert.equal((await rows(page)).length, 1);
    await page.locator('td a[href^="#/run?"]').click();
    await page.waitForFunction(() => location.hash.startsWith("#/run?") && document.getElementById("main").dataset.drawn === location.hash);
    await page.locator("input[type=search]").pressSequentially("tls1.3 server openssl@4.0.3 handshake-ticket");
    const found = await page.locator(".scroll").first().locator("tbody tr:not(.group)").allTextContents();
    assert.equal(found.length, 2);
    assert.ok(found.every((text) => /[\d,.]+ handshakes\/s\[[\d,.]+ to [\d,.]+\]5$/.test(text)), found.join(" | "));
    const record = await page.locator('dd a[href^="https://example.org/"]').getAttribute("href");
    assert.match(record, /^https:\/\/example\.org\/raw\/history\/runs\/\d{4}\/\d{2}\/.*\.zst$/);
    const report = await page.getByRole("link", { name: "Report of this run" }).getAttribute("href");
    const other = await page.context().newPage();
    await other.goto(new URL(report, page.url().replace(/#.*/, "")).href);
    assert.match(await other.locator("body").textContent(), /openssl@4\.0\.3/);
    await other.close();
    await page.getByRole("link", { name: "Compare with the previous run" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#/compare?a=") && document.getElementById("main").dataset.drawn === location.hash);
    assert.ok((await rows(page)).length > 100, "every number of both runs");
  });
  await check("back", {}, "#/changes", async (page) => {
    await page.locator('a[href^="#/run?"]').first().click();
    await page.waitForFunction(() => location.hash.startsWith("#/run?"));
    await drawn(page);
    await page.goBack();
    await drawn(page, "#/changes");
  });
}

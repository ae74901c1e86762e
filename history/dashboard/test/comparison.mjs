// Any two releases, branches, commits and runs, by URL.
import assert from "node:assert/strict";
import { drawn, hasRows, rows } from "./harness.mjs";

const factors = (page) => page.locator("tbody tr [data-factor]").evaluateAll((all) => all.map((one) => parseFloat(one.dataset.factor)));
const data = (page, name) => page.evaluate((name) => load(name), name);

export async function comparison(check) {
  await check("compare-filter", {}, "#/compare", async (page) => {
    const all = (await rows(page)).length;
    await page.locator("input[type=search]").pressSequentially("tls1.3 server");
    const texts = await rows(page);
    assert.ok(texts.length > 0 && texts.length < all && texts.every((text) => text.includes("tls1.3") && text.includes("server")));
    assert.match(page.url(), /find=tls1.3\+server/, "the address carries the filter");
  });
  await check("compare-sort", {}, "#/compare", async (page) => {
    await page.getByRole("button", { name: "Factor" }).focus();
    await page.keyboard.press("Enter");
    const up = await factors(page);
    assert.deepEqual(up, [...up].sort((a, b) => a - b), "ascending is the worst first");
    await page.keyboard.press("Enter");
    assert.deepEqual(await factors(page), [...up].sort((a, b) => b - a));
    assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
    assert.match(page.url(), /sort=-Factor/, "the address carries the order");
    await page.reload();
    await drawn(page);
    assert.deepEqual(await factors(page), [...up].sort((a, b) => b - a), "and whoever opens it sees the same");
  });
  await check("compare-factor", {}, "#/compare?a=openssl%404.0.3&b=rustls%400.23.46&find=memory", async (page) => {
    // rustls needs less memory: above 1 is better, for every metric.
    assert.ok((await factors(page)).every((factor) => factor > 1));
    assert.match(await page.locator(".lead").textContent(), /^Head is better in \d+, worse in 0 of \d+ rows; no difference shown in \d+\. Geometric mean .*memory \d/);
    assert.match(await page.locator("dl").textContent(), /measured 2027-02-15 on bench-1 <b>&amp;, epoch fedcba98/);
    assert.ok((await rows(page)).every((text) => /0\.\d+ times as much/.test(text) && text.includes("better") && /, (KiB|B\/session)/.test(text)));
  });
  await check("compare-commits", {}, "#/compare", async (page) => {
    const [change] = await data(page, "changes");
    const [good, bad] = [change.last_good.revision, change.first_bad.revision];
    await page.evaluate(([a, b]) => { location.hash = `#/compare?a=${a.slice(0, 12)}&b=${b}&find=handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256`; }, [good, bad]);
    await page.waitForFunction(() => location.hash.includes("find=") && document.getElementById("main").dataset.drawn === location.hash);
    const found = await factors(page);
    assert.ok(found.length > 0 && found.every((factor) => factor > 0.93 && factor < 0.97), `${found}`);
    assert.match(await page.locator("dl").textContent(), new RegExp(`Base${good.slice(0, 12)}.*Head${bad.slice(0, 12)}`));
  });
  await check("compare-run-with-release", {}, "#/runs", async (page) => {
    const { runs } = await data(page, "overview");
    await page.evaluate((run) => { location.hash = `#/compare?a=openssl%403.5.5&b=${run}`; }, runs[0].name);
    await page.waitForFunction(() => location.hash.startsWith("#/compare") && document.getElementById("main").dataset.drawn === location.hash);
    await hasRows(page);
    const found = await factors(page);
    assert.ok(found.every((factor) => Math.abs(factor - 1) < 0.02), "the same subject of the newest run");
  });
  await check("compare-two-epochs", {}, "#/runs", async (page) => {
    const { runs, epochs } = await data(page, "overview");
    const old = epochs.find((epoch) => epoch.epoch === "0a1b2c3d4e5f6071");
    const year = await data(page, `runs/${new Date(old.last_ms).getUTCFullYear()}`);
    const before = year.find(([, epoch]) => epoch === old.epoch)[2];
    await page.evaluate(([a, b]) => { location.hash = `#/compare?a=${a}&b=${b}`; }, [before, runs[0].name]);
    await page.waitForFunction(() => location.hash.startsWith("#/compare") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match(await page.locator("main").textContent(), /The host bench-1 <b>&amp; itself changed between the two sides \(two epochs\), so no row has a factor/);
    assert.deepEqual(await factors(page), []);
    const said = await page.evaluate(() => hostsApart({ epochs: [{ epoch: "e1", host: "north" }, { epoch: "e2", host: "south" }] },
      [{ apart: true, base: { epoch: "e1" }, head: { epoch: "e2" } }, { apart: false }]).textContent);
    assert.match(said, /measured on different hosts \(base on north, head on south\), so 1 row has no factor/);
  });
}

// CPUs for the traffic that a reader types in.
import assert from "node:assert/strict";
import { drawn, phone } from "./harness.mjs";

const answer = (page) => page.locator(".lately").textContent();

export async function cost(check) {
  await check("cost-adds-up", {}, "#/cost?tls=tls1.3/aes256-gcm/x25519/ecdsa-p256&full=1000&resumed=2000&sent=8&received=0", async (page) => {
    const { shown, wanted } = await page.evaluate(async () => {
      const overview = await load("overview");
      const data = await load(`front/${frontOf(overview.fronts, {}).file}`);
      const cell = (scenario, side) => frontRows(data.table).find((row) => row.scenario === scenario && row.side === side && row.metric === (scenario.startsWith("bulk") ? "throughput" : "handshakes")).cells["openssl@4.0.3"];
      const tail = "tls1.3/aes256-gcm/x25519/ecdsa-p256";
      const parts = [[1000, cell(`handshake-full/${tail}`, "server")], [2000, cell(`handshake-ticket/${tail}`, "server")], [8e9 / 8 / 1048576, cell(`bulk/${tail}/write-16KiB`, "send")]];
      const of = (end) => parts.reduce((sum, [amount, one]) => sum + amount / one[end], 0);
      const row = [...document.querySelectorAll("tbody tr")].find((row) => row.textContent.startsWith("openssl@4.0.3"));
      return { shown: row.querySelector("td:nth-child(2)").textContent, wanted: [of("median"), of("high"), of("low")].map((value) => value.toPrecision(3)) };
    });
    assert.equal(shown, `${wanted[0]}[${wanted[1]} to ${wanted[2]}]`);
    const heads = await page.locator("thead th").allTextContents();
    assert.ok(heads.some((text) => text.startsWith("Sending")) && !heads.some((text) => text.startsWith("Receiving")), heads.join());
    assert.match(await answer(page), /^\S+ needs the fewest: [\d.]+ CPUs \[[\d.]+ to [\d.]+\].*\. openssl@\S+ needs the most: [\d.]+ \[[\d.]+ to [\d.]+\], [\d.]+ times as many\.$/);
    assert.match(await page.locator("main").textContent(), /in memory\. Network, kernel, application.*come on top.*each of which holds the true median in at least 93\.8 % of cases.*From: handshake-full\/tls1\.3/);
  });
  await check("cost-by-typing", {}, "#/cost", async (page) => {
    const before = await answer(page);
    await page.locator("input[name=full]").fill("50000");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => location.hash.includes("full=50000") && document.getElementById("main").dataset.drawn === location.hash);
    assert.notEqual(await answer(page), before);
    await page.reload();
    await drawn(page);
    assert.equal(await page.locator("input[name=full]").inputValue(), "50000", "whoever opens the address sees the same");
    await page.locator("select[name=side]").selectOption("client");
    await page.waitForFunction(() => location.hash.includes("side=client") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match(await page.locator("main").textContent(), /From: handshake-full\/\S+ client/);
  });
  await check("cost-not-measured", {}, "#/cost?tls=tls1.3/aes256-gcm/x25519mlkem768/ecdsa-p256&resumed=100", async (page) => {
    assert.match(await page.locator("main").textContent(), /No subject was measured for all of this traffic \(\S+: resumptions not measured\)/);
    await page.goto(page.url().replace("&resumed=100", ""));
    await page.waitForFunction(() => document.querySelector(".lately"));
    assert.equal(await page.locator("input[name=resumed]").inputValue(), "0", "nothing measured, nothing asked");
    assert.match(await answer(page), /needs the fewest/);
  });
  await check("cost-no-traffic", {}, "#/cost?full=0&resumed=0&sent=0&received=0", async (page) => {
    assert.match(await page.locator("main").textContent(), /All amounts are 0/);
  });
  await check("cost-no-amount", { alert: 2 }, "#/cost?full=-1&resumed=many", async (page) => {
    assert.match((await page.locator("[role=alert]").allTextContents()).join(), /Full handshakes\/s: “-1” is not a number from 0 to 1,000,000,000; this page uses 10,000.*“many”/);
  });
  await check("cost-unknown-parameters", { alert: 1 }, "#/cost?tls=tls1.3/rot13");
  await check("cost-phone", phone, "#/cost", async (page) => {
    const widths = await page.locator("input").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    assert.ok(widths.every((width) => width > 120), `${widths}`);
  });
}

// The front page: the best and its ties, intervals by pointer and by keyboard, filters, means.
import assert from "node:assert/strict";
import { dark, drawn, phone } from "./harness.mjs";

// Cells of the row with this scenario and side: subject -> text.
const cellsOf = (page, scenario, side) => page.evaluate(([scenario, side]) => {
  const row = [...document.querySelectorAll(".grid tbody tr")].find((row) => row.querySelector("th").textContent.startsWith(`${scenario}${side}`));
  return Object.fromEntries([...row.querySelectorAll("td")].map((cell) => [cell.dataset.column, cell.textContent]));
}, [scenario, side]);

export async function front(check) {
  await check("front-best-and-ties", {}, "#/front?family=handshake-full", async (page) => {
    // The branch is the newest release, and became slower in one scenario only.
    const same = await cellsOf(page, "tls1.3/aes256-gcm/secp256r1/ecdsa-p256", "server");
    const two = [same["rustls@0.23.46"], same["rustls@git:HEAD"]];
    assert.ok(two.some((text) => text.includes("tied for best")) && two.every((text) => text.includes("tied")), `${two}`);
    const apart = await cellsOf(page, "tls1.3/aes256-gcm/x25519/ecdsa-p256", "server");
    assert.match(apart["rustls@0.23.46"], /best/);
    assert.doesNotMatch(apart["rustls@0.23.46"], /tied/);
    assert.match(apart["rustls@git:HEAD"], /−5\.\d %/, "the change since the newest release");
    assert.match(apart["openssl@4.0.3"], /\+[78]\.\d %/, "the change since the release before");
    const numbers = await page.locator(".grid tbody tr:not(.family):not(.mean) td").allTextContents();
    assert.ok(numbers.every((text) => text.includes("handshakes/s")), "a number without its unit");
  });
  await check("front-mean", {}, "#/front?family=handshake-full&side=server", async (page) => {
    const text = await page.locator(".grid tr.mean").textContent();
    assert.match(text, /Geometric mean of 6 rows.*times the rate of openssl@4\.0\.3/);
    const [mean, product] = await page.evaluate(() => {
      const number = (cell) => parseFloat(cell.textContent.replace(/,/g, ""));
      const of = (row, subject) => number(row.querySelector(`td[data-column="${subject}"]`));
      const rows = [...document.querySelectorAll(".grid tbody tr:not(.family):not(.mean)")];
      const logs = rows.map((row) => Math.log(of(row, "rustls@0.23.46") / of(row, "openssl@4.0.3")));
      return [of(document.querySelector(".grid tr.mean"), "rustls@0.23.46"), Math.exp(logs.reduce((a, b) => a + b) / logs.length)];
    });
    assert.ok(Math.abs(mean / product - 1) < 0.005, `${mean} ${product}`);
    await page.locator('.grid tr.mean td[data-column="rustls@0.23.46"]').focus();
    const tip = await page.locator("#tip").textContent();
    assert.match(tip, /\d× the rate of openssl@4\.0\.3.*\d× to \d[.\d]*×, the widest that the intervals of its rows allow/);
    assert.match(tip, /It mixes TLS versions \(tls1\.2, tls1\.3\); .*options \(none, threads-2, threads-4\)\. Every row weighs the same/);
    const unmarked = await page.evaluate(() => {
      const cell = (median, n) => ({ median, low: median - 1, high: median + 1, n });
      const of = (n) => { const rows = [{ better: "higher", cells: { a: cell(100, 5), b: cell(200, n) } }]; return marks(comparableMeans(geometricMeans(rows, ["a", "b"], "a"), rows), "higher").map((one) => one?.mark ?? null); };
      return [of(5), of(1)];
    });
    assert.deepEqual(unmarked, [[null, "best"], [null, null]], "one trial has no interval that supports a mark");
  });
  await check("front-interval-by-keyboard", {}, "#/front", async (page) => {
    await page.locator(".grid td[tabindex='0']").focus();
    const first = await page.locator("#tip").textContent();
    for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    const tip = await page.locator("#tip").textContent();
    assert.notEqual(tip, first);
    assert.match(tip, /handshakes\/s, interval [\d,.]+ to [\d,.]+ \(covers 93\.8 %\), n = 5/);
    assert.match(tip, /Measured \d{4}-\d\d-\d\d/);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-describedby")), "tip");
    assert.equal(await page.locator(".grid td[tabindex='0']").count(), 1, "one stop for the tab key");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#tip").isHidden());
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.startsWith("#/trend?scenario="));
    await drawn(page);
  });
  await check("front-interval-by-pointer", dark, "#/front", async (page) => {
    await page.locator(".grid tbody tr:nth-child(3) td").first().hover();
    await page.getByText(/interval [\d,.]+ to/).waitFor();
  });
  await check("front-filter", {}, "#/front", async (page) => {
    await page.locator("select[name=version]").selectOption("tls1.2");
    await page.waitForFunction(() => location.hash.includes("version=tls1.2") && document.getElementById("main").dataset.drawn === location.hash);
    const heads = () => page.locator(".grid tbody tr:not(.family):not(.mean) th").allTextContents();
    assert.ok((await heads()).every((text) => text.startsWith("tls1.2")));
    await page.locator("input[type=search]").pressSequentially("bulk send");
    assert.deepEqual((await heads()).length, 1, "it filters while one types");
    assert.match(page.url(), /find=bulk\+send/, "the address carries the filter");
    await page.reload();
    await drawn(page);
    assert.equal((await heads()).length, 1, "and whoever opens it sees the same");
  });
  await check("front-release-series", {}, "#/front?series=all", async (page) => {
    const columns = await page.locator(".grid tr.mean").first().locator("td").evaluateAll((cells) => cells.map((cell) => cell.dataset.column));
    assert.deepEqual(columns.filter((name) => name.startsWith("openssl")), ["openssl@4.0.3", "openssl@3.5.5", "openssl@3.4.1", "openssl@3.2.1", "openssl@3.0.8", "openssl@1.1.1w"]);
    assert.ok(!columns.includes("openssl@3.5.4"), "the release before the newest of its series");
  });
  await check("front-branches", {}, "#/front?series=releases", async (page) => {
    const columns = () => page.locator(".grid tr.mean").first().locator("td").evaluateAll((cells) => cells.map((cell) => cell.dataset.column));
    assert.ok((await columns()).every((name) => !name.includes(":")), "releases only");
    await page.locator("select[name=series]").selectOption("");
    await page.waitForFunction(() => !location.hash.includes("series=releases") && document.getElementById("main").dataset.drawn === location.hash);
    assert.ok((await columns()).includes("rustls@git:HEAD"));
    const heads = await page.locator(".grid tr.family").first().locator("th").allTextContents();
    assert.ok(heads.includes("rustls@git:HEADbranchchange from 0.23.46") && heads.some((text) => text.startsWith("rustls@0.23.46")), `${heads}`);
    const found = await page.evaluate(() => {
      const cells = [100, 90, 80].map((median) => ({ median, low: median - 2, high: median + 2 }));
      return [[true, false, false], [false, true, false]].map((moving) => marks(cells, "higher", moving).map((one) => one.mark));
    });
    assert.deepEqual(found, [["best", "best release", null], ["best", null, null]]);
  });
  await check("front-phone", phone, "#/front", async (page) => {
    const row = page.locator(".grid tbody tr:not(.family):not(.mean)").first();
    const box = await row.locator("td").first().boundingBox();
    assert.ok(box.width > 300, "a line for each subject");
    assert.ok(await row.locator(".unit").first().isVisible());
    assert.ok(await page.locator("select[name=version]").isHidden(), "the fields wait");
    await page.locator("details.fields summary").click();
    assert.ok(await page.locator("select[name=version]").isVisible());
  });
  await check("front-host-and-date", {}, "#/front", async (page) => {
    assert.match(await page.locator("main").textContent(), /Host bench-1 <b>&amp; \(AMD EPYC 4244P\), epoch fedcba98, 2027-02-15\. Newest run \(nightly, 2027-02-15\): the host was tuned for benchmarks\./);
    assert.match(await page.locator(".lately").textContent(), /Last 30 days, all scenarios \(the filter does not apply\): 1 change confirmed, 1 suspected\. The largest regression: handshake-full of rustls@git:HEAD, up to 5\.\d % worse than before, in 6 series, first seen 2027-01-17; confirmed by the run of 2027-01-19/);
    await page.locator(".lately").getByRole("link", { name: "2027-01-17" }).click();
    await drawn(page, await page.evaluate(() => location.hash));
    assert.match((await page.locator(".cause").allTextContents()).join(), /^handshake-full of rustls@git:HEAD: up to 5/);
  });
}

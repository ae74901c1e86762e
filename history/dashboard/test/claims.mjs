// Published claims, measured again.
import assert from "node:assert/strict";
import { drawn, phone } from "./harness.mjs";

export async function claims(check) {
  await check("claims-say-what-was-published-and-measured", {}, "#/claims", async (page) => {
    const text = await page.locator("main").textContent();
    assert.match(text, /measured again: 2 confirmed, 1 refuted, 1 undecided, 1 not measurable\. A verdict follows from the interval/);
    const rows = (await page.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => [...cell.childNodes].filter((part) => !part.classList?.contains("narrow")).map((part) => part.textContent).join("")).join(""))));
    assert.ok(rows.includes("1 New handshakes lose 13.3 % from 3.4 to 3.5confirmed"), rows.join("\n"));
    assert.ok(rows.includes("new handshakes, 3.5 to 3.40.8670.871[0.861 to 0.88], n = 120.825 to 0.91confirmed"), rows.join("\n"));
    assert.ok(rows.includes("records of the first flight44exact4 to 4confirmed"), rows.join("\n"));
    assert.ok(rows.includes("4 A server's first flight is 4 encrypted recordsOurs, not published: the count of 4confirmed"), rows.join("\n"));
    assert.ok(rows.includes("5 A verified stack takes 166 ms as the serverthe catalog has no such stacknot measurable"), rows.join("\n"));
    assert.match(text, /openssl@3\.4\.1 stands for 3\.4\.0/);
    assert.match(text, /in the tiny form, which decides exact counts only/);
  });
  await check("claims-hostile-source", {}, "#/claims?study=key-shares", async (page) => {
    assert.match(await page.locator("main").textContent(), /Published: 3\.5 against <b>3\.4<\/b> \(2025-10/);
    assert.equal(await page.locator("section a[href^='javascript']").count(), 0);
    assert.equal(await page.locator("section").count(), 1);
  });
  await check("claims-filter", {}, "#/claims", async (page) => {
    await page.locator("select[name=verdict]").selectOption("refuted");
    await page.waitForFunction(() => location.hash.includes("verdict=refuted") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match((await page.locator("tr.group").allTextContents()).join(), /^3 Without the hybrid share it is as fast as 3\.4refuted/);
    await page.reload();
    await drawn(page);
    assert.equal(await page.locator("tr.group").count(), 1);
  });
  await check("claims-phone", phone, "#/claims", async (page) => {
    const table = page.locator(".scroll").first();
    assert.ok(await table.evaluate((box) => box.scrollWidth <= box.clientWidth), "the table is wider than the window");
    assert.ok(await page.locator("tr.group .narrow").first().isVisible(), "the verdict is below its claim");
  });
  await check("claims-unknown-study", { alert: 1 }, "#/claims?study=records2");
}

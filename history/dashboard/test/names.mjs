// Names: those that the history does not have are said to be unknown; hostile ones stay text.
import assert from "node:assert/strict";
import { alerts } from "./harness.mjs";

export async function names(check) {
  for (const [what, hash, said] of [
    ["page", "#/nowhere", /no page named “nowhere”/],
    ["subject", "#/trend?subject=opensl%404.0", /no subject named “opensl@4\.0”.*Near it: openssl@4\.0\.3/],
    ["scenario", "#/trend?scenario=handshake-full%2Ftls1.4", /no scenario named/],
    ["run", "#/run?run=20270101T000000Z-0-0123456789abcdef", /no run named “20270101/],
    ["commit", "#/compare?a=openssl%404.0.3&b=0123456789ab", /no subject, run or commit named “0123456789ab”/],
    ["release", "#/compare?a=openssl%409&b=openssl%404.0.3", /no subject, run or commit named “openssl@9”.*openssl@/],
    ["stack", "#/releases?stack=wolfssl", /no stack named “wolfssl”/],
    ["epoch", "#/hosts?epoch=e9", /no host epoch named “e9”/],
    ["front", "#/front?epoch=e9", /no recent host epoch named “e9”/],
    ["family", "#/threads?family=bulk", /no scenario with threads named “bulk”/],
    ["year", "#/runs?year=1999", /no year named “1999”/],
    ["prototype", "#/constructor", /no page named “constructor”/],
    ["other", "#/run?run=<img src=x onerror=alert(1)>", /no run named/],
  ]) {
    await check(`unknown-${what}`, { alert: 1 }, encodeURI(decodeURI(hash)) === hash ? hash : hash.replace(/[<> ]/g, encodeURIComponent), async (page) => {
      assert.match((await alerts(page))[0], said);
    });
  }
  await check("hostile", {}, "#/run", async (page) => {
    const text = await page.locator("main").textContent();
    assert.ok(text.includes("bench-1 <b>&amp;"), "a name with markup is shown as it is");
    assert.ok(text.includes("boringssl@git:main"));
    assert.equal(await page.locator('a[href^="javascript:"], main b').count(), 0, "an address that is no web address is no link");
  });
  const evil = encodeURIComponent("evil\u202egro.live <script>alert(1)</script>");
  const scenario = encodeURIComponent("<img src=x onerror=alert(1)>/\u2066\u0007");
  for (const hash of [`#/trend?subject=${evil}&scenario=${scenario}`, "#/hosts", "#/runs?year=2026&find=svg", `#/compare?a=${evil}&b=${evil}`, `#/releases?stack=${encodeURIComponent("evil\u202egro.live <script>alert(1)</script>")}&scenario=${scenario}`]) {
    await check(`hostile-${/\w+/.exec(hash)}`, {}, hash, async (page) => {
      const text = await page.locator("main").innerText();
      assert.match(text, /<script>|<svg onload=alert\(1\)>/, "shown as it is");
      assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u0007]/, "what turns the text around is written out");
      assert.equal(await page.locator("main script, main img, main svg[onload], a[href^='javascript:']").count(), 0);
    });
  }
}

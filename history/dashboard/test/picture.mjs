// A picture for a slide: it says by itself what was measured, where and when, and can be saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dark, phone } from "./harness.mjs";

const ROW = "scenario=handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256&kind=server+handshakes";
const texts = (page) => page.locator(".slide svg text").allTextContents();
// Names, values and notes stay within the picture, and names leave the bars alone.
const inside = (page) => page.evaluate(() => {
  const [, , width, height] = document.querySelector(".slide svg").getAttribute("viewBox").split(" ").map(Number);
  const boxes = [...document.querySelectorAll(".slide svg text")].map((text) => ({ text: text.textContent, ...(({ x, y, width, height }) => ({ x, y, width, height }))(text.getBBox()) }));
  return boxes.filter((box) => box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height).map((box) => box.text);
});

export async function picture(check) {
  for (const [suffix, options] of [["", {}], ["-dark", dark], ["-390", phone]]) {
    await check(`picture${suffix}`, options, `#/picture?${ROW}`, async (page) => {
      const all = await texts(page);
      assert.equal(all[0], "Full handshakes, server");
      const told = all.join("\n");
      assert.match(told, /handshakes\/s, higher is better/);
      assert.match(told, /rustls@0\.23\.46\n[\d,]+ \[[\d,]+ to [\d,]+\]/);
      assert.match(told, /median of \d+( to \d+)? processes each; lines: interval that holds the true median in at least 93\.8 % of cases/);
      assert.match(told, /Host .+ \(.+\), (not )?tuned for benchmarks\. Measured \d{4}-\d\d-\d\d.* by Shakedown, host epoch [0-9a-f]{8}\./);
      assert.ok(all.includes("Sample data: an invented history"), "what the site says of itself goes along");
      assert.ok(!told.includes("@git:"), "a branch is no release");
      assert.deepEqual(await inside(page), []);
    });
  }
  await check("picture-bars", {}, `#/picture?${ROW}&series=all&background=dark`, async (page) => {
    const { lengths, medians } = await page.evaluate(() => ({
      lengths: [...document.querySelectorAll(".slide svg rect")].slice(1).map((bar) => Number(bar.getAttribute("width"))),
      medians: [...document.querySelectorAll(".slide svg text")].map((text) => /^([\d,]+) \[/.exec(text.textContent)).filter(Boolean).map(([, median]) => Number(median.replaceAll(",", ""))),
    }));
    assert.ok(lengths.length > 2 && lengths.length === medians.length, `${lengths} ${medians}`);
    assert.deepEqual(medians, [...medians].sort((x, y) => y - x), "the best is first");
    for (const [at, length] of lengths.entries()) assert.ok(Math.abs(length / lengths[0] - medians[at] / medians[0]) < 0.002, "a bar from zero");
    assert.deepEqual(await inside(page), []);
  });
  await check("picture-saved", {}, `#/picture?${ROW}`, async (page) => {
    for (const [name, expected] of [["Save as SVG", ".svg"], ["Save as PNG", ".png"]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByText(name).click()]);
      assert.equal(download.suggestedFilename(), `handshake-full-tls1.3-aes256-gcm-x25519-ecdsa-p256-server-handshakes${expected}`);
      const bytes = readFileSync(await download.path());
      if (expected === ".png") {
        assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [2560, 1440]);
        const plain = bytes.length;
        assert.ok(plain > 20_000, `${plain} bytes: a blank picture`);
      } else assert.match(bytes.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*rustls@0\.23\.46.*<\/svg>$/s);
    }
  });
  await check("picture-from-front", {}, "#/front?family=bulk", async (page) => {
    await page.getByText("picture for a slide").first().click();
    await page.waitForFunction(() => location.hash.startsWith("#/picture") && document.getElementById("main").dataset.drawn === location.hash);
    assert.match((await texts(page))[0], /^Data over one connection, /);
  });
  await check("picture-unknown", { alert: 1 }, "#/picture?scenario=handshake-ful/tls1.3");
  await check("picture-other-kind", { alert: 1 }, `#/picture?${ROW.replace("server+handshakes", "server+nothing")}`);
}

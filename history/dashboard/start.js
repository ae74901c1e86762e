"use strict";
// Which page is shown: the address says it.

const pages = {
  front: ["Side by side", frontPage],
  cost: ["Cost", costPage],
  claims: ["Claims", claimsPage],
  changes: ["Changes", changesPage],
  trend: ["Trend", trendPage],
  compare: ["Compare", comparePage],
  releases: ["Releases", releasesPage],
  threads: ["Threads", scalingPage("Throughput over threads", "threads")],
  memory: ["Memory", scalingPage("Memory over sessions", "sessions")],
  hosts: ["Hosts", hostsPage],
  runs: ["Runs", runsPage],
};
// Reached through links.
const others = { run: ["Run", runPage], picture: ["Picture", picturePage] };

async function nothingHere(main) {
  fill(main, h("h1", {}, "No such page"), unknown("page", address().page, Object.keys(pages), (page) => link(page)));
}

// What whoever built the site says of all of it, such as that its numbers are invented.
function warn(notice) {
  const place = document.getElementById("notice");
  fill(place, notice);
  place.hidden = !notice;
}

let drawing = 0;
async function draw() {
  const mine = ++drawing;
  const { page, query, lists } = address();
  const find = (all) => (Object.hasOwn(all, page) ? all[page] : null);
  const [title, content] = find(pages) ?? find(others) ?? ["No such page", nothingHere];
  const fresh = h("div");
  fill(document.getElementById("pages"), Object.entries(pages).map(([name, [text]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "aria-current": name === page || (page === "run" && name === "runs") || (page === "picture" && name === "front") ? "page" : null }, text))));
  document.title = `${title} – Shakedown`;
  const main = document.getElementById("main");
  const holdsFocus = document.activeElement?.name;
  // In place before it is filled: charts ask for their width.
  main.replaceChildren(fresh);
  try {
    const overview = await load("overview");
    warn(overview.notice);
    await content(fresh, overview, query, lists);
  } catch (error) {
    fill(fresh, h("h1", {}, title), alertOf(error.message));
  }
  if (mine !== drawing) return;
  if (holdsFocus) fresh.querySelector(`[name="${CSS.escape(holdsFocus)}"]`)?.focus();
  main.dataset.drawn = location.hash;
}

addEventListener("hashchange", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();

"use strict";
// Which page is shown: the address says it.

const pages = {
  overview: ["Overview", overviewPage],
  compare: ["Compare", comparePage],
  trend: ["Trend", trendPage],
  releases: ["Releases", releasesPage],
  threads: ["Threads", scalingPage("Throughput over threads", "threads", "threads")],
  memory: ["Memory", scalingPage("Memory over sessions", "sessions", "sessions")],
  hosts: ["Hosts", hostsPage],
  run: ["Run", runPage],
};

let drawing = 0;
async function draw() {
  const mine = ++drawing;
  const { page, query } = address();
  const [title, fill] = pages[page] ?? pages.overview;
  const fresh = h("div");
  document.getElementById("pages").replaceChildren(...Object.entries(pages).map(([name, [text]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "aria-current": text === title ? "page" : null }, text))));
  document.title = `${title} – Shakedown`;
  const main = document.getElementById("main");
  const holdsFocus = document.activeElement?.name;
  // In place before it is filled: charts ask for their width.
  main.replaceChildren(fresh);
  try {
    await fill(fresh, await load("overview"), query);
  } catch (error) {
    fresh.replaceChildren(h("h1", {}, title), h("p", { class: "worse", role: "alert" }, error.message));
  }
  if (mine !== drawing) return;
  if (holdsFocus) fresh.querySelector(`[name="${CSS.escape(holdsFocus)}"]`)?.focus();
  main.dataset.drawn = location.hash;
}

addEventListener("hashchange", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();

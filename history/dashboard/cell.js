"use strict";
// The cells of a row side by side: which is the best, and who ties with it.

// `better`: "higher" or "lower". For each cell its share of the best value, and a mark: "best";
// "tied" where its interval overlaps that of the best; null elsewhere. `moving` says which cells are
// of branches: where one of these is the best, the best release is marked, too.
function marks(cells, better, moving = []) {
  const all = marksOf(cells, better);
  if (!all.some((one, at) => moving[at] && isBest(one?.mark))) return all;
  const releases = marksOf(cells.map((cell, at) => (moving[at] ? null : cell)), better);
  return all.map((one, at) => {
    const best = isBest(releases[at]?.mark);
    if (!best) return one;
    const tied = one.mark === "tied" || releases[at].mark === "tied for best";
    return { ...one, mark: tied ? "tied for best release" : "best release" };
  });
}

// Whether a mark says that no value is better.
const isBest = (mark) => mark === "best" || mark === "tied for best";

function marksOf(cells, better) {
  const there = cells.filter(Boolean);
  if (there.length < 2) return cells.map((cell) => (cell ? { share: 1, mark: null } : null));
  const best = there.reduce((a, b) => (timesAsGood(better, b.median, a.median) > 1 ? b : a));
  const overlap = (a, b) => a.low <= b.high && b.low <= a.high;
  const tied = there.some((cell) => cell !== best && overlap(cell, best));
  return cells.map((cell) => {
    if (!cell) return null;
    const share = Math.min(1, timesAsGood(better, cell.median, best.median) || 0);
    if (cell === best) return { share, mark: tied ? "tied for best" : "best" };
    return { share, mark: overlap(cell, best) ? "tied" : null };
  });
}

// The change from a release to what followed it, as a share, and whether the intervals lie apart.
function since(cell, before, better) {
  if (!cell || !before || !(before.median > 0)) return null;
  const apart = cell.low > before.high || cell.high < before.low;
  const good = timesAsGood(better, cell.median, before.median) > 1;
  return { share: cell.median / before.median - 1, direction: apart ? (good ? "better" : "worse") : null };
}

// A bar as long as the value is good, against the best.
const bar = (share, mark) => h("span", { class: mark ? "track marked" : "track", "aria-hidden": "true" }, h("span", { style: `width:${(100 * share).toFixed(1)}%` }));

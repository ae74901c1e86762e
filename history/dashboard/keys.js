"use strict";
// Charts by keyboard: arrows go from point to point and from series to series, and the readout says
// where one is. A pointer moves the same readout, silently.

// `lines`: series with `x`, a list of places on the axis, and `tell(at)`, the words of a point.
// Gives the readout.
function chartKeys(box, chart, lines) {
  const readout = h("p", { class: "readout" }, "Point at the chart, or focus it and use the arrow keys.");
  let [line, at, kept] = [0, null, false];
  const say = (loud) => {
    readout.setAttribute("aria-live", loud ? "polite" : "off");
    fill(readout, lines[line].tell(at), kept ? h("span", { class: "note" }, " Kept; Enter or a click lets it go.") : null);
  };
  const mark = () => {
    const x = chart.valToPos(lines[line].x[at], "x");
    chart.setCursor({ left: x, top: chart.cursor.top >= 0 ? chart.cursor.top : 10 }, false);
  };
  const keep = (loud) => { kept = !kept; say(loud); };
  box.addEventListener("keydown", (event) => {
    const count = lines[line].x.length;
    const last = count - 1;
    const moves = {
      ArrowLeft: () => (at == null ? last : Math.max(0, at - 1)), ArrowRight: () => (at == null ? 0 : Math.min(last, at + 1)),
      PageUp: () => Math.max(0, (at ?? last) - 10), PageDown: () => Math.min(last, (at ?? 0) + 10),
      Home: () => 0, End: () => last,
    };
    if (event.target !== box || event.ctrlKey || event.altKey || event.metaKey) return;
    if (moves[event.key]) at = moves[event.key]();
    else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && lines.length > 1) {
      const x = at == null ? null : lines[line].x[at];
      line = (line + (event.key === "ArrowDown" ? 1 : -1) + lines.length) % lines.length;
      at = x == null ? lines[line].x.length - 1 : nearest(lines[line].x, x);
    } else if (event.key === "Enter" && at != null) { keep(true); event.preventDefault(); return; } else return;
    event.preventDefault();
    kept = false;
    mark();
    say(true);
  });
  // Of a pointer: the nearest point of the line that is nearest.
  chart.over.addEventListener("mousemove", () => {
    if (kept || chart.cursor.left < 0) return;
    const x = chart.posToVal(chart.cursor.left, "x");
    const y = chart.posToVal(chart.cursor.top, "y");
    const far = (one) => Math.abs((one.y?.[nearest(one.x, x)] ?? 0) - y);
    line = lines.reduce((best, one, place) => (far(one) < far(lines[best]) ? place : best), 0);
    at = nearest(lines[line].x, x);
    say(false);
  });
  // A drag ends with a click, too.
  let pressed = 0;
  chart.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
  chart.over.addEventListener("click", (event) => { if (at != null && Math.abs(event.clientX - pressed) <= 3) keep(false); });
  return readout;
}

// The place of the value that is nearest in a sorted list.
function nearest(sorted, wanted) {
  let [low, high] = [0, sorted.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle; else high = middle;
  }
  return Math.abs(sorted[high] - wanted) < Math.abs(sorted[low] - wanted) ? high : low;
}

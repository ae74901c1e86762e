"use strict";
// A legend: each series by its colour and its dash, as the chart draws them.

function swatch(place) {
  const dash = dashOf(place).join(" ");
  return svg("svg", { width: 36, height: 12, "aria-hidden": "true" },
    svg("line", { x1: 1, x2: 35, y1: 6, y2: 6, "stroke-width": 2.5, "stroke-dasharray": dash || null, style: `stroke: var(--series-${place % COLOURS})` }));
}

// `more(place)`: what stands behind a name.
function legend(labels, more = () => null) {
  return h("ul", { class: "legend", "aria-label": "Legend" }, labels.map((label, place) => h("li", {}, swatch(place), h("span", {}, label), more(place))));
}

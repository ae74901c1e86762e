"use strict";
// What every chart shares: colours and dashes that tell series apart, axes, and its size.

// Seven colours that colour-blind readers tell apart, on light and on dark, and a dash for each
// round through them.
const COLOURS = 7;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const strokeOf = (place) => css(`--series-${place % COLOURS}`);
const dashOf = (place) => DASHES[(place + 2 * Math.floor(place / COLOURS)) % DASHES.length];
const bandOf = (place) => `${strokeOf(place)}33`;

// The ends of a band: drawn by the band alone.
const edge = (label, more) => ({ label, stroke: "transparent", points: { show: false }, ...more });

function axis(label) {
  return { label, stroke: css("--ink"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
}

// A box for a chart. It takes the focus; what its keys do, and what they read out, is in keys.js.
function chartBox(label) {
  return h("div", { class: "chart", role: "group", "aria-roledescription": "chart", "aria-label": label, tabindex: "0" });
}

function plot(parent, options, data) {
  const height = options.height ?? 360;
  const width = () => Math.max(260, Math.min(1260, parent.clientWidth - 18));
  const chart = new uPlot({ legend: { show: false }, cursor: { focus: { prox: 24 } }, ...options, width: width(), height }, data, parent);
  const resize = () => { if (parent.isConnected) chart.setSize({ width: width(), height }); else removeEventListener("resize", resize); };
  addEventListener("resize", resize);
  return chart;
}

"use strict";
// The chart of series over time: medians as lines, intervals as bands, change points with labels.

function drawLines(box, all, marks, zoom, onZoom) {
  const data = aligned(all);
  const [{ meta }] = all;
  // Months where a tick is longer than some weeks, else days.
  const tick = (seconds, step) => new Date(seconds * 1000).toISOString().slice(0, step >= 28 * 86400 ? 7 : 10);
  let ready = false;
  const chart = plot(box, {
    height: innerWidth < 640 ? 300 : 400,
    scales: { x: { time: true }, y: { range: (u) => spanInView(u, all) } },
    axes: [{ ...axis("day (UTC)"), space: 90, values: (_, ticks, place, space, step) => ticks.map((seconds) => tick(seconds, step)) },
      { ...axis((u) => withStart(metricIn(meta.metric, meta.unit), u.scales.y.min)), size: 80 }],
    padding: [marks.length ? 24 : 10, 40, null, null],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    series: [{}, ...all.map((one) => ({ label: one.subject, stroke: "transparent", points: { show: false } }))],
    hooks: {
      // Drawn here and not by the library, whose lines and bands reach over the end of an epoch where
      // points are close.
      draw: [(u) => {
        inside(u, () => all.forEach((one, place) => segments(one.points).forEach((part) => band(u, part, bandOf(place)))));
        inside(u, () => all.forEach((one, place) => segments(one.points).forEach((part) => stroke(u, part, place, one.points.length < 60))));
        drawMarks(u, all, marks);
      }],
      setScale: [(u, key) => { if (ready && key === "x") onZoom(u, data[0]); }],
    },
  }, data);
  const [first, last] = [data[0][0], data[0].at(-1)];
  if (zoom.from != null || zoom.to != null) chart.setScale("x", { min: zoom.from ?? first, max: zoom.to ?? last });
  // Scales settle after this function; only what the reader does from then on is news.
  setTimeout(() => { ready = true; });
  return chart;
}

// An axis that leaves out the zero makes changes look larger than they are: it says so.
const withStart = (label, start) => (start === 0 ? label : `${label} (axis starts at ${number(start)})`);

// From the lowest to the highest end of an interval in view, with some room.
function spanInView(u, all) {
  const [min, max] = u.series[0].idxs.map((at) => u.data[0][at]);
  const seen = all.flatMap(({ points }) => points.filter(({ t }) => !(t < min || t > max)));
  const [low, high] = [Math.min(...seen.map((p) => p.low)), Math.max(...seen.map((p) => p.high))];
  return Number.isFinite(low) ? uPlot.rangeNum(low, high, 0.1, false) : [0, 1];
}

function inside(u, paint) {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  paint();
  u.ctx.restore();
}

// The interval of each point of one epoch; that of a point alone is a stroke.
function band(u, points, colour) {
  const x = (point) => u.valToPos(point.t, "x", true);
  const y = (value) => u.valToPos(value, "y", true);
  const { ctx } = u;
  ctx.fillStyle = colour;
  if (points.length === 1) {
    const [{ low, high }] = points;
    ctx.fillRect(x(points[0]) - 2, y(high), 4, y(low) - y(high));
    return;
  }
  ctx.beginPath();
  points.forEach((point) => ctx.lineTo(x(point), y(point.high)));
  [...points].reverse().forEach((point) => ctx.lineTo(x(point), y(point.low)));
  ctx.fill();
}

// The medians of one epoch.
function stroke(u, points, place, dots) {
  const ratio = devicePixelRatio || 1;
  const { ctx } = u;
  ctx.strokeStyle = ctx.fillStyle = strokeOf(place);
  ctx.lineWidth = 1.75 * ratio;
  ctx.setLineDash(dashOf(place).map((part) => part * ratio));
  const at = points.map((point) => [u.valToPos(point.t, "x", true), u.valToPos(point.median, "y", true)]);
  ctx.beginPath();
  at.forEach(([x, y]) => ctx.lineTo(x, y));
  ctx.stroke();
  const size = dots || points.length === 1 ? 2.5 * ratio : 0;
  if (size) at.forEach(([x, y]) => { ctx.beginPath(); ctx.arc(x, y, size, 0, 2 * Math.PI); ctx.fill(); });
}

function drawMarks(u, all, marks) {
  const starts = new Set(all.flatMap(({ points }) => segments(points).slice(1).map(([first]) => first.t)));
  let end = -Infinity;
  [...starts].sort((a, b) => a - b).forEach((t) => {
    const x = upright(u, t, css("--soft"), [2, 4]);
    end = lettering(u, ["host changed: not comparable", "host changed"], { x, y: 14, colour: css("--ink"), aside: true, end });
  });
  end = -Infinity;
  [...marks].sort((a, b) => a.first_bad.started_ms - b.first_bad.started_ms).forEach((mark) => {
    const colour = css(mark.state === "dismissed" ? "--soft" : mark.worse ? "--worse" : "--better");
    const x = upright(u, mark.first_bad.started_ms / 1000, colour, [7, 4]);
    const size = `${percent(mark.change.factor)} ${mark.state}`;
    end = lettering(u, [`${mark.letter}: ${mark.series.subject} ${size}`, `${mark.letter}: ${size}`, mark.letter], { x, y: -6, colour, end });
  });
}

// A line from top to bottom; where it stands, or null outside of the view.
function upright(u, seconds, colour, dash) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  const x = u.valToPos(seconds, "x", true);
  if (x < bbox.left || x > bbox.left + bbox.width) return null;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash(dash.map((part) => part * ratio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
  return x;
}

// The first of `texts` that fits behind `end`, over the line at `x` or beside it. Gives its own end.
function lettering(u, texts, { x, y, colour, aside = false, end }) {
  if (x == null) return end;
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.fillStyle = colour;
  [ctx.textAlign, ctx.textBaseline] = ["left", "alphabetic"];
  const placed = texts.map((text) => {
    const width = ctx.measureText(text).width;
    const right = x + 5 * ratio;
    const left = !aside ? x - width / 2 : right + width <= bbox.left + bbox.width ? right : x - 5 * ratio - width;
    return { text, width, left: Math.max(bbox.left, Math.min(left, bbox.left + bbox.width - width)) };
  });
  const found = placed.find(({ left, width }) => left > end + 6 * ratio && width <= bbox.width);
  if (found) ctx.fillText(found.text, found.left, bbox.top + y * ratio);
  ctx.restore();
  return found ? found.left + found.width : end;
}

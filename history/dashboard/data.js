"use strict";
// The data of the pages: small scripts, because a page from a disk can load scripts but no files.

const loaded = new Map(); // data file -> promise of its content
const waiting = new Map();

// Data files call this.
window.shakedownData = (name, data) => waiting.get(name)?.(data);

function attach(tag, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${attributes.src ?? attributes.href} is missing; build the site again`));
    document.head.append(element);
  });
}

function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      attach("script", { src: `data/${name}.js` }).catch(reject);
    }));
  }
  return loaded.get(name);
}

// The charts' library, for pages that have a chart.
let charts = null;
function loadCharts() {
  charts ??= Promise.all([
    attach("link", { rel: "stylesheet", href: "vendor/uPlot.min.css" }),
    attach("script", { src: "vendor/uPlot.iife.min.js" }),
  ]);
  return charts;
}

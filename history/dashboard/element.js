"use strict";
// Elements from text only: names come from anybody, and none of them becomes markup.

// What can't be seen, or turns the text around it, is written out.
const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const shown = (child) => (child instanceof Node ? child : plain(child));

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  return fill(element, ...children);
}

function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child != null && child !== false).map(shown));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A second line below a name.
const below = (text) => h("span", { class: "below" }, text);
// What a narrow window shows below a name, because it has no room for the columns.
const narrow = (text) => h("span", { class: "narrow" }, text);

// For readers who hear the page.
const announce = (text) => { document.getElementById("status").textContent = plain(text); };

// A scenario's id, which breaks after its slashes.
const breakable = (id) => h("span", {}, id.split("/").flatMap((part, at, all) => (at < all.length - 1 ? [`${part}/`, h("wbr")] : [part])));

const alertOf = (...text) => h("p", { class: "alert", role: "alert" }, ...text);

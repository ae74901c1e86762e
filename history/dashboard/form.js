"use strict";
// Fields whose values live in the address.

// `options`: texts, or [value, text].
function choose(label, name, options, chosen) {
  return h("label", {}, label, h("select", { name }, options.map((option) => {
    const [value, text] = [option].flat().length === 2 ? option : [option, option];
    return h("option", { value, selected: value === chosen }, text);
  })));
}

// A form of the page: what changes is the page's new state.
function form(...fields) {
  const element = h("form", { role: "search", onsubmit: (event) => event.preventDefault() }, fields);
  element.addEventListener("change", (event) => {
    if (event.target.type === "search") return;
    const data = new FormData(element);
    go(Object.fromEntries([...new Set(data.keys())].map((name) => [name, data.getAll(name)])));
  });
  return element;
}

// A field that filters as one types. `filter` gets a predicate over texts.
function searchField(label, query, filter) {
  const input = h("input", { type: "search", name: "find", value: query.find ?? "", placeholder: "tls1.3 server" });
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    filter((text) => { const low = text.toLowerCase(); return words.every((word) => low.includes(word)); });
  };
  input.addEventListener("input", () => { remember({ find: input.value.trim() || null }); apply(); });
  return { field: h("label", {}, label, input), apply };
}

// A text field with suggestions.
function suggest(label, name, value, options) {
  const id = `known-${name}`;
  return h("label", {}, label, h("input", { name, value, list: id, autocomplete: "off", spellcheck: "false", size: "36" }),
    h("datalist", { id }, options.map((option) => h("option", { value: option }))));
}

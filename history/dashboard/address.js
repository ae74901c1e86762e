"use strict";
// The address after # holds everything that a page shows, so that a view can be shared.

// `#/page?name=value`; a list is a name that comes again.
function link(page, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one != null && one !== "") search.append(name, one);
  }
  return search.size ? `#/${page}?${search}` : `#/${page}`;
}

// The page and its state, as the address says them.
function address() {
  const [, page = "front", search = ""] = /^#\/([^?]*)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const all = new URLSearchParams(search);
  const lists = Object.fromEntries([...new Set(all.keys())].map((name) => [name, all.getAll(name)]));
  return { page, lists, query: Object.fromEntries(all) };
}

// Puts state into the address without drawing the page again; null takes it out.
function remember(changes) {
  const { page, lists } = address();
  history.replaceState(null, "", link(page, { ...lists, ...changes }));
  document.getElementById("main").dataset.drawn = location.hash;
}

// Goes on to another state of the same page.
function go(changes) {
  const { page, lists } = address();
  location.hash = link(page, { ...lists, ...changes });
}

"use strict";
// A table of cells that one walks through with the arrow keys, with a note on the cell that has the
// focus or the pointer. Enter follows the cell's link.

function grid(label, groups) {
  const tip = h("div", { class: "tip", id: "tip", role: "tooltip", hidden: true });
  const element = h("table", { role: "grid", "aria-label": label, class: "grid" }, groups);
  const box = h("div", { class: "scroll" }, element);
  const cells = () => [...element.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]).filter((row) => row.length);
  const first = element.querySelector("td");
  if (first) first.tabIndex = 0;
  const hide = () => { tip.hidden = true; element.querySelector("[aria-describedby]")?.removeAttribute("aria-describedby"); };
  const show = (cell) => {
    hide();
    if (!cell.tell) return;
    fill(tip, cell.tell(), cell.dataset.href ? h("a", { href: cell.dataset.href, tabindex: "-1" }, "Over time") : null);
    tip.hidden = false;
    cell.setAttribute("aria-describedby", "tip");
    const [at, size] = [cell.getBoundingClientRect(), tip.getBoundingClientRect()];
    tip.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8))}px`;
    tip.style.top = `${at.bottom + size.height > innerHeight ? at.top - size.height : at.bottom}px`;
  };
  element.addEventListener("pointerover", (event) => { const cell = event.target.closest("td"); if (cell && event.pointerType === "mouse") show(cell); });
  box.addEventListener("pointerleave", (event) => { if (!tip.contains(event.relatedTarget)) hide(); });
  tip.addEventListener("pointerleave", hide);
  element.addEventListener("focusin", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    element.querySelectorAll("td[tabindex='0']").forEach((other) => { other.tabIndex = -1; });
    cell.tabIndex = 0;
    show(cell);
  });
  element.addEventListener("focusout", (event) => { if (!tip.contains(event.relatedTarget)) hide(); });
  element.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const rows = cells();
    const y = rows.findIndex((row) => row.includes(cell));
    const x = rows[y].indexOf(cell);
    const to = (row, column) => rows[Math.max(0, Math.min(rows.length - 1, row))]?.[column];
    const moves = { ArrowLeft: () => rows[y][x - 1], ArrowRight: () => rows[y][x + 1], ArrowUp: () => to(y - 1, x), ArrowDown: () => to(y + 1, x), Home: () => rows[y][0], End: () => rows[y].at(-1) };
    if (event.key === "Escape") hide();
    else if (event.key === "Enter" && cell.dataset.href) location.hash = cell.dataset.href;
    else if (moves[event.key]) { moves[event.key]()?.focus(); event.preventDefault(); }
  });
  addEventListener("scroll", hide, { passive: true });
  return h("div", {}, box, tip);
}

// A cell: `tell` gives the note on it.
function gridCell({ column, text, more, kind, href, tell }) {
  const cell = h("td", { role: "gridcell", tabindex: "-1", class: kind, "data-column": column, "data-href": href }, text, more);
  cell.tell = tell;
  return cell;
}

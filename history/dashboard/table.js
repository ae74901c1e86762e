"use strict";
// A table that sorts by its headers. `sort` is what the address says of the order, and the address
// is told of every change: `Name`, or `-Name` for descending. `show(rows, caption)` changes the rows.
// `group` gives what stands above rows that have it in common, as long as nothing else orders them.

const FIRST_ROWS = 300;

function table(caption, columns, rows, sort, group = null) {
  const [body, title] = [h("tbody"), h("caption", {}, caption)];
  const more = h("p", { class: "more" });
  const named = sort?.replace(/^-/, "");
  const sorted = columns.findIndex((column) => column.key && column.name === named);
  let order = sorted < 0 ? null : { at: sorted, sign: sort.startsWith("-") ? -1 : 1 };
  let all = rows;
  let most = FIRST_ROWS;
  const classes = (column) => [column.class, column.wide ? "wide" : null].filter(Boolean).join(" ") || null;
  const draw = () => {
    const shownRows = inOrder(all, order && { key: columns[order.at].key, sign: order.sign });
    const grouped = group && !order;
    body.replaceChildren(...shownRows.slice(0, most).flatMap((row, at) => {
      const line = h("tr", {}, columns.map((column) => h("td", { class: classes(column) }, column.show(row, grouped))));
      const begins = grouped && (at === 0 || group(shownRows[at - 1]) !== group(row));
      return begins ? [h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: String(columns.length) }, breakable(group(row)))), line] : [line];
    }));
    fill(more, all.length > most ? h("button", { type: "button", onclick: () => { most = Infinity; draw(); } }, `Show all ${plural(all.length, "row")}`) : null);
    heads.forEach((head, at) => {
      if (order?.at === at) head.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const press = (column, at) => {
    order = { at, sign: order?.at === at ? -order.sign : 1 };
    if (sort !== undefined) remember({ sort: `${order.sign < 0 ? "-" : ""}${column.name}` });
    draw();
  };
  const heads = columns.map((column, at) => h("th", { scope: "col", class: classes(column) },
    column.key ? h("button", { type: "button", onclick: () => press(column, at) }, column.name) : column.name));
  draw();
  const box = h("div", {}, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, title, h("thead", {}, h("tr", {}, heads)), body)), more);
  box.show = (rows, caption) => { all = rows; fill(title, caption); draw(); };
  return box;
}

function inOrder(rows, order) {
  if (!order) return rows;
  return [...rows].sort((a, b) => {
    const [x, y] = [order.key(a), order.key(b)];
    return (typeof x === "number" ? x - y : releaseOrder.compare(x, y)) * order.sign;
  });
}

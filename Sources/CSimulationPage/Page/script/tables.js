// Tables, and what is opened and chosen in them.

const head = (columns) => h("thead", {}, h("tr", {}, columns.map((text, i) =>
  h("th", { scope: "col", class: i ? "num" : null }, text))));

const line = (cells) => h("tr", {}, cells.map((cell, i) => i
  ? h("td", { class: "num" }, typeof cell === "number" ? number(cell) : cell)
  : h("th", { scope: "row" }, cell)));

/// A table of a few lines: texts in the first column, numbers in the others.
const plainTable = (caption, columns, rows) =>
  h("table", {}, h("caption", { class: "quiet" }, caption), head(columns), h("tbody", {}, rows.map(line)));

/// The same for A and B.
const sidesTable = (caption, rows) => plainTable(caption, [quiet("What"), key("a"), key("b")], rows);

/// A table that is opened by its summary, for those who would rather read than look.
const hiddenTable = (caption, columns, rows, summary = "As a table") =>
  h("details", {}, h("summary", {}, summary),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${caption}, as a table` },
      plainTable(caption, columns, rows)));

/// A table that is sorted by its head, at first by the column `by`, the largest first.
///
/// A column has `title`, `of` (what is compared) and `cell` (what is shown). A row becomes a `tbody` of its own, so that what
/// `detail` shows under it stays with it. The first `limit` rows are shown until somebody wants all.
const sortable = ({ caption, columns, rows, by, limit = 12, detail }) => {
  const body = (row) => (detail ? openable(row, columns, detail) : h("tbody", {}, cells(row, columns)));
  const bodies = rows.map((row) => ({ row, body: body(row) }));
  const heads = columns.map((column, i) =>
    h("th", { scope: "col", class: column.class }, h("button", { type: "button", onclick: () => sort(i) }, column.title)));
  const table = h("table", { class: "sortable" }, h("caption", { class: "quiet" }, caption), h("thead", {}, h("tr", {}, heads)));
  const all = h("button", { type: "button", class: "button", onclick: () => fill(Infinity) }, `Show all ${number(rows.length)}`);
  const rest = h("p", { class: "rest" }, all);
  let most = limit;

  const fill = (newMost) => {
    most = newMost;
    for (const { body } of bodies) body.remove();
    table.append(...bodies.slice(0, most).map(({ body }) => body));
    rest.hidden = bodies.length <= most;
  };
  const sort = (i) => {
    // At first the largest numbers, and texts from their beginning.
    const isText = rows.length > 0 && typeof columns[i].of(rows[0]) === "string";
    const before = heads[i].getAttribute("aria-sort");
    const isDown = before ? before === "ascending" : !isText;
    const compare = isText ? (x, y) => x.localeCompare(y, "en", { numeric: true }) : (x, y) => x - y;
    bodies.sort((x, y) => (isDown ? -1 : 1) * compare(columns[i].of(x.row), columns[i].of(y.row)));
    for (const other of heads) other.removeAttribute("aria-sort");
    heads[i].setAttribute("aria-sort", isDown ? "descending" : "ascending");
    fill(most);
  };
  sort(by);
  return [h("div", {}, table), rest];
};

const cells = (row, columns) => h("tr", {}, columns.map((column, i) =>
  h(i ? "td" : "th", { scope: i ? null : "row", class: column.class }, column.cell(row))));

/// A row whose first cell is a button that opens what is under it. Arrows go from row to row, Escape closes.
const openable = (row, columns, detail) => {
  const id = newId();
  let under = null;
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  const toggle = () => {
    button.setAttribute("aria-expanded", !isOpen());
    if (!under) body.append(under = h("tr", { class: "drill", id }, h("td", { colspan: columns.length }, detail(row))));
    under.hidden = !isOpen();
  };
  const attributes = { type: "button", class: "open-row", "aria-expanded": "false", "aria-controls": id, onclick: toggle };
  const button = h("button", attributes, columns[0].cell(row));
  const press = (event) => {
    const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    const next = way && event.target === button && body[way]?.querySelector(".open-row");
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (event.key === "Escape" && isOpen()) {
      toggle();
      button.focus();
    }
  };
  const body = h("tbody", { onkeydown: press }, cells(row, [{ ...columns[0], cell: () => button }, ...columns.slice(1)]));
  return body;
};

/// Buttons of which one is on, as the browser knows them: arrows choose.
const choice = (label, options, chosen) => {
  const group = newId();
  return h("fieldset", { class: "switch" }, h("legend", { class: "quiet" }, label), options.map((option, i) =>
    h("label", {}, h("input", { type: "radio", name: group, checked: i === 0, onchange: () => chosen(option) }),
      h("span", {}, option))));
};

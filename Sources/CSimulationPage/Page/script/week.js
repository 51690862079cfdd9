// Hours and weekdays: a table for A, one for B, one for the difference. One cell of each is looked at.

const week = () => {
  const all = [A, B].flatMap((side) => [...side.heat.created, ...side.heat.suppressed]);
  if (!sum(all.flat())) return;
  const readout = h("output", { class: "readout" },
    h("span", { class: "hint" }, "Point at an hour, or focus one and use the arrow keys."));
  const grids = h("div", { class: "weeks" });
  let what = "created", here = { day: 0, hour: 9 };

  const select = (place, table) => {
    here = place;
    const at = `${place.day} ${place.hour}`;
    for (const cell of grids.querySelectorAll("td")) {
      cell.classList.toggle("here", cell.dataset.at === at);
      cell.tabIndex = cell.dataset.at === at ? 0 : -1;
    }
    table?.querySelector(`[data-at="${at}"]`).focus();
    const of = (side) => side.heat[what][place.day][place.hour];
    readout.replaceChildren(h("b", {}, `${days[place.day]} ${two(place.hour)}:00 to ${two(place.hour + 1)}:00`),
      `: ${what} `, ...compared(of(A), of(B)));
  };
  const draw = () => {
    grids.replaceChildren(...weekTables(what));
    for (const cell of grids.querySelectorAll(`[data-at="${here.day} ${here.hour}"]`)) cell.tabIndex = 0;
  };
  const look = (event) => {
    const [day, hour] = event.target.closest("td")?.dataset.at.split(" ").map(Number) ?? [];
    if (day !== undefined) select({ day, hour });
  };
  const press = (event) => {
    const steps = {
      ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -23], End: [0, 23],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const within = (n, most) => Math.max(0, Math.min(most, n));
    select({ day: within(here.day + step[0], 6), hour: within(here.hour + step[1], 23) }, event.target.closest("table"));
  };
  for (const type of ["pointerover", "focusin"]) grids.addEventListener(type, look);
  grids.addEventListener("keydown", press);
  draw();
  const chosen = (option) => { what = option; draw(); };
  show("week", h("div", { class: "choices" }, choice("What is shown", ["created", "suppressed"], chosen)),
    legend([moreMark(), "more with B"],
      [mark(s("circle", { class: "fewer-b", cx: 15, cy: 6.5, r: 5.5 })), "fewer with B"]), grids, readout);
};

const weekTables = (what) => {
  const a = A.heat[what], b = B.heat[what];
  const change = a.map((row, day) => row.map((n, hour) => b[day][hour] - n));
  const most = Math.max(1, ...a.flat(), ...b.flat()), largest = Math.max(1, ...change.flat().map(Math.abs));
  const shaded = (n) => h("td", { style: { "--v": String(n ? 8 + (92 * n) / most : 0) } }, quiet(number(n)));
  const marked = (n) => h("td", {}, quiet(signed(n)),
    n ? h("i", { class: n > 0 ? "up" : "down", style: { "--s": `${35 + 65 * Math.sqrt(Math.abs(n) / largest)}%` } }) : null);
  return [weekTable("a", [key("a"), ` ${what}`], a, shaded), weekTable("b", [key("b"), ` ${what}`], b, shaded),
    weekTable("d", `Difference in ${what}`, change, marked)];
};

const weekTable = (kind, caption, numbers, cell) => {
  const hours = Array.from({ length: 24 }, (_, hour) => h("th", { scope: "col" }, hour % 6 ? quiet(two(hour)) : two(hour)));
  const placed = (n, day, hour) => {
    const element = cell(n);
    element.dataset.at = `${day} ${hour}`;
    element.tabIndex = -1;
    return element;
  };
  return h("table", { class: `heat ${kind}` }, h("caption", {}, caption),
    h("colgroup", {}, h("col"), hours.map(() => h("col"))),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, quiet("Day")), hours)),
    h("tbody", {}, numbers.map((row, day) =>
      h("tr", {}, h("th", { scope: "row" }, days[day]), row.map((n, hour) => placed(n, day, hour))))));
};

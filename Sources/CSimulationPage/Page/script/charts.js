// Charts: how one is looked through, and what several have in common.

const legend = (...items) => h("p", { class: "legend" }, items.map(([sample, text]) => h("span", {}, sample, text)));
/// A sample of a mark of a chart, 30 wide and 13 high.
const mark = (...parts) =>
  h("span", { class: "chart swatch" }, s("svg", { class: "swatch", viewBox: "0 0 30 13", "aria-hidden": true }, parts));
const box = (classes) => h("span", { class: `swatch ${classes}`, "aria-hidden": true });

const moreMark = () => mark(s("rect", { class: "more-b", x: 9, y: 0, width: 12, height: 12 }));
const fewerMark = () => mark(s("rect", { class: "fewer-b", x: 9, y: 1, width: 12, height: 11 }));

/// A chart that is looked through with the pointer or the arrow keys, place by place, and says in words what is there.
///
/// - `draw(width)` gives `{ height, parts, places: [{ x, width }], words(i) }`; it is asked again when the width changes.
const chart = (label, draw) => {
  const readout = h("output", { class: "readout", "aria-hidden": true },
    h("span", { class: "hint" }, "Point at the chart, or focus it and use the arrow keys."));
  const frame = h("div", { class: "chart", tabindex: 0, role: "slider", "aria-label": label, "aria-valuemin": 0 });
  let at = -1, drawn = null, width = 0;

  const select = (i) => {
    at = Math.max(0, Math.min(drawn.places.length - 1, i));
    drawn.band.setAttribute("x", drawn.places[at].x);
    drawn.band.setAttribute("width", Math.max(1, drawn.places[at].width));
    drawn.band.removeAttribute("visibility");
    readout.replaceChildren(...drawn.words(at));
    frame.setAttribute("aria-valuenow", at);
    frame.setAttribute("aria-valuetext", readout.textContent);
  };
  const redraw = () => {
    const now = Math.round(frame.clientWidth);
    if (!now || now === width) return;
    width = now;
    drawn = draw(width);
    drawn.band = s("rect", { class: "band", y: 0, height: drawn.height, visibility: "hidden" });
    frame.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${drawn.height}`, "aria-hidden": true }, drawn.band, drawn.parts));
    frame.setAttribute("aria-valuemax", drawn.places.length - 1);
    frame.setAttribute("aria-valuenow", Math.max(0, at));
    frame.setAttribute("aria-valuetext", "use the arrow keys");
    if (at >= 0) select(at);
  };
  const point = (event) => {
    const x = ((event.clientX - frame.getBoundingClientRect().left) * width) / frame.clientWidth;
    const i = drawn.places.findIndex((place) => x < place.x + place.width);
    select(i < 0 ? Infinity : i);
  };
  const press = (event) => {
    const many = Math.max(1, Math.round(drawn.places.length / 10));
    const steps = {
      ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: many, PageDown: -many, Home: -Infinity, End: Infinity,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    select(at + steps[event.key]);
  };
  frame.addEventListener("pointermove", point);
  frame.addEventListener("keydown", press);
  frame.addEventListener("focus", () => { if (at < 0) select(0); });
  new ResizeObserver(redraw).observe(frame);
  return [frame, readout];
};

/// Where a chart begins, right of the numbers of its axis.
const inset = (width) => (width < 500 ? 38 : 56);

const niceStep = (most, lines) => {
  const raw = Math.max(most, 1) / lines, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw && Number.isInteger(n)) ?? Math.ceil(raw);
};

/// Lines across at nice numbers up to `most`, and the numbers.
const rulings = (most, { left, right, top, height }, lines = 3) => {
  const parts = [];
  for (let n = 0; n <= most; n += niceStep(most, lines)) {
    const y = Math.round(top + height - (n * height) / most) + 0.5;
    parts.push(s("line", { class: n ? "grid" : "axis", x1: left, x2: right, y1: y, y2: y }),
      s("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, short(n)));
  }
  return parts;
};

/// For each row, `{ label, a, b }`, two bars side by side.
const bars = (label, rows, words) => chart(label, (width) => {
  const area = { left: inset(width), right: width - 2, top: 14, height: 190 };
  const bottom = area.top + area.height, step = (area.right - area.left) / rows.length;
  const most = Math.max(1, ...rows.flatMap((row) => [row.a, row.b])), thick = Math.max(1, Math.min(step * 0.8, 90) / 2 - 1);
  const skip = Math.ceil((Math.max(...rows.map((row) => row.label.length)) * 7 + 8) / step);
  const bar = (side, x, n) => {
    const height = (n * area.height) / most;
    return n ? s("rect", { class: `bar-${side}`, x, y: bottom - height, width: thick, height }) : null;
  };
  const parts = rows.map((row, i) => {
    const middle = area.left + (i + 0.5) * step;
    return [bar("a", middle - thick - 1, row.a), bar("b", middle + 1, row.b),
      i % skip ? null : s("text", { x: middle, y: bottom + 18, "text-anchor": "middle" }, row.label)];
  });
  const places = rows.map((_, i) => ({ x: area.left + i * step, width: step }));
  return { height: bottom + 26, parts: [rulings(most, area), parts], places, words: (i) => words(rows[i]) };
});

const barLegend = () => legend(
  [mark(s("rect", { class: "bar-a", x: 0, y: 0, width: 30, height: 13 })), "A"],
  [mark(s("rect", { class: "bar-b", x: 1, y: 1, width: 28, height: 11 })), "B"]);

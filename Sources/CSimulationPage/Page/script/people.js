// Who gains and who loses, and how much one person gets in a day.

const people = () => {
  const { gain, lose, same, seen, change, mostGained, mostLost } = data.subjects;
  if (!seen) return;
  const parts = [["fewer", lose, "get fewer with B"], ["equal", same, "get as many"], ["gains", gain, "get more"]];
  show("people", h("h2", {}, `Of ${count(seen, "subject")}`),
    h("div", { class: "strip", "aria-hidden": true },
      parts.map(([kind, n]) => (n ? h("span", { class: kind, style: { flex: String(n) } }) : null))),
    legend(...parts.map(([kind, n, text]) => [box(kind), `${number(n)} ${text}`])));
  if (!gain && !lose) return;
  show("people", changeChart(change), h("details", {}, h("summary", {}, "Who gains most, who loses most"),
    h("div", { class: "people" }, subjects("Lose most", mostLost), subjects("Gain most", mostGained))));
};

const subjects = (title, list) => list.length ? h("div", {}, h("h3", {}, title), plainTable(title, ["Subject", "A", "B"],
  list.map((one) => [name(one.subject), one.a, `${number(one.b)} (${signed(one.b - one.a)})`]))) : null;

/// How many subjects get how many more or fewer. Those that get as many have no bar: they would dwarf the others.
const changeChart = (change) => {
  const low = Math.min(-1, ...change.map((row) => row.delta)), high = Math.max(1, ...change.map((row) => row.delta));
  const counts = new Map(change.map((row) => [row.delta, row.subjects]));
  const rows = Array.from({ length: high - low + 1 }, (_, i) => ({ delta: low + i, subjects: counts.get(low + i) ?? 0 }));
  // The outermost ones gather what is beyond.
  const delta = (row) => signed(row.delta) + (Math.abs(row.delta) === 50 ? " and beyond" : "");
  return [h("h3", { class: "over" }, "How many more or fewer, per subject"),
    chart("Change per subject", (width) => drawChanges(rows, width, delta)),
    hiddenTable("Change per subject", ["B − A", "Subjects"], change.map((row) => [delta(row), row.subjects]))];
};

const drawChanges = (rows, width, delta) => {
  const step = width / rows.length, bottom = 80, zero = (0.5 - rows[0].delta) * step;
  const most = Math.max(1, ...rows.map((row) => (row.delta ? row.subjects : 0)));
  const bars = rows.map((row, i) => {
    const height = (row.subjects * 74) / most;
    const place = { x: (i + 0.1) * step, width: Math.max(1, step * 0.8), y: bottom - height, height };
    return row.delta && row.subjects ? s("rect", { class: row.delta > 0 ? "more-b" : "fewer-b", ...place }) : null;
  });
  const label = (x, anchor, text) => s("text", { x, y: bottom + 17, "text-anchor": anchor }, text);
  const parts = [bars, s("line", { class: "axis", x1: 0, x2: width, y1: bottom + 0.5, y2: bottom + 0.5 }),
    label(0, "start", signed(rows[0].delta)), label(width, "end", signed(rows.at(-1).delta)),
    zero > 40 && zero < width - 40 ? label(zero, "middle", "0") : null];
  const words = ({ delta: n, subjects }, text) =>
    [h("b", {}, n ? `${text} with B` : "as many"), `: ${count(subjects, "subject")}`];
  const places = rows.map((_, i) => ({ x: i * step, width: step }));
  return { height: bottom + 22, parts, places, words: (i) => words(rows[i], delta(rows[i])) };
};

const perDay = () => {
  const a = A.perDay, b = B.perDay, last = 24;
  if (!a.days && !b.days) return;
  const most = Math.max(1, ...[...a.histogram, ...b.histogram].map((bar) => bar.count));
  const filled = (side) => side.histogram.reduce((list, bar) => {
    list[Math.min(bar.count, last) - 1] += bar.days;
    return list;
  }, Array(Math.min(most, last)).fill(0));
  const ofB = filled(b);
  const rows = filled(a).map((n, i) => ({ label: i + 1 === last && most > last ? `${last}+` : String(i + 1), a: n, b: ofB[i] }));
  const both = (title, of) => [title, ...[a, b].map((side) => of(side) ?? "–")];
  show("per-day", h("div", { class: "two" },
    h("div", {}, barLegend(), bars("Notifications of one subject on one day", rows,
      (row) => [h("b", {}, `${row.label} a day`), ": on ", ...compared(row.a, row.b), " days"]),
      hiddenTable("Notifications per subject and day", ["A day", "Days, A", "Days, B"],
        rows.map((row) => [row.label, row.a, row.b]))),
    sidesTable("Notifications per subject and day, in short", [
      both("Mean", (side) => side.mean), both("Half of the days at most", (side) => side.p50),
      both("90 % at most", (side) => side.p90), both("99 % at most", (side) => side.p99), both("Most", (side) => side.max),
      both("Days on which all was refused", (side) => `${number(side.without)} (${percent(side.without, side.days)})`)])));
};

const waiting = () => {
  const a = A.timeToNext, b = B.timeToNext;
  if (!a.known && !b.known) return;
  const bounds = a.histogram.length > b.histogram.length ? a.histogram : b.histogram;
  const rows = bounds.map((bar, i) => ({ label: bar.below ?? "more", before: bounds[i - 1]?.below,
    a: a.histogram[i]?.count ?? 0, b: b.histogram[i]?.count ?? 0 }));
  const span = ({ label, before }) =>
    label === "more" ? `${before} or longer` : before ? `${before} to ${label}` : `less than ${label}`;
  const both = (title, of) => [title, ...[a, b].map((side) => of(side) ?? "–")];
  show("waiting", h("div", { class: "two" },
    h("div", {}, barLegend(), bars("Time until it would have been allowed", rows,
      (row) => [h("b", {}, span(row)), ": ", ...compared(row.a, row.b)]),
      hiddenTable("Time until it would have been allowed", ["Time", "A", "B"], rows.map((row) => [span(row), row.a, row.b]))),
    sidesTable("Time until it would have been allowed, in short", [
      both("Half of them at most", (side) => side.p50), both("90 % at most", (side) => side.p90),
      both("99 % at most", (side) => side.p99), both("Longest", (side) => side.max),
      both("Nobody can say", (side) => side.unknown)])));
};

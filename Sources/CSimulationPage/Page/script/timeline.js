// Created and suppressed over time.

const timeline = () => {
  if (!data.timeline) return;
  const { a, b, bucket, from, seconds } = data.timeline;
  const start = Date.parse(from);
  const rows = a.created.map((_, i) =>
    [stretch(start + i * seconds * 1000, seconds), a.created[i], b.created[i], a.suppressed[i], b.suppressed[i]]);
  show("timeline",
    legend(
      [mark(s("rect", { class: "area", width: 30, height: 13 }), s("path", { class: "line-a", d: "M0 1H30" })), "A, the area"],
      [mark(s("path", { class: "line-b", d: "M0 7H30" })), "B, the line"],
      [moreMark(), "more with B"], [fewerMark(), "fewer with B"]),
    chart(`Created and suppressed over time, in steps of ${bucket}`, (width) => drawTimeline(width, start)),
    hiddenTable("Created and suppressed over time",
      ["From (UTC)", "Created, A", "Created, B", "Suppressed, A", "Suppressed, B"], rows));
};

/// Sums of `k` numbers each.
const gathered = (list, k) =>
  Array.from({ length: Math.ceil(list.length / k) }, (_, i) => sum(list.slice(i * k, (i + 1) * k)));

const drawTimeline = (width, start) => {
  const left = inset(width), right = width - 2;
  // On a narrow screen several buckets are one.
  const k = Math.max(1, Math.ceil((data.timeline.a.created.length * 3) / (right - left)));
  const of = (side, what) => gathered(data.timeline[side][what], k);
  const created = { a: of("a", "created"), b: of("b", "created") };
  const suppressed = { a: of("a", "suppressed"), b: of("b", "suppressed") };
  const seconds = data.timeline.seconds * k, n = created.a.length, step = (right - left) / n;
  const panel = { left, right, step, height: 120 };
  const change = created.a.map((value, i) => created.b[i] - value);
  const parts = [
    drawPanel("Created", created, { ...panel, top: 24 }), drawPanel("Suppressed", suppressed, { ...panel, top: 186 }),
    drawChange(change, { ...panel, top: 330, height: 34 }), dateAxis(start, n * seconds * 1000, left, right, 430)];
  const words = (i) => [h("b", {}, stretch(start + i * seconds * 1000, seconds)),
    ": created ", ...compared(created.a[i], created.b[i]), ", suppressed ", ...compared(suppressed.a[i], suppressed.b[i])];
  return { height: 452, parts, places: change.map((_, i) => ({ x: left + i * step, width: step })), words };
};

const drawPanel = (title, { a, b }, panel) => {
  const { left, right, step, top, height } = panel, bottom = top + height, most = Math.max(1, ...a, ...b);
  const points = (list) => list.map((value, i) => {
    const y = (bottom - (value * height) / most).toFixed(1);
    return `${(left + i * step).toFixed(1)},${y} ${(left + (i + 1) * step).toFixed(1)},${y}`;
  }).join(" ");
  return [s("text", { class: "name", x: left, y: top - 10 }, title),
    s("polygon", { class: "area", points: `${left},${bottom} ${points(a)} ${right},${bottom}` }), rulings(most, panel, 2),
    s("polyline", { class: "line-a", points: points(a) }), s("polyline", { class: "line-b", points: points(b) })];
};

/// What is more goes up, what is fewer down from the middle.
const drawChange = (change, { left, right, step, top, height }) => {
  const most = Math.max(1, ...change.map(Math.abs)), middle = top + 24 + height;
  const bars = change.map((value, i) => {
    const size = (Math.abs(value) * height) / most;
    const place = { x: left + i * step + 0.5, width: Math.max(1, step - 1), y: value > 0 ? middle - size : middle, height: size };
    return value ? s("rect", { class: value > 0 ? "more-b" : "fewer-b", ...place }) : null;
  });
  const limit = (text, y) => s("text", { x: left - 8, y, "text-anchor": "end" }, text);
  return [s("text", { class: "name", x: left, y: top + 14 }, "Difference in created, B − A"), bars,
    s("line", { class: "axis", x1: left, x2: right, y1: middle + 0.5, y2: middle + 0.5 }),
    limit(`+${short(most)}`, middle - 26), limit(`−${short(most)}`, middle + 34)];
};

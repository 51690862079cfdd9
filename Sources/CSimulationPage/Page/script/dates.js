// The axis of time.

const hour = 3600e3, day = 24 * hour;
const evenSteps = [hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day];

/// Round moments from `start` on, at most `room` or so in `length` milliseconds: each with its label.
const moments = (start, length, room) => {
  const even = evenSteps.find((step) => length / step <= room);
  return even ? evenMoments(start, length, even) : monthMoments(start, length, room);
};

const evenMoments = (start, length, step) => {
  const found = [];
  for (let ms = Math.ceil(start / step) * step; ms <= start + length; ms += step) {
    const date = new Date(ms);
    found.push([ms, ms % day ? clock(date) : dayOf(date)]);
  }
  return found;
};

const monthMoments = (start, length, room) => {
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => length / (step * 30 * day) <= room) ?? 240;
  const first = new Date(start), found = [];
  for (let month = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step; ; month += step) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    if (date.getTime() > start + length) return found;
    const label = month % 12 && step < 12 ? months[month % 12] : String(date.getUTCFullYear());
    if (date.getTime() >= start) found.push([date.getTime(), label]);
  }
};

const dateAxis = (start, length, left, right, y) =>
  moments(start, length, Math.max(2, Math.floor((right - left) / 80))).map(([ms, label]) => {
    const x = left + ((ms - start) * (right - left)) / length, isFirst = x < left + 20;
    return [s("line", { class: "axis", x1: x, x2: x, y1: y, y2: y + 4 }), x > right - 18 ? null
      : s("text", { x: Math.max(x, left), y: y + 18, "text-anchor": isFirst ? "start" : "middle" }, label)];
  });

// Numbers and times in words.

const number = (n) => n.toLocaleString("en", { maximumFractionDigits: 2 }).replace("-", "−");
const signed = (n) => (n > 0 ? "+" : "") + number(n);
const short = (n) => (n >= 1e6 ? `${number(n / 1e6)}M` : n >= 1e4 ? `${number(n / 1e3)}k` : number(n));
const count = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
const percent = (part, whole) => (whole ? `${number(Math.round((1000 * part) / whole) / 10)} %` : "–");
const sum = (list) => list.reduce((total, n) => total + n, 0);
const two = (n) => String(n).padStart(2, "0");

/// What A and B say: `A 12   B 9 (−3)`.
const compared = (a, b) => [key("a"), ` ${number(a)}   `, key("b"), ` ${number(b)} (${signed(b - a)})`];

/// An instant of a decision, as decision lines have it.
const instant = (text) => text.replace("T", " ").replace("Z", " UTC");

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const clock = (date) => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
const dayOf = (date) => `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;

/// A stretch of so many seconds from a moment on.
const stretch = (start, seconds) => {
  const date = new Date(start);
  const day = `${days[(date.getUTCDay() + 6) % 7]} ${dayOf(date)} ${date.getUTCFullYear()}`;
  if (seconds < 86400) return `${day}, ${clock(date)}`;
  const last = new Date(start + (seconds - 86400) * 1000);
  return seconds === 86400 ? day : `${day} to ${dayOf(last)}`;
};

/// `list` and `other` joined by `id`, in the order of the first, then what only the other has.
const joined = (list, other) => {
  const found = new Map(other.map((item) => [item.id, item]));
  const known = new Set(list.map((item) => item.id));
  const rest = other.filter((item) => !known.has(item.id)).map((item) => ({ id: item.id, b: item }));
  return list.map((item) => ({ id: item.id, a: item, b: found.get(item.id) })).concat(rest);
};

// What came out differently, down to single decisions.

const worded = (outcome) => (outcome === "none" ? "nothing to decide" : outcome);

const differences = () => {
  const { biggest, rows, compared: pairs, same, outcome, reasons, content } = data.differences;
  if (!pairs) return;
  show("differences", h("p", { class: "note" }, `Of ${count(pairs, "pair")} of decisions, ${number(same)} are alike; `,
    `${number(outcome)} came out differently, ${number(reasons)} had other reasons, ${number(content)} other content.`));
  if (!biggest.length) return;
  const columns = differenceColumns(biggest);
  show("differences", sortable({ caption: "The biggest differences", by: 3, rows: biggest, columns, detail: samples }),
    rows > biggest.length ? minor(`These are the ${number(biggest.length)} biggest of ${number(rows)} rows.`) : null);
};

const differenceColumns = (biggest) => {
  const most = Math.max(...biggest.map((row) => row.count));
  const change = (row) => `${worded(row.a)} → ${worded(row.b)}`;
  const by = ({ by }) => by ? [key(by.side), " ", name(by.entry), by.code === by.entry ? null : minor(name(by.code))]
    : minor("neither refused");
  const share = (n) => h("span", { class: "share", style: { width: `${(100 * n) / most}%` }, "aria-hidden": true });
  return [
    { title: "Campaign", class: "wide", of: (row) => row.campaign,
      cell: (row) => [name(row.campaign), row.trigger === undefined ? null : h("span", { class: "beside" }, name(row.trigger))] },
    { title: "From A to B", class: "change", of: change, cell: change },
    { title: "Because of", class: "by-column", of: (row) => (row.by ? `${row.by.entry} ${row.by.code}` : ""), cell: by },
    { title: "Decisions", class: "num", of: (row) => row.count, cell: (row) => [number(row.count), share(row.count)] },
  ];
};

const samples = (row) => {
  const n = row.samples.length;
  const which = n < row.count ? `The first ${n} of ${number(row.count)}` : n === 1 ? "The only one" : `All ${n}`;
  return [minor(which, row.by ? [", refused under ", row.by.side.toUpperCase(), " by ", name(row.by.entry)] : null),
    h("ul", { class: "cards" }, row.samples.map(card))];
};

/// One candidate, and what both sides made of it.
const card = (one) => h("li", { class: "card" },
  h("p", { class: "card-head" }, h("b", {}, name(one.subject)), h("time", { datetime: one.time }, instant(one.time)),
    h("span", {}, name(one.campaign)), one.region === undefined ? null : h("span", {}, "in ", name(one.region)),
    h("span", {}, one.line === undefined ? "by a timer after the input" : `line ${number(one.line)}`),
    one.kind === "outcome" ? null : h("span", { class: "tag" }, one.kind === "reasons" ? "other reasons" : "other content")),
  h("div", { class: "both" }, outcomeOf("a", one.a), outcomeOf("b", one.b)));

const outcomeOf = (side, { outcome, notification, title, message, until, reasons = [], observed = [] }) => {
  const texts = [title, message].filter(Boolean).map((text, i) => [i ? ": " : null, name(text)]);
  const isNew = until !== undefined && !reasons.some((one) => one.until === until);
  return h("div", { class: side }, key(side), h("span", { class: "outcome" }, worded(outcome)),
    notification === undefined ? null : minor(name(notification)), texts.length ? h("p", { class: "said" }, texts) : null,
    h("ul", { class: "said" }, reasons.map((one) => reason(one)), observed.map((one) => reason(one, "would deny: "))),
    isNew ? minor(`allowed from ${instant(until)}`) : null);
};

const reason = ({ strategy, code, message, until, counter }, before = null) => {
  const source = [strategy, code === strategy ? null : code, counter].filter(Boolean).join(" · ");
  return h("li", {}, before, name(message ?? code), " ", h("span", { class: "mono" }, name(source)),
    until === undefined ? null : minor(`until ${instant(until)}`));
};

const first = () => {
  const list = data.differences.first, some = 4;
  if (!list.length) return;
  const cards = h("ul", { class: "cards" }, list.slice(0, some).map(card));
  const showAll = () => {
    put(cards, list.slice(some).map(card));
    rest.remove();
  };
  const button = h("button", { type: "button", class: "button", onclick: showAll }, `Show all ${number(list.length)}`);
  const rest = h("p", { class: "rest" }, button);
  show("first", cards, list.length > some ? rest : null);
};

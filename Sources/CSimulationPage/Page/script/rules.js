// What each entry of the chain was asked, and what it said.

const said = {
  denied: "denied", deferred: "deferred", collected: "collected", withheld: "withheld", observed: "would deny", faulted: "failed", abstained: "no opinion", allowed: "allowed",
};
const whyNot = {
  "disabled": "the entry is disabled", "off": "switched off for it", "no-parameters": "no parameters for it",
  "no-counter": "no such counter", "when": "its condition did not hold", "landing-page": "a landing page",
  "denied-before": "denied before", "allowed-before": "allowed before",
};

const rules = () => {
  const entries = joined(A.entries, B.entries);
  const most = Math.max(1, ...[...A.entries, ...B.entries].map((entry) => entry.asked));
  const host = hostRule();
  if (!entries.length && !host) return;
  const kinds = Object.entries({ ...said, observed: "would deny, does not count" });
  show("rules", legend(...kinds.map(([kind, text]) => [box(`of-none ${kind}`), text])),
    h("ol", { class: "rules" }, entries.map((entry) => rule(entry, most)), host));
};

const rule = ({ id, a, b }, most) => {
  const control = [...new Set([a?.control, b?.control].filter(Boolean))].join(" → ");
  const watches = control.includes("observer"), strategy = (a ?? b).strategy;
  return h("li", { class: "rule" },
    h("div", {}, h("h3", {}, name(id), h("span", { class: watches ? "tag shadow" : "tag" }, control)),
      strategy === id ? null : minor(name(strategy)), watches ? minor("Only watches: what it would have done") : null),
    h("div", {}, funnel("a", a, most), funnel("b", b, most),
      hiddenTable(`What ${id} said`, ["Said", "A", "B"], codes(a, b), "By code")));
};

/// How often it said what: in `denied` and its like by code.
const often = (entry, kind) => entry[kind].total ?? entry[kind];

const funnel = (side, entry, most) => {
  if (!entry) return h("div", { class: "pair" }, key(side), h("p", {}, `not in the chain of ${side.toUpperCase()}`));
  const kinds = Object.keys(said).filter((kind) => often(entry, kind));
  const bar = h("div", { class: "funnel", style: { width: `${(100 * entry.asked) / most}%` }, "aria-hidden": true },
    kinds.map((kind) => h("span", { class: kind, style: { flex: String(often(entry, kind)) } })));
  const against = kinds.filter((kind) => kind !== "allowed" && kind !== "abstained").map((kind) =>
    [" · ", h("b", {}, `${said[kind]} ${number(often(entry, kind))}`), ` (${percent(often(entry, kind), entry.asked)})`]);
  return h("div", { class: `pair of-${side}` }, key(side), bar, h("p", {}, `asked ${number(entry.asked)}`, against,
    entry.alone ? ` · alone stopped ${number(entry.alone)}` : null,
    entry.createdAnyway ? ` · would take away ${number(entry.createdAnyway)} of what was created` : null,
    entry.deletions.denied
      ? ` · of ${count(entry.deletions.asked, "deletion")} refused ${number(entry.deletions.denied)}` : null));
};

/// Lines of what was said on either side, with the numbers of both.
const codes = (a, b) => {
  const found = new Map();
  const add = (side, title, code, n) => {
    const id = JSON.stringify([title, code]);
    if (!found.has(id)) found.set(id, { title, code, a: 0, b: 0 });
    found.get(id)[side] += n;
  };
  for (const [side, entry] of [["a", a], ["b", b]]) {
    if (!entry) continue;
    for (const kind of Object.keys(said)) {
      const list = entry[kind].codes ?? (entry[kind] ? [{ code: null, count: entry[kind] }] : []);
      for (const one of list) add(side, said[kind], one.code, one.count);
    }
    for (const one of entry.notAsked) add(side, "not asked", whyNot[one.why] ?? one.why, one.count);
  }
  return [...found.values()].map((row) => [[row.title, row.code == null ? null : [": ", name(row.code)]], row.a, row.b]);
};

/// What the host itself has against candidates.
const hostRule = () => {
  const all = [...new Set([...A.host, ...B.host].map((one) => one.code))];
  const often = (side, code) => side.host.find((one) => one.code === code)?.count ?? 0;
  return all.length ? h("li", { class: "rule" }, h("div", {}, h("h3", {}, "belfry"), minor("The host itself")),
    h("div", {}, all.map((code) => h("p", {}, name(code), "  ", compared(often(A, code), often(B, code)))))) : null;
};

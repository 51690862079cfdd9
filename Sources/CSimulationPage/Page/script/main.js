// The page, from top to bottom.

const runs = () => {
  const both = (title, of) => [title, of(A), of(B)];
  const kinds = [...new Set([A, B].flatMap((side) => Object.keys(side.run.decisions)))];
  show("runs", sidesTable("The two runs", [
    both("Configuration", (side) => name(side.config)),
    both("Fingerprint", (side) => h("span", { class: "mono" }, name(side.fingerprint))),
    both("Time zone, where a subject has none", (side) => name(side.timeZone)),
    both("Signals processed", (side) => side.run.processed), both("Late", (side) => side.run.late),
    both("Duplicates", (side) => side.run.duplicates), both("Rejected", (side) => sum(Object.values(side.run.rejected))),
    both("Timers fired", (side) => side.run.timersFired),
    ...kinds.map((kind) => both(kind, (side) => side.run.decisions[kind] ?? 0))]));
};

const stripes = () => s("svg", { id: "stripes-defs", "aria-hidden": true }, s("defs", {},
  s("pattern", { id: "stripes", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { width: 5, height: 5 }), s("path", { d: "M1 0V5" }))));

const contents = () => {
  const sections = [...document.querySelectorAll("main > section[id]")].filter((section) => !section.hidden);
  show("contents", sections.map((section) => h("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)));
};

document.body.append(stripes());
for (const draw of [people, timeline, perDay, rules, waiting, week, differences, campaigns, first, runs, contents]) draw();

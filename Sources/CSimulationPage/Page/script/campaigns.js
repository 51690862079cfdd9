// What became of every campaign and group.

const measures = {
  created: (counts) => counts.created + counts.fired, suppressed: (counts) => counts.suppressed,
  deferred: (counts) => counts.deferred, deleted: (counts) => counts.deleted,
};

const campaigns = () => {
  const lists = { campaigns: joined(A.campaigns, B.campaigns), groups: joined(A.groups, B.groups) };
  if (!lists.campaigns.length) return;
  let list = "campaigns", measure = "created";
  const place = h("div", {});
  const draw = () => place.replaceChildren(...campaignTable(`${measure}, of ${list}`, lists[list], measures[measure]));
  draw();
  show("campaigns", h("div", { class: "choices" },
    choice("What is counted", Object.keys(measures), (chosen) => { measure = chosen; draw(); }),
    lists.groups.length ? choice("Of what", Object.keys(lists), (chosen) => { list = chosen; draw(); }) : null), place);
};

const campaignTable = (caption, rows, measure) => {
  const of = (side) => (row) => (row[side] ? measure(row[side].counts) : 0);
  const a = of("a"), b = of("b"), change = (row) => b(row) - a(row);
  const difference = (row) => [change(row) ? signed(change(row)) : "–",
    change(row) && a(row) ? h("span", { class: "beside" }, `(${percent(change(row), a(row))})`) : null];
  return sortable({ caption, by: 3, rows, columns: [
    { title: "Name", class: "wide", of: (row) => row.id,
      cell: (row) => [name(row.id), row.a && row.b ? null : minor(`only in ${row.a ? "A" : "B"}`)] },
    { title: "A", class: "num", of: a, cell: (row) => number(a(row)) },
    { title: "B", class: "num", of: b, cell: (row) => number(b(row)) },
    { title: "Difference", class: "num", of: (row) => Math.abs(change(row)), cell: difference },
  ] });
};

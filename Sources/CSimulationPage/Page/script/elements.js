// Draws what `belfry simulate --json` says, which is embedded in the page. Names and sentences in it come from outside: they
// become text nodes and nothing else, so nothing in these files parses markup. They are one script, in the order of page.c.

const data = JSON.parse(document.getElementById("data").textContent);
const A = data.a, B = data.b;

/// Adds children to an element: elements, texts, lists of them; null is nothing.
const put = (element, ...children) => element.append(...children.flat(Infinity).filter((child) => child != null));

/// An element with attributes, listeners (`on…`) and children. An attribute that is null or false is left out.
const make = (namespace) => (name, attributes = {}, ...children) => {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, to] of Object.entries(value)) element.style.setProperty(name, to);
    else element.setAttribute(key, value === true ? "" : value);
  }
  put(element, children);
  return element;
};
const h = make("http://www.w3.org/1999/xhtml");
const s = make("http://www.w3.org/2000/svg");
const byId = (id) => document.getElementById(id);

/// Fills a section of the page, which is hidden until then.
const show = (id, ...children) => {
  put(byId(id), children);
  byId(id).hidden = false;
};

let ids = 0;
const newId = () => `x${++ids}`;

/// Text from outside, which may be long and may be written from right to left.
const name = (text) => h("bdi", {}, text.length > 300 ? text.slice(0, 300) + "…" : text);
const key = (side) => h("span", { class: `key ${side}` }, side.toUpperCase());
const quiet = (text) => h("span", { class: "quiet" }, text);
const minor = (...children) => h("span", { class: "minor" }, children);

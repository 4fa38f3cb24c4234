// Elements, and the texts of a page in its language.

/** What the page was told: players, rules, texts. Null on a page that was told nothing. */
export const about = JSON.parse(document.getElementById("about")?.textContent ?? "null");

/** A text of the page, with `{name}` filled in. */
export function text(key, values = {}) {
  return (about.texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** An element: `make("p", {class: "note"}, "text", child)`. Properties that are functions listen: `onclick`. */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  const listening = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") {
      listening[name] = value;
      element.addEventListener(name.slice(2), (event) => element.listening[name]?.(event));
    } else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.listening = listening;
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Makes the children of an element those that are wanted. Nodes that are as wanted stay, so that a touch that has begun
 * ends where it began, and the focus is not lost; what they listen with is what the wanted ones had.
 */
export function fill(element, ...children) {
  const active = document.activeElement;
  patch(
    element,
    children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""),
  );
  const isMoved = active !== document.activeElement && element.contains(active);
  if (isMoved) active.focus({ preventScroll: true }); // what is moved loses the focus
}

function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? (node.dataset.key ?? node.id ?? "") : "";
}

function isLike(old, wanted) {
  return old.nodeName === wanted.nodeName && keyOf(old) === keyOf(wanted);
}

function patch(parent, wanted) {
  const nodes = wanted.map((child) => (child instanceof Node ? child : document.createTextNode(child)));
  const staying = new Set(nodes.filter((node) => node.parentNode === parent));
  const keys = new Set(nodes.map(keyOf).filter(Boolean));
  const isOver = (old) => !staying.has(old) && !keys.has(keyOf(old));
  let next = parent.firstChild;
  const dropNext = () => {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  };
  for (const node of nodes) {
    const rest = [];
    for (let old = next; old; old = old.nextSibling) rest.push(old);
    const key = keyOf(node);
    const known = staying.has(node)
      ? node
      : key
        ? rest.find((old) => isLike(old, node) && !staying.has(old))
        : next && !keyOf(next) && isLike(next, node) && !staying.has(next) && next;
    const placed = known || node;
    // What is over goes, and what stays is not moved for it.
    while (known && next && next !== known && isOver(next)) dropNext();
    if (placed === next) next = next.nextSibling;
    else parent.insertBefore(placed, next);
    if (placed !== node) become(placed, node);
  }
  while (next) dropNext();
}

function become(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of Object.keys(wanted.listening ?? {})) {
    if (!(name in old.listening)) old.addEventListener(name.slice(2), (event) => old.listening[name]?.(event));
  }
  old.listening = wanted.listening;
  patch(old, [...wanted.childNodes]);
}

/** Sets a text only where it is another, so that nothing is announced twice. */
export function say(element, told) {
  if (element.textContent !== told) element.textContent = told;
}

/** The name of a player. */
export function nameOf(player) {
  return about.players.find(({ id }) => id === player)?.name ?? player;
}

/** A number as the reader's language writes it. */
export function figure(points) {
  return String(points).replace("-", "−");
}

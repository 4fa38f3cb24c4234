// Elements, and the texts of a page in its language.

/** Data of the page from the server: players, rules, texts. Null on a page without data. */
export const about = JSON.parse(document.getElementById("about")?.textContent ?? "null");

/** Return a text of the page with `{name}` filled in. */
export function text(key, values = {}) {
  return (about.texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/**
 * Return an element: `make("p", {class: "note"}, "text", child)`. Properties that are functions become listeners:
 * `onclick`.
 */
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
 * Replace the children of an element. Nodes that do not change stay in place, so that a touch in progress ends on the
 * same node and the focus is kept; they get the new listeners.
 */
export function fill(element, ...children) {
  const active = document.activeElement;
  patch(
    element,
    children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""),
  );
  const isMoved = active !== document.activeElement && element.contains(active);
  if (isMoved) active.focus({ preventScroll: true }); // a moved node loses the focus
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
    // Remove old nodes first, so that nodes that stay are not moved.
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

/** Set a text only if it changes, so that a screen reader announces it once. */
export function say(element, told) {
  if (element.textContent !== told) element.textContent = told;
}

/** Return the name of a player. */
export function nameOf(player) {
  return about.players.find(({ id }) => id === player)?.name ?? player;
}

/** Return a number in the format of the reader's language. */
export function figure(points) {
  return String(points).replace("-", "−");
}

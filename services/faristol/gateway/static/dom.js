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
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Puts children into an element in place of others; the focus stays on what has the same `data-key`. */
export function fill(element, ...children) {
  const active = element.contains(document.activeElement) ? document.activeElement : null;
  const [known, from] = [active?.dataset.key, active?.selectionStart];
  element.replaceChildren(...children.flat().filter(Boolean));
  const again = known && element.querySelector(`[data-key="${CSS.escape(known)}"]`);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (typeof from === "number" && again.setSelectionRange) again.setSelectionRange(from, from);
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

// A word as it is written on a slip: its tiles, and which of them are circled. Whether it is a word is nobody's business
// here, nor whether the rack has its tiles. Pure.

import { folded, normalized } from "./tiles.js";

/** The tiles that a text is written with, each `{face, circled}`; a sign that is on no tile stands for itself. */
export function tilesOf(text, rules) {
  const found = [];
  const signs = normalized(text, rules).toUpperCase();
  for (let at = 0; at < signs.length; ) {
    const circled = /^\(([^()]+)\)/.exec(signs.slice(at));
    if (circled) {
      found.push({ face: circled[1].trim(), circled: true });
      at += circled[0].length;
    } else if (/\s/.test(signs[at])) {
      at += 1;
    } else {
      const face = longest(signs.slice(at), rules);
      found.push({ face, circled: false });
      at += face.length;
    }
  }
  return found;
}

/** The longest of the ways to write a tile that a text begins with; its first sign where it begins with none. */
function longest(text, rules) {
  let best = String.fromCodePoint(text.codePointAt(0));
  for (const [shown] of rules.writings) {
    const part = text.slice(0, shown.length);
    if (part.length > best.length && folded(part, rules) === folded(shown, rules)) best = part;
  }
  return best;
}

/** The text of tiles: without spaces where it is read back as the same tiles. */
export function textOf(tiles, rules) {
  const parts = tiles.map(({ face, circled }) => (circled ? `(${face})` : face));
  const isSame = (text) => JSON.stringify(tilesOf(text, rules)) === JSON.stringify(tiles);
  const joined = parts.join("");
  return isSame(joined) ? joined : parts.join(" ");
}

/** The text with the tile of a place circled, or not circled any more. */
export function withCircle(text, place, rules) {
  const tiles = tilesOf(text, rules);
  if (!tiles[place]) return text;
  tiles[place] = { ...tiles[place], circled: !tiles[place].circled };
  return textOf(tiles, rules);
}

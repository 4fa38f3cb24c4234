// A word on a slip: its tiles, and which of them are circled. Neither the lexicon nor the rack is checked here. The
// functions are pure.

import { folded, normalized } from "./tiles.js";

/** Return the tiles of a text, each `{face, circled}`; a character that is on no tile represents itself. */
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

/** Return the longest notation of a tile at the start of a text; its first character if there is none. */
function longest(text, rules) {
  let best = String.fromCodePoint(text.codePointAt(0));
  for (const [shown] of rules.writings) {
    const part = text.slice(0, shown.length);
    if (part.length > best.length && folded(part, rules) === folded(shown, rules)) best = part;
  }
  return best;
}

/** Return the text of tiles, without spaces if it is read as the same tiles. */
export function textOf(tiles, rules) {
  const parts = tiles.map(({ face, circled }) => (circled ? `(${face})` : face));
  const isSame = (text) => JSON.stringify(tilesOf(text, rules)) === JSON.stringify(tiles);
  const joined = parts.join("");
  return isSame(joined) ? joined : parts.join(" ");
}

/** Return the text with the circle of one tile toggled. */
export function withCircle(text, place, rules) {
  const tiles = tilesOf(text, rules);
  if (!tiles[place]) return text;
  tiles[place] = { ...tiles[place], circled: !tiles[place].circled };
  return textOf(tiles, rules);
}

// Tiles, words and points, by the rules of the page: parse input, place tiles, count points. The functions are pure.
//
// `rules` has faces with `value`, `writings` and `names` [written, face], `marks` (15 rows of premiums), `bingo`,
// `rack` (a full rack).

export const SIZE = 15;
export const ROWS = "ABCDEFGHIJKLMNO";
const MAX_READINGS = 24; // limit of readings

/** Return the name of a square, such as `H8`. */
export function nameOf(row, column) {
  return `${ROWS[row]}${column + 1}`;
}

/** Return a start in common notation: `H8` across and `8H` down; the reverse in GCG files. */
export function written({ row, column, across }, isGcg = false) {
  if (isGcg) return across ? `${row + 1}${ROWS[column]}` : `${ROWS[column]}${row + 1}`;
  return across ? nameOf(row, column) : `${column + 1}${ROWS[row]}`;
}

/**
 * Return the start of a text in common notation: `h8`, `8-H`, `(H 08)`, `H8→`, also with look-alike letters and accents;
 * null for none.
 */
export function startOf(text, rules, isGcg = false) {
  const apart = text.replace(/[ªº]/gu, " ").normalize("NFKD").replace(/\p{M}/gu, "");
  const latin = [...apart.normalize("NFKC")].map((sign) => rowOf(sign, rules)).join("");
  const found = START.exec(latin) ?? START.exec(withDigits(latin));
  if (!found) return null;
  const letter = ROWS.indexOf(found[1] ?? found[4]);
  const number = Number(found[2] ?? found[3]) - 1;
  if (number < 0 || number >= SIZE) return null;
  const across = Boolean(found[1]) !== isGcg;
  if ([...text].some((sign) => ARROW.test(sign) && !(across ? ACROSS : DOWN).includes(sign))) return null;
  return isGcg ? { row: number, column: letter, across } : { row: letter, column: number, across };
}

const START = /^ *(?:([A-O]) *0*([1-9]\d?)|0*([1-9]\d?) *([A-O])) *$/;
const TWIN_DIGITS = { O: "0", I: "1", L: "1" };

/** Replace letters that look like digits, if the start can then be read in one way: `H1O`. */
function withDigits(latin) {
  const forms = [/^ *([A-O]) *([\dOIL]{2,3}) *$/, /^ *([\dOIL]{2,3}) *([A-O]) *$/];
  const found = forms.map((form) => form.exec(latin));
  const numbers = found.map((parts, place) => /\d/.test(parts?.[2 - place] ?? ""));
  if (numbers[0] === numbers[1]) return latin;
  const place = numbers[0] ? 0 : 1;
  const number = found[place][2 - place].replace(/[OIL]/g, (sign) => TWIN_DIGITS[sign]);
  return place ? number + found[1][2] : found[0][1] + number;
}

const [ACROSS, DOWN] = ["→⇒➔➜➡⟶", "↓⇓⬇"];
const ARROW = /[\u2190-\u21ff\u2794\u2798-\u27be\u27f0-\u27ff\u2900-\u297f\u2b00-\u2b11]/u;

/** Return the start at the beginning of a line, and the rest of the line; null for none. */
export function startIn(line, rules, isGcg = false) {
  const parts = line.trim().split(/\s+/);
  for (let count = 1; count <= Math.min(3, parts.length); count++) {
    const start = startOf(parts.slice(0, count).join(" "), rules, isGcg);
    const next = count + Number(start && (start.across ? ACROSS : DOWN).includes(parts[count] ?? " "));
    if (start) return { start, rest: parts.slice(next) };
  }
  return null;
}

function rowOf(sign, rules) {
  if (/[\p{Z}\p{P}\p{C}\p{S}]/u.test(sign)) return " ";
  const capital = sign.toUpperCase();
  return ROWS.includes(capital) ? capital : (rules.rowTwins[capital] ?? rules.rowTwins[sign] ?? capital);
}

export function step({ row, column, across }, places) {
  return across ? { row, column: column + places } : { row: row + places, column };
}

export function key(row, column) {
  return row * SIZE + column;
}

/**
 * Return input in the characters of the tiles: look-alikes, full-width characters, accents and separate dots are
 * converted by the rules of the services. Small letters are kept.
 */
export function normalized(text, rules) {
  let normal = [...text.normalize("NFC")].map((sign) => normalSign(sign, rules)).join("");
  for (const [written, face] of rules.writings) {
    const sign = [...face].find((each) => !/\p{L}/u.test(each));
    const [, before, inside, behind] = /^(\p{L}+)(\P{L})(.*)$/u.exec(written) ?? [];
    if (!sign || !inside) continue;
    const spaced = inside === "." ? "(?: \\.|\\. )" : ` *\\${inside} *`;
    normal = normal.replace(new RegExp(`(?<=${before})${spaced}(?=${behind})`, "gi"), sign);
  }
  return normal;
}

function normalSign(sign, rules) {
  if (/\s/.test(sign)) return " ";
  if (/\p{Cf}/u.test(sign) || rules.accentSigns.includes(sign)) return "";
  const apart = sign.normalize("NFKD");
  if (/^ \p{M}+$/u.test(apart) && rules.lost && lost(apart.slice(1), rules)) return "";
  if (/^\p{M}$/u.test(sign)) return lost(sign, rules) ? "" : sign;
  if (rules.twins[sign] && !/\p{L}/u.test(rules.twins[sign])) return rules.twins[sign]; // also of a letter such as ᐧ
  if (!/\p{L}/u.test(sign)) {
    const same = rules.twins[sign] ?? (/\p{P}/u.test(sign) ? sign.normalize("NFKC") : sign);
    return rules.twins[same] ?? same;
  }
  const known = letters(rules);
  const small = (capital) => (sign === sign.toLowerCase() && sign !== sign.toUpperCase() ? capital.toLowerCase() : capital);
  if (known.has(sign.toUpperCase())) return sign;
  const compatible = /[\p{Lu}\p{Ll}\p{Lt}]/u.test(sign) ? sign.normalize("NFKC") : sign;
  if (compatible !== sign) return [...compatible].map((each) => normalSign(each, rules)).join("");
  const [base, ...marks] = sign.normalize("NFD");
  if (marks.length && !lost(marks.join(""), rules)) return sign;
  const capital = base.toUpperCase();
  if (known.has(capital)) return small(capital);
  const twin = rules.twins[capital] ?? rules.twins[base];
  return twin ? small(twin) : base;
}

function letters(rules) {
  return new Set(rules.tiles.flatMap(({ face }) => [...face].filter((sign) => /\p{L}/u.test(sign))));
}

/** Return whether no tile has any of these marks. */
function lost(marks, rules) {
  return !rules.lost || [...marks].every((mark) => rules.lost.includes(mark));
}

/** Return capitals as on tiles, with one letter for both small sigmas. */
export function folded(text, rules) {
  return normalized(text, rules).toUpperCase();
}

/**
 * Return the possible words of a text from a start, those with the longest tiles first: lists of `{face, blank, lies}`;
 * `lies` is a tile on the board. `(A)` and `?a` are blanks, and a dot is a tile on the board.
 */
export function readings(text, start, board, rules) {
  const typed = normalized(withParentheses(text), rules).trim();
  const together = runTogether(typed, rules);
  const attempts = [
    [...waysOfCircles(typed, rules), ...joinNames(typed, rules)],
    [...waysOfCircles(together, rules), ...joinSeparated(typed, rules)],
    // A full stop at the end, unless others stand for tiles of the board.
    /^[^.]+\.$/.test(together) ? waysOfCircles(together.slice(0, -1), rules) : [],
  ];
  for (const ways of attempts) {
    const found = different(ways.flatMap((way) => readingsOf(way, start, board, rules)), rules);
    if (found.length) return found;
  }
  return [];
}

const CIRCLED = [0x249c, 0x24b6, 0x24d0, 0x1f110, 0x1f130, 0x1f150, 0x1f170]; // alphabets in circles, squares, brackets

/** Return a text with parentheses for every kind of bracket, and around circled and underlined letters. */
function withParentheses(text) {
  const around = text.normalize("NFC").replace(/(\S)[\u20dd-\u20e0\u0332]/gu, "($1)");
  const change = (sign) => {
    if (sign === "<" || /\p{Ps}/u.test(sign)) return "(";
    if (sign === ">" || /\p{Pe}/u.test(sign)) return ")";
    const first = CIRCLED.find((code) => sign.codePointAt(0) >= code && sign.codePointAt(0) < code + 26);
    return first ? `(${String.fromCodePoint(65 + sign.codePointAt(0) - first)})` : sign;
  };
  return [...around].map(change).join("");
}

/** Return a text, and if a circle is only around letters of a tile, the text with the circle around the tile. */
function waysOfCircles(text, rules) {
  if (!text.includes("(")) return [text];
  const escape = (sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const several = rules.writings.map(([shown]) => shown).filter((shown) => [...shown].length > 1);
  const ways = several.map((shown) => [...shown].map((sign) => `\\(?${escape(sign)}\\)?`).join(""));
  if (!ways.length) return [text];
  const whole = text.replace(new RegExp(ways.join("|"), "giu"), (found) =>
    found.includes("(") && /^(?:[^()]|\([^()]+\))+$/.test(found) ? `(${found.replace(/[()]/g, "")})` : found,
  );
  return whole === text ? [text] : [text, whole];
}

/** Return the text with the letters of one tile together if the first of them names the tile: `A Q U I`. */
function joinNames(text, rules) {
  const join = (joined, [name, face]) => {
    const rest = face.slice(name.length);
    return joined.replace(new RegExp(`(?<!\\S)(\\(?)(${name})(\\)?) +(${rest})(?!\\S)`, "gi"), (_, open, first, close, other) =>
      open + first + other + (close ?? ""),
    );
  };
  const joined = rules.names.reduce(join, text);
  return joined === text ? [] : [joined];
}

/** Return the text with spaces between tiles that are separated by signs, such as `C-A-L-L-A`; empty for another text. */
function joinSeparated(text, rules) {
  const parts = text.split(/[\p{Z}\p{Pd}\p{Pi}\p{Pf},;:/|!¡"'·.]+/u).filter(Boolean);
  return parts.length > 2 && parts.every((part) => faceOf(part, rules)) ? [parts.join(" ")] : [];
}

/** Return a text without spaces, and without punctuation that is not part of a tile. */
function runTogether(text, rules) {
  const signed = rules.tiles.map(({ face }) => face).filter((face) => /[^\p{L}?]/u.test(face));
  const escaped = signed.map((face) => face.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = escaped.length ? text.split(new RegExp(`(${escaped.join("|")})`, "i")) : [text];
  return parts.map((part, place) => (place % 2 ? part : part.replace(/[\p{Z}\p{Pd}\p{Pi}\p{Pf},;:/|!¡"'·]/gu, ""))).join("");
}

function readingsOf(typed, start, board, rules) {
  if (!typed) return [];
  const read = typed.includes(" ") ? spaced : walked;
  return waysOfCase(typed, rules).flatMap((asBlanks) => read(typed, start, board, rules, asBlanks));
}

/** Return each of the words once, without those that split a tile if there are others. */
function different(words, rules) {
  const known = new Set();
  const once = words.filter((word) => {
    const shown = word.map(({ face, blank }) => `${face}${blank ? "?" : ""}`).join(" ");
    return !known.has(shown) && known.add(shown);
  });
  const whole = rules.digraph ? once.filter((word) => !splits(word, rules)) : [];
  return whole.length ? whole : once;
}

/**
 * Return whether small letters are blanks: not in a word of only small letters; both are possible if only the first
 * letter is a capital, or the capitals are tiles of several letters.
 */
function waysOfCase(text, rules) {
  const bare = [...text.replace(/\([^)]*\)|\?./g, "")];
  const [small, large] = [bare.filter((sign) => /\p{Ll}/u.test(sign)), bare.filter((sign) => /\p{Lu}/u.test(sign))];
  if (!small.length || !large.length) return [false];
  const isCapitalised = large.length === 1 && bare[0] === large[0];
  const isFinal = small.length === 1 && bare.at(-1) === "ς";
  const several = rules.tiles.map(({ face }) => face).filter((face) => face.length > 1);
  const isOnlySeveral = !/\p{Lu}/u.test(several.reduce((left, face) => left.replaceAll(face, ""), bare.join("")));
  return [...(isCapitalised || isFinal || isOnlySeveral ? [false] : []), ...(small.length <= rules.blanks ? [true] : [])];
}

/** Return whether two tiles of a word form one tile of the set, such as `L L` for `LL`, which books forbid. */
function splits(word, rules) {
  return word.some(({ face }, place) => place > 0 && word[place - 1].face + face in rules.values);
}

/** Return separate tiles, each of which may have another name that only it has, such as `Q` for `QU`. */
function spaced(text, start, board, rules, asBlanks) {
  const word = text.split(/\s+/).map((part, place) => {
    const { row, column } = step(start, place);
    const there = row < SIZE && column < SIZE ? board.get(key(row, column)) : null;
    const quoted = /^\(([^()]+)\)$|^\?(.+)$/.exec(part);
    const face = part === "." ? there?.face : faceOf(quoted?.[1] ?? quoted?.[2] ?? part, rules);
    if (!face || (there && there.face !== face)) return null;
    return there ? { ...there, lies: true } : { face, blank: Boolean(quoted) || (asBlanks && /^\p{Ll}/u.test(part)) };
  });
  return word.every(Boolean) ? [word] : [];
}

function walked(text, start, board, rules, asBlanks) {
  const found = [];
  const isBlank = (from, to) => asBlanks && /\p{Ll}/u.test(text.slice(from, to));
  const walk = (at, word) => {
    if (found.length >= MAX_READINGS) return;
    if (at >= text.length) return void found.push(word);
    const { row, column } = step(start, word.length);
    if (row >= SIZE || column >= SIZE) return;
    const there = board.get(key(row, column));
    const put = (face, blank, next) => {
      if (there && there.face !== face) return;
      walk(next, [...word, there ? { ...there, lies: true } : { face, blank }]);
    };
    if (text[at] === ".") return there ? walk(at + 1, [...word, { ...there, lies: true }]) : undefined;
    const quoted = /^\(([^()]+)\)/.exec(text.slice(at));
    if (quoted) {
      const face = faceOf(quoted[1], rules);
      // The other letters of a tile may follow the circle of the one that names it: A(Q)UI is A, a blank QU, I.
      const isNamed = rules.names.some(([shown]) => folded(shown, rules) === folded(quoted[1], rules));
      const rest = isNamed ? face.slice(quoted[1].length) : "";
      const after = at + quoted[0].length;
      const follows = rest && folded(text.slice(after, after + rest.length), rules) === rest;
      return face ? put(face, true, after + (follows ? rest.length : 0)) : undefined;
    }
    const from = text[at] === "?" ? at + 1 : at;
    for (const [shown, face] of rules.writings) {
      const part = text.slice(from, from + shown.length);
      if (part && folded(part, rules) === folded(shown, rules)) {
        put(face, from > at || isBlank(from, from + shown.length), from + shown.length);
      }
    }
  };
  walk(0, []);
  return found;
}

/** Return the face with a name; empty for none. */
export function faceOf(text, rules) {
  const wanted = folded(text.trim(), rules);
  return [...rules.writings, ...rules.names].find(([shown]) => folded(shown, rules) === wanted)?.[1] ?? "";
}

/** Return the tiles to lay for a word: those that are not on the board. */
export function placements(start, word) {
  return word
    .map((tile, place) => ({ ...step(start, place), ...tile }))
    .filter(({ lies }) => !lies)
    .map(({ row, column, face, blank }) => ({ row, column, face, blank: Boolean(blank) }));
}

/**
 * Return the words that placements form, the main word first, each `{row, column, across, tiles, points}`, and the
 * points of the play. Null if the tiles are not in one line without a gap, form no word, or touch no tile.
 */
export function counted(board, laid, rules) {
  if (!laid.length) return null;
  const whole = new Map(board);
  for (const tile of laid) {
    if (tile.row >= SIZE || tile.column >= SIZE || whole.has(key(tile.row, tile.column))) return null;
    whole.set(key(tile.row, tile.column), tile);
  }
  const inRow = laid.every(({ row }) => row === laid[0].row);
  const inColumn = laid.every(({ column }) => column === laid[0].column);
  if (!inRow && !inColumn) return null;
  const own = new Set(laid.map(({ row, column }) => key(row, column)));
  const ways = laid.length === 1 ? [true, false] : [inRow];
  const mains = ways.map((across) => wordAt(whole, own, laid[0], across, rules));
  const main = mains.sort((first, second) => second.tiles.length - first.tiles.length)[0];
  if (main.fresh !== laid.length || main.tiles.length < 2) return null;
  const words = [main];
  for (const tile of laid) {
    const cross = wordAt(whole, own, tile, !main.across, rules);
    if (cross.tiles.length > 1) words.push(cross);
  }
  const touches = words.some((word) => word.fresh < word.tiles.length);
  if (board.size && !touches) return null;
  if (!board.size && rules.centre && !own.has(key(7, 7))) return null;
  if (!board.size && rules.firstAcross && !main.across) return null;
  const bonus = laid.length === rules.rack ? rules.bingo : 0;
  return { words, bonus, points: words.reduce((sum, word) => sum + word.points, bonus) };
}

function wordAt(whole, own, from, across, rules) {
  let [row, column] = [from.row, from.column];
  const at = (places) => whole.get(across ? key(row, column + places) : key(row + places, column));
  const inside = (places) => (across ? column : row) + places >= 0 && (across ? column : row) + places < SIZE;
  while (inside(-1) && at(-1)) across ? column-- : row--;
  const tiles = [];
  let [points, times, fresh] = [0, 1, 0];
  for (let place = 0; inside(place) && at(place); place++) {
    const tile = at(place);
    let value = tile.blank ? 0 : (rules.values[tile.face] ?? 0);
    const square = across ? [row, column + place] : [row + place, column];
    if (own.has(key(...square))) {
      const mark = rules.marks[square[0]][square[1]];
      value *= { "'": 2, '"': 3 }[mark] ?? 1;
      times *= { "-": 2, "=": 3 }[mark] ?? 1;
      fresh++;
    }
    points += value;
    tiles.push(tile);
  }
  return { row, column, across, tiles, fresh, points: points * times };
}

/** Return a word as on a score sheet, with the letters of blanks in parentheses. */
export function spelled(tiles) {
  return tiles.map(({ face, blank }) => (blank ? `(${face})` : face)).join("");
}

// Names as searches compare them, by the rules of the services.

import { SHAPES } from "./shapes.js";

/** Return the words of a text without case, accents and the signs within a word; look-alike letters are one letter. */
export function wordsOf(text) {
  const plain = text.toLowerCase().replaceAll("ŀ", "l").replace(/\p{Cf}|(?<=l)\.(?=l)/gu, "");
  const apart = plain.replace(/[·•‧∙⋅・'‘’‛ʼʹ′`´΄᾿᾽]/gu, "").normalize("NFKD").replace(/\p{M}/gu, "");
  const letters = [...apart.toUpperCase()].map((letter) => SHAPES[letter] ?? letter).join("");
  return letters.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Return whether each wanted word begins a different word, or all begin the words that are divided in another way. */
export function begins(wanted, words) {
  const left = [...words];
  const each = [...wanted].sort((one, other) => other.length - one.length);
  const isApart = each.every((word) => {
    const at = left.findIndex((other) => other.startsWith(word));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return isApart || words.some((_, place) => words.slice(place).join("").startsWith(wanted.join("")));
}

// The code of a link at a hall: a hash, so that the laptop of the hall never sees a code that is valid in the
// championship. See faristol.access_control.hall_codes. Browsers offer SHA-256 only over TLS, which a laptop may lack.

const HEADING = "faristol hall code 1\n";
const PREFIX = "h.";
const HALF_CODE_BYTES = 16;
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const LINK_CODE = /^[a-z2-7]{52}$/;

/**
 * Return the code at the hall with a public key in hexadecimal, for the code of a link or for a whole link. Any other
 * text is returned unchanged.
 */
export function toHallCode(text, key) {
  const code = text.trim().split("#").at(-1).toLowerCase();
  if (!LINK_CODE.test(code)) return text;
  const hashed = sha256(Uint8Array.from([...encode(HEADING), ...bytesOf(key), ...encode(code)]));
  return PREFIX + toBase32([...fromBase32(code).slice(0, HALF_CODE_BYTES), ...hashed.slice(0, HALF_CODE_BYTES)]);
}

function encode(text) {
  return new TextEncoder().encode(text);
}

function bytesOf(hexadecimal) {
  return hexadecimal.match(/../g).map((digits) => Number.parseInt(digits, 16));
}

function fromBase32(text) {
  const bytes = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    value = ((value << 5) | LETTERS.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return bytes;
}

function toBase32(bytes) {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += LETTERS[(value >> bits) & 31];
    }
  }
  return bits ? text + LETTERS[(value << (5 - bits)) & 31] : text;
}

/** Return the first 32 bits of the fractional parts of a root of the first primes, as SHA-256 uses them. */
function* constantsOf(root, count) {
  for (let number = 2, found = 0; found < count; number += 1) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) isPrime = false;
    if (!isPrime) continue;
    found += 1;
    yield (number ** (1 / root) * 2 ** 32) | 0;
  }
}

/** Return the SHA-256 hash (FIPS 180-4) of bytes. */
export function sha256(bytes) {
  const rounds = [...constantsOf(3, 64)];
  const state = [...constantsOf(2, 8)];
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  for (let start = 0; start < padded.length; start += 64) addBlock(state, rounds, view, start);
  return state.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff));
}

function rotate(word, by) {
  return (word >>> by) | (word << (32 - by));
}

function addBlock(state, rounds, view, start) {
  const words = Array.from({ length: 16 }, (_, at) => view.getInt32(start + at * 4));
  for (let at = 16; at < 64; at += 1) {
    const [before, last] = [words[at - 15], words[at - 2]];
    const low = rotate(before, 7) ^ rotate(before, 18) ^ (before >>> 3);
    const high = rotate(last, 17) ^ rotate(last, 19) ^ (last >>> 10);
    words[at] = (words[at - 16] + low + words[at - 7] + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at += 1) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + mixed + ((e & f) ^ (~e & g)) + rounds[at] + words[at]) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] + word) | 0;
}

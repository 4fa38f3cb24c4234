// The state of this device: ids, the time of the server, and calls that can fail on the network.

const ANSWER_TIMEOUT_MS = 12000;

/** Return a UUID, also on a page without TLS, where `crypto.randomUUID` is missing. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The difference between the server's clock and the clock of this device, in ms; positive if the server is ahead. An
 * answer has the second in which it was sent, so each answer gives two bounds of the difference, and several answers
 * narrow them. If bounds contradict each other, the clock of the device was changed, and the newest bounds are used.
 */
export class Offset {
  #low = -Infinity;
  #high = Infinity;
  #isExact = false;

  /**
   * Update the bounds from an answer that was requested at `sent` and received at `received`, by the clock of the
   * device.
   */
  learn(date, sent, received) {
    const second = Date.parse(date ?? "");
    if (!Number.isFinite(second) || this.#isExact) return;
    this.#narrow(second - received, second + 1000 - sent);
  }

  /** Update the difference from an answer with the time of its service in ms; other times are ignored from then on. */
  learnExactly(now, sent, received) {
    if (!Number.isFinite(now)) return;
    if (!this.#isExact) [this.#low, this.#high] = [-Infinity, Infinity];
    this.#isExact = true;
    this.#narrow(now - received, now - sent);
  }

  #narrow(low, high) {
    this.#low = Math.max(this.#low, low);
    this.#high = Math.min(this.#high, high);
    if (this.#low > this.#high) [this.#low, this.#high] = [low, high];
  }

  /** Return whether an answer was received. */
  get known() {
    return Number.isFinite(this.#low);
  }

  /** The difference in ms; 0 before the first answer. */
  get ms() {
    return this.known ? Math.round((this.#low + this.#high) / 2) : 0;
  }

  /** Return the time of the server, in ms since 1970. */
  now() {
    return Date.now() + this.ms;
  }
}

export const offset = new Offset();

/**
 * Call a method of a service. Returns `{status, body}`; the status is 0 without an answer. The text of a refusal is in
 * the language of the page.
 */
export async function call(service, method, request) {
  const sent = Date.now();
  try {
    const answer = await fetch(`/api/v1/${service}/${method}?lang=${document.documentElement.lang}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    offset.learn(answer.headers.get("date"), sent, Date.now());
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, body: isJson ? await answer.json() : {} };
  } catch (problem) {
    if (!(problem instanceof TypeError) && !["TimeoutError", "AbortError"].includes(problem.name)) throw problem;
    return { status: 0, body: {} };
  }
}

/** Return whether a call with this status can be retried: no answer, too many requests, or an unavailable service. */
export function passes(status) {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

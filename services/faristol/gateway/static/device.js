// What a page knows of its device: ids, the time of the server, and calls that may fail on the way.

const PATIENCE = 12000; // ms that an answer may take

/** A UUID, also where the page came without TLS and `crypto.randomUUID` is missing. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * By how much the server's clock is ahead of this device's, in ms. An answer says the second in which it was sent: the
 * offset lies between two bounds, and several answers make them narrow. Bounds that exclude each other mean that
 * somebody set the device's clock: the newest ones count.
 */
export class Offset {
  #low = -Infinity;
  #high = Infinity;
  #isExact = false;

  /** Learns from an answer that was asked for at `sent` and came at `received`, by the device's clock. */
  learn(date, sent, received) {
    const second = Date.parse(date ?? "");
    if (!Number.isFinite(second) || this.#isExact) return;
    this.#narrow(second - received, second + 1000 - sent);
  }

  /** Learns from an answer that says the time of its service, in ms; from then on no other time counts. */
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

  /** Whether an answer has come yet. */
  get known() {
    return Number.isFinite(this.#low);
  }

  /** In ms; 0 before the first answer. */
  get ms() {
    return this.known ? Math.round((this.#low + this.#high) / 2) : 0;
  }

  /** The time of the server, in ms since 1970. */
  now() {
    return Date.now() + this.ms;
  }
}

export const offset = new Offset();

/**
 * Calls a method of a service. Gives `{status, body}`; status 0 where no answer came. The words of a refusal are in the
 * language of the page.
 */
export async function call(service, method, request) {
  const sent = Date.now();
  try {
    const answer = await fetch(`/api/v1/${service}/${method}?lang=${document.documentElement.lang}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(PATIENCE),
    });
    offset.learn(answer.headers.get("date"), sent, Date.now());
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, body: isJson ? await answer.json() : {} };
  } catch (problem) {
    if (!(problem instanceof TypeError) && !["TimeoutError", "AbortError"].includes(problem.name)) throw problem;
    return { status: 0, body: {} };
  }
}

/** Whether a status says that the same may be tried again: nothing came, too many came, or the service is away. */
export function passes(status) {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

// Acts that are stored on the device until the services have them: in the order of entry, each once, even if the page
// is closed, killed or without a network. Nothing expires.
//
// An act is stored before it is sent, with the ID of its command: an act that was carried out without an answer is sent
// again and gets the first answer. A refused act stays, and later acts wait until a user decides.

import { call, newId, offset, passes } from "./device.js";

const NAME = "faristol";
const LEASE_MS = 15000; // in which only one tab sends the acts of a table: longer than the time limit of an answer
const TOLERANCE_MS = 3000; // by which an act may be earlier than acts of others and still count as later
const RETRY_MS = [1000, 2000, 4000, 8000, 15000]; // between attempts

/** Open the database of this device. */
export function database() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => {
      const made = opening.result;
      made.createObjectStore("acts", { keyPath: "number", autoIncrement: true }).createIndex("game", "game");
      made.createObjectStore("tables", { keyPath: "game" }); // the last state received of each table
      made.createObjectStore("leases", { keyPath: "game" });
    };
    opening.onsuccess = () => {
      opening.result.onversionchange = () => opening.result.close();
      resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error);
  });
}

/** Return the result of a transaction when it is on the disk. */
export function stored(database, store, mode, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode, { durability: "strict" });
    let result;
    const request = work(transaction.objectStore(store));
    if (request) request.onsuccess = () => (result = request.result);
    transaction.oncomplete = () => resolve(result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * The acts of one table, or of one player in a duplicate game. Fires `change` for each change, and for the outcome of
 * sending: `sent`, `refused`, `known` if others had already done the same, `ended` if the user is signed out.
 */
export class Outbox extends EventTarget {
  #database;
  #owner = newId();
  #sending = false;
  #again = false;
  #attempt = 0;
  #timer = 0;
  #last = 0; // time of the last act that was carried out, in ms by the server's clock
  /** Pending acts, in order. */
  acts = [];
  /** Acts that were carried out and are not yet in the state of the page, with `sentAt` and `date`. */
  sent = [];
  /** `sending`, `idle`, `away` without an answer, `refused`, or `ended` if the user is signed out. */
  state = "idle";

  /**
   * `game` is the storage key. `probe` is a query, `[method, body]` of the game service, whose answer has the time of
   * the server. With `skips`, a refused act does not block later ones. `late` receives an act that is earlier than acts
   * of others and returns a promise: `done` if they did the same, `again` if the act has the same effect after theirs,
   * null without an answer, otherwise an empty text.
   */
  constructor(game, { probe = ["GetGame", { game_id: game }], skips = false, late = async () => "" } = {}) {
    super();
    this.game = game;
    this.probe = probe;
    this.skips = skips;
    this.late = late;
  }

  /** Load stored acts and start to send them. */
  async open() {
    this.#database = await database();
    await this.#read();
    navigator.storage?.persist?.();
    addEventListener("online", () => this.send());
    document.addEventListener("visibilitychange", () => document.hidden || this.send());
    addEventListener("pageshow", () => this.send());
    const others = globalThis.BroadcastChannel && new BroadcastChannel(`faristol-${this.game}`);
    others?.addEventListener("message", () => this.#read());
    this.addEventListener("change", () => others?.postMessage(""));
    this.send();
  }

  /** Store acts, in order, and send them. Each is `{service, method, body, label}`; returns the stored acts. */
  async add(...acts) {
    const at = Date.now();
    const kept = acts.map((act) => ({ ...act, game: this.game, id: newId(), at, offset: measured(), problem: null }));
    await stored(this.#database, "acts", "readwrite", (store) => {
      for (const act of kept) store.add(act);
    });
    await this.#changed();
    this.send();
    return kept;
  }

  /** Discard an act. */
  async drop(number) {
    await stored(this.#database, "acts", "readwrite", (store) => void store.delete(number));
    await this.#changed();
    this.send();
  }

  /** Send a refused act again, or another in its place, with the current time; it keeps its place in the order. */
  async retry(number, instead = {}) {
    const act = this.acts.find((each) => each.number === number);
    if (!act) return;
    const anew = { ...act, ...instead, id: newId(), at: Date.now(), offset: measured(), problem: null, floor: 0 };
    await stored(this.#database, "acts", "readwrite", (store) => void store.put(anew));
    await this.#changed();
    this.send();
  }

  /** Discard acts that were carried out before a time by `performance.now()`: the state of the page has them. */
  forget(time) {
    this.sent = this.sent.filter(({ sentAt }) => sentAt > time);
  }

  /** Send pending acts, one after the other. */
  async send() {
    if (!this.#database) return;
    if (this.#sending) {
      this.#again = true;
      return;
    }
    this.#sending = true;
    clearTimeout(this.#timer);
    try {
      do {
        this.#again = false;
        await this.#drain();
        await this.#release();
      } while (this.#again && this.state === "idle");
    } finally {
      this.#sending = false;
    }
  }

  async #drain() {
    await this.#read();
    while (this.acts.length) {
      const act = (this.skips && this.acts.find(({ problem }) => !problem)) || this.acts[0];
      if (act.problem) return this.#become("refused");
      if (!(await this.#leased())) return this.#later(2000); // another tab sends them
      this.#become("sending");
      if (act.offset === null && !offset.known) await call("game", ...this.probe);
      const dated = await this.#dated(act);
      const request = asSent(dated);
      const { status, body } = await call(act.service, act.method, request);
      if (status === 401) return this.#become("ended");
      if (passes(status)) return this.#away();
      if (status === 200) {
        this.#last = Date.parse(request.occurred_at ?? "") || this.#last;
        // Until the state of the page has it, it is shown as pending.
        this.sent.push({ ...act, date: this.#last, sentAt: performance.now() });
        await this.#done(act);
        this.dispatchEvent(new CustomEvent("sent", { detail: { act, answer: body } }));
      } else if (act.unless?.includes(body.reason)) {
        await this.#done(act);
        this.dispatchEvent(new CustomEvent("known", { detail: { act, problem: body } }));
      } else if (!(await this.#refused(dated, { status, ...body }))) {
        return this.#away();
      }
      this.#attempt = 0;
    }
    this.#become("idle");
  }

  #away() {
    this.#become("away");
    this.#later(RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)]);
  }

  /**
   * Return an act with its time, which is later than that of the previous act: the measured clock difference may have
   * changed. These times also tell which acts the state of a table has. The act is stored before it is sent, because a
   * second attempt must be identical.
   */
  async #dated(act) {
    const dated = { ...act, offset: act.offset ?? measured() }; // null before the first answer
    const isEarly = !act.dates && this.#last >= act.at + (dated.offset ?? 0) && this.#last > (act.floor ?? 0);
    if (isEarly) dated.floor = this.#last;
    if (isEarly || dated.offset !== act.offset)
      await stored(this.#database, "acts", "readwrite", (store) => void store.put(dated));
    return dated;
  }

  async #done(act) {
    await stored(this.#database, "acts", "readwrite", (store) => void store.delete(act.number));
    await this.#changed();
  }

  /**
   * Keep a refused act until a user decides; an act that is only too early may be sent again, or be done already.
   * Returns false without an answer.
   */
  async #refused(act, problem) {
    const last = problem.field === "occurred_at" ? Date.parse(problem.last ?? "") : NaN;
    let outcome = "";
    if (Number.isFinite(last) && act.floor !== last) {
      outcome = await this.late(act);
      if (outcome === null) return false;
      const isClose = last - Date.parse(asSent(act).occurred_at) < TOLERANCE_MS; // the precision of clocks
      if (!outcome && isClose && !act.unless) outcome = "again";
    }
    if (outcome === "done") {
      await this.#done(act);
      this.dispatchEvent(new CustomEvent("known", { detail: { act, problem } }));
      return true;
    }
    const next = outcome === "again" ? { ...act, floor: last } : { ...act, problem };
    await stored(this.#database, "acts", "readwrite", (store) => void store.put(next));
    await this.#changed();
    if (next.problem) this.dispatchEvent(new CustomEvent("refused", { detail: next }));
    return true;
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
    if (state === "ended") this.dispatchEvent(new Event("ended"));
  }

  #later(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.send(), pause);
  }

  /** Return whether this tab sends: a lease of a few seconds, which expires if the tab is killed. */
  async #leased() {
    const now = Date.now();
    let mine = false;
    await stored(this.#database, "leases", "readwrite", (store) => {
      const asked = store.get(this.game);
      asked.onsuccess = () => {
        const lease = asked.result;
        mine = !lease || lease.owner === this.#owner || lease.until < now || lease.until > now + LEASE_MS;
        if (mine) store.put({ game: this.game, owner: this.#owner, until: now + LEASE_MS });
      };
    });
    return mine;
  }

  /** Let other tabs send. */
  async #release() {
    await stored(this.#database, "leases", "readwrite", (store) => {
      const asked = store.get(this.game);
      asked.onsuccess = () => asked.result?.owner === this.#owner && store.delete(this.game);
    });
  }

  async #changed() {
    await this.#read();
    this.dispatchEvent(new Event("change"));
  }

  async #read() {
    const before = this.acts.map((act) => act.id).join();
    this.acts = await stored(this.#database, "acts", "readonly", (store) => store.index("game").getAll(this.game));
    this.acts.sort((first, second) => first.number - second.number);
    if (before !== this.acts.map((act) => act.id).join()) this.dispatchEvent(new Event("state"));
  }
}

/** Return the measured state of the device's clock; null before the first answer of a server. */
function measured() {
  return offset.known ? offset.ms : null;
}

/**
 * Return the request of an act: with its ID, and the server's time at which it was done. With `dates` for slips it is
 * the time of writing; with empty `dates` the service sets the time of arrival.
 */
export function asSent(act) {
  const at = Math.max(
    act.at + (act.offset ?? 0),
    act.floor ? act.floor + 1 : 0,
    act.after ? Date.parse(act.after) + 1 : 0,
  );
  const date = new Date(at).toISOString();
  const sent = { game_id: act.game, ...act.body, command_id: act.id };
  if (act.dates === "nothing") return sent;
  if (act.dates === "slips") return { ...sent, slips: sent.slips.map((slip) => ({ ...slip, written_at: date })) };
  return { ...sent, occurred_at: date };
}

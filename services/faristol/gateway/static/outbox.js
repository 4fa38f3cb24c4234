// Acts that are kept on the device until the services have them: in the order in which they were done, each once,
// however often the page is closed, killed or without a network. Nothing expires.
//
// An act is stored before it is sent, with the id of its command: what was carried out and not answered is sent again and
// gets its first answer. An act that is refused stays, and whatever was done after it waits until a person has decided.

import { call, newId, offset, passes } from "./device.js";

const NAME = "faristol";
const LEASE = 15000; // ms for which a tab alone sends the acts of a table: longer than an answer may take
const CLOSE = 3000; // ms by which an act may be before what others did meanwhile, and be taken as after it
const PAUSES = [1000, 2000, 4000, 8000, 15000]; // ms between attempts

/** The database of this device. */
export function database() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => {
      const made = opening.result;
      made.createObjectStore("acts", { keyPath: "number", autoIncrement: true }).createIndex("game", "game");
      made.createObjectStore("tables", { keyPath: "game" }); // what was last seen of each
      made.createObjectStore("leases", { keyPath: "game" });
    };
    opening.onsuccess = () => {
      opening.result.onversionchange = () => opening.result.close();
      resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error);
  });
}

/** What a transaction gives once it is on the disk. */
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
 * The acts of one table, or of one player at a duplicate game. Tells `change` of every change, and of what came of
 * sending: `sent`, `refused`, `known` of what others had done already, `ended` where nobody is signed in any more.
 */
export class Outbox extends EventTarget {
  #database;
  #owner = newId();
  #sending = false;
  #again = false;
  #attempt = 0;
  #timer = 0;
  #last = 0; // the time of the last act that was carried out, in ms by the server's clock
  /** Acts that wait, in order. */
  acts = [];
  /** Acts that the services have carried out since the page last saw what came of any: with when, `sentAt`, and `date`. */
  sent = [];
  /** `sending`, `idle`, `away` without an answer, `refused`, or `ended` where nobody is signed in any more. */
  state = "idle";

  /**
   * `game` is what the acts are kept under. `probe` is a question, `[method, body]` of the game service, whose answer says
   * what time it is; where `skips`, an act that was refused does not keep those behind it. `late` is asked, with the act,
   * what becomes of one that is dated before what others did meanwhile: `done` where they did the same, `again` where it
   * still means the same and may be taken as done after theirs, null where nobody answers, else nothing; a promise.
   */
  constructor(game, { probe = ["GetGame", { game_id: game }], skips = false, late = async () => "" } = {}) {
    super();
    this.game = game;
    this.probe = probe;
    this.skips = skips;
    this.late = late;
  }

  /** Opens what was kept and begins to send. */
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

  /** Keeps acts, in order, and sends them. Each is `{service, method, body, label}`; gives them as they were kept. */
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

  /** Gives an act up. */
  async drop(number) {
    await stored(this.#database, "acts", "readwrite", (store) => void store.delete(number));
    await this.#changed();
    this.send();
  }

  /** Sends a refused act once more, or another in its place, as done now; it keeps its place in the order. */
  async retry(number, instead = {}) {
    const act = this.acts.find((each) => each.number === number);
    if (!act) return;
    const anew = { ...act, ...instead, id: newId(), at: Date.now(), offset: measured(), problem: null, floor: 0 };
    await stored(this.#database, "acts", "readwrite", (store) => void store.put(anew));
    await this.#changed();
    this.send();
  }

  /** Forgets the acts that were carried out before a time by `performance.now()`: the page has seen what came of them. */
  forget(time) {
    this.sent = this.sent.filter(({ sentAt }) => sentAt > time);
  }

  /** Sends what waits, one act after the other. */
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
        // Until it is seen, it is as if it still waited.
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
    this.#later(PAUSES[Math.min(this.#attempt++, PAUSES.length - 1)]);
  }

  /**
   * An act with its time, later than that of the one before it: what is known of the server's clock may have changed in
   * between. By these times it is known, too, which acts are in what is seen of a table. It is kept before it is sent,
   * as what is sent again has to be the same.
   */
  async #dated(act) {
    const dated = { ...act, offset: act.offset ?? measured() }; // null where it was done before any answer had come
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
   * Keeps a refused act for a person to decide; one that is only dated too early may still be done, or be done already.
   * Gives false where nobody answers what became of it.
   */
  async #refused(act, problem) {
    const last = problem.field === "occurred_at" ? Date.parse(problem.last ?? "") : NaN;
    let outcome = "";
    if (Number.isFinite(last) && act.floor !== last) {
      outcome = await this.late(act);
      if (outcome === null) return false;
      const isClose = last - Date.parse(asSent(act).occurred_at) < CLOSE; // clocks are no better than that
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

  /** Whether this tab is the one that sends: a lease of a few seconds, which a killed tab loses by itself. */
  async #leased() {
    const now = Date.now();
    let mine = false;
    await stored(this.#database, "leases", "readwrite", (store) => {
      const asked = store.get(this.game);
      asked.onsuccess = () => {
        const lease = asked.result;
        mine = !lease || lease.owner === this.#owner || lease.until < now || lease.until > now + LEASE;
        if (mine) store.put({ game: this.game, owner: this.#owner, until: now + LEASE });
      };
    });
    return mine;
  }

  /** Lets other tabs send. */
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

/** What is known of the device's clock; null before the first answer of a server. */
function measured() {
  return offset.known ? offset.ms : null;
}

/**
 * The request of an act: with its id, and the time of the server at which it was done. Of what `dates` slips it is when
 * they were written; of what `dates` nothing the service says itself when it came.
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

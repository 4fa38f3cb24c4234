// The state of one game on a device: it is requested again after news, and stored on the device.

import { database, stored } from "./outbox.js";

const MIN_INTERVAL_MS = 250; // between two requests, at least

/** The state of a game; fires `change`. A subclass implements `ask`, which requests the state from the services. */
export class FollowedGame extends EventTarget {
  #key;
  #slow;
  #spread;
  #database;
  #source = null;
  #timer = 0;
  #looking = false;
  #again = false;
  /** The data of the page: at least `game`, `tournament` and `news`. */
  about;
  /** Position of the last news of the game; 0 before any. */
  news = 0;
  /** The last state received; null before the first. */
  seen = null;
  /** 0 before the first answer, 200, or the status of the failure. */
  status = 0;

  /**
   * `key` is the storage key, `slow` the ms between requests without news, and `spread` the ms over which the requests
   * of all devices with the same news are spread.
   */
  constructor(about, { key, slow, spread = 0 }) {
    super();
    this.about = about;
    this.#key = key;
    this.#slow = slow;
    this.#spread = spread;
  }

  async open() {
    this.#database = await database();
    const known = await stored(this.#database, "tables", "readonly", (store) => store.get(this.#key));
    if (known && !this.seen) this.show(known.seen);
    addEventListener("online", () => this.lookAnew());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#leave() : this.lookAnew()));
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => event.persisted && this.lookAnew());
    setInterval(() => document.hidden || this.look(), this.#slow); // news can be lost
    await this.look();
  }

  /** Request the state of the game from the services. */
  async look() {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    clearTimeout(this.#timer);
    try {
      await this.ask();
    } finally {
      this.#looking = false;
      if (this.#again) {
        this.#again = false;
        this.soon();
      }
    }
  }

  /** Request the state after a time in which events may have been missed. */
  lookAnew() {
    return this.look();
  }

  show(seen) {
    this.seen = seen;
    this.dispatchEvent(new Event("change"));
  }

  /** Store the last state on the device. */
  async keep() {
    const record = { game: this.#key, seen: this.seen };
    await stored(this.#database, "tables", "readwrite", (store) => void store.put(record));
  }

  soon(pause = MIN_INTERVAL_MS) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), pause);
  }

  /** Follow the news of the game while the page is visible. */
  follow() {
    if (this.#source || document.hidden) return;
    const { tournament, game, news } = this.about;
    const topic = `?games=${encodeURIComponent(game)}`;
    this.#source = new EventSource(`/api/v1/tournaments/${encodeURIComponent(tournament)}/stream${topic}`);
    const heard = (event) => {
      if (JSON.parse(event.data).game_id !== game) return;
      this.news = Math.max(this.news, JSON.parse(event.data).position);
      this.soon(MIN_INTERVAL_MS + Math.random() * this.#spread);
    };
    this.#source.addEventListener("Reset", () => {
      this.news = 0; // another record, for example after a backup was restored
      this.soon();
    });
    for (const name of news.split(" ")) this.#source.addEventListener(name, heard);
    this.#source.addEventListener("error", () => this.#source?.readyState === EventSource.CLOSED && this.#leave());
  }

  #leave() {
    this.#source?.close();
    this.#source = null;
  }
}

// What a page on a device shows of one game: as it was last seen, asked for again after news, and kept on the device.

import { database, stored } from "./outbox.js";

const PAUSE = 250; // ms between two looks, at least

/** What is known of a game; told of by `change`. Whoever extends it says in `ask` how the services are asked. */
export class FollowedGame extends EventTarget {
  #key;
  #slow;
  #spread;
  #database;
  #source = null;
  #timer = 0;
  #looking = false;
  #again = false;
  /** What the page is about: `game`, `tournament` and `news` at least. */
  about;
  /** The position of the last news of the game; 0 before any. */
  news = 0;
  /** What was last seen; null before anything was. */
  seen = null;
  /** 0 before an answer has come, 200, or what kept from seeing. */
  status = 0;

  /**
   * `key` is what it is kept under, `slow` the ms between looks where no news comes, and `spread` the ms over which the
   * looks of all who heard the same news are spread.
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
    setInterval(() => document.hidden || this.look(), this.#slow); // news may be lost on the way
    await this.look();
  }

  /** Asks the services how the game stands. */
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

  /** Looks after a time in which anything may have happened. */
  lookAnew() {
    return this.look();
  }

  show(seen) {
    this.seen = seen;
    this.dispatchEvent(new Event("change"));
  }

  /** Keeps on the device what was last seen. */
  async keep() {
    const record = { game: this.#key, seen: this.seen };
    await stored(this.#database, "tables", "readwrite", (store) => void store.put(record));
  }

  soon(pause = PAUSE) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), pause);
  }

  /** Hears the news of the game, while somebody sees the page. */
  follow() {
    if (this.#source || document.hidden) return;
    const { tournament, game, news } = this.about;
    const topic = `?games=${encodeURIComponent(game)}`;
    this.#source = new EventSource(`/api/v1/tournaments/${encodeURIComponent(tournament)}/stream${topic}`);
    const heard = (event) => {
      if (JSON.parse(event.data).game_id !== game) return;
      this.news = Math.max(this.news, JSON.parse(event.data).position);
      this.soon(PAUSE + Math.random() * this.#spread);
    };
    this.#source.addEventListener("Reset", () => {
      this.news = 0; // the record is another one, as after the restore of a backup
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

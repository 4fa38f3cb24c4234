// A duplicate game as its player sees it: followed live, kept on the device, and by the time of the service.

import { call, offset } from "./device.js";
import { database, stored } from "./outbox.js";

const PAUSE = 250; // ms between two looks, at least
const SPREAD = 1500; // ms over which the looks of all who heard the same news are spread
const SLOW = 20000; // ms between looks where no news comes
const PATIENCE = 12000; // ms that an answer may take

/** What is known: `game`, `sheet`, `own`; told of by `change`. */
export class SlipState extends EventTarget {
  #about;
  #key;
  #database;
  #source = null;
  #timer = 0;
  #looking = false;
  #again = false;
  #news = 0;
  #asked = ""; // what the own sheet was asked at
  /** What was last seen; null before anything was. */
  seen = null;
  /** 0 where no answer came, 200, or what kept from seeing. */
  status = 0;

  /** `about` has `game`, `tournament`, `player`, `hall` and `news`; `key` is what it is kept under. */
  constructor(about, key) {
    super();
    this.#about = about;
    this.#key = key;
  }

  async open() {
    this.#database = await database();
    const known = await stored(this.#database, "tables", "readonly", (store) => store.get(this.#key));
    if (known && !this.seen) this.#show(known.seen);
    addEventListener("online", () => this.lookAnew());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#leave() : this.lookAnew()));
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => event.persisted && this.lookAnew());
    setInterval(() => document.hidden || this.look(), SLOW); // news may be lost on the way
    await this.look();
  }

  /** The last turn whose rack was called; null before. */
  get turn() {
    return this.seen?.game.turns.at(-1) ?? null;
  }

  /** Looks again, and at the own sheet too: after what this device sent, and after a time without a network. */
  lookAnew() {
    this.#asked = "";
    return this.look();
  }

  async look() {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    clearTimeout(this.#timer);
    try {
      await this.#ask();
    } finally {
      this.#looking = false;
      if (this.#again) {
        this.#again = false;
        this.#soon();
      }
      this.#follow();
    }
  }

  async #ask() {
    const { game, player, hall } = this.#about;
    const base = `/api/v1/duplicate/${encodeURIComponent(game)}`;
    const [shown, sheets] = await Promise.all([
      this.#read(base),
      this.#read(`${base}/sheets`, `player=${encodeURIComponent(player)}`),
    ]);
    if (!shown || !sheets) return this.dispatchEvent(new Event("change"));
    let own = this.seen?.own ?? null;
    // Asked once for each thing that may have changed it: every phone of a hall hears the same news.
    const asked = `${shown.turns.length}${shown.turns.at(-1)?.started_at}${shown.turns.at(-1)?.scored}${shown.validated}`;
    if (asked !== this.#asked || own?.claims.some(({ decided }) => !decided)) {
      const sent = Date.now();
      const { status, body } = await call("game", "GetOwnSheet", { game_id: game, hall, player_id: player });
      if (status === 200) {
        offset.learnExactly(Date.parse(body.now), sent, Date.now());
        [own, this.#asked] = [body, asked];
      } else this.status = status;
    }
    this.#show({ game: shown, sheet: sheets.sheets[0] ?? { slips: [], total: 0 }, own });
    await stored(this.#database, "tables", "readwrite", (store) => void store.put({ game: this.#key, seen: this.seen }));
  }

  /** What the public reads; null where it cannot be read. */
  async #read(address, query = "") {
    const position = this.#news ? `min_position=${this.#news}` : "";
    try {
      const answer = await fetch(`${address}?${[query, position].filter(Boolean).join("&")}`, {
        signal: AbortSignal.timeout(PATIENCE),
      });
      this.status = answer.status;
      return answer.ok ? await answer.json() : null;
    } catch (problem) {
      if (!(problem instanceof TypeError) && !["TimeoutError", "AbortError"].includes(problem.name)) throw problem;
      this.status = 0;
      return null;
    }
  }

  #show(seen) {
    this.seen = seen;
    this.dispatchEvent(new Event("change"));
  }

  #soon(pause = PAUSE) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), pause);
  }

  #follow() {
    if (this.#source || document.hidden) return;
    const { tournament, game, news } = this.#about;
    const topic = `?games=${encodeURIComponent(game)}`;
    this.#source = new EventSource(`/api/v1/tournaments/${encodeURIComponent(tournament)}/stream${topic}`);
    const heard = (event) => {
      if (JSON.parse(event.data).game_id !== game) return;
      this.#news = Math.max(this.#news, Number(event.lastEventId));
      this.#soon(PAUSE + Math.random() * SPREAD);
    };
    for (const name of news.split(" ")) this.#source.addEventListener(name, heard);
    this.#source.addEventListener("error", () => this.#source?.readyState === EventSource.CLOSED && this.#leave());
  }

  #leave() {
    this.#source?.close();
    this.#source = null;
  }
}

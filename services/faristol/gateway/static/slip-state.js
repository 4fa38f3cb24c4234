// A duplicate game for one of its players: followed live, stored on the device, by the clock of the service.

import { call, offset } from "./device.js";
import { FollowedGame } from "./followed-game.js";

const SPREAD_MS = 1500; // over which the requests of all devices with the same news are spread
const POLL_MS = 20000; // between requests without news
const ANSWER_TIMEOUT_MS = 12000;

/** The state: `game`, `sheet`, `own`. */
export class SlipState extends FollowedGame {
  #asked = ""; // state of the game at the last request of their own sheet

  /** `about` has `game`, `tournament`, `player`, `hall` and `news`; `key` is the storage key. */
  constructor(about, key) {
    super(about, { key, slow: POLL_MS, spread: SPREAD_MS });
  }

  /** The last turn whose rack was called; null before. */
  get turn() {
    return this.seen?.game.turns.at(-1) ?? null;
  }

  /** Request all state again, with their own sheet: after this device sent an act, and after a time without a network. */
  lookAnew() {
    this.#asked = "";
    return this.look();
  }

  async ask() {
    try {
      await this.#askAll();
    } finally {
      this.follow();
    }
  }

  async #askAll() {
    const { game, player, hall } = this.about;
    const base = `/api/v1/duplicate/${encodeURIComponent(game)}`;
    const [shown, sheets] = await Promise.all([
      this.#read(base),
      this.#read(`${base}/sheets`, `player=${encodeURIComponent(player)}`),
    ]);
    if (!shown || !sheets) return this.dispatchEvent(new Event("change"));
    let own = this.seen?.own ?? null;
    // Requested once for each change that may affect it: every phone of a hall receives the same news.
    const asked = `${shown.turns.length}${shown.turns.at(-1)?.started_at}${shown.turns.at(-1)?.scored}${shown.validated}`;
    if (asked !== this.#asked || own?.claims.some(({ decided }) => !decided)) {
      const sent = Date.now();
      const { status, body } = await call("game", "GetOwnSheet", { game_id: game, hall, player_id: player });
      if (status === 200) {
        offset.learnExactly(Date.parse(body.now), sent, Date.now());
        [own, this.#asked] = [body, asked];
      } else this.status = status;
    }
    this.show({ game: shown, sheet: sheets.sheets[0] ?? { slips: [], total: 0 }, own });
    await this.keep();
  }

  /** Return a public resource; null if it cannot be read. */
  async #read(address, query = "") {
    const position = this.news ? `min_position=${this.news}` : "";
    try {
      const answer = await fetch(`${address}?${[query, position].filter(Boolean).join("&")}`, {
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      this.status = answer.status;
      return answer.ok ? await answer.json() : null;
    } catch (problem) {
      if (!(problem instanceof TypeError) && !["TimeoutError", "AbortError"].includes(problem.name)) throw problem;
      this.status = 0;
      return null;
    }
  }
}

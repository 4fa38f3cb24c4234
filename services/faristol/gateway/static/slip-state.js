// A duplicate game as its player sees it: followed live, kept on the device, and by the time of the service.

import { call, offset } from "./device.js";
import { FollowedGame } from "./followed-game.js";

const SPREAD = 1500; // ms over which the looks of all who heard the same news are spread
const SLOW = 20000; // ms between looks where no news comes
const PATIENCE = 12000; // ms that an answer may take

/** What is known: `game`, `sheet`, `own`. */
export class SlipState extends FollowedGame {
  #asked = ""; // what the own sheet was asked at

  /** `about` has `game`, `tournament`, `player`, `hall` and `news`; `key` is what it is kept under. */
  constructor(about, key) {
    super(about, { key, slow: SLOW, spread: SPREAD });
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
    this.show({ game: shown, sheet: sheets.sheets[0] ?? { slips: [], total: 0 }, own });
    await this.keep();
  }

  /** What the public reads; null where it cannot be read. */
  async #read(address, query = "") {
    const position = this.news ? `min_position=${this.news}` : "";
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
}

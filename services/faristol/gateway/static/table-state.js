// The state of a table from the services, followed live, with the pending acts of this device applied.

import { call, passes } from "./device.js";
import { FollowedGame } from "./followed-game.js";
import { counted, key } from "./tiles.js";

const POLL_MS = 15000; // between requests without news

/** The state of a table: `table`, `clock`, `racks`, `offers`, `sheet`. */
export class TableState extends FollowedGame {
  /** Time of the last state, in ms by the device; 0 if it was stored in an earlier session. */
  seenAt = 0;
  /** Time of the request of the last state, by `performance.now()`: the state has all acts answered before. */
  askedAt = -Infinity;

  /** `about` has `game`, `tournament`, `players`, `arbiter` (an ID, or empty), and whether `offers` are needed. */
  constructor(about) {
    super(about, { key: about.game, slow: POLL_MS });
  }

  async ask() {
    const { game, players, arbiter, offers } = this.about;
    const askedAt = performance.now();
    const [table, clock, ...others] = await Promise.all([
      call("game", "GetGame", { game_id: game }),
      call("clock", "GetClock", { game_id: game }),
      offers ? call("game", "ListOffers", { game_id: game, arbiter_id: arbiter }) : null,
      call("results", "GetGame", { game_id: game, min_position: this.news }),
      ...(offers ? players.map((player) => call("game", "GetGame", { game_id: game, player_id: player })) : []),
    ]);
    const [offered, sheet, ...racks] = others;
    // All parts must be of the same moment: with the offers of a previous turn, a table would offer invalid acts.
    const ofGame = [table, offered, ...racks].filter(Boolean);
    this.status = ofGame.map(({ status }) => status).find(passes) ?? table.status;
    const versions = new Set(ofGame.filter(({ status }) => status === 200).map(({ body }) => body.version));
    if (this.status === 200 && versions.size > 1) {
      this.soon();
    } else if (this.status === 200) {
      this.seen = {
        table: table.body,
        clock: clock.status === 200 ? clock.body : passes(clock.status) ? (this.seen?.clock ?? null) : null,
        offers: offered?.status === 200 ? offered.body.offers : (this.seen?.offers ?? []),
        sheet: sheet.status === 200 ? sheet.body : (this.seen?.sheet ?? null),
        racks: Object.fromEntries(racks.map((each, place) => [players[place], each.body.rack ?? []])),
        interruption: racks.map((each) => each.body.interruption).find(Boolean) ?? table.body.interruption ?? null,
      };
      this.seenAt = Date.now();
      this.askedAt = askedAt;
      await this.keep();
      if (table.body.following || clock.body.following) this.soon();
      this.follow();
    } else if (passes(this.status)) {
      setTimeout(() => this.soon(), 2000);
    }
    this.dispatchEvent(new Event("change"));
  }
}

/** Return the board of a table as a map from squares to tiles. */
export function boardOf(tiles) {
  return new Map(tiles.map((tile) => [key(tile.row, tile.column), tile]));
}

/** Return a text to compare placements; empty for none. */
export function tilesOf(placements = []) {
  return placements
    .map((tile) => `${key(tile.row, tile.column)} ${tile.face}`)
    .sort()
    .join(", ");
}

/**
 * Return the outcome of an act that is earlier than acts of others, by the current table: `again` if the table is at
 * the same turn and play; `done` if others did the same, or ended the turn whose remaining step the act was; empty if a
 * user must decide.
 */
export function lateOutcome(act, table) {
  const lies = tilesOf(table.pending?.placements);
  if (act.method === "PlacePlay" && table.turn === act.turn && lies && lies === tilesOf(act.body.placements))
    return "done";
  if (table.turn === act.turn) return lies === (act.lies ?? "") ? "again" : "";
  return act.unless && table.turn > act.turn ? "done" : "";
}

/**
 * Return a table with the acts applied that were sent after its state or are pending: the result if all are accepted.
 * `isAhead` tells whether there are any. The steps of a turn in the rule book determine the next step, as far as this
 * device knows it.
 */
export function ahead(seen, acts, rules) {
  const { table, clock } = seen;
  const state = {
    board: boardOf(table.board),
    phase: table.phase,
    turn: table.turn,
    mover: table.turn_player_id,
    scores: Object.fromEntries(table.sides.map((side) => [side.player_id, side.score])),
    held: Object.fromEntries(table.sides.map((side) => [side.player_id, side.rack_size])),
    racks: structuredClone(seen.racks),
    signed: new Set(table.sides.filter((side) => side.signed).map((side) => side.player_id)),
    bag: table.bag_left,
    pending: table.pending
      ? {
          points: table.pending.score,
          player: table.pending.player_id,
          tiles: tilesOf(table.pending.placements),
        }
      : null,
    written: new Set((table.written ?? []).map((each) => each.player_id)),
    stopped: Boolean(clock?.held),
    fresh: new Set(), // squares of tiles that are not sent yet
    isAhead: acts.length > 0,
  };
  const players = table.sides.map((side) => side.player_id);
  for (const act of acts) {
    if (act.problem) return { ...state, isAhead: false }; // the effect of later acts depends on the user's decision
    apply(state, act, players, rules);
  }
  return state;
}

function apply(state, { method, body }, players, rules) {
  const player = body.player_id;
  const steps = rules.steps;
  const take = (faces) => {
    const rack = state.racks[player] ?? [];
    for (const face of faces) {
      const place = rack.indexOf(face) >= 0 ? rack.indexOf(face) : rack.indexOf("");
      if (place >= 0) rack.splice(place, 1);
    }
    state.held[player] -= faces.length;
  };
  const pass = () => {
    if (state.pending) state.scores[state.pending.player] += state.pending.points;
    state.pending = null;
    state.written = new Set();
    state.stopped = false;
    state.turn++;
    state.mover = players[(players.indexOf(state.mover) + 1) % players.length];
    state.phase = "PHASE_TURN";
  };
  switch (method) {
    case "StartGame":
      state.phase = "PHASE_TURN";
      state.turn = 1;
      state.mover = player;
      break;
    case "PlacePlay": {
      const count = counted(state.board, body.placements, rules);
      for (const tile of body.placements) {
        state.board.set(key(tile.row, tile.column), tile);
        state.fresh.add(key(tile.row, tile.column));
      }
      take(body.placements.map((tile) => (tile.blank ? "?" : tile.face)));
      state.pending = { points: count?.points ?? 0, player, tiles: tilesOf(body.placements) };
      state.phase = "PHASE_PLACED";
      break;
    }
    case "Stop":
      state.stopped = true;
      break;
    case "WriteScore":
      state.written.add(player);
      break;
    case "DrawTiles": {
      const lacking = Math.max(0, Math.min(body.count ?? rules.rack - state.held[player], state.bag));
      state.held[player] += lacking;
      state.bag -= lacking;
      (state.racks[player] ?? []).push(...(body.faces?.length ? body.faces : Array(lacking).fill("")));
      if (player === state.mover) state.phase = "PHASE_DRAWN";
      if (!steps.includes("press")) pass();
      break;
    }
    case "Exchange":
    case "Pass":
    case "DeclareCannotPlay":
      if (method === "Exchange") state.racks[player] = Array(state.held[player]).fill("");
      state.phase = "PHASE_DRAWN";
      if (!steps.includes("press")) pass();
      break;
    case "Press":
      pass();
      break;
    case "SignSheet":
      state.signed.add(player);
      break;
    case "StateRack":
      state.racks[player] = [...body.faces];
      break;
    case "TakeBackTiles":
      for (const square of state.fresh) state.board.delete(square);
      state.pending = null;
      state.phase = "PHASE_TURN";
      break;
  }
}

/** Return the remaining acts of a turn with a play, an exchange or neither. */
export function rest(state, rules, { isPlay }) {
  const acts = [];
  const others = Object.keys(state.scores).filter((player) => player !== state.mover);
  const act = (service, method, player) => acts.push({ service, method, body: { player_id: player } });
  for (const step of rules.steps) {
    if (step === "stop" && !state.stopped && (isPlay || rules.exchangeStops)) act("clock", "Stop", state.mover);
    if (step === "write" && isPlay) {
      const writers = { both: [state.mover, ...others], mover: [state.mover], keeper: [rules.keeper] }[rules.writtenBy];
      for (const player of writers) if (!state.written.has(player)) act("game", "WriteScore", player);
    }
    if (step === "draw" && isPlay && state.phase === "PHASE_PLACED" && state.bag) act("game", "DrawTiles", state.mover);
    if (step === "press") act("clock", "Press", state.mover);
  }
  return acts;
}

/** Return the times of a clock at a moment of the server, in ms left, by player; null without a clock. */
export function timesLeft(clock, now) {
  if (!clock?.times) return null;
  const running = new Map((clock.running ?? []).map((each) => [each.player_id, Date.parse(each.since)]));
  const perTurn = Number(clock.turn_ms);
  return Object.fromEntries(
    clock.times.map(({ player_id: player, used_ms: used }) => {
      const since = running.get(player);
      const run = since === undefined ? 0 : Math.max(0, now - since);
      const spent = perTurn ? (since === undefined ? 0 : Number(clock.turn_used_ms)) : Number(used);
      return [player, { left: (perTurn || Number(clock.allowance_ms)) - spent - run, runs: since !== undefined }];
    }),
  );
}

/**
 * Return the same with the presses among `acts`, which the state does not have: after each press the time of the next
 * player runs. `shown` is the table with all pending acts, `players` has the IDs in order.
 */
export function timesShown(seen, shown, acts, players, now) {
  const left = timesLeft(seen.clock, now);
  const presses = acts.filter((act) => act.method === "Press");
  const [running] = seen.clock?.running ?? [];
  if (!left || !running || !presses.length || acts.some(({ problem }) => problem)) return left;
  const change = Object.fromEntries(players.map((player) => [player, 0]));
  let [runs, since] = [running.player_id, Date.parse(running.since)];
  change[runs] += Math.max(0, now - since);
  for (const press of presses) {
    const at = press.at + (press.offset ?? 0);
    change[runs] -= Math.max(0, at - since);
    [runs, since] = [players[(players.indexOf(runs) + 1) % players.length], at];
  }
  const isOn = shown.mover === runs;
  if (isOn) change[runs] -= Math.max(0, now - since);
  const times = Object.entries(left).map(([player, time]) => [
    player,
    { left: time.left + change[player], runs: isOn && player === runs },
  ]);
  return Object.fromEntries(times);
}

/** Return `24:07`, with a minus sign in overtime. */
export function minutes(ms) {
  const seconds = Math.ceil(Math.abs(ms) / 1000);
  return `${ms < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

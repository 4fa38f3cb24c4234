// A table as the services show it, followed live, with what waits on this device laid over it.

import { call, passes } from "./device.js";
import { FollowedGame } from "./followed-game.js";
import { counted, key } from "./tiles.js";

const SLOW = 15000; // ms between looks where no news comes

/** What is known of a table: `table`, `clock`, `racks`, `offers`, `sheet`. */
export class TableState extends FollowedGame {
  /** When the state was last seen, in ms by the device; 0 where it is from an earlier time. */
  seenAt = 0;
  /** When the services were asked for what was last seen, by `performance.now()`: what was answered before is in it. */
  askedAt = -Infinity;

  /** `about` has `game`, `tournament`, `players`, `arbiter` (an id, or empty), and whether `offers` are wanted. */
  constructor(about) {
    super(about, { key: about.game, slow: SLOW });
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
    // Of the game all or nothing, and of one moment: a table with the offers of the turn before would offer what is over.
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

/** The board of a table as a map from squares to tiles. */
export function boardOf(tiles) {
  return new Map(tiles.map((tile) => [key(tile.row, tile.column), tile]));
}

/** Which tiles lie where, to be compared; empty for none. */
export function tilesOf(placements = []) {
  return placements
    .map((tile) => `${key(tile.row, tile.column)} ${tile.face}`)
    .sort()
    .join(", ");
}

/**
 * What becomes of an act that is dated before what others did meanwhile, in view of the table as it stands: `again` where
 * they are still at its turn, with the play that the act was entered for; `done` where they did the same, or ended the
 * turn of which the act was the rest; empty where a person has to decide.
 */
export function lateOutcome(act, table) {
  const lies = tilesOf(table.pending?.placements);
  if (act.method === "PlacePlay" && table.turn === act.turn && lies && lies === tilesOf(act.body.placements))
    return "done";
  if (table.turn === act.turn) return lies === (act.lies ?? "") ? "again" : "";
  return act.unless && table.turn > act.turn ? "done" : "";
}

/**
 * A table with the acts laid over it that were sent since it was seen, and that wait: what it will be if nothing stands
 * against them. `isAhead` says that there are any; the steps that the book has for a turn tell what comes next, as far as
 * that is known here.
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
    fresh: new Set(), // squares of tiles that wait
    isAhead: acts.length > 0,
  };
  const players = table.sides.map((side) => side.player_id);
  for (const act of acts) {
    if (act.problem) return { ...state, isAhead: false }; // what comes of the others depends on what is decided
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

/** The acts that are left of a turn in which a play lies, tiles were exchanged, or nothing was laid. */
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

/** What a clock shows at a moment of the server's, in ms left, by player; null where no clock is kept. */
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
 * The same with the presses among `acts`, which are not in what was seen: since each of them the next player's time runs,
 * and not that of who pressed. `shown` is the table as it will be, `players` their ids in order.
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

/** `24:07`, with a minus sign in overtime. */
export function minutes(ms) {
  const seconds = Math.ceil(Math.abs(ms) / 1000);
  return `${ms < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

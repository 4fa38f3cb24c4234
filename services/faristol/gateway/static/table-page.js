// Shared by the pages of a table: the outbox, the state of the table, the offers, and the entry of acts.

import { about, make, nameOf } from "./dom.js";
import { call, offset, passes } from "./device.js";
import { ask, labelOf } from "./keep-acts.js";
import { Outbox } from "./outbox.js";
import { TableState, ahead, lateOutcome, timesShown } from "./table-state.js";
import { KNOWN } from "./waiting.js";

const order = about.players.map(({ id }) => id);
export const rules = { ...about.rules, keeper: about.players[0].id };
export const outbox = new Outbox(about.game, {
  async late(act) {
    const { status, body } = await call("game", "GetGame", { game_id: about.game });
    return status === 200 ? lateOutcome(act, body) : passes(status) ? null : "";
  },
});
export const state = new TableState({
  game: about.game,
  tournament: about.tournament,
  players: order,
  arbiter: about.arbiter,
  news: about.news,
  offers: true,
});

const may = new Set(about.may);

/**
 * Return the acts that the state of the table does not have: sent later, or pending. A state that was requested before
 * an act was answered may have the act; then the last event at the table is not earlier than the act.
 */
function unseen() {
  const last = Date.parse(state.seen.table.occurred_at ?? "");
  return [...outbox.sent.filter(({ date }) => !(date <= last)), ...outbox.acts];
}

/** Return the table with all pending acts applied; null before the first state. */
export function shown() {
  return state.seen && ahead(state.seen, unseen(), rules);
}

/** Return the remaining time of each player now, with pending presses applied. */
export function times(table = shown()) {
  return timesShown(state.seen, table, unseen(), order, offset.now());
}

/** Return the commands that the services would accept now, limited to the user's role. */
export function offers() {
  return state.seen.offers.filter(({ method }) => may.has(method));
}

export function offered(method, player = "") {
  return offers().find((offer) => offer.method === method && (!player || offer.player_id === player));
}

/** Ask for the fields of an offer, and enter it. */
export async function act(offer) {
  const made = await ask(offer, state.seen);
  if (made) await enter(made);
}

/** Store acts, each with its turn and play, and not earlier than the last event at the table. */
export function enter(...acts) {
  const { turn, pending } = shown();
  const [after, lies] = [state.seen.table.occurred_at, pending?.tiles ?? ""];
  return outbox.add(...acts.map((each) => ({ ...each, after, turn, lies })));
}

/** Enter the remaining steps of a turn. Steps that another person has already entered cause no message. */
export function finish(steps) {
  const label = ({ method, body }) => `${nameOf(body.player_id)}: ${about.acts[method]}`;
  return enter(...steps.map((step) => ({ ...step, unless: KNOWN, label: label(step) })));
}

/** Return the button of an offer with its article; `mover` is not named on it. */
export function offerButton(offer, mover, style = "quiet") {
  const isNamed = offer.player_id && offer.player_id !== mover;
  const who = isNamed ? `${nameOf(offer.player_id)}: ` : "";
  const told = [who + labelOf(offer), offer.article && make("span", { class: "sub" }, offer.article)];
  const known = `${offer.method}-${offer.player_id}-${offer.drawer_id ?? ""}-${offer.by_arbiter ?? ""}`;
  return make("button", { class: style, type: "button", "data-key": known, onclick: () => act(offer) }, told);
}

/** Draw the page after each change, and request the table again after each act was sent. */
export function follow(draw) {
  for (const kind of ["change", "state"]) outbox.addEventListener(kind, draw);
  for (const kind of ["sent", "refused", "known"]) outbox.addEventListener(kind, () => state.look());
  state.addEventListener("change", () => {
    outbox.forget(state.askedAt);
    draw();
    if (state.status === 200) outbox.send();
  });
  for (const kind of ["online", "offline"]) addEventListener(kind, draw);
}

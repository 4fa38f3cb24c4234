// What the pages of a table share: the outbox, what is seen of the table, what is offered, and how an act is entered.

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
 * The acts that are not in what was seen of the table: sent since then, and waiting. What is seen may be asked for before
 * an act is answered, and have it all the same: then the last thing at the table is no earlier than the act.
 */
function unseen() {
  const last = Date.parse(state.seen.table.occurred_at ?? "");
  return [...outbox.sent.filter(({ date }) => !(date <= last)), ...outbox.acts];
}

/** The table as it will be once what waits is sent; null before anything was seen. */
export function shown() {
  return state.seen && ahead(state.seen, unseen(), rules);
}

/** What is left to each player now, with the presses that wait. */
export function times(table = shown()) {
  return timesShown(state.seen, table, unseen(), order, offset.now());
}

/** What the services would accept now of what the reader's role may do. */
export function offers() {
  return state.seen.offers.filter(({ method }) => may.has(method));
}

export function offered(method, player = "") {
  return offers().find((offer) => offer.method === method && (!player || offer.player_id === player));
}

/** Asks what has to be said with an offer, and enters it. */
export async function act(offer) {
  const made = await ask(offer, state.seen);
  if (made) await enter(made);
}

/** Keeps acts, each no earlier than what was last seen at the table, with the turn and the play that it is for. */
export function enter(...acts) {
  const { turn, pending } = shown();
  const [after, lies] = [state.seen.table.occurred_at, pending?.tiles ?? ""];
  return outbox.add(...acts.map((each) => ({ ...each, after, turn, lies })));
}

/** Enters what is left of a turn. What somebody else has done of it already is nothing to tell of. */
export function finish(steps) {
  const label = ({ method, body }) => `${nameOf(body.player_id)}: ${about.acts[method]}`;
  return enter(...steps.map((step) => ({ ...step, unless: KNOWN, label: label(step) })));
}

/** The button of an offer, with the article it rests on; `mover` does not have to be named. */
export function offerButton(offer, mover, style = "quiet") {
  const isNamed = offer.player_id && offer.player_id !== mover;
  const who = isNamed ? `${nameOf(offer.player_id)}: ` : "";
  const told = [who + labelOf(offer), offer.article && make("span", { class: "sub" }, offer.article)];
  const known = `${offer.method}-${offer.player_id}-${offer.drawer_id ?? ""}-${offer.by_arbiter ?? ""}`;
  return make("button", { class: style, type: "button", "data-key": known, onclick: () => act(offer) }, told);
}

/** Draws the page whenever something has changed, and looks at the table again after each act that was sent. */
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

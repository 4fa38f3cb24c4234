// The next step at a table: offers that follow by the rule book are large; all others are below.

import { about, fill, make, nameOf, text } from "./dom.js";
import { labelOf } from "./keep-acts.js";
import { rest } from "./table-state.js";
import { act, finish, offerButton, offered, offers, outbox, rules, state } from "./table-page.js";

const PRIMARY = new Set(["PlacePlay", "LayTiles", "Challenge"]);

/** Commands that resolve an interruption of the game. */
const SETTLING = new Set([
  "AcceptRuling",
  "Appeal",
  "RuleAppeal",
  "DecideOffCentre",
  "ChooseSurplus",
  "ResolveOverdraw",
  "ResolveUnderdraw",
  "KeepAfterExchange",
  "SettleCount",
  "DismissArbiter",
  "Resume",
]);

/** Draw the next step: for the table with all pending acts (`shown`), and the play in preparation. */
export function drawNext(element, shown, composer) {
  const isEdited = composer.replaced !== null;
  if (outbox.acts[0]?.problem) return fill(element, isEdited && [composer.panel, composer.lineBox]);
  const { phase, mover, turn } = shown;
  const heading = turn > 0 && mover && text("turnOf", { turn, player: nameOf(mover) });
  const bag = make("span", { class: "sub" }, ` · ${text("bag", { count: shown.bag })}`);
  fill(element, heading && make("h2", {}, heading, bag), held(phase), ruling(turn), (AT_PHASE[phase] ?? (() => []))(shown, composer));
}

/** Draw all offers, by player. */
export function drawMore(element) {
  const mine = offers().filter(({ method }) => !PRIMARY.has(method));
  const groups = [
    ...about.players.map(({ id, name }) => [
      name,
      mine.filter((each) => each.player_id === id && !each.by_arbiter),
      id,
    ]),
    [text("ofArbiter"), mine.filter((each) => each.by_arbiter || !each.player_id), ""],
  ];
  const section = ([name, some, own]) =>
    make("section", {}, make("h3", {}, name), acts(some.map((offer) => offerButton(offer, own))));
  fill(element.querySelector(".offers"), groups.filter(([, some]) => some.length).map(section));
  element.hidden = !mine.length || Boolean(outbox.acts[0]?.problem);
}

const AT_PHASE = {
  PHASE_UNSPECIFIED: () => {
    const starting = bigs(["StartGame"]);
    return [note("notStarted"), ...(starting.length ? starting : bigs(["AssignArbiter"]))];
  },
  PHASE_TURN: toPlay,
  PHASE_PLACED: played,
  PHASE_DRAWN: played,
  PHASE_CHALLENGED: () => [note(state.seen.table.appealed ? "appealed" : "challenged"), ...settling()],
  PHASE_REFUSED: () => [note("refused"), ...settling()],
  PHASE_OFF_CENTRE: () => [note("offCentre"), ...settling()],
  PHASE_ENDED: (shown) => {
    const unknown = ({ player_id: player }) => (shown.racks[player] ?? []).includes("");
    const signing = bigs(["SignSheet"], ({ player_id: player }) => !shown.signed.has(player));
    return [make("h2", {}, text("ended")), ...signing, ...(signing.length ? [] : bigs(["StateRack"], unknown))];
  },
  PHASE_FINAL: () => [make("h2", {}, text("final"))],
};

function toPlay(shown, composer) {
  if (state.seen.interruption) return [note("interrupted"), ...settling()];
  const others = ["Exchange", "Pass"].map((method) => possible("game", method, shown));
  const rare = ["DeclareCannotPlay", "AgreeEnd"].map((method) => offered(method, shown.mover));
  const late = shown.isAhead ? [] : offers().filter(({ method }) => ["Challenge", "AcceptPlay"].includes(method));
  const found = [...others, ...rare, ...late, undo(shown)].filter(Boolean);
  const buttons = found.map((offer) => offerButton(offer, shown.mover));
  const isPlayable = possible("game", "PlacePlay", shown);
  return [isPlayable && composer.panel, acts(buttons), isPlayable && composer.lineBox];
}

function played(shown) {
  if (state.seen.interruption) return [note("interrupted"), ...settling()];
  const isPlay = Boolean(shown.pending);
  const steps = rest(shown, rules, { isPlay });
  const known = { class: "big", type: "button", "data-key": "done", onclick: () => finish(steps) };
  const against = ["Challenge", "Appeal"]; // steps that are only possible before the turn ends
  const challenges = shown.isAhead ? [] : offers().filter(({ method }) => against.includes(method));
  const taking = !shown.isAhead && offered("TakeBackTiles", shown.mover);
  return [
    steps.length > 0 && make("button", known, text(isPlay ? "turnDone" : "turnDoneTaken")),
    acts([
      ...challenges.map((offer) => offerButton(offer, shown.mover, "quiet wide-act")),
      taking && offerButton(taking, shown.mover),
      undo(shown),
    ].map((each) => (each?.method ? offerButton(each, "") : each))),
  ];
}

/** Draw the button that undoes the last act near the next step, not below all offers. */
function undo(shown) {
  return !shown.isAhead && offers().find(({ method }) => method === "TakeBackEntries");
}

/** Return an offer, or a substitute while acts with an unknown outcome wait. */
function possible(service, method, { mover, isAhead }) {
  const known = offered(method, mover);
  return known ?? (isAhead && { service, method, player_id: mover, article: "", choices: [] });
}

/** Return why both clocks are stopped, if the page does not show it elsewhere. */
function held(phase) {
  const { clock } = state.seen;
  const isOver = ["PHASE_ENDED", "PHASE_FINAL"].includes(phase);
  // Outside the phase of a challenge, a clock that was stopped for one waits for what follows the ruling.
  const isRuled = clock?.reason === "NEUTRALISATION_REASON_CHALLENGE";
  const why = clock?.neutralised && (isRuled ? text("ruled") : about.held[clock.reason]);
  const told = !isOver && phase !== "PHASE_CHALLENGED" && why;
  return told ? make("p", { class: "notice", role: "status", "data-key": "held" }, told) : null;
}

/**
 * Return the last ruling until the next turn ends. It disappears with the act that ends that turn, so that later news
 * moves nothing.
 */
function ruling(turn) {
  const { ruling: last } = state.seen.table;
  if (!last || last.turn < turn - 1) return null;
  const words = last.words.map((each) => ` ${each.word.faces.join("")} ${each.valid ? "✓" : "✗"}`);
  const told = text(last.valid ? "valid" : "invalid", { word: last.word.faces.join("") });
  return make("p", { class: "notice" }, told, words);
}

function settling() {
  const found = offers().filter(({ method }) => SETTLING.has(method));
  return [acts(found.map((offer) => offerButton(offer, "", "big")))];
}

/** Return large buttons of commands, each with its player. */
function bigs(methods, isWanted = () => true) {
  const found = offers().filter((offer) => methods.includes(offer.method) && isWanted(offer));
  const told = (offer) => (offer.player_id ? `${nameOf(offer.player_id)}: ${labelOf(offer)}` : labelOf(offer));
  const known = (offer) => ({ class: "big", type: "button", "data-key": `${offer.method}-${offer.player_id}` });
  return found.map((offer) => make("button", { ...known(offer), onclick: () => act(offer) }, told(offer)));
}

function acts(buttons) {
  const some = buttons.filter(Boolean);
  return some.length > 0 && make("div", { class: "acts" }, some);
}

function note(key) {
  return make("p", { class: "notice" }, text(key));
}

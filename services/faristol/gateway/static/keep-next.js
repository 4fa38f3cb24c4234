// What comes next at a table: what is offered large where the book has it next, and everything else below.

import { about, fill, make, nameOf, text } from "./dom.js";
import { labelOf } from "./keep-acts.js";
import { rest } from "./table-state.js";
import { act, finish, offerButton, offered, offers, outbox, rules, state } from "./table-page.js";

const PRIMARY = new Set(["PlacePlay", "LayTiles", "Challenge"]);

/** What settles that which keeps the game from going on. */
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

/** Draws what comes next into an element: for the table as it will be (`shown`), with the play that is being made. */
export function drawNext(element, shown, composer) {
  const isEdited = composer.replaced !== null;
  if (outbox.acts[0]?.problem) return fill(element, isEdited && [composer.panel, composer.lineBox]);
  const { phase, mover, turn } = shown;
  const heading = turn > 0 && mover && text("turnOf", { turn, player: nameOf(mover) });
  const bag = make("span", { class: "sub" }, ` · ${text("bag", { count: shown.bag })}`);
  fill(element, heading && make("h2", {}, heading, bag), held(phase), ruling(turn), (AT_PHASE[phase] ?? (() => []))(shown, composer));
}

/** Draws everything that is offered, player by player. */
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
  const against = ["Challenge", "Appeal"]; // what has to come before the turn is over
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

/** Taking back what was entered last stands beside it, and not below everything else. */
function undo(shown) {
  return !shown.isAhead && offers().find(({ method }) => method === "TakeBackEntries");
}

/** An offer, or what stands for one while acts wait whose outcome the services have not told. */
function possible(service, method, { mover, isAhead }) {
  const known = offered(method, mover);
  return known ?? (isAhead && { service, method, player_id: mover, article: "", choices: [] });
}

/** Why both clocks stand, where nothing else on the page says it. */
function held(phase) {
  const { clock } = state.seen;
  const isOver = ["PHASE_ENDED", "PHASE_FINAL"].includes(phase);
  const told = clock?.neutralised && !isOver && phase !== "PHASE_CHALLENGED" && about.held[clock.reason];
  return told ? make("p", { class: "notice", role: "status", "data-key": "held" }, told) : null;
}

/** The last ruling, up to the turn after it. It goes with the act that ends that turn: what is seen later moves nothing. */
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

/** Large buttons of commands, each with who does it. */
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

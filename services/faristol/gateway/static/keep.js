// The scorer's page: what is touched becomes an act of the outbox, and the table is shown as it will be.

import { Composer, wordsOn } from "./keep-board.js";
import { about, figure, fill, make, nameOf, say, text } from "./dom.js";
import { offset } from "./device.js";
import { ask, labelOf } from "./keep-acts.js";
import { keepOffline } from "./offline.js";
import { Outbox } from "./outbox.js";
import { TableState, ahead, minutes, rest, timesLeft } from "./table-state.js";
import { KNOWN, playText, queueOf } from "./waiting.js";

const PRIMARY = new Set(["PlacePlay", "LayTiles", "Challenge"]);
const rules = { ...about.rules, keeper: about.players[0].id };
const may = new Set(about.may);
const outbox = new Outbox(about.game);
const composer = new Composer();
const state = new TableState({
  game: about.game,
  tournament: about.tournament,
  players: about.players.map(({ id }) => id),
  arbiter: about.arbiter,
  news: about.news,
  offers: true,
});

const page = document.getElementById("keep");
const stateLine = document.getElementById("state");
const duel = make("section", { class: "duel" });
const queue = make("section", { class: "queue", "aria-live": "polite" });
const next = make("section", { class: "next" });
const more = make("details", { class: "more" }, make("summary", {}, text("more")), make("div", { class: "offers" }));
const sheet = make("details", { class: "kept-sheet" }, make("summary", {}, text("sheet")), make("div"));
const spoken = make("details", {}, make("summary", {}, text("words")), make("ul", { class: "plain" }));
page.append(duel, queue, make("div", { class: "keep-body" }, make("div", { class: "board-side" }, composer.grid), make("div", { class: "act-side" }, next, more, sheet, spoken,
  make("p", { class: "files" }, make("a", { href: `/games/${encodeURIComponent(about.game)}/clock` }, text("clock"))))));

let shown = null; // the table as it will be
let knownUntil = 0; // until when it is told that somebody else was first

function draw() {
  drawState();
  drawQueue();
  if (!state.seen) {
    fill(next, make("p", { class: "note" }, text(state.status === 0 || state.status === 200 ? "loading" : "missing")));
    return;
  }
  shown = ahead(state.seen, outbox.acts, rules);
  composer.show(shown.board, shown.fresh);
  drawDuel();
  drawNext();
  drawMore();
  drawSheet();
}

function drawState() {
  const waiting = outbox.acts.length;
  const isAway = outbox.state === "away" || (state.status === 0 && state.seenAt === 0 && state.seen) || !navigator.onLine;
  const isEnded = outbox.state === "ended" || state.status === 401;
  const kind = isEnded ? "ended" : outbox.state === "refused" ? "bad" : isAway ? "off" : waiting ? "busy" : "on";
  const told = {
    ended: text("signIn"),
    bad: text("stopped"),
    off: waiting === 0 ? text("away") : waiting === 1 ? text("keptOne") : text("kept", { count: waiting }),
    busy: text("sending"),
    on: text("saved"),
  }[kind];
  stateLine.className = `keep-state ${kind}`;
  if (stateLine.dataset.told === `${kind}${told}`) return;
  stateLine.dataset.told = `${kind}${told}`;
  const back = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
  stateLine.replaceChildren(told, ...(isEnded ? [" ", make("a", { class: "button", href: back }, text("signInLink"))] : []));
}

function drawDuel() {
  const left = timesLeft(state.seen.clock, offset.now());
  const boxes = about.players.map(({ id, name }, place) => {
    const turn = shown.mover === id && shown.turn > 0;
    return make("div", { class: `player side-${place}${turn ? " turn" : ""}` },
      make("p", { class: "name" }, name, turn && make("span", { class: "mark" }, ` ${text("onTurn")}`), shown.signed.has(id) && make("span", { class: "mark" }, ` ✓ ${text("signed")}`)),
      make("p", { class: "score" }, figure(shown.scores[id])),
      left && make("p", { class: `clock${left[id]?.runs ? " running" : ""}` }, make("time", { "data-player": id }, minutes(left[id]?.left ?? 0))),
      make("p", { class: "sub" }, text("rack", { count: shown.held[id] }), rackOf(id)));
  });
  fill(duel, boxes);
}

function rackOf(player) {
  const rack = shown.racks[player] ?? [];
  return rack.some(Boolean) && make("span", { class: "small-rack" }, rack.map((face) => make("span", { class: "tile" }, face === "?" ? "▢" : face || "·")));
}

function tick() {
  if (!state.seen?.clock || document.hidden) return;
  const left = timesLeft(state.seen.clock, offset.now());
  for (const time of duel.querySelectorAll("[data-player]")) {
    const { left: ms } = left[time.dataset.player] ?? {};
    if (ms === undefined) continue;
    say(time, minutes(ms));
    time.classList.toggle("overtime", ms < 0);
  }
}

function drawQueue() {
  const known = knownUntil > Date.now() && make("p", { class: "notice", role: "status" }, text("conflict"));
  fill(queue, known, queueOf(outbox, state.seen, { edit }));
}

async function edit(act) {
  if (act.method === "PlacePlay") {
    composer.edit(act.body.placements, act.number);
    drawNext();
    composer.grid.scrollIntoView({ block: "nearest" });
    return;
  }
  const offer = { service: act.service, method: act.method, player_id: act.body.player_id ?? "", drawer_id: act.body.drawer_id, by_arbiter: Boolean(act.body.arbiter_id), article: "", choices: offered(act.method)?.choices ?? [] };
  const instead = await ask(offer, state.seen);
  if (instead) outbox.retry(act.number, instead);
}

// --- what comes next -----------------------------------------------------------------------------------------

function offered(method, player) {
  return state.seen.offers.find((offer) => offer.method === method && may.has(method) && (!player || offer.player_id === player));
}

/** An offer, or what stands for one while acts wait whose outcome the services have not told. */
function possible(service, method, player) {
  const known = offered(method, player);
  if (known || !shown.isAhead) return known;
  return { service, method, player_id: player, article: "", choices: [] };
}

function button(key, act, style = "quiet", told = text(key)) {
  return make("button", { class: style, type: "button", "data-key": key, onclick: act }, told);
}

function offerButton(offer, style = "quiet") {
  const who = !offer.by_arbiter && offer.player_id !== shown.mover ? `${nameOf(offer.player_id)}: ` : "";
  const told = [who + labelOf(offer), offer.article && make("span", { class: "sub" }, offer.article)];
  const known = `${offer.method}-${offer.player_id}-${offer.drawer_id ?? ""}-${offer.by_arbiter ?? ""}`;
  return make("button", { class: style, type: "button", "data-key": known, onclick: () => act(offer) }, told);
}

async function act(offer) {
  const made = await ask(offer, state.seen);
  if (made) await enter(made);
}

/** Keeps acts, each no earlier than what was last seen at the table. */
function enter(...acts) {
  const after = state.seen?.table.occurred_at;
  return outbox.add(...acts.map((each) => ({ ...each, after, turn: shown.turn })));
}

function drawNext() {
  if (outbox.acts[0]?.problem) {
    fill(next, composer.replaced !== null && composer.panel, composer.replaced !== null && composer.lineBox); // first that is decided
    return;
  }
  const { phase, mover, turn } = shown;
  const heading = turn > 0 && mover ? text("turnOf", { turn, player: nameOf(mover) }) : "";
  const bag = make("span", { class: "sub" }, ` · ${text("bag", { count: shown.bag })}`);
  fill(next, heading && make("h2", {}, heading, bag), ruling(), ...(AT_PHASE[phase] ?? (() => []))());
}

function ruling() {
  const { ruling: last, turn } = state.seen.table;
  if (!last || last.turn < turn - 1) return null;
  const word = last.word.faces.join("");
  return make("p", { class: "notice" }, text(last.valid ? "valid" : "invalid", { word }), last.words.map((each) => ` ${each.word.faces.join("")} ${each.valid ? "✓" : "✗"}`));
}

const AT_PHASE = {
  PHASE_UNSPECIFIED: () => [
    make("h2", {}, text("notStarted")),
    ...state.seen.offers.filter(({ method }) => ["StartGame", "AssignArbiter"].includes(method) && may.has(method)).map((offer) =>
      make("button", { class: "big", type: "button", "data-key": `start-${offer.player_id}`, onclick: () => act(offer) }, offer.player_id ? `${nameOf(offer.player_id)} ${labelOf(offer)}` : labelOf(offer))),
  ],
  PHASE_TURN: () => {
    if (state.seen.interruption) return [make("p", { class: "notice" }, text("interrupted")), ...settling()];
    const others = ["Exchange", "Pass", "DeclareCannotPlay", "AgreeEnd"].map((method) => possible("game", method, shown.mover)).filter(Boolean)
      .filter(({ method }) => !["DeclareCannotPlay", "AgreeEnd"].includes(method) || offered(method, shown.mover));
    const open = state.seen.offers.filter(({ method }) => ["Challenge", "AcceptPlay"].includes(method) && !shown.isAhead && may.has(method));
    const acts = [...others, ...open];
    return [possible("game", "PlacePlay", shown.mover) && composer.panel, acts.length > 0 && make("div", { class: "acts" }, acts.map((offer) => offerButton(offer))), composer.lineBox];
  },
  PHASE_PLACED: () => played(),
  PHASE_DRAWN: () => played(),
  PHASE_CHALLENGED: () => [make("p", { class: "notice" }, text("challenged")), ...settling()],
  PHASE_REFUSED: () => [make("p", { class: "notice" }, text("refused")), ...settling()],
  PHASE_OFF_CENTRE: () => [make("p", { class: "notice" }, text("offCentre")), ...settling()],
  PHASE_ENDED: () => [make("h2", {}, text("ended")), ...state.seen.offers.filter(({ method, player_id: player }) => (method === "StateRack" && (shown.racks[player] ?? []).includes("")) || (method === "SignSheet" && !shown.signed.has(player)))
    .map((offer) => make("button", { class: "big", type: "button", "data-key": `${offer.method}-${offer.player_id}`, onclick: () => act(offer) }, `${nameOf(offer.player_id)}: ${labelOf(offer)}`))],
  PHASE_FINAL: () => [make("h2", {}, text("final"))],
};

function played() {
  if (state.seen.interruption) return [make("p", { class: "notice" }, text("interrupted")), ...settling()];
  const isPlay = Boolean(shown.pending);
  const left = rest(shown, rules, { isPlay });
  const challenge = !shown.isAhead && about.players.map(({ id }) => offered("Challenge", id)).find(Boolean);
  const take = offered("TakeBackTiles", shown.mover);
  return [
    left.length > 0 && make("button", { class: "big", type: "button", "data-key": "done", onclick: () => finish(left) }, text(isPlay ? "turnDone" : "turnDoneTaken")),
    make("div", { class: "acts" }, challenge && offerButton(challenge, "quiet wide-act"), take && !shown.isAhead && offerButton(take)),
  ];
}

function finish(left) {
  return enter(...left.map((each) => ({ ...each, unless: KNOWN, label: `${nameOf(each.body.player_id)}: ${about.acts[each.method]}` })));
}

/** What settles that which keeps the game from going on. */
function settling() {
  const wanted = ["AcceptRuling", "Appeal", "RuleAppeal", "DecideOffCentre", "ChooseSurplus", "ResolveOverdraw", "ResolveUnderdraw", "KeepAfterExchange", "SettleCount", "DismissArbiter", "Resume"];
  const found = state.seen.offers.filter(({ method }) => wanted.includes(method) && may.has(method));
  return [make("div", { class: "acts" }, found.map((offer) => offerButton(offer, "big")))];
}

function drawMore() {
  const mine = state.seen.offers.filter(({ method }) => may.has(method) && !PRIMARY.has(method));
  const groups = [...about.players.map(({ id, name }) => [name, mine.filter((offer) => offer.player_id === id && !offer.by_arbiter)]), [text("ofArbiter"), mine.filter((offer) => offer.by_arbiter || !offer.player_id)]];
  fill(more.querySelector(".offers"), groups.filter(([, offers]) => offers.length).map(([name, offers]) =>
    make("section", {}, make("h3", {}, name), make("div", { class: "acts" }, offers.map((offer) => {
      const made = offerButton(offer);
      if (offer.by_arbiter && offer.player_id) made.prepend(`${nameOf(offer.player_id)}: `);
      return made;
    })))));
  more.hidden = !mine.length || Boolean(outbox.acts[0]?.problem);
}

function drawSheet() {
  const entries = [...(state.seen.sheet?.entries ?? [])].reverse();
  const rows = entries.map((entry) => make("tr", { class: `side-${about.players.findIndex(({ id }) => id === entry.player_id)}` },
    make("td", { class: "turn-number" }, entry.turn || ""), make("td", {}, make("span", { class: "by" }, nameOf(entry.player_id)), playText(entry)),
    make("td", { class: "num" }, figure(entry.score)), make("td", { class: "num strong" }, figure(entry.total))));
  fill(sheet.lastElementChild, make("table", { class: "sheet" }, make("thead", {}, make("tr", {}, ["turn", "play", "score", "total"].map((key) => make("th", { scope: "col" }, text(key))))), make("tbody", {}, rows)));
  const words = wordsOn(shown.board);
  fill(spoken.lastElementChild, words.length ? words.map(([where, word]) => make("li", {}, `${where}: ${word}`)) : make("li", {}, text("emptyBoard")));
}

// -------------------------------------------------------------------------------------------------------------

composer.addEventListener("enter", async ({ detail }) => {
  const made = {
    service: "game",
    method: "PlacePlay",
    body: { player_id: shown.mover, placements: detail.placements },
    label: `${nameOf(shown.mover)}: ${detail.at} ${detail.word} ${detail.points ?? "?"}`,
  };
  if (detail.replaced !== null) await outbox.retry(detail.replaced, { ...made, body: { ...made.body, player_id: state.seen.table.turn_player_id } });
  else await enter(made);
});
for (const kind of ["change", "state"]) outbox.addEventListener(kind, draw);
outbox.addEventListener("refused", () => {
  navigator.vibrate?.([80, 60, 80]);
  queue.scrollIntoView({ block: "start" });
});
outbox.addEventListener("known", () => {
  knownUntil = Date.now() + 8000;
});
for (const kind of ["sent", "refused", "known"]) outbox.addEventListener(kind, () => state.look());
state.addEventListener("change", () => {
  draw();
  if (state.status === 200) outbox.send();
});
addEventListener("online", draw);
addEventListener("offline", draw);
setInterval(tick, 250);
await outbox.open();
draw();
await state.open();
await keepOffline();

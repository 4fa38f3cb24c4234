// A player's page of a duplicate game: a slip becomes an act of the outbox with the time at which it was saved. As with
// paper, the page does not check the slip.

import { Grid, wordsOn } from "./board-grid.js";
import { offset } from "./device.js";
import { about, figure, fill, make, say, text } from "./dom.js";
import { keepOffline } from "./offline.js";
import { Outbox } from "./outbox.js";
import { SlipState } from "./slip-state.js";
import { tilesOf, withCircle } from "./slip-word.js";
import { boardOf, minutes } from "./table-state.js";
import { nameOf } from "./tiles.js";

const SAVE_DELAY_MS = 1200; // without a key before the slip is saved automatically
const LAST_SAVE_MS = 1500; // before the end at which the slip is saved at once
const KEY = `slip-${about.game}-${about.player}`;
const outbox = new Outbox(KEY, { probe: ["GetDuplicate", { game_id: about.game }], skips: true });
const state = new SlipState(about, KEY);
const grid = new Grid();
const page = document.getElementById("slip");
const stateLine = document.getElementById("state");

let saved = remembered(); // the last slip saved on this device: {turn, coordinates, word, at, id, waits}
let claiming = 0; // the turn of the claim in preparation
let claimed = ""; // the text of the claim
let claimedOf = ""; // the player whose slip the claim is about; empty for their own slip
let pause = 0; // the timer of the next automatic save
let keeping = false; // whether a save is in progress

const coordinates = make("input", {
  id: "coordinates",
  maxlength: "24",
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: "false",
  oninput: capitals,
});
const word = make("input", {
  id: "word",
  maxlength: "120",
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: "false",
  oninput: capitals,
});
const score = make("input", { id: "score", maxlength: "8", autocomplete: "off", inputmode: "numeric", oninput: capitals });
const fields = [coordinates, word, ...(about.rules.asksScore ? [score] : [])];
const circles = make("div", { class: "circles", role: "group", "aria-label": text("circles") });
const told = make("div", { class: "told", role: "status" });
const save = make("button", { class: "big", "data-key": "save", disabled: true }, text("save")); // until the turn is known
const form = make(
  "form",
  { class: "slip-form", onsubmit: saves },
  make(
    "div",
    { class: "slip-fields" },
    make("label", {}, text("coordinates"), coordinates),
    make("label", {}, text("word"), word),
    about.rules.asksScore && make("label", {}, text("writtenScore"), score),
  ),
  save,
  circles,
);
const now = make("section", { class: "now-turn", "aria-live": "off" });
const rack = make("div", { class: "small-rack slip-rack", role: "group", "aria-label": text("fromRack") });
const refusals = make("div", { class: "queue", "aria-live": "polite" });
const sheet = make("section", { class: "own-sheet", "aria-labelledby": "sheet-title" });
const spoken = make("details", {}, make("summary", {}, text("words")), make("ul", { class: "plain" }));
const mine = make(
  "section",
  { class: "act-side", "aria-labelledby": "slip-title" },
  make("div", { class: "in-sight" }, now, rack),
  make("h2", { id: "slip-title" }, text("write")),
  form,
  told,
  make("p", { class: "note" }, text("help")),
);
page.append(
  refusals,
  make("div", { class: "keep-body" }, make("div", { class: "board-side" }, grid.element, spoken), mine),
  sheet,
);

form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target !== coordinates) return;
  event.preventDefault();
  word.focus();
});
grid.addEventListener("touch", ({ detail: { row, column } }) => {
  const [across, down] = [nameOf(row, column), nameOf(row, column).replace(/^(\D)(\d+)$/, "$2$1")];
  coordinates.value = coordinates.value === across ? down : across;
  edited();
});

function capitals({ target }) {
  const { selectionStart, selectionEnd } = target;
  const large = target.value.toUpperCase();
  if (large.length === target.value.length && large !== target.value) {
    target.value = large;
    target.setSelectionRange(selectionStart, selectionEnd);
  }
  edited();
}

/** Schedule a save after a pause in typing. */
function edited() {
  clearTimeout(pause);
  pause = setTimeout(savesItself, SAVE_DELAY_MS);
  draw();
}

/** Return whether the fields have a slip that can be saved automatically; a slip that is being cleared is not. */
function isWhole() {
  return Boolean(coordinates.value.trim() && word.value.trim());
}

/** Return whether the fields differ from the saved slip of a turn. */
function isUnsaved(turn) {
  const last = savedFor(turn);
  return Object.entries(written()).some(([name, value]) => (last?.[name] ?? "") !== value);
}

function savesItself() {
  if (state.seen && isOpen(state.turn) && isWhole() && isUnsaved(state.turn)) keeps();
}

/**
 * Return whether the user can save a slip: for the last called rack, until its time is over as far as this device
 * knows.
 */
function isOpen(turn) {
  if (!turn || turn.scored || state.seen.game.end) return false;
  if (!turn.started_at) return state.status === 0; // without a network the start of the turn is unknown
  return !turn.ends_at || offset.now() < Date.parse(turn.ends_at);
}

function saves(event) {
  event.preventDefault();
  if (!isOpen(state.turn)) return draw();
  return keeps();
}

/** Store the slip of the fields on this device, to be sent; it replaces a slip that waits for the network. */
async function keeps() {
  clearTimeout(pause);
  if (keeping) return edited();
  keeping = true;
  const turn = state.turn;
  const slip = { player_id: about.player, ...written() };
  const body = { hall: about.hall, turn: turn.turn, source: "SLIP_SOURCE_PHONE", slips: [slip] };
  try {
    const isOlder = ({ method, body: sent, problem }) => method === "SubmitSlips" && sent.turn === turn.turn && !problem;
    const older = outbox.state === "away" ? outbox.acts.filter(isOlder) : [];
    const [kept] = await outbox.add({
      service: "game",
      method: "SubmitSlips",
      body: { game_id: about.game, ...body },
      dates: "slips",
      after: turn.started_at ?? "",
    });
    remember({ turn: turn.turn, ...slip, at: offset.now(), id: kept.id, waits: false, attempt: turn.started_at ?? null });
    for (const { number } of older) await outbox.drop(number);
  } finally {
    keeping = false;
  }
  draw();
}

/** Return the slip in the fields. */
function written() {
  return { coordinates: coordinates.value.trim(), word: word.value.trim(), score: score.value.trim() };
}

function remember(given) {
  saved = given;
  localStorage.setItem(KEY, JSON.stringify(given));
}

function remembered() {
  const known = localStorage.getItem(KEY);
  return known ? JSON.parse(known) : null;
}

/** Return the saved slip of a turn: from this device, or from another device through the services. */
function savedFor(turn) {
  const last = state.seen.own?.turn === turn.turn ? state.seen.own.saved.at(-1) : null;
  const isThere = Boolean(last) && !turn.scored;
  const own = saved?.turn === turn.turn && saved.attempt === (turn.started_at ?? null) ? saved : null;
  const elsewhere = isThere && Date.parse(last.slip.written_at) > (own?.at ?? 0) + 2000;
  if (own && !elsewhere) return own;
  if (!isThere) return null;
  const at = Date.parse(last.slip.written_at);
  return { turn: turn.turn, ...last.slip, at, id: "", waits: state.seen.own.waits };
}

function clockOf(at) {
  return new Date(at).toLocaleTimeString(document.documentElement.lang);
}

function slipOf({ coordinates: where, word: what, score: worth }) {
  return [where, what, worth].filter(Boolean).join(" ") || text("nothing");
}

function draw() {
  drawState();
  drawRefusals();
  if (!state.seen) {
    fill(now, make("p", { class: "note" }, text(state.status === 0 || state.status === 200 ? "loading" : "missing")));
    return;
  }
  grid.show({ board: boardOf(state.seen.game.board), laid: [], fresh: new Set(), start: null });
  const words = wordsOn(boardOf(state.seen.game.board)).map(([where, what]) => make("li", {}, `${where}: ${what}`));
  fill(spoken.querySelector("ul"), words.length ? words : make("li", {}, text("emptyBoard")));
  drawTurn();
  drawSlip();
  drawSheet();
}

function drawState() {
  const waiting = outbox.acts.filter(({ problem }) => !problem).length;
  const isAway = outbox.state === "away" || state.status === 0 || !navigator.onLine;
  const isEnded = outbox.state === "ended" || state.status === 401;
  const kind = isEnded ? "ended" : isAway ? "off" : waiting ? "busy" : "on";
  const turn = state.seen && !state.seen.game.end && !state.turn?.scored ? state.turn : null;
  const isOver = turn?.ends_at && !isOpen(turn);
  if (turn && isUnsaved(turn) && !isEnded) return showState("bad", text(isOver ? "unsavedOver" : "unsaved"));
  if (turn?.started_at && !isEnded && !isAway && !waiting && !savedFor(turn)) return showState("busy", text("notSaved"));
  const said = {
    ended: text("signIn"),
    off: waiting === 0 ? text("away") : waiting === 1 ? text("keptOne") : text("kept", { count: waiting }),
    busy: text("sending"),
    on: text("saved"),
  }[kind];
  showState(kind, said, isEnded);
}

function showState(kind, said, isEnded = false) {
  stateLine.className = `keep-state ${kind}`;
  if (stateLine.dataset.told === `${kind}${said}`) return;
  stateLine.dataset.told = `${kind}${said}`;
  const back = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
  stateLine.replaceChildren(
    said,
    ...(isEnded ? [" ", make("a", { class: "button", href: back }, text("signInLink"))] : []),
  );
}

function drawTurn() {
  const turn = state.turn;
  fill(
    now,
    !turn
      ? make("p", { class: "empty" }, text("noRack"))
      : make(
          "p",
          { class: "turn-head" },
          make("strong", {}, text("round", { number: turn.turn })),
          make("span", { class: "left", id: "left" }, ""),
        ),
    state.seen.game.end && make("p", {}, text("over")),
  );
  fill(
    rack,
    (turn && !turn.scored ? turn.faces : []).map((face, place) =>
      make(
        "button",
        { class: "tile", type: "button", "data-key": `rack-${place}`, disabled: face === "?", onclick: () => writes(face) },
        face === "?" ? make("span", { class: "unseen" }, text("blank")) : face,
        face !== "?" && make("sub", {}, about.rules.values[face] ?? ""),
      ),
    ),
  );
  drawLeft();
}

function writes(face) {
  word.value += face;
  edited();
}

function drawLeft() {
  const left = document.getElementById("left");
  const turn = state.turn;
  if (!left || !turn) return;
  const ms = turn.ends_at ? Date.parse(turn.ends_at) - offset.now() : null;
  const said = turn.scored
    ? text("scored")
    : !turn.started_at
      ? text("notBegun")
      : ms === null
        ? text("stands", { left: minutes(turn.stopped_with) })
        : ms > 0
          ? minutes(Math.ceil(ms / 1000) * 1000)
          : text("time");
  say(left, said);
  left.classList.toggle("overtime", ms !== null && ms <= 0 && !turn.scored);
}

function tick() {
  drawLeft();
  const left = state.turn?.ends_at ? Date.parse(state.turn.ends_at) - offset.now() : Infinity;
  if (left > 0 && left < LAST_SAVE_MS && !keeping) savesItself();
  if (state.turn && save.disabled === isOpen(state.turn)) draw();
}

function drawSlip() {
  const turn = state.turn;
  const open = isOpen(turn);
  save.disabled = !open;
  for (const field of fields) field.disabled = !turn || turn.scored;
  const tiles = tilesOf(word.value, about.rules);
  fill(
    circles,
    tiles.map(({ face, circled }, place) =>
      make(
        "button",
        {
          class: `tile${circled ? " circled" : ""}`,
          type: "button",
          "data-key": `tile-${place}`,
          "aria-pressed": String(circled),
          "aria-label": text(circled ? "circled" : "circle", { tile: face }),
          onclick: () => {
            word.value = withCircle(word.value, place, about.rules);
            edited();
          },
        },
        face,
      ),
    ),
  );
  if (!turn || turn.scored) return fill(told);
  const last = savedFor(turn);
  say(save, text(last ? "again" : "save"));
  const hint = make("p", { class: "note" }, text(isUnsaved(turn) && !isWhole() ? "incomplete" : "selfSaves"));
  if (!last) return fill(told, make("p", { class: "note" }, text("notSaved")), open && hint);
  const act = outbox.acts.find(({ id }) => id === last.id);
  const isOther = Object.entries(written()).some(([name, value]) => (last[name] ?? "") !== value);
  const fate = act?.problem ? "" : act ? text("isKept") : last.waits ? text("waits") : text("isSent");
  const savedAt = text("savedAt", { time: clockOf(last.at), slip: slipOf(last) });
  fill(
    told,
    make("p", { class: "saved", id: "saved" }, savedAt, fate && ". ", fate),
    isOther && open && make("p", { class: "notice" }, text("changed"), " ", isWhole() ? "" : text("incomplete")),
    act && !act.problem && !open && make("p", { class: "notice", role: "alert" }, text("tellArbiter")),
  );
}

/** Show refused slips until the player has read the message; of each turn only the last one saved. */
function drawRefusals() {
  const last = new Map(outbox.acts.map((act) => [`${act.method}${act.body.turn}`, act]));
  fill(refusals, [...last.values()].filter(({ problem }) => problem).map(refusalOf));
}

function refusalOf(act) {
  const [slip] = act.body.slips ?? [];
  const why = act.problem.detail ?? act.problem.title ?? String(act.problem.status);
  const known = { number: act.body.turn, time: clockOf(act.at + (act.offset ?? 0)), slip: slip && slipOf(slip), why };
  const isLate = slip && act.problem.reason === "TURN_SCORED";
  const tell = async () => {
    await sendClaim(act.body.turn, text("lateClaim", known));
    await drop(act);
  };
  return make(
    "div",
    { class: "refusal", role: "alert", "data-key": `refused-${act.number}` },
    make("p", {}, text(slip ? "refused" : "claimProblem", known)),
    isLate && make("button", { type: "button", "data-key": "claim-it", onclick: tell }, text("claimIt")),
    make("button", { class: "quiet", type: "button", onclick: () => drop(act) }, text("drop")),
  );
}

/** Discard all refused slips of a turn after the last one was read. */
async function drop({ method, body }) {
  for (const act of outbox.acts.filter((each) => each.problem && each.method === method && each.body.turn === body.turn))
    await outbox.drop(act.number);
}

function drawSheet() {
  const { game, sheet: own } = state.seen;
  const byTurn = new Map(game.turns.map((turn) => [turn.turn, turn]));
  const rows = [...own.slips].reverse().map((slip) => {
    const turn = byTurn.get(slip.turn);
    const where = slip.coordinates_illegible ? text("illegible") : slip.coordinates;
    const what = slip.word_illegible ? text("illegible") : slip.word;
    return make(
      "li",
      { class: "own-turn", "data-key": `turn-${slip.turn}` },
      make(
        "p",
        {},
        make("span", { class: "sub" }, text("round", { number: slip.turn })),
        " ",
        make("span", { class: "at" }, where),
        " ",
        make("span", { class: "word" }, what),
        " ",
        make("strong", { class: "num" }, figure(slip.points)),
        slip.fault && [" ", make("span", { class: "tag bad" }, about.faults[slip.fault] ?? slip.fault)],
        slip.warned.map((fault) => make("span", { class: "tag" }, text("warned", { fault: about.faults[fault] ?? fault }))),
      ),
      turn?.master &&
        make(
          "p",
          { class: "sub" },
          `${text("master")} ${turn.master.coordinates} ${turn.master.faces.join("")} ${figure(turn.master.score)}`,
        ),
      claimsOf(slip.turn),
    );
  });
  fill(
    sheet,
    make("h2", { id: "sheet-title" }, text("sheet"), rows.length > 0 && [" ", make("span", { class: "num" }, figure(own.total))]),
    game.validated && make("p", { class: "note" }, text("final")),
    rows.length ? make("ol", { class: "rows" }, rows) : make("p", { class: "empty" }, text("noSheet")),
  );
}

/** Return the claims on a turn, with the form for a new one. */
function claimsOf(turn) {
  const claims = (state.seen.own?.claims ?? []).filter((each) => each.turn === turn);
  const kept = outbox.acts.filter(({ method, body, problem }) => method === "RaiseClaim" && body.turn === turn && !problem);
  const mayClaim = !state.seen.game.validated && !kept.length && claims.every(({ decided }) => decided);
  const told = claims.map(({ claim_id: id, words, decided, accepted, reason, about_player_id: whose }) =>
    make(
      "p",
      { class: decided ? (accepted ? "notice good" : "notice") : "note", "data-key": `claim-${id}` },
      aboutWhom(whose),
      text(!decided ? "claimOpen" : accepted ? "claimAccepted" : "claimRefused", { words, reason }),
    ),
  );
  const asks =
    mayClaim &&
    (claiming === turn
      ? make(
          "form",
          { class: "claim-form", "data-key": `claiming-${turn}`, onsubmit: submitClaim },
          make("label", { for: "claim-words" }, text("claimOf", { number: turn })),
          about.hallmates.length > 0 && whoseSlip(),
          make("p", { class: "note" }, text("claimWhat")),
          make("textarea", { id: "claim-words", maxlength: "1000", rows: "2", required: true, oninput: wrote }),
          make("button", {}, text("claimSend")),
          " ",
          make("button", { class: "quiet", type: "button", onclick: () => beginClaim(0) }, text("cancel")),
        )
      : make(
          "button",
          { class: "quiet", type: "button", "data-key": `claim-on-${turn}`, onclick: () => beginClaim(turn) },
          text("claim"),
        ));
  return [...told, ...kept.map(({ body }) => make("p", { class: "note" }, aboutWhom(body.about_player_id), text("claimKept", body))), asks];
}

function beginClaim(turn) {
  [claiming, claimed, claimedOf] = [turn, "", ""];
  draw();
  document.getElementById("claim-words")?.focus();
}

function wrote({ target }) {
  claimed = target.value;
}

/** Return the choice of the slip for a claim: their own slip, or that of another player of the hall (FISC II.9). */
function whoseSlip() {
  const options = [{ player: "", name: text("claimMine") }, ...about.hallmates].map(({ player, name }) =>
    make("option", { value: player, selected: player === claimedOf }, name),
  );
  const choose = ({ target }) => (claimedOf = target.value);
  return make(
    "p",
    {},
    make("label", { for: "claim-whose" }, text("claimWhose"), " "),
    make("select", { id: "claim-whose", onchange: choose }, options),
  );
}

function aboutWhom(player) {
  const mate = about.hallmates.find((each) => each.player === player);
  return player ? [text("claimAbout", { name: mate?.name ?? player }), " "] : "";
}

async function submitClaim(event) {
  event.preventDefault();
  if (!claimed.trim()) return;
  const [turn, words, whose] = [claiming, claimed.trim(), claimedOf];
  [claiming, claimed, claimedOf] = [0, "", ""];
  await sendClaim(turn, words, whose);
}

function sendClaim(turn, words, whose = "") {
  const body = { game_id: about.game, hall: about.hall, turn, player_id: about.player, words, about_player_id: whose };
  return outbox.add({ service: "game", method: "RaiseClaim", body, dates: "nothing" });
}

outbox.addEventListener("sent", ({ detail: { act, answer } }) => {
  if (act.id === saved?.id) remember({ ...saved, waits: Boolean(answer.waits) });
  if (act.method === "RaiseClaim") state.lookAnew();
  outbox.forget(Infinity); // the saved slip has its own message
  draw();
});
for (const kind of ["change", "state", "refused"]) outbox.addEventListener(kind, draw);
let shownTurn = null;
state.addEventListener("change", () => {
  const turn = state.turn?.turn ?? null;
  if (shownTurn !== null && turn !== shownTurn) for (const field of fields) field.value = ""; // a new slip
  else if (shownTurn === null && turn !== null && !word.value && !coordinates.value) {
    const last = savedFor(state.turn);
    if (last && !state.turn.scored) for (const field of fields) field.value = last[field.id] ?? "";
  }
  shownTurn = turn ?? shownTurn;
  draw();
  if (state.status === 200) outbox.send();
});
for (const kind of ["online", "offline"]) addEventListener(kind, draw);
document.addEventListener("visibilitychange", () => document.hidden && savesItself());

draw();
await outbox.open();
await state.open();
setInterval(tick, 200);
keepOffline();

// The scorer's page: each touch becomes an act of the outbox, and the table is shown with all pending acts.

import { wordsOn } from "./board-grid.js";
import { about, figure, fill, make, nameOf, say, text } from "./dom.js";
import { ask } from "./keep-acts.js";
import { Composer } from "./keep-board.js";
import { drawMore, drawNext } from "./keep-next.js";
import { keepOffline } from "./offline.js";
import { enter, follow, offered, outbox, shown, state, times } from "./table-page.js";
import { minutes } from "./table-state.js";
import { playText, queueOf } from "./waiting.js";

const composer = new Composer();
const page = document.getElementById("keep");
const stateLine = document.getElementById("state");
const duel = make("section", { class: "duel" });
const queue = make("section", { class: "queue", "aria-live": "polite" });
const waiting = make("section", {}); // below the board, whose place does not depend on the number of acts
const next = make("section", { class: "next" });
const more = make("details", { class: "more" }, make("summary", {}, text("more")), make("div", { class: "offers" }));
const sheet = make("details", { class: "kept-sheet" }, make("summary", {}, text("sheet")), make("div"));
const spoken = make("details", {}, make("summary", {}, text("words")), make("ul", { class: "plain" }));
page.append(
  duel,
  queue,
  make(
    "div",
    { class: "keep-body" },
    make("div", { class: "board-side" }, composer.grid),
    make(
      "div",
      { class: "act-side" },
      next,
      waiting,
      more,
      sheet,
      spoken,
      make(
        "p",
        { class: "files" },
        make("a", { href: about.pages.clock }, text("clock")),
      ),
    ),
  ),
);

let knownUntil = 0; // end of the notice that another person was first

function draw() {
  drawState();
  drawQueue();
  if (!state.seen) {
    fill(next, make("p", { class: "note" }, text(state.status === 0 || state.status === 200 ? "loading" : "missing")));
    return;
  }
  const table = shown();
  composer.show(table.board, table.fresh);
  drawDuel(table);
  drawNext(next, table, composer);
  drawMore(more);
  drawSheet(table);
}

function drawState() {
  const waiting = outbox.acts.length;
  const isAway =
    outbox.state === "away" || (state.status === 0 && state.seenAt === 0 && state.seen) || !navigator.onLine;
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
  stateLine.replaceChildren(
    told,
    ...(isEnded ? [" ", make("a", { class: "button", href: back }, text("signInLink"))] : []),
  );
}

function drawDuel(table) {
  const left = times(table);
  const boxes = about.players.map(({ id, name }, place) => {
    const turn = table.mover === id && table.turn > 0;
    return make(
      "div",
      { class: `player side-${place}${turn ? " turn" : ""}` },
      make(
        "p",
        { class: "name" },
        name,
        turn && make("span", { class: "mark" }, ` ${text("onTurn")}`),
        table.signed.has(id) && make("span", { class: "mark" }, ` ✓ ${text("signed")}`),
      ),
      make("p", { class: "score" }, figure(table.scores[id])),
      left &&
        make(
          "p",
          { class: `clock${left[id]?.runs ? " running" : ""}` },
          make("time", { "data-player": id }, minutes(left[id]?.left ?? 0)),
        ),
      make("p", { class: "sub" }, text("rack", { count: table.held[id] }), rackOf(table.racks[id] ?? [])),
    );
  });
  fill(duel, boxes);
}

function rackOf(rack) {
  const tiles = rack.map((face) => make("span", { class: "tile" }, face === "?" ? "▢" : face || "·"));
  return rack.some(Boolean) && make("span", { class: "small-rack" }, tiles);
}

function tick() {
  if (!state.seen?.clock || document.hidden) return;
  const left = times();
  for (const time of duel.querySelectorAll("[data-player]")) {
    const { left: ms } = left[time.dataset.player] ?? {};
    if (ms === undefined) continue;
    say(time, minutes(ms));
    time.classList.toggle("overtime", ms < 0);
  }
}

function drawQueue() {
  const known = knownUntil > Date.now() && make("p", { class: "notice", role: "status" }, text("conflict"));
  const [refused, list] = queueOf(outbox, state.seen, { edit });
  fill(queue, known, refused);
  fill(waiting, list);
}

async function edit(act) {
  if (act.method === "PlacePlay") {
    composer.edit(act.body.placements, act.number);
    drawNext(next, shown(), composer);
    composer.grid.scrollIntoView({ block: "nearest" });
    return;
  }
  const offer = {
    service: act.service,
    method: act.method,
    player_id: act.body.player_id ?? "",
    drawer_id: act.body.drawer_id,
    by_arbiter: Boolean(act.body.arbiter_id),
    article: "",
    choices: offered(act.method)?.choices ?? [],
  };
  const instead = await ask(offer, state.seen);
  if (instead) outbox.retry(act.number, instead);
}

function drawSheet(table) {
  const entries = [...(state.seen.sheet?.entries ?? [])].reverse();
  const rows = entries.map((entry) =>
    make(
      "tr",
      { class: `side-${about.players.findIndex(({ id }) => id === entry.player_id)}` },
      make("td", { class: "turn-number" }, entry.turn || ""),
      make("td", {}, make("span", { class: "by" }, nameOf(entry.player_id)), playText(entry)),
      make("td", { class: "num" }, figure(entry.score)),
      make("td", { class: "num strong" }, figure(entry.total)),
    ),
  );
  fill(
    sheet.lastElementChild,
    make(
      "table",
      { class: "sheet" },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ["turn", "play", "score", "total"].map((key) => make("th", { scope: "col" }, text(key))),
        ),
      ),
      make("tbody", {}, rows),
    ),
  );
  const words = wordsOn(table.board);
  fill(
    spoken.lastElementChild,
    words.length
      ? words.map(([where, word]) => make("li", {}, `${where}: ${word}`))
      : make("li", {}, text("emptyBoard")),
  );
}

// -------------------------------------------------------------------------------------------------------------

composer.addEventListener("enter", async ({ detail }) => {
  const isNew = detail.replaced === null;
  const player = isNew ? shown().mover : state.seen.table.turn_player_id;
  const body = { player_id: player, placements: detail.placements };
  const label = `${nameOf(player)}: ${detail.at} ${detail.word} ${detail.points}`;
  const made = { service: "game", method: "PlacePlay", body, label };
  await (isNew ? enter(made) : outbox.retry(detail.replaced, made));
});
outbox.addEventListener("refused", () => {
  navigator.vibrate?.([80, 60, 80]);
  queue.scrollIntoView({ block: "start" });
});
outbox.addEventListener("known", () => {
  knownUntil = Date.now() + 8000;
});
follow(draw);
setInterval(tick, 250);
await outbox.open();
draw();
await state.open();
await keepOffline();

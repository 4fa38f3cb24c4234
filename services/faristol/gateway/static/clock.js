// The clock page: two sides as large as the screen. A tap ends the turn: the remaining steps of the turn and the press
// become acts with the time of the tap. Without a network they wait on the device.

import { about, fill, make, nameOf, say, text } from "./dom.js";
import { keepOffline } from "./offline.js";
import { finish, follow, offerButton, offers, outbox, rules, shown, state, times } from "./table-page.js";
import { minutes, rest } from "./table-state.js";
import { queueOf } from "./waiting.js";

const OF_ARBITER = ["Resume", "Neutralise"];

const page = document.getElementById("clock");
const note = make("p", { class: "clock-note", role: "status" });
const tools = make("div", { class: "clock-tools" });
const queue = make("div", { class: "clock-queue" });
const middle = make("div", { class: "clock-middle" }, note, tools, queue);
const sides = about.players.map(({ id, name }, place) => {
  const side = make(
    "button",
    { class: `clock-side side-${place}`, type: "button", onclick: () => tap(id) },
    make("span", { class: "who" }, name),
    make("time", {}, "–"),
    make("span", { class: "what" }),
  );
  return [id, side];
});
page.append(sides[0][1], middle, ...sides.slice(1).map(([, side]) => side));

let tapped = null; // a tap for a turn that is not entered yet: {player, turn, at}

function tap(player) {
  const table = shown();
  if (!table || player !== table.mover || table.phase === "PHASE_FINAL" || state.seen.interruption) return;
  navigator.vibrate?.(40);
  if (table.phase === "PHASE_TURN") {
    tapped = { player, turn: table.turn, at: minutes(times(table)?.[player]?.left ?? 0) };
    return draw();
  }
  if (!["PHASE_PLACED", "PHASE_DRAWN"].includes(table.phase)) return;
  end(table);
}

/** Enter the remaining steps of the turn and press the clock. */
function end(table) {
  tapped = null;
  finish(rest(table, rules, { isPlay: Boolean(table.pending) }));
}

function draw() {
  const table = shown();
  if (!table) {
    say(note, text("loading"));
    return;
  }
  if (tapped && (tapped.turn !== table.turn || tapped.player !== table.mover)) tapped = null;
  if (tapped && ["PHASE_PLACED", "PHASE_DRAWN"].includes(table.phase)) return end(table);
  const isOver = ["PHASE_ENDED", "PHASE_FINAL"].includes(table.phase);
  for (const [player, side] of sides) {
    const isOn = player === table.mover && table.turn > 0 && !isOver;
    side.classList.toggle("on", isOn);
    side.setAttribute("aria-pressed", String(!isOn));
    const isLate = tapped?.player === player;
    say(side.querySelector(".what"), isLate ? text("tapped", { time: tapped.at }) : isOn ? text("tap") : "");
  }
  drawMiddle(table, isOver);
  tick();
}

function drawMiddle(table, isOver) {
  const waiting = outbox.acts.length;
  const isStopped = state.seen.clock?.neutralised;
  const ended = outbox.state === "ended" || state.status === 401;
  const away = waiting > 1 ? text("kept", { count: waiting }) : waiting ? text("keptOne") : text("away");
  const told = ended
    ? text("signIn")
    : outbox.state === "away" || !navigator.onLine
      ? away
      : tapped
        ? text("notEntered")
        : isOver
          ? text("ended")
          : isStopped
            ? text("neutralised")
            : state.seen.clock
              ? text("turnOf", { turn: table.turn, player: nameOf(table.mover) })
              : text("noClock");
  say(note, told);
  const found = offers().filter(({ method }) => OF_ARBITER.includes(method));
  fill(
    tools,
    ended &&
      make(
        "a",
        { class: "button", href: `/sign-in?next=${encodeURIComponent(location.pathname)}` },
        text("signInLink"),
      ),
    found.map((offer) => offerButton(offer)),
    document.documentElement.requestFullscreen &&
      make("button", { class: "quiet", type: "button", "data-key": "full", onclick: fullScreen }, text("full")),
    make("a", { class: "quiet", href: about.pages.keep }, text("scorer")),
    !document.fullscreenElement && make("a", { class: "quiet", href: "/account" }, page.dataset.account),
  );
  fill(queue, queueOf(outbox, state.seen, { onlyRefused: true }));
}

function tick() {
  if (!state.seen) return;
  const left = times();
  for (const [player, side] of sides) {
    const time = left?.[player];
    if (!time) continue;
    say(side.querySelector("time"), minutes(time.left));
    side.classList.toggle("overtime", time.left < 0);
  }
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

/** Keep the screen on while the page is visible. */
async function stayAwake() {
  if (document.hidden || !navigator.wakeLock) return;
  await navigator.wakeLock.request("screen").catch(() => {}); // the battery is low, or the browser forbids it
}

follow(draw);
document.addEventListener("visibilitychange", stayAwake);
document.addEventListener("fullscreenchange", draw);
setInterval(tick, 100);
stayAwake();
await outbox.open();
draw();
await state.open();
await keepOffline();

// The check-in of a player from their own phone. Without a network, the act is stored on the phone, with the ID of its
// command, and is sent when the network is back: even if the page was closed in the meantime. The service gives it the
// time of its arrival, so it needs no clock and no order, unlike the acts of a table.

import { call, newId, passes } from "./device.js";
import { keepOffline } from "./offline.js";

const RETRY_MS = 5000;
const DONE = ["CHECKED_IN"]; // another device, or the desk, did the same

const form = document.getElementById("check-in");
const said = document.getElementById("check-in-said");

function show(text) {
  said.textContent = text;
  said.hidden = false;
}

async function send(key, act) {
  const { status, body } = await call("pairing", "ConfirmPresence", act);
  if (passes(status)) {
    show(form.dataset.kept);
    setTimeout(() => send(key, act), RETRY_MS);
    return;
  }
  localStorage.removeItem(key);
  if (status < 300 || DONE.includes(body.reason)) {
    form.hidden = true;
    said.className = "notice good";
    show(form.dataset.sent);
  } else {
    said.className = "notice bad";
    show(`${form.dataset.failed} ${body.detail ?? status}`);
  }
}

if (form) {
  const { tournament, player } = form.dataset;
  const key = `faristol-here-${tournament}-${player}`;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    form.querySelector("button").disabled = true;
    const act = { command_id: newId(), tournament_id: tournament, player_id: player };
    localStorage.setItem(key, JSON.stringify(act));
    send(key, act);
  });
  const kept = localStorage.getItem(key);
  if (kept) {
    form.querySelector("button").disabled = true;
    send(key, JSON.parse(kept));
  }
}
keepOffline();

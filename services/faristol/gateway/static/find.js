// Finds a name among all players on the device, without requests to the server. A followed player is the first of the
// list, and the page announces each new table of that player.

import { begins, wordsOf } from "./names.js";

const form = document.getElementById("find");
const input = document.getElementById("name");
const key = `find:${form.dataset.tournament}`;
const follow = () => document.getElementById("follow");
let told = "";

const read = new WeakMap();

function wordsIn(item) {
  const name = item.querySelector(".person").textContent;
  let known = read.get(item);
  if (known?.name !== name) read.set(item, (known = { name, words: wordsOf(name) }));
  return known.words;
}

function mine() {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return ""; // the browser denies storage
  }
}

function show() {
  const wanted = wordsOf(document.getElementById("name").value);
  const items = [...document.querySelectorAll("#places > li")];
  const own = mine();
  const found = [];
  for (const item of items) {
    const is = begins(wanted, wordsIn(item));
    if (item.hidden === is) item.hidden = !is;
    item.classList.toggle("mine", item.dataset.key === own);
    if (is) found.push(item);
  }
  const few = wanted.length > 0 && found.length <= 3;
  for (const item of items) item.classList.toggle("only", !item.hidden && (few || item.dataset.key === own));
  const kept = items.find((item) => item.dataset.key === own);
  if (kept && kept !== items[0]) kept.parentElement.prepend(kept); // a new list has the player at the usual place again
  document.getElementById("nobody").hidden = found.length > 0;
  offer(few && found.length === 1 ? found[0].dataset.key : own);
}

// --- following a player --------------------------------------------------------------------------------------

function offer(player) {
  const place = follow();
  if (!place) return; // the tournament is over: there is no next table
  const is = Boolean(player) && mine() === player;
  const text = is ? place.dataset.leave : place.dataset.followMe;
  const state = `${player}:${is}`;
  place.hidden = !player;
  if (!player || place.dataset.state === state) return;
  place.dataset.state = state;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = text;
  button.addEventListener("click", () => keep(is ? "" : player));
  const note = document.createElement("span");
  note.textContent = ` ${place.dataset.quiet}`;
  place.replaceChildren(button, note);
  if (place.dataset.start) place.append(offerOf(player, place.dataset)); // push.js adds the button
}

/** Return a place for the offer of notifications about a player on a locked phone. */
function offerOf(player, { start, stop, done, stopped, failed }) {
  const offered = document.createElement("p");
  offered.className = "push note";
  offered.hidden = true;
  const { tournament } = form.dataset;
  Object.assign(offered.dataset, { push: "", tournament, kind: "player", value: player, start, stop, done, stopped, failed });
  return offered;
}

async function keep(player) {
  try {
    if (player) localStorage.setItem(key, player);
    else localStorage.removeItem(key);
  } catch {
    return;
  }
  show();
  if (player && "Notification" in window && Notification.permission === "default") await Notification.requestPermission();
}

function announce() {
  const item = document.querySelector("#places > li.mine");
  if (!item) return;
  const now = `${document.getElementById("find").dataset.round}: ${item.textContent.replace(/\s+/g, " ").trim()}`;
  if (told && told !== now && "Notification" in window && Notification.permission === "granted") tell(item);
  told = now;
}

async function tell(item) {
  const options = { body: item.textContent.replace(/\s+/g, " ").trim(), tag: key, data: location.pathname, icon: "/static/icon-192.png" };
  const title = document.getElementById("find").dataset.title;
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) await worker.showNotification(title, options);
  else new Notification(title, options);
}

// -------------------------------------------------------------------------------------------------------------

document.addEventListener("input", (event) => event.target.id === "name" && show());
document.addEventListener("submit", (event) => {
  if (event.target.id !== "find") return;
  event.preventDefault();
  show();
  document.getElementById("name").blur(); // hides the keyboard of a phone
});
new MutationObserver(() => {
  show();
  announce();
}).observe(document.getElementById("live"), { childList: true, subtree: true, characterData: true });
if (new URLSearchParams(location.search).has("name")) input.value = new URLSearchParams(location.search).get("name");
show();
announce();

// Offers notifications that arrive on a locked phone. A place for the offer has `data-push`: the tournament, the kind of
// follow and its value. The button is added by this script, because browsers without Web Push have none.

const TIMEOUT_MS = 20000;
let follows = null; // what this browser follows, once the server has said it
let key = ""; // of the server

function places() {
  return [...document.querySelectorAll("[data-push]")];
}

function keyOf({ tournament, kind, value }) {
  return `${tournament} ${kind} ${value ?? ""}`;
}

async function post(fields) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch("/push", { method: "POST", body: new URLSearchParams(fields), signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).follows;
}

function bytesOf(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function textOf(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function subscription() {
  const worker = await navigator.serviceWorker.ready;
  return worker.pushManager.getSubscription();
}

async function subscribe() {
  const worker = await navigator.serviceWorker.ready;
  const known = await worker.pushManager.getSubscription();
  if (known && textOf(known.options.applicationServerKey) === key) return known;
  await known?.unsubscribe(); // it was made with another key
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
}

async function toggle(place) {
  const { tournament: tournament_id, kind, value = "" } = place.dataset;
  const act = follows.includes(keyOf(place.dataset)) ? "unfollow" : "follow";
  place.firstElementChild.disabled = true;
  try {
    if (act === "follow" && (await Notification.requestPermission()) !== "granted") return;
    const own = act === "follow" ? await subscribe() : await subscription();
    const keys = { public_key: textOf(own.getKey("p256dh")), auth: textOf(own.getKey("auth")), key };
    follows = await post({ act, endpoint: own.endpoint, tournament_id, kind, value, ...keys });
    if (!follows.length) await own.unsubscribe();
    document.getElementById("status").textContent = act === "follow" ? place.dataset.done : place.dataset.stopped;
  } catch (problem) {
    place.querySelector("span").textContent = ` ${place.dataset.failed} (${problem.message})`;
  } finally {
    place.firstElementChild.disabled = false;
    show();
  }
}

function show() {
  for (const place of places()) {
    const is = follows.includes(keyOf(place.dataset));
    if (!place.firstElementChild) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.addEventListener("click", () => toggle(place));
      place.append(button, document.createElement("span"));
    }
    const [button] = place.children;
    const text = is ? place.dataset.stop : place.dataset.start;
    if (button.textContent !== text) button.textContent = text;
    button.setAttribute("aria-pressed", String(is));
    place.hidden = Notification.permission === "denied";
  }
}

async function begin() {
  if (!("PushManager" in window) || !("Notification" in window) || !navigator.serviceWorker) return;
  const answer = await fetch("/push/key").catch(() => null);
  if (!answer?.ok) return; // this server sends no notifications
  ({ key } = await answer.json());
  const worker = await navigator.serviceWorker.register("/worker.js").catch(() => null);
  if (!worker) return;
  const own = await subscription();
  follows = own ? await post({ act: "list", endpoint: own.endpoint }).catch(() => []) : [];
  show();
  const changes = new MutationObserver(() => show());
  changes.observe(document.getElementById("live"), { childList: true, subtree: true });
}

if (places().length || document.getElementById("find")) begin();

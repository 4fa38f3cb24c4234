// Moves through a game by keys and buttons, without loading the page again. Every move has an address.

const live = document.getElementById("live");
const ahead = new Map(); // fetched moves, by address
const MAX_MOVES = 60;
const MOVE_MS = 1600; // for each move of automatic play
let playing = 0;
let latest = 0;

function addressOf(href) {
  const address = new URL(href, location.href);
  address.searchParams.set("part", "live");
  address.searchParams.set("lang", document.documentElement.lang);
  return address.href;
}

function load(href) {
  const address = addressOf(href);
  if (!ahead.has(address)) {
    if (ahead.size >= MAX_MOVES) ahead.delete(ahead.keys().next().value);
    const answer = fetch(address).then((found) => (found.ok ? found.text() : Promise.reject(new Error(found.status))));
    answer.catch(() => ahead.delete(address));
    ahead.set(address, answer);
  }
  return ahead.get(address);
}

async function go(href, keep = true) {
  const turn = ++latest;
  let text;
  try {
    text = await load(href);
  } catch {
    location.href = href; // the browser shows the error
    return;
  }
  if (turn !== latest) return;
  const focused = document.activeElement?.id;
  const list = live.querySelector(".move-list")?.scrollTop ?? 0;
  const open = live.querySelector("#best")?.open;
  live.innerHTML = text;
  const best = live.querySelector("#best");
  if (best && open) best.open = true;
  if (keep) history.replaceState(null, "", href);
  if (focused) (document.getElementById(focused) ?? document.getElementById("moves"))?.focus?.({ preventScroll: true });
  const fresh = live.querySelector(".move-list");
  if (fresh) fresh.scrollTop = list;
  ready();
}

/** Scroll the list to the shown move, without scrolling the page. */
function bringInSight() {
  const list = live.querySelector(".move-list");
  const now = list?.querySelector("[aria-current]")?.parentElement;
  if (!now) return;
  const [place, frame] = [now.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += place.top - frame.top - (list.clientHeight - place.height) / 2;
}

function link(rel) {
  return live.querySelector(`#moves a[rel="${rel}"]`)?.href;
}

function ready() {
  bringInSight();
  for (const rel of ["next", "prev"]) if (link(rel)) load(link(rel)).catch(() => {});
  const nav = document.getElementById("moves");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.id = "go-play";
  button.textContent = playing ? nav.dataset.pause : nav.dataset.play;
  nav.append(button);
}

function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => (link("next") ? go(link("next")) : play(false)), MOVE_MS) : 0;
  const button = document.getElementById("go-play");
  const nav = document.getElementById("moves");
  if (button) button.textContent = playing ? nav.dataset.pause : nav.dataset.play;
}

live.addEventListener("click", (event) => {
  if (event.target.closest("#go-play")) {
    if (!playing && !link("next") && link("first")) go(link("first"));
    play(!playing);
    return;
  }
  const wanted = event.target.closest('a[href^="?move="]');
  if (!wanted || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  play(false);
  go(wanted.href);
});

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const rel = KEYS[event.key];
  if (!rel || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  play(false);
  if (link(rel)) go(link(rel));
});

ready();

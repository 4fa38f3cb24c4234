// Updates a page from the record: follows the stream of the tournament and, after news that the page shows, fetches the
// live part again and changes only the nodes that differ. All other nodes stay, so the scroll position and the focus
// are kept.

const live = document.getElementById("live");
const status = document.getElementById("status");
const pulse = document.getElementById("pulse");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const MIN_INTERVAL_MS = 400; // between two refreshes, at least
const SPREAD_MS = 500; // over which the refreshes of all pages with the same news are spread
const ANSWER_TIMEOUT_MS = 20000;
const FINISHED_INTERVAL_MS = 120000; // between two refreshes of a finished tournament

let position = Number(live.dataset.position || 0);
let lastId = ""; // of the last news received
let told = 0; // position of the last news that the page shows
let tag = ""; // ETag of the current live part
let source = null;
let retry = 1000;
let timer = 0;
let resting = 0;
let fetching = false;
let again = false;
let last = 0;
let own = false; // whether the page changes after its form was sent, and not after news

// --- changing what has changed -------------------------------------------------------------------------------

function same(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && key(one) === key(other);
}

function key(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || node.dataset.keep || "" : "";
}

const TOLD = ".console :is([role=alert], [data-key=done], #given-back, #why)";

/** Return whether a node is the result of a form of this user: it stays until the user sends another form. */
function stays(node) {
  return !own && node?.nodeType === Node.ELEMENT_NODE && node.matches(TOLD);
}

const FIELD = "input:not([type=hidden]), textarea, select";

/** Return whether a node has typed input after a refusal; the news does not contain it. */
function givenBack(node) {
  return !own && node.matches(FIELD) && document.querySelector(".console [role=alert]") !== null;
}

function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) {
      old.data = fresh.data;
      flash(old.parentElement?.closest("[data-flash]"));
    }
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE || stays(old) || givenBack(old)) return;
  if (old.dataset.keep !== undefined && fresh.dataset.keep === old.dataset.keep) return; // a user is typing in it
  if (old.dataset.mine !== undefined && !own) return; // it changes only after a form of this page was sent
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  morphChildren(old, fresh);
}

function blank(node) {
  return node.nodeType === Node.TEXT_NODE && !node.data.trim();
}

function morphChildren(old, fresh) {
  const keyed = new Map([...old.children].filter(key).map((child) => [key(child), child]));
  const kept = new Set([...fresh.children].map(key).filter((id) => keyed.has(id)));
  let next = old.firstChild;
  const drop = () => {
    const gone = next;
    next = next.nextSibling;
    if (!stays(gone)) gone.remove();
  };
  for (const wanted of [...fresh.childNodes]) {
    while (stays(next) && !same(next, wanted)) next = next.nextSibling;
    const known = keyed.get(key(wanted));
    if (known) while (next && next !== known && !kept.has(key(next))) drop();
    else if (!blank(wanted)) while (next && blank(next)) drop();
    const match = known && same(known, wanted) ? known : next && !key(next) && same(next, wanted) ? next : null;
    if (!match) {
      old.insertBefore(wanted, next);
      continue;
    }
    if (match === next) next = next.nextSibling;
    else old.insertBefore(match, next);
    morph(match, wanted);
  }
  while (next) drop();
}

function flash(element) {
  if (!element || calm.matches) return;
  element.animate([{ backgroundColor: "rgb(214 162 60 / 45%)" }, { backgroundColor: "transparent" }], 1400);
}

// Rows that change places are animated.
function places() {
  return new Map([...live.querySelectorAll("[data-key]")].map((row) => [row, row.getBoundingClientRect().top + scrollY]));
}

function glide(before) {
  if (calm.matches) return;
  for (const [row, top] of before) {
    const by = row.isConnected ? top - (row.getBoundingClientRect().top + scrollY) : 0;
    if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 450, easing: "ease" });
  }
}

function say(before) {
  const now = live.querySelector("[data-say]")?.textContent.trim();
  if (now && now !== before) status.textContent = now;
}

// --- fetching ------------------------------------------------------------------------------------------------

async function refresh() {
  if (document.hidden) return; // it is refreshed when it is visible again
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  last = performance.now();
  try {
    const address = new URL(location.href);
    address.searchParams.set("part", "live");
    address.searchParams.set("lang", document.documentElement.lang);
    if (told) address.searchParams.set("min_position", told);
    address.hash = "";
    const headers = tag ? { "If-None-Match": tag } : {};
    const answer = await fetch(address, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    if (answer.status === 304) return skew(answer.headers.get("date"));
    if (answer.redirected) return; // to the page to sign in: typed input stays on this page
    if (!answer.ok) return schedule(retry);
    tag = answer.headers.get("etag") ?? "";
    const fresh = document.createElement("div");
    fresh.innerHTML = await answer.text();
    const said = live.querySelector("[data-say]")?.textContent.trim();
    const before = places();
    const active = document.activeElement;
    morphChildren(live, fresh);
    if (active !== document.activeElement && active.isConnected) active.focus({ preventScroll: true }); // it was moved
    glide(before);
    say(said);
    if (source && isFinished()) rest();
    if (!pulse.hidden) show(!pulse.classList.contains("off"));
    skew(answer.headers.get("date"));
    tick();
  } catch (problem) {
    if (!(problem instanceof TypeError) && problem.name !== "TimeoutError") throw problem;
    schedule(3000); // the network is unavailable
  } finally {
    fetching = false;
    if (live.dataset.follow && !source && !document.hidden) follow(); // or wait again
    if (again) {
      again = false;
      schedule();
    }
  }
}

function schedule(pause = MIN_INTERVAL_MS) {
  if (timer) return;
  const wait = Math.max(20, pause - (performance.now() - last)) + Math.random() * SPREAD_MS;
  timer = setTimeout(() => {
    timer = 0;
    refresh();
  }, wait);
}

// A console sent a form: this page is the answer, and all its nodes may change.
document.addEventListener("faristol:page", ({ detail }) => {
  const said = live.querySelector("[data-say]")?.textContent.trim();
  position = told = Math.max(told, Number(detail.dataset.position || 0));
  tag = "";
  own = true;
  morphChildren(live, detail);
  own = false;
  say(said);
});

// --- following -----------------------------------------------------------------------------------------------

function concerns(news) {
  const shown = live.querySelector("[data-of-game]"); // a slot changes its game
  if (shown && news.game_id) return news.game_id === shown.dataset.ofGame;
  if (live.dataset.game && news.game_id) return news.game_id === live.dataset.game;
  if (live.dataset.round && news.game_id) return news.round === Number(live.dataset.round);
  return true;
}

function heard(event) {
  const news = JSON.parse(event.data);
  lastId = event.lastEventId;
  position = Math.max(position, news.position);
  if (!concerns(news)) return;
  told = position;
  schedule();
}

// A finished tournament has no stream. It is refreshed at long intervals, because results may be corrected.
function isFinished() {
  return !live.querySelector(".console") && live.querySelector(".badge.over, [data-finished]") !== null;
}

function rest() {
  source?.close();
  source = null;
  pulse.hidden = true;
  clearTimeout(resting);
  resting = setTimeout(() => (document.hidden ? rest() : refresh()), FINISHED_INTERVAL_MS);
}

// Another record, for example after a backup was restored: the page is fetched again, and the stream starts from the
// beginning.
function begin() {
  position = told = 0;
  lastId = tag = "";
  schedule();
}

function follow() {
  source?.close();
  if (isFinished()) return rest();
  const resume = lastId ? `last_event_id=${lastId}` : `after=${position}`;
  source = new EventSource(`${live.dataset.follow}?${resume}`);
  for (const name of live.dataset.news.split(" ")) source.addEventListener(name, heard);
  source.addEventListener("Reset", begin);
  source.addEventListener("open", () => {
    retry = 1000;
    show(true);
  });
  source.addEventListener("error", () => {
    show(false);
    if (source?.readyState !== EventSource.CLOSED) return; // the browser reconnects
    setTimeout(() => document.hidden || follow(), retry);
    retry = Math.min(retry * 2, 30000);
  });
}

function show(connected) {
  pulse.hidden = false;
  pulse.classList.toggle("off", !connected);
  pulse.textContent = connected ? pulse.dataset.on : pulse.dataset.off;
}

// A hidden page closes its connection: browsers allow few connections to a host.
function attend() {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (!source) {
    follow();
    refresh();
  }
}

// --- clocks --------------------------------------------------------------------------------------------------

let ahead = 0; // ms by which the clock of this device is ahead of the server's
skew(live.dataset.now && new Date(Number(live.dataset.now)).toUTCString());

function skew(date) {
  const server = Date.parse(date ?? "");
  const difference = Date.now() - server;
  if (Number.isFinite(difference)) ahead = Math.abs(difference) > 2000 ? difference : 0;
}

function tick() {
  for (const clock of live.querySelectorAll("[data-clock]")) {
    const { allowance, used, since } = clock.dataset;
    const running = Number(since) ? Date.now() - ahead - Number(since) : 0;
    const lost = running < 0 || running > 2 * Number(allowance); // times were entered later, or are simulated
    const left = Number(allowance) - Number(used) - (lost ? 0 : running);
    const seconds = left < 0 ? Math.ceil(-left / 1000) : Math.ceil(left / 1000);
    const text = `${left < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("overtime", left < 0);
  }
  for (const clock of live.querySelectorAll("[data-until]")) {
    const seconds = Math.ceil((Number(clock.dataset.until) - Date.now() + ahead) / 1000);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const short = `${String(minutes).padStart(hours ? 2 : 1, "0")}:${String(seconds % 60).padStart(2, "0")}`;
    const text = seconds <= 0 ? clock.dataset.over : hours ? `${hours}:${short}` : short;
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("overtime", seconds <= 0);
  }
  for (const message of live.querySelectorAll("[data-expires]")) {
    message.hidden = Number(message.dataset.expires) <= Date.now() - ahead;
  }
  for (const wait of live.querySelectorAll("[data-wait-since]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - ahead - Number(wait.dataset.waitSince)) / 1000));
    const text = seconds < 3600 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : long(seconds);
    if (wait.textContent !== text) wait.textContent = text;
  }
}

function long(seconds) {
  return `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} h`;
}

// --- who is signed in ----------------------------------------------------------------------------------------

// Public pages are the same for all users: the name of the user is in a separate cookie that grants no access.
function showWhoIsSignedIn() {
  const place = document.getElementById("signed-in");
  const name = document.cookie.match(/(?:^|; )(?:__Host-)?faristol-name="?([^;"]+)/)?.[1];
  if (!place || !name) return;
  place.firstElementChild.textContent = decodeURIComponent(name);
  place.hidden = false;
  const account = document.getElementById("to-account");
  account.textContent = account.dataset.signedIn;
}

// --- without a network ---------------------------------------------------------------------------------------

// Visited public pages can be opened without a network: see worker.js.
async function keepForOffline() {
  const note = document.getElementById("offline");
  if (!note || !navigator.serviceWorker) return;
  const show = () => (note.hidden = navigator.onLine);
  addEventListener("online", show);
  addEventListener("offline", show);
  show();
  if (!navigator.onLine) return;
  const wasControlled = navigator.serviceWorker.controller !== null; // a new worker claims this page before `ready`
  await navigator.serviceWorker.register("/worker.js").catch(() => {}); // unavailable over plain HTTP
  const { active } = await navigator.serviceWorker.ready;
  if (wasControlled) return; // the worker has fetched this page
  const files = performance.getEntriesByType("resource").map(({ name }) => name);
  active?.postMessage({ keep: [location.href, ...files] });
}

// -------------------------------------------------------------------------------------------------------------

showWhoIsSignedIn();
keepForOffline();
if (live.dataset.follow) {
  follow();
  if (live.dataset.exact !== undefined) refresh(); // countdowns use the time of the server
  document.addEventListener("visibilitychange", attend);
  window.addEventListener("pagehide", () => source?.close());
  window.addEventListener("pageshow", (event) => event.persisted && (follow(), refresh()));
}
if (live.dataset.poll) {
  setInterval(refresh, 1000 * Number(live.dataset.poll));
  document.addEventListener("visibilitychange", refresh);
}
live.addEventListener("refresh", () => schedule()); // another module has received news
tick();
setInterval(tick, 250);

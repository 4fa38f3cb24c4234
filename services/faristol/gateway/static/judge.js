// The pages of a judge: the queue with a sound for new cases, the lease of an open case, and keys that enter rulings.

const live = document.getElementById("live");
const KEY_REST_MS = 800; // in which keys must rest, after a case is shown, before any of them counts
const SIGNS_PER_LEASE = 3; // signs of activity within a lease
const POLL_MS = 3000; // between two requests of the queue without its stream
const RETRY_MS = 1000; // until the first reconnection after a refusal; doubled each time
const MAX_RETRY_MS = 30000;
const MAX_SIGN_INTERVAL_MS = 5000; // between two signs of activity without a network
const WARNING_SECONDS = 10; // of a lease, announced by a sound

// --- sound ---------------------------------------------------------------------------------------------------

// Browsers play no sound before the page is touched, and a judge may not want any: it is off until it is enabled.
let sound = null;

function wanted() {
  try {
    return sessionStorage.getItem("judge-sound") === "on";
  } catch {
    return false; // the browser denies storage
  }
}

function want(on) {
  try {
    sessionStorage.setItem("judge-sound", on ? "on" : "off");
  } catch {
    // the choice is valid for this page only
  }
}

function setSound(on) {
  if (on && !sound) sound = new AudioContext();
  if (on) sound.resume();
  else sound?.close();
  if (!on) sound = null;
  want(on);
  showSound();
}

function showSound() {
  const button = document.getElementById("sound");
  if (!button) return;
  button.hidden = false;
  const on = Boolean(sound);
  button.setAttribute("aria-pressed", String(on));
  button.textContent = on ? button.dataset.on : button.dataset.off;
}

function beep(...notes) {
  if (sound?.state !== "running") return;
  notes.forEach((frequency, place) => {
    const at = sound.currentTime + 0.18 * place;
    const [tone, volume] = [sound.createOscillator(), sound.createGain()];
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.25, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.16);
    tone.connect(volume).connect(sound.destination);
    tone.start(at);
    tone.stop(at + 0.17);
  });
}

function takeUpSound() {
  if (wanted() && !sound) setSound(true);
}

live.addEventListener("click", (event) => {
  if (event.target.closest("#sound")) setSound(!sound);
});
// A sound that was enabled on the previous page is enabled again by the first touch of this page.
for (const touch of ["pointerdown", "keydown"]) {
  addEventListener(touch, (event) => !event.target.closest?.("#sound") && takeUpSound(), { once: true });
}
showSound();

// --- the queue -----------------------------------------------------------------------------------------------

const title = document.title;
let known = null;

function cases() {
  return [...live.querySelectorAll("[data-case].panel")];
}

function lookAtQueue() {
  const now = cases().map((item) => item.dataset.case);
  if (known && now.some((id) => !known.has(id))) beep(660, 880);
  known = new Set(now);
  document.title = now.length ? `(${now.length}) ${title}` : title;
}

function followQueue() {
  let polling = 0;
  const refresh = () => live.dispatchEvent(new Event("refresh"));
  const poll = () => {
    polling ||= setInterval(() => navigator.onLine && refresh(), POLL_MS);
  };
  let stream = null;
  let retry = RETRY_MS;
  let timer = 0;
  const open = () => {
    clearTimeout(timer);
    stream?.close();
    stream = new EventSource(live.dataset.queue);
    stream.addEventListener("queue", refresh);
    stream.addEventListener("open", () => {
      retry = RETRY_MS;
      clearInterval(polling);
      polling = 0;
    });
    stream.addEventListener("error", () => {
      poll();
      if (stream.readyState !== EventSource.CLOSED) return; // the browser reconnects
      timer = setTimeout(open, retry * (1 + Math.random()));
      retry = Math.min(2 * retry, MAX_RETRY_MS);
    });
    stream.addEventListener("ended", () => location.reload()); // signed out: the page says so
  };
  open();
  addEventListener("pagehide", () => {
    clearTimeout(timer);
    stream.close();
  });
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  new MutationObserver(lookAtQueue).observe(live, { childList: true, subtree: true });
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  lookAtQueue();
}

if (live.dataset.queue) followQueue();

// --- the lease -----------------------------------------------------------------------------------------------

const lease = document.getElementById("lease");
let until = 0; // by the monotonic clock of the page: the clock of the device may be wrong
let whole = 0;
let lost = false;
let warned = false;
let asking = false;
let pause = RETRY_MS; // ms until the next sign after a failed one; doubled each time
let nextSign = 0;

function hold(seconds) {
  whole = seconds;
  until = performance.now() + 1000 * seconds;
  warned = false;
}

function lose(text) {
  lost = true;
  const told = document.getElementById("lost");
  told.hidden = false;
  told.textContent = text;
  lease.hidden = true;
  for (const id of ["rule", "release"]) document.getElementById(id).hidden = true;
  document.getElementById("claim").hidden = false;
  document.title = title;
  beep(440, 330);
}

async function giveSign() {
  if (lost || asking || document.hidden) return;
  asking = true;
  const asked = performance.now();
  const told = document.getElementById("lost");
  try {
    const answer = await fetch("/api/v1/lexicon/KeepClaim", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept-Language": document.documentElement.lang },
      body: JSON.stringify({ case_id: lease.dataset.case, judge_id: lease.dataset.judge }),
      signal: AbortSignal.timeout(1000 * whole),
    });
    const said = await answer.json();
    if (answer.ok) {
      pause = RETRY_MS;
      hold(said.lease_seconds);
      until -= performance.now() - asked; // the sign arrived after it was sent
      told.hidden = true;
    } else if (answer.status === 401) {
      location.reload();
    } else if (answer.status === 409 || answer.status === 404) {
      lose(lease.dataset.lost);
    }
  } catch (problem) {
    if (!(problem instanceof TypeError) && !["TimeoutError", "SyntaxError"].includes(problem.name)) throw problem;
    told.hidden = false;
    told.textContent = performance.now() < until ? lease.dataset.unheard : lease.dataset.over;
    nextSign = performance.now() + pause;
    pause = Math.min(2 * pause, MAX_SIGN_INTERVAL_MS);
  } finally {
    asking = false;
  }
}

function showLease() {
  if (lost) return;
  const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
  const shown = document.getElementById("lease-left");
  if (shown.textContent !== String(left)) shown.textContent = left;
  const bar = document.getElementById("lease-bar");
  bar.style.width = `${Math.min(100, (100 * Math.max(0, until - performance.now())) / (1000 * whole))}%`;
  const soon = left <= Math.min(WARNING_SECONDS, whole / 2);
  lease.classList.toggle("soon", soon);
  document.title = document.hidden ? `${left} s · ${title}` : title;
  if (soon && !warned) {
    warned = true;
    beep(880, 880);
  }
}

if (lease) {
  hold(Number(lease.dataset.seconds));
  setInterval(showLease, 250);
  const isDue = (now) => now >= nextSign && until - now < (1 - 1 / SIGNS_PER_LEASE) * 1000 * whole;
  setInterval(() => isDue(performance.now()) && giveSign(), 500);
  document.addEventListener("visibilitychange", () => document.hidden || giveSign());
  addEventListener("online", giveSign);
}

// --- ruling --------------------------------------------------------------------------------------------------

const form = document.getElementById("ruling");
const words = [...(form?.querySelectorAll("[data-word]") ?? [])];
let sent = false;

function chosen(word) {
  return word.querySelector("input[type=radio]:checked")?.value ?? "";
}

function choose(word, value) {
  const radio = word.querySelector(`input[type=radio][value="${value}"]`);
  if (!radio) return;
  radio.checked = true;
  showWord(word);
}

// A ruling against the lexicon needs a reason and a source; the form says so before the server does.
function showWord(word) {
  const against = chosen(word) !== "" && chosen(word) !== word.dataset.valid;
  word.classList.toggle("against-lexicon", against);
  for (const field of word.querySelectorAll(".field input")) field.required = against;
}

function current() {
  return words.find((word) => word.contains(document.activeElement)) ?? words.find((word) => !chosen(word)) ?? words[0];
}

function ruleOn(value) {
  const word = current();
  choose(word, value);
  const open = word.classList.contains("against-lexicon") && word.querySelector(".field input");
  const next = words.find((other) => !chosen(other));
  const target = open || next?.querySelector("input[type=radio]") || document.getElementById("rule");
  target.focus();
}

form?.addEventListener("change", () => words.forEach(showWord));
document.addEventListener("submit", (event) => {
  if (sent) event.preventDefault(); // only once
  sent = true;
  setTimeout(() => (sent = false), 3000);
});
words.forEach(showWord);

// --- keys ----------------------------------------------------------------------------------------------------

// Keys that were pressed while the previous page was visible are for another case. Keys count only after no key was
// pressed for a moment on this page.
let inSight = 0;

function see() {
  if (!document.hidden) requestAnimationFrame(() => requestAnimationFrame((at) => (inSight = at)));
}

see();
document.addEventListener("visibilitychange", () => {
  inSight = 0;
  see();
});

function isTypedAhead(event) {
  if (inSight && event.timeStamp - inSight > KEY_REST_MS && !event.repeat) return false;
  if (inSight) inSight = Math.max(inSight, event.timeStamp);
  return true;
}

const KEYS = {
  c: () => (live.querySelector("[data-first]") ?? shown("claim"))?.click(),
  v: () => ruleOn("1"),
  i: () => ruleOn("0"),
  l: () => words.forEach((word) => choose(word, word.dataset.valid)) || shown("rule")?.focus(),
  g: () => shown("release")?.click(),
  Enter: () => shown("rule")?.click(),
};

function shown(id) {
  const button = document.getElementById(id);
  return button && !button.hidden ? button : null;
}

document.addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const acts = event.key.length === 1 || event.key === "Enter";
    if (acts && (event.repeat || isTypedAhead(event))) {
      if (!event.target.matches("input:not([type=radio])")) event.preventDefault();
      else if (event.key === "Enter") event.preventDefault();
      return;
    }
    if (event.target.matches("input:not([type=radio]), textarea, select")) return;
    if (event.key === "Enter" && event.target.matches("a, button, summary")) return; // for the focused element
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (!form && event.key !== "c")) return;
    event.preventDefault();
    act();
  },
  { capture: true },
);

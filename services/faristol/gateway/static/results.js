// Entry of results with the keyboard only: Enter goes to the next field, the names of a table are shown as soon as its
// number is typed, and after a result the next table is requested. A user types from paper and may not look at the
// page: doubtful and refused entries go to a list of open entries and the form is cleared, so that the numbers of the
// next paper never become a score of the previous one.

import { newId } from "./device.js";

const usual = document.getElementById("entry-names")?.textContent ?? "";
const OPEN = `faristol-open ${location.pathname}`;
const QUESTION_MS = 700; // after a question in which Enter is ignored: the user has not read it yet
const FORFEIT = /^(ff|φφ|фф|аа)$/iu; // the same as `is_forfeit` on the server, without accents
const OWN = new Set(["command_id", "sure", "before"]); // fields that belong to one form only

let waits = null; // the entry that is being sent: its item in the list, its fields, the values of the form
let keys = []; // keys that were typed meanwhile
let open = readOpen(); // doubtful and refused entries, the newest last
let corrected = null; // the open entry that is corrected in the form
let asked = null; // the open entry that Enter confirms, and the time of the question

/** Set the entry that Enter confirms; the hint about Enter is shown while there is one. */
function ask(id) {
  asked = id ? { id, at: performance.now() } : null;
  document.querySelector("#open [data-asked]").hidden = !asked;
}

const form = () => document.getElementById("entry");
const fields = () => [...form().querySelectorAll("input:not([type=hidden])")];
const tableIn = (given) => String(Number(new Map(given).get("table")));

function row(number) {
  return document.querySelector(`#tables [data-table="${CSS.escape(String(Number(number)))}"]`);
}

function namesAt(found) {
  return [0, 1, 2, 3].map((seat) => found.getAttribute(`data-name-${seat}`)).filter(Boolean);
}

function readBack() {
  const number = form().elements.table.value.trim();
  const found = number && row(number);
  const names = found ? namesAt(found) : [];
  for (const label of form().querySelectorAll("[data-seat]")) {
    label.dataset.plain ??= label.textContent;
    label.textContent = names[Number(label.dataset.seat)] ?? label.dataset.plain;
  }
  document.getElementById("entry-names").textContent = found
    ? found.querySelector("p").textContent.replace(/\s+/g, " ").trim()
    : usual;
}

/** Show at once that there is no table with the typed number. The entry continues: its answer is added to the list. */
function tellUnknown() {
  const number = form().elements.table.value.trim();
  if (!number || row(number)) return;
  const names = document.getElementById("entry-names");
  names.textContent = names.dataset.unknown.replace(/\{\w+\}/, number);
  beep();
}

// --- the list of open entries ------------------------------------------------------------------------------

function readOpen() {
  try {
    return JSON.parse(sessionStorage.getItem(OPEN) ?? "[]");
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem;
    return [];
  }
}

function showOpen() {
  sessionStorage.setItem(OPEN, JSON.stringify(open));
  const list = document.getElementById("open");
  const template = list.querySelector("template");
  const rows = open.map((entry) => {
    const made = template.content.firstElementChild.cloneNode(true);
    const own = made.querySelector("form");
    made.dataset.open = entry.id;
    made.querySelector(".typed").textContent = entry.text;
    made.querySelector(".why").textContent = entry.why;
    own.id = `open-${entry.id}`;
    own.action = form().action;
    for (const [name, value] of [...entry.fields, ["command_id", newId()], ["sure", entry.sure]]) {
      own.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    own.querySelector("[data-act=right]").hidden = !entry.sure;
    return made;
  });
  list.querySelector("ul").replaceChildren(...rows);
  list.querySelector("[data-asked]").hidden = !asked;
  list.hidden = !rows.length;
}

/** Add an entry to the list, in the place of the entry that it corrects. */
function keepOpen(given, said, replaced) {
  const why = [...said.querySelectorAll("li")].map((line) => line.textContent.trim()).join(" · ");
  const typed = fields().map(({ name }) => new Map(given).get(name)?.trim()).filter(Boolean);
  const entry = {
    id: replaced?.id ?? newId(),
    fields: given,
    text: `${typed[0] ?? ""}: ${typed.slice(1).join(" – ")}`,
    why: why || said.textContent.replace(/\s+/g, " ").trim(),
    sure: form().querySelector("[name=sure]")?.value ?? "",
    wrong: form().dataset.wrong ?? "",
  };
  open = [...open.filter(({ id }) => id !== entry.id), entry];
  ask(entry.sure ? entry.id : null);
  document.getElementById("status").textContent = `${entry.text} ${entry.why}`;
  beep();
}

function correct(entry) {
  corrected = entry.id;
  for (const [name, value] of entry.fields) if (form().elements[name]) form().elements[name].value = value;
  readBack();
  const last = fields().findLast((field) => field.value);
  const doubted = form().elements[entry.wrong] ?? last ?? form().elements.table;
  doubted.focus();
  doubted.select();
}

/**
 * Return whether a sent entry corrects an entry of the list; an entry whose table number was in doubt may have another
 * number.
 */
function isOf(entry, given) {
  return entry.wrong === "table" || tableIn(entry.fields) === tableIn(given);
}

function leaveOut(id) {
  open = open.filter((entry) => entry.id !== id);
  if (corrected === id) corrected = null;
  if (asked?.id === id) ask(null);
  showOpen();
  form().elements.table.focus();
}

// Play a low tone, for a user who does not look at the page.
function beep() {
  if (!navigator.userActivation?.hasBeenActive || !globalThis.AudioContext) return;
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = 330;
  volume.gain.value = 0.15;
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.18);
  tone.addEventListener("ended", () => context.close());
}

// --- typing ------------------------------------------------------------------------------------------------

/** Return the fields that an entry needs: one score for each player of its table. */
function needed() {
  const found = row(form().elements.table.value.trim());
  const seats = found ? namesAt(found).length : fields().length;
  return fields().filter((field) => {
    const seat = field.closest("label").querySelector("[data-seat]");
    return !seat || Number(seat.dataset.seat) < seats;
  });
}

function isScore(field) {
  return field.closest("label").querySelector("[data-seat]") !== null;
}

function isForfeit({ value }) {
  return FORFEIT.test(value.trim().normalize("NFKD").replace(/\p{M}/gu, ""));
}

/**
 * Send a forfeit of the first of two players; a number typed as the second score is the next table.
 *
 * A forfeit has no points, so digits after it are not a score. If no table has that number, the digits are sent, and
 * the server returns the error.
 */
function sendForfeit(last) {
  const next = last.value.trim();
  if (next && !(/^[0-9]+$/.test(next) && row(next))) return false;
  last.value = "-";
  if (next) keys.unshift(...next, "Enter");
  form().requestSubmit();
  return true;
}

// Enter in a field goes to the next empty field, and sends the form from the last one. A missing score is required,
// except with a forfeit: a forfeit of two players is complete without it.
function enter(field, isTypedAhead = false) {
  const isEmpty = !field.value.trim();
  if (field.name === "table" && isEmpty) {
    const isRead = asked && !isTypedAhead && performance.now() - asked.at > QUESTION_MS;
    if (isRead) document.getElementById(`open-${asked.id}`)?.requestSubmit();
    return;
  }
  if (field.name === "table" && isTypedAhead) tellUnknown(); // otherwise by the change event of the field
  const all = needed();
  const scores = all.filter(isScore); // a slip has no required score: its coordinates or its word may be missing
  if (scores.length === 2 && field === scores[1] && isForfeit(scores[0]) && sendForfeit(field)) return;
  const isPlayed = !scores.some(({ value }) => /^\D+$/.test(value.trim()));
  if (isEmpty && scores.includes(field) && isPlayed) return;
  const next = all.slice(all.indexOf(field) + 1).find((other) => !other.value.trim());
  if (next && field !== next && !(isEmpty && scores.includes(field))) next.focus();
  else form().requestSubmit();
}

function on(field) {
  const all = [...fields(), form().querySelector("button")];
  all[all.indexOf(field) + 1]?.focus();
}

// Process the keys that were typed while a result was being sent, after its answer.
function typeAhead() {
  while (keys.length && !waits) {
    const key = keys.shift();
    const isOff = document.activeElement === form().querySelector("button");
    const field = fields().includes(document.activeElement) ? document.activeElement : fields()[0];
    if (key === "Enter" && isOff) form().requestSubmit();
    else if (key === "Enter") enter(field, true);
    else if (key === "Tab") on(field);
    else if (key === "Backspace") field.value = field.value.slice(0, -1);
    else field.value += key;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

document.addEventListener("input", (event) => {
  if (event.target.form?.id !== "entry") return;
  ask(null);
  if (event.target.name === "table") readBack();
});

document.addEventListener("change", ({ target }) => {
  if (target.form?.id === "entry" && target.name === "table") tellUnknown();
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const own = target.form?.id === "entry" && target.tagName === "INPUT";
  const adrift = waits && (target === document.body || target.form?.id === "entry"); // the field may have been replaced
  if (!own && !adrift) return;
  const isTyped = key.length === 1 || ["Enter", "Backspace"].includes(key) || (key === "Tab" && !event.shiftKey);
  if (waits && !event.ctrlKey && !event.metaKey && isTyped) {
    event.preventDefault();
    keys.push(key);
  } else if (key === "Enter") {
    event.preventDefault();
    enter(target);
  } else if (key === "Backspace" && target.name === "table" && !target.value && open.length) {
    event.preventDefault();
    correct(open.at(-1));
  }
});

document.addEventListener("click", ({ target }) => {
  const entry = open.find(({ id }) => id === target.closest?.("[data-open]")?.dataset.open);
  if (entry && target.dataset.act === "correct") correct(entry);
  else if (entry && target.dataset.act === "drop") leaveOut(entry.id);
});

// The keyboard of a phone has only digits: a button writes the sign of a forfeit, or of a withdrawal, into the current
// score.
let scored = null; // the last focused score
document.addEventListener("focusin", ({ target }) => {
  if (target.form?.id === "entry" && target.closest("label") && isScore(target)) scored = target;
});
document.addEventListener("click", ({ target }) => {
  const sign = target.dataset?.sign;
  if (!sign) return;
  const field = scored?.isConnected ? scored : needed().find((each) => each.name !== "table" && !each.value.trim());
  if (!field) return;
  field.value = sign === "ff" ? sign : `${field.value.replace(/\D+$/, "")}${sign}`;
  if (sign === "ff") {
    const others = needed().filter((each) => each.name !== "table" && each !== field && !each.value.trim());
    for (const other of others) other.value = "-";
  }
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});

// Before `console.js` reads the form: an entry for a table with an open entry is doubtful.
document.addEventListener(
  "submit",
  ({ target }) => {
    const entry = open.find(({ id }) => target.id === `open-${id}`);
    if (waits || (target.id !== "entry" && !entry)) return;
    ask(null);
    if (!entry) {
      const number = String(Number(form().elements.table.value.trim()));
      const before = open.filter(({ id, fields: given }) => id !== corrected && tableIn(given) === number);
      form().querySelector("[name=before]")?.remove();
      if (before.length) {
        const value = before.map(({ text }) => text.replace(/^.*?: /, "")).join(", ");
        form().append(Object.assign(document.createElement("input"), { type: "hidden", name: "before", value }));
      }
    }
    const given = [...new FormData(target)].filter(([name]) => !OWN.has(name));
    waits = { entry, given, stood: fields().map((field) => field.value) };
  },
  true,
);

document.addEventListener("faristol:sent", ({ detail }) => {
  if (!waits || (detail.id !== "entry" && detail.id !== `open-${waits.entry?.id}`)) return;
  const { entry, given, stood } = waits;
  waits = null;
  const wrong = document.getElementById("said") || document.querySelector(".console > .notice.bad");
  const replaced = entry ?? open.find((other) => other.id === corrected && isOf(other, given));
  if (wrong) keepOpen(given, wrong, replaced);
  else open = open.filter((other) => other !== replaced && tableIn(other.fields) !== tableIn(given));
  showOpen();
  clear(entry ? stood : []);
  if (!entry) corrected = null;
  if (!entry || !stood.some(Boolean)) form().elements.table.focus();
  typeAhead();
});

/** Reset the form to its state without a question, with these values. */
function clear(values) {
  document.getElementById("said")?.remove();
  for (const own of form().querySelectorAll("[name=sure], [name=before]")) own.remove();
  delete form().dataset.wrong;
  fields().forEach((field, place) => (field.value = values[place] ?? ""));
  if (!values.length) for (const choice of form().querySelectorAll("select")) choice.selectedIndex = 0;
  readBack();
}

if (form()) {
  const said = document.getElementById("said");
  if (said) {
    // The page was loaded with a question: it was sent without this script, or without a network.
    keepOpen([...new FormData(form())].filter(([name]) => !OWN.has(name)), said);
    clear([]);
    form().elements.table.focus();
  }
  showOpen();
  readBack();
}

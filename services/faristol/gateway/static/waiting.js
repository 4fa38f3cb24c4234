// Pending and refused acts on the device: their state, and the choices of the user.

import { about, figure, make, nameOf, text } from "./dom.js";

/** Refusals because another person has already done the same: nothing remains to be done. */
export const KNOWN = [
  "WRITTEN_ALREADY",
  "NOTHING_TO_WRITE",
  "ALREADY_DRAWN",
  "NOTHING_PLAYED",
  "BAG_EMPTY",
  "STOPPED_ALREADY",
  "NOT_YOUR_CLOCK",
];

/**
 * Return the list of pending acts, and the first act if it was refused. `edit` changes an act; without it there are
 * only two choices.
 */
export function queueOf(outbox, seen, { edit = null, onlyRefused = false } = {}) {
  const [first, ...behind] = outbox.acts;
  if (!first) return [];
  const button = (key, act, style = "quiet") =>
    make("button", { class: style, type: "button", "data-key": key, onclick: act }, text(key));
  const drop = async () => {
    const steps = behind.filter((act) => act.unless && act.turn === first.turn); // the remaining steps of its turn
    for (const act of [...steps.reverse(), first]) await outbox.drop(act.number);
  };
  const dropAll = async () => {
    if (!confirm(text("sureDropAll"))) return;
    for (const act of [...outbox.acts].reverse()) await outbox.drop(act.number);
  };
  const refused =
    first.problem &&
    make(
      "div",
      { class: "notice refusal", role: "alert" },
      make("h2", {}, text(isInvalid(first.problem) ? "notValid" : "cannot")),
      make("p", {}, make("strong", {}, first.label)),
      make("p", {}, why(first.problem)),
      seen && make("p", { class: "note" }, text("stands", { state: standing(seen) })),
      behind.length > 0 && make("p", {}, text("waitsBehind", { count: behind.length })),
      make(
        "div",
        { class: "acts" },
        button("again", () => outbox.retry(first.number), "big"),
        edit && button("edit", () => edit(first)),
        button("drop", drop),
        behind.length > 0 && button("dropAll", dropAll),
      ),
    );
  const rest = first.problem ? behind : outbox.acts;
  const list =
    !onlyRefused &&
    rest.length > 0 &&
    make(
      "ol",
      { class: "waiting", "aria-label": text("waiting") },
      rest.map((act) => make("li", {}, act.label)),
    );
  return [refused, list];
}

/** Return why an act was refused, with its article; for an act that came too late, that others were faster. */
function why({ field, detail = "", article }) {
  if (field === "occurred_at") return text("conflict");
  const told = field ? detail.replace(`${field}: `, "") : detail; // the field has no name on the page
  return article ? `${named(told)} (${article})` : named(told);
}

/** Whether the entry itself is at fault, and not what has happened at the table since. */
function isInvalid({ field, reason }) {
  return reason === "INVALID" && field !== "occurred_at";
}

/** Replace IDs with names, as in a refusal. */
function named(told) {
  return about.players.reduce((said, { id, name }) => said.replaceAll(id, name), told);
}

/** Return the state of the table at the services, in one line. */
export function standing({ table, sheet }) {
  if (table.phase === "PHASE_FINAL") return text("final");
  if (!table.turn_player_id) return text(table.turn ? "ended" : "notStarted");
  const last = sheet?.entries.at(-1);
  const told = last ? ` · ${nameOf(last.player_id)}: ${playText(last)} ${figure(last.score)}` : "";
  return text("turnOf", { turn: table.turn, player: nameOf(table.turn_player_id) }) + told;
}

/** Return an entry of the score sheet: its place and word, or its kind. */
export function playText(entry) {
  return entry.words.length
    ? `${entry.coordinates} ${entry.words[0].word.faces.join("")}`
    : (about.kinds[entry.kind] ?? "");
}

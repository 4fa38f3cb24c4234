// What waits on the device, and what was refused: with what stands, and what the person can do about it.

import { about, figure, make, nameOf, text } from "./dom.js";

/** Refusals that say that somebody else has done the same already: nothing is left to do. */
export const KNOWN = [
  "WRITTEN_ALREADY",
  "NOTHING_TO_WRITE",
  "ALREADY_DRAWN",
  "NOTHING_PLAYED",
  "BAG_EMPTY",
  "STOPPED_ALREADY",
  "NOT_YOUR_CLOCK",
];

/** The list of what waits, and the first act where it was refused. `edit` changes an act; without it only two ways are offered. */
export function queueOf(outbox, seen, { edit = null, onlyRefused = false } = {}) {
  const [first, ...behind] = outbox.acts;
  if (!first) return [];
  const button = (key, act, style = "quiet") =>
    make("button", { class: style, type: "button", "data-key": key, onclick: act }, text(key));
  const drop = async () => {
    const steps = behind.filter((act) => act.unless && act.turn === first.turn); // what was left of the turn that it took
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
      make("h2", {}, text("cannot")),
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

/** Why an act was refused, with its article; of one that came too late for its time, that others were faster. */
function why({ field, detail = "", article }) {
  if (field === "occurred_at") return text("conflict");
  return article ? `${named(detail)} (${article})` : named(detail);
}

/** Names in place of ids, as a refusal has them. */
function named(told) {
  return about.players.reduce((said, { id, name }) => said.replaceAll(id, name), told);
}

/** How the table stands with the services, in a line. */
export function standing({ table, sheet }) {
  if (table.phase === "PHASE_FINAL") return text("final");
  if (!table.turn_player_id) return text(table.turn ? "ended" : "notStarted");
  const last = sheet?.entries.at(-1);
  const told = last ? ` · ${nameOf(last.player_id)}: ${playText(last)} ${figure(last.score)}` : "";
  return text("turnOf", { turn: table.turn, player: nameOf(table.turn_player_id) }) + told;
}

/** A line of the sheet: where and which word, or what else it was. */
export function playText(entry) {
  return entry.words.length
    ? `${entry.coordinates} ${entry.words[0].word.faces.join("")}`
    : (about.kinds[entry.kind] ?? "");
}

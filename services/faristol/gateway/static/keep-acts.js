// The questions before an act: a dialog for each command that has more fields than its player.

import { about, figure, make, nameOf, text } from "./dom.js";
import { faceOf, nameOf as square, spelled } from "./tiles.js";

const rules = about.rules;

/** Return the label of a field, by its name in the contract. */
const asked = (name) => about.labels[name];

/** Commands that need one touch and no dialog. */
const AT_ONCE = new Set([
  "Press",
  "Stop",
  "StartGame",
  "AcceptPlay",
  "CallArbiter",
  "DismissArbiter",
  "AssignArbiter",
  "Resume",
  "RecordArrival",
  "ReturnToTable",
]);

/** Commands with which a player can lose the game at once. */
const ENDS = new Set(["Abandon", "AgreeEnd"]);

/** Forms with a hint, or with a field whose input is not that of its kind. */
const ASKED = {
  StateRack: (seen, offer) => [tiles("faces", { exact: rackSize(seen, offer.player_id) })],
  ChooseSurplus: () => [tiles("faces", { least: 1 })],
  ReportTilesFound: () => [tiles("faces", { least: 1 })],
  WriteScore: () => [number("score"), number("total"), hint(text("asCounted"))],
  SettleCount: () => [number("score"), hint(text("asCounted"))],
  SettleBlank: (seen, offer) => [blankSquare(offer), letter("stated"), ...(offer.by_arbiter ? [letter("face")] : [])],
  ClaimFakeBlank: (seen, offer) => [blankSquare(offer), letter("face")],
  DrawTiles: () => [number("count"), hint(text("asCounted"))],
  AnnounceExchange: (seen, offer) => [choice("count", offer.choices, String)],
  Exchange: (seen, offer) => [exchanged(seen, offer), number("count", false, "Exchange.count"), check("done")],
  Challenge: (seen) => [words(seen)],
  SignSheet: (seen, offer) => [totals(seen, offer)],
  LeaveTable: (seen, offer) => [
    yesNo("told"),
    ...(rules.untold ? [hint(text("sure", { player: nameOf(offer.player_id) }))] : []),
  ],
};

/** Choices between yes and no. */
const BOOLEANS = new Set(["accept", "told", "valid"]);

/** The input of each kind of field in the contract. */
const OF_KIND = {
  tick: ({ name }) => check(name),
  number: ({ name, optional }) => number(name, !optional),
  duration: ({ name }) => time(name),
  tiles: ({ name }) =>
    tiles(name, name === "word" ? { least: 1, put: (faces) => ({ word: { faces } }) } : undefined),
  capitals: ({ name }) => letter(name),
  text: ({ name }) => line(name),
  choice: ({ name }, seen, offer) => {
    if (name === "turn") return choice(name, [...offer.choices].reverse(), (turn) => playOf(seen, turn));
    if (BOOLEANS.has(name)) return yesNo(name);
    return choice(name, offer.choices, (value) => about.choices[offer.method][name][value]);
  },
};

const fieldsOf = (seen, offer) => about.fields[offer.method].map((field) => OF_KIND[field.kind](field, seen, offer));

/** Return the text of an offer: the button, and the player of the rack. */
export function labelOf(offer) {
  const label = about.acts[offer.method] ?? offer.method;
  return offer.drawer_id ? `${label} ${nameOf(offer.drawer_id)}` : label;
}

/**
 * Ask for the fields of a command. Returns `{service, method, body, label}`, or null if the user cancels. `body` has
 * the player, the person who acts, and the answers.
 */
export async function ask(offer, seen) {
  const body = bodyOf(offer, seen);
  const who = offer.by_arbiter ? text("ofArbiter") : nameOf(offer.player_id);
  const label = [who, offer.by_arbiter && offer.player_id ? nameOf(offer.player_id) : "", labelOf(offer)]
    .filter(Boolean)
    .join(": ");
  const act = (more, told = "") => ({
    service: offer.service,
    method: offer.method,
    body: { ...body, ...more },
    label: told ? `${label} · ${told}` : label,
  });
  if (AT_ONCE.has(offer.method)) return act({});
  const fields = (ASKED[offer.method] ?? fieldsOf)(seen, offer);
  if (ENDS.has(offer.method)) fields.push(hint(text("sure", { player: who })));
  const said = await shown(label, offer.article, fields);
  return said && act(said.more, said.told);
}

function bodyOf(offer, seen) {
  const everybody = seen.table.sides.map((side) => side.player_id);
  const body = {};
  if (offer.by_arbiter) body.arbiter_id = about.arbiter;
  if (offer.method === "Abandon") body.player_ids = [offer.player_id];
  else if (offer.player_id) body.player_id = offer.player_id;
  if (offer.drawer_id) body.drawer_id = offer.drawer_id;
  if (!offer.by_arbiter && ["SettleCount", "CorrectPlay", "CorrectTotal"].includes(offer.method))
    body.player_ids = everybody;
  if (offer.method === "ReopenGame") body.player_ids = everybody;
  return body;
}

function shown(title, article, fields) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { class: "ask", "aria-labelledby": "ask-title" });
    const error = make("p", { class: "notice bad", role: "alert" });
    error.hidden = true;
    const form = make(
      "form",
      { method: "dialog" },
      make("h2", { id: "ask-title" }, title),
      article && make("p", { class: "note" }, article),
      fields.map((field) => field.element),
      error,
      make(
        "div",
        { class: "acts" },
        make("button", { class: "big", value: "do" }, text("do")),
        make("button", { class: "quiet", type: "button", onclick: () => dialog.close("") }, text("cancel")),
      ),
    );
    form.addEventListener("submit", (event) => {
      const told = fields.map((field) => field.problem?.()).find(Boolean);
      if (!told) return;
      event.preventDefault(); // what is missing is said here, and not by the services after the dialog is gone
      error.textContent = told;
      error.hidden = false;
    });
    dialog.append(form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue !== "do") return resolve(null);
      const said = fields.map((field) => field.read?.() ?? { more: {} });
      resolve({
        more: Object.assign({}, ...said.map((each) => each.more)),
        told: said
          .map((each) => each.told)
          .filter(Boolean)
          .join(" "),
      });
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// --- fields --------------------------------------------------------------------------------------------------

function hint(told) {
  return { element: make("p", { class: "notice" }, told) };
}

function line(name) {
  const input = make("input", { name, maxlength: 400, autocomplete: "off" });
  return {
    element: make("label", {}, asked(name), input),
    read: () => ({ more: input.value ? { [name]: input.value } : {}, told: input.value }),
  };
}

function number(name, required = false, label = name) {
  const input = make("input", { name, inputmode: "numeric", pattern: "-?[0-9]{1,5}", autocomplete: "off", required });
  return {
    element: make("label", {}, asked(label), input),
    read: () => ({ more: input.value ? { [name]: Number(input.value) } : {}, told: input.value }),
  };
}

function time(name) {
  const input = make("input", {
    name,
    pattern: "[0-9]{1,3}:[0-5][0-9]",
    placeholder: "12:30",
    autocomplete: "off",
    required: true,
  });
  const read = () => {
    const [minutes, seconds] = input.value.split(":").map(Number);
    return { more: { [name]: String((minutes * 60 + seconds) * 1000) }, told: input.value };
  };
  return { element: make("label", {}, asked(name), input), read };
}

function check(name) {
  const input = make("input", { type: "checkbox", name });
  return {
    element: make("label", { class: "check" }, input, asked(name)),
    read: () => ({ more: input.checked ? { [name]: true } : {} }),
  };
}

function radios(name, options) {
  const inputs = options.map(([value, told], place) => {
    const input = make("input", { type: "radio", name, value: String(value), required: true });
    input.checked = options.length === 1 && place === 0;
    return [input, value, told];
  });
  const element = make(
    "fieldset",
    {},
    make("legend", {}, asked(name)),
    inputs.map(([input, , told]) => make("label", { class: "check" }, input, told)),
  );
  const chosen = () => inputs.find(([input]) => input.checked);
  return { element, chosen };
}

function choice(name, values, told) {
  const { element, chosen } = radios(
    name,
    values.map((value) => [value, told(value)]),
  );
  return { element, read: () => ({ more: { [name]: chosen()[1] }, told: chosen()[2] }) };
}

function yesNo(name) {
  const { element, chosen } = radios(name, [
    [true, text("yes")],
    [false, text("no")],
  ]);
  return { element, read: () => ({ more: { [name]: chosen()[1] }, told: chosen()[2] }) };
}

function rackSize(seen, player) {
  return seen.table.sides.find((side) => side.player_id === player)?.rack_size;
}

/** Choose tiles by touch; the blank is `?`. The form is not sent without the `exact` number of tiles, or the `least`. */
function tiles(name, { exact, least = 0, put = (faces) => ({ [name]: faces }) } = {}) {
  const faces = [];
  const told = make("output", { class: "picked" });
  const show = () => told.replaceChildren(...faces.map((face) => make("span", { class: "tile" }, face)));
  const pick = (face) => {
    faces.push(face);
    show();
  };
  const keys = [...rules.tiles.map((tile) => tile.face), ...(name === "word" ? [] : ["?"])];
  const element = make(
    "fieldset",
    {},
    make("legend", {}, asked(name)),
    told,
    make(
      "div",
      { class: "keys" },
      keys.map((face) =>
        make("button", { class: "tile key", type: "button", onclick: () => pick(face) }, face === "?" ? "▢" : face),
      ),
      make(
        "button",
        {
          class: "key wide-key",
          type: "button",
          onclick: () => {
            faces.pop();
            show();
          },
        },
        `⌫ ${text("erase")}`,
      ),
    ),
  );
  const problem = () => {
    if (exact !== undefined && faces.length !== exact) return text("tilesExact", { count: exact, found: faces.length });
    return faces.length < least ? text("tilesLeast") : "";
  };
  return { element, problem, read: () => ({ more: put(faces), told: faces.join(" ") }) };
}

function letter(name) {
  const input = make("input", { name, autocomplete: "off", autocapitalize: "characters", maxlength: 4 });
  return {
    element: make("label", {}, asked(name), input),
    read: () => ({ more: input.value ? { [name]: faceOf(input.value, rules) || input.value } : {}, told: input.value }),
  };
}

function blankSquare(offer) {
  const { element, chosen } = radios(
    "square",
    offer.choices.map((place) => [place, square(Math.floor(place / 15), place % 15)]),
  );
  return {
    element,
    read: () => ({ more: { row: Math.floor(chosen()[1] / 15), column: chosen()[1] % 15 }, told: chosen()[2] }),
  };
}

/** Choose the number of tiles to exchange, or the tiles if the rack is known. */
function exchanged(seen, offer) {
  const rack = seen.racks[offer.player_id] ?? [];
  if (rack.length && rack.every(Boolean)) return tiles("faces");
  const most = Math.min(rules.rack, rack.length || rules.rack);
  const { element, chosen } = radios(
    "count",
    Array.from({ length: most }, (_, place) => [place + 1, String(place + 1)]),
  );
  element.classList.add("row");
  return { element, read: () => ({ more: { faces: Array(chosen()[1]).fill("") }, told: chosen()[2] }) };
}

function words(seen) {
  const play = seen.table.pending ?? seen.table.open_play;
  const inputs = (play?.words ?? []).map(({ word }) => {
    const input = make("input", { type: "checkbox" });
    input.checked = play.words.length === 1;
    return [input, word.faces];
  });
  const element = make(
    "fieldset",
    {},
    make("legend", {}, asked("words")),
    inputs.map(([input, faces]) => make("label", { class: "check" }, input, faces.join(""))),
  );
  const read = () => {
    const chosen = inputs.filter(([input]) => input.checked).map(([, faces]) => faces);
    return {
      more: { words: chosen.map((faces) => ({ faces })) },
      told: chosen.map((faces) => faces.join("")).join(", "),
    };
  };
  return { element, read };
}

function totals(seen, offer) {
  const told = seen.table.sides.map((side) => `${nameOf(side.player_id)} ${figure(side.score)}`).join(" – ");
  const element = make("p", { class: "to-sign" }, text("signs", { player: nameOf(offer.player_id), score: told }));
  return { element, read: () => ({ more: { totals: seen.table.sides.map((side) => side.score) }, told }) };
}

function playOf(seen, turn) {
  const entry = seen.sheet?.entries.find((each) => each.turn === turn && each.words.length);
  return entry
    ? `${turn}: ${spelled(entry.words[0].word.faces.map((face) => ({ face })))} ${figure(entry.score)}`
    : String(turn);
}

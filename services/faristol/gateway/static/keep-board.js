// The board, the tile keyboard and the line for typed plays; each of them composes a play.

import { Grid } from "./board-grid.js";
import { about, figure, fill, make, text } from "./dom.js";
import { SIZE, counted, faceOf, key, placements, readings, spelled, startIn, step, written } from "./tiles.js";

const rules = about.rules;

/** A play in preparation. Fires `enter` with the placements, the word and the points. */
export class Composer extends EventTarget {
  #grid = new Grid();
  #board = new Map();
  #fresh = new Set();
  #start = null;
  #tiles = [];
  #isBlank = false;
  #isGcg = localStorage.getItem("faristol-gcg") === "yes";
  #choices = [];
  #told = "";
  /** The number of the act that this play replaces; null for a new play. */
  replaced = null;

  constructor() {
    super();
    this.grid = this.#grid.element;
    this.#grid.addEventListener("touch", ({ detail }) => this.#touch(detail));
    this.#grid.addEventListener("key", ({ detail }) => this.#typed(detail));
    this.panel = make("section", { class: "composer", "data-key": "composer", "aria-label": about.acts.PlacePlay });
    this.line = make("input", {
      "data-key": "line",
      name: "line",
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      placeholder: "H8 …",
      "aria-describedby": "line-help",
    });
    this.lineBox = this.#makeLine();
    this.#render();
  }

  /** Show a board; the play in preparation is kept. `fresh` has the squares of tiles that are not sent yet. */
  show(board, fresh) {
    [this.#board, this.#fresh] = [board, fresh];
    this.#draw();
  }

  /** Load a play to be changed. */
  edit(tiles, number) {
    this.replaced = number;
    const [first, second] = tiles;
    const across = !second || first.row === second.row;
    this.#start = { row: first.row, column: first.column, across };
    this.#tiles = tiles.map(({ face, blank }) => ({ face, blank }));
    this.#changed();
  }

  clear() {
    [this.#start, this.#tiles, this.#isBlank, this.#choices, this.#told] = [null, [], false, [], ""];
    this.replaced = null;
    this.line.value = "";
    this.#changed();
  }

  /** Return the square of each tile in preparation: along the line, past the tiles on the board. */
  get #laid() {
    const laid = [];
    for (let place = 0; this.#start && laid.length < this.#tiles.length; place++) {
      const { row, column } = step(this.#start, place);
      if (row >= SIZE || column >= SIZE) break;
      if (!this.#board.has(key(row, column))) laid.push({ row, column, ...this.#tiles[laid.length] });
    }
    return laid;
  }

  #touch({ row, column }) {
    const isSame = this.#start && this.#start.row === row && this.#start.column === column;
    if (isSame) this.#start.across = !this.#start.across;
    else this.#start = { row, column, across: this.#start?.across ?? true };
    this.#changed();
  }

  #typed(detail) {
    if (detail.key === "Backspace") return this.#erase();
    if (detail.key === "Escape") return this.clear();
    if (detail.key === "Enter" && this.#tiles.length) return this.#enter();
    const starts = ({ face }) => face.startsWith(detail.key.toUpperCase());
    const face = detail.key.length === 1 && (faceOf(detail.key, rules) || rules.tiles.find(starts)?.face);
    detail.taken = Boolean(face);
    if (!face) return;
    if (!this.#start) this.#touch(detail);
    this.#add(face);
  }

  #add(face) {
    if (this.#tiles.length >= rules.rack) return;
    this.#tiles.push({ face, blank: this.#isBlank });
    this.#isBlank = false;
    this.#changed();
  }

  #erase() {
    this.#tiles.pop();
    this.#changed();
  }

  #enter() {
    const laid = this.#laid;
    const count = counted(this.#board, laid, rules);
    if (!count) return;
    const word = spelled(count.words[0].tiles);
    const detail = {
      placements: laid,
      word,
      points: count.points,
      at: written(count.words[0]),
      replaced: this.replaced,
    };
    this.clear();
    this.dispatchEvent(new CustomEvent("enter", { detail }));
  }

  /** Read the typed line; if it is ambiguous, the user chooses. */
  #readLine() {
    const { start, rest } = startIn(this.line.value, rules, this.#isGcg) ?? { start: null, rest: [] };
    const score = rest.length > 1 && /^\+?\d+$/.test(rest.at(-1)) ? Number(rest.pop()) : null;
    const word = rest.join(" ");
    this.#choices = [];
    if (!start || !word) {
      this.#told = text("noSquare", { text: this.line.value.trim() });
      return this.#changed();
    }
    let read = readings(word, start, this.#board, rules).filter((found) => placements(start, found).length);
    const points = (found) => counted(this.#board, placements(start, found), rules)?.points;
    if (score !== null && read.some((found) => points(found) === score))
      read = read.filter((found) => points(found) === score);
    this.#told = read.length ? "" : text("unread", { text: word, square: written(start, this.#isGcg) });
    if (read.length === 1) this.#take(start, read[0]);
    else this.#choices = read.slice(0, 6).map((found) => [start, found]);
    this.#changed();
  }

  #take(start, word) {
    this.#choices = [];
    this.#start = start;
    this.#tiles = placements(start, word).map(({ face, blank }) => ({ face, blank }));
    this.#changed();
  }

  #changed() {
    this.#draw();
    this.#render();
  }

  #draw() {
    this.#grid.show({ board: this.#board, laid: this.#laid, fresh: this.#fresh, start: this.#start });
  }

  #render() {
    const laid = this.#laid;
    const count = counted(this.#board, laid, rules);
    const where =
      this.#start &&
      make(
        "button",
        {
          class: "quiet turner",
          type: "button",
          "data-key": "turn",
          onclick: () => this.#touch(this.#start),
        },
        `${written(this.#start, this.#isGcg)} ${this.#start.across ? "→" : "↓"}`,
        make("span", { class: "unseen" }, ` ${text(this.#start.across ? "across" : "down")}`),
      );
    const word = count ? spelled(count.words[0].tiles) : spelled(laid);
    const preview = make(
      "p",
      { class: "preview", "aria-live": "polite" },
      laid.length
        ? count
          ? text("counts", { word, points: figure(count.points) })
          : text("noPlay")
        : text("chooseSquare"),
    );
    fill(
      this.panel,
      make("div", { class: "compose-head" }, where, preview),
      this.#choices.length > 0 &&
        make(
          "div",
          { class: "choices", role: "group", "aria-label": text("which") },
          text("which"),
          this.#choices.map(([start, found], place) =>
            make(
              "button",
              { class: "quiet", type: "button", "data-key": `way-${place}`, onclick: () => this.#take(start, found) },
              found.map(({ face, blank }) => (blank ? `(${face})` : face)).join(" "),
            ),
          ),
        ),
      this.#told && make("p", { class: "notice", role: "alert" }, this.#told),
      this.#start && this.#keyboard(),
      laid.length > 0 &&
        make(
          "button",
          {
            class: "big",
            type: "button",
            "data-key": "enter",
            disabled: !count || laid.length < this.#tiles.length,
            onclick: () => this.#enter(),
          },
          text("enter", { word, points: count ? figure(count.points) : "?" }),
        ),
    );
  }

  /** Create the line for typed plays. It is created once, so that it keeps its text and whether it is open. */
  #makeLine() {
    const submit = (event) => {
      event.preventDefault();
      this.#readLine();
    };
    const form = make(
      "form",
      { class: "typed-line", onsubmit: submit },
      make("label", {}, text("line"), this.line),
      make("button", { class: "quiet", "data-key": "read" }, text("read")),
    );
    const gcg = make("input", { type: "checkbox", onchange: (event) => this.#setGcg(event.target.checked) });
    gcg.checked = this.#isGcg;
    return make(
      "section",
      { class: "line-box", "data-key": "line-box" },
      form,
      make("p", { class: "note", id: "line-help" }, text("lineHelp")),
      make("label", { class: "check" }, gcg, text("gcg")),
    );
  }

  #keyboard() {
    const keys = rules.tiles.map(({ face }) =>
      make(
        "button",
        { class: "tile key", type: "button", "data-key": `face-${face}`, onclick: () => this.#add(face) },
        face,
        make("sub", {}, this.#isBlank ? "" : rules.values[face]),
      ),
    );
    return make(
      "div",
      {
        class: `keys${this.#isBlank ? " as-blank" : ""}`,
        role: "group",
        "aria-label": this.#isBlank ? text("blankFor") : text("whichTiles"),
      },
      keys,
      make(
        "button",
        {
          class: "key wide-key",
          type: "button",
          "data-key": "blank",
          "aria-pressed": String(this.#isBlank),
          onclick: () => {
            this.#isBlank = !this.#isBlank;
            this.#render();
          },
        },
        text("blank"),
      ),
      make(
        "button",
        { class: "key wide-key", type: "button", "data-key": "erase", onclick: () => this.#erase() },
        `⌫ ${text("erase")}`,
      ),
      make(
        "button",
        { class: "key wide-key", type: "button", "data-key": "clear", onclick: () => this.clear() },
        text("clear"),
      ),
    );
  }

  #setGcg(isGcg) {
    this.#isGcg = isGcg;
    localStorage.setItem("faristol-gcg", isGcg ? "yes" : "no");
    this.#render();
  }
}

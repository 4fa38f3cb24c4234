// The board that is touched, the tile keyboard, and the line that is typed: they make a play of tiles.

import { about, figure, fill, make, say, text } from "./dom.js";
import { ROWS, SIZE, counted, faceOf, key, nameOf, placements, readings, spelled, startOf, step, written } from "./tiles.js";

const rules = about.rules;

/** A play that is being made. Tells `enter` with the placements, the word and the points. */
export class Composer extends EventTarget {
  #cells = [];
  #board = new Map();
  #fresh = new Set();
  #start = null;
  #tiles = [];
  #isBlank = false;
  #isGcg = localStorage.getItem("faristol-gcg") === "yes";
  #choices = [];
  #told = "";
  /** The number of the act that this play takes the place of; null for a new one. */
  replaced = null;

  constructor() {
    super();
    this.grid = this.#makeGrid();
    this.panel = make("section", { class: "composer", "data-key": "composer", "aria-label": about.acts.PlacePlay });
    this.line = make("input", {
      "data-key": "line", name: "line", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      placeholder: "H8 …", "aria-describedby": "line-help",
    });
    this.lineBox = this.#makeLine();
    this.#render();
  }

  /** Shows a board; what is being made stays. `fresh` are squares whose tiles wait to be sent. */
  show(board, fresh) {
    [this.#board, this.#fresh] = [board, fresh];
    this.#draw();
  }

  /** Takes a play up to be changed. */
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

  /** Where each tile lies that is being laid: along the line, past what lies there. */
  get #laid() {
    const laid = [];
    for (let place = 0; this.#start && laid.length < this.#tiles.length; place++) {
      const { row, column } = step(this.#start, place);
      if (row >= SIZE || column >= SIZE) break;
      if (!this.#board.has(key(row, column))) laid.push({ row, column, ...this.#tiles[laid.length] });
    }
    return laid;
  }

  #makeGrid() {
    const rows = Array.from({ length: SIZE }, (_, row) => {
      const cells = Array.from({ length: SIZE }, (__, column) => {
        const cell = make("button", { class: "cell", role: "gridcell", type: "button", tabindex: row === 7 && column === 7 ? 0 : -1 });
        cell.addEventListener("click", () => this.#touch(row, column));
        this.#cells.push(cell);
        return cell;
      });
      return make("div", { role: "row", class: "line" }, make("span", { class: "edge", "aria-hidden": "true" }, ROWS[row]), cells);
    });
    const edges = Array.from({ length: SIZE }, (_, column) => make("span", { class: "edge" }, column + 1));
    const head = make("div", { class: "line", "aria-hidden": "true" }, make("span", { class: "edge" }), edges);
    const grid = make("div", { class: "grid", role: "grid", "aria-label": text("board") }, head, rows);
    grid.addEventListener("keydown", (event) => this.#typed(event));
    return grid;
  }

  #touch(row, column) {
    const isSame = this.#start && this.#start.row === row && this.#start.column === column;
    if (isSame) this.#start.across = !this.#start.across;
    else this.#start = { row, column, across: this.#start?.across ?? true };
    this.#changed();
  }

  #typed(event) {
    const place = this.#cells.indexOf(document.activeElement);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -SIZE, ArrowDown: SIZE }[event.key];
    if (by) {
      const next = place + by;
      const isInside = next >= 0 && next < SIZE * SIZE && (Math.abs(by) > 1 || Math.floor(next / SIZE) === Math.floor(place / SIZE));
      if (isInside) this.#focus(next);
    } else if (event.key === "Backspace") {
      this.#erase();
    } else if (event.key === "Escape") {
      this.clear();
    } else if (event.key === "Enter" && this.#tiles.length) {
      this.#enter();
    } else if (event.key.length === 1 && event.key !== " ") {
      const face = faceOf(event.key, rules) || rules.tiles.find((tile) => tile.face.startsWith(event.key.toUpperCase()))?.face;
      if (!face) return;
      if (!this.#start) this.#touch(Math.floor(place / SIZE), place % SIZE);
      this.#add(face);
    } else return;
    event.preventDefault();
  }

  #focus(place) {
    for (const cell of this.#cells) cell.tabIndex = -1;
    this.#cells[place].tabIndex = 0;
    this.#cells[place].focus();
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
    if (!laid.length || !this.#start) return;
    const word = count ? spelled(count.words[0].tiles) : spelled(laid);
    const detail = { placements: laid, word, points: count?.points ?? null, at: written(count?.words[0] ?? this.#start), replaced: this.replaced };
    this.clear();
    this.dispatchEvent(new CustomEvent("enter", { detail }));
  }

  /** Reads the typed line: what can mean several things is asked about. */
  #readLine() {
    const [at, ...rest] = this.line.value.trim().split(/\s+/);
    const start = startOf(at ?? "", this.#isGcg);
    const score = rest.length > 1 && /^\+?\d+$/.test(rest.at(-1)) ? Number(rest.pop()) : null;
    const word = rest.join(" ");
    this.#choices = [];
    if (!start || !word) {
      this.#told = text("noSquare", { text: this.line.value.trim() });
      return this.#changed();
    }
    let read = readings(word, start, this.#board, rules).filter((found) => placements(start, found).length);
    const points = (found) => counted(this.#board, placements(start, found), rules)?.points;
    if (score !== null && read.some((found) => points(found) === score)) read = read.filter((found) => points(found) === score);
    this.#told = read.length ? "" : text("unread", { text: word, square: at.toUpperCase() });
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
    const laid = new Map(this.#laid.map((tile) => [key(tile.row, tile.column), tile]));
    for (let row = 0; row < SIZE; row++) {
      for (let column = 0; column < SIZE; column++) this.#drawCell(row, column, laid);
    }
  }

  #drawCell(row, column, laid) {
    const square = key(row, column);
    const cell = this.#cells[square];
    const tile = this.#board.get(square) ?? laid.get(square);
    const [style, title, mark] = about.premiums[rules.marks[row][column]] ?? ["", "", ""];
    const isStart = this.#start?.row === row && this.#start?.column === column;
    const states = [!tile && style, tile && "tile", tile?.blank && "blank", tile?.face.length > 1 && "long",
      laid.has(square) && "ghost", this.#fresh.has(square) && "waits", isStart && !laid.size && "start", isStart && !this.#start.across && "turned"];
    const name = ["cell", ...states].filter(Boolean).join(" ");
    if (cell.className !== name) cell.className = name;
    const value = tile && !tile.blank ? (rules.values[tile.face] ?? "") : "";
    say(cell, tile ? tile.face : square === key(7, 7) ? "★" : mark);
    if (value) cell.append(make("sub", {}, value));
    const what = tile ? (tile.blank ? text("blankAs", { face: tile.face }) : tile.face) : [title, text("empty")].filter(Boolean).join(", ");
    const label = [nameOf(row, column), what, isStart && text(this.#start.across ? "across" : "down")].filter(Boolean).join(", ");
    if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
    cell.setAttribute("aria-selected", String(Boolean(isStart)));
  }

  #render() {
    const laid = this.#laid;
    const count = counted(this.#board, laid, rules);
    const where = this.#start && make("button", {
      class: "quiet turner", type: "button", "data-key": "turn",
      onclick: () => this.#touch(this.#start.row, this.#start.column),
    }, `${written(this.#start, this.#isGcg)} ${this.#start.across ? "→" : "↓"}`, make("span", { class: "unseen" }, ` ${text(this.#start.across ? "across" : "down")}`));
    const word = count ? spelled(count.words[0].tiles) : spelled(laid);
    const preview = make("p", { class: "preview", "aria-live": "polite" },
      laid.length ? (count ? text("counts", { word, points: figure(count.points) }) : text("noPlay")) : text("chooseSquare"));
    fill(this.panel,
      make("div", { class: "compose-head" }, where, preview),
      this.#choices.length > 0 && make("div", { class: "choices", role: "group", "aria-label": text("which") }, text("which"),
        this.#choices.map(([start, found], place) => make("button", { class: "quiet", type: "button", "data-key": `way-${place}`, onclick: () => this.#take(start, found) },
          found.map(({ face, blank }) => (blank ? `(${face})` : face)).join(" ")))),
      this.#told && make("p", { class: "notice", role: "alert" }, this.#told),
      this.#start && this.#keyboard(),
      laid.length > 0 && make("button", { class: "big", type: "button", "data-key": "enter", disabled: laid.length < this.#tiles.length, onclick: () => this.#enter() },
        text("enter", { word, points: count ? figure(count.points) : "?" })));
  }

  /** The line that is typed: made once, so that it keeps what was typed and whether it is open. */
  #makeLine() {
    const submit = (event) => {
      event.preventDefault();
      this.#readLine();
    };
    const form = make("form", { class: "typed-line", onsubmit: submit }, make("label", {}, text("line"), this.line), make("button", { class: "quiet", "data-key": "read" }, text("read")));
    const gcg = make("input", { type: "checkbox", onchange: (event) => this.#setGcg(event.target.checked) });
    gcg.checked = this.#isGcg;
    return make("section", { class: "line-box", "data-key": "line-box" }, form, make("p", { class: "note", id: "line-help" }, text("lineHelp")), make("label", { class: "check" }, gcg, text("gcg")));
  }

  #keyboard() {
    const keys = rules.tiles.map(({ face }) =>
      make("button", { class: "tile key", type: "button", "data-key": `face-${face}`, onclick: () => this.#add(face) }, face, make("sub", {}, this.#isBlank ? "" : rules.values[face])));
    return make("div", { class: `keys${this.#isBlank ? " as-blank" : ""}`, role: "group", "aria-label": this.#isBlank ? text("blankFor") : text("whichTiles") },
      keys,
      make("button", { class: "key wide-key", type: "button", "data-key": "blank", "aria-pressed": String(this.#isBlank), onclick: () => { this.#isBlank = !this.#isBlank; this.#render(); } }, text("blank")),
      make("button", { class: "key wide-key", type: "button", "data-key": "erase", onclick: () => this.#erase() }, `⌫ ${text("erase")}`),
      make("button", { class: "key wide-key", type: "button", "data-key": "clear", onclick: () => this.clear() }, text("clear")));
  }

  #setGcg(isGcg) {
    this.#isGcg = isGcg;
    localStorage.setItem("faristol-gcg", isGcg ? "yes" : "no");
    this.#render();
  }
}

/** The words on a board, each as `[where, word]`, in reading order: what a board says to who does not see it. */
export function wordsOn(board) {
  const words = [];
  for (const across of [true, false]) {
    for (let line = 0; line < SIZE; line++) {
      for (let place = 0; place < SIZE; place++) {
        const tiles = [];
        const at = (number) => board.get(across ? key(line, number) : key(number, line));
        while (place + tiles.length < SIZE && at(place + tiles.length)) tiles.push(at(place + tiles.length));
        const start = across ? { row: line, column: place, across } : { row: place, column: line, across };
        if (tiles.length > 1) words.push([`${nameOf(start.row, start.column)} ${text(across ? "across" : "down")}`, spelled(tiles)]);
        place += tiles.length;
      }
    }
  }
  return words;
}

// A board whose squares can be touched or reached with the keyboard. A screen reader reads out the content of each
// square.

import { about, make, text } from "./dom.js";
import { ROWS, SIZE, key, nameOf, spelled } from "./tiles.js";

const rules = about.rules;
const MIDDLE = 7;

/** A grid of 225 squares. Fires `touch` with `{row, column}`, and `key` with `{row, column, key}` for any other key. */
export class Grid extends EventTarget {
  #cells = [];

  constructor() {
    super();
    const rows = Array.from({ length: SIZE }, (_, row) => this.#makeRow(row));
    const edges = Array.from({ length: SIZE }, (_, column) => make("span", { class: "edge" }, column + 1));
    const head = make("div", { class: "line", "aria-hidden": "true" }, make("span", { class: "edge" }), edges);
    this.element = make("div", { class: "grid", role: "grid", "aria-label": text("board") }, head, rows);
    this.element.addEventListener("keydown", (event) => this.#typed(event));
  }

  /** Draw `board`, the tiles of a play in preparation, and the start of a play (`{row, column, across}` or null). */
  show({ board, laid, fresh, start }) {
    const own = new Map(laid.map((tile) => [key(tile.row, tile.column), tile]));
    for (const [square, cell] of this.#cells.entries()) {
      const tile = board.get(square) ?? own.get(square);
      const isStart = Boolean(start) && key(start.row, start.column) === square;
      const way = isStart ? (start.across ? "across" : "down") : "";
      this.#draw(cell, square, tile, { isGhost: own.has(square), waits: fresh.has(square), way, isBare: !laid.length });
    }
  }

  #makeRow(row) {
    const cells = Array.from({ length: SIZE }, (_, column) => {
      const tabindex = row === MIDDLE && column === MIDDLE ? 0 : -1;
      const label = nameOf(row, column); // until it is drawn
      const cell = make("button", { class: "cell", role: "gridcell", type: "button", tabindex, "aria-label": label });
      cell.addEventListener("click", () => this.#tell("touch", { row, column }));
      this.#cells.push(cell);
      return cell;
    });
    const edge = make("span", { class: "edge", "aria-hidden": "true" }, ROWS[row]);
    return make("div", { role: "row", class: "line" }, edge, cells);
  }

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  #typed(event) {
    const place = this.#cells.indexOf(document.activeElement);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, column] = [Math.floor(place / SIZE), place % SIZE];
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (by) this.#focus(row + by[0], column + by[1]);
    else if (event.key === "Backspace" || event.key === "Escape" || event.key === "Enter" || event.key.length === 1) {
      if (event.key === " ") return; // it fires a click on the square
      const detail = { row, column, key: event.key, taken: true };
      this.#tell("key", detail);
      if (!detail.taken) return;
    } else return;
    event.preventDefault();
  }

  #focus(row, column) {
    if (row < 0 || column < 0 || row >= SIZE || column >= SIZE) return;
    for (const cell of this.#cells) cell.tabIndex = -1;
    const cell = this.#cells[key(row, column)];
    cell.tabIndex = 0;
    cell.focus();
  }

  #draw(cell, square, tile, { isGhost, waits, way, isBare }) {
    const [row, column] = [Math.floor(square / SIZE), square % SIZE];
    const [style, title, mark] = about.premiums[rules.marks[row][column]] ?? ["", "", ""];
    const states = [
      tile ? "tile" : style,
      tile?.blank && "blank",
      tile?.face.length > 1 && "long",
      isGhost && "ghost",
      waits && "waits",
      way && isBare && "start",
      way === "down" && "turned",
    ];
    const name = ["cell", ...states].filter(Boolean).join(" ");
    if (cell.className !== name) cell.className = name;
    const value = tile && !tile.blank ? (rules.values[tile.face] ?? "") : "";
    const drawn = tile ? value : square === key(MIDDLE, MIDDLE) ? "★" : mark;
    // CSS draws the mark of a square and the value of a tile; their label has them as text.
    if (cell.textContent !== (tile?.face ?? "")) cell.textContent = tile?.face ?? "";
    if (cell.dataset.mark !== `${drawn}`) cell.dataset.mark = drawn;
    const lies = tile ? (tile.blank ? text("blankAs", { face: tile.face }) : tile.face) : "";
    const what = lies || [title, text("empty")].filter(Boolean).join(", ");
    const label = [nameOf(row, column), what, way && text(way)].filter(Boolean).join(", ");
    if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
    cell.setAttribute("aria-selected", String(Boolean(way)));
  }
}

/** Return the words on a board in reading order, each as `[start, word]`, for screen readers. */
export function wordsOn(board) {
  const words = [];
  for (const across of [true, false]) {
    for (let line = 0; line < SIZE; line++) {
      for (let place = 0; place < SIZE; place++) {
        const tiles = [];
        const at = (number) => board.get(across ? key(line, number) : key(number, line));
        while (place + tiles.length < SIZE && at(place + tiles.length)) tiles.push(at(place + tiles.length));
        const start = across ? { row: line, column: place, across } : { row: place, column: line, across };
        if (tiles.length > 1)
          words.push([`${nameOf(start.row, start.column)} ${text(across ? "across" : "down")}`, spelled(tiles)]);
        place += tiles.length;
      }
    }
  }
  return words;
}

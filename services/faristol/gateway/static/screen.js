// Turns the pages of a hall screen. A list flows in columns as wide as the screen, and further pages are to the right
// of it: a page is turned by scrolling. Nothing is added to the page however long it is open.
//
// The choices of this script are attributes of the body, outside the part that is replaced after news: the visible
// section, the size of the type, the number of columns. So news never shows a second section.

const PAGE_SECONDS = 9; // for each page
const LARGE = [1.8, 1.6, 1.4, 1.2]; // sizes of the type, in em of the screen, if everything fits one page
const NORMAL = [1, 0.9, 0.8]; // if it does not
const MAX_PAGES = 6; // with more pages the type is smaller, so that each name appears once a minute
const COLUMNS = [2, 1];
const NARROW = matchMedia("(max-width: 60rem)");
const ROUNDING_PX = 0.1;
const ROUNDING = 0.1; // of a page

// The rule that shows the section is in a style sheet of its own: the elements of the page have no mark of it.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

let section = 0;
let page = 0;

function sections() {
  return [...document.querySelectorAll("[data-turning]")].filter((each) => !each.hidden);
}

function pagesOf(list) {
  const width = list.clientWidth + gap(list);
  return Math.max(1, Math.ceil((list.scrollWidth + gap(list)) / Math.max(1, width) - ROUNDING));
}

function gap(list) {
  return parseFloat(getComputedStyle(list).columnGap) || 0;
}

// --- the size of the type --------------------------------------------------------------------------------------

function set(size, columns, isWrapped) {
  const { style } = document.body;
  const values = { "--list-size": `${size}em`, "--list-columns": String(columns) };
  for (const [name, value] of Object.entries(values)) if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
  document.body.classList.toggle("wrapped", isWrapped);
}

/** Return the width of the widest word of a name, in px. */
function measureWidestWord(name, range) {
  let widest = 0;
  const texts = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/\S+/g)) {
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      widest = Math.max(widest, range.getBoundingClientRect().width);
    }
  }
  return widest;
}

/**
 * Return the width of the widest row, the same with names that break between words, and the height of a row, in px,
 * with each row on one line at the normal size.
 */
function measure(list) {
  set(1, 1, false);
  const range = document.createRange();
  let [width, wrappedWidth, height] = [0, 0, 1];
  for (const row of list.children) {
    const name = row.querySelector(".name");
    const place = row.getBoundingClientRect();
    range.selectNodeContents(name);
    const others = row.lastElementChild.getBoundingClientRect().right - place.left - name.getBoundingClientRect().width;
    width = Math.max(width, others + range.getBoundingClientRect().width);
    wrappedWidth = Math.max(wrappedWidth, others + measureWidestWord(name, range));
    height = Math.max(height, place.height);
  }
  return { width: width + ROUNDING_PX, wrappedWidth: wrappedWidth + ROUNDING_PX, height };
}

/**
 * Choose the type: the largest with which every row has one line and all fit one page; otherwise the largest with which
 * they fit one page if names break between words; otherwise one with few pages. The layout of hundreds of rows is slow,
 * so as much as possible is computed from one layout.
 */
function choose(list) {
  const { width, wrappedWidth, height } = measure(list);
  const rows = list.children.length;
  const room = (columns) => (list.clientWidth - (columns - 1) * gap(list)) / columns;
  const isOnOneLine = (size, columns) => width * size <= room(columns);
  const hasWholeWords = (size, columns) => wrappedWidth * size <= room(columns);
  const pages = (size, columns) => Math.ceil(rows / Math.max(1, Math.floor(list.clientHeight / (height * size))) / columns);
  const normal = NARROW.matches ? 1 : COLUMNS[0];
  if (!NARROW.matches && pages(1, normal) === 1) {
    for (const isWrapped of [false, true]) {
      for (const size of LARGE) {
        for (const columns of COLUMNS) {
          if (pages(size, columns) > 1 || !(isWrapped ? hasWholeWords : isOnOneLine)(size, columns)) continue;
          set(size, columns, isWrapped);
          if (pagesOf(list) === 1) return [size, columns, isWrapped];
        }
      }
    }
  }
  const smallest = NORMAL.at(-1);
  for (const size of NORMAL) {
    const isEnough = pages(size, normal) <= MAX_PAGES || size === smallest;
    if (isEnough && isOnOneLine(size, normal)) return [size, normal, false];
  }
  return [pages(1, normal) <= MAX_PAGES ? 1 : smallest, normal, true];
}

const chosen = new Map(); // by section, until its rows or the window change

function fit(id, list) {
  if (!chosen.has(id)) chosen.set(id, choose(list));
  set(...chosen.get(id));
}

// --- the page in sight -------------------------------------------------------------------------------------------

function show() {
  const every = sections();
  section = Math.min(section, Math.max(0, every.length - 1));
  const shown = every[section];
  const id = shown?.dataset.turning ?? "";
  if (document.body.dataset.shown !== id) {
    document.body.dataset.shown = id;
    sheet.replaceSync(id ? `.screen.turns [data-turning="${CSS.escape(id)}"]:not([hidden]) { display: flex; }` : "");
  }
  let text = "";
  if (shown) {
    const list = shown.querySelector("[data-pages]");
    if (list) {
      fit(id, list);
      const total = pagesOf(list);
      page = Math.min(page, total - 1);
      list.scrollLeft = page * (list.clientWidth + gap(list));
      if (total > 1) text = `${page + 1} / ${total}`;
    }
  }
  const number = document.getElementById("page-number");
  if (number && number.textContent !== text) number.textContent = text;
}

function layOut() {
  chosen.clear();
  show();
}

function turn() {
  const every = sections();
  if (every.length) {
    const list = every[Math.min(section, every.length - 1)].querySelector("[data-pages]");
    page += 1;
    if (!list || page >= pagesOf(list)) {
      page = 0;
      section = (section + 1) % every.length;
    }
  }
  show();
}

/**
 * Return whether a page in a frame may keep the screen on: without permission, a request would log an error in the
 * console of the outer page.
 */
function mayStayAwake() {
  return document.featurePolicy?.allowsFeature("screen-wake-lock") ?? window.top === window;
}

async function stayAwake() {
  if (document.hidden || !("wakeLock" in navigator) || !mayStayAwake()) return;
  try {
    await navigator.wakeLock.request("screen");
  } catch {
    // the battery is low, or it is not permitted: the settings of the machine apply
  }
}

/** Lay out lists again after news, before the browser paints them. Clocks are outside of the lists. */
const changes = new MutationObserver((records) => {
  const elements = records.map(({ target }) => (target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement));
  if (elements.some((element) => element?.closest("[data-turning]") || element?.id === "live")) layOut();
});

document.body.classList.add("turns");
show();

function wait() {
  const seconds = Number(document.querySelector("[data-seconds]")?.dataset.seconds) || PAGE_SECONDS;
  setTimeout(() => (turn(), wait()), 1000 * seconds);
}

wait();
changes.observe(document.getElementById("live"), { childList: true, subtree: true, characterData: true, attributeFilter: ["hidden"] });
addEventListener("resize", layOut);
document.addEventListener("visibilitychange", stayAwake);
document.fonts?.ready.then(layOut);
stayAwake();

// Turns the pages of a hall screen. A list flows in columns as wide as the screen, and the pages that do not fit lie to
// the right of it: a page is turned by scrolling there. Nothing is added to the page however long it stands.

const SECONDS = 9; // for a page
let section = 0;
let page = 0;

function sections() {
  return [...document.querySelectorAll("[data-turning]")].filter((each) => !each.hidden);
}

function pagesOf(list) {
  return Math.max(1, Math.round(list.scrollWidth / Math.max(1, list.clientWidth)));
}

function show() {
  const every = sections();
  section = Math.min(section, Math.max(0, every.length - 1));
  let number = 0;
  let total = 0;
  for (const [place, each] of every.entries()) {
    each.classList.toggle("turned", place !== section);
    if (place === section) {
      const list = each.querySelector("[data-pages]");
      total = pagesOf(list);
      page = Math.min(page, total - 1);
      number = page + 1;
      list.scrollLeft = page * list.clientWidth;
    }
  }
  const told = document.getElementById("page-number");
  const text = total > 1 ? `${number} / ${total}` : "";
  if (told && told.textContent !== text) told.textContent = text;
}

function turn() {
  const every = sections();
  if (every.length) {
    const list = every[Math.min(section, every.length - 1)].querySelector("[data-pages]");
    page += 1;
    if (page >= pagesOf(list)) {
      page = 0;
      section = (section + 1) % every.length;
    }
  }
  show();
}

async function stayAwake() {
  if (document.hidden || !("wakeLock" in navigator)) return;
  try {
    await navigator.wakeLock.request("screen");
  } catch {
    // the battery is low, or it is not allowed: the machine has its own setting
  }
}

document.body.classList.add("turns");
show();
setInterval(turn, 1000 * SECONDS);
addEventListener("resize", show);
document.addEventListener("visibilitychange", stayAwake);
document.fonts?.ready.then(show);
stayAwake();

// The bar on each page of a hall's own cell: whether it is connected to the championship, since when not, and what is
// not sent yet. It is asked for again and again, since no event tells that the line is down.

const INTERVAL_MS = 5_000;

const bar = document.getElementById("hall-bar");

async function show() {
  if (document.hidden) return;
  let state;
  try {
    const answer = await fetch(bar.dataset.address, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    state = await answer.json();
  } catch {
    return; // the laptop itself is not reachable: the page shows that elsewhere
  }
  bar.dataset.state = state.state;
  write("hall-line", state.line);
  write("hall-unsent", state.unsent);
  write("hall-lost", state.lost);
  const link = document.getElementById("hall-championship");
  link.hidden = state.state !== "connected" || !state.championship;
  if (!link.hidden) link.href = state.championship.replace(/\/$/, "") + location.pathname;
}

/** Write a text only if it has changed, since a changed status is read out. */
function write(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}

show();
setInterval(show, INTERVAL_MS);
document.addEventListener("visibilitychange", show);

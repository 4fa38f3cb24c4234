// Shows the code of a hall screen until a tournament names it. The token is kept in the storage of the browser, too: if
// the cookie is lost, the screen keeps its code.

import { report, restoreToken } from "./screen-token.js";

const POLL_MS = 4000;

async function poll() {
  try {
    const { tournament_id: tournament } = await report("");
    if (tournament) location.reload();
  } catch {
    // the network is unavailable: the code stays
  }
}

const { token } = document.querySelector("[data-token]").dataset;
if (await restoreToken(token)) location.reload();
else setInterval(poll, POLL_MS);

// Reports the shown part of a programme every half minute, and when it changes. A screen that was removed, or named by
// another tournament, loads its page again.

import { report, restoreToken } from "./screen-token.js";

const REPORT_MS = 30000;
const { tournament } = document.getElementById("live").dataset;
let last = "";

async function send() {
  const id = document.body.dataset.shown ?? "";
  last = id;
  const interruption = document.querySelector(".interruption:not([hidden])");
  try {
    const answer = await report(interruption ? "messages" : id.replace(/-\d+$/, ""));
    if (answer.tournament_id !== tournament) location.reload();
  } catch {
    // the network is unavailable: the programme stays
  }
}

await restoreToken(document.querySelector("[data-token]").dataset.token);
setInterval(send, REPORT_MS);
setInterval(() => document.body.dataset.shown !== last && send(), REPORT_MS / 10);
send();

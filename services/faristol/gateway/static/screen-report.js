// Reports the shown part of a programme every half minute, and when it changes. A screen that was removed, or named by
// another tournament, loads its page again.

import { report, restoreToken } from "./screen-token.js";

const REPORT_MS = 30000;
const { tournament } = document.getElementById("live").dataset;
let last = "";

/** Return the kind of the shown part: that of an interruption, if there is one. */
function shown() {
  if (document.querySelector(".interruption:not([hidden])")) return "messages";
  return (document.body.dataset.shown ?? "").replace(/-\d+$/, "");
}

async function send() {
  last = shown();
  try {
    const answer = await report(last);
    if (answer.tournament_id !== tournament) location.reload();
  } catch {
    // the network is unavailable: the programme stays
  }
}

await restoreToken(document.querySelector("[data-token]").dataset.token);
setInterval(send, REPORT_MS);
setInterval(() => shown() !== last && send(), REPORT_MS / 10);
send();

// The identity of a hall screen: a token in a cookie and in the storage of the browser. Only this browser knows it.

const KEY = "faristol-screen";
const TIMEOUT_MS = 20000;

/** Report the shown content. Return the answer of the server; throw if the network is unavailable. */
export async function report(showing) {
  const body = new URLSearchParams({ token: localStorage.getItem(KEY) ?? "", showing });
  const answer = await fetch("/screen", { method: "POST", body, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new TypeError(`status ${answer.status}`);
  return answer.json();
}

/**
 * Store a token of the server. If the browser has an earlier one, send that to the server, which renews the cookie, and
 * return whether the page is to be reloaded.
 */
export async function restoreToken(token) {
  const known = localStorage.getItem(KEY);
  if (known === token) return false;
  if (!known) {
    localStorage.setItem(KEY, token);
    return false;
  }
  try {
    await report("");
    return true;
  } catch (problem) {
    if (!/status 400/.test(problem.message)) return false;
    localStorage.setItem(KEY, token); // the stored token is malformed
    return false;
  }
}

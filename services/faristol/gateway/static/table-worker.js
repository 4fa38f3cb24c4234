// Stores the pages of tables, of slips and of a player's day on a device in their last state, so that they can be opened without a
// network. The pages store acts themselves.

const NAME = "faristol-tables";
const PAGE = /^\/(games\/[^/]+\/(keep|clock)|duplicate\/[^/]+\/slip|tournaments\/[^/]+\/(here|my-table))$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  const isOurs =
    address.origin === location.origin && (PAGE.test(address.pathname) || address.pathname.startsWith("/static/"));
  if (event.request.method === "GET" && isOurs) event.respondWith(answered(event.request, address));
});

/** Return the answer of the network, or the stored one if there is none. Only successful answers are stored. */
async function answered(request, address) {
  const kept = await caches.open(NAME);
  const key = address.origin + address.pathname;
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected) await kept.put(key, answer.clone());
    return answer;
  } catch (problem) {
    const known = await kept.match(key);
    if (known) return known;
    throw problem;
  }
}

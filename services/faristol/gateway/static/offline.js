// Lets a page of a table, or of a slip, open without a network.

const NAME = "faristol-tables";

/** Registers the worker and keeps this page with its scripts. Does nothing where a browser or an address has no workers. */
export async function keepOffline() {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  try {
    await navigator.serviceWorker.register("/static/table-worker.js", { scope: location.pathname });
    const kept = await caches.open(NAME);
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    const own = loaded.filter((name) => new URL(name).pathname.startsWith("/static/"));
    await Promise.all([...new Set([location.href.split("#")[0], ...own])].map((address) => keep(kept, address)));
    document.documentElement.dataset.kept = "yes"; // from now on it opens without a network
  } catch (problem) {
    console.info(`not kept for opening without a network: ${problem.message}`);
  }
}

async function keep(kept, address) {
  const answer = await fetch(address);
  const { origin, pathname } = new URL(address);
  if (answer.ok && !answer.redirected) await kept.put(origin + pathname, answer);
}

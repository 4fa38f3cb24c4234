// Makes the page of a table, or of a slip, available without a network.

const NAME = "faristol-tables";

/**
 * Register the worker and store this page with its scripts. Does nothing if the browser or the address does not support
 * workers.
 */
export async function keepOffline() {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  try {
    await navigator.serviceWorker.register("/static/table-worker.js", { scope: location.pathname });
    const kept = await caches.open(NAME);
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    const own = loaded.filter((name) => new URL(name).pathname.startsWith("/static/"));
    await Promise.all([...new Set([location.href.split("#")[0], ...own])].map((address) => keep(kept, address)));
    document.documentElement.dataset.kept = "yes"; // the page is available without a network from now on
  } catch (problem) {
    console.info(`not kept for opening without a network: ${problem.message}`);
  }
}

async function keep(kept, address) {
  const answer = await fetch(address);
  const { origin, pathname } = new URL(address);
  if (answer.ok && !answer.redirected) await kept.put(origin + pathname, answer);
}

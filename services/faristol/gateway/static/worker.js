// Keeps the page with one's own table at hand where the network of a hall is away, and leads from a notification to it.

const KEPT = "find-1";
const MOST = 40; // answers that are kept

async function keep(request, answer) {
  const cache = await caches.open(KEPT);
  await cache.put(request, answer);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST)).map((key) => cache.delete(key)));
}

async function answered(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok) await keep(request, answer.clone()).catch(() => {}); // the device is full
    return answer;
  } catch (problem) {
    const known = await caches.match(request, { ignoreVary: true });
    if (known) return known;
    throw problem;
  }
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  const own = /^\/tournaments\/[^/]+\/find$/.test(pathname) && !searchParams.has("part");
  if (event.request.method === "GET" && (own || pathname.startsWith("/static/"))) event.respondWith(answered(event.request));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data || "/", self.location.origin).href;
  const show = async () => {
    const open = await self.clients.matchAll({ type: "window" });
    const there = open.find((client) => client.url.split("?")[0] === address);
    return there ? there.focus() : self.clients.openWindow(address);
  };
  event.waitUntil(show());
});

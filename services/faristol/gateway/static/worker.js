// Stores visited public pages, so that they can be opened without the network of a hall, and opens the page of a
// notification. Pages of a signed-in user are never stored; their headers say so.

const PAGES = "pages-1";
const FILES = "files-1";
const MOST = { [PAGES]: 60, [FILES]: 120 };
const PUBLIC = [
  /^\/$/,
  /^\/tournaments\/[^/]+(\/(crosstable|duplicate|files|find|players|prizes|prospects|rulings|screen|stages|teams))?$/,
  /^\/tournaments\/[^/]+\/((embed|standings|teams)\/[^/]+|round\/[^/]+)$/,
  /^\/games\/[^/]+(\/replay)?$/,
  /^\/players\/[^/]+$/,
  /^\/duplicate\/[^/]+(\/(screen|players\/[^/]+))?$/,
  /^\/(screen|search|privacy|help)$/,
  /^\/help\/[^/]+$/,
];

function cacheOf({ method, url }) {
  const { origin, pathname, searchParams } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin || searchParams.has("part")) return "";
  if (pathname.startsWith("/static/")) return FILES;
  return PUBLIC.some((each) => each.test(pathname)) ? PAGES : "";
}

async function keep(name, request, answer) {
  const isPrivate = /no-store|private/.test(answer.headers.get("cache-control") ?? "");
  if (!answer.ok || answer.redirected || isPrivate) return;
  const cache = await caches.open(name);
  await cache.delete(request, { ignoreVary: true }); // the newest is last
  await cache.put(request, answer);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST[name])).map((key) => cache.delete(key)));
}

async function answered(name, request) {
  try {
    const answer = await fetch(request);
    keep(name, request, answer.clone()).catch(() => {}); // the storage is full
    return answer;
  } catch (problem) {
    const cache = await caches.open(name);
    const known = await cache.match(request, { ignoreVary: true });
    if (known) return known;
    throw problem;
  }
}

/** Store a page that was opened before this worker was active, with its files. */
async function keepOpen(addresses) {
  for (const address of addresses) {
    const request = new Request(address);
    const name = cacheOf(request);
    if (name) await fetch(request).then((answer) => keep(name, request, answer)).catch(() => {});
  }
}

async function begin() {
  const old = (await caches.keys()).filter((name) => name.startsWith("find-"));
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("fetch", (event) => {
  const name = cacheOf(event.request);
  if (name) event.respondWith(answered(name, event.request));
});
self.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keepOpen(event.data.keep));
});
// A notification of the server, encrypted for this browser: see push.js. A browser that shows none for a message would
// lose its subscription, so one without content is announced by the name of the site.
self.addEventListener("push", (event) => {
  let told = {};
  try {
    told = event.data.json();
  } catch {
    // without content
  }
  const { title = "Faristol", body = "", url = "/", tag, lang } = told;
  const shown = { body, tag, lang, data: url, icon: "/static/icon-192.png" };
  event.waitUntil(self.registration.showNotification(title, shown));
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

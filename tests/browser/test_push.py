"""Notifications in a real service worker: the message of the server is shown, and opens its page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from playwright.async_api import Browser, Page
from tests.support.push_services import PushBrowser, encode_base64
from tests.support.stage import Stage
from tests.support.synthetic import Championship

from faristol.web_push import subscriptions
from faristol.web_push.subscriptions import Follow, id_of

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

RECORD = """() => {
  self.shown = [];
  const show = async (title, { body, tag, data }) => self.shown.push({ title, body, tag, data });
  self.registration.showNotification = show;
}"""
"""The headless shell permits no notification: the worker has a list instead of the screen of the phone."""


VENDOR = """(key) => {
  let made = null;
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  PushManager.prototype.getSubscription = async () => made;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => (made = {
    endpoint: "https://push.example/of-this-test",
    options: { applicationServerKey: applicationServerKey.buffer },
    getKey: (name) => bytes(name === "auth" ? "AAECAwQFBgcICQoLDA0ODw" : key).buffer,
    unsubscribe: async () => (made = null),
  });
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  Notification.requestPermission = async () => "granted";
}"""
"""The headless shell has no push service of a vendor: the browser subscribes at an address of ours."""


async def registration_of(page: Page) -> tuple[Any, str]:
    """Return the session with the service worker of a page, and the id of its registration."""
    session = await page.context.new_cdp_session(page)
    found = asyncio.get_running_loop().create_future()

    def note(told: Any) -> None:
        for each in told["registrations"]:
            if not each["isDeleted"] and not found.done():
                found.set_result(each["registrationId"])

    session.on("ServiceWorker.workerRegistrationUpdated", note)
    await session.send("ServiceWorker.enable")
    async with asyncio.timeout(30):
        return session, await found


async def test_a_message_is_shown_with_its_page_and_one_without_content_by_the_name_of_the_site(
    browser: Browser, stage: Stage
) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    address = stage.running.http_address
    context = await browser.new_context(base_url=address, locale="en")
    page = await context.new_page()
    await page.goto("/tournaments/lliga")
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session, registration = await registration_of(page)
    (worker,) = context.service_workers
    await worker.evaluate(RECORD)

    async def deliver(data: str) -> None:
        told = {"origin": address, "registrationId": registration, "data": data}
        await session.send("ServiceWorker.deliverPushMessage", told)

    async def wait_for(count: int) -> Any:
        async with asyncio.timeout(30):
            while True:
                found = await worker.evaluate("() => self.shown")
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.1)

    content = {"title": "Lliga", "body": "Lunch is served", "url": "/tournaments/lliga", "tag": "lliga-7"}
    await deliver(json.dumps(content))
    (shown,) = await wait_for(1)
    assert shown == {"title": "Lliga", "body": "Lunch is served", "tag": "lliga-7", "data": "/tournaments/lliga"}
    await deliver("no JSON")
    assert [each["title"] for each in await wait_for(2)] == ["Lliga", "Faristol"]
    await context.close()


async def test_a_spectator_follows_the_messages_of_a_tournament_by_one_button_and_stops(
    browser: Browser, stage: Stage
) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    context = await browser.new_context(base_url=stage.running.http_address, locale="ca")
    await context.add_init_script(f"({VENDOR})({json.dumps(encode_base64(PushBrowser().point))})")
    page = await context.new_page()
    await page.goto("/tournaments/lliga")
    await page.get_by_role("button", name="Notifica’m els missatges").click()
    stop = page.get_by_role("button", name="No em notifiquis més els missatges")
    await stop.wait_for(timeout=30_000)
    endpoint = "https://push.example/of-this-test"

    async def list_follows() -> list[Follow]:
        async with stage.record.reading() as connection:
            return await subscriptions.list_follows(connection, id_of(endpoint))

    assert await list_follows() == [Follow("lliga", "messages")]
    async with stage.record.reading() as connection:
        stored = (await subscriptions.load(connection, [id_of(endpoint)]))[id_of(endpoint)]
    assert stored.language == "ca"
    await stop.click()
    await page.get_by_role("button", name="Notifica’m els missatges").wait_for(timeout=30_000)
    assert await list_follows() == []
    await context.close()

"""Pages in a frame of another site, as an organiser's own page shows them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Frame

SIZES = ((300, 400), (420, 560), (900, 640))
"""Widths and heights of frames, in CSS pixels: the column of a blog, that of a phone, the whole of a page."""

EMBEDS = ("standings", "pairings", "screen")
"""The paths of a tournament below ``/tournaments/ID/embed/…``."""

FAULTS = """() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) found.push(`wider than the frame: ${root.scrollWidth} for ${innerWidth}`);
  if (document.body.innerText.trim().length < 20) found.push("empty");
  const base = document.querySelector("base")?.target;
  for (const link of document.querySelectorAll("a[href]"))
    if ((link.target || base) !== "_blank") found.push(`leads away within the frame: ${link.getAttribute("href")}`);
  if (document.cookie) found.push(`a cookie: ${document.cookie}`);
  return found;
}"""
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"


@asynccontextmanager
async def open_frame(
    browser: Browser, address: str, size: tuple[int, int] = SIZES[1], *, refused: bool = False
) -> AsyncIterator[Frame]:
    """Yield a frame with an address of the gateway, in a page of another origin.

    The console must have no errors, except the reason if the page is ``refused``.
    """
    async with _framing(browser, {address: size}, refused=refused) as frames:
        yield frames[-1]


@asynccontextmanager
async def _framing(
    browser: Browser, sizes: Mapping[str, tuple[int, int]], *, refused: bool = False
) -> AsyncIterator[list[Frame]]:
    """Yield frames with addresses of the gateway in one page of another origin, in order; see ``open_frame``."""
    frame = "".join(
        f'<iframe src="{address}" width="{width}" height="{height}"></iframe>'
        for address, (width, height) in sizes.items()
    )
    body = f'<!doctype html><link rel="icon" href="data:,">{frame}'

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        length = f"Content-Length: {len(body)}"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{length}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
        writer.close()

    other = await asyncio.start_server(answer, "127.0.0.1", 0)  # another port is another origin
    # Each frame is within the window: frames outside of it are not drawn.
    context = await browser.new_context(
        locale="en", viewport={"width": 960, "height": 100 + sum(height for _, height in sizes.values())}
    )
    page = await context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    try:
        await page.goto(f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}/")
        yield page.frames[1:]
    finally:
        await context.close()
        other.close()
    assert bool(said) == refused, (sizes, said)


async def check_framed(browser: Browser, address: str) -> None:
    """Look at an embedded page in frames of each size, and in both themes."""
    colours = {}
    themes = ("light", "dark", "auto")
    sizes = {f"{address}?theme={theme}": size for theme, size in zip(themes, SIZES, strict=True)}
    async with _framing(browser, sizes) as frames:
        for frame, theme in zip(frames, themes, strict=True):
            assert frame.url.endswith(f"?theme={theme}")
            assert await frame.evaluate(FAULTS) == [], frame.url
            colours[theme] = await frame.evaluate(BACKGROUND)
    assert colours["light"] != colours["dark"], address

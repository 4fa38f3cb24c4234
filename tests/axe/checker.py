"""Run axe-core in a page of the browser, and return its accessibility violations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from playwright.async_api import Page

SCRIPT = Path(__file__).parents[2] / "var" / "axe" / "node_modules" / "axe-core" / "axe.min.js"

RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .flatMap((found) => found.nodes.map((node) => `${found.id} (${found.impact}): ${node.html.slice(0, 160)}`))"""


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


async def serious(page: Page) -> Sequence[str]:
    """Return the serious or critical violations that axe-core finds on a page as it is shown; skip if it is not
    installed.
    """
    if not SCRIPT.exists():
        pytest.skip("axe-core is not installed: `make axe` does it")
    await page.evaluate(_script())
    found: Sequence[str] = await page.evaluate(RUN)
    return found

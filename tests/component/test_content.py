"""A stream with content over a whole demonstration: folded, it equals fresh answers, for every audience."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.component.gateway.live.test_broadcaster import until, watching
from tests.component.processes import Child, free_port
from tests.component.test_demonstration import lexicon_folder
from tests.support.content_fold import Folded
from tests.support.plain_http import PLAIN
from tests.support.watcher import Watcher

__all__ = ["lexicon_folder"]

AUDIENCES = ("", "&rounds=1", "&rounds=2", "&tables=1", "&tournaments=demo", "&tournaments=demo&rounds=2&tables=2")
DEMO_TIMEOUT_SECONDS = 240.0


@pytest.mark.nightly
@pytest.mark.parametrize(("book", "players", "rounds"), [("uf-2007", 6, 2), ("festa-major", 6, 1), ("pes-2024", 4, 1)])
async def test_folded_frames_equal_a_fresh_read_of_a_whole_demonstration(
    book: str, players: int, rounds: int, lexicon_folder: Path, tmp_path: Path
) -> None:
    port = free_port()
    plan = ["demo", "--ruleset", book, "--players", str(players), "--rounds", str(rounds), "--seed", "3"]
    demonstration = Child([*plan, "--http", str(port), "--serve"], {"lexicons": lexicon_folder}, tmp_path / "demo.log")
    watchers = [Watcher(port, f"/api/v1/stream?include=content{more}") for more in AUDIENCES[:4]]
    try:
        async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            async with watching(*watchers):
                everything = watchers[0]
                await until(
                    lambda: any(each["type"] == "RatingListPublished" for each in everything.data[-50:]),
                    DEMO_TIMEOUT_SECONDS,
                )
                (held,) = (await http.get("/api/v1/tournaments")).json()["tournaments"]
                of = held["tournament_id"]
                late = [
                    Watcher(port, f"/api/v1/stream?include=content{more.replace('demo', of)}") for more in AUDIENCES
                ]
                async with watching(*late):
                    every = [*watchers, *late]
                    last = everything.told[-1]
                    await until(lambda: min(each.position for each in every) >= last, 60)
            fresh: dict[Any, Any] = {}
            for watcher in every:
                fold = Folded()
                for start in range(0, len(watcher.data), 60):
                    await fold.take(watcher.data[start : start + 60], http, fresh)
                    assert await fold.differs(http, fresh) == []
                assert fold.fetched == 0
            whole = Folded()
            await whole.take(everything.data, http, fresh)
            games = {
                table["game_id"]
                for (kind, *_), answer in whole.answers.items()
                if kind == "pairings"
                for table in answer["tables"]
            }
            assert {of for kind, of, _ in whole.answers if kind == "game"} == games
            kinds = [kind for kind, _, _ in whole.answers]
            assert (kinds.count("pairings"), kinds.count("standings")) == (rounds, 1)
    finally:
        await asyncio.to_thread(demonstration.kill)

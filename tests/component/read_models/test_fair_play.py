"""The results service analyses finished games for officials, and no public page leads there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from tests.support.consumers import RESULTS
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import TOURNAMENT, Championship, Step, Table

from faristol.kernel.errors import NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import fair_play_pb2 as pb
from faristol.read_models.api.queries.fair_play import FairPlay
from faristol.read_models.storage.models import ReadModels
from faristol.rules.tiles import load_tile_set
from faristol.words.header import About
from faristol.words.library import Library

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORDS = [("C", "A", "S", "A"), ("C", "A", "S"), ("S", "A", "C"), ("A", "L", "A"), ("C", "A", "S", "A", "L")]
ABOUT = About("catalan", "for the tests", "CC0-1.0", "written for the tests", date(2026, 3, 2))
FINISHED, RUNNING, UNREADABLE = f"{TOURNAMENT}-r1-t1", f"{TOURNAMENT}-r2-t1", f"{TOURNAMENT}-r1-t2"
CONTEXT: Any = None
"""The queries use no context."""


class FairPlayQueries(NamedTuple):
    """A stage with a championship, and its queries on fair play."""

    stage: Stage
    fair_play: FairPlay


def deal(steps: Iterator[Step], first: str, second: str) -> Iterator[Step]:
    """Replace the first racks of a table."""
    racks = {2: first.split(), 3: second.split()}
    for step in steps:
        for events in step.values():
            for event in events:
                if isinstance(event, game.TilesDrawn) and event.draw in racks:
                    event.faces[:] = racks[event.draw]
        yield step


def play(championship: Championship) -> Iterator[Step]:
    """Yield a round of two games, one with an unknown lexicon, and a running game of the next round."""
    unknown = game.Pin(name="catalan", digest="c" * 64)
    first, second = championship.table(1, 1, "anna", "biel"), championship.table(1, 2, "carme", "dolors")
    yield from championship.create()
    yield from championship.pair(1, [first.players, second.players], "eloi")
    yield from championship.begin(1)
    for table, lexicon in ((first, championship.lexicon), (second, unknown)):
        yield from deal(table.open(championship.ruleset, lexicon), "C A S A R T I", "M E N T S O L")
        yield from table.play("H8", "C A S", 8)
        yield from finish(table)
    yield from championship.close(1)
    next_table = championship.table(2, 1, "anna", "carme")
    yield from championship.pair(2, [next_table.players, ("biel", "dolors")], "eloi")
    yield from championship.begin(2)
    yield from deal(next_table.open(championship.ruleset, championship.lexicon), "C A S A R T I", "M E N T S O L")
    yield from next_table.play("H8", "C A S", 8)


def finish(table: Table) -> Iterator[Step]:
    yield from table.skip()
    yield from table.end(game.END_CONDITION_SCORELESS_TURNS, [(table.players[0], 2), (table.players[1], 2)])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def queries(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FairPlayQueries]:
    """Yield the queries on a stage with a lexicon of five words."""
    folder: Path = tmp_path_factory.mktemp("fair")
    library = Library(folder / "lexicons")
    library.install("catalan", WORDS, tile_set=load_tile_set("ca-100"), about=ABOUT)
    championship = Championship()
    championship.lexicon = game.Pin(name="catalan", digest=library.digest("catalan"))
    async with open_stage(folder / "data", lexicons=library.path) as stage:
        await stage.add(*play(championship))
        models = ReadModels(stage.record, stage.running.runtime.progress(RESULTS))
        fair_play = FairPlay(models, library.path)
        worker = asyncio.create_task(fair_play.analyses.run())
        yield FairPlayQueries(stage, fair_play)
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def test_a_finished_game_is_compared_with_the_best_plays_of_its_racks(queries: FairPlayQueries) -> None:
    found = await _complete(queries, FINISHED)
    (turn,) = found.turns
    assert (turn.turn, turn.player_id, turn.name) == (1, "anna", "Anna Puigdomènech i Casadevall")
    assert ("".join(turn.rack), "".join(turn.faces), turn.score) == ("AACIRST", "CAS", 8)
    assert ("".join(turn.best_faces), turn.best_score, turn.loss) == ("CASA", 10, 2)
    assert (turn.phase, turn.difficulty, turn.seconds) == (pb.FAIR_PLAY_PHASE_OPENING, 4, 60.0)
    assert "never a verdict" in found.warning


async def _complete(queries: FairPlayQueries, game_id: str) -> pb.GetGameFairPlayResponse:
    request = pb.GetGameFairPlayRequest(game_id=game_id)
    while (found := await queries.fair_play.get_game(request, CONTEXT)).pending:
        pass
    return found


async def test_a_running_game_tells_no_official_its_best_plays(queries: FairPlayQueries) -> None:
    with pytest.raises(Refusal) as caught:
        await _complete(queries, RUNNING)
    assert caught.value.reason == "DRAWS_SECRET"


async def test_a_game_without_its_lexicon_is_refused_and_left_out_of_the_tournament(queries: FairPlayQueries) -> None:
    with pytest.raises(Refusal) as caught:
        await _complete(queries, UNREADABLE)
    assert caught.value.reason == "NO_LEXICON"
    request = pb.GetTournamentFairPlayRequest(tournament_id=TOURNAMENT)
    while (found := await queries.fair_play.get_tournament(request, CONTEXT)).pending_games:
        pass
    assert (found.games, found.unreadable_games) == (1, 1)
    assert [each.figures.player_id for each in found.players] == ["anna"]
    assert not found.players[0].signal
    assert not found.players[0].measures


async def test_a_player_has_figures_over_years(queries: FairPlayQueries) -> None:
    request = pb.GetPlayerFairPlayRequest(player_id="anna")
    while (found := await queries.fair_play.get_player(request, CONTEXT)).pending_games:
        pass
    assert found.comparison.figures.turns == 1
    assert [(year.year, year.figures.turns) for year in found.years] == [(2026, 1)]
    with pytest.raises(NotFound):
        await queries.fair_play.get_player(pb.GetPlayerFairPlayRequest(player_id="none"), CONTEXT)


async def test_an_unknown_game_and_tournament_are_not_found(queries: FairPlayQueries) -> None:
    with pytest.raises(NotFound):
        await queries.fair_play.get_game(pb.GetGameFairPlayRequest(game_id="none"), CONTEXT)
    with pytest.raises(NotFound):
        await queries.fair_play.get_tournament(pb.GetTournamentFairPlayRequest(tournament_id="none"), CONTEXT)


async def test_no_page_for_everybody_names_fair_play(queries: FairPlayQueries) -> None:
    for path in (f"/tournaments/{TOURNAMENT}", f"/games/{FINISHED}", "/players/anna"):
        assert "fair-play" not in (await queries.stage.http.get(path)).text

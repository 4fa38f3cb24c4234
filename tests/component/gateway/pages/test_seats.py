"""The seat of a player is looked up without all others."""

from __future__ import annotations

from typing import Any

import pytest
from tests.component.gateway.pages.test_find import pair_round
from tests.support.stage import Stage
from tests.support.synthetic import NAMES, Championship

from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.pages.spectators.pages import load_places, seat_of
from faristol.gateway.rpc.results import Results
from faristol.pb.results.v1 import results_pb2_grpc

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Counted(Results):
    """The answers of the results service, with the names of the methods."""

    def __init__(self, stub: Any) -> None:
        super().__init__(stub, "ca")
        self.asked: list[tuple[str, int]] = []

    async def _call(self, method: Any, request: Any, deadline: float | None = None) -> Any:
        answer = await super()._call(method, request, deadline)
        self.asked.append((type(request).__name__, len(getattr(answer, "tables", ()))))
        return answer


async def test_the_seat_of_one_player_is_that_of_the_list_and_nobody_else_is_asked_for(stage: Stage) -> None:
    await stage.add(*Championship().create())
    channel = stage.running.runtime.channel
    stub, games = results_pb2_grpc.ResultsServiceStub(channel("results")), Duplicates(None, "ca")
    assert (await seat_of(Counted(stub), games, "lliga", "anna"))[1] is None
    await stage.add(*pair_round(hall="Sala Gran"))
    _, _, everybody = await load_places(Results(stub, "ca"), games, "lliga")
    for place in everybody:
        results = Counted(stub)
        assert (await seat_of(results, games, "lliga", place.player_id))[1] == place
        tables = 1 if place.table else 0
        assert results.asked == [("GetTournamentRequest", 0), ("GetPairingsRequest", tables)], place.player_id
    assert len(everybody) == len(NAMES)
    assert (await seat_of(Results(stub, "ca"), games, "lliga", "stranger"))[1] is None

"""A large championship through the public interfaces: its standings can be recomputed in every case.

Players sit in three halls, arrive late, sit out rounds, leave, or are absent; results are entered, and wrong entries
corrected; commands are undone. ``make great`` plays it with 300 players in 8 rounds.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.processes import faristol
from tests.component.quick import Championship, championship
from tests.component.recomputation import Exported, recompute_standings

from faristol.client.services import call
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules.ruleset.options import format_value

PLAYERS = int(os.environ.get("GREAT_PLAYERS", "26"))
ROUNDS = int(os.environ.get("GREAT_ROUNDS", "5"))
LATE = 1 + PLAYERS // 25
"""Players who come after the first round, or would."""
SCORER_COUNT = 20
"""Scorers who enter results at the same time."""
ARBITER = "arbiter"

PES = ("buchholz", "spread", "total")
BOOKS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "fisc-2023": (("median-buchholz", "berger", "spread", "total"), {}),
    "pes-2024": (PES, {}),
    "uf-2007": (PES, {"minutes": "25"}),
}
"""The tie-breaks of each book, and the options that its organiser has to choose."""

TAKES_LATE = frozenset({"fisc-2023"})
"""Books under which players come after the first round (FISC I.4)."""


class Director:
    """Directs a championship of the test, round after round."""

    def __init__(self, hall: Championship, book: str) -> None:
        self.hall = hall
        self.book = book
        self.pairing = hall.api.pairing
        self.there = list(range(1, PLAYERS + 1))
        self.corrected = 0
        self.halls: list[events.Hall] = []

    async def open(self) -> None:
        hall = self.hall
        options = [
            game_events.ChosenOption(name=name, value=format_value(value))
            for name, value in hall.ruleset.chosen.items()
        ]
        create = pairing_pb2.CreateTournamentRequest(
            name="A great championship",
            rounds=ROUNDS,
            ruleset=hall.ruleset.name,
            lexicon="words",
            options=options,
            seed=b"g" * 32,
            keeping=game_events.KEEPING_RECORDED,
        )
        await hall.direct(self.pairing.CreateTournament, create)
        tables = len(self.there) // 2 + LATE
        self.halls = [
            events.Hall(name=f"Hall {name}", first_table=1 + third * tables // 3, last_table=(third + 1) * tables // 3)
            for third, name in enumerate("ABC")
        ]
        await hall.direct(self.pairing.SetHalls, pairing_pb2.SetHallsRequest(halls=self.halls, top_tables=3))
        for number in self.there:
            await hall.register(number, None if number % 10 == 0 else 2100 - 5 * number)

    async def play(self, number: int) -> None:
        """Play a round with all its incidents."""
        if number == 2:
            await self._late()
        if number > 1:
            await self._leave(self.hall.chance.choice(self.there))
        resting = self.hall.chance.sample(self.there, 2)
        for player, kind in zip(resting, (events.BYE_KIND_HALF_POINT, events.BYE_KIND_ZERO_POINT), strict=True):
            grant = pairing_pb2.GrantByeRequest(player_id=f"p{player:02}", round=number, kind=kind)
            await self.hall.direct(self.pairing.GrantBye, grant)
        paired = await self.hall.direct(self.pairing.PairRound, pairing_pb2.PairRoundRequest(round=number))
        self._check_tables(paired.pairings)
        if number == 3:
            paired = await self._pair_again(paired)
            await self._withdraw_by_mistake()
        await self.hall.direct(self.pairing.StartRound, pairing_pb2.StartRoundRequest(round=number))
        await self._results(number, paired.pairings)
        await self.hall.direct(self.pairing.CloseRound, pairing_pb2.CloseRoundRequest(round=number))
        if number > 1:
            await self._correct(paired.pairings[number])

    def _check_tables(self, pairings: Sequence[events.Pairing]) -> None:
        """Check that every player sits in the hall of the table, and that no table is taken twice."""
        assert len({pairing.table for pairing in pairings}) == len(pairings)
        for pairing in pairings:
            (hall,) = (hall for hall in self.halls if hall.name == pairing.hall)
            assert hall.first_table <= pairing.table <= hall.last_table

    async def _late(self) -> None:
        for number in range(PLAYERS + 1, PLAYERS + 1 + LATE):
            if self.book in TAKES_LATE:
                await self.hall.register(number, 1500)
                self.there.append(number)
            else:
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await self.hall.register(number, 1500)
                assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION

    async def _leave(self, player: int) -> None:
        await self.hall.direct(
            self.pairing.WithdrawPlayer, pairing_pb2.WithdrawPlayerRequest(player_id=f"p{player:02}")
        )
        self.there.remove(player)

    async def _undo(self, kind: str) -> None:
        """Undo the last command of a kind."""
        acts: list[pairing_pb2.Act] = []
        request = pairing_pb2.ListActsRequest(tournament_id=self.hall.tournament_id)
        while (answer := await self.pairing.ListActs(request)).acts:
            acts += answer.acts
            request.after_version = answer.acts[-1].version
        version = next(act.version for act in reversed(acts) if act.type == kind)
        await self.hall.direct(self.pairing.UndoAct, pairing_pb2.UndoActRequest(version=version, note="a mistake"))

    async def _pair_again(self, paired: pairing_pb2.PairRoundResponse) -> pairing_pb2.PairRoundResponse:
        """Check that the same draw and the same players give the same pairing."""
        await self._undo("RoundPaired")
        again: pairing_pb2.PairRoundResponse = await self.hall.direct(
            self.pairing.PairRound, pairing_pb2.PairRoundRequest(round=3)
        )
        assert (again.pairings, again.bye_player_id) == (paired.pairings, paired.bye_player_id)
        return again

    async def _withdraw_by_mistake(self) -> None:
        player = f"p{self.there[0]:02}"
        await self.hall.direct(self.pairing.WithdrawPlayer, pairing_pb2.WithdrawPlayerRequest(player_id=player))
        await self._undo("PlayerWithdrawn")

    async def _results(self, number: int, pairings: Sequence[events.Pairing]) -> None:
        gate = asyncio.Semaphore(SCORER_COUNT)
        lots = [self.hall.chance.choices(range(250, 500), k=2) for _ in pairings]

        async def enter(place: int, pairing: events.Pairing) -> None:
            async with gate:
                players = (pairing.first_player_id, pairing.second_player_id)
                if place == number:
                    await self._forfeit(pairing, players[:1])
                elif place == number + 1:
                    await self._forfeit(pairing, players)
                else:
                    scores = [
                        game_events.FinalScore(player_id=player, score=score)
                        for player, score in zip(players, lots[place], strict=True)
                    ]
                    result = pairing_pb2.EnterResultRequest(game_id=pairing.game_id, scores=scores, arbiter_id=ARBITER)
                    await self._enter(self.pairing.EnterResult, result)

        await asyncio.gather(*(enter(place, pairing) for place, pairing in enumerate(pairings)))

    async def _forfeit(self, pairing: events.Pairing, losers: Sequence[str]) -> None:
        forfeit = pairing_pb2.GiveForfeitRequest(
            game_id=pairing.game_id, loser_ids=losers, arbiter_id=ARBITER, note="not there"
        )
        await self._enter(self.pairing.GiveForfeit, forfeit)

    async def _enter(self, method: Callable[..., Awaitable[Any]], request: Any) -> None:
        """Enter a result beside other scorers, and retry each time another scorer made a change first."""
        await self.hall.direct(lambda sent, timeout: call(method, sent), request)

    async def _correct(self, pairing: events.Pairing) -> None:
        scores = [
            game_events.FinalScore(player_id=pairing.first_player_id, score=333),
            game_events.FinalScore(player_id=pairing.second_player_id, score=444),
        ]
        correct = pairing_pb2.CorrectResultRequest(
            game_id=pairing.game_id, scores=scores, arbiter_id=ARBITER, note="a sum"
        )
        await self.hall.direct(self.pairing.CorrectResult, correct)
        self.corrected += 1


async def told_by(hall: Championship) -> Exported:
    """Return the exported tournament, once it includes all commands."""
    await hall.json("")
    done = await asyncio.to_thread(
        faristol, "tournament", "export", hall.tournament_id, "--address", hall.address, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told: Exported = json.loads(done.stdout)
    assert told["position"] >= hall.position
    return told


def to_rows(told: Exported) -> list[tuple[int, str, float, tuple[float, ...]]]:
    return [
        (line["rank"], line["player_id"], line["points"], tuple(line["tie_breaks"].values()))
        for line in told["standings"]
    ]


@pytest.mark.parametrize(
    "book", ["fisc-2023", *(pytest.param(book, marks=pytest.mark.nightly) for book in ("pes-2024", "uf-2007"))]
)
@pytest.mark.nightly
async def test_standings_are_those_that_anybody_computes_from_what_is_published(
    book: str, tmp_path: Path, shared_nats: str
) -> None:
    tie_breaks, options = BOOKS[book]
    async with championship(tmp_path, shared_nats, book=book, rounds=ROUNDS, seed=17, options=options) as hall:
        director = Director(hall, book)
        await director.open()
        for number in range(1, ROUNDS + 1):
            await director.play(number)
        await hall.direct(hall.api.pairing.PublishStandings, pairing_pb2.PublishStandingsRequest())
        told = await told_by(hall)
        assert (await hall.json(""))["tournament"]["over"]
    assert recompute_standings(told, tie_breaks) == to_rows(told)
    tables = [table for round_ in told["rounds"] for table in round_["tables"]]
    met = Counter(frozenset(seat["player_id"] for seat in table["seats"]) for table in tables if not table["unplayed"])
    assert max(met.values()) == 1, "nobody meets twice over the board"
    resting = [round_["bye"]["player_id"] for round_ in told["rounds"] if round_["bye"]]
    assert len(resting) == len(set(resting)), "nobody rests twice"
    # The results that were corrected were those of forfeits: there was a game after all.
    assert sum(table["unplayed"] for table in tables) == 2 * ROUNDS - director.corrected
    assert any(table["lost_by_all"] for table in tables)
    assert sum(bool(table.get("corrected")) for table in tables) == director.corrected
    assert len(told["standings"]) == PLAYERS + (LATE if book in TAKES_LATE else 0)

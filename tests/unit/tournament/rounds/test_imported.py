"""Rounds of another program: they are taken over as they were, and the tournament goes on."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.state import Phase

FISE = load_ruleset("fise")


def game(first: str, second: str, *scores: int, table: int = 0, lost: tuple[str, ...] = ()) -> pb.ImportedGame:
    one, other = scores or (None, None)
    return pb.ImportedGame(
        table=table,
        first_player_id=first,
        second_player_id=second,
        first_score=one,
        second_score=other,
        forfeited_by=lost,
    )


def first_round(**changed: Any) -> pb.ImportedRound:
    fields = {"games": [game("p4", "p1", 401, 388), game("p2", "p3", 350, 350)], "bye_player_id": "p5", **changed}
    return pb.ImportedRound(round=1, **fields)


def request(*rounds: pb.ImportedRound, program: str = "tsh") -> pb.ImportRoundsRequest:
    return pb.ImportRoundsRequest(rounds=rounds, program=program)


@pytest.fixture
def hall() -> Hall:
    return Hall({f"p{number}": 2000 - number for number in range(1, 6)}, ruleset=FISE)


def test_a_round_has_its_pairings_byes_and_results_and_is_closed(hall: Hall) -> None:
    byes = [pb.ImportedBye(player_id="p2", kind=events.BYE_KIND_HALF_POINT)]
    second = pb.ImportedRound(
        round=2, games=[game("p1", "p5", 300, 420, table=7), game("p3", "p4", table=2, lost=("p4",))], byes=byes
    )

    hall.carry_out(request(first_round(), second))

    one, two = hall.state.played
    assert [table.player_ids for table in one.pairings] == [("p4", "p1"), ("p2", "p3")]
    assert [one.results[table.game_id] for table in one.pairings] == [(401, 388), (350, 350)]
    assert (one.bye, one.phase, one.algorithm, two.phase) == ("p5", Phase.CLOSED, "import-tsh", Phase.CLOSED)
    assert [(table.table, table.player_ids) for table in two.pairings] == [(2, ("p3", "p4")), (7, ("p1", "p5"))]
    decided = two.decided[two.pairings[0].game_id]
    assert (decided.winner_id, decided.unplayed) == ("p3", True)
    assert [*two.requested] == ["p2"]

    hall.play(3)
    assert hall.state.played[2].phase is Phase.CLOSED
    assert hall.state.played[2].bye not in ("p5", None), "the bye of an imported round counts"


def test_the_last_round_may_be_paired_only_or_have_some_results(hall: Hall) -> None:
    hall.carry_out(request(first_round(games=[game("p4", "p1"), game("p2", "p3")])))
    assert hall.state.played[0].phase is Phase.PAIRED

    other = Hall({f"p{number}": 2000 - number for number in range(1, 6)}, ruleset=FISE)
    other.carry_out(request(first_round(games=[game("p4", "p1", 401, 388), game("p2", "p3")])))
    assert other.state.played[0].phase is Phase.STARTED
    assert [table.player_ids for table in other.state.played[0].missing] == [("p2", "p3")]


@pytest.mark.parametrize(
    "given",
    [
        request(),
        request(first_round(), program="Some Program"),
        request(pb.ImportedRound(round=2)),
        request(first_round(bye_player_id="")),
        request(first_round(bye_player_id="p1")),
        request(first_round(games=[game("p4", "p1", 401, 388, table=1), game("p2", "p3", 1, 0)])),
        request(first_round(games=[game("p4", "p1", 401, 388), game("p2", "p3", lost=("p1",))])),
        request(first_round(games=[game("p4", "p1", 401, 388), game("p2", "p3", 200_000, 0)])),
        request(first_round(games=[game("p4", "p1", 401, 388), game("p2", "p3")]), pb.ImportedRound(round=2)),
        request(first_round(games=[game("p4", "p1", 1, 0)], byes=[pb.ImportedBye(player_id="p2")])),
    ],
)
def test_a_malformed_round_is_refused_as_a_whole(hall: Hall, given: pb.ImportRoundsRequest) -> None:
    with pytest.raises(Invalid):
        hall.decide(given)


def test_unknown_players_open_rounds_and_tables_of_rounds_are_refused(hall: Hall) -> None:
    with pytest.raises(Refusal) as refused:
        hall.decide(request(first_round(bye_player_id="p9")))
    assert refused.value.reason == "NOT_REGISTERED"

    hall.pair(1)
    with pytest.raises(Refusal) as refused:
        hall.decide(request(pb.ImportedRound(round=2)))
    assert refused.value.reason == "ROUND_OPEN"

    robin = with_options(FISE, {"pairing": "round-robin"})
    everyone = Hall({f"p{number}": 2000 - number for number in range(1, 6)}, ruleset=robin)
    with pytest.raises(Refusal) as refused:
        everyone.decide(request(first_round()))
    assert refused.value.reason == "NOT_IMPORTED"

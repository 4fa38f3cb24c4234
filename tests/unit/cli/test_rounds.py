"""A round as it is shown at a terminal."""

from __future__ import annotations

import pytest

from faristol.cli.tournament.rounds import format_round
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

FORFEIT = {"final": True, "unplayed": True, "condition": game.END_CONDITION_FORFEIT}
LEFT = {"final": True, "condition": game.END_CONDITION_ABANDONED}


@pytest.mark.parametrize(
    ("scores", "result", "expected"),
    [
        ((400, 350), {"final": True, "winner_id": "anna"}, "400–350"),
        ((0, 0), FORFEIT | {"winner_id": "anna", "loser_ids": ["blai"]}, "+ –  forfeit, winner: Anna, Blai: absent"),
        (
            (0, 0),
            FORFEIT | {"lost_by_all": True, "loser_ids": ["anna", "blai"]},
            "– –  both lost, forfeit, Anna: absent, Blai: absent",
        ),
        (
            (250, 300),
            LEFT | {"winner_id": "anna", "loser_ids": ["blai"]},
            "250–300  winner: Anna, Blai: resigned the game",
        ),
        ((400, 350), {"final": True, "winner_id": "anna", "corrected": True}, "400–350  corrected"),
        ((380, 380), {"final": True}, "380–380"),
    ],
)
def test_what_the_scores_of_a_game_do_not_say_stands_behind_them(
    scores: tuple[int, int], result: dict[str, object], expected: str
) -> None:
    seats = [
        pb.Seat(player_id=name.lower(), name=name, score=score)
        for name, score in zip(("Anna", "Blai"), scores, strict=True)
    ]
    table = pb.Table(table=3, seats=seats, **result)  # type: ignore[arg-type] # fields of the message
    found = pb.GetPairingsResponse(round=1, phase=pb.ROUND_PHASE_STARTED, tables=[table])
    assert list(format_round("Cup", found)) == ["Round 1 of Cup: being played.", f"3  Anna – Blai  {expected}"]


@pytest.mark.parametrize(
    ("gone", "kind", "said"),
    [
        (False, pairing.BYE_KIND_HALF_POINT, "Does not play: half a point"),
        (True, pairing.BYE_KIND_FULL_POINT, "No game, because the opponent is absent: a point"),
    ],
)
def test_who_sits_a_round_out_is_shown_with_why(gone: bool, kind: pairing.ByeKind.ValueType, said: str) -> None:
    found = pb.GetPairingsResponse(round=1, phase=pb.ROUND_PHASE_PAIRED)
    found.requested_byes.add(seat=pb.Seat(player_id="carme", name="Carme"), kind=kind, opponent_gone=gone)
    found.bye.CopyFrom(pb.Seat(player_id="dora", name="Dora"))
    resting = [" ".join(line.split()) for line in format_round("Cup", found)][1:]
    assert resting == ["Dora bye", f"Carme {said}"]

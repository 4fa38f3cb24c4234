"""The message after a refused step names the step to type, and affects no other entry."""

from __future__ import annotations

from typing import Any

import pytest

from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import load_ruleset
from faristol.table_terminal.table.offers import ShownTable
from faristol.table_terminal.table.refusals import hints, notices
from faristol.table_terminal.table.session import check_announced

NAMES = {"anna": "Anna Puig", "blai": "Blai Soler"}


def build_table(ruleset: str = "fise", **table: Any) -> ShownTable:
    """Return a table over the board at which Anna's play lies in the fourth turn."""
    at = game_pb2.GetGameResponse(
        turn=4,
        turn_player_id="anna",
        sides=[game_pb2.Side(player_id=player) for player in NAMES],
        keeping=events.KEEPING_RECORDED,
        **table,
    )
    return ShownTable(at, clock_pb2.GetClockResponse(), load_ruleset(ruleset))


@pytest.mark.parametrize(
    ("ruleset", "article", "whom", "cost"),
    [
        ("fise", "FISE 37", "arbiter", "With `no` Anna is disqualified, and the game is over at once (FISE 46.5)."),
        ("uf-2007", "UF 28.4", "arbiter", "With `no` Anna is disqualified, and the game is over at once (UF 28.4)."),
        ("pes-2024", "PES Δ.η", "opponent", "With `no` it is refused, and no state changes (PES Δ.η)."),
    ],
)
def test_who_leaves_is_asked_whether_somebody_was_told_and_hears_what_no_costs(
    ruleset: str, article: str, whom: str, cost: str
) -> None:
    with pytest.raises(Refusal) as refused:
        check_announced(load_ruleset(ruleset), "Anna")
    assert refused.value.article == article
    assert f"Specify if the {whom} was told before: `Anna: leave-table yes` or" in str(refused.value)
    assert list(hints(refused.value.reason, build_table(ruleset), refused.value.params, NAMES, "en")) == [cost]


@pytest.mark.parametrize("ruleset", ["fisc-2023", "festa-major"])
def test_who_leaves_is_asked_nothing_where_nobody_has_to_be_told(ruleset: str) -> None:
    check_announced(load_ruleset(ruleset), "Anna")


def list_hints(reason: str, at: ShownTable) -> list[str]:
    return list(hints(reason, at, {}, NAMES, "en"))


def test_who_types_out_of_turn_is_not_told_to_take_back_the_play_of_somebody_else() -> None:
    at = build_table(phase=game_pb2.PHASE_PLACED, pending=events.PlayPlaced(player_id="anna"))
    assert list_hints("NOT_YOUR_TURN", at) == []
    assert "`arbiter: take-back-entries 4`" in list_hints("TURN_TAKEN", at)[0]


def test_a_challenge_after_a_whole_turn_is_told_how_a_turn_is_entered_that_may_be_challenged() -> None:
    at = build_table(phase=game_pb2.PHASE_TURN)
    assert list_hints("NOTHING_TO_CHALLENGE", at) == [
        "A turn typed as a whole, such as `h8 casa` or `turn …`, is complete and can no longer be challenged. To allow "
        "a challenge, type `place-play …`, and then `challenge …` or `write-score`, `draw-tiles`, `press`."
    ]
    assert list_hints("NOTHING_TO_CHALLENGE", build_table("festa-major", phase=game_pb2.PHASE_TURN)) == []
    assert list_hints("NOTHING_TO_CHALLENGE", build_table(phase=game_pb2.PHASE_ENDED)) == []


def test_a_play_off_the_centre_is_told_as_a_notice_with_its_article() -> None:
    assert list(notices(build_table(phase=game_pb2.PHASE_OFF_CENTRE), NAMES, "en")) == [
        "The play misses the centre: the opponent must accept it or declare it invalid (FISE 20).",
        "The opponent decides about the play: `Blai Soler: decide-off-centre yes` accepts it, `no` does not.",
    ]
    assert list(notices(build_table(phase=game_pb2.PHASE_PLACED), NAMES, "en")) == []

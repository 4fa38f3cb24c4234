from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.halls import Hall
from tests.support.refusals import reason_of

from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset

FISE = load_ruleset("fise")
PES = load_ruleset("pes-2024")


def hall_of(ruleset: Ruleset = FISE) -> Hall:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, ruleset=ruleset)
    hall.pair(1)
    hall.start(1)
    return hall


def warn(hall: Hall, player_id: str = "p1") -> events.PlayerWarned:
    (event,) = hall.carry_out(pb.WarnPlayerRequest(player_id=player_id, arbiter_id="marta"))
    assert isinstance(event, events.PlayerWarned)
    return event


def expel(hall: Hall, player_id: str = "p1", decided_by: Sequence[str] = ("director",)) -> None:
    hall.carry_out(pb.ExpelPlayerRequest(player_id=player_id, arbiter_id="marta", decided_by=decided_by))


def lift(hall: Hall, decided_by: Sequence[str] = ("tribunal",)) -> None:
    hall.carry_out(pb.LiftExpulsionRequest(player_id="p1", decided_by=decided_by))


def test_who_is_warned_again_is_put_forward_for_expulsion() -> None:
    # FISE 47.
    hall = hall_of()

    assert [(warned.count, warned.expulsion_proposed) for warned in (warn(hall), warn(hall), warn(hall, "p2"))] == [
        (1, False),
        (2, True),
        (1, False),
    ]
    assert hall.state.players[0].withdrawn is None


@pytest.mark.parametrize(("ruleset", "article"), [(FISE, "FISE 49"), (PES, "PES Ζ")])
def test_who_is_expelled_loses_the_game_and_is_paired_no_more(ruleset: Ruleset, article: str) -> None:
    hall = hall_of(ruleset)
    expel(hall)

    expelled, withdrawn = hall.events[-2:]
    assert isinstance(expelled, events.PlayerExpelled)
    assert isinstance(withdrawn, events.PlayerWithdrawn)
    assert (expelled.article, withdrawn.game_id, withdrawn.round) == (article, "open-r1-t1", 2)
    assert "p1" not in {player.player_id for player in hall.state.to_pair(2)}


@pytest.mark.parametrize(("ruleset", "article"), [(FISE, "FISE 47"), (PES, "PES Ζ")])
def test_a_warning_names_the_article_on_conduct(ruleset: Ruleset, article: str) -> None:
    assert warn(hall_of(ruleset)).article == article


def leave(hall: Hall) -> None:
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1", running_game=pb.RUNNING_GAME_PLAYED_OUT))


def test_who_is_expelled_while_playing_a_last_game_out_loses_it() -> None:
    hall = hall_of()
    leave(hall)
    expel(hall)

    withdrawn = hall.events[-1]
    assert isinstance(withdrawn, events.PlayerWithdrawn)
    assert (withdrawn.game_id, withdrawn.round) == ("open-r1-t1", 2)


def test_who_had_left_before_being_expelled_does_not_come_back_when_that_is_lifted() -> None:
    hall = hall_of()
    leave(hall)
    hall.report("open-r1-t1", 400, 300)
    expel(hall)
    assert isinstance(hall.events[-1], events.PlayerExpelled)
    lift(hall)

    assert not hall.state.players[0].left_before
    assert "p1" not in {player.player_id for player in hall.state.to_pair(2)}
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p1"))
    assert "p1" in {player.player_id for player in hall.state.to_pair(2)}


def test_only_an_expulsion_that_is_lifted_lets_a_player_come_back() -> None:
    hall = hall_of()
    expel(hall)
    before = hall.state

    assert reason_of(lambda: hall.decide(pb.ReinstatePlayerRequest(player_id="p1"))) == "EXPELLED"
    assert reason_of(lambda: expel(hall)) == "EXPELLED"
    undo = pb.UndoActRequest(version=len(hall.events))
    assert reason_of(lambda: hall.decide(undo)) == "EXPELLED"
    assert hall.state == before

    lift(hall)
    assert "p1" in {player.player_id for player in hall.state.to_pair(2)}
    assert reason_of(lambda: lift(hall)) == "NOT_EXPELLED"


@pytest.mark.parametrize("left_before", [False, True])
def test_a_round_that_was_paired_without_who_was_expelled_is_paired_again_once_that_is_lifted(
    left_before: bool,
) -> None:
    hall = hall_of()
    if left_before:
        leave(hall)
    expel(hall)
    for table in hall.state.played[0].missing:
        hall.report(table.game_id, 400, 300)
    hall.close(1)
    hall.pair(2)
    lift(hall)
    if left_before:
        hall.start(2)
        return
    assert reason_of(lambda: hall.start(2)) == "ENTERED_AFTER_PAIRING"
    hall.carry_out(pb.UnpairRoundRequest(round=2))
    hall.pair(2)
    assert "p1" in hall.state.played[1].player_ids
    hall.start(2)


def test_somebody_decides_an_expulsion_and_its_end() -> None:
    hall = hall_of()

    with pytest.raises(Invalid, match="decided_by"):
        expel(hall, decided_by=())
    expel(hall)
    with pytest.raises(Invalid, match="decided_by"):
        lift(hall, decided_by=())


def test_where_the_book_knows_no_sanctions_none_are_imposed() -> None:
    hall = hall_of(load_ruleset("fisc-2023"))
    warn(hall)
    box = load_ruleset("box")

    assert (
        reason_of(lambda: hall.decide(pb.WarnPlayerRequest(player_id="p1", arbiter_id="marta"), rules=box))
        == "NO_SANCTIONS"
    )

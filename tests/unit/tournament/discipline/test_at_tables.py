"""Sanctions that arbiters imposed at tables: in the tournament, over the entry of a result, and taken back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall

from faristol.event_store import Loaded
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.discipline.at_tables import note_sanction, with_note
from faristol.tournament.results.entry import enter_result
from faristol.tournament.results.results import record_result
from faristol.tournament.situation import Situation
from faristol.tournament.state import GameDecision, TableRulings, watch

FISE = load_ruleset("fise")
PES = load_ruleset("pes-2024")
GAME = "open-r1-t1"


def start_hall(ruleset: Ruleset) -> Hall:
    """Return a tournament of which the first round is being played."""
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, ruleset=ruleset)
    hall.pair(1)
    hall.start(1)
    return hall


def seats(hall: Hall) -> tuple[str, str]:
    return hall.state.played[0].pairings[0].pair


def sanction(hall: Hall, kind: game.SanctionKind.ValueType, points: int = 0) -> game.SanctionImposed:
    """Return a sanction on the first player, in the first turn."""
    return game.SanctionImposed(
        turn=1,
        player_id=seats(hall)[0],
        kind=kind,
        points=points,
        arbiter_id="marta",
        article=hall.ruleset.law.sanctions,
        occurred_at=to_timestamp(hall.now),
    )


def note(hall: Hall, imposed: game.SanctionImposed, version: int = 3) -> list[Message]:
    new_events = note_sanction(hall.state, hall.ruleset, GAME, version, with_note(imposed, "Shouted."))
    hall.do(new_events)
    return new_events


def enter(hall: Hall, scores: Sequence[int], imposed: Sequence[game.SanctionImposed] = ()) -> list[Message]:
    """Return the result from paper of a table whose stream contains ``imposed``."""
    table = TableRulings()
    for event in (game.GameOpened(), game.GameStarted(), *imposed):
        table = watch(table, event)
    given = [game.FinalScore(player_id=who, score=score) for who, score in zip(seats(hall), scores, strict=True)]
    request = pb.EnterResultRequest(game_id=GAME, scores=given, arbiter_id="eva")
    new_events = enter_result(Situation(hall.state, hall.now, rules=hall.ruleset, tables={GAME: table}), request)
    hall.do(new_events)
    return new_events


def lift(hall: Hall, version: int) -> Sequence[Message]:
    return hall.carry_out(pb.LiftSanctionRequest(version=version, decided_by=["director"]))


def result(hall: Hall) -> tuple[tuple[int, ...], str]:
    played = hall.state.played[0]
    return played.results[GAME], played.decided[GAME].winner_id


def test_a_sanction_of_a_table_is_noted_once_with_its_arbiter_and_note() -> None:
    hall = start_hall(FISE)
    imposed = sanction(hall, game.SANCTION_KIND_POINTS, 25)
    (noted,) = note(hall, imposed)
    assert isinstance(noted, events.TableSanctionNoted)
    assert (noted.arbiter_id, noted.note, noted.points, noted.round) == ("marta", "Shouted.", 25, 1)
    assert note(hall, imposed) == []


def test_the_note_on_a_sanction_of_a_table_concerns_both_players() -> None:
    hall = start_hall(FISE)
    imposed = with_note(sanction(hall, game.SANCTION_KIND_WARNING), "Shouted.")
    new_events = note_sanction(hall.state, hall.ruleset, GAME, 3, imposed)
    assert write_of(Loaded(hall.state, hall.state.version), new_events).concerned == {*seats(hall)}


def test_points_of_a_table_come_off_a_result_from_paper_and_back_when_they_are_lifted() -> None:
    hall = start_hall(FISE)
    imposed = sanction(hall, game.SANCTION_KIND_POINTS, 25)
    note(hall, imposed)
    version = hall.state.version
    entered, recorded, corrected = enter(hall, (400, 380), [imposed])
    assert isinstance(entered, events.ResultEntered)
    assert [each.score for each in entered.scores_given] == [400, 380]
    assert isinstance(recorded, events.ResultRecorded)
    assert isinstance(corrected, events.ResultCorrected)
    assert corrected.by_sanction
    assert result(hall) == ((375, 380), seats(hall)[1])
    lift(hall, version)
    assert result(hall) == ((400, 380), seats(hall)[0])


def test_a_sanction_that_is_not_noted_yet_is_noted_with_the_result_from_paper() -> None:
    hall = start_hall(FISE)
    imposed = sanction(hall, game.SANCTION_KIND_POINTS, 25)
    noted, *_ = enter(hall, (400, 380), [imposed])
    assert isinstance(noted, events.TableSanctionNoted)
    assert result(hall) == ((375, 380), seats(hall)[1])
    assert note(hall, imposed) == []


def test_where_the_book_takes_points_off_the_spread_the_result_stays() -> None:
    hall = start_hall(PES)
    imposed = sanction(hall, game.SANCTION_KIND_POINTS, 15)
    note(hall, imposed)
    version = hall.state.version
    *_, off = enter(hall, (400, 380), [imposed])
    assert isinstance(off, events.PointsAdjusted)
    assert (off.points, off.article, result(hall)) == (-15, "PES Ζ", ((400, 380), seats(hall)[0]))
    assert [each.points for each in hall.state.played[0].adjustments] == [-15]
    lift(hall, version)
    assert hall.state.played[0].adjustments == ()


def test_a_corrected_result_from_paper_loses_the_points_again() -> None:
    hall = start_hall(FISE)
    enter(hall, (400, 380), [sanction(hall, game.SANCTION_KIND_POINTS, 25)])
    scores = [game.FinalScore(player_id=who, score=score) for who, score in zip(seats(hall), (430, 380), strict=True)]
    hall.carry_out(pb.CorrectResultRequest(game_id=GAME, scores=scores, player_ids=seats(hall), arbiter_id="eva"))
    assert result(hall) == ((405, 380), seats(hall)[0])


def report_result(hall: Hall, scores: tuple[int, int], revision: int = 0) -> None:
    """Report the result of the table itself, which deducted the points."""
    first, second = seats(hall)
    winner = first if scores[0] > scores[1] else second
    hall.do(
        record_result(
            hall.state,
            hall.ruleset,
            game=GAME,
            scores=[(first, scores[0]), (second, scores[1])],
            occurred_at=to_timestamp(hall.now),
            decided=GameDecision(winner_id=winner, revision=revision),
        )
    )


def test_points_lifted_come_back_to_a_result_of_the_table_also_when_it_is_opened_again() -> None:
    hall = start_hall(FISE)
    note(hall, sanction(hall, game.SANCTION_KIND_POINTS, 25))
    version = hall.state.version
    report_result(hall, (375, 380))
    assert result(hall) == ((375, 380), seats(hall)[1])
    lift(hall, version)
    assert result(hall) == ((400, 380), seats(hall)[0])
    report_result(hall, (365, 380), revision=1)
    assert result(hall) == ((390, 380), seats(hall)[0])
    with pytest.raises(Refusal) as refused:
        lift(hall, version)
    assert refused.value.reason == "SANCTION_LIFTED"


def test_points_are_not_lifted_before_the_game_has_a_result() -> None:
    hall = start_hall(FISE)
    note(hall, sanction(hall, game.SANCTION_KIND_POINTS, 25))
    with pytest.raises(Refusal) as refused:
        lift(hall, hall.state.version)
    assert refused.value.reason == "GAME_NOT_OVER"


def test_a_warning_of_a_table_counts_and_is_lifted_and_one_for_a_full_rack_does_not_count() -> None:
    hall = start_hall(FISE)
    first = seats(hall)[0]
    (noted,) = note(hall, sanction(hall, game.SANCTION_KIND_WARNING))
    version = hall.state.version
    assert isinstance(noted, events.TableSanctionNoted)
    assert (noted.count, noted.expulsion_proposed) == (1, False)
    full = sanction(hall, game.SANCTION_KIND_WARNING)
    full.overholding = 1
    note(hall, full, version=4)
    (warned,) = hall.carry_out(pb.WarnPlayerRequest(player_id=first, arbiter_id="eva"))
    assert isinstance(warned, events.PlayerWarned)
    assert (warned.count, warned.expulsion_proposed) == (2, True)
    lift(hall, version)
    player = hall.state.player(first)
    assert player is not None
    assert player.warnings == 1

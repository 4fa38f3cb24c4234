from __future__ import annotations

from functools import reduce

from google.protobuf.timestamp_pb2 import Timestamp
from tests.unit.pairing.halls import Hall

from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.decide import publish
from faristol.rating.model import RatingList, TournamentView, evolve, view

FIVE = {"anna": 1500, "biel": 1500, "cinta": 1500, "dolors": 1500, "enric": None}
AT = Timestamp(seconds=1_700_000_000)


def seen(hall: Hall) -> TournamentView:
    return reduce(view, hall.facts, TournamentView())


def test_there_is_no_list_while_a_round_is_left() -> None:
    hall = Hall(FIVE)
    for number in range(1, 5):
        hall.play(number)

    assert publish(RatingList(), seen(hall), tournament_id="open", occurred_at=AT) == []


def test_everybody_registered_gets_a_line_and_byes_are_not_rated() -> None:
    hall = Hall(FIVE)
    for number in range(1, 6):
        hall.play(number)

    published, *lines = publish(RatingList(), seen(hall), tournament_id="open", occurred_at=AT)

    assert published == events.RatingListPublished(tournament_id="open", system="elo-1", occurred_at=AT)
    updates = [line for line in lines if isinstance(line, events.RatingUpdated)]
    assert {line.player_id for line in updates} == set(FIVE)
    # Five players, five rounds: everybody meets the four others and rests once.
    assert [line.games for line in updates] == [4] * 5
    # The higher-ranked player of a pairing always won: anna everything, and so on down to enric, who won nothing.
    assert {line.player_id: line.half_points for line in updates}["anna"] == 8
    assert sum(line.half_points for line in updates) == 20
    assert [(-line.after, line.player_id) for line in updates] == sorted(
        (-line.after, line.player_id) for line in updates
    )


def test_a_list_is_published_once() -> None:
    hall = Hall(FIVE)
    for number in range(1, 6):
        hall.play(number)
    facts = publish(RatingList(), seen(hall), tournament_id="open", occurred_at=AT)

    state = reduce(evolve, facts, RatingList())

    assert len(state.changes) == 5
    assert publish(state, seen(hall), tournament_id="open", occurred_at=AT) == []

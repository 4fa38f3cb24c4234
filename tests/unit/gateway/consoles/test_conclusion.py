"""The special prizes that the form proposes."""

from __future__ import annotations

from faristol.gateway.consoles.director.conclusion import list_ticked
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.results.v1 import results_pb2 as results


def test_prizes_for_plays_are_not_proposed_where_no_play_is_recorded() -> None:
    prizes = [
        results.Prize(kind=events.PRIZE_KIND_BINGOS, unrecorded=True),
        results.Prize(kind=events.PRIZE_KIND_HIGH_GAME),
    ]
    assert list_ticked(prizes, has_plays=False) == {events.PRIZE_KIND_HIGH_GAME}
    assert list_ticked(prizes, has_plays=True) == {events.PRIZE_KIND_BINGOS, events.PRIZE_KIND_HIGH_GAME}

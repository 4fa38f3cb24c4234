from __future__ import annotations

import pytest
from tests.support.halls import Hall

from faristol.kernel import event_types
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating.games import Rated, RatedGame
from faristol.rating.model import VIEW_METHODS, RatingList, TournamentView, evolve, stream, tournament_stream, view


def test_streams_are_named_after_the_tournament() -> None:
    assert (stream("open"), tournament_stream("open")) == ("ratings-open", "tournament-open")


def test_a_foreign_event_is_never_skipped_in_a_list() -> None:
    with pytest.raises(TypeError, match=r"faristol\.pairing\.v1\.RoundClosed is not an event of a rating list"):
        evolve(RatingList(), pairing_events.RoundClosed(round=1))


def test_games_count_as_won_lost_or_drawn_by_their_scores() -> None:
    hall = Hall({"a": 1500, "b": 1400, "c": 1300, "d": None, "e": 1100, "f": 1050})
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 399)
    hall.report("open-r1-t2", -5, 0)
    hall.report("open-r1-t3", 350, 350)
    hall.close(1)

    found = view(TournamentView(), hall.events)

    assert found.games == (RatedGame("a", "e", 2), RatedGame("b", "f", 0), RatedGame("c", "d", 1))
    assert found.players[3] == Rated("d", 1000, unrated=True)
    assert (found.rounds, found.closed) == (5, 1)


def test_the_view_is_the_same_whatever_else_the_tournament_tells() -> None:
    assert view(TournamentView(), [game_events.Passed()]) == TournamentView()


def test_ratings_take_up_the_events_that_the_contract_says_they_are_computed_from_and_no_others() -> None:
    assert VIEW_METHODS.keys() == event_types.types_that_change(options.CHANGE_RATED)
    assert {*VIEW_METHODS} >= event_types.types_that_change(options.CHANGE_ENTRIES)


def test_a_game_that_was_not_played_is_not_rated() -> None:
    scores = [game_events.FinalScore(player_id=player_id) for player_id in ("a", "b")]
    forfeit = pairing_events.ResultRecorded(round=1, game_id="g", scores=scores, winner_id="a", unplayed=True)

    assert view(TournamentView(), [forfeit]).games == ()

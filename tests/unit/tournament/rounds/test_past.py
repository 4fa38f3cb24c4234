from __future__ import annotations

from dataclasses import replace

from tests.support.halls import FISC, Hall

from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.engines.dutch.player import Float
from faristol.tournament.results.results import record_result
from faristol.tournament.rounds.past import Past, past_of
from faristol.tournament.rounds.ranking import entrants
from faristol.tournament.rounds.systems import dutch_round
from faristol.tournament.state import GameDecision

FORFEIT = GameDecision(winner_id="p1", condition=game_events.END_CONDITION_FORFEIT, losers=("p5",), unplayed=True)


def after_a_forfeit(players: int = 8) -> Hall:
    """Return a first round in which p5 was absent from the table of p1, and all others played."""
    hall = Hall(
        {f"p{place}": 2000 - place for place in range(1, players + 1)},
        ruleset=with_options(FISC, {"pairing": "dutch"}),
    )
    hall.pair(1)
    hall.start(1)
    for pairing in hall.state.played[0].pairings:
        scores = list(zip(pairing.player_ids, (400, 300), strict=True))
        decided = replace(FORFEIT, losers=(pairing.player_ids[1],)) if "p1" in pairing.player_ids else None
        hall.do(
            record_result(
                hall.state,
                hall.ruleset,
                game=pairing.game_id,
                scores=scores,
                occurred_at=to_timestamp(hall.now),
                decided=decided,
            )
        )
    hall.close(1)
    return hall


def test_a_forfeit_is_a_point_without_a_game() -> None:
    state = after_a_forfeit().state

    assert past_of(state, FISC, "p1", 2) == (Past(half_points=2, first=True, paired=True, unplayed_win=True),)
    assert past_of(state, FISC, "p2", 2) == (Past(half_points=2, opponent="p6", first=True, paired=True),)


def test_who_won_by_forfeit_may_meet_the_opponent_again_and_gets_no_bye() -> None:
    winner, other = (
        next(entrant for entrant in entrants(after_a_forfeit().state, FISC) if entrant.player_id == player_id)
        for player_id in ("p1", "p5")
    )

    assert (winner.opponents, winner.had_bye, winner.half_points) == (frozenset(), True, 2)
    assert (other.opponents, other.had_bye, other.half_points) == (frozenset(), False, 0)


def test_the_dutch_system_is_told_of_a_forfeit_as_of_a_round_without_a_game() -> None:
    players = {player.number: player for player in dutch_round(after_a_forfeit().state, FISC, 2).players}

    assert (players[1].opponents, players[1].colours, players[1].unplayed) == (frozenset(), (), 1)
    assert (players[1].floats[0], players[1].had_bye) == (Float.DOWN, True)
    assert (players[5].floats[0], players[5].had_bye) == (Float.NONE, False)
    assert (players[2].opponents, players[2].unplayed) == (frozenset({6}), 0)


def test_a_table_says_how_it_ended_in_the_tournaments_own_record() -> None:
    new_events = after_a_forfeit().state.played[0].decided["open-r1-t1"]

    assert new_events == FORFEIT


def test_each_kind_of_round_is_told_as_what_it_was() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 8)})
    hall.pair(1)
    hall.start(1)
    played = hall.state.played[0]
    assert played.bye is not None
    assert past_of(hall.state, FISC, played.bye, 2) == (Past(half_points=2, paired=True, allocated=True),)
    assert past_of(hall.state, FISC, played.bye, 1) == ()
    for pairing in played.pairings:
        first, second = pairing.player_ids
        assert past_of(hall.state, FISC, first, 2) == (Past(opponent=second, first=True, paired=True),)
        assert past_of(hall.state, FISC, second, 2) == (Past(opponent=first, paired=True),)
    first, second = played.pairings[0].player_ids
    hall.report(played.pairings[0].game_id, 350, 350)
    assert past_of(hall.state, FISC, first, 2) == (Past(half_points=1, opponent=second, first=True, paired=True),)
    assert past_of(hall.state, FISC, second, 2) == (Past(half_points=1, opponent=first, paired=True),)
    assert past_of(hall.state, FISC, "nobody", 2) == (Past(),)

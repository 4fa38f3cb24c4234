"""The order in which players are paired: the initial ranking, and the standings as pairing sees them. Pure."""

from __future__ import annotations

from faristol.pairing.model import Tournament
from faristol.pairing.past import past_of
from faristol.pairing.swiss import Entrant
from faristol.rules import Ruleset


def initial_ranking(state: Tournament) -> tuple[str, ...]:
    """Player ids by last published rating, highest first (FISC I.1).

    Of equal ratings a published one stands before the start of an unrated player; what is still equal stands in
    the order of ids.
    """
    players = sorted(state.players, key=lambda player: (-player.rating, player.unrated, player.player_id))
    return tuple(player.player_id for player in players)


def entrants(state: Tournament, ruleset: Ruleset) -> tuple[Entrant, ...]:
    """Everybody in the order of pairing: points, then initial ranking (FIDE C.04.3 A).

    Who had no game may meet the same opponent again, and who had a win's points without one gets no bye (FIDE C.04.1).
    """
    number = len(state.played) + 1
    win = round(2 * ruleset.championship.win)
    everybody = []
    for player_id in initial_ranking(state):
        past = past_of(state, ruleset, player_id, number)
        everybody.append(
            Entrant(
                player_id,
                sum(one.half_points for one in past),
                frozenset(one.opponent for one in past if one.played),
                any(one.allocated or (not one.played and one.half_points >= win) for one in past),
            )
        )
    # Equal points keep the initial order because sorting is stable.
    return tuple(sorted(everybody, key=lambda one: -one.half_points))

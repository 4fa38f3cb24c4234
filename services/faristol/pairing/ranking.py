"""The order in which players are paired: the initial ranking, and the standings as pairing sees them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from faristol.pairing.model import Tournament
from faristol.pairing.swiss import Entrant
from faristol.rules import Result, Ruleset, standings


def initial_ranking(state: Tournament) -> tuple[str, ...]:
    """Player ids by last published rating, highest first (FISC I.1).

    Of equal ratings a published one stands before the start of an unrated player; what is still equal stands in
    the order of ids.
    """
    players = sorted(state.players, key=lambda player: (-player.rating, player.unrated, player.player_id))
    return tuple(player.player_id for player in players)


def entrants(state: Tournament, ruleset: Ruleset) -> tuple[Entrant, ...]:
    """Everybody in the order of pairing: points, then initial ranking (FIDE C.04.3 A)."""
    initial = initial_ranking(state)
    # The rows of equal points keep the initial order because sorting is stable.
    rows = {row.player: row.points for row in standings(_results(state), initial, ruleset, state.rounds)}
    order = sorted(initial, key=lambda player_id: -rows[player_id])
    met: dict[str, set[str]] = {player_id: set() for player_id in initial}
    rested: set[str | None] = set()
    for one in state.played:
        rested.add(one.bye)
        for pairing in one.pairings:
            first, second = pairing.player_ids
            met[first].add(second)
            met[second].add(first)
    return tuple(
        Entrant(player_id, int(2 * rows[player_id]), frozenset(met[player_id]), player_id in rested)
        for player_id in order
    )


def _results(state: Tournament) -> Iterator[Result]:
    for one in state.played:
        games = (
            Result.of_table(
                one.number,
                *pairing.player_ids,
                *one.results[pairing.game_id],
                winner=one.decided[pairing.game_id].winner_id,
                lost_by_all=one.decided[pairing.game_id].lost_by_all,
            )
            for pairing in one.pairings
            if pairing.game_id in one.results
        )
        yield from chain(games, () if one.bye is None else (Result.bye(one.number, one.bye),))

"""The order in which players are paired: initial ranking and standings. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from faristol.rules import Bye, Result, Ruleset
from faristol.rules.standings import Carried, SpreadAdjustment, StandingsRow, TableResult, build_carried, standings
from faristol.rules.trf.document import POINT_TENTHS_FACTOR
from faristol.rules.trf.scoring import accelerate_baku
from faristol.tournament.engines.swiss import Entrant
from faristol.tournament.rounds.past import past_of, result_of
from faristol.tournament.state import PlayerState, RoundState, TournamentState


def initial_ranking(state: TournamentState) -> tuple[str, ...]:
    """Return player ids by their seeds, if any, then by last published rating, highest first (FISC I.1).

    For equal ratings a published one precedes the start rating of an unrated player; then ids decide.
    """
    return tuple(player.player_id for player in in_order(state.players) if not player.never_came)


def standing_of(state: TournamentState, ruleset: Ruleset) -> tuple[str, ...]:
    """Return player ids by the standings and the tie-breaks of the rules; equal players by initial ranking.

    All paired rounds are closed: a round is paired by the standings after the round before.
    """
    return tuple(row.player for row in rank_by_results(state, ruleset))


def rank_by_results(
    state: TournamentState, ruleset: Ruleset, among: Collection[str] | None = None
) -> tuple[StandingsRow, ...]:
    """Return the standings by the results of all paired rounds, as in ``standing_of``.

    With ``among``, only the games between these players count, without carried points and byes.
    """
    results: list[Result | TableResult] = []
    for played in state.played:
        found = results_of(played)
        if among is not None:
            results += [each for each in found if each.second in among and each.first in among]
            continue
        byes = [*played.requested.items(), *([(played.bye, Bye.ALLOCATED)] if played.bye else [])]
        results += [*found, *(Result.bye(played.number, player_id, kind) for player_id, kind in byes)]
    return standings(
        results,
        initial_ranking(state),
        ruleset,
        state.rounds,
        adjustments=() if among is not None else list_adjustments(state),
        seeds=state.seeds,
        left=left_of(state) if state.seeds else (),
        carried={} if among is not None else carried_of(state),
    )


def compute_spreads(state: TournamentState, among: Collection[str] | None = None) -> Mapping[str, int]:
    """Return the spreads of all paired rounds, with carried ones.

    With ``among``, only the games between these players count.
    """
    spreads: Counter[str] = Counter()
    for played in state.played:
        for each in results_of(played):
            if each.second is not None and (among is None or {each.first, each.second} <= {*among}):
                spreads[each.first] += each.first_score - each.second_score
                spreads[each.second] += each.second_score - each.first_score
    if among is None:
        for adjustment in list_adjustments(state):
            spreads[adjustment.player] += adjustment.points
        for player_id, carried in carried_of(state).items():
            spreads[player_id] += carried.spread
    return spreads


def list_adjustments(state: TournamentState) -> list[SpreadAdjustment]:
    """Return the changes of spreads that are no results."""
    return [adjustment for played in state.played for adjustment in played.adjustments]


def carried_of(state: TournamentState) -> Mapping[str, Carried]:
    """Return the points and spreads that players carry over from an earlier stage; players without any are omitted."""
    return build_carried(
        (player.player_id, player.carried_half_points, player.carried_spread) for player in state.players
    )


def results_of(played: RoundState) -> list[Result]:
    """Return the results of the tables of a round."""
    return [*filter(None, (result_of(played, pairing) for pairing in played.pairings))]


def left_of(state: TournamentState) -> tuple[str, ...]:
    """Return the players who do not take part in the next round: they have withdrawn or are expelled."""
    following = len(state.played) + 1
    return tuple(
        player.player_id for player in state.players if player.withdrawn is not None and player.withdrawn <= following
    )


def in_order(players: Iterable[PlayerState]) -> list[PlayerState]:
    """Sort players by the initial ranking: by their seeds in a stage of a championship, then by their ratings."""
    return sorted(
        players,
        key=lambda player: (
            not player.seed_number,
            player.seed_number,
            -player.rating,
            player.unrated,
            player.player_id,
        ),
    )


def virtual_half_points(state: TournamentState, ruleset: Ruleset, number: int) -> Mapping[str, int]:
    """Return the virtual half points of players in the pairing of a round (FIDE C.04.5.1), by player id.

    They count for this pairing only; players without any are omitted.
    """
    if ruleset.championship.acceleration == "none":
        return {}
    ranking = [player for player in in_order(state.players) if not player.never_came]
    entered = [place for place, player in enumerate(ranking, 1) if player.entered == 1]
    return {
        player.player_id: granted.points * 2 // POINT_TENTHS_FACTOR
        for granted in accelerate_baku(entered, state.rounds)
        if granted.first_round <= number <= granted.last_round
        for player in ranking[: granted.last_player]
    }


def entrants(state: TournamentState, ruleset: Ruleset) -> tuple[Entrant, ...]:
    """Return the players to pair in the next round, by points and then initial ranking (FIDE C.04.3 A).

    The points are those for pairing, with the fictitious ones of late entries (FISC I.4), the virtual ones of
    accelerated rounds, and those carried over from an earlier stage. Opponents without a game may meet again. A player
    with an unplayed win gets no bye (FIDE C.04.1).
    """
    number = len(state.played) + 1
    virtual = virtual_half_points(state, ruleset, number)
    everybody = []
    for player in in_order(state.to_pair(number)):
        player_id = player.player_id
        past = past_of(state, ruleset, player_id, number)
        everybody.append(
            Entrant(
                player_id,
                player.fictitious
                + player.carried_half_points
                + virtual.get(player_id, 0)
                + sum(earlier.half_points for earlier in past),
                frozenset(earlier.opponent for earlier in past if earlier.played),
                any(earlier.as_bye for earlier in past),
                frozenset(other for pair in state.forbidden if player_id in pair for other in pair - {player_id}),
            )
        )
    # Equal points keep the initial order because sorting is stable.
    return tuple(sorted(everybody, key=lambda entrant: -entrant.half_points))


def by_standing(everybody: Iterable[Entrant], standing: Sequence[str]) -> tuple[Entrant, ...]:
    """Sort entrants by the classification: points for pairing, then the standings (FISC I.1).

    ``standing`` has all player ids in the order of the standings, best first. Fictitious points of late entries count
    only among the points (FISC I.4).
    """
    place = {player_id: index for index, player_id in enumerate(standing)}
    return tuple(sorted(everybody, key=lambda entrant: (-entrant.half_points, place[entrant.player_id])))

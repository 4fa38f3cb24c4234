"""Places that players can still reach, from the rounds of a tournament. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.standings import PAIR_TABLE_PLAYERS, list_byes
from faristol.read_models.storage.rows import Player, Round, Tournament
from faristol.rules import Ruleset
from faristol.rules.standings.history import sides
from faristol.rules.standings.prospects import (
    Places,
    Prospect,
    Race,
    decides_by_points,
    find_extremes,
    find_places,
)

NOT_BY_POINTS = N_("The places of this tournament are not decided by the points of its games")

CHANCES = {
    Prospect.SAFE: results.CHANCE_SAFE,
    Prospect.ALIVE: results.CHANCE_ALIVE,
    Prospect.OUT: results.CHANCE_OUT,
}


def build_race(
    tournament: Tournament,
    ruleset: Ruleset,
    players: Mapping[str, Player],
    rounds: Sequence[Round],
    lines: Iterable[results.Standing],
) -> Race:
    """Return the race of a tournament of games of two players. Players whose games are annulled are left out.

    Raises ``Refusal`` if the points of games do not decide the places, as for total scores and teams.
    """
    law = ruleset.championship
    is_of_pairs = all(len(game.seats) <= PAIR_TABLE_PLAYERS for round_ in rounds for game in round_.games)
    is_of_teams = any(player.team_id for player in players.values())
    if is_of_teams or not is_of_pairs or not decides_by_points(ruleset):
        raise Refusal("NOT_BY_POINTS", "", NOT_BY_POINTS)
    points = {line.player_id: line.half_points for line in lines if not line.annulled}
    last = max((round_.round for round_ in rounds), default=0)
    for round_ in rounds:
        if not round_.complete:
            for result in list_byes(round_):
                for player, own in sides(result, ruleset, len(players)):
                    if player in points:
                        points[player] += round(2 * own.points)
    tables, postponed = list[tuple[str, str]](), list[tuple[str, str]]()
    for round_ in sorted(rounds, key=lambda each: each.round):
        for game in round_.games:
            seated = [seat.player_id for seat in game.seats]
            if not game.final and len(seated) == PAIR_TABLE_PLAYERS and points.keys() >= set(seated):
                (tables if round_.round == last else postponed).append((seated[0], seated[1]))
    to_come = [
        frozenset(player for player in points if _plays(players[player], number))
        for number in range(last + 1, 0 if tournament.over else tournament.rounds + 1)
    ]
    robin = law.system in ("round-robin", "double-round-robin")
    win = round(2 * law.win)
    return Race(points, to_come, tables, postponed, win, 0 if robin and law.rest == "nothing" else win)


def _plays(player: Player, number: int) -> bool:
    return player.entered_round <= number and not player.withdrawn_round


def list_prospects(
    race: Race, lines: Iterable[results.Standing], place: int, only: str = ""
) -> list[results.ProspectLine]:
    """Return the lines of a race in the order of the standings, without names; or only the line of a player.

    After the last game the places are the ranks.
    """
    shown_lines = [line for line in lines if line.player_id in race.points and only in ("", line.player_id)]
    if race.is_over:
        return [_show_places(race, line, _place_of(race, line), place) for line in shown_lines]
    if only:
        return [_show_extremes(race, line, place) for line in shown_lines]
    places = find_places(race)
    return [_show_places(race, line, places[line.player_id], place) for line in shown_lines]


def _place_of(race: Race, line: results.Standing) -> Places:
    """Return the only place that is left after the last game."""
    points = race.points[line.player_id]
    return Places(line.rank, line.rank, points, points)


def _show_places(race: Race, line: results.Standing, own: Places, place: int) -> results.ProspectLine:
    return like(
        results.ProspectLine,
        line,
        half_points=race.points[line.player_id],
        best=own.best,
        worst=own.worst,
        most_half_points=own.most_points,
        least_half_points=own.least_points,
        chance=CHANCES[own.chance(place)],
    )


def _show_extremes(race: Race, line: results.Standing, place: int) -> results.ProspectLine:
    extremes = find_extremes(race, line.player_id)
    shown = _show_places(race, line, extremes.places, place)
    shown.above_ids.extend(extremes.above)
    shown.reaching_ids.extend(extremes.reaching)
    return shown

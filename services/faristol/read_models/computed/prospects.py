"""Places that players can still reach, from the rounds of a tournament. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing
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
    leave_out,
)
from faristol.text import say

WITHDRAWN = N_("Has withdrawn, and so does not qualify.")
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
        raise Refusal("NOT_BY_POINTS", NOT_BY_POINTS)
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


SAFE = N_("Even with a loss in every game, place {worst} at worst: at most {count} others have as many points.")
OUT = N_("Even with a win in every game, place {best} at best: at least {count} others have more points.")
BEFORE_GOAL = N_("Even with a loss in every game, place {worst} at worst, which is before these places.")
ALIVE = N_("Place {best} with a win in every game at best, place {worst} with a loss in every game at worst.")


def list_goals(
    place: int, lists: Iterable[pairing.PrizeListSet], stages: Iterable[Tournament], tournament_id: str
) -> list[results.ProspectGoal]:
    """Return the goals of a tournament: a place, prizes by the final standings for all players, and later stages.

    Prizes of a category, a club or years of birth are left out: the places among these players are no places here.
    """
    goals = [results.ProspectGoal(kind=results.PROSPECT_GOAL_KIND_PLACE, first_place=1, last_place=place)]
    for each in lists:
        limited = each.category or each.club or each.born_from or each.born_until
        prizes = max(len(each.amounts), len(each.things))
        if each.criterion == pairing.PRIZE_CRITERION_PLACE and prizes and not limited:
            kind = results.PROSPECT_GOAL_KIND_PRIZE
            goals.append(results.ProspectGoal(kind=kind, name=each.name, first_place=1, last_place=prizes))
    goals += [
        results.ProspectGoal(
            kind=results.PROSPECT_GOAL_KIND_QUALIFICATION,
            name=stage.division,
            first_place=stage.stage_first_place,
            last_place=stage.stage_last_place,
            stage_id=stage.tournament_id,
        )
        for stage in stages
        if tournament_id in stage.stage_sources and stage.stage_first_place
    ]
    return goals


def add_goals(
    shown: Sequence[results.ProspectLine],
    lines: Iterable[results.Standing],
    race: Race,
    gone: Collection[str],
    goals: Sequence[results.ProspectGoal],
    language: str,
) -> None:
    """Add the chances for goals to lines; ``lines`` are the standings.

    ``gone`` are players that have withdrawn, who do not qualify for a stage.
    """
    left = leave_out(race, gone)
    staying = find_places(left) if any(goal.stage_id for goal in goals) and not race.is_over else {}
    order = [line.player_id for line in lines if line.player_id in left.points]
    for line in shown:
        own = Places(line.best, line.worst, line.most_half_points, line.least_half_points)
        for goal in goals:
            places = own
            if goal.stage_id and line.player_id in gone:
                line.goals.add(chance=results.CHANCE_OUT, text=say(WITHDRAWN, {}, language))
                continue
            if goal.stage_id and race.is_over:
                rank = order.index(line.player_id) + 1
                places = Places(rank, rank, own.most_points, own.least_points)
            elif goal.stage_id:
                places = staying.get(line.player_id, own)
            chance = places.chance_between(goal.first_place, goal.last_place)
            line.goals.add(chance=CHANCES[chance], text=_explain(places, chance, goal, race, language))


def _explain(places: Places, chance: Prospect, goal: results.ProspectGoal, race: Race, language: str) -> str:
    """Return the count that shows a chance."""
    params: dict[str, Param] = {"best": places.best, "worst": places.worst}
    if race.is_over:
        return say(N_("All games are over: place {best}."), params, language)
    if chance is Prospect.ALIVE:
        return say(ALIVE, params, language)
    if chance is Prospect.SAFE:
        return say(SAFE, {**params, "count": places.worst - 1}, language)
    if places.best > goal.last_place:
        return say(OUT, {**params, "count": places.best - 1}, language)
    return say(BEFORE_GOAL, params, language)


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

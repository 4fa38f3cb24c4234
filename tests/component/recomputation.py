"""Standings recomputed from an exported tournament, by plain code that knows only the file.

FISC I.1 and PES ΣΤ, with FIDE's article 16 for rounds without a game (C.07, of March 2026).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Exported = dict[str, Any]
"""The output of ``faristol tournament export``."""

WORTH = {"half_point": 0.5, "full_point": 1.0, "zero_point": 0.0}


def recompute_standings(told: Exported, tie_breaks: tuple[str, ...]) -> list[tuple[int, str, float, tuple[float, ...]]]:
    """Return the rank, player, points and tie-breaks, best first, once every round told is over."""
    rounds = len(told["rounds"])
    planned = told["tournament"]["rounds"]
    players = [
        player["player_id"]
        for player in told["players"]
        if not 0 < player["withdrawn_round"] <= player["entered_round"]
    ]
    points = {player: [0.0] * rounds for player in players}
    opponent: dict[str, list[str]] = {player: [""] * rounds for player in players}
    played = {player: [False] * rounds for player in players}
    present = {player: [False] * rounds for player in players}
    spread = dict.fromkeys(players, 0)
    total = dict.fromkeys(players, 0)
    for place, round_ in enumerate(told["rounds"]):
        for table in round_["tables"]:
            first, other = table["seats"]
            for me, you in ((first, other), (other, first)):
                who = me["player_id"]
                opponent[who][place] = you["player_id"]
                present[who][place] = True
                played[who][place] = not table["unplayed"]
                if table["lost_by_all"]:
                    points[who][place] = 0.0
                elif table["winner_id"]:
                    points[who][place] = 1.0 if table["winner_id"] == who else 0.0
                else:
                    points[who][place] = 0.5 + 0.5 * _compare(me, you)
                total[who] += _score(me) + table["total_adjustments"].get(who, 0)
                spread[who] += _score(me) - _score(you) + table["spread_adjustments"].get(who, 0)
        if round_["bye"]:
            points[round_["bye"]["player_id"]][place] = 1.0
            present[round_["bye"]["player_id"]][place] = True
        for bye in round_["requested_byes"]:
            who = bye["player"]["player_id"]
            points[who][place] = WORTH[bye["kind"]]
            present[who][place] = bye["kind"] == "full_point"

    def for_opponents(who: str) -> float:
        value, place = sum(points[who]), rounds - 1
        # the loser of a forfeit was absent too, and has lost: only a missed round without an opponent is a draw
        while place >= 0 and not played[who][place] and points[who][place] < 1:
            value += 0.0 if present[who][place] else 0.5 - points[who][place]
            place -= 1
        return value

    def worth(who: str, place: int) -> float:
        met = opponent[who][place]
        if played[who][place]:
            return for_opponents(met)
        return min(sum(points[who]), for_opponents(met) if met else 0.5 * planned)

    def buchholz(who: str, cut: int) -> float:
        kept = list(range(rounds))
        for _ in range(cut):
            missed = [place for place in kept if not played[who][place] and points[who][place] < 1]
            kept.remove(min(missed or kept, key=lambda place: worth(who, place)))
        return sum(worth(who, place) for place in kept)

    values: dict[str, Callable[[str], float]] = {
        "median-buchholz": lambda who: buchholz(who, 1 if planned <= 6 else 2),
        "buchholz": lambda who: buchholz(who, 0),
        "berger": lambda who: sum(points[who][place] * worth(who, place) for place in range(rounds)),
        "spread": lambda who: float(spread[who]),
        "total": lambda who: float(total[who]),
    }
    keys = {who: (sum(points[who]), *(values[name](who) for name in tie_breaks)) for who in players}
    return sorted(
        ((1 + sum(keys[other] > keys[who] for other in players), who, keys[who][0], keys[who][1:]) for who in players),
        key=lambda line: (line[0], line[1]),
    )


def recomputed_teams(told: Exported) -> list[tuple[int, str, float, float, int, int]]:
    """Return the rank, team, points of matches and of boards, spread, total, best first, once every round told is over
    (FISE 4.4).

    Teams are ranked by their matches, then by their boards, then by FISE's usual tie-breaks over all their games.
    """
    teams = [team["team_id"] for team in told["teams"] if not 0 < team["withdrawn_round"] <= team["entered_round"]]
    matches = dict.fromkeys(teams, 0.0)
    boards = dict.fromkeys(teams, 0.0)
    spread = dict.fromkeys(teams, 0)
    total = dict.fromkeys(teams, 0)
    for round_ in told["rounds"]:
        won: dict[tuple[int, str], float] = {}
        for match in round_["matches"]:
            won |= {(match["match"], match[side]["team_id"]): 0.0 for side in ("first_team", "second_team")}
        for table in round_["tables"]:
            first, other = table["seats"]
            for me, you in ((first, other), (other, first)):
                decided = (
                    float(table["winner_id"] == me["player_id"])
                    if table["winner_id"]
                    else 0.5 + 0.5 * _compare(me, you)
                )
                won[table["match"], me["team_id"]] += 0.0 if table["lost_by_all"] else decided
                adjusted = table["spread_adjustments"].get(me["player_id"], 0)
                spread[me["team_id"]] += _score(me) - _score(you) + adjusted
                total[me["team_id"]] += _score(me) + table["total_adjustments"].get(me["player_id"], 0)
        for bye in round_["requested_byes"]:
            team = bye["player"]["team_id"]
            if bye["match"]:  # a player who sits out with a team has its bye
                won[bye["match"], team] += 1.0
        for (number, team), points in won.items():
            against = next(other for (match, name), other in won.items() if match == number and name != team)
            boards[team] += points
            # both teams lose only if every board is lost by both
            matches[team] += 1.0 if points > against else 0.5 if points == against > 0 else 0.0
        for bye in round_["team_byes"]:
            worth = WORTH[bye["kind"]] if bye["kind"] else 1.0
            matches[bye["team_id"]] += worth
            boards[bye["team_id"]] += told["tournament"]["team_boards"] * worth
    keys = {team: (matches[team], boards[team], spread[team], total[team]) for team in teams}
    return sorted(
        ((1 + sum(keys[other] > keys[team] for other in teams), team, *keys[team]) for team in teams),
        key=lambda line: (line[0], line[1]),
    )


def _score(seat: dict[str, Any]) -> int:
    """Return the score of a seat; 0 for a forfeit without points, whose score is null."""
    return seat["score"] or 0


def _compare(seat: dict[str, Any], other: dict[str, Any]) -> int:
    """Return 1 if a seat has the higher score, -1 if the other one has it, 0 for a draw."""
    return (_score(seat) > _score(other)) - (_score(seat) < _score(other))

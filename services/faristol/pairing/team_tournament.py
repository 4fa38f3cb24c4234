"""The tournament between teams (FISE 4.4): its players are the teams, and its games the matches. Pure.

Whatever pairs players pairs teams by it: points, opponents, byes, pairs kept apart or made by hand. A match is won by
who has more points of its boards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from faristol.pairing.model import Decided, Pairing, Player, Round, Team, TeamMatch, Tournament
from faristol.pairing.past import half_points_of, result_of
from faristol.rules import N_, Outcome, Refusal, Ruleset

SAID_OF_TEAMS: Mapping[str, str] = {
    "A round needs 2 players or more; {players} can be paired.": N_(
        "A round needs 2 teams or more; {players} can be paired."
    ),
    "{players} players can play {most} rounds without meeting twice; the championship has {rounds}.": N_(
        "{players} teams can play {most} rounds without meeting twice; the championship has {rounds}."
    ),
    "All against all of {players} players takes {expected} rounds; the championship has {rounds}.": N_(
        "All against all of {players} teams takes {expected} rounds; the championship has {rounds}."
    ),
    "The {players} players are an odd number and each of them has had the bye once, so nobody may rest.": N_(
        "The {players} teams are an odd number and each of them has had the bye once, so none may rest."
    ),
    "{player} has met every other player, and nobody meets twice; the arbiter decides.": N_(
        "{player} has met every other team, and none meets another twice; the arbiter decides."
    ),
    "Player {player} may meet nobody who is left; the arbiter decides.": N_(
        "Team {player} may meet none that is left; the arbiter decides."
    ),
    "The {players} players cannot all be paired without somebody meeting twice; the arbiter decides.": N_(
        "The {players} teams cannot all be paired without two meeting twice; the arbiter decides."
    ),
    "The {players} players cannot all be paired within the rules; the arbiter decides.": N_(
        "The {players} teams cannot all be paired within the rules; the arbiter decides."
    ),
    "So many players are kept apart that the {players} who are there cannot all be paired.": N_(
        "So many teams are kept apart that the {players} that are there cannot all be paired."
    ),
    "Beside the pairs made by hand ({pairs}) {players} players are left, and each of them has had the bye once: "
    "release a pair.": N_(
        "Beside the pairs made by hand ({pairs}) {players} teams are left, and each of them has had the bye once: "
        "release a pair."
    ),
}
"""What is said of players who cannot be paired, and the same of teams; other sentences do for both."""


def between(state: Tournament, ruleset: Ruleset) -> Tournament:
    """The tournament between the teams of ``state``. It has no halls: boards sit at tables, and teams do not."""
    return replace(
        state,
        players=tuple(_as_player(state, team, ruleset) for team in state.teams),
        teams=(),
        played=tuple(round_between(one, ruleset) for one in state.played),
        halls=(),
        top_tables=0,
    )


def rules_between(ruleset: Ruleset) -> Ruleset:
    """The rules of that tournament: where teams are ranked by their boards, a match is worth what all of them are."""
    law = ruleset.championship
    if law.team_boards is None or law.team_score == "match-points":
        return ruleset
    boards = law.team_boards
    law = replace(law, win=boards * law.win, draw=boards * law.draw, loss=boards * law.loss, bye=boards * law.bye)
    return replace(ruleset, championship=law)


def of_teams(refusal: Refusal) -> Refusal:
    """What was refused of players, said of teams."""
    return Refusal(
        refusal.reason,
        refusal.article,
        SAID_OF_TEAMS.get(refusal.message, refusal.message),
        refusal.params,
        subject=refusal.subject,
        others=refusal.others,
    )


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a match came to, the first team named first."""

    half_points: tuple[int, int]
    """The points of all its boards, times two."""
    played: bool
    """There was a game at a board."""


def match_result(one: Round, match: TeamMatch, ruleset: Ruleset) -> MatchResult | None:
    """The result of a match; None while that of a board is missing."""
    first = second = 0
    played = False
    for pairing in one.pairings:
        if pairing.match != match.number:
            continue
        result = result_of(one, pairing)
        if result is None:
            return None
        first += half_points_of(result.outcomes[0], ruleset)
        second += half_points_of(result.outcomes[1], ruleset)
        played |= result.played
    win, loss = half_points_of(Outcome.WIN, ruleset), half_points_of(Outcome.LOSS, ruleset)
    for alone in one.board_byes.values():
        if alone.match == match.number:
            first += win if alone.team_id == match.team_ids[0] else loss
            second += win if alone.team_id == match.team_ids[1] else loss
    return MatchResult((first, second), played)


def round_between(one: Round, ruleset: Ruleset) -> Round:
    """A round of matches as one of games, the points of the boards being the scores."""
    found = {str(match.number): match_result(one, match, ruleset) for match in one.matches}
    known = {match: result for match, result in found.items() if result is not None}
    scores = MappingProxyType({match: result.half_points for match, result in known.items()})
    return Round(
        one.number,
        one.phase,
        tuple(Pairing(match.number, str(match.number), match.team_ids) for match in one.matches),
        bye=one.team_bye,
        requested=one.team_byes,
        results=scores,
        decided=MappingProxyType({match: Decided(unplayed=not result.played) for match, result in known.items()}),
        half_points=scores if ruleset.championship.team_score == "board-points" else MappingProxyType({}),
        algorithm=one.algorithm,
    )


def _as_player(state: Tournament, team: Team, ruleset: Ruleset) -> Player:
    """A team as a player whose rating is the mean of those who sat at its boards in the first line-up."""
    seeded = [player for player in map(state.player, team.seeding) if player and not player.never_came]
    boards = seeded[: ruleset.championship.team_boards]
    return replace(team.entry, rating=_mean([one.rating for one in boards]), unrated=all(one.unrated for one in boards))


def _mean(ratings: Sequence[int]) -> int:
    """The mean, a half rounded up; 0 of none."""
    return (2 * sum(ratings) + len(ratings)) // (2 * len(ratings)) if ratings else 0

"""The value of opponents, and of a round without a game, for Buchholz and Berger.

The books do not define it, so the ruleset does:

``fide-dummy`` is FIDE's rule from 2024 on (C.07 art. 16). For the player's own tie-break, a round without a game is a
game against a dummy with the player's own points. The points of the dummy have a limit. For a forfeit it is the points
of the scheduled opponent; for a bye or an absence it is the points of a draw in every round. For opponents, a bye and a
forfeit count as awarded. An absence counts 0, or half a point if that was granted. Absences after the player's last
round count as draws. Of the opponents left out of a cut Buchholz, voluntarily missed rounds go first.

``fide_edition`` 2026 is the text of March 2026. A player who lost by forfeit was absent, so that an absence followed
only by absences and forfeit losses lasts to the end (16.1.2, 16.2.5). If the pairings are known before the first round,
a forfeit is a game like any other, and a round without an opponent is not a game (15.2). Under 2024 a player who lost
by forfeit was present, and article 16 applies in every system: this was the rule before editions were distinguished.

``fide-virtual`` is FIDE's rule from 2009 to 2023. The virtual opponent has the player's points before the round, the
complement of the points awarded to the player in it, and a draw for every round held since. For opponents, every round
without a game counts as a draw.

``own-score`` makes such a round a game against an opponent with the player's own points; under ``zero`` it adds 0. Both
count every opponent's points unchanged.

Points that a player carries over from an earlier stage are points like any other: they count for opponents and for the
virtual ones. No book defines that.

During a round, players who wait for their result have neither played nor missed it. The round is *pending* for them: it
is worth 0, cannot be the opponent left out of a cut, and is not an absence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from faristol.kernel.byes import Bye
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.standings.arithmetic import Basis, LeftOut, Term
from faristol.rules.standings.history import PlayerRound, Rounds
from faristol.rules.standings.results import NOTHING_CARRIED, Carried, RoundOutcome

PREDETERMINED = frozenset({"round-robin", "double-round-robin", "match", "scheveningen"})
"""Systems whose pairings are known before the first round."""


@dataclass(frozen=True)
class PlayerRounds:
    """The rounds of all players, and their values for tie-breaks."""

    rounds: Rounds
    ruleset: Ruleset
    planned: int
    """Number of rounds planned for the whole championship."""
    games: int = 1
    """Number of games of a round that give points: the boards of a match if teams are ranked by board points."""
    carried: Mapping[str, Carried] = field(default_factory=lambda: MappingProxyType({}))
    """Points and spreads that players carry over from an earlier stage; they count for opponents, too."""

    @property
    def predetermined(self) -> bool:
        """Whether the pairings are known before the first round, so that forfeits are games (FIDE C.07 15.2)."""
        law = self.ruleset.championship
        return law.fide_edition == "2026" and law.system in PREDETERMINED

    @property
    def most(self) -> float:
        """The most points from the games of a round against one opponent."""
        return self.ruleset.championship.win * self.games

    @cached_property
    def points(self) -> dict[str, float]:
        """Points of the championship by player."""
        return {
            player: sum(
                (seen.points for seen in rounds if not seen.annulled), self.carried.get(player, NOTHING_CARRIED).points
            )
            for player, rounds in self.rounds.items()
        }

    @cached_property
    def granted(self) -> dict[str, float]:
        """Additional points for missed rounds by player, which count for opponents."""
        unplayed = self.ruleset.championship.unplayed
        of = {"fide-dummy": self._after_the_last, "fide-virtual": self._add_missed_draws}.get(unplayed)
        if unplayed == "fide-dummy" and self.predetermined:
            of = None
        return dict.fromkeys(self.rounds, 0.0) if of is None else {player: of(player) for player in self.rounds}

    def after(self, rounds: Rounds, changed: Iterable[str]) -> PlayerRounds:
        """Return the field with these rounds; only those of the players in ``changed`` differ."""
        later = replace(self, rounds=rounds)
        for values in ("points", "granted"):
            known: dict[str, float] = getattr(self, values)
            anew: dict[str, float] = getattr(
                replace(self, rounds={player: rounds[player] for player in changed}), values
            )
            vars(later)[values] = known | anew
        return later

    def compute_adjusted(self, player: str) -> float:
        """Return the points of ``player`` for an opponent's tie-break."""
        return self.points[player] + self.granted[player]

    def worth(self, player: str, seen: PlayerRound) -> float:
        """Return the points of the real or virtual opponent of one round for the player's tie-breaks."""
        if seen.played and seen.opponent is not None:
            return self.compute_adjusted(seen.opponent)
        law = self.ruleset.championship
        if law.unplayed == "zero" or seen.pending:
            return 0.0
        if law.unplayed == "fide-dummy" and self.predetermined:
            return 0.0 if seen.opponent is None else self.points[seen.opponent]
        if law.unplayed == "own-score":
            return self.points[player]
        if law.unplayed == "fide-virtual":
            rounds = self.rounds[player]
            earlier = (past.points for past in rounds if past.round < seen.round and not past.annulled)
            before = sum(earlier, self.carried.get(player, NOTHING_CARRIED).points)
            return before + (law.win * self.games - seen.points) + self._draw * (rounds[-1].round - seen.round)
        if seen.opponent is not None:
            return min(self.points[player], self.compute_adjusted(seen.opponent))
        carried = self.carried.get(player, NOTHING_CARRIED).points
        return min(self.points[player], carried + self._draw * self.planned)

    @property
    def _draw(self) -> float:
        return self.ruleset.championship.draw * self.games

    def _after_the_last(self, player: str) -> float:
        later = self.ruleset.championship.fide_edition == "2026"
        granted = 0.0
        for seen in reversed(self.rounds[player]):
            if seen.annulled:
                continue
            if not seen.voluntary if later else seen.awarded:
                break
            # A loss by forfeit counts as awarded (16.3.1).
            granted += 0.0 if seen.awarded else self._draw - seen.points
        return granted

    def _add_missed_draws(self, player: str) -> float:
        missed = [seen for seen in self.rounds[player] if not (seen.played or seen.pending or seen.annulled)]
        return sum(self._draw - seen.points for seen in missed)


def make_term(
    seen: PlayerRound,
    value: float,
    *,
    outcome: RoundOutcome | None = None,
    worth: float = 0.0,
    granted: float = 0.0,
    scores: bool = False,
) -> Term:
    """Return the term of a round in a value; with ``scores`` it has the points of the game."""
    return Term(
        seen.round,
        _basis(seen),
        value,
        seen.opponent,
        outcome,
        worth,
        granted,
        seen.score if scores else 0,
        seen.against if scores else 0,
        seen.seats,
        LeftOut.ANNULLED if seen.annulled else None,
    )


def _basis(seen: PlayerRound) -> Basis:
    if seen.played:
        return Basis.GAME
    if seen.opponent is not None or seen.seats > 2:
        return Basis.FORFEIT
    if seen.sat_out is None:
        return Basis.FORFEIT if seen.awarded else Basis.ABSENCE
    return Basis.BYE if seen.sat_out is Bye.ALLOCATED else Basis.REQUESTED_BYE

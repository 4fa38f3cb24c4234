"""The bracket of a knock-out tournament, from its rounds. Pure."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Ruleset, derive_seed
from faristol.rules.standings.bracket import Bracket, MatchFormat, arrange_seeds, follow_bracket
from faristol.tournament.rounds.ranking import left_of, results_of
from faristol.tournament.state import Phase, TournamentState

ALGORITHM = "knock-out-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""


def order_of(ranking: Sequence[str], ruleset: Ruleset, seed: bytes) -> tuple[str, ...]:
    """Return the players in the order in which they are placed in the bracket: by their ranking, or by lot."""
    if ruleset.championship.bracket == "seeded":
        return tuple(ranking)
    drawn = derive_seed(seed, "bracket")
    return tuple(sorted(ranking, key=lambda player_id: hmac.digest(drawn, player_id.encode(), "sha256")))


def bracket_of(state: TournamentState, ruleset: Ruleset, seeds: Sequence[str] = ()) -> Bracket:
    """Return the bracket after the results so far; ``seeds`` are those of the first round if it is not paired yet."""
    results = [result for played in state.played for result in results_of(played)]
    slots = arrange_seeds(state.seeds or seeds)
    return follow_bracket(slots, MatchFormat.of(ruleset), results, left_of(state))


def is_decided(state: TournamentState, ruleset: Ruleset) -> bool:
    """Check whether the tournament is a knock-out without a match left to play, and with all rounds closed."""
    if ruleset.championship.system != "knock-out" or not state.seeds:
        return False
    closed = all(played.phase is Phase.CLOSED for played in state.played)
    return closed and bracket_of(state, ruleset).is_decided


def build_no_match_refusal(bracket: Bracket, ruleset: Ruleset) -> Refusal:
    """Return the refusal of a round without a match that can be played."""
    article = ruleset.article("championship.system")
    if bracket.is_decided:
        return Refusal("KNOCK_OUT_DECIDED", N_("The knock-out is decided: no match is left to play."), article=article)
    waiting = "; ".join(" – ".join(match.players) for match in bracket.open_matches)
    text = N_("No match can go on: a player of each has a bye or is excluded: {players}.")
    return Refusal("MATCHES_WAIT", text, {"players": waiting}, article=article)

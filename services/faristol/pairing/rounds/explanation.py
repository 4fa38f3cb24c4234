"""Explanations of why two players meet in a round or do not. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Param, Refusal
from faristol.pairing.engines import swiss
from faristol.pairing.engines.swiss import Entrant
from faristol.pairing.rounds.ranking import by_standing, entrants, initial_ranking, standing_of
from faristol.pairing.rounds.systems import CYCLES, by_table, dutch_round, losers_by_absence, of_algorithm
from faristol.pairing.state import RoundState, TournamentState
from faristol.rules import Ruleset, derive_seed
from faristol.rules.championship import SYSTEMS_BY_LOT

BYE_LOWEST = N_(
    "{one} has the bye: of the players without a bye so far, the lowest whose absence leaves the others pairable."
)
BYE_TABLE = N_("{one} has the bye by the table of rounds.")
BYE_BY_HAND = N_("{one} has the bye: the arbiter paired all other players by hand.")
BYE_GRANTED = N_("{one} sits out this round: a bye was granted.")
OPPONENT_GONE = N_("By the table of rounds {one} would meet {other}, but {other} is not in this round.")
NEIGHBOURS = N_("King of the hill: {one} and {other} stand next to each other in the standings.")
NEAREST_APART = N_(
    "King of the hill: some players are kept apart, so each meets the nearest in the standings that "
    "lets all be paired: {one} meets {other}."
)
NOT_NEAREST_APART = N_(
    "King of the hill: some players are kept apart, so each meets the nearest in the standings that "
    "lets all be paired: {one} and {other} do not meet."
)
NOT_NEIGHBOURS = N_(
    "King of the hill: each player meets the next in the standings, and {one} and {other} are not next to each other."
)
BY_TABLE = N_("By the table of rounds {one} meets {other} in another round.")
MEET = N_("{one} and {other} meet in this round.")
BY_HAND = N_("The arbiter paired {one} and {other} by hand.")
PAIRED_WITH_OTHERS = N_("The arbiter paired {one} or {other} with another player by hand.")
MET = N_("{one} and {other} have met before.")
FORBIDDEN = N_("{one} and {other} are kept apart.")
HALVES = N_("In the first round the top half meets the bottom half: {one} meets {other}.")
OTHER_HALVES = N_(
    "In the first round the top half meets the bottom half: {one} and {other} are not opposite each other."
)
NEAREST = N_("{one} and {other} are in the pairing with the least distance between opponents.")
NO_OTHER = N_("If {one} met {other}, the others could not all be paired.")
FARTHER = N_("If {one} met {other}, the squares of the distances in points would add up to {theirs}, not {mine}.")
LOWER = N_("If {one} met {other}, the squares of the distances in rank would add up to {theirs}, not {mine}.")
FIRST_BY_LOT = N_("The first round is drawn by lot: {one} meets {other}.")
TOGETHER_BY_LOT = N_("The draw paired {one} with {others}.")
APART_BY_LOT = N_("The draw did not pair {one} and {other}.")
BY_LOT = N_("If {one} met {other}, the distances would be the same: the draw decided.")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason for a pair, or against it."""

    reason: str
    """A code for programs, or a criterion of FIDE C.04.3."""
    article: str
    message: str
    """The msgid of the sentence."""
    params: dict[str, Param]


def explain(
    before: TournamentState,
    ruleset: Ruleset,
    paired: RoundState,
    player_id: str,
    other: str,
    standing: Callable[[], Sequence[str]] | None = None,
) -> Explanation:
    """Explain the opponent of ``player_id`` in a round, or, with ``other``, why the two do not meet.

    ``before`` is the tournament before the pairing. ``standing`` returns player ids in the order of the standings, if
    these do not follow from the games of ``before``. Raises ``Refusal`` for a player who is not in the round.
    """
    there = {player for table in paired.pairings for player in table.player_ids} | {paired.bye, *paired.requested}
    asked = [asked_for for asked_for in (player_id, other) if asked_for]
    for asked_for in asked:
        if asked_for not in there:
            raise not_in_round(asked_for, paired.number)
    for asked_for in asked:
        if resting := _resting(before, ruleset, paired, asked_for):
            return resting
    system = of_algorithm(paired.algorithm) or ruleset.championship.system
    if system == "dutch":
        return _dutch(before, ruleset, paired, player_id, other)
    if ruleset.championship.system == "lot":
        found = next(table.player_ids for table in paired.pairings if player_id in table.player_ids)
        article = ruleset.article("championship.system")
        if other and other not in found:
            return Explanation("lot", article, APART_BY_LOT, {"one": player_id, "other": other})
        others = ", ".join(player for player in found if player != player_id)
        return Explanation("lot", article, TOGETHER_BY_LOT, {"one": player_id, "others": others})
    opponent = next((other for pair in _pairs(paired) if player_id in pair for other in pair if other != player_id), "")
    if not opponent or (not other and paired.bye == player_id):
        in_cycles = ruleset.championship.system in CYCLES
        article = ruleset.article("championship.system" if in_cycles else "championship.bye")
        if system == "by-hand":
            return Explanation("bye", "FIDE C.04.3 1.9.3", BYE_BY_HAND, {"one": player_id})
        return Explanation("bye", article, BYE_TABLE if in_cycles else BYE_LOWEST, {"one": player_id})
    names: dict[str, Param] = {"one": player_id, "other": other or opponent}
    article = ruleset.article("championship.system")
    by_hand = [set(pair) for pair in before.kept_pairs(paired.number)]
    apart = any(pair <= there for pair in before.forbidden)
    if not other or other == opponent:
        if {player_id, opponent} in by_hand:
            return Explanation("by-hand", "FIDE C.04.3 1.9.3", BY_HAND, names)
        if system == "king-of-the-hill":
            return Explanation(system, "", NEAREST_APART if apart else NEIGHBOURS, names)
        if other or ruleset.championship.system in {*CYCLES, "match"}:
            return Explanation("meet", article, MEET, names)
        if paired.number == 1 and ruleset.championship.system in SYSTEMS_BY_LOT:
            return Explanation("first", article, FIRST_BY_LOT, names)
        return Explanation("first", article, HALVES if paired.number == 1 else NEAREST, names)
    if any({player_id, other} & pair for pair in by_hand):
        return Explanation("kept", "FIDE C.04.3 1.9.3", PAIRED_WITH_OTHERS, names)
    if system == "king-of-the-hill":
        if frozenset((player_id, other)) in before.forbidden:
            return Explanation("forbidden", "", FORBIDDEN, names)
        return Explanation(system, "", NOT_NEAREST_APART if apart else NOT_NEIGHBOURS, names)
    if ruleset.championship.system in CYCLES:
        return Explanation("table", article, BY_TABLE, names)
    everybody = entrants(before, ruleset)
    if system.startswith("classification") and paired.number > 1:
        everybody = by_standing(everybody, standing() if standing else standing_of(before, ruleset))
    return _distance(before, ruleset, paired, names, everybody)


def not_in_round(player_id: str, number: int) -> Refusal:
    """Return the refusal for a player who is not in a round."""
    return Refusal(
        "NOT_IN_ROUND", "", N_("{player} is not paired in round {round}."), {"player": player_id, "round": number}
    )


def _resting(before: TournamentState, ruleset: Ruleset, paired: RoundState, player_id: str) -> Explanation | None:
    """Explain a bye that the pairing did not give, by a granted bye or an absent opponent. Returns None otherwise."""
    player = before.player(player_id)
    if player_id in paired.requested and player is not None and paired.number in player.byes:
        return Explanation("bye-granted", "", BYE_GRANTED, {"one": player_id})
    pair = next((table.player_ids for table in paired.pairings if player_id in table.player_ids), ())
    if gone := losers_by_absence(before, ruleset, paired.number, pair):
        names: dict[str, Param] = {
            "one": next((player_id for player_id in pair if player_id not in gone), pair[0]),
            "other": gone[-1],
        }
        return Explanation("opponent-gone", ruleset.article("championship.not_there"), OPPONENT_GONE, names)
    by_berger = (of_algorithm(paired.algorithm) or ruleset.championship.system) in CYCLES
    if not by_berger or player_id not in {paired.bye, *paired.requested}:
        return None
    _, table = by_table(before, ruleset, paired.number)
    opponent = next((other for pair in table.pairs if player_id in pair for other in pair if other != player_id), "")
    if not opponent:
        return None
    article = ruleset.article("championship.system")
    return Explanation("opponent-gone", article, OPPONENT_GONE, {"one": player_id, "other": opponent})


def _pairs(paired: RoundState) -> list[tuple[str, str]]:
    return [table.pair for table in paired.pairings]


def _distance(
    before: TournamentState, ruleset: Ruleset, paired: RoundState, names: dict[str, Param], in_order: Sequence[Entrant]
) -> Explanation:
    """Explain why a pair is not part of the pairing of least distance: the first criterion it makes worse.

    ``in_order`` is all entrants in the order of pairing.
    """
    article = ruleset.article("championship.system")
    by_hand = {player_id for pair in before.kept_pairs(paired.number) for player_id in pair}
    everybody = [entrant for entrant in in_order if entrant.player_id not in by_hand]
    of = {entrant.player_id: entrant for entrant in everybody}
    first, other = of[str(names["one"])], of[str(names["other"])]
    if other.player_id in first.opponents:
        return Explanation("met", article, MET, names)
    if other.player_id in first.apart:
        return Explanation("forbidden", "", FORBIDDEN, names)
    if paired.number == 1 and ruleset.championship.system in SYSTEMS_BY_LOT:
        return Explanation("lot", article, APART_BY_LOT, names)
    if paired.number == 1:
        return Explanation("halves", article, OTHER_HALVES, names)
    seed = derive_seed(before.seed, f"pairing round {paired.number}")
    rest = [player for player in everybody if player not in (first, other)]
    try:
        best = swiss.pair_next(rest, seed, rounds_after=before.rounds - paired.number)
    except Refusal:
        return Explanation("no-other", "FIDE C.04.1 1.9.3", NO_OTHER, names)
    theirs = _measure(everybody, [*best.pairs, (first.player_id, other.player_id)])
    mine = _measure(everybody, [pair for pair in _pairs(paired) if not by_hand & set(pair)])
    for message, here, there in ((FARTHER, mine[0], theirs[0]), (LOWER, mine[1], theirs[1])):
        if here != there:
            return Explanation("distance", article, message, {**names, "mine": here, "theirs": there})
    return Explanation("lot", article, BY_LOT, names)


def _measure(everybody: Sequence[Entrant], pairs: Sequence[tuple[str, str]]) -> tuple[float, int]:
    """Return the sums of squared distances of a pairing, in points and in ranks."""
    place = {entrant.player_id: index for index, entrant in enumerate(everybody)}
    points = {entrant.player_id: entrant.half_points for entrant in everybody}
    quarters = sum((points[first] - points[other]) ** 2 for first, other in pairs)
    return quarters / 4, sum((place[first] - place[other]) ** 2 for first, other in pairs)


def _dutch(before: TournamentState, ruleset: Ruleset, paired: RoundState, player_id: str, other: str) -> Explanation:
    from faristol.pairing.engines.dutch.pairing import pair_round  # deferred: it imports numba
    from faristol.pairing.engines.dutch.why import why, why_not

    a_round = dutch_round(before, ruleset, paired.number)
    ranking = initial_ranking(before)
    number_of = {player_id: place for place, player_id in enumerate(ranking, 1)}
    again = pair_round(a_round)
    number = number_of[player_id]
    reason = why_not(a_round, again, number, number_of[other]) if other else why(a_round, again, number)
    names: dict[str, Param] = {
        key: ranking[value - 1] if isinstance(value, int) and value else value for key, value in reason.params.items()
    }
    return Explanation(reason.name, reason.article, reason.message, names)

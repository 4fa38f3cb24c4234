"""Explanations of why two players meet in a round or do not. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from faristol.kernel.refusal import N_, Param, Refusal
from faristol.rules import Ruleset, derive_seed
from faristol.rules.championship import SYSTEMS_BY_LOT
from faristol.rules.standings.bracket import MatchFormat
from faristol.tournament.engines import swiss
from faristol.tournament.engines.swiss import Entrant
from faristol.tournament.rounds.knock_out import bracket_of
from faristol.tournament.rounds.ranking import by_standing, entrants, initial_ranking, standing_of
from faristol.tournament.rounds.systems import (
    CYCLES,
    by_table,
    dutch_round,
    losers_by_absence,
    of_algorithm,
)
from faristol.tournament.state import RoundState, TournamentState

BYE_LOWEST = N_(
    "{one} has the bye: of the players without a bye so far, the lowest whose absence leaves the others pairable."
)
BYE_TABLE = N_("{one} has the bye by the table of rounds.")
BYE_BY_HAND = N_("{one} has the bye: the arbiter paired all other players by hand.")
BYE_GRANTED = N_("{one} sits out this round: a bye was granted.")
OPPONENT_GONE = N_("By the table of rounds {one} would meet {other}, but {other} is not in this round.")
NEIGHBOURS = N_("King of the hill: {one} and {other} are next to each other in the standings.")
NEAREST_APART = N_(
    "King of the hill: some players are kept apart, so each meets the nearest opponent in the "
    "standings with whom all can be paired: {one} meets {other}."
)
NOT_NEAREST_APART = N_(
    "King of the hill: some players are kept apart, so each meets the nearest opponent in the "
    "standings with whom all can be paired: {one} and {other} do not meet."
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
BRACKET_DECIDES = N_("By the bracket {one} and {other} do not meet in this round.")
GAME_OF_MATCH = N_(
    "Game {game} of at most {games} of the match between {one} (seed {first_seed}) and {other} (seed {second_seed}), "
    "for the places {best} to {worst}."
)
EXTRA_GAME_OF_MATCH = N_(
    "A further game of the match between {one} (seed {first_seed}) and {other} (seed {second_seed}): after {games} "
    "games it was not decided."
)
GAME_OF_REPECHAGE = N_(
    "Game {game} of at most {games} of the repechage between {one} (seed {first_seed}) and {other} (seed "
    "{second_seed}): the winner has a second way in."
)
BYE_OF_LEVEL = N_("{one} has no opponent at this level of the bracket, and waits for the next one.")
WAITS_AFTER_MATCH = N_(
    "{one} won the match against {other}, and waits until the other matches of this level are decided: {players}."
)
WAITS_AFTER_LOSS = N_(
    "{one} lost the match against {other}, and plays for the places {best} to {worst} when the other matches of this "
    "level are decided: {players}."
)
WAITS_FOR_REPECHAGE = N_(
    "{one} lost the match against {other}, and plays in the repechage when the other matches of this level are "
    "decided: {players}."
)
OUT_AFTER_MATCH = N_("{one} lost the match against {other}, and is out.")
OPPONENT_AWAY = N_("The match between {one} and {other} waits: {absent} does not play in this round.")
FROM_TOP = N_("Monrad: from the top, {one} meets {other}, the nearest player not met that leaves the others pairable.")
NOT_FROM_TOP = N_(
    "Monrad: from the top, each player meets the nearest one not met that leaves the others pairable: {one} meets "
    "{theirs}."
)
BY_KEIZER = N_(
    "Keizer: {one} (place {first_place}) meets {other} (place {second_place}), the nearest of the players met least "
    "often; earlier games of the two: {games}."
)
NOT_BY_KEIZER = N_(
    "Keizer: from the top, each player meets the nearest of the players met least often: {one} meets {theirs}. Earlier "
    "games of {one} and {other}: {games}."
)
BYE_FEWEST = N_("{one} has the bye: of the players with the fewest byes so far, the last in the standings.")
OF_SIDES = N_("By the table of the sides {one} ({side}) meets {other} ({other_side}) in this round.")
OPPONENT_AWAY_OF_SIDES = N_("{one} has a full-point bye: the opponent by the table of the sides is not in this round.")
SAME_SIDE = N_("{one} and {other} are on the same side ({side}): they never meet.")
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
    asked = _Question(before, ruleset, paired, player_id, other, standing or partial(standing_of, before, ruleset))
    for name in filter(None, (player_id, other)):
        if name not in asked.there:
            waiting = _explain_waiting(asked, name) if asked.system == "knock-out" else None
            if waiting is None:
                raise not_in_round(name, paired.number)
            return waiting
    for name in filter(None, (player_id, other)):
        if resting := _resting(before, ruleset, paired, name):
            return resting
    return _SYSTEMS.get(asked.system, _explain_swiss)(asked)


@dataclass(frozen=True)
class _Question:
    """A question about a player and an opponent, or about a player only."""

    before: TournamentState
    """The tournament before the pairing."""
    ruleset: Ruleset
    paired: RoundState
    player_id: str
    other: str
    """Empty for a question about the player's opponent."""
    standing: Callable[[], Sequence[str]]
    """Returns player ids in the order of the standings."""

    @cached_property
    def there(self) -> frozenset[str]:
        """The players of the round, with and without an opponent."""
        seated = {player for table in self.paired.pairings for player in table.player_ids}
        return frozenset({*seated, *self.paired.requested, *([self.paired.bye] if self.paired.bye else [])})

    @property
    def system(self) -> str:
        """The system of the round."""
        return of_algorithm(self.paired.algorithm) or self.ruleset.championship.system

    @property
    def article(self) -> str:
        """The article of the system."""
        return self.ruleset.article("championship.system")

    @cached_property
    def opponent(self) -> str:
        """The player's opponent; empty without one."""
        found = next((pair for pair in _pairs(self.paired) if self.player_id in pair), ())
        return next((player_id for player_id in found if player_id != self.player_id), "")

    @property
    def is_of_bye(self) -> bool:
        """Whether the answer is that the player has the bye."""
        return not self.opponent or (not self.other and self.paired.bye == self.player_id)

    @property
    def meets(self) -> bool:
        """Whether the question is about the player's opponent."""
        return self.other in ("", self.opponent)

    @property
    def names(self) -> dict[str, Param]:
        """The parameters of the sentences."""
        return {"one": self.player_id, "other": self.other or self.opponent}

    @property
    def is_any_pair_forbidden(self) -> bool:
        """Whether two players of the round are a forbidden pair."""
        return any(pair <= self.there for pair in self.before.forbidden)


def _explain_pair_by_hand(asked: _Question) -> Explanation | None:
    """Explain a pair that the arbiter made, or that excludes another pair. Returns None for any other pair."""
    by_hand = [set(pair) for pair in asked.before.kept_pairs(asked.paired.number)]
    if asked.meets:
        if {asked.player_id, asked.opponent} in by_hand:
            return Explanation("by-hand", "FIDE C.04.3 1.9.3", BY_HAND, asked.names)
    elif any({asked.player_id, asked.other} & pair for pair in by_hand):
        return Explanation("kept", "FIDE C.04.3 1.9.3", PAIRED_WITH_OTHERS, asked.names)
    return None


def _explain_exception(asked: _Question, bye: str = BYE_LOWEST) -> Explanation | None:
    """Explain the bye, with the sentence ``bye``, or a pair by hand. Returns None for any other pair."""
    if asked.is_of_bye:
        return Explanation("bye", asked.ruleset.article("championship.bye"), bye, {"one": asked.player_id})
    return _explain_pair_by_hand(asked)


def _explain_by_hand(asked: _Question) -> Explanation:
    if asked.is_of_bye:
        return Explanation("bye", "FIDE C.04.3 1.9.3", BYE_BY_HAND, {"one": asked.player_id})
    return _explain_swiss(asked)


def _explain_swiss(asked: _Question) -> Explanation:
    """Explain a round with the least distance between opponents (FISC I.1)."""
    before, ruleset, paired = asked.before, asked.ruleset, asked.paired
    if exception := _explain_exception(asked):
        return exception
    if asked.meets:
        if asked.other:
            return Explanation("meet", asked.article, MEET, asked.names)
        if paired.number == 1 and ruleset.championship.system in SYSTEMS_BY_LOT:
            return Explanation("first", asked.article, FIRST_BY_LOT, asked.names)
        is_halved = paired.number == 1 and ruleset.championship.acceleration == "none"
        return Explanation("first", asked.article, HALVES if is_halved else NEAREST, asked.names)
    everybody = entrants(before, ruleset)
    if asked.system.startswith("classification") and paired.number > 1:
        everybody = by_standing(everybody, asked.standing())
    return _distance(before, ruleset, paired, asked.names, everybody)


def _explain_king(asked: _Question) -> Explanation:
    """Explain a round of king of the hill: each player meets the next in the standings."""
    if exception := _explain_exception(asked):
        return exception
    if not asked.meets and frozenset((asked.player_id, asked.other)) in asked.before.forbidden:
        return Explanation("forbidden", "", FORBIDDEN, asked.names)
    apart = asked.is_any_pair_forbidden
    meet, do_not_meet = (NEAREST_APART, NOT_NEAREST_APART) if apart else (NEIGHBOURS, NOT_NEIGHBOURS)
    return Explanation(asked.system, "", meet if asked.meets else do_not_meet, asked.names)


def _explain_cycle(asked: _Question) -> Explanation:
    """Explain a round of a round robin, which follows from the table of rounds (FIDE C.05)."""
    if asked.is_of_bye:
        return Explanation("bye", asked.article, BYE_TABLE, {"one": asked.player_id})
    if asked.meets:
        return Explanation("meet", asked.article, MEET, asked.names)
    return Explanation("table", asked.article, BY_TABLE, asked.names)


def _explain_monrad(asked: _Question) -> Explanation:
    """Explain a round that is paired from the top without rematches."""
    if exception := _explain_exception(asked):
        return exception
    if asked.meets:
        return Explanation("top", asked.article, FROM_TOP, asked.names)
    entrant = next(each for each in entrants(asked.before, asked.ruleset) if each.player_id == asked.player_id)
    if asked.other in entrant.opponents:
        return Explanation("met", asked.article, MET, asked.names)
    if asked.other in entrant.apart:
        return Explanation("forbidden", "", FORBIDDEN, asked.names)
    return Explanation("top", asked.article, NOT_FROM_TOP, {**asked.names, "theirs": asked.opponent})


def _explain_keizer(asked: _Question) -> Explanation:
    """Explain a round of Keizer's system: neighbours in its standings that have met least often."""
    if exception := _explain_exception(asked, BYE_FEWEST):
        return exception
    if not asked.meets and frozenset((asked.player_id, asked.other)) in asked.before.forbidden:
        return Explanation("forbidden", "", FORBIDDEN, asked.names)
    pair = {str(asked.names["one"]), str(asked.names["other"])}
    games = sum(pair == {*table.player_ids} for played in asked.before.played for table in played.pairings)
    if not asked.meets:
        return Explanation(
            "keizer", asked.article, NOT_BY_KEIZER, {**asked.names, "theirs": asked.opponent, "games": games}
        )
    place_of = {player_id: place for place, player_id in enumerate(asked.standing(), 1)}
    places: dict[str, Param] = {
        "first_place": place_of[asked.player_id],
        "second_place": place_of[str(asked.names["other"])],
    }
    return Explanation("keizer", asked.article, BY_KEIZER, {**asked.names, **places, "games": games})


def _explain_sides(asked: _Question) -> Explanation:
    """Explain a round of a Scheveningen tournament, which follows from the table of its sides."""
    if asked.is_of_bye:
        granted = asked.player_id in asked.paired.requested
        return Explanation(
            "bye", asked.article, OPPONENT_AWAY_OF_SIDES if granted else BYE_TABLE, {"one": asked.player_id}
        )
    side_of = {player.player_id: player.category for player in asked.before.players}
    one, other = str(asked.names["one"]), str(asked.names["other"])
    sides: dict[str, Param] = {**asked.names, "side": side_of[one], "other_side": side_of[other]}
    if asked.meets:
        return Explanation("sides", asked.article, OF_SIDES, sides)
    if side_of[one] == side_of[other]:
        return Explanation("same-side", asked.article, SAME_SIDE, sides)
    return Explanation("table", asked.article, BY_TABLE, asked.names)


def _explain_match(asked: _Question) -> Explanation:
    """Explain a round of a match, which has one pair."""
    return Explanation("meet", asked.article, MEET, asked.names)


def _explain_knock_out(asked: _Question) -> Explanation:
    """Explain a round of a knock-out: the next game of the matches of the bracket that are not decided."""
    seeds = asked.before.seeds or asked.paired.seeds
    bracket = bracket_of(asked.before, asked.ruleset, seeds)
    match = next((each for each in bracket.open_matches if asked.player_id in each.players), None)
    if match is None or not asked.meets:
        return Explanation("bracket", asked.article, BRACKET_DECIDES, asked.names)
    seed_of = {player_id: place for place, player_id in enumerate(seeds, 1)}
    params: dict[str, Param] = {
        **asked.names,
        "first_seed": seed_of[asked.player_id],
        "second_seed": seed_of[str(asked.names["other"])],
        "game": len(match.games) + 1,
        "games": match.most_games,
        "best": match.first_place,
        "worst": match.last_place,
    }
    if len(match.games) >= match.most_games:
        return Explanation("extra-game", asked.article, EXTRA_GAME_OF_MATCH, params)
    return Explanation("bracket", asked.article, GAME_OF_REPECHAGE if match.repechage else GAME_OF_MATCH, params)


def _explain_waiting(asked: _Question, player_id: str) -> Explanation | None:
    """Explain why a player of the bracket has no game in a round of a knock-out. Return None for any other player."""
    bracket = bracket_of(asked.before, asked.ruleset, asked.before.seeds or asked.paired.seeds)
    own = [match for match in bracket.matches if player_id in match.players]
    if not own:
        return None
    match = own[-1]
    other = next((each for each in match.players if each != player_id), "")
    names: dict[str, Param] = {"one": player_id, "other": other}
    if match.decided_by is None:
        playing = {player.player_id for player in asked.before.to_pair(asked.paired.number)}
        absent = ", ".join(each for each in match.players if each not in playing)
        return Explanation("waits", asked.article, OPPONENT_AWAY, {**names, "absent": absent}) if absent else None
    if not other:
        return Explanation("waits", asked.article, BYE_OF_LEVEL, {"one": player_id})
    still = "; ".join(" – ".join(each.players) for each in bracket.open_matches)
    if match.winner == player_id:
        return Explanation("waits", asked.article, WAITS_AFTER_MATCH, {**names, "players": still})
    form = MatchFormat.of(asked.ruleset)
    params: dict[str, Param] = {**names, "players": still}
    if form.repechage and match.level <= form.repechage and not match.repechage:
        if match.level == form.repechage:
            return Explanation("waits", asked.article, WAITS_FOR_REPECHAGE, params)
        return Explanation("out", asked.article, OUT_AFTER_MATCH, names)
    players = 1 << (bracket.levels - match.level)  # of the losers' group, which has as many places
    best = match.first_place + players
    if match.repechage or players < 2 or best >= max(form.placed, 2):
        return Explanation("out", asked.article, OUT_AFTER_MATCH, names)
    params |= {"best": best, "worst": best + players - 1}
    return Explanation("waits", asked.article, WAITS_AFTER_LOSS, params)


def _explain_lot(asked: _Question) -> Explanation:
    """Explain a round whose tables are drawn by lot."""
    found = next(table.player_ids for table in asked.paired.pairings if asked.player_id in table.player_ids)
    if asked.other and asked.other not in found:
        return Explanation("lot", asked.article, APART_BY_LOT, asked.names)
    others = ", ".join(player for player in found if player != asked.player_id)
    return Explanation("lot", asked.article, TOGETHER_BY_LOT, {"one": asked.player_id, "others": others})


def _explain_dutch(asked: _Question) -> Explanation:
    from faristol.tournament.engines.dutch.pairing import pair_round  # deferred: it imports numba
    from faristol.tournament.pairing_explanations.dutch import why, why_not

    a_round = dutch_round(asked.before, asked.ruleset, asked.paired.number)
    ranking = initial_ranking(asked.before)
    number_of = {player_id: place for place, player_id in enumerate(ranking, 1)}
    again = pair_round(a_round)
    number = number_of[asked.player_id]
    reason = why_not(a_round, again, number, number_of[asked.other]) if asked.other else why(a_round, again, number)
    names: dict[str, Param] = {
        key: ranking[value - 1] if isinstance(value, int) and value else value for key, value in reason.params.items()
    }
    return Explanation(reason.name, reason.article, reason.message, names)


_SYSTEMS: Mapping[str, Callable[[_Question], Explanation]] = {
    "dutch": _explain_dutch,
    "king-of-the-hill": _explain_king,
    "monrad": _explain_monrad,
    "keizer": _explain_keizer,
    "scheveningen": _explain_sides,
    "by-hand": _explain_by_hand,
    "match": _explain_match,
    "knock-out": _explain_knock_out,
    "lot": _explain_lot,
    **dict.fromkeys(CYCLES, _explain_cycle),
}
"""The explanation of each system; the others pair by the least distance."""


def not_in_round(player_id: str, number: int) -> Refusal:
    """Return the refusal for a player who is not in a round."""
    return Refusal(
        "NOT_IN_ROUND", N_("{player} is not paired in round {round}."), {"player": player_id, "round": number}
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

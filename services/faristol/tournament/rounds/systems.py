"""The pairing systems of a tournament, and the input of each. Pure."""

from __future__ import annotations

import hashlib
import hmac
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Bye, Ruleset, derive_seed
from faristol.rules.championship import SYSTEMS_BY_LOT
from faristol.rules.standings import is_rest
from faristol.rules.standings.bracket import MatchFormat, most_rounds_of
from faristol.tournament.engines import keizer, king, lot, match, monrad, round_robin, scheveningen, swiss
from faristol.tournament.engines.dutch import player as dutch
from faristol.tournament.engines.dutch.digest import digest, draw_initial_colour
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchRound, Float
from faristol.tournament.engines.swiss import Entrant
from faristol.tournament.rounds import knock_out
from faristol.tournament.rounds.past import Past, past_of
from faristol.tournament.rounds.ranking import (
    by_standing,
    entrants,
    in_order,
    initial_ranking,
    standing_of,
    virtual_half_points,
)
from faristol.tournament.state import PlayerState, TournamentState

CYCLES = {"round-robin": 1, "double-round-robin": 2}
"""How many times each pair meets, by system."""

BY_HAND_ALGORITHM = "by-hand-1"
"""``RoundPaired.algorithm`` of a round with all pairs made by hand."""

CLASSIFICATION_ALGORITHM = "swiss-classification-1"
"""``RoundPaired.algorithm`` of a round with the least distances in the standings."""

DUPLICATE_ALGORITHM = "duplicate-1"
"""``RoundPaired.algorithm`` of a duplicate game."""

SINGLE_ROUND_SYSTEMS = ("classification", "swiss", "dutch", "king-of-the-hill", "by-hand")
"""Systems that a single round can have, if pairs can be made by hand in the tournament."""

SYSTEMS_WITHOUT_HAND_PAIRS = frozenset({*CYCLES, "scheveningen", "match", "knock-out", "lot", "duplicate"})
"""Systems without pairs made by hand: a table of rounds, a match, a bracket or a lot decides, or there are no pairs."""

SIDES_COUNT = 2
"""Sides of a Scheveningen tournament."""

_HALF_POINT_FACTOR = 5
"""Tenths of a point in half a point."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A round as paired by a system."""

    tables: tuple[tuple[str, ...], ...]
    """In order: of two, the higher-ranked or starting player first; of more, in the order of turns."""
    bye: str | None
    algorithm: str
    requested: tuple[tuple[str, Bye], ...]
    """Byes other than that of the pairing."""
    inputs: str
    """SHA-256 of the inputs of the pairing; empty if it depends only on the record before it."""
    seeds: tuple[str, ...] = ()
    """In the first round of a knock-out: its players in the order in which they are placed in the bracket."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """A rule that the arbiter may set aside, and the exceptions."""

    way: str
    players: tuple[tuple[str, ...], ...]
    """Pairs to meet, or single players to have the bye."""
    message: str
    """The msgid of the sentence, with the parameter ``players``."""

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the sentence."""
        return {"players": "; ".join(" – ".join(group) for group in self.players)}


@dataclass(frozen=True)
class RoundToPair:
    """The input of a system for the round to pair."""

    state: TournamentState
    ruleset: Ruleset
    number: int
    seed: bytes
    """Seed of the lots."""
    standing: Callable[[], Sequence[str]]
    """Returns player ids in the order of the standings; called only by a system that depends on them."""

    @cached_property
    def there(self) -> tuple[PlayerState, ...]:
        """The players who can be paired, in the order of registration."""
        return self.state.to_pair(self.number)

    @cached_property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """The pairs made by hand."""
        return self.state.kept_pairs(self.number)

    @cached_property
    def left(self) -> list[Entrant]:
        """The entrants without a pair made by hand, in the order of pairing."""
        by_hand = frozenset(player_id for pair in self.kept for player_id in pair)
        return [entrant for entrant in entrants(self.state, self.ruleset) if entrant.player_id not in by_hand]

    def proposal(
        self, tables: Iterable[tuple[str, ...]], bye: str | None, algorithm: str, inputs: str = ""
    ) -> Proposal:
        """Build the proposal with these tables, and with the byes granted for the round."""
        return Proposal(tuple(tables), bye, algorithm, requested_byes(self.state, self.number), inputs)


def propose(
    state: TournamentState,
    ruleset: Ruleset,
    number: int,
    seed: bytes,
    of_round: str = "",
    *,
    standing: Callable[[], Sequence[str]] | None = None,
) -> Proposal:
    """Pair round ``number`` by the system of the rules, or by ``of_round`` unless it is empty.

    ``seed`` is that of the lots. ``standing`` returns player ids in the order of the standings, if these do not follow
    from the games of ``state``.
    """
    system = _system_of_round(ruleset, of_round) if of_round else ruleset.championship.system
    to_pair = RoundToPair(state, ruleset, number, seed, standing or partial(standing_of, state, ruleset))
    try:
        return PAIRING_FUNCTIONS[system](to_pair)
    except Refusal as refusal:
        if not to_pair.kept or refusal.reason not in swiss.IMPOSSIBLE:
            raise
        raise _beside(to_pair.kept, refusal) from None


def _system_of_round(ruleset: Ruleset, wanted: str) -> str:
    """Return the system of a single round. Raises ``Invalid`` if unknown, ``Refusal`` if a round can have none."""
    if wanted not in SINGLE_ROUND_SYSTEMS:
        known = ", ".join(SINGLE_ROUND_SYSTEMS)
        raise Invalid("system", N_("is {given}; expected one of {known}"), {"given": wanted, "known": known})
    if ruleset.championship.system in SYSTEMS_WITHOUT_HAND_PAIRS:
        raise Refusal(
            "SYSTEM_FIXED",
            N_("The pairings follow from the whole tournament here ({system}): a round cannot have its own system."),
            {"system": ruleset.championship.system},
            article=ruleset.article("championship.system"),
        )
    return wanted


def _by_hand(to_pair: RoundToPair) -> Proposal:
    """Return the pairs made by hand, which must cover all players. If the number is odd, one has the bye."""
    if len(to_pair.left) > 1:
        by_hand = {player_id for pair in to_pair.kept for player_id in pair}
        left = [player.player_id for player in in_order(to_pair.there) if player.player_id not in by_hand]
        raise Refusal(
            "PAIRS_MISSING",
            N_("Round {round} is paired by hand, and these players have no opponent: {players}."),
            {"round": to_pair.number, "players": ", ".join(left)},
            subject=f"rounds/{to_pair.number}",
        )
    bye = to_pair.left[0].player_id if to_pair.left else None
    return to_pair.proposal(to_pair.kept, bye, BY_HAND_ALGORITHM)


def _king(to_pair: RoundToPair) -> Proposal:
    left = {entrant.player_id: entrant for entrant in to_pair.left}
    standing = [player_id for player_id in to_pair.standing() if player_id in left]
    had_bye = {player_id for player_id, entrant in left.items() if entrant.had_bye}
    pairs, bye = king.pair_neighbours(standing, had_bye, to_pair.state.forbidden)
    return to_pair.proposal((*pairs, *to_pair.kept), bye, king.ALGORITHM, _hash_inputs(*standing, to_pair.number))


def _hash_inputs(*inputs: object) -> str:
    """Return the SHA-256 of the inputs of a pairing, one per line."""
    return hashlib.sha256("\n".join(map(str, inputs)).encode()).hexdigest()


def _lot(to_pair: RoundToPair) -> Proposal:
    there = [player.player_id for player in to_pair.there]
    return to_pair.proposal(lot.draw_tables(there, to_pair.seed), None, lot.ALGORITHM)


def of_algorithm(algorithm: str) -> str:
    """Return the system of an algorithm; empty if it is not a system of a single round."""
    if algorithm.startswith("fide-dutch"):
        return "dutch"
    if algorithm.startswith("king-of-the-hill"):
        return "king-of-the-hill"
    return {CLASSIFICATION_ALGORITHM: "classification", swiss.ALGORITHM: "swiss", BY_HAND_ALGORITHM: "by-hand"}.get(
        algorithm, ""
    )


def _beside(kept: Sequence[tuple[str, str]], refusal: Refusal) -> Refusal:
    """Return the refusal if the players without a pair made by hand cannot be paired."""
    pairs = "; ".join(" – ".join(pair) for pair in kept)
    if refusal.reason == "NO_BYE_LEFT":
        text = N_(
            "With the pairs made by hand ({pairs}) {players} players are left, and each has already had the "
            "bye: release a pair."
        )
        return refusal.replace(message=text, params={"pairs": pairs, "players": refusal.params["players"]})
    text = N_("With the pairs made by hand ({pairs}) the others cannot all be paired: release a pair.")
    return refusal.replace(message=text, params={"pairs": pairs})


def _swiss(to_pair: RoundToPair) -> Proposal:
    return _by_distance(to_pair, to_pair.left, swiss.ALGORITHM)


def _classification(to_pair: RoundToPair) -> Proposal:
    left = by_standing(to_pair.left, to_pair.standing()) if to_pair.number > 1 else to_pair.left
    return _by_distance(
        to_pair, left, CLASSIFICATION_ALGORITHM, _hash_inputs(*(entrant.player_id for entrant in left), to_pair.number)
    )


def _by_distance(to_pair: RoundToPair, left: Sequence[Entrant], algorithm: str, inputs: str = "") -> Proposal:
    """Pair the entrants ``left``, in this order, with the least distance between opponents."""
    if to_pair.number == 1 and to_pair.ruleset.championship.acceleration != "none":
        paired = _pair_groups(left, to_pair.seed, to_pair.state.rounds - 1)
    elif to_pair.number == 1:
        by_lot = to_pair.ruleset.championship.system in SYSTEMS_BY_LOT
        paired = swiss.pair_first(_draw_order(left, to_pair.seed) if by_lot else left)
    else:
        paired = swiss.pair_next(left, to_pair.seed, rounds_after=to_pair.state.rounds - to_pair.number)
    return to_pair.proposal((*paired.pairs, *to_pair.kept), paired.bye, algorithm, inputs)


def _pair_groups(left: Sequence[Entrant], seed: bytes, rounds_after: int) -> swiss.Paired:
    """Pair the first round in groups of equal points, each top half with its bottom half.

    If a group before the last one is odd, such as after a bye, the distance between opponents is least.
    """
    groups = [list(group) for _, group in groupby(left, key=lambda entrant: entrant.half_points)]
    if any(len(group) % 2 for group in groups[:-1]) or len(groups[-1]) < 2:
        return swiss.pair_next(left, seed, rounds_after=rounds_after)
    parts = [swiss.pair_first(group) for group in groups]
    return swiss.Paired(tuple(pair for part in parts for pair in part.pairs), parts[-1].bye)


def _draw_order(ranking: Sequence[Entrant], seed: bytes) -> list[Entrant]:
    """Return entrants in the order of a lot. With an odd number, the last of the ranking stays last (FISC I.1.C)."""
    last = ranking[-1:] if len(ranking) % 2 else ()
    rest = ranking[: len(ranking) - len(last)]
    return [*sorted(rest, key=lambda entrant: hmac.digest(seed, entrant.player_id.encode(), "sha256")), *last]


def _duplicate(to_pair: RoundToPair) -> Proposal:
    """Return a round without pairs: all players play one game."""
    return to_pair.proposal((), None, DUPLICATE_ALGORITHM)


def _monrad(to_pair: RoundToPair) -> Proposal:
    """Pair from the top, by points and initial ranking, without rematches."""
    order, state = to_pair.left, to_pair.state
    paired = monrad.pair_from_top(order, rounds_after=state.rounds - to_pair.number)
    inputs = _hash_inputs(*(f"{entrant.player_id} {entrant.half_points}" for entrant in order), to_pair.number)
    return to_pair.proposal((*paired.pairs, *to_pair.kept), paired.bye, monrad.ALGORITHM, inputs)


def list_by_keizer(to_pair: RoundToPair) -> list[Entrant]:
    """Return the entrants without a pair made by hand in the order of Keizer's standings."""
    entrant_of = {entrant.player_id: entrant for entrant in to_pair.left}
    return [entrant_of[player_id] for player_id in to_pair.standing() if player_id in entrant_of]


def _keizer(to_pair: RoundToPair) -> Proposal:
    """Pair neighbours in Keizer's standings; players that have met least often meet again."""
    state, order = to_pair.state, list_by_keizer(to_pair)
    meetings: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    last: frozenset[frozenset[str]] = frozenset()
    for played in state.played:
        pairs = [frozenset(table.player_ids) for table in played.pairings]
        meetings.update(pairs)
        byes.update([played.bye] if played.bye else [])
        last = frozenset(pairs)
    paired = keizer.pair_keizer(order, meetings, byes, last)
    inputs = _hash_inputs(*(entrant.player_id for entrant in order), to_pair.number)
    return to_pair.proposal((*paired.pairs, *to_pair.kept), paired.bye, keizer.ALGORITHM, inputs)


def list_sides(state: TournamentState, ruleset: Ruleset) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the two sides of a Scheveningen tournament, by the categories of the players.

    Each is in the order of the initial ranking, with the players that have left. Raises ``Refusal`` without two
    categories, or if one has more than one player more than the other.
    """
    sides: dict[str, list[str]] = {}
    for player in in_order(state.players):
        if not player.never_came:
            sides.setdefault(player.category, []).append(player.player_id)
    counted = ", ".join(f"{name or '–'} {len(sides[name])}" for name in sorted(sides))
    sizes = [len(side) for side in sides.values()]
    if len(sides) != SIDES_COUNT or "" in sides or max(sizes) - min(sizes) > 1:
        raise Refusal(
            "SIDES_UNEVEN",
            N_(
                "The sides of a Scheveningen tournament are the categories of its players: two, of equal size or with "
                "one player more. Found: {found}."
            ),
            {"found": counted or "–"},
            article=ruleset.article("championship.system"),
        )
    first, second = (tuple(sides[name]) for name in sorted(sides))
    return first, second


def _scheveningen(to_pair: RoundToPair) -> Proposal:
    """Pair the two sides by their table of rounds. The opponent of an absent player wins, as by a forfeit."""
    state, ruleset = to_pair.state, to_pair.ruleset
    first, second = list_sides(state, ruleset)
    expected = scheveningen.count_rounds(len(first), len(second))
    if state.rounds != expected:
        raise Refusal(
            "WRONG_ROUNDS",
            N_(
                "Sides of {first} and {second} players take {expected} {expected:round|rounds}; the championship has "
                "{rounds}."
            ),
            {"first": len(first), "second": len(second), "expected": expected, "rounds": state.rounds},
            article=ruleset.article("championship.system"),
        )
    paired = scheveningen.pair_sides(first, second, to_pair.number)
    there = {player.player_id for player in to_pair.there}
    met = {frozenset(table.player_ids) for played in state.played for table in played.pairings}
    tables = tuple(pair for pair in paired.pairs if there.issuperset(pair))
    if any(frozenset(pair) in met for pair in tables):
        raise Refusal(
            "SIDES_CHANGED",
            N_(
                "The categories of players have changed since the first round: restore them, because they are the "
                "sides."
            ),
            article=ruleset.article("championship.system"),
        )
    alone = [
        player_id for pair in paired.pairs for player_id in pair if player_id in there and not there.issuperset(pair)
    ]
    resting = (*requested_byes(state, to_pair.number), *((player_id, Bye.FULL_POINT) for player_id in alone))
    bye = paired.bye if paired.bye in there else None
    inputs = _hash_inputs(*first, *second, to_pair.number)
    return Proposal(tables, bye, scheveningen.ALGORITHM, resting, inputs)


def _match(to_pair: RoundToPair) -> Proposal:
    there = [player.player_id for player in to_pair.there]
    if len(there) != match.MATCH_PLAYERS:
        raise not_a_match(len(there), to_pair.ruleset)
    pair = match.pair_match(there, to_pair.number, derive_seed(to_pair.state.seed, "match"))
    return to_pair.proposal([pair], None, match.ALGORITHM)


def _knock_out(to_pair: RoundToPair) -> Proposal:
    """Pair the next game of each match of the bracket that is not decided.

    A match waits while one of its players does not play the round. The start is drawn for the first game of a match,
    and alternates.
    """
    state, ruleset = to_pair.state, to_pair.ruleset
    seeds = state.seeds or knock_out.order_of(initial_ranking(state), ruleset, to_pair.state.seed)
    bracket = knock_out.bracket_of(state, ruleset, seeds)
    there = {player.player_id for player in to_pair.there}
    open_matches = [each for each in bracket.open_matches if there.issuperset(each.players)]
    if not open_matches:
        raise knock_out.build_no_match_refusal(bracket, ruleset)
    tables = [
        match.pair_match(
            each.players, len(each.games) + 1, derive_seed(state.seed, f"match of {each.level}, {each.first_place}")
        )
        for each in open_matches
    ]
    proposal = to_pair.proposal(tables, None, knock_out.ALGORITHM)
    return replace(proposal, seeds=() if state.seeds else tuple(seeds))


def ways_out(state: TournamentState, ruleset: Ruleset, number: int) -> tuple[WayOut, ...]:
    """Return the fewest exceptions, by rule, with which an impossible round can be paired (FIDE C.04.3 1.9.3)."""
    from faristol.tournament.engines.dutch.impossible import MESSAGES, choices  # deferred: it imports numba

    if ruleset.championship.system in SYSTEMS_WITHOUT_HAND_PAIRS:
        return ()
    initial = initial_ranking(state)
    found = []
    for choice in choices(dutch_round(state, ruleset, number)):
        groups = tuple(tuple(initial[number - 1] for number in exception) for exception in choice.exceptions)
        found.append(WayOut(choice.way.value, groups, MESSAGES[choice.way]))
    return tuple(found)


def requested_byes(state: TournamentState, number: int) -> tuple[tuple[str, Bye], ...]:
    """Return the byes on request in a round, in the order of registration."""
    return tuple(
        (player.player_id, player.byes[number])
        for player in state.players
        if player.takes_part(number) and number in player.byes
    )


def most_rounds(players: int, ruleset: Ruleset) -> int:
    """Return the number of rounds that a number of players can play. By lot and in a match, players may meet again."""
    if ruleset.championship.system in {"match", "knock-out", "keizer", "lot", "duplicate"}:
        return sys.maxsize
    return round_robin.rounds_of(players, CYCLES.get(ruleset.championship.system, 1))


def determine_rounds(players: int, ruleset: Ruleset) -> int | None:
    """Return the number of rounds that the system has for a number of players, at most; None if any number fits."""
    system = ruleset.championship.system
    if system == "knock-out":
        return max(most_rounds_of(players, MatchFormat.of(ruleset)), 1)
    if system in CYCLES:
        return round_robin.rounds_of(players, CYCLES[system])
    return None


def too_many_rounds(players: int, rounds: int, ruleset: Ruleset) -> Refusal | None:
    """Return the refusal for more rounds than that number of players can play, or None."""
    most = most_rounds(players, ruleset)
    if rounds <= most:
        return None
    return Refusal(
        "TOO_MANY_ROUNDS",
        N_(
            "{players} players can play {most} {most:round|rounds} without meeting twice; "
            "the championship has {rounds}."
        ),
        {"players": players, "most": most, "rounds": rounds},
        article=ruleset.article("championship.system"),
    )


def wrong_rounds(players: int, expected: int, rounds: int, ruleset: Ruleset) -> Refusal:
    """Return the refusal for a wrong number of rounds in a round robin."""
    return Refusal(
        "WRONG_ROUNDS",
        N_(
            "A round robin of {players} players takes {expected} {expected:round|rounds}; "
            "the championship has {rounds}."
        ),
        {"players": players, "expected": expected, "rounds": rounds},
        article=ruleset.article("championship.system"),
    )


def not_a_match(players: int, ruleset: Ruleset) -> Refusal:
    """Return the refusal for a match without exactly two players."""
    return Refusal(
        "NOT_A_MATCH",
        N_("A match needs two players; {players} can be paired."),
        {"players": players},
        article=ruleset.article("championship.system"),
    )


def by_table(state: TournamentState, ruleset: Ruleset, number: int) -> tuple[Sequence[str], swiss.Paired]:
    """Return the players by their number in Berger's tables, drawn by lot (FIDE C.05), and a round of the table.

    Players who have left stay in the table.
    """
    drawn = derive_seed(state.seed, "round robin")
    numbers = sorted(initial_ranking(state), key=lambda player_id: hmac.digest(drawn, player_id.encode(), "sha256"))
    return numbers, round_robin.pair_berger(numbers, number, CYCLES[ruleset.championship.system])


def _round_robin(to_pair: RoundToPair) -> Proposal:
    """Pair by Berger's tables, with numbers drawn by lot (FIDE C.05)."""
    state, ruleset, number = to_pair.state, to_pair.ruleset, to_pair.number
    cycles = CYCLES[ruleset.championship.system]
    entered = len(initial_ranking(state))
    expected = round_robin.rounds_of(entered, cycles)
    if state.rounds != expected:
        raise wrong_rounds(entered, expected, state.rounds, ruleset)
    numbers, paired = by_table(state, ruleset, number)
    inputs = _hash_inputs(*numbers, number, cycles)
    there = {player.player_id for player in to_pair.there}
    bye = paired.bye if paired.bye in there else None
    if ruleset.championship.not_there == "forfeit" and ruleset.championship.team_boards is None:
        # The game stays in the table of rounds, and is decided at the start of its round (PES ΣΤ).
        tables = tuple(pair for pair in paired.pairs if there.intersection(pair))
        seated = frozenset(player_id for pair in tables for player_id in pair)
        resting = tuple(granted for granted in requested_byes(state, number) if granted[0] not in seated)
        return Proposal(tables, bye, round_robin.ALGORITHM, resting, inputs)
    # The opponent of an absent player wins, as by a forfeit (FIDE C.05).
    alone = [
        player_id for pair in paired.pairs for player_id in pair if player_id in there and not there.issuperset(pair)
    ]
    if bye is None and alone and not is_rest(Bye.ALLOCATED, ruleset, entered):
        # After one player leaves, the table works as with one player fewer: with a free round for each in turn.
        bye = alone.pop(0)
    resting = (*requested_byes(state, number), *((player_id, Bye.FULL_POINT) for player_id in alone))
    tables = tuple(pair for pair in paired.pairs if there.issuperset(pair))
    return Proposal(tables, bye, round_robin.ALGORITHM, resting, inputs)


def losers_by_absence(state: TournamentState, ruleset: Ruleset, number: int, pair: Collection[str]) -> tuple[str, ...]:
    """Return the players of a pair who lose their game of round ``number`` by absence (PES ΣΤ)."""
    law = ruleset.championship
    if law.not_there != "forfeit" or law.system not in CYCLES or law.team_boards is not None:
        return ()
    there = {player.player_id for player in state.to_pair(number)}
    return tuple(player_id for player_id in pair if player_id not in there)


def _dutch(to_pair: RoundToPair) -> Proposal:
    from faristol.tournament.engines.dutch.pairing import ALGORITHM, pair_round  # deferred: it imports numba

    initial = initial_ranking(to_pair.state)
    a_round = dutch_round(to_pair.state, to_pair.ruleset, to_pair.number)
    paired = pair_round(a_round)
    tables = [(initial[board.white - 1], initial[board.black - 1]) for board in paired.boards]
    bye = None if paired.bye is None else initial[paired.bye - 1]
    return to_pair.proposal(tables, bye, ALGORITHM, digest(a_round))


PAIRING_FUNCTIONS: Mapping[str, Callable[[RoundToPair], Proposal]] = {
    "none": _swiss,
    "swiss": _swiss,
    "swiss-lot": _swiss,
    "classification": _classification,
    "classification-lot": _classification,
    "dutch": _dutch,
    "king-of-the-hill": _king,
    "monrad": _monrad,
    "keizer": _keizer,
    "scheveningen": _scheveningen,
    "round-robin": _round_robin,
    "double-round-robin": _round_robin,
    "match": _match,
    "knock-out": _knock_out,
    "lot": _lot,
    "duplicate": _duplicate,
    "by-hand": _by_hand,
}
"""The pairing function of each system; ``none`` is that of rules without tournaments."""


def dutch_round(state: TournamentState, ruleset: Ruleset, number: int) -> DutchRound:
    """Build the input of the Dutch system. Pairing numbers are places in the initial ranking, from 1.

    White starts. Colours are paired if the rules leave the start to the system; otherwise the start is drawn.
    """
    initial = initial_ranking(state)
    number_of = {player_id: place for place, player_id in enumerate(initial, 1)}
    pasts = {player_id: past_of(state, ruleset, player_id, number) for player_id in initial}
    fictitious = {player.player_id: player.fictitious + player.carried_half_points for player in state.players}
    virtual = {each: virtual_half_points(state, ruleset, each) for each in range(max(1, number - 2), number + 1)}
    final = number == state.rounds
    win = round(2 * ruleset.championship.win)
    to_pair = in_order(state.to_pair(number))
    there = {player.player_id for player in to_pair}
    players = []
    for player in to_pair:
        player_id = player.player_id
        past = pasts[player_id]
        points = sum(earlier.half_points for earlier in past)
        played = [earlier for earlier in past if earlier.played]
        unplayed = [earlier for earlier in past if not earlier.played]
        players.append(
            dutch.DutchPlayer(
                number=number_of[player_id],
                points=_HALF_POINT_FACTOR * (points + fictitious[player_id] + virtual[number].get(player_id, 0)),
                opponents=frozenset(number_of[earlier.opponent] for earlier in played),
                colours=tuple(WHITE if earlier.first else BLACK for earlier in played),
                floats=(
                    _float(pasts, fictitious, virtual, player_id, number - 1),
                    _float(pasts, fictitious, virtual, player_id, number - 2),
                ),
                had_bye=any(earlier.as_bye for earlier in past),
                unplayed=len(unplayed),
                topscorer=final and 2 * points > win * (number - 1),
            )
        )
    return DutchRound(
        players=tuple(players),
        number=number,
        colours=ruleset.start.by_pairing,
        initial_colour=draw_initial_colour(derive_seed(state.seed, "initial colour")),
        forbidden=frozenset(
            frozenset(number_of[player_id] for player_id in pair)
            for pair in state.forbidden
            if pair <= number_of.keys()
        ),
        kept=tuple((number_of[first], number_of[other]) for first, other in state.kept_pairs(number)),
        not_come=frozenset(
            number_of[player_id]
            for player_id, past in pasts.items()
            if player_id not in there and not any(earlier.paired for earlier in past)
        ),
    )


def _float(
    pasts: Mapping[str, Sequence[Past]],
    fictitious: Mapping[str, int],
    virtual: Mapping[int, Mapping[str, int]],
    player_id: str,
    number: int,
) -> Float:
    """Return the float of a player in a round (FIDE C.04.3 1.4). ``virtual`` has the virtual half points by round."""
    if number < 1:
        return Float.NONE
    past = pasts[player_id][number - 1]
    if not past.played:
        return Float.DOWN if past.half_points else Float.NONE
    mine, theirs = (
        fictitious[who] + virtual[number].get(who, 0) + sum(past.half_points for past in pasts[who][: number - 1])
        for who in (player_id, past.opponent)
    )
    return Float.NONE if mine == theirs else Float.DOWN if mine > theirs else Float.UP

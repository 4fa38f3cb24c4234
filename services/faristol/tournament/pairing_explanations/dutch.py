"""Explanations of why two players meet or do not, from the run that paired them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from faristol.tournament.engines.dutch.bracket import BracketPairing, Scene, find_best_matching
from faristol.tournament.engines.dutch.field import Bools
from faristol.tournament.engines.dutch.matched_graph import Matching, completes
from faristol.tournament.engines.dutch.pairing import PairedRound, whole_scene
from faristol.tournament.engines.dutch.player import DutchRound
from faristol.tournament.engines.dutch.weights import Criterion, criteria
from faristol.tournament.pairing_explanations import dutch_sentences

BYE_NUMBER = 0
"""The number that represents the bye as an opponent."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why two numbers meet or not: a criterion, ``C1`` to ``C21``, or a code of ``dutch_sentences``."""

    name: str
    number: int
    other: int

    @property
    def article(self) -> str:
        """The article of the reason; empty for none."""
        return dutch_sentences.ARTICLES.get(self.name, "")

    @property
    def message(self) -> str:
        """The msgid of the sentence, with the parameters ``one`` and ``other``."""
        if self.other != BYE_NUMBER:
            return dutch_sentences.MESSAGES[self.name]
        return dutch_sentences.BYE_MESSAGES.get(self.name, dutch_sentences.BYE_OTHERWISE)

    @property
    def params(self) -> dict[str, int | str]:
        """The parameters of the sentence."""
        return {"one": self.number, "other": self.other, "criterion": self.name}


def why(a_round: DutchRound, paired: PairedRound, number: int) -> Reason:
    """Return the reason for the opponent of a player.

    For a pair outside the first candidate, it is the reason against the player's pair in the first candidate.
    """
    if number == paired.bye:
        return Reason(dutch_sentences.BYE, number, BYE_NUMBER)
    board = next((board for board in paired.boards if number in (board.white, board.black)), None)
    if board is None:
        return Reason(dutch_sentences.NOT_TO_BE_PAIRED, number, number)
    white, black = board.white, board.black
    if any({white, black} == set(pair) for pair in a_round.kept):
        return Reason(dutch_sentences.BY_HAND, white, black)
    outcome = _find_bracket(paired, number)
    intended = _first_candidate(paired, outcome, number)
    if intended in {None, white if number == black else black}:
        return Reason(dutch_sentences.FIRST_CANDIDATE, white, black)
    return why_not(a_round, paired, number, intended or 0)


def why_not(a_round: DutchRound, paired: PairedRound, number: int, other: int) -> Reason:
    """Return the reason why two players do not meet: the first rule or criterion that their pair would make worse.

    ``other`` may be ``BYE_NUMBER``.
    """
    if any({board.white, board.black} == {number, other} for board in paired.boards):
        return Reason(dutch_sentences.MEET, number, other)
    kept = {number for pair in a_round.kept for number in pair}
    if kept & {number, other}:
        return Reason(dutch_sentences.PAIRED_ELSEWHERE, number, other)
    place = {player.number: index for index, player in enumerate(paired.field.players)}
    if other == BYE_NUMBER and number in place:
        return Reason(_against_bye(paired, number, place[number]), number, BYE_NUMBER)
    if number == other or not {number, other} <= place.keys():
        return Reason(dutch_sentences.NOT_TO_BE_PAIRED, number, other)
    if not paired.field.may_meet[place[number], place[other]]:
        if other in paired.field.players[place[number]].opponents:
            return Reason("C1", number, other)
        return Reason(
            dutch_sentences.FORBIDDEN if frozenset((number, other)) in a_round.forbidden else "C3", number, other
        )
    return Reason(_against(paired, number, other), number, other)


def _against_bye(paired: PairedRound, number: int, row: int) -> str:
    """Return the reason why a player does not have the bye."""
    if paired.bye is None:
        return dutch_sentences.NO_BYE
    if number == paired.bye:
        return dutch_sentences.BYE
    if not paired.field.may_rest[row]:
        return "C2"
    return "C5" if paired.field.points[row] > paired.bye_points else _against(paired, number, BYE_NUMBER)


def _find_bracket(paired: PairedRound, number: int) -> BracketPairing:
    """Return the bracket in which a player was paired, or the player's last one."""
    for outcome in reversed(paired.outcomes):
        rows = outcome.scene.bracket.rows[: outcome.scene.bracket.size]
        if any(paired.field.players[row].number == number for row in rows):
            return outcome
    raise LookupError(f"player {number} is in no bracket")


def _first_candidate(paired: PairedRound, outcome: BracketPairing, number: int) -> int | None:
    """Return the opponent in the first candidate (FIDE C.04.3 3.3), or None for a floater."""
    bracket = outcome.scene.bracket
    moved = [vertex for pair in outcome.pairs for vertex in pair if vertex < bracket.moved]
    pairs = len(outcome.pairs)
    upper = sorted(moved) if moved else list(range(bracket.moved, bracket.moved + pairs))
    lower = [vertex for vertex in range(bracket.moved, bracket.size) if vertex not in set(upper)]
    rest = lower[len(upper) :] if moved else []
    half = pairs - len(upper)
    intended = dict(zip([*upper, *rest[:half]], [*lower[: len(upper)], *rest[half:]], strict=False))
    intended |= {other: vertex for vertex, other in intended.items()}
    numbers = [paired.field.players[row].number for row in bracket.rows]
    vertex = numbers.index(number)
    return numbers[intended[vertex]] if vertex in intended else None


def _against(paired: PairedRound, number: int, other: int) -> str:
    """Return the criterion against an allowed pair, in the bracket where the first of the two was paired."""
    settled = [_find_bracket(paired, player) for player in (number, other) if player != BYE_NUMBER]
    outcome = next(outcome for outcome in paired.outcomes if any(outcome is found for found in settled))
    scene, found = outcome.scene, outcome.criteria
    numbers = _numbers(paired, scene)
    if not {number, other} <= {*numbers}:
        scene = whole_scene(paired.field, scene.bracket, paired.bye_points)
        found = tuple(criteria(paired.field, scene.bracket, bye_from_here=False))
        numbers = _numbers(paired, scene)
    matching = find_best_matching(scene, found)
    chosen = _values(found, matching, scene.count)
    if numbers.index(number) > numbers.index(other):
        number, other = other, number
    wanted = np.zeros(scene.count, np.bool_)
    wanted[numbers.index(other)] = True
    if not matching.complete or not matching.keep_only(numbers.index(number), wanted, required=True):
        return (
            "C5" if other != BYE_NUMBER and _completes_otherwise(paired, scene, wanted, numbers.index(number)) else "C4"
        )
    for criterion, mine, theirs in zip(found, chosen, _values(found, matching, scene.count), strict=True):
        if mine != theirs:
            return criterion.name
    return dutch_sentences.ORDER


def _completes_otherwise(paired: PairedRound, scene: Scene, wanted: Bools, vertex: int) -> bool:
    """Check whether all players could be paired with ``vertex`` as wanted, and any allowed bye."""
    whole = whole_scene(paired.field, scene.bracket, paired.bye_points)
    rows = whole.bracket.rows
    if paired.bye is None or whole.count == len(rows):
        return False
    edge = whole.edge.copy()
    edge[-1, : len(rows)] = edge[: len(rows), -1] = paired.field.may_rest[rows]
    other = int(scene.bracket.rows[np.flatnonzero(wanted)[0]])
    only = rows == other
    edge[vertex, : len(rows)] &= only
    edge[: len(rows), vertex] &= only
    edge[vertex, -1] = edge[-1, vertex] = False
    return completes(edge)


def _numbers(paired: PairedRound, scene: Scene) -> list[int]:
    """Return the pairing number of each vertex."""
    numbers = [paired.field.players[row].number for row in scene.bracket.rows]
    return [*numbers, BYE_NUMBER] if scene.count > len(numbers) else numbers


def _values(found: tuple[Criterion, ...], matching: Matching, count: int) -> list[int]:
    """Return the value of a matching for each criterion."""
    mates = [matching.mate(vertex) for vertex in range(count)]
    pairs = [(vertex, other) for vertex, other in enumerate(mates) if vertex < other]
    values = []
    for criterion in found:
        size = len(criterion.value)
        values.append(sum(int(criterion.value[first, other]) for first, other in pairs if other < size))
    return values

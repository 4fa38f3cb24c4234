"""The pairing of a round by the Dutch system of FIDE (C.04.3, edition of February 2026). Pure.

The brackets are paired from the top. Each is a graph of its players and of those below that its pairing depends on. The
criteria are weights, and the best pairing is the matching of greatest weight. Of equal ones the rules take the first in
their sequence of candidates, which is found by successive wishes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from faristol.tournament.engines.dutch.bracket import BracketPairing, Scene, pair_bracket
from faristol.tournament.engines.dutch.colours import allocate
from faristol.tournament.engines.dutch.field import Bools, Ints, PlayerArrays, field_of
from faristol.tournament.engines.dutch.impossible import impossible
from faristol.tournament.engines.dutch.matched_graph import completes
from faristol.tournament.engines.dutch.player import WHITE, DutchPlayer, DutchRound
from faristol.tournament.engines.dutch.weights import Bracket

ALGORITHM = "fide-dutch-2026-2"
"""Name and version of the algorithm, as in the record."""

SMALL_FIELD_PLAYERS = 120
"""Up to this number of players, a bracket is paired together with all players below it. Above, it is paired with the
next scoregroup, and the completion of the rest is checked afterwards.
"""


@dataclass(frozen=True, slots=True)
class PairedBoard:
    """Two players who meet. If colours are not paired, ``white`` is the higher in the order."""

    white: int
    black: int
    article: str
    """The article that gave the colours (FIDE C.04.3 5.2); empty for a pair made by hand."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedRound:
    """A round: boards in the order of publication, and the player with the allocated bye."""

    boards: tuple[PairedBoard, ...]
    bye: int | None
    field: PlayerArrays
    outcomes: tuple[BracketPairing, ...]
    """The brackets, from the top."""
    bye_points: int
    """The score of the player with the bye; -1 without a bye."""


def pair_round(a_round: DutchRound) -> PairedRound:
    """Pair a round. Raises ``Refusal`` if no complete pairing exists (FIDE C.04.1, C.04.3 1.9.3)."""
    kept = {number for pair in a_round.kept for number in pair}
    ranking = tuple(player for player in a_round.ranking() if player.number not in kept)
    field = field_of(ranking, a_round)
    bye_points = _bye_points(field)
    if bye_points is None:
        raise impossible(field)
    outcomes = []
    moved = np.zeros(0, np.int64)
    left = np.arange(len(ranking))
    while len(left):
        top = field.points[left[0]]
        residents = left[field.points[left] == top]
        left = left[len(residents) :]
        outcome = _pair(field, moved, residents, left, bye_points)
        outcomes.append(outcome)
        moved = outcome.scene.bracket.rows[list(outcome.floaters)]
    return _order_boards(a_round, field, tuple(outcomes), int(moved[0]) if len(moved) else None, bye_points)


def _bye_points(field: PlayerArrays) -> int | None:
    """Return the lowest possible score of the bye (C5); -1 if none is needed, None if none is possible."""
    count = len(field.players)
    if count % 2 == 0:
        return -1 if completes(field.may_meet) else None
    for points in sorted({int(score) for score in field.points[field.may_rest]}):
        if completes(_with_bye(field, np.arange(count), points)):
            return points
    return None


def _with_bye(field: PlayerArrays, rows: Ints, bye_points: int) -> Bools:
    """Return the allowed pairs, with the bye as the last vertex if the number of players is odd."""
    count = len(rows)
    if count % 2 == 0:
        return field.may_meet[np.ix_(rows, rows)]
    edge = np.zeros((count + 1, count + 1), np.bool_)
    edge[:count, :count] = field.may_meet[np.ix_(rows, rows)]
    edge[count, :count] = edge[:count, count] = field.may_rest[rows] & (field.points[rows] == bye_points)
    return edge


def _pair(field: PlayerArrays, moved: Ints, residents: Ints, left: Ints, bye_points: int) -> BracketPairing:
    """Pair one bracket with as few other players as possible."""
    here = np.concatenate([moved, residents])
    bye_from_here = bool((field.points[here] == bye_points).any())
    if len(here) % 2 == 0 and not bye_from_here and len(left):
        alone = Scene(
            Bracket(here, len(moved), len(here), 0),
            field.may_meet[np.ix_(here, here)],
            np.zeros(len(here), np.bool_),
            bye_from_here=False,
        )
        outcome = pair_bracket(field, alone)
        if outcome is not None and completes(_with_bye(field, left, bye_points)):
            return outcome
    following = left[field.points[left] == field.points[left[0]]] if len(left) else left
    if len(here) + len(left) > SMALL_FIELD_PLAYERS and len(following) < len(left):
        near = np.concatenate([here, following])
        optional = np.zeros(len(near) + bye_from_here, np.bool_)
        optional[: len(near)] = True
        edge = np.zeros((len(optional), len(optional)), np.bool_)
        edge[: len(near), : len(near)] = field.may_meet[np.ix_(near, near)]
        if bye_from_here:
            edge[-1, : len(here)] = edge[: len(here), -1] = field.may_rest[here] & (field.points[here] == bye_points)
        scene = Scene(Bracket(near, len(moved), len(here), len(following)), edge, optional, bye_from_here)
        outcome = pair_bracket(field, scene)
        if outcome is not None and _rest_completes(field, outcome, near, left, bye_points):
            return outcome
    outcome = pair_bracket(field, whole_scene(field, Bracket(here, len(moved), len(here), 0), bye_points))
    if outcome is None:
        raise impossible(field)
    return outcome


def whole_scene(field: PlayerArrays, bracket: Bracket, bye_points: int) -> Scene:
    """Build the scene of a bracket with all players below it."""
    here = bracket.rows[: bracket.size]
    left = np.flatnonzero(field.points < field.points[here[-1]])
    following = int((field.points[left] == field.points[left[0]]).sum()) if len(left) else 0
    everybody = np.concatenate([here, left])
    edge = _with_bye(field, everybody, bye_points)
    return Scene(
        Bracket(everybody, bracket.moved, bracket.size, following),
        edge,
        np.zeros(len(edge), np.bool_),
        bye_from_here=bool((field.points[here] == bye_points).any()),
    )


def _rest_completes(field: PlayerArrays, outcome: BracketPairing, near: Ints, left: Ints, bye_points: int) -> bool:
    """Check whether the players not matched by the look-ahead can be paired with all others (C4)."""
    matched = {vertex for pair in outcome.below for vertex in pair}
    taken = {int(near[vertex]) for vertex in matched if vertex < len(near)}
    going = [int(near[vertex]) for vertex in outcome.floaters if vertex not in matched]
    rest = np.array([*going, *(row for row in left if int(row) not in taken)], np.int64)
    return completes(_with_bye(field, rest, -1 if outcome.scene.bye_from_here else bye_points))


def _order_boards(
    a_round: DutchRound, field: PlayerArrays, outcomes: tuple[BracketPairing, ...], bye: int | None, bye_points: int
) -> PairedRound:
    """Order boards by the higher score, then the lower, then the order of 1.2 (FIDE C.04.2)."""
    by_number = {player.number: player for player in a_round.players}
    place = {player.number: index for index, player in enumerate(a_round.ranking())}
    boards = [PairedBoard(white, black, "") for white, black in a_round.kept]
    for outcome in outcomes:
        rows = outcome.scene.bracket.rows
        for pair in outcome.pairs:
            higher, lower = (field.players[rows[vertex]] for vertex in pair)
            boards.append(_board(higher, lower, a_round))

    def order(board: PairedBoard) -> tuple[int, int, int]:
        points = [by_number[number].points for number in (board.white, board.black)]
        return -max(points), -sum(points), min(place[board.white], place[board.black])

    return PairedRound(
        boards=tuple(sorted(boards, key=order)),
        bye=None if bye is None else field.players[bye].number,
        field=field,
        outcomes=outcomes,
        bye_points=bye_points,
    )


def _board(higher: DutchPlayer, lower: DutchPlayer, a_round: DutchRound) -> PairedBoard:
    if not a_round.colours:
        return PairedBoard(higher.number, lower.number, "")
    initial = a_round.initial_colour if a_round.is_odd(higher.number) else -a_round.initial_colour
    colour, article = allocate(higher, lower, initial)
    white, black = (higher, lower) if colour == WHITE else (lower, higher)
    return PairedBoard(white.number, black.number, article)

"""Conversion of a tournament in a TRF file to a round to pair."""

from __future__ import annotations

from faristol.rules.trf import Document, TrfCell, told_by_first_round
from faristol.rules.trf import TrfPlayer as Line
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound, Float

_SIGNS = {"w": WHITE, "b": BLACK}


def round_to_pair(document: Document, number: int, *, initial_colour: int = WHITE, colours: bool = True) -> DutchRound:
    """Return round ``number`` of a tournament, from the rounds before it.

    Players with a bye in that round are left out. Pairs named for the next round are kept. For a round that is already
    paired, unpaired players are left out. ``initial_colour`` applies if neither the file nor its first round has one.
    """
    paired = document.paired_rounds
    away = {player for byes in document.byes if byes.round_number == number for player in byes.players}
    kept = []
    if number <= paired:
        away |= {line.number for line in document.players if not line.cell(number).paired}
    else:
        kept = [
            (line.number, line.cell(number).opponent) for line in document.players if _names_white(line.cell(number))
        ]
    last = document.rounds or paired
    players = tuple(
        player_before(document, line, number, final=number == last)
        for line in document.players
        if line.number not in away
    )
    return DutchRound(
        players=players,
        number=number,
        colours=colours,
        initial_colour=_initial_colour(document) or initial_colour,
        forbidden=frozenset(
            frozenset((player, other))
            for group in document.forbidden
            if group.first_round <= number and (not group.last_round or number <= group.last_round)
            for player in group.players
            for other in group.players
            if player < other
        ),
        kept=tuple(kept),
        not_come=frozenset(
            line.number
            for line in document.players
            if line.number in away - preset_byes(document, number)
            and not any(line.cell(earlier).paired for earlier in range(1, number))
        ),
    )


def preset_byes(document: Document, number: int) -> frozenset[int]:
    """Return the players with a pairing-allocated bye that the arbiter gave before the round was paired."""
    return frozenset(
        player for byes in document.byes if byes.kind == "U" and byes.round_number == number for player in byes.players
    )


def _names_white(cell: TrfCell) -> bool:
    return cell.open and cell.colour == "w"


def _initial_colour(document: Document) -> int:
    """Return the colour in the file, else that of the first pairing of round 1; 0 if unknown."""
    if document.initial_colour in _SIGNS:
        return _SIGNS[document.initial_colour]
    return _SIGNS.get(told_by_first_round(document.players), 0) if document.paired_rounds else 0


def player_before(document: Document, line: Line, number: int, *, final: bool = False) -> DutchPlayer:
    """Return a player in the state before a round."""
    before = [line.cell(earlier) for earlier in range(1, number)]
    score = document.points_of(line, number - 1)
    earned = score - document.points_before(line.number)
    unplayed = [cell for cell in before if not cell.played]
    return DutchPlayer(
        number=line.number,
        points=score + document.fictitious_points(line.number, number),
        opponents=frozenset(cell.opponent for cell in before if cell.played),
        colours=tuple(_SIGNS[cell.colour] for cell in before if cell.played),
        floats=(_float(document, line, number - 1), _float(document, line, number - 2)),
        had_bye=any(cell.result in {"U", "+"} or document.points.of(cell) >= document.points.win for cell in unplayed),
        unplayed=len(unplayed),
        topscorer=final and 2 * earned > document.points.win * (number - 1),
    )


def _float(document: Document, line: Line, number: int) -> Float:
    """Return the float of a player in a round (FIDE C.04.3 1.4)."""
    if number < 1:
        return Float.NONE
    cell = line.cell(number)
    if not cell.played:
        return Float.DOWN if document.points.of(cell) > document.points.loss else Float.NONE
    other = document.player(cell.opponent)
    if other is None:
        return Float.NONE
    mine, theirs = (_score(document, who, number) for who in (line, other))
    return Float.NONE if mine == theirs else Float.DOWN if mine > theirs else Float.UP


def _score(document: Document, line: Line, number: int) -> int:
    return document.points_of(line, number - 1) + document.fictitious_points(line.number, number)

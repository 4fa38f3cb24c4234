"""Formatting of a TRF file."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import fields

from faristol.rules.trf.document import (
    POINT_TENTHS_FACTOR,
    Document,
    Edition,
    Points,
    Scores,
    TrfCell,
    TrfPlayer,
    TrfTeam,
)
from faristol.rules.trf.scoring import list_unusual_codes

_SYMBOLS = {"win": "W", "draw": "D", "loss": "L", "absence": "A", "allocated_bye": "P", "unknown": "X"}
PLAYER_NAME_LENGTH = 33
"""Columns of a player's name."""
TEAM_NAME_LENGTH = 32
"""Columns of a team's name."""


def write_trf(document: Document, edition: Edition | None = None) -> str:
    """Format the document in its own edition or the requested one, with lines ending in CR LF.

    Raises ``ValueError`` for content that the edition cannot express.
    """
    lines = _trf16(document) if (edition or document.edition) is Edition.TRF16 else _trf26(document)
    return "".join(f"{line.rstrip()}\r\n" for line in lines)


def _trf26(document: Document) -> Iterator[str]:
    headers = [f"{tag} {text}" for tag, text in document.headers]
    if document.rounds is not None:
        headers.append(f"142 {document.rounds}")
    if document.initial_colour != "-":
        headers.append(f"152 {document.initial_colour.upper()}")
    if document.points.exceptions:
        codes = ", ".join(code for code, _ in document.points.exceptions)
        raise ValueError(f"TRF26 has no separate points for {codes}; TRF16 with JaVaFo's extensions does")
    if changed := _list_unusual_points(document.points):
        headers.append("162 " + "".join(f" {_SYMBOLS[name]}{_points(value):>4}   " for name, value in changed))
    yield from sorted(headers, key=lambda line: line[:3])
    yield from (_player(player) for player in document.players)
    yield from map(_team, document.teams)
    for bye in document.byes:
        yield f"240 {bye.kind} {bye.round_number:03} " + " ".join(f"{player:4}" for player in bye.players)
    for entry in document.fictitious:
        who = f"{entry.first_player:04} {entry.last_player:04}"
        yield f"250      {_pad_points(entry.points)} {entry.first_round:03} {entry.last_round:03} {who}"
    for pair in document.forbidden:
        last = pair.last_round or document.rounds or 999
        yield f"260 {pair.first_round:03} {last:03} " + " ".join(f"{player:4}" for player in pair.players)
    for extra in document.adjustments:
        who = " ".join(f"{player:4}" for player in extra.players)
        points = f"{_points(extra.points):>4}"
        yield f"299 {extra.kind}        {points:5} {extra.round_number:03} {who}"
    yield from map(_scores, document.scores)
    yield from document.other


def _trf16(document: Document) -> Iterator[str]:
    for tag, text in document.headers:
        yield f"{tag} {text}"
    ahead = document.paired_rounds + 1
    late = next((bye for bye in document.byes if bye.round_number > ahead), None)
    if late is not None:
        raise ValueError(f"TRF16 has byes only of round {ahead}, the next one, not of round {late.round_number}")
    if document.adjustments:
        raise ValueError("TRF16 has no line for points beside the results; TRF26 has")
    if any(pair.first_round > 1 or pair.last_round for pair in document.forbidden):
        raise ValueError("TRF16 forbids pairs only in all rounds; TRF26 can name rounds")
    byes = {player: bye.kind for bye in document.byes for player in bye.players}
    for player in document.players:
        extra = (TrfCell(result=byes[player.number]),) if player.number in byes else ()
        yield _player(player, extra)
    yield from map(_team, document.teams)
    if document.rounds is not None:
        yield f"XXR {document.rounds}"
    if document.initial_colour != "-":
        yield f"XXC {'white1' if document.initial_colour == 'w' else 'black1'}"
    for code, value in list_unusual_codes(document.points).items():
        yield f"XXS {code}={_points(value)}"
    yield from _format_accelerations(document)
    for pair in document.forbidden:
        yield "XXP " + " ".join(map(str, pair.players))
    yield from map(_scores, document.scores)
    yield from document.other


def _format_accelerations(document: Document) -> Iterator[str]:
    last = max((entry.last_round for entry in document.fictitious), default=0)
    for player in document.players:
        rounds = [document.fictitious_points(player.number, number) for number in range(1, last + 1)]
        if any(rounds):
            yield f"XXA {player.number:4} " + " ".join(f"{_points(points):>4}" for points in rounds)


def _list_unusual_points(points: Points) -> list[tuple[str, int]]:
    """Return the points other than the default ones. An allocated bye has the points of a win by default."""
    usual = Points(allocated_bye=points.win)
    return [
        (field.name, getattr(points, field.name))
        for field in fields(Points)
        if field.name in _SYMBOLS and getattr(points, field.name) != getattr(usual, field.name)
    ]


def _player(player: TrfPlayer, ahead: tuple[TrfCell, ...] = ()) -> str:
    rating = "" if player.rating is None else player.rating
    points = "" if player.points is None else _points(player.points)
    rank = "" if player.rank is None else player.rank
    name = _fit(player.name, PLAYER_NAME_LENGTH)
    who = f"{player.number:4} {player.sex:1}{player.title:>3} {name} {rating:>4} {player.federation:3}"
    what = f"{player.fide_number:>11} {player.birth:10} {points:>4} {rank:>4}"
    return f"001 {who} {what}" + "".join(map(_cell, (*player.cells, *ahead)))


def _cell(cell: TrfCell) -> str:
    return f"  {cell.opponent or '0000':>4} {cell.colour} {cell.result}"


def _team(team: TrfTeam) -> str:
    name = _fit(team.name, TEAM_NAME_LENGTH)
    players = " ".join(f"{number:4}" for number in team.players)
    return f"310 {team.number:3} {name} {team.standing:30}  {players}" if team.number else f"013 {name}{players}"


def _fit(name: str, columns: int) -> str:
    """Return the name in exactly that number of columns, NFC, cut before a letter whose marks do not fit."""
    name = unicodedata.normalize("NFC", name)
    end = columns
    while 0 < end < len(name) and _continues(name[end - 1], name[end]):
        end -= 1
    return f"{name[:end]:{columns}}"


def _continues(before: str, sign: str) -> bool:
    """Check whether two signs belong to one letter: a mark, a variation, a joiner, a modifier of a symbol."""
    joiners = {"\u200d", "\u034f"}
    return (
        unicodedata.category(sign) in {"Mn", "Me", "Mc"}
        or sign in joiners
        or before in joiners
        or "\U0001f3fb" <= sign <= "\U0001f3ff"
    )


def _scores(scores: Scores) -> str:
    words = ("-" if score is None else f"{score[0]}:{score[1]}" for score in scores.rounds)
    return f"DAT {scores.player:04} SCORES " + " ".join(words)


def _points(tenths: int) -> str:
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // POINT_TENTHS_FACTOR}.{abs(tenths) % POINT_TENTHS_FACTOR}"


def _pad_points(tenths: int) -> str:
    return f"{tenths // POINT_TENTHS_FACTOR:02}.{tenths % POINT_TENTHS_FACTOR}"

"""Slips: from a player's writing to its points, with the reason and its article (FISC II.2, II.5, II.7).

The text of a slip is never changed. A verdict is computed from it, from the board and the rack of the turn, and from
the lexicon. Equal slips have equal verdicts, so one verdict serves for all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType
from typing import NoReturn

from faristol.kernel.refusal import N_, Param, Refusal, fill
from faristol.rules.board import Board, Placement, Square, Tile
from faristol.rules.duplicate_game.plays import IsWord
from faristol.rules.notation import Notation, Start, lay, write_word
from faristol.rules.placement import Word, check_play
from faristol.rules.readings import clash, word_readings
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.scoring import score_play
from faristol.rules.tiles import BLANK


class Handed(StrEnum):
    """The way in which a slip was handed in."""

    IN_TIME = "in-time"
    LATE = "late"
    """Written or sent after the end of the turn."""
    NOT_AT_ALL = "not-handed-in"
    HAND_NOT_RAISED = "hand-not-raised"
    """The player did not follow the judge's instruction at the end of the turn."""
    TWICE = "two-slips"
    """The player handed in two, and no arbiter has ruled which counts."""


class Fault(StrEnum):
    """A fault of a slip."""

    LATE = "late"
    NOT_HANDED_IN = "not-handed-in"
    HAND_NOT_RAISED = "hand-not-raised"
    TWO_SLIPS = "two-slips"
    COORDINATES = "coordinates"
    """Missing, wrong, illegible, off the board, or the word does not fit the board."""
    WORD_MISSING = "word-missing"
    ILLEGIBLE = "illegible"
    """The main word is illegible."""
    NOT_WHOLE = "not-whole"
    """The main word on the board is longer than the written one."""
    NOT_IN_RACK = "not-in-rack"
    INVALID = "invalid"
    """The main word is not in the lexicon."""
    UNCIRCLED = "uncircled"
    """The letter of a blank is not circled."""
    CROSS_WORD = "cross-word"
    """A cross word is not in the lexicon."""
    SCORE_MISSING = "score-missing"
    SCORE_WRONG = "score-wrong"


@dataclass(frozen=True, slots=True)
class WrittenSlip:
    """The text of a slip, as it was written."""

    coordinates: str = ""
    """``H8`` across, ``15G`` down (FISC II.2); empty if missing."""
    word: str = ""
    """The main word, the letter of a blank in parentheses: ``C A S (A)`` or ``CAS(A)``."""
    score: str = ""
    """The score of the play, or empty."""
    handed: Handed = Handed.IN_TIME
    coordinates_illegible: bool = False
    word_illegible: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a slip, its reason and its article."""

    fault: Fault
    article: str
    message: str
    """An English sentence with ``{named}`` fields, the key of its translations."""
    params: Mapping[str, Param] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        return fill(self.message, self.params)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The points of a slip, with its faults."""

    points: int
    """0 for a null play."""
    null: Finding | None = None
    """The reason why the play is null, or None."""
    warned: tuple[Finding, ...] = ()
    """Faults for which the player is warned."""
    start: Start | None = None
    """The start of the main word; None for a null play."""
    word: tuple[Tile, ...] = ()
    """The main word, with its blanks as they count."""
    placements: tuple[Placement, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnData:
    """The data by which all slips of a turn are judged."""

    board: Board
    rack: tuple[str, ...]
    ruleset: Ruleset
    is_word: IsWord


class _NullError(Exception):
    """A null slip; the failure of the reading with the greatest ``depth`` is reported."""

    def __init__(self, finding: Finding, depth: int) -> None:
        super().__init__(finding)
        self.finding, self.depth = finding, depth


def judge_slip(slip: WrittenSlip, turn: TurnData) -> Verdict:
    """Return the verdict on ``slip`` in ``turn``."""
    if found := _not_handed_in(slip, turn.ruleset):
        return Verdict(0, found)
    try:
        start = _start(slip, turn.ruleset)
        verdict = _best_reading(slip, start, turn)
        return _with_score(slip, verdict, turn.ruleset)
    except _NullError as wrong:
        return Verdict(0, wrong.finding)


def find_form_fault(slip: WrittenSlip, turn: TurnData) -> Finding | None:
    """Return the fault that makes ``slip`` null with any lexicon, or None.

    A slip that is marked as illegible or as not handed in has no such fault.
    """
    if slip.handed is not Handed.IN_TIME or slip.coordinates_illegible or slip.word_illegible:
        return None
    found = judge_slip(slip, replace(turn, is_word=lambda _: True)).null
    return None if found is not None and found.fault in (Fault.SCORE_MISSING, Fault.SCORE_WRONG) else found


def is_same_play(one: WrittenSlip, other: WrittenSlip, turn: TurnData) -> bool:
    """Check whether two slips mean the same play, in any notation.

    The score is compared only if the rules require it. No word is looked up.
    """
    return one == other or (
        _said_of(one, turn.ruleset) == _said_of(other, turn.ruleset)
        and not _plays(one, turn).isdisjoint(_plays(other, turn))
    )


def _said_of(slip: WrittenSlip, ruleset: Ruleset) -> tuple[object, ...]:
    """Return the content of a slip other than its play, for comparison."""
    score = _number(slip.score.strip()) if ruleset.slips.score == "asked" else ""
    return (slip.handed, slip.coordinates_illegible, slip.word_illegible, score)


def _plays(slip: WrittenSlip, turn: TurnData) -> frozenset[object]:
    """Return the possible plays of a slip, as start and tiles; its plain text if it is not a play."""
    tile_set = turn.ruleset.tile_set
    text = "".join(tile_set.fold(tile_set.normalize(slip.word)).split())
    try:
        start = _start(slip, turn.ruleset)
    except _NullError:
        return frozenset({("".join(slip.coordinates.upper().split()), text)})
    readings = word_readings(slip.word, start, turn.board, tile_set)
    if BLANK not in turn.rack:
        readings = [tuple(Tile(tile.face) for tile in reading) for reading in readings]
    return frozenset((start, reading) for reading in readings) or frozenset({(start, text)})


def _not_handed_in(slip: WrittenSlip, ruleset: Ruleset) -> Finding | None:
    late = ruleset.article("slips.late")
    match slip.handed:
        case Handed.LATE:
            return Finding(Fault.LATE, late, N_("The slip was written after the end of the round."))
        case Handed.NOT_AT_ALL:
            return Finding(Fault.NOT_HANDED_IN, late, N_("No slip was handed in."))
        case Handed.HAND_NOT_RAISED:
            return Finding(Fault.HAND_NOT_RAISED, late, N_("The slip was not handed in as the judge had instructed."))
        case Handed.TWICE:
            return Finding(
                Fault.TWO_SLIPS,
                ruleset.article("slips.two_slips"),
                N_("Two slips were handed in. An arbiter rules which of them is scored."),
            )
        case Handed.IN_TIME:
            return None


def _start(slip: WrittenSlip, ruleset: Ruleset) -> Start:
    """Return the start of the word by the slip's coordinates. Raises ``_NullError``."""
    if slip.coordinates_illegible:
        raise _coordinates(N_("The coordinates cannot be read."), ruleset)
    if not slip.coordinates.strip():
        raise _coordinates(N_("The slip has no coordinates."), ruleset)
    try:
        return Notation.FISC.read(slip.coordinates)
    except ValueError:
        raise _coordinates(
            N_("{written} is not a square where a word can begin: expected a letter A to O and a number 1 to 15."),
            ruleset,
            {"written": slip.coordinates.strip()},
        ) from None


def _coordinates(message: str, ruleset: Ruleset, params: Mapping[str, Param] | None = None) -> _NullError:
    return _NullError(Finding(Fault.COORDINATES, ruleset.article("slips.coordinates"), message, params or {}), 0)


def _word(
    fault: Fault, message: str, ruleset: Ruleset, params: Mapping[str, Param] | None = None, *, depth: int = 0
) -> _NullError:
    return _NullError(Finding(fault, ruleset.article("slips.word"), message, params or {}), depth)


def _best_reading(slip: WrittenSlip, start: Start, turn: TurnData) -> Verdict:
    """Return the verdict on the first reading that counts; raise ``_NullError`` of the deepest failure otherwise."""
    ruleset = turn.ruleset
    if slip.word_illegible:
        raise _word(Fault.ILLEGIBLE, N_("The word cannot be read."), ruleset)
    if not slip.word.strip():
        raise _word(Fault.WORD_MISSING, N_("The slip has no word."), ruleset)
    readings = word_readings(slip.word, start, turn.board, ruleset.tile_set)
    if not readings:
        raise _unreadable(slip, start, turn)
    failures = []
    for reading in readings:
        try:
            return _judge(reading, start, turn)
        except _NullError as wrong:
            failures.append(wrong)
    raise max(failures, key=lambda wrong: wrong.depth)


def _unreadable(slip: WrittenSlip, start: Start, turn: TurnData) -> _NullError:
    """Return the reason why the text is not a word from ``start`` on: it contradicts the board, or has no tiles."""
    wrong = clash(slip.word, start, turn.board, turn.ruleset.tile_set)
    if wrong is not None:
        square, lies, wanted = wrong
        params: dict[str, Param] = {"square": str(square), "there": str(lies or "–"), "tile": str(wanted or "–")}
        return _coordinates(
            N_("The word does not fit there: {square} has {there}, and the word has {tile} there."),
            turn.ruleset,
            params,
        )
    return _word(Fault.ILLEGIBLE, N_("{word} cannot be formed with tiles."), turn.ruleset, {"word": slip.word.strip()})


def _judge(reading: Sequence[Tile], start: Start, turn: TurnData) -> Verdict:
    """Return the verdict on a word in tiles. Raises ``_NullError``."""
    ruleset = turn.ruleset
    laid = lay(turn.board, start, reading)
    outside = next((square for square, _ in laid if not square.on_board), None)
    if outside is not None:
        raise _coordinates(N_("The word extends beyond the board."), ruleset)
    if not laid:
        raise _coordinates(N_("The word is already there."), ruleset)
    laid, uncircled = _with_blanks(laid, start, turn)
    words = _find_words_formed(laid, turn)
    main = _main_word(reading, start, words, ruleset)
    if not turn.is_word(main.faces):
        raise _word(Fault.INVALID, N_("{word} is not in the lexicon."), ruleset, {"word": str(main)}, depth=3)
    for word in words:
        if word is not main and ruleset.slips.cross_invalid == "null" and not turn.is_word(word.faces):
            raise _NullError(
                Finding(
                    Fault.CROSS_WORD,
                    ruleset.article("slips.cross_invalid"),
                    N_("{word}, across the main word, is not in the lexicon."),
                    {"word": str(word)},
                ),
                depth=4,
            )
    points = score_play(turn.board, laid, ruleset, words).points
    warned: tuple[Finding, ...] = ()
    if uncircled is not None:
        match ruleset.slips.blank_uncircled:
            case "null":
                raise _NullError(uncircled, depth=5)
            case "warning":
                warned = (uncircled,)
            case "nothing":
                pass
    return Verdict(points, None, warned, start, main.tiles, laid)


def _find_words_formed(laid: Sequence[Placement], turn: TurnData) -> tuple[Word, ...]:
    """Return the words that the tiles form. Raises ``_NullError`` if their placement is invalid."""
    try:
        return check_play(turn.board, laid, rack=turn.rack, ruleset=turn.ruleset)
    except Refusal as refusal:
        article = turn.ruleset.article("slips.coordinates")
        raise _NullError(Finding(Fault.COORDINATES, article, refusal.message, refusal.params), depth=2) from None


def _main_word(reading: Sequence[Tile], start: Start, words: Sequence[Word], ruleset: Ruleset) -> Word:
    """Return the written word among those formed: with one tile laid, either of two is the main word (FISC II.2).

    Raises ``_NullError`` if it is not among them.
    """
    wanted = tuple(tile.face for tile in reading)
    for word in words:
        if word.start == start and word.faces == wanted:
            return word
    along = next((word for word in words if word.start.direction is start.direction), None)
    if along is None:
        raise _word(
            Fault.NOT_WHOLE,
            N_("{word} does not form a word in that direction."),
            ruleset,
            {"word": write_word(reading)},
            depth=2,
        )
    raise _word(
        Fault.NOT_WHOLE,
        N_("The main word is {whole}, but {word} was written: the letters on the board are part of the word."),
        ruleset,
        {"whole": str(along), "word": write_word(reading)},
        depth=2,
    )


def _with_blanks(
    laid: Sequence[Placement], start: Start, turn: TurnData
) -> tuple[tuple[Placement, ...], Finding | None]:
    """Return the tiles with the blanks of the rack, and the finding for a blank without a circle.

    A superfluous circle has no effect (FISC II.7 only names blanks without one). If several tiles may be the blank, it
    is a circled one, and of those the one with the lowest score. Raises ``_NullError`` for tiles that are not in the
    rack.
    """
    held = Counter(turn.rack)
    circled = frozenset(square for square, tile in laid if tile.blank)
    ways = list(_places(laid, held))
    if not ways:
        _raise_missing(laid, held, turn.ruleset)
    if circled in ways:
        return tuple(laid), None
    blanks = min(ways, key=lambda way: (len(way - circled), -len(way & circled), _points(_set_blanks(laid, way), turn)))
    if blanks <= circled:
        return _set_blanks(laid, blanks), None
    letters = " ".join(sorted(tile.face for square, tile in laid if square in blanks - circled))
    finding = Finding(
        Fault.UNCIRCLED,
        turn.ruleset.article("slips.blank_uncircled"),
        N_("{letters} is a blank in this rack, but it is not circled."),
        {"letters": letters},
    )
    return _set_blanks(laid, blanks), finding


def _raise_missing(laid: Sequence[Placement], held: Counter[str], ruleset: Ruleset) -> NoReturn:
    missing = Counter(tile.in_rack for _, tile in laid) - held
    raise _word(
        Fault.NOT_IN_RACK,
        N_("The rack does not hold {tiles}."),
        ruleset,
        {"tiles": " ".join(sorted(missing.elements()))},
        depth=1,
    )


def _places(laid: Sequence[Placement], held: Counter[str]) -> Iterator[frozenset[Square]]:
    """Yield every choice of squares for blanks with which the rack has all tiles."""
    squares = [square for square, _ in laid]
    for count in range(min(held[BLANK], len(squares)) + 1):
        for chosen in combinations(squares, count):
            if Counter(tile.face for square, tile in laid if square not in chosen) <= held:
                yield frozenset(chosen)


def _set_blanks(laid: Sequence[Placement], squares: frozenset[Square]) -> tuple[Placement, ...]:
    return tuple(Placement(square, Tile(tile.face, square in squares)) for square, tile in laid)


def _points(laid: Sequence[Placement], turn: TurnData) -> int:
    """Return the score of the tiles there, valid or not."""
    return score_play(turn.board, laid, turn.ruleset).points


def _number(written: str) -> str:
    """Normalize a number: ``054``, ``54 p.`` and full-width digits are ``54``; other texts stay."""
    found = re.findall(r"\d+", written)
    return str(int(found[0])) if len(found) == 1 else written


def _with_score(slip: WrittenSlip, verdict: Verdict, ruleset: Ruleset) -> Verdict:
    """Return the verdict with the cost of a missing or wrong score; the points are always computed."""
    slips = ruleset.slips
    written = slip.score.strip()
    if not written and slips.score == "asked":
        finding = Finding(
            Fault.SCORE_MISSING, ruleset.article("slips.score_missing"), N_("The score of the play is not written.")
        )
        cost = slips.score_missing
    elif written and _number(written) != str(verdict.points):
        finding = Finding(
            Fault.SCORE_WRONG,
            ruleset.article("slips.score_wrong"),
            N_("The play scores {points}, but {written} was written."),
            {"points": verdict.points, "written": written},
        )
        cost = slips.score_wrong
    else:
        return verdict
    match cost:
        case "null":
            return Verdict(0, finding)
        case "warning":
            return replace(verdict, warned=(*verdict.warned, finding))
        case "nothing":
            return verdict

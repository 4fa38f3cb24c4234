"""Decoding and parsing of a GCG file. An invalid line is refused with its number and the reason.

The format is older than UTF-8: by default a file is ISO 8859-1; ``#character-encoding`` in the first line declares
another encoding. Many programs forget that line, so bytes that are valid UTF-8 are read as UTF-8: words in ISO 8859-1
with a character beyond ASCII are practically never valid UTF-8. Other programs write windows-1252, which is ISO 8859-1
with more quotation marks.

Whether the rules allow the game is not checked here: ``replay`` checks it.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NoReturn

from faristol.kernel.quotation import quote_text, shorten_text
from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.game import GcgError, GcgProblem
from faristol.rules.gcg.tiles import DIGIT_FORMS, PLAIN_FORMS, Forms
from faristol.rules.look_alikes import look_alikes_of
from faristol.rules.notation import Notation, Start

MAX_GCG_BYTES = 1 << 20
"""Bytes of the largest file that is accepted. A game with notes has some thousand."""

ENCODINGS = ("utf-8", "iso8859-1", "iso8859-15", "iso8859-7", "cp1252", "cp1253", "ascii")
"""Encodings that a file may declare, by their Python names."""

_ENCODING_NAMES = "UTF-8, ISO-8859-1, ISO-8859-15, ISO-8859-7, windows-1252, windows-1253 or US-ASCII"
_ENCODING_PRAGMA = re.compile(rb"[ \t]*#character-encoding[ \t]+([!-~]+)", re.IGNORECASE)
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode_gcg(data: bytes) -> str:
    """Decode a file to composed characters (NFC). Raises ``GcgError`` if it is too large or not in a known encoding."""
    if len(data) > MAX_GCG_BYTES:
        raise GcgError(
            GcgProblem(1, "TOO_LARGE", "the file is too large to be a game", f"at most {MAX_GCG_BYTES} bytes")
        )
    if data.startswith(_WIDE):
        raise GcgError(GcgProblem(1, "ENCODING_UNKNOWN", "the file is in UTF-16", _ENCODING_NAMES))
    marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    declared = _ENCODING_PRAGMA.match(data)
    encoding = "utf-8" if marked or not declared else _find_encoding(declared[1].decode("ascii"))
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if marked or declared:
            line = len(re.split(rb"\r\n|\r|\n", data[: error.start]))
            byte = data[error.start]
            raise GcgError(
                GcgProblem(line, "NOT_IN_ENCODING", f"byte 0x{byte:02X} is not {encoding}", f"text in {encoding}")
            ) from None
        text = _western(data)
    return unicodedata.normalize("NFC", text)


def _western(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("iso8859-1")


def _find_encoding(name: str) -> str:
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding not in ENCODINGS:
        raise GcgError(
            GcgProblem(1, "ENCODING_UNKNOWN", f"the encoding {quote_text(name)} is not known", _ENCODING_NAMES)
        )
    return encoding


_LINE_END = re.compile(r"\r\n|\r|\n")
_PRAGMA = re.compile(r"#(\S*)\s*(.*)")
_EVENT = re.compile(r">\s*(\S+?)\s*:(?:\s+(.*)|([^\s:]+\s.*))?")
_DASHES = str.maketrans(dict.fromkeys(look_alikes_of("-") + "—‑﹣－", "-"))
"""Maps every dash to the sign of a pass, of an exchange and of a negative score."""
_PLACE = re.compile(r"[0-9]+[A-Za-z]|[A-Za-z][0-9]+")
_POINTS = re.compile(r"\+?(-?[0-9]{1,5})")
"""Some programs write a plus sign before each score, also before that of a penalty: ``+-10``."""
_COUNT = re.compile(r"-[0-9]{1,2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FORM = ">nick: RACK 8H WORD +score total"


def read_gcg(text: str, *, digits: bool = False) -> gcg.GcgGame:
    """Parse a game. Raises ``GcgError`` at the first line that is not a line of a GCG file.

    With ``digits``, a digit may stand for a tile of several letters, as ``parse_digraphs`` describes.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise GcgError(GcgProblem(1, "EMPTY", "the file is empty", "#player1, #player2 and the events of a game"))
    reader = _Reader(DIGIT_FORMS if digits else PLAIN_FORMS)
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        reader.read(number, line.rstrip())
    return reader.game()


def _hint(text: str) -> str:
    """Return advice on digits for tiles of several letters if ``text`` has a digit; else an empty string."""
    digits = re.search(r"[0-9]", text)
    return f" (some programs write {digits[0]} for a tile of several letters: --digraphs digits)" if digits else ""


class _Reader:
    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._lines: list[gcg.Line] = []
        self._players: dict[int, gcg.GcgPlayer] = {}
        self._number = 1
        self._last_text = 1

    def game(self) -> gcg.GcgGame:
        self._number = self._last_text
        self._need_players()
        return gcg.GcgGame(tuple(self._trim_note(line) for line in self._lines))

    def _trim_note(self, line: gcg.Line) -> gcg.Line:
        """Return the line, without empty lines at the end of a note."""
        return gcg.Note(text=line.text.rstrip(), line=line.line) if isinstance(line, gcg.Note) else line

    def read(self, number: int, text: str) -> None:
        self._number = number
        bare = text.lstrip()
        if bare:
            self._last_text = number
        last = self._lines[-1] if self._lines else None
        if _CONTROL.search(bare) and not bare.casefold().startswith("#note") and bare[0] in "#>":
            self._fail("CONTROL", f"{quote_text(bare)} has a control character", "printable text")
        if bare.startswith(">"):
            self._lines.append(self._event(bare))
        elif bare.startswith("#"):
            self._pragma(bare)
        elif isinstance(last, gcg.Note):
            self._lines[-1] = gcg.Note(text=f"{last.text}\n{text}", line=last.line)
        elif bare:
            self._fail(
                "MALFORMED", f"{quote_text(bare)} is neither a pragma nor an event", "a line that begins with # or >"
            )

    def _fail(self, reason: str, message: str, expected: str) -> NoReturn:
        raise GcgError(GcgProblem(self._number, reason, message, expected))

    def _pragma(self, text: str) -> None:
        match = _PRAGMA.fullmatch(text)
        assert match is not None, "whatever begins with # is a pragma"
        keyword, rest = match[1], match[2]
        match keyword.casefold():
            case "note":
                self._lines.append(gcg.Note(text=rest, line=self._number))
            case "character-encoding":
                if self._number > 1:
                    self._fail("ENCODING_LATE", "#character-encoding stands in the middle", "it in the first line")
            case "player1" | "player2":
                self._player(int(keyword[-1]), rest)
            case other if re.fullmatch(r"player\d+", other):
                self._fail("PLAYER_NUMBER", f"#{shorten_text(keyword)}: a game has two players", "#player1 or #player2")
            case _:
                self._lines.append(gcg.Pragma(keyword=keyword, text=rest, line=self._number))

    def _player(self, number: int, text: str) -> None:
        if number in self._players:
            self._fail("PLAYER_TWICE", f"player {number} was named before", "one #player1 and one #player2")
        if any(isinstance(line, gcg.GCG_EVENT_TYPES) for line in self._lines):
            self._fail("PLAYER_LATE", f"#player{number} comes after the first event", "both players before it")
        nick, name = (*text.split(maxsplit=1), "", "")[:2]
        if not nick:
            self._fail("MALFORMED", f"#player{number} has no nickname", f"#player{number} nick Full Name")
        if any(player.nick == nick for player in self._players.values()):
            self._fail("NICK_TWICE", f"both players are called {quote_text(nick)}", "two nicknames")
        self._players[number] = gcg.GcgPlayer(number=number, nick=nick, name=name, line=self._number)
        self._lines.append(self._players[number])

    def _need_players(self) -> None:
        for number in (1, 2):
            if number not in self._players:
                expected = f"#player{number} nick Full Name, before the first event"
                self._fail("PLAYER_MISSING", f"player {number} is not named", expected)

    def _event(self, text: str) -> gcg.Event:
        self._need_players()
        match = _EVENT.fullmatch(text)
        if match is None:
            self._fail("MALFORMED", f"{quote_text(text)} names no player", _FORM)
        nick, parts = match[1], (match[2] or match[3] or "").translate(_DASHES).split()
        if nick not in {player.nick for player in self._players.values()}:
            names = " or ".join(player.nick for _, player in sorted(self._players.items()))
            self._fail("PLAYER_UNKNOWN", f"there is no player {quote_text(nick)}", names)
        rack = None
        if parts and not parts[0].startswith(("(", "-")) and not _PLACE.fullmatch(parts[0]):
            rack = parts.pop(0)
            if not self._forms.partial_rack.fullmatch(rack):
                expected = "its tiles, ? for a blank, . for a tile that is not known: AEINR[CH]?"
                self._fail("MALFORMED_RACK", f"{quote_text(rack)} is no rack", expected + _hint(rack))
        return self._what(nick, rack, parts)

    def _what(self, nick: str, rack: str | None, parts: list[str]) -> gcg.Event:
        what = parts.pop(0) if parts else ""
        if what.startswith("("):
            return self._read_bracketed(nick, rack, what, parts)
        if what.startswith("-"):
            return self._turn_without_play(nick, rack, what, parts)
        if not what:
            self._fail("MALFORMED", "the line does not say what happened", _FORM)
        start = self._start(what)
        word = parts.pop(0) if parts else ""
        if not self._forms.word.fullmatch(word):
            expected = "tiles, small letters for a blank, . for a tile already there: tANGO.S" + _hint(word)
            self._fail("MALFORMED_PLAY", f"{quote_text(word)} is no word" if word else "the word is missing", expected)
        score, total, remark = self._points(parts)
        return gcg.Play(
            nick=nick, rack=rack, start=start, word=word, score=score, total=total, remark=remark, line=self._number
        )

    def _start(self, text: str) -> Start:
        try:
            return Notation.GCG.read(text)
        except ValueError:
            expected = "8H for across or H8 for down: a letter A to O and a number 1 to 15"
            self._fail("MALFORMED_PLACE", f"{quote_text(text)} is no square", expected)

    def _read_bracketed(self, nick: str, rack: str | None, what: str, parts: list[str]) -> gcg.Event:
        score, total, remark = self._points(parts)
        inside = what[1:-1] if what.endswith(")") else ""
        number = self._number
        match inside:  # (TIME) are four tiles
            case "challenge":
                return gcg.Challenge(nick=nick, rack=rack, score=score, total=total, remark=remark, line=number)
            case "time":
                return gcg.TimePenalty(nick=nick, rack=rack, score=score, total=total, remark=remark, line=number)
        if not self._forms.rack.fullmatch(inside):
            self._fail("MALFORMED", f"{quote_text(what)} is not known", "(challenge), (time) or tiles left: (AEI)")
        if rack is None and score >= 0 and "-" not in parts[0]:
            return gcg.RackPoints(nick=nick, tiles=inside, score=score, total=total, remark=remark, line=number)
        return gcg.RackPenalty(nick=nick, rack=rack, tiles=inside, score=score, total=total, remark=remark, line=number)

    def _turn_without_play(self, nick: str, rack: str | None, what: str, parts: list[str]) -> gcg.Event:
        score, total, remark = self._points(parts)
        number = self._number
        if what == "-":
            return gcg.Pass(nick=nick, rack=rack, score=score, total=total, remark=remark, line=number)
        if what == "--":
            return gcg.Withdrawal(nick=nick, rack=rack, score=score, total=total, remark=remark, line=number)
        count = int(what[1:]) if _COUNT.fullmatch(what) else 0
        if not count and not self._forms.rack.fullmatch(what[1:]):
            self._fail(
                "MALFORMED_EXCHANGE", f"{quote_text(what)} is no exchange", "- and the tiles, or their number: -AE?"
            )
        tiles = "" if count else what[1:]
        return gcg.Exchange(
            nick=nick, rack=rack, tiles=tiles, count=count, score=score, total=total, remark=remark, line=number
        )

    def _points(self, parts: list[str]) -> tuple[int, int, str]:
        """Parse score, total and the text after them."""
        for place, name in enumerate(("score", "total")):
            found = parts[place] if place < len(parts) else ""
            if not _POINTS.fullmatch(found):
                text = f"{quote_text(found)} is no {name}" if found else f"the {name} is missing"
                self._fail("MALFORMED_POINTS", text, "the score with its sign and the total: +24 103")
        return int(parts[0].removeprefix("+")), int(parts[1].removeprefix("+")), " ".join(parts[2:])

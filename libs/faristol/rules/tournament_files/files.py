"""Files of any known format as a tournament: a folder of tsh, ``.t``, ``.tou``, TRF, a list of results. Pure."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.form import (
    ABSENT,
    FileDivision,
    FilePlayer,
    FileRound,
    FileStanding,
    RoundKind,
    TournamentFile,
    UnreadableFile,
    put_given_name_first,
)
from faristol.rules.tournament_files.results_list import read_results
from faristol.rules.tournament_files.tou import read_tou
from faristol.rules.tournament_files.tsh import CONFIG_FILE, decode_tsh, read_division, read_tsh
from faristol.rules.trf import Document, TrfCell, TrfError, decode_trf, read_trf
from faristol.rules.trf.document import Scores

_WITHOUT_OPPONENT: Mapping[str, RoundKind] = {
    "U": RoundKind.BYE,
    "F": RoundKind.BYE,
    "+": RoundKind.BYE,
    "H": RoundKind.HALF_BYE,
}
_FORFEITS: Mapping[str, RoundKind] = {"+": RoundKind.FORFEIT_WIN, "-": RoundKind.FORFEIT_LOSS}
_ASSUMED: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys("1W", (1, 0)),
    **dict.fromkeys("=D", (0, 0)),
    **dict.fromkeys("0L", (0, 1)),
}
"""Scores of a result for which the file has none: 1–0 says who won, and no more."""

HALF_POINT_TENTHS_FACTOR = 5
"""Tenths of a point in half a point."""


def to_tournament(document: Document) -> tuple[TournamentFile, int]:
    """Return the tournament of a report, and the number of games whose scores it does not have.

    Players are numbered by their places in the file. A game without scores has 1–0 or 0–0.
    """
    headers = dict(reversed(document.headers))
    place_of = {player.number: place for place, player in enumerate(document.players, 1)}
    scores = {each.player: each for each in document.scores}
    assumed = 0
    players = []
    for player in document.players:
        cells = []
        for number, cell in enumerate(player.cells, 1):
            known = _known_scores(scores.get(player.number), number)
            if cell.played and known is None:
                assumed += 1
            cells.append(_to_round(cell, place_of, known))
        players.append(
            FilePlayer(
                name=put_given_name_first(player.name),
                rating=player.rating or None,
                rounds=tuple(cells),
                country=player.federation,
                standing=FileStanding(player.rank or None, _to_half_points(player.points)),
            )
        )
    rounds = max((len(player.rounds) for player in players), default=0)
    even = tuple(replace(each, rounds=(*each.rounds, *[ABSENT] * (rounds - len(each.rounds)))) for each in players)
    day = headers.get("042", "").replace("/", "-")
    found = TournamentFile(
        name=headers.get("012", ""),
        date=day,
        divisions=(FileDivision("", even),),
        rounds=document.rounds or 0,
        program="trf",
        passed_over=tuple(map(str, document.notes)),
    )
    return found, assumed // 2


def _to_half_points(tenths: int | None) -> int | None:
    """Return points in halves; None if the file has none, or not in halves."""
    return None if tenths is None or tenths % HALF_POINT_TENTHS_FACTOR else tenths // HALF_POINT_TENTHS_FACTOR


def _known_scores(scores: Scores | None, number: int) -> tuple[int, int] | None:
    return scores.rounds[number - 1] if scores and number <= len(scores.rounds) else None


def _to_round(cell: TrfCell, place_of: Mapping[int, int], known: tuple[int, int] | None) -> FileRound:
    if not cell.opponent:
        return FileRound(_WITHOUT_OPPONENT.get(cell.result, RoundKind.ABSENCE))
    opponent = place_of[cell.opponent]
    starts = {"w": True, "b": False}.get(cell.colour)
    if cell.result in _FORFEITS:
        return FileRound(_FORFEITS[cell.result], opponent, starts=starts)
    if cell.open:
        return FileRound(RoundKind.GAME, opponent, starts=starts)
    score, against = known or _ASSUMED[cell.result]
    return FileRound(RoundKind.GAME, opponent, score, against, starts)


MAX_FILE_BYTES = 8_000_000
"""Most bytes of a file in an archive."""

UNKNOWN_FORMAT = N_(
    "the format is not known: expected the folder of tsh, a .t, .tou or TRF file, or a list of results (.csv)"
)
NOT_A_REPORT = N_("not a valid TRF file: {problem}")
NOT_AN_ARCHIVE = N_("not a valid ZIP archive: {problem}")
FILE_TOO_LARGE = N_("expected at most {most} bytes")

ARCHIVE_NAME = "archive.zip"
TEXT_NAME = "text"
"""Names of an archive and of a text in errors, if they came without one."""

_FILE_HEAD_PATTERN = re.compile(r"^==> (.{1,100}) <==[ \t\r]*$", re.MULTILINE)
_REPORT_PATTERN = re.compile(r"^001 [ \d]{4} ", re.MULTILINE)
"""The line of a player in a TRF file."""

_REPORT_SUFFIXES = frozenset({".trf", ".trfx", ".txt"})


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A tournament as read."""

    tournament: TournamentFile
    assumed: int = 0
    """Number of games whose scores the file does not have."""
    document: Document | None = None
    """The report, of a TRF file."""


def is_of_folder(name: str) -> bool:
    """Check whether a file of that name belongs to the folder of a tournament of tsh."""
    path = PurePath(name)
    return path.suffix.casefold() == ".t" or path.name.casefold() == CONFIG_FILE


def read_folder(files: Mapping[str, bytes]) -> ReadFile:
    """Return the tournament of a folder of tsh: the content of its files by name. Raises ``UnreadableFile``."""
    return ReadFile(read_tsh({name: decode_tsh(content) for name, content in files.items() if is_of_folder(name)}))


def read_file(name: str, content: bytes) -> ReadFile:
    """Return the tournament of a file. Raises ``UnreadableFile`` for an unknown format, and for a malformed file."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        return read_folder(_read_archive(name, content))
    suffix = PurePath(name).suffix.casefold()
    if suffix == ".t":
        division = read_division(decode_tsh(content), "", name)
        return ReadFile(TournamentFile(PurePath(name).stem, divisions=(division,), program="tsh"))
    if suffix == ".csv":
        return ReadFile(read_results(decode_tsh(content), name))
    if content.lstrip(b"\xef\xbb\xbf").startswith(b"*M"):
        return ReadFile(read_tou(decode_tsh(content), name))
    if suffix not in _REPORT_SUFFIXES:
        raise UnreadableFile(name, 0, UNKNOWN_FORMAT)
    try:
        document = read_trf(decode_trf(content))
    except TrfError as error:
        raise UnreadableFile(name, 0, NOT_A_REPORT, {"problem": str(error)}) from None
    return ReadFile(*to_tournament(document), document)


def _read_archive(name: str, content: bytes) -> Mapping[str, bytes]:
    """Return the files of a tsh folder in a ZIP archive, by name. Raises ``UnreadableFile``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [each for each in archive.infolist() if is_of_folder(each.filename)]
            _check_sizes(name, members)
            return {PurePath(each.filename).name: archive.read(each) for each in members}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UnreadableFile(name, 0, NOT_AN_ARCHIVE, {"problem": str(error)}) from None


def _check_sizes(name: str, members: Iterable[zipfile.ZipInfo]) -> None:
    if sum(each.file_size for each in members) > MAX_FILE_BYTES:
        raise UnreadableFile(name, 0, FILE_TOO_LARGE, {"most": MAX_FILE_BYTES})


def to_text(content: bytes) -> str:
    """Return a file as one text; that of a folder in an archive has a line ``==> NAME <==`` before each file.

    Raises ``UnreadableFile`` for an invalid archive.
    """
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return decode_trf(content) if _looks_like_report(content) else decode_tsh(content)
    files = _read_archive(ARCHIVE_NAME, content)
    return "".join(f"==> {name} <==\n{decode_tsh(data).rstrip()}\n" for name, data in sorted(files.items()))


def read_text(text: str) -> ReadFile:
    """Return the tournament of a text of any known format, which its first lines tell. Raises ``UnreadableFile``."""
    if _FILE_HEAD_PATTERN.search(text):
        parts = _FILE_HEAD_PATTERN.split(text)
        return read_folder(
            {name.strip(): body.strip("\r\n").encode() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
        )
    suffix = _guess_suffix(text)
    found = read_file(f"{TEXT_NAME}{suffix}", text.encode())
    is_named_by_file = found.tournament.name == TEXT_NAME and suffix == ".t"
    return replace(found, tournament=replace(found.tournament, name="")) if is_named_by_file else found


def _looks_like_report(content: bytes) -> bool:
    return _REPORT_PATTERN.search(decode_trf(content)) is not None


def _guess_suffix(text: str) -> str:
    """Return the suffix of the format of a text."""
    if text.lstrip("\ufeff \r\n").startswith("*M"):
        return ".tou"
    if _REPORT_PATTERN.search(text):
        return ".trf"
    first = text.lstrip("\ufeff").partition("\n")[0].casefold()
    return ".csv" if "round" in first and any(sign in first for sign in ",;\t") else ".t"

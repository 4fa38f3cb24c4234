"""Files of any known format as a tournament: a folder of tsh, ``.t``, ``.tou``, TRF, a list of results. Pure."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.form import TournamentFile, UnreadableFile
from faristol.rules.tournament_files.reports import to_tournament
from faristol.rules.tournament_files.results_list import read_results
from faristol.rules.tournament_files.tou import read_tou
from faristol.rules.tournament_files.tsh import CONFIG_FILE, decode_tsh, read_division, read_tsh
from faristol.rules.trf import Document, TrfError, decode_trf, read_trf

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
    """Return the files of a folder in a ZIP archive. Raises ``UnreadableFile``."""
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

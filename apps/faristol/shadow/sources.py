"""The files that a shadow reads: a folder of tsh, a file, an address, a tournament of this product at an address.

Another program writes the files at any time, so a reading is accepted only if a second one after a short pause has the
same bytes and if it is well formed. A file that is cut off can still be well formed: a reading that contradicts itself,
or has fewer players or finished rounds than the one before, is accepted only after the last attempt. No source is ever
written to.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import httpx2

from faristol.kernel.refusal import N_
from faristol.rules.tournament_files import (
    FileDivision,
    FilePlayer,
    FileRound,
    FileStanding,
    RoundKind,
    TournamentFile,
    UnreadableFile,
    find_doubts,
)
from faristol.rules.tournament_files.files import ReadFile, is_of_folder, read_file, read_folder
from faristol.rules.tournament_files.tsh import CONFIG_FILE

SETTLE_SECONDS = 0.3
"""Pause between the two readings that must be equal."""

READING_ATTEMPTS = 6
"""Attempts until a reading counts as malformed and not as half written."""

REQUEST_SECONDS = 20.0
"""Limit of a request."""

MAX_PAGE_LINES = 500
"""Lines per page of the JSON API."""

API_PATH = "/api/v1/"

ANSWER_UNREADABLE = N_("cannot be read: {problem}")
CHANGES_TOO_FAST = N_("the file changed during each of {attempts} attempts to read it")

Sleep = Callable[[float], None]


class Unavailable(Exception):
    """A source that cannot be reached at the moment."""


class ShadowSource(Protocol):
    """A tournament that another program writes."""

    name: str
    """Name for messages: the last part of the path or address."""

    def load(self) -> Mapping[str, bytes]:
        """Return the content of all files by name. Raises ``Unavailable``."""

    def parse(self, files: Mapping[str, bytes]) -> ReadFile:
        """Return the tournament. Raises ``UnreadableFile``."""

    def wait(self, seconds: float) -> None:
        """Wait before the next reading, at most this long."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An accepted reading."""

    read: ReadFile | None
    """The tournament; None if the source is malformed."""
    digest: str
    """SHA-256 of all names and bytes, in hexadecimal digits."""
    problem: UnreadableFile | None = None
    """Why it is malformed."""


class _Polled:
    """A source that does not tell of its changes."""

    def wait(self, seconds: float) -> None:
        """Wait this long."""
        time.sleep(seconds)


class FolderSource(_Polled):
    """The folder of a tournament of tsh."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self._folder = folder

    def load(self) -> Mapping[str, bytes]:
        """Return ``config.tsh`` and the files of the divisions. Raises ``Unavailable``."""
        try:
            named = sorted(file for file in self._folder.iterdir() if is_of_folder(file.name))
            return {file.name: file.read_bytes() for file in named}
        except OSError as error:
            raise Unavailable(error.strerror or str(error)) from None

    def parse(self, files: Mapping[str, bytes]) -> ReadFile:
        """Return the tournament. Raises ``UnreadableFile``."""
        return read_folder(files)


class FileSource(_Polled):
    """One file."""

    def __init__(self, file: Path) -> None:
        self.name = file.name
        self._file = file

    def load(self) -> Mapping[str, bytes]:
        """Return the file. Raises ``Unavailable``."""
        try:
            return {self.name: self._file.read_bytes()}
        except OSError as error:
            raise Unavailable(error.strerror or str(error)) from None

    def parse(self, files: Mapping[str, bytes]) -> ReadFile:
        """Return the tournament. Raises ``UnreadableFile``."""
        return read_file(self.name, files[self.name])


class AddressSource(_Polled):
    """A file at an address; the server is asked whether it has changed."""

    def __init__(self, address: str) -> None:
        self.name = urlsplit(address).path.rpartition("/")[2] or "index"
        self._address = address
        self._tag = ""
        self._last: bytes = b""

    def load(self) -> Mapping[str, bytes]:
        """Return the file. Raises ``Unavailable``."""
        headers = {"If-None-Match": self._tag} if self._tag else {}
        answer = _get(self._address, headers)
        if answer.status_code != httpx2.codes.NOT_MODIFIED:
            self._tag, self._last = answer.headers.get("ETag", ""), answer.content
        return {self.name: self._last}

    def parse(self, files: Mapping[str, bytes]) -> ReadFile:
        """Return the tournament. Raises ``UnreadableFile``."""
        return read_file(self.name, files[self.name])


class TournamentSource:
    """A tournament of this product at the address of its page: by the JSON API and its stream of events."""

    def __init__(self, server: str, tournament_id: str) -> None:
        self.name = tournament_id
        self.server = server
        self._position = 0
        self._address = f"{server}{API_PATH}tournaments/{tournament_id}"

    def load(self) -> Mapping[str, bytes]:
        """Return the answers about the tournament, its players, crosstable and ratings. Raises ``Unavailable``."""
        head = _get(self._address)
        self._position = int(_parse_json(head).get("position") or 0)
        parts = {"tournament.json": head.content}
        for name in ("players", "crosstable"):
            page, token = 0, ""
            while page == 0 or token:
                query = f"?page_size={MAX_PAGE_LINES}" + (f"&page_token={token}" if token else "")
                answer = _get(f"{self._address}/{name}{query}")
                page += 1
                parts[f"{name}-{page}.json"] = answer.content
                token = str(_parse_json(answer).get("next_page_token") or "")
        parts["ratings.json"] = json.dumps(self._load_ratings()).encode()
        return parts

    def _load_ratings(self) -> Mapping[str, Any]:
        """Return the ratings without the position of the record; none if they are refused, as for held back games."""
        try:
            rated = _parse_json(_get(f"{self._address}/ratings"))
        except Unavailable:
            rated = {}
        return {"system": rated.get("system", ""), "ratings": rated.get("ratings", [])}

    def parse(self, files: Mapping[str, bytes]) -> ReadFile:
        """Return the tournament. Raises ``UnreadableFile``."""
        return ReadFile(build_from_json(files))

    def wait(self, seconds: float) -> None:
        """Wait for the next public event of the tournament after the last reading, at most this long."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(self._position)}
        limit, end = httpx2.Timeout(REQUEST_SECONDS, read=seconds), time.monotonic() + seconds
        wanted = {"tournaments": self.name}
        try:
            with httpx2.stream(
                "GET", f"{self.server}{API_PATH}stream", params=wanted, headers=headers, timeout=limit
            ) as answer:
                for line in answer.iter_lines():
                    if line.startswith("data:") or time.monotonic() > end:
                        return
        except httpx2.HTTPError:
            pass  # without a stream, the reading is repeated as that of a file
        time.sleep(max(0.0, min(seconds, end - time.monotonic())))


def _get(address: str, headers: Mapping[str, str] | None = None) -> httpx2.Response:
    """Return an answer with a content, or without a change. Raises ``Unavailable``."""
    try:
        answer = httpx2.get(address, headers=dict(headers or {}), timeout=REQUEST_SECONDS, follow_redirects=True)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Unavailable(str(error) or type(error).__name__) from None
    if answer.status_code not in (httpx2.codes.OK, httpx2.codes.NOT_MODIFIED):
        raise Unavailable(f"HTTP {answer.status_code}")
    return answer


def _parse_json(answer: httpx2.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError as error:
        raise Unavailable(str(error)) from None
    return found if isinstance(found, dict) else {}


def open_source(place: str) -> ShadowSource:
    """Return the source of a path or an address."""
    if place.startswith(("http://", "https://")):
        parts = urlsplit(place)
        words = [word for word in parts.path.split("/") if word]
        if "tournaments" in words[:-1] and "." not in words[-1]:
            here = words.index("tournaments")
            before = "/".join(words[:here]).removesuffix(API_PATH.strip("/")).strip("/")
            server = urlunsplit((parts.scheme, parts.netloc, f"/{before}" if before else "", "", ""))
            return TournamentSource(server, words[here + 1])
        return AddressSource(place)
    path = Path(place)
    if path.name.casefold() == CONFIG_FILE:
        path = path.parent
    return FolderSource(path) if path.is_dir() else FileSource(path)


@dataclass
class Reader:
    """A reader of one source."""

    source: ShadowSource
    sleep: Sleep = time.sleep
    last: Reading | None = field(default=None, init=False)

    def read(self) -> Reading:
        """Return a reading that is not half written. Raises ``Unavailable``."""
        files, reading = self.source.load(), None
        for _ in range(READING_ATTEMPTS):
            self.sleep(SETTLE_SECONDS)
            before, files = files, self.source.load()
            if before != files:
                reading = None
                continue
            reading = self._parse(files)
            if reading.read is not None and not self._is_doubtful(reading.read):
                break
        if reading is None:
            problem = UnreadableFile(self.source.name, 0, CHANGES_TOO_FAST, {"attempts": READING_ATTEMPTS})
            reading = Reading(None, _digest(files), problem)
        if reading.read is not None:
            self.last = reading
        return reading

    def _parse(self, files: Mapping[str, bytes]) -> Reading:
        try:
            return Reading(self.source.parse(files), _digest(files))
        except UnreadableFile as error:
            return Reading(None, _digest(files), error)

    def _is_doubtful(self, read: ReadFile) -> bool:
        """Check whether the tournament may be cut off: it contradicts itself, or lacks players or finished rounds."""
        if any(doubt.is_error for doubt in find_doubts(read.tournament)):
            return True
        if self.last is None or self.last.read is None:
            return False
        return any(now < then for now, then in zip(_count(read), _count(self.last.read), strict=True))


def _count(read: ReadFile) -> tuple[int, int]:
    divisions = read.tournament.divisions
    return sum(len(each.players) for each in divisions), sum(each.complete_rounds for each in divisions)


def _digest(files: Mapping[str, bytes]) -> str:
    found = hashlib.sha256()
    for name in sorted(files):
        found.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return found.hexdigest()


_OUTCOME_BY_HALF_POINTS = ("loss", "draw", "win")
_KINDS_OF_BYES: Mapping[str | None, RoundKind] = {"win": RoundKind.BYE, "draw": RoundKind.HALF_BYE}


def build_from_json(files: Mapping[str, bytes]) -> TournamentFile:
    """Return the tournament of the answers of the JSON API. Raises ``UnreadableFile``."""
    try:
        head = json.loads(files["tournament.json"])["tournament"]
        parts = {name: json.loads(content) for name, content in files.items()}
        rows = [row for name in sorted(parts) if name.startswith("crosstable") for row in parts[name]["rows"]]
        listed = [line for name in sorted(parts) if name.startswith("players") for line in parts[name]["players"]]
        left = {line["player_id"] for line in listed if line.get("withdrawn_round")}
        ordered = sorted(rows, key=lambda row: (-row["rating"], row["unrated"], row["player_id"]))
        number_of = {row["player_id"]: number for number, row in enumerate(ordered, 1)}
        ratings = parts["ratings.json"]
        is_rated_by_scores = _has_tables_of_two(rows) and _are_decided_by_scores(rows, number_of)
        rated = {line["player_id"]: line for line in ratings["ratings"]} if is_rated_by_scores else {}
        players = tuple(_add_ratings(_build_player(row, number_of, left), rated) for row in ordered)
        division = FileDivision(str(head.get("division") or ""), players)
        return TournamentFile(
            name=str(head["name"]),
            divisions=(division,),
            rounds=int(head["rounds"]),
            program="faristol",
            rating_system=str(ratings["system"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise UnreadableFile("tournament.json", 0, ANSWER_UNREADABLE, {"problem": problem}) from None


def _has_tables_of_two(rows: Sequence[Mapping[str, Any]]) -> bool:
    return all(len(cell["opponent_ids"]) <= 1 for row in rows for cell in row["cells"])


def _are_decided_by_scores(rows: Sequence[Mapping[str, Any]], number_of: Mapping[str, int]) -> bool:
    """Check whether no ruling gave a game to the lower score or to neither player: such a game is rated otherwise."""
    cells = (cell for row in rows for cell in row["cells"])
    games = ((cell, played) for cell in cells if (played := _build_round(cell, number_of)).is_played)
    return all(cell["outcome"] == _OUTCOME_BY_HALF_POINTS[played.half_points] for cell, played in games)


def _add_ratings(player: FilePlayer, rated: Mapping[str, Mapping[str, Any]]) -> FilePlayer:
    """Return a player with the rating after the last round that has a result."""
    if (line := rated.get(player.player_id)) is None or not player.rounds:
        return player
    unknown = (None,) * (len(player.rounds) - 1)
    return replace(player, ratings=(*unknown, int(line["new_rating"])), start_rating=int(line["rating"]))


def _build_player(row: Mapping[str, Any], number_of: Mapping[str, int], left: set[str]) -> FilePlayer:
    return FilePlayer(
        name=str(row["name"] or row["player_id"]),
        rating=None if row["unrated"] else int(row["rating"]),
        rounds=tuple(_build_round(cell, number_of) for cell in row["cells"]),
        player_id=str(row["player_id"]),
        left=row["player_id"] in left,
        standing=FileStanding(int(row["rank"]) or None, round(row["points"] * 2), int(row["spread"])),
    )


def _build_round(cell: Mapping[str, Any], number_of: Mapping[str, int]) -> FileRound:
    opponents = cell["opponent_ids"]
    opponent = number_of[opponents[0]] if opponents else 0
    match cell["basis"]:
        case "forfeit":
            kind = RoundKind.FORFEIT_WIN if cell["outcome"] == "win" else RoundKind.FORFEIT_LOSS
            return FileRound(kind, opponent, cell["score"], cell["against"])
        case "bye" | "requested_bye":
            return FileRound(_KINDS_OF_BYES.get(cell["outcome"], RoundKind.ABSENCE))
        case _ if opponent:
            if not cell["final"]:
                return FileRound(RoundKind.GAME, opponent, starts=cell["starts"])
            return FileRound(RoundKind.GAME, opponent, cell["score"], cell["against"], cell["starts"])
        case _:
            return FileRound(RoundKind.ABSENCE)

"""The archive of a record: gzip over lines of JSON, written and read as a stream.

``docs/archive.md`` specifies the format.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import gzip
import hashlib
import json
import os
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from faristol.event_store.errors import RecordError

ARCHIVE_VERSION = 4
"""Version of the format that is written. In version 1, names have no salt; persons have further details from 3 on.

A checkpoint of the log is in an archive from version 4 on.
"""
READABLE = (1, 2, 3, ARCHIVE_VERSION)
MAX_LINE_BYTES = 8 * 1024 * 1024
"""Bytes. A payload has at most 1 MiB; an answer fits into one gRPC message."""

_CHECKSUM_LENGTH = 32
_TAIL = len(',"sum":""}\n') + _CHECKSUM_LENGTH


class ArchiveError(RecordError):
    """A file cannot be read or written as an archive, or its content differs from the written one."""


class ArchiveLine:
    """One line of an archive. Members are read by name and type; a missing or malformed one raises ``ArchiveError``."""

    def __init__(self, number: int, members: Mapping[str, Any]) -> None:
        self.number = number
        """Number of the line, from 1."""
        self._members = members
        self.kind = self.text("kind")

    def _take(self, name: str, expected: type) -> Any:
        value = self._members.get(name)
        if type(value) is not expected:
            raise self.error(f"its {name} is {value!r:.40}, which is not of type {expected.__name__}")
        return value

    def text(self, name: str) -> str:
        """Return a text."""
        value = str(self._take(name, str))
        if "\0" in value or _has_unpaired_surrogate(value):
            raise self.error(f"its {name} has characters that databases do not accept")
        return value

    def number_of(self, name: str) -> int:
        """Return a non-negative integer of at most 63 bits."""
        value = int(self._take(name, int))
        if not 0 <= value < 2**63:
            raise self.error(f"its {name} is {value}, which no position, time or number can be")
        return value

    def salt(self, name: str) -> bytes | None:
        """Return bytes in hexadecimal; None if they are empty, or absent as in version 1."""
        return self.digest(name) or None if name in self._members else None

    def position_of(self, name: str) -> int:
        """Return a position or a count; 0 if it is absent, as in an older version."""
        return self.number_of(name) if name in self._members else 0

    def numbers(self, name: str) -> Mapping[str, int]:
        """Return positive integers of at most 63 bits, by name."""
        found: dict[str, Any] = self._take(name, dict)
        for key, value in found.items():
            if type(value) is not int or not 0 < value < 2**63 or _has_unpaired_surrogate(key):
                raise self.error(f"its {name} has {value!r:.40} for {key!r:.40}; expected a number from 1")
        return found

    def details(self, name: str) -> Mapping[str, Any]:
        """Return texts and numbers by name; none if they are absent, as in versions 1 and 2."""
        found: dict[str, Any] = self._take(name, dict) if name in self._members else {}
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        found: list[Any] = self._take(name, list)
        for text in found:
            if type(text) is not str or "\0" in text or _has_unpaired_surrogate(text):
                raise self.error(f"its {name} has {text!r:.40}, which is not a text that all databases accept")
        return tuple(found)

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        return bool(self._take(name, bool))

    def content(self, name: str) -> bytes:
        """Return bytes in base64."""
        try:
            return base64.b64decode(self.text(name), validate=True)
        except binascii.Error:
            raise self.error(f"its {name} is not in base64") from None

    def digest(self, name: str) -> bytes:
        """Return bytes in hexadecimal."""
        return self._hexadecimal(name, self.text(name))

    def digests(self, name: str) -> list[bytes]:
        """Return a list of bytes in hexadecimal."""
        return [self._hexadecimal(name, digest) for digest in self._take(name, list)]

    def _hexadecimal(self, name: str, value: object) -> bytes:
        try:
            return bytes.fromhex(str(value))
        except ValueError:
            raise self.error(f"its {name} is not in hexadecimal") from None

    def members(self) -> dict[str, Any]:
        """Return all members that ``MEMBERS`` lists for its kind."""
        return {name: read_as(self, name) for name, read_as in MEMBERS[self.kind].items()}

    def error(self, problem: str) -> ArchiveError:
        """Return the error for a problem of this line."""
        return ArchiveError(f"line {self.number}: {problem}")


MEMBERS: Mapping[str, Mapping[str, Callable[[ArchiveLine, str], Any]]] = {
    "event": {
        "position": ArchiveLine.number_of,
        "stream": ArchiveLine.text,
        "version": ArchiveLine.number_of,
        "event_id": ArchiveLine.text,
        "type": ArchiveLine.text,
        "schema_version": ArchiveLine.number_of,
        "tournament": ArchiveLine.text,
        "payload": ArchiveLine.content,
        "metadata": ArchiveLine.text,
        "recorded_at": ArchiveLine.number_of,
        "hash": ArchiveLine.digest,
    },
    "gap": {
        "from_position": ArchiveLine.number_of,
        "to_position": ArchiveLine.number_of,
        "hashes": ArchiveLine.digests,
    },
    "seal": {
        "from_position": ArchiveLine.number_of,
        "to_position": ArchiveLine.number_of,
        "root": ArchiveLine.digest,
        "previous": ArchiveLine.digest,
        "key_id": ArchiveLine.text,
        "sealed_at": ArchiveLine.number_of,
        "signature": ArchiveLine.digest,
    },
    "log-gap": {
        "from_position": ArchiveLine.number_of,
        "to_position": ArchiveLine.number_of,
        "hashes": ArchiveLine.digests,
    },
    "checkpoint": {
        "size": ArchiveLine.number_of,
        "origin": ArchiveLine.text,
        "root": ArchiveLine.digest,
        "note": ArchiveLine.text,
        "made_at": ArchiveLine.number_of,
        "published_at": ArchiveLine.number_of,
    },
    "command": {"command_id": ArchiveLine.text, "answer": ArchiveLine.content, "position": ArchiveLine.number_of},
    "person": {
        "player_id": ArchiveLine.text,
        "name": ArchiveLine.text,
        "club": ArchiveLine.text,
        "country": ArchiveLine.text,
        "details": ArchiveLine.details,
        "salt": ArchiveLine.salt,
        "bound": ArchiveLine.position_of,
    },
    "note": {"position": ArchiveLine.number_of, "text": ArchiveLine.text, "player_ids": ArchiveLine.texts},
    "erased": {"player_id": ArchiveLine.text, "erased_at": ArchiveLine.number_of},
}
"""Kinds of lines between the first and the last: their members with their parsers. They correspond to table rows."""


class Writer:
    """Writes an archive to a temporary file and renames it on success, so the final name is never of a partial file.

    Raises ``ArchiveError`` if a file of this name exists, at the start or at the end, or if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name[:200]}.{uuid.uuid4().hex}.part")
        self._running = b""
        self.lines = 0

    def __enter__(self) -> Self:
        if self._path.exists():
            raise self._build_exists_error()
        try:
            self._part.touch(mode=0o600, exist_ok=False)  # it may contain names
            self._raw = self._part.open("wb")
        except OSError as error:
            raise self._cannot(error) from error
        self._out = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=self._raw, mtime=0)
        return self

    def write(self, kind: str, **members: object) -> None:
        """Write a line. Bytes are encoded as ``MEMBERS`` expects them."""
        for name, value in members.items():
            if isinstance(value, bytes):
                in_base64 = MEMBERS[kind][name] is ArchiveLine.content
                members[name] = base64.b64encode(value).decode() if in_base64 else value.hex()
        text = json.dumps({"kind": kind, **members}, ensure_ascii=False, separators=(",", ":"))
        line, self._running = add_checksum(text.encode(), self._running)
        if len(line) > MAX_LINE_BYTES:
            raise ArchiveError(
                f"a line of {len(line)} bytes cannot be written: at most {MAX_LINE_BYTES} can be read again"
            )
        try:
            self._out.write(line)
        except OSError as error:
            raise self._cannot(error) from error
        self.lines += 1

    def write_all(self, kind: str, of: object, **more: object) -> None:
        """Write a line whose members are the attributes of ``of``, and ``more``."""
        self.write(kind, **{name: getattr(of, name) for name in MEMBERS[kind]}, **more)

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with self._raw:
                if kind is None:
                    self._out.close()
                    self._raw.flush()
                    os.fsync(self._raw.fileno())
                    self._put()
                else:
                    with contextlib.suppress(OSError):  # the partial file is discarded
                        self._out.close()
        except OSError as error:
            raise (self._build_exists_error() if isinstance(error, FileExistsError) else self._cannot(error)) from error
        finally:
            with contextlib.suppress(OSError):
                self._part.unlink()

    def _put(self) -> None:
        """Give the file its final name. Raises ``FileExistsError`` if the name is taken by now."""
        try:
            self._path.hardlink_to(self._part)
        except FileExistsError:
            raise
        except OSError:  # the file system has no hard links: reserve the name with an empty file
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            self._part.replace(self._path)

    def _build_exists_error(self) -> ArchiveError:
        return ArchiveError(f"there is a file at {self._path} already: use another name")

    def _cannot(self, problem: OSError) -> ArchiveError:
        return ArchiveError(f"{self._path} cannot be written: {problem.strerror}")


def add_checksum(body: bytes, running: bytes) -> tuple[bytes, bytes]:
    """Return an object as a line with its checksum, and the running hash for the checksum of the next line."""
    running = hashlib.sha256(running + body).digest()
    return b'%s,"sum":"%s"}\n' % (body[:-1], running.hex()[:_CHECKSUM_LENGTH].encode()), running


def read(path: Path) -> Iterator[ArchiveLine]:
    """Yield the lines of an archive, each after its checksum is verified.

    Raises ``ArchiveError`` at the first line that fails, and if the file is truncated or has data after its end;
    ``RecordError`` if the file cannot be read.
    """
    number, running, ended = 0, b"", False
    try:
        with gzip.open(path, "rb") as source:
            while line := source.readline(MAX_LINE_BYTES):
                number += 1
                if ended:
                    raise ArchiveError(f"line {number}: the file continues after its end")
                body = line[:-_TAIL] + b"}" if len(line) > _TAIL else b""
                again, running = add_checksum(body, running)
                if again != line:
                    raise ArchiveError(_format_changed(number, line))
                found = ArchiveLine(number, _members(number, body))
                ended = found.kind == "end"
                yield found
    except EOFError:
        raise ArchiveError(f"line {number + 1}: the file cannot be read from here on, it is truncated") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        what = "it was changed" if number else "it is no archive of a record"
        raise ArchiveError(f"line {number + 1}: the file cannot be read from here on, {what} ({error})") from error
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    if not ended:
        raise ArchiveError(f"line {number + 1}: the file is truncated here")


def _format_changed(number: int, line: bytes) -> str:
    if number == 1:
        return "line 1: this is not an archive of a record, or it was changed"
    if not line.endswith(b"\n"):
        return f"line {number}: the file is truncated here"
    return f"line {number}: this line was changed, or one before it is missing"


def _has_unpaired_surrogate(value: str) -> bool:
    """Check whether a text has an unpaired surrogate, which JSON can encode and UTF-8 cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def _members(number: int, body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ArchiveError(f"line {number}: this is not a JSON object")
    return found

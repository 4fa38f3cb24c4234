"""The federation pack of a tournament: an archive of its files with a manifest, a signature and a proof.

``manifest.json`` lists each file with its length and its SHA-256, the position in the record of the answers, and the
files that are missing, with the reason. ``manifest.note`` signs the SHA-256 of the manifest with the key of the seals
(C2SP signed-note); a pack that was made where that key is not has none. ``standings.tlog-proof`` proves that the
publication of the final standings is in the log of the record (C2SP tlog-proof). The same record gives the same bytes:
times in the archive are constant, files are sorted, and Ed25519 signatures are deterministic.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from faristol.event_store.integrity.keys import SealKey
from faristol.event_store.transparency.signed_note import (
    ED25519_TYPE_ID,
    InvalidNote,
    SignedNote,
    VerifierKey,
    sign_note,
)

MANIFEST_NAME = "manifest.json"
NOTE_NAME = "manifest.note"
PROOF_NAME = "standings.tlog-proof"

PACK_FORMAT = "faristol-pack 1"
"""First line of the signed text, and the format in the manifest."""

MAX_PACK_BYTES = 500_000_000
"""Most bytes of the files of a pack that is read."""

_EARLIEST_DAY = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class PackContent:
    """The content of a pack."""

    tournament_id: str
    name: str
    position: int
    """Position in the record up to which the answers are valid."""
    files: Mapping[str, bytes]
    missing: Mapping[str, str] = field(default_factory=dict)
    """Reasons in English, by the names of files that could not be made."""


@dataclass(frozen=True, slots=True)
class OpenedPack:
    """A pack as read: its content, and what is wrong with it."""

    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]
    problems: tuple[str, ...]
    """In English; empty for a pack whose files are those of its manifest."""
    note: SignedNote | None = None


class InvalidPack(ValueError):
    """A file that is no pack."""


def write_pack(content: PackContent, key: SealKey | None = None) -> bytes:
    """Return the archive. With a key, its manifest is signed. May block on the key, and raise ``KeyUnavailable``."""
    listed = [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in sorted(content.files.items())
    ]
    manifest = {
        "format": PACK_FORMAT,
        "tournament_id": content.tournament_id,
        "name": content.name,
        "position": content.position,
        "files": listed,
        "missing": dict(sorted(content.missing.items())),
    }
    files = {MANIFEST_NAME: (json.dumps(manifest, ensure_ascii=False, indent=2) + "\n").encode()}
    if key is not None:
        text = _write_statement(content.tournament_id, files[MANIFEST_NAME])
        files[NOTE_NAME] = str(sign_note(text, format_key_name(content.tournament_id), key)).encode()
    files.update(sorted(content.files.items()))
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST_DAY), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def format_key_name(tournament_id: str) -> str:
    """Return the name of the key in the signature of a pack."""
    return f"faristol/pack/{tournament_id}"


def _write_statement(tournament_id: str, manifest: bytes) -> str:
    return f"{PACK_FORMAT}\n{tournament_id}\n{hashlib.sha256(manifest).hexdigest()}\n"


def open_pack(content: bytes) -> OpenedPack:
    """Read a pack, and compare its files with its manifest. Raises ``InvalidPack`` for a file that is no pack."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(each.file_size for each in archive.infolist()) > MAX_PACK_BYTES:
                raise InvalidPack(f"the files have more than {MAX_PACK_BYTES} bytes")
            names = archive.namelist()
            files = {name: archive.read(name) for name in names}
        manifest = json.loads(files[MANIFEST_NAME])
        if manifest["format"] != PACK_FORMAT:
            raise InvalidPack(f"the format is {manifest['format']!r}: expected {PACK_FORMAT!r}")
        stated = {str(each["name"]): (int(each["bytes"]), str(each["sha256"])) for each in manifest["files"]}
        repeated = sorted({name for name in names if names.count(name) > 1})
        note = SignedNote.parse(files[NOTE_NAME]) if NOTE_NAME in files else None
        text = _write_statement(str(manifest["tournament_id"]), files[MANIFEST_NAME])
    except (zipfile.BadZipFile, KeyError, TypeError, AttributeError, ValueError) as error:
        raise error if isinstance(error, InvalidPack) else InvalidPack(f"not a pack: {error}") from None
    except InvalidNote as error:
        raise InvalidPack(f"{NOTE_NAME}: {error}") from None
    found = {name: data for name, data in files.items() if name not in (MANIFEST_NAME, NOTE_NAME)}
    problems = [*_compare_files(stated, found), *(f"{name} is twice in the archive" for name in repeated)]
    if note is not None and note.text != text:
        problems.append(f"{NOTE_NAME} is of another manifest")
    return OpenedPack(manifest, found, tuple(problems), note)


def _compare_files(stated: Mapping[str, tuple[int, str]], found: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the problems of files: ``stated`` are their lengths and digests in the manifest."""
    for name in sorted(stated.keys() | found.keys()):
        if name not in found:
            yield f"{name} is missing"
        elif name not in stated:
            yield f"{name} is not in the manifest"
        elif stated[name] != (len(found[name]), hashlib.sha256(found[name]).hexdigest()):
            yield f"{name} has been changed"


def is_signed_by(pack: OpenedPack, public: Ed25519PublicKey) -> bool:
    """Check whether the holder of a key signed the manifest. Raises ``InvalidNote`` for an invalid signature."""
    name = format_key_name(str(pack.manifest["tournament_id"]))
    return pack.note is not None and pack.note.is_signed_by(VerifierKey(name, ED25519_TYPE_ID, public))

"""A folder as a witness: one immutable file for each seal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity.seals import NO_SEAL, Seal, to_json
from faristol.event_store.witness.witness import MAX_SEAL_BYTES, Fork, WitnessUnavailable, Worker, parse_seal
from faristol.files import create_file

SEAL_NAME_PATTERN = re.compile(r"seal-(\d{19})\.json")
"""File name of a seal, with its first position."""


def name_of(seal: Seal) -> str:
    """Return the file name of a seal."""
    return f"seal-{seal.from_position:019}.json"


def seal_of(name: str, content: bytes) -> Seal:
    """Parse the file of a seal. Raises ``CorruptData``."""
    try:
        members = json.loads(content)
    except NO_SEAL:
        members = None
    seal = parse_seal(members, name)
    if name_of(seal) != name:
        raise CorruptData(f"position {seal.from_position}: the witness has {seal} at {name}, instead of the right one")
    return seal


def put(folder: Path, seal: Seal) -> None:
    """Write the file of a seal durably unless it exists. Raises ``Fork`` and ``OSError``."""
    path = folder / name_of(seal)
    content = json.dumps(to_json(seal), indent=1, sort_keys=True).encode() + b"\n"
    try:
        create_file(path, content)
    except FileExistsError:
        if seal_of(path.name, _read(path)).digest != seal.digest:
            raise Fork(seal) from None


def _read(path: Path) -> bytes:
    with path.open("rb") as source:
        return source.read(MAX_SEAL_BYTES)


class Folder:
    """Seals as files in an existing folder; a folder that is not mounted is not created."""

    kind = "folder"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._worker = Worker("witness")
        self.shown = str(path)

    async def newest(self) -> Seal | None:
        """Return the last seal in the folder."""
        return await self._worker.do(self._newest)

    async def deliver(self, seals: Sequence[Seal]) -> None:
        """Write the seals one by one."""
        for seal in seals:
            await self._worker.do(partial(self._put, seal))

    async def seals(self) -> list[Seal]:
        """Return all seals in the folder."""
        return await self._worker.do(lambda: [seal_of(name, _read(self._path / name)) for name in self._names()])

    async def close(self) -> None:
        """Stop the worker."""
        self._worker.close()

    def _names(self) -> list[str]:
        if not self._path.is_dir():
            raise WitnessUnavailable(f"there is no folder {self._path}")
        return sorted(path.name for path in self._path.iterdir() if SEAL_NAME_PATTERN.fullmatch(path.name))

    def _newest(self) -> Seal | None:
        names = self._names()
        return seal_of(names[-1], _read(self._path / names[-1])) if names else None

    def _put(self, seal: Seal) -> None:
        if not self._path.is_dir():
            raise WitnessUnavailable(f"there is no folder {self._path}")
        put(self._path, seal)

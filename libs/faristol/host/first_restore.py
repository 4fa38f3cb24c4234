"""The restore of a backup at a first start, from a page of the process that keeps the record.

An archive holds every position of a record, so only an empty record accepts it. A first start has written
credentials before its page opens: they are set aside, with the file of the record, and the archive becomes the record.
A record with any other event is in use and never replaced.

A page sends the archive, which is checked as a whole (``receive``), and asks for the restore (``begin``). The process
then stops its services, locks the data folder, calls ``carry_out``, and serves again. The archive becomes a record in a
folder of its own first, without the persons erased since: a process that ends before leaves the earlier record.
The credentials of the browser are set aside too, so the process leaves a new sign-in link (``finish``) for the key that
only this browser has.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
from collections.abc import AsyncIterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from faristol.access_control.state import ACCESS_STREAM
from faristol.event_store import Record, RecordError
from faristol.event_store.archive.restoration import check_whole, heading, restore
from faristol.event_store.backends import tables
from faristol.event_store.event import utc_now
from faristol.host.settings import Settings
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.personal_data import erasure
from faristol.personal_data.erasure import Erasures

MAX_BACKUP_BYTES = 1_000_000_000

KEY_BYTES = 16
_BACKUP_ID = re.compile("[0-9a-f]{32}")

TOO_LARGE = N_("The file is too large: the limit is {most} MB.")
NOT_A_BACKUP = N_("This file is not a backup of Faristol, or it is damaged: {reason}")
IN_USE = N_("A backup is restored only at the first start, and this record has tournaments already.")
NO_BACKUP = N_("Choose the file of the backup again.")
ASK_ERASED = N_("Say whether personal details were erased after this backup.")
NOT_ERASURES = N_("This is not a list of erasures, as the backups have it beside them.")
OLD_ERASURES = N_("The list of erasures is older than the backup. Expected a newer one.")


@dataclass(frozen=True, slots=True)
class Backup:
    """An archive of a whole record, checked."""

    backup_id: str
    made_at: datetime
    has_names: bool
    """Whether it has names of persons, who may have been erased since."""


@dataclass(slots=True)
class _Wanted:
    backup: Backup
    erasures: Erasures | None


class FirstRestore:
    """The restore of a backup at the first start of a process that keeps its own record."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.data.absolute() / "restore"
        self._staging = self._folder / "staging"
        self.asked = asyncio.Event()
        """Set when a restore is asked for: serving must end."""
        self._record: Record | None = None
        self._backups: dict[str, Backup] = {}
        self._wanted: _Wanted | None = None
        self._key = self._link = ""
        self.problem = ""
        """Why the last restore failed; the record is the one before it."""

    def attach(self, record: Record) -> None:
        """Set the record of the services that start, and remove what an earlier process left of a restore."""
        self._record = record
        self.discard()

    async def is_possible(self) -> bool:
        """Check whether the record has no events but those of credentials."""
        return self._record is not None and await _is_unused(self._record)

    async def receive(self, body: AsyncIterable[bytes]) -> Backup:
        """Store an archive and check it as a whole.

        Raises ``Invalid`` if it is too large, is not the archive of a whole record, or is damaged, and if the record is
        in use.
        """
        if not await self.is_possible():
            raise Invalid("file", IN_USE)
        await asyncio.to_thread(self.discard)
        await asyncio.to_thread(self._folder.mkdir, mode=0o700, exist_ok=True)
        backup_id = secrets.token_hex(KEY_BYTES)
        path = self._path(backup_id)
        try:
            with await asyncio.to_thread(path.open, "xb") as file:
                async for part in body:
                    await asyncio.to_thread(file.write, part)
                    if file.tell() > MAX_BACKUP_BYTES:
                        raise Invalid("file", TOO_LARGE, {"most": MAX_BACKUP_BYTES // 1_000_000})
            made_at, has_names = await asyncio.to_thread(heading, path)
            await asyncio.to_thread(check_whole, path)
        except RecordError as error:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            reason = str(error).replace(f"{path}: ", "").replace(str(path), path.name)
            raise Invalid("file", NOT_A_BACKUP, {"reason": reason}) from error
        except BaseException:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            raise
        self._backups = {backup_id: Backup(backup_id, made_at, has_names)}
        return self._backups[backup_id]

    def find(self, backup_id: str) -> Backup | None:
        """Return a stored backup; None for another id."""
        return self._backups.get(backup_id)

    async def begin(self, backup_id: str, erasures: str, *, no_person_erased: bool) -> str:
        """Ask the process to restore a backup; return the key of the browser for ``link_of``.

        ``erasures`` is the text of a list of erasures, or empty. Raises ``Invalid`` with the field of the form.
        """
        if not await self.is_possible():
            raise Invalid("backup", IN_USE)
        backup = self.find(backup_id)
        if backup is None:
            raise Invalid("backup", NO_BACKUP)
        listed = _parse_erasures(erasures, backup) if erasures.strip() else None
        if backup.has_names and not (listed or no_person_erased):
            raise Invalid("erasures", ASK_ERASED)
        self._wanted = _Wanted(backup, listed)
        self._key, self._link, self.problem = secrets.token_hex(KEY_BYTES), "", ""
        # The answer to the browser leaves before the services end: they finish open requests.
        self.asked.set()
        return self._key

    @property
    def is_wanted(self) -> bool:
        """Whether a restore is asked for and not carried out."""
        return self._wanted is not None

    async def carry_out(self) -> None:
        """Replace the record, which no process has open. If the restore fails, keep it and set ``error``."""
        wanted, self._wanted, self._record = self._wanted, None, None
        self.asked.clear()
        if wanted is None:
            return
        try:
            if not await self._is_unused_file():
                raise RecordError("the record is in use")
            await self._stage(wanted)
            await asyncio.to_thread(self._replace, self._folder / f"before-{utc_now():%Y%m%dT%H%M%SZ}")
        except (RecordError, SQLAlchemyError, OSError) as error:
            self.problem = str(error)
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove archives that were sent and not restored: they may have names."""
        self._backups = {}
        for each in self._folder.glob("*.archive"):
            with suppress(OSError):  # Windows removes no open file
                each.unlink()
        shutil.rmtree(self._staging, ignore_errors=True)

    @property
    def awaits_link(self) -> bool:
        """Whether a browser waits for the link to the restored record."""
        return bool(self._key) and not (self._link or self.problem)

    def finish(self, link: str) -> None:
        """Leave the sign-in link for the browser that asked for the restore."""
        self._link = link

    def knows(self, key: str) -> bool:
        """Check whether a key is that of the browser that asked for a restore."""
        return bool(self._key) and secrets.compare_digest(self._key.encode(), key.encode())

    def link_of(self, key: str) -> str:
        """Return the link of a finished restore; empty before it is finished or for another key."""
        return self._link if self.knows(key) else ""

    async def _is_unused_file(self) -> bool:
        record = await Record.open(self._settings.record_url())
        try:
            return await _is_unused(record)
        finally:
            await record.close()

    async def _stage(self, wanted: _Wanted) -> None:
        """Restore the archive into a record in the staging folder."""
        record = await Record.open(self._settings.model_copy(update={"data": self._staging}).record_url())
        try:
            await restore(record, self._path(wanted.backup.backup_id))
            if wanted.erasures:
                await erasure.apply_erasures(record, wanted.erasures)
        finally:
            await record.close()

    def _path(self, backup_id: str) -> Path:
        if not _BACKUP_ID.fullmatch(backup_id):
            raise ValueError(f"not the id of a backup: {backup_id!r}")
        return self._folder / f"{backup_id}.archive"

    def _replace(self, aside: Path) -> None:
        """Move the files of the record aside, and the staged ones into their place; all or none of them.

        The note of the record's id goes first: a process that ends between leaves no note without its record.
        """
        data = self._settings.data.absolute()
        record_files = f"{self._settings.record_file.name}*"  # with those that SQLite writes beside it
        before = [self._settings.access_record(), data / "nats", *sorted(data.glob(record_files))]
        moves = [(path, aside / path.relative_to(data)) for path in before if path.exists()]
        moves += [(path, data / path.name) for path in sorted(self._staging.glob(record_files))]
        done: list[tuple[Path, Path]] = []
        try:
            for source, target in moves:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                source.rename(target)
                done.append((source, target))
        except OSError:
            for source, target in reversed(done):
                target.rename(source)
            raise


def _parse_erasures(text: str, backup: Backup) -> Erasures:
    try:
        listed = erasure.parse_erasures(text, "erasures")
    except RecordError as error:
        raise Invalid("erasures", NOT_ERASURES) from error
    if listed.as_of < backup.made_at:
        raise Invalid("erasures", OLD_ERASURES)
    return listed


async def _is_unused(record: Record) -> bool:
    async with record.reading() as connection:
        others = select(tables.events.c.position).where(tables.events.c.stream != ACCESS_STREAM).limit(1)
        return (await connection.execute(others)).first() is None

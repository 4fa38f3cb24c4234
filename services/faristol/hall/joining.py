"""The cell of a hall in its championship: it joins at each start, and knows the tables that it has lost."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import uuid
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.client.credentials import TOKEN
from faristol.files import OWNER_ONLY_BITS, replace_file
from faristol.hall.line import Attempts, Line, open_line, read_answer
from faristol.host import Settings, StartError
from faristol.host.halls import identity
from faristol.host.halls.identity import Joined
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1.needs_pb2 import ROLE_HALL
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.table.ownership import HALL_RELEASED, TABLE_TAKEN_BACK
from faristol.text.files import why_unread

CALL_TIMEOUT_SECONDS = 10.0
"""Timeout of a call that is not a stream."""
MAX_UNSTORED_POSITIONS_COUNT = 1_000
"""Positions without an event to receive or to send after which the checkpoint is stored."""

LOST_FILE = "lost.json"
"""File with the games and the streams that the hall has lost."""
RELEASED = "released"
"""File that exists while the championship says that the director released the cell."""

_log = logging.getLogger(__name__)

PROGRAM_VERSION = version("faristol")


class Cell:
    """The cell of a hall."""

    def __init__(self, settings: Settings, now: Callable[[], datetime]) -> None:
        """Read the files of the cell.

        Raises ``RecordError``, and ``StartError`` without a token or for another hall.
        """
        self.hall = settings.hall
        self.of = settings.hall_of
        """Address of the championship."""
        self.folder = settings.hall_folder()
        self.key: Ed25519PrivateKey = identity.load_key(self.folder)
        self.known = identity.load_joined(self.folder)
        if self.known and self.known.hall != settings.hall:
            raise StartError(
                f"{settings.data} is the data folder of the hall {self.known.hall}: give --hall {self.known.hall}, or "
                "another folder with --data"
            )
        self._settings = settings
        self._token = _read_token(settings)
        self.line = Line(open_line(settings, lambda: self._token), now, self.folder)
        self._joined = asyncio.Event()
        if self.known:
            self._joined.set()
        path = self.folder / LOST_FILE
        self.lost = frozenset(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else frozenset[str]()
        """Games, or streams, whose later events the championship decided itself or keeps aside."""
        self.is_released = (self.folder / RELEASED).exists()
        """Whether the director released this cell, as the championship said last: it then has no table."""
        self.championship_version = ""
        """Version of the program of the championship when it last answered; empty before."""

    @property
    def public_key(self) -> bytes:
        """The public key of the cell, 32 bytes."""
        return self.key.public_key().public_bytes_raw()

    async def wait_joined(self) -> Joined:
        """Wait until the cell has joined once, and return what it received."""
        await self._joined.wait()
        assert self.known is not None
        return self.known

    def lose(self, name: str) -> None:
        """Store that a game or a stream is lost for the hall.

        If the disk is full, it is known until the process ends: later the championship says so again.
        """
        self.lost |= {name}
        try:
            replace_file(self.folder / LOST_FILE, json.dumps(sorted(self.lost)).encode(), OWNER_ONLY_BITS)
        except OSError as problem:
            _log.warning("the loss of %s cannot be stored: %s", name, problem)

    def loss_of(self, game_id: str) -> str:
        """Return the reason why the cell no longer decides at the table of a game; empty if it has not lost it."""
        if self.is_released:
            return HALL_RELEASED
        return TABLE_TAKEN_BACK if game_id in self.lost else ""

    def note_release(self, *, is_released: bool) -> None:
        """Store whether the director released this cell. Raises ``OSError`` if that cannot be stored."""
        if is_released == self.is_released:
            return
        self.is_released = is_released
        if is_released:
            (self.folder / RELEASED).touch()
        else:
            (self.folder / RELEASED).unlink(missing_ok=True)

    async def join(self) -> None:
        """Join the championship, with retries. A cell that has joined before reports its present address and version.

        It need not wait for that: it knows its tournament.
        """
        attempts = Attempts(self.line, "joining the championship")
        command_id = str(uuid.uuid4())
        while True:
            try:
                self.known = await self._join(command_id)
                break
            except (grpc.aio.AioRpcError, ValueError, OSError) as problem:
                await attempts.wait(problem)
        attempts.reset()
        self._joined.set()
        await asyncio.Event().wait()

    async def _join(self, command_id: str) -> Joined:
        """Join, and store the token and the result.

        Raises ``ValueError`` for a token of another hall or tournament, and for an answer that cannot be read.
        """
        settings = self._settings
        caller = read_answer(
            await self.line.access.GetCaller(access_pb2.GetCallerRequest(), timeout=CALL_TIMEOUT_SECONDS)
        )
        scope = caller.credential.scope
        if caller.credential.role != ROLE_HALL or len(scope.tournament_ids) != 1:
            raise ValueError(f"the token is not one of the hall {settings.hall}: ask the director for a new one")
        if settings.hall not in scope.halls:
            raise ValueError(
                f"the token is one of the hall {', '.join(scope.halls)}: check the name of --hall, {settings.hall}"
            )
        (tournament_id,) = scope.tournament_ids
        if self.known and self.known.tournament_id != tournament_id:
            raise ValueError(f"the token is one of {tournament_id}, and this cell is one of {self.known.tournament_id}")
        answer = await self.line.sync.JoinHall(
            pb.JoinHallRequest(
                command_id=command_id,
                tournament_id=tournament_id,
                hall=settings.hall,
                key=self.public_key,
                address=settings.http_address,
                version=PROGRAM_VERSION,
            ),
            timeout=CALL_TIMEOUT_SECONDS,
        )
        self.line.hear()
        joined = Joined(settings.hall_of, tournament_id, settings.hall, read_answer(answer).pages_address)
        identity.store_token(self.folder, self._token)
        identity.store_joined(self.folder, joined)
        return joined


def _read_token(settings: Settings) -> str:
    """Return the token of the settings, of the environment, or with which the cell joined. Raises ``StartError``."""
    if settings.hall_token_file:
        try:
            return settings.hall_token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise StartError(f"the token in {settings.hall_token_file} cannot be read: {why_unread(error)}") from error
    token = os.environ.get(TOKEN, "") or identity.load_token(settings.hall_folder())
    if not token:
        raise StartError(
            f"the cell of a hall needs its token at the first start: give it with {TOKEN} or FARISTOL_HALL_TOKEN_FILE. "
            "The director grants it with `faristol hall grant`"
        )
    return token

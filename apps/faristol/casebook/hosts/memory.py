"""The services of a cell in this process, on a record in memory, without servers."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import Case, Word
from faristol.casebook.hosts.judges import appoint_judges
from faristol.casebook.hosts.lexicons import install
from faristol.casebook.hosts.memory_record import Notebook
from faristol.casebook.hosts.services import SERVED, Services
from faristol.client.services import method_of
from faristol.consumers.work import is_wanted
from faristol.event_store import Metadata
from faristol.host import Part, Runtime, Settings
from faristol.kernel.pins import Pin
from faristol.launcher.processes import builders
from faristol.rules import load_tile_set
from faristol.words import Library


class Caller:
    """The caller of the commands of a case, without an identity."""

    def invocation_metadata(self) -> tuple[()]:
        """Return empty metadata."""
        return ()


class InMemory(Services):
    """Services on a record in memory: each reacts at once to the events of the others."""

    position_field = "as_of_position"

    def __init__(self, notebook: Notebook, parts: Sequence[Part], lexicon: Pin) -> None:
        super().__init__(notebook, lexicon)
        self._written = notebook.written
        self._instances: Mapping[str, Any] = {
            servicer.descriptor.full_name: servicer for part in parts for servicer in part.servicers
        }
        self._reactions = [reaction for part in parts for reaction in part.reactions]
        self._heard = 0

    async def ask(self, request: Message) -> Any:
        """Call the method of the service in this process. Raises as ``Services.ask`` does."""
        method = method_of(request.DESCRIPTOR)
        return await getattr(self._instances[method.containing_service.full_name], method.name)(request, Caller())

    async def settle(self) -> None:
        """Run all reactions to new events until no event follows."""
        while self._heard < len(self._written):
            event = self._written[self._heard]
            self._heard += 1
            for reaction in self._reactions:
                if is_wanted(reaction, event) and (decision := await reaction.react(event)):
                    await self.record.append(decision, Metadata())


class InProcessChannels:
    """Channels between services in the same process, as ``Runtime.channels`` and stubs use them."""

    services: Services

    def channel(self, _: str) -> InProcessChannels:
        """Return the channel to any service."""
        return self

    def address(self, _: str) -> str:
        """Return an empty address: the service is in this process."""
        return ""

    def unary_unary(self, *_: object, **__: object) -> Callable[..., Awaitable[Message]]:
        """Return a call of any method with one answer."""

        async def call(request: Message, **_: object) -> Message:
            answer: Message = await self.services.ask(request)
            return answer

        return call

    unary_stream = stream_unary = stream_stream = unary_unary


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


@cache
def _install_words(tile_set: str, words: frozenset[Word], layers: tuple[str, ...]) -> tuple[Settings, Pin]:
    """Return the settings of a cell with a lexicon of these words, and its pin."""
    name = hashlib.sha256(repr((tile_set, sorted(words), layers)).encode()).hexdigest()
    folder = Path(_folder().name)
    pin = install(Library(folder / name), load_tile_set(tile_set), words, layers)
    return Settings(lexicons=folder / name, sealed_games=folder / "sealed-games.key"), pin


@asynccontextmanager
async def in_memory(case: Case, now: Callable[[], datetime]) -> AsyncIterator[Services]:
    """Provide the services of a case in memory for the duration of the block."""
    settings, pin = _install_words(case.ruleset.game.tile_set, case.words, case.layers)
    notebook = Notebook()
    runtime = Runtime(settings, notebook, now)
    channels = InProcessChannels()
    runtime.channels = channels  # type: ignore[assignment] # the part of it that services use
    services = channels.services = InMemory(notebook, [build(runtime) for build in builders(SERVED)], pin)
    try:
        await services.write(appoint_judges(case.ruleset.tile_set.language))
        yield services
    finally:
        await notebook.close()

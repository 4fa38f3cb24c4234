"""The services of a tournament, running together in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import Word
from faristol.casebook.hosts.lexicons import install
from faristol.casebook.hosts.memory import Caller, InMemory, folder, rule_in_memory, settings
from faristol.casebook.hosts.memory_record import Notebook
from faristol.casebook.hosts.services import AtTable
from faristol.casebook.tournament.case import TournamentCase
from faristol.casebook.tournament.services import TournamentServices
from faristol.clock.service_module import part as clock_part
from faristol.consumers import Progress
from faristol.game.service_module import part as game_part
from faristol.host import Part, Runtime, Servicer
from faristol.lexicon.lexicons.installation import Installations
from faristol.lexicon.lexicons.library import Lexicons
from faristol.lexicon.service import service as lexicon_service
from faristol.pairing.service_module import part as pairing_part
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc
from faristol.rating.service_module import part as rating_part
from faristol.results.api.service import service as results_service
from faristol.results.storage.models import ReadModels
from faristol.rules import load_tile_set
from faristol.words import Library

RESULTS = results_pb2.DESCRIPTOR.services_by_name["ResultsService"]
LEXICON = lexicon_pb2.DESCRIPTOR.services_by_name["LexiconService"]


class InProcessChannel:
    """A channel between services in the same process, as stubs use it."""

    def __init__(self, instance: Any) -> None:
        self._instance = instance

    def channel(self, _: str) -> InProcessChannel:
        """Return the channel to any service, as ``Runtime.channels`` does."""
        return self

    def address(self, _: str) -> str:
        """Return an empty address, as ``Runtime.channels`` would: the service is in this process."""
        return ""

    def unary_unary(self, path: str, *_: object, **__: object) -> Callable[..., Awaitable[Message]]:
        """Return a call of the service."""
        rpc = path.rpartition("/")[2]

        async def call(request: Message, **_: object) -> Message:
            answer: Message = await getattr(self._instance, rpc)(request, Caller())
            return answer

        return call

    unary_stream = stream_unary = stream_stream = unary_unary


class TournamentInMemory(InMemory, TournamentServices):
    """The services of a tournament on a record in memory. Standings are folded from it, without rows."""

    position_field = "as_of_position"

    def __init__(self, case: TournamentCase, now: Callable[[], datetime]) -> None:
        self._case = case
        self._now = now
        notebook = Notebook()
        runtime = Runtime(settings(), notebook, now)
        library, lexicons = _lexicons(case.ruleset.game.tile_set, case.ruleset.lexicon.layers)
        lexicon = lexicon_service(notebook, lexicons, Installations(library, now))
        runtime.channels = InProcessChannel(lexicon)  # type: ignore[assignment] # pairing queries it for lexicons
        results = results_service(ReadModels(notebook, Progress(notebook, "results")))
        shown = Servicer(RESULTS, results_pb2_grpc.add_ResultsServiceServicer_to_server, results)
        asked = Servicer(LEXICON, lexicon_pb2_grpc.add_LexiconServiceServicer_to_server, lexicon)
        parts = [part(runtime) for part in (pairing_part, game_part, clock_part, rating_part)]
        super().__init__(notebook, [*parts, Part(name="shown", servicers=(shown, asked))])

    async def rule(self, table: AtTable, good: Callable[[Word], bool]) -> None:
        """Write the events of a ruling at a table."""
        await rule_in_memory(table, self._case.ruleset, good, self._now())

    async def appoint_judges(self) -> None:
        """Return at once: in memory, the events of judges are written directly."""


@cache
def _lexicons(tile_set: str, layers: tuple[str, ...]) -> tuple[Library, Lexicons]:
    """Return a lexicon of one word of these tiles, with these layers."""
    library = Library(folder() / "-".join((tile_set, *layers)))
    install(library, load_tile_set(tile_set), (), layers)
    return library, Lexicons(library)


@asynccontextmanager
async def in_memory(case: TournamentCase, now: Callable[[], datetime]) -> AsyncIterator[TournamentServices]:
    """Provide the services of a case's tournament in memory for the duration of the block."""
    services = TournamentInMemory(case, now)
    try:
        yield services
    finally:
        await services.notebook.close()

"""Services that run together in memory, and those of a table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import TableCase, Word
from faristol.casebook.hosts.hall import TOURNAMENT, founding
from faristol.casebook.hosts.judges import in_question, ruling
from faristol.casebook.hosts.memory_record import Notebook
from faristol.casebook.hosts.services import AtTable, Services, TableServices
from faristol.casebook.position import TOURNAMENT_ID
from faristol.casebook.verbs import method_of
from faristol.clock.service_module import part as clock_part
from faristol.consumers.work import is_wanted
from faristol.event_store import Metadata, Recorded, load
from faristol.game.service_module import part as game_part
from faristol.host import Part, Runtime, Settings
from faristol.host.table_store import game_stream
from faristol.kernel.cases import case_id_of
from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication import policy
from faristol.lexicon.adjudication.appointments import Situation, choose_layers
from faristol.lexicon.adjudication.cases.challenges import Question
from faristol.lexicon.adjudication.cases.model import stream
from faristol.lexicon.adjudication.policy import Adjudication
from faristol.lexicon.adjudication.streams import case_of
from faristol.lexicon.adjudication.views import AdjudicatedGame, AdjudicatedTournament, watch_game, watch_tournament
from faristol.pairing.service_module import part as pairing_part
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.rules import Ruleset


class Caller:
    """The caller of the commands of a case, without an identity."""

    def invocation_metadata(self) -> tuple[()]:
        """Return empty metadata."""
        return ()


@cache
def settings() -> Settings:
    """Return the settings of every world; none of them affects a table."""
    return Settings()


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


def folder() -> Path:
    """Return the folder of the files of worlds."""
    return Path(_folder().name)


class InMemory(Services):
    """Services on a record in memory: each reacts at once to the events of the others."""

    def __init__(self, notebook: Notebook, parts: Sequence[Part]) -> None:
        super().__init__(notebook)
        self.notebook = notebook
        self._instances: Mapping[str, Any] = {
            servicer.descriptor.full_name: servicer.instance for part in parts for servicer in part.servicers
        }
        self._reactions = [reaction for part in parts for reaction in part.reactions]
        self._heard = 0

    async def ask(self, request: Message) -> Any:
        """Call the method of the service in this process. Raises as ``Services.ask`` does."""
        method = method_of(request.DESCRIPTOR)
        return await getattr(self._instances[method.containing_service.full_name], method.name)(request, Caller())

    async def settle(self) -> None:
        """Run all reactions to new events until no event follows."""
        while self._heard < len(self.notebook.written):
            event: Recorded = self.notebook.written[self._heard]
            self._heard += 1
            for reaction in self._reactions:
                if is_wanted(reaction, event) and (decision := await reaction.react(event)):
                    await self.notebook.append(decision, Metadata())


async def rule_in_memory(table: AtTable, ruleset: Ruleset, good: Callable[[Word], bool], now: datetime) -> None:
    """Rule at a table as ``AtTable.rule`` does. The events of the judges are written directly."""
    raised = in_question(await table.record.facts(game_stream(table.game_id)))
    game = (await load(table.record, game_stream(table.game_id), AdjudicatedGame(), watch_game)).state
    question = Question(game.challenges[raised.challenge], raised.occurred_at)
    if isinstance(raised, events.AppealRaised):
        first = (await case_of(table.record, game, raised.challenge)).state
        question = replace(question, appeal=True, barred=first.ruled_by)
    case = await case_of(table.record, game, raised.challenge, appeal=question.appeal)
    facts = ruling(case.state, question, game, ruleset, good, now)
    case_id = case_id_of(table.game_id, game.seed, raised.challenge, appeal=question.appeal)
    await table.write(stream(case_id), facts)


class TableInMemory(InMemory, TableServices):
    """The services of a table on a record in memory."""

    def __init__(self, case: TableCase, now: Callable[[], datetime]) -> None:
        notebook = Notebook()
        runtime = Runtime(settings(), notebook, now)
        super().__init__(notebook, (game_part(runtime), clock_part(runtime), pairing_part(runtime)))
        self.lexicon = Pin("words", "")
        self._case = case
        self._now = now

    async def rule(self, good: Callable[[Word], bool]) -> None:
        """Write the events of a ruling. Raises as ``AtTable.rule`` does."""
        await rule_in_memory(self, self._case.ruleset, good, self._now())

    async def choose_layers(self, layers: Sequence[str]) -> None:
        """Enable layers of the lexicon. Raises ``Refusal`` if the rules forbid it."""
        tournament = (await load(self.record, TOURNAMENT, AdjudicatedTournament(), watch_tournament)).state
        name = policy.stream(TOURNAMENT_ID)
        state = (await load(self.record, name, Adjudication(), policy.evolve)).state
        at, language = to_timestamp(self._now()), self._case.ruleset.tile_set.language
        situation = Situation(state, tournament, self._case.ruleset, at, language, self._case.layers)
        await self.write(name, choose_layers(situation, adjudication_pb2.ChooseLayersRequest(layers=layers)))


@asynccontextmanager
async def in_memory(case: TableCase, now: Callable[[], datetime]) -> AsyncIterator[TableServices]:
    """Provide the services of a case's table in memory for the duration of the block."""
    services = TableInMemory(case, now)
    await services.write(TOURNAMENT, founding(case.ruleset, services.lexicon))
    yield services

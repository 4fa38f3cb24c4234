"""The adjudication service over gRPC: settings of directors, and rulings. The contract names its methods."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.adjudication import policy
from faristol.adjudication.appointments import COMMANDS, Situation
from faristol.adjudication.cases.model import Case
from faristol.adjudication.views import tournament_stream
from faristol.event_store import Decision, Guard, Write
from faristol.host import Runtime
from faristol.host.held_events import refuse_while_held
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.event_types import methods_of
from faristol.kernel.likeness import like
from faristol.kernel.pins import UNPINNED, no_lexicon
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication.cases import presentation, queries
from faristol.lexicon.adjudication.streams import load_adjudication, tournament_named
from faristol.lexicon.lexicons.library import Lexicons, layers_of
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb

M = TypeVar("M", bound=Message)

PAGE_SIZE_BOUNDS = (1, 1_000)
"""The least and the most rulings of a page."""

DEFAULT_PAGE_SIZE = 200
"""The default number of rulings of a page."""

EXPORT_BATCH_SIZE = 200
"""Cases of one message of an export."""


def service(runtime: Runtime, lexicons: Lexicons) -> Dispatcher:
    """Return the dispatcher of the adjudication service."""
    rulings = AdjudicationService(runtime, lexicons)
    descriptor = pb.DESCRIPTOR.services_by_name["AdjudicationService"]
    return Dispatcher(descriptor, COMMANDS, rulings.carry_out, methods_of(rulings))


class AdjudicationService:
    """The methods of the adjudication service."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._lexicons = lexicons

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Execute a director's command."""
        command = COMMANDS[type(request)]

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            tournament_id = request.tournament_id
            tournament = await tournament_named(self._record, tournament_id)
            settings = await load_adjudication(self._record, tournament_id)
            if tournament.state.lexicon == UNPINNED:
                raise no_lexicon()
            graph = self._lexicons.find(tournament.state.lexicon.digest)
            situation = Situation(
                settings.state,
                tournament.state,
                await rules_of(self._record, tournament.state.ruleset),
                to_timestamp(self._runtime.now()),
                graph.tile_set.language,
                graph.known_layers,
                await self._waiting(tournament_id),
            )
            decided = command.decide(situation, request)
            name = policy.stream(tournament_id)
            writes = [Write(name, settings.version, decided, tournament_id)] if decided else []
            guards = [Guard(tournament_stream(tournament_id), tournament.version)] if command.guarded else []
            return Decision(writes, guards), lambda position: response(position=position)

        return await self._runtime.command_handler.handle(context, request, attempt, response=response)

    async def get_adjudication(
        self, request: pb.GetAdjudicationRequest, context: Context
    ) -> pb.GetAdjudicationResponse:
        """Return the settings and the judges of a tournament's adjudication."""
        tournament = await tournament_named(self._record, request.tournament_id)
        state = (await load_adjudication(self._record, request.tournament_id)).state
        judges = sorted(state.judges.values(), key=lambda judge: judge.judge_id)
        return like(
            pb.GetAdjudicationResponse,
            state,
            judges=[
                pb.Judge(judge_id=judge.judge_id, languages=sorted(judge.languages), director=judge.director)
                for judge in judges
            ],
            layers=layers_of(state, await rules_of(self._record, tournament.state.ruleset)),
        )

    async def list_rulings(self, request: pb.ListRulingsRequest, context: Context) -> pb.ListRulingsResponse:
        """Return a page of the rulings of closed rounds, for the public."""
        if request.round < 0:
            raise Invalid(
                "round",
                N_("{round} is not a round: expected 1 or more, or 0 for all closed rounds"),
                {"round": request.round},
            )
        if request.page_size:
            check_range("page_size", request.page_size, *PAGE_SIZE_BOUNDS)
        await tournament_named(self._record, request.tournament_id)
        await refuse_while_held(self._record, request.tournament_id)
        found, following, total, position = await queries.list_closed_cases(
            self._record,
            request.tournament_id,
            round_=request.round,
            size=request.page_size or DEFAULT_PAGE_SIZE,
            after=_place(request.page_token),
        )
        return pb.ListRulingsResponse(
            position=position,
            rulings=[presentation.public(ruled, self._lexicons) for ruled in found],
            next_page_token=str(following or ""),
            total=total,
        )

    async def export_rulings(
        self, request: pb.ExportRulingsRequest, context: Context
    ) -> AsyncIterator[pb.ExportRulingsResponse]:
        """Stream every ruling with reasons and sources, as CSV."""
        await tournament_named(self._record, request.tournament_id)
        found = await queries.of_tournament(self._record, request.tournament_id)
        ruled = [opened for opened in found if opened.case.ruled]
        for start in range(0, max(1, len(ruled)), EXPORT_BATCH_SIZE):
            piece = ruled[start : start + EXPORT_BATCH_SIZE]
            yield pb.ExportRulingsResponse(lines=presentation.format_export(piece, self._lexicons, header=start == 0))

    async def get_times(self, request: pb.GetRulingTimesRequest, context: Context) -> pb.GetRulingTimesResponse:
        """Return the times that cases waited for their ruling, by mode."""
        await tournament_named(self._record, request.tournament_id)
        await refuse_while_held(self._record, request.tournament_id)
        found = await queries.of_tournament(self._record, request.tournament_id)
        cases = [opened.case for opened in found]
        return pb.GetRulingTimesResponse(times=presentation.times(cases), waiting=sum(case.waiting for case in cases))

    async def _waiting(self, tournament_id: str) -> list[Case]:
        # The docket lags behind the record and may lack the latest cases. They were opened under the settings on which
        # the command is decided, and these have enough judges for them. The opening of a case at the same moment guards
        # the settings. Only a case of earlier settings is missed, if directors change the mode faster than the docket
        # is updated: it stays in the queue for the judge appointed next.
        return await queries.waiting(self._record, tournament_id)


def _place(token: str) -> queries.CaseListPosition | None:
    try:
        return queries.CaseListPosition.read(token) if token else None
    except ValueError:
        raise Invalid(
            "page_token", N_("is not a valid page token: expected the next_page_token of an answer")
        ) from None

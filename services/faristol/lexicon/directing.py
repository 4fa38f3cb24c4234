"""gRPC in: what directors say about adjudication, and what was ruled, for officials and the public."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.host import Runtime
from faristol.host.dispatch import Context
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.lexicon import adjudication, appointing, presenting, reading
from faristol.lexicon.adjudication import Adjudication
from faristol.lexicon.appointing import Needs
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.model import Case
from faristol.lexicon.pinning import layers_of
from faristol.lexicon.streams import load_adjudication, tournament_named
from faristol.lexicon.views import Tournament, tournament_stream
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.record import Decision, Guard, Write

M = TypeVar("M", bound=Message)

JUDGE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
LANGUAGE = re.compile(r"[a-z]{2}")
MOST_LANGUAGES = 20
PANELS = (3, 9)
LEASES = (2, 600)
ESCALATIONS = (5, 3_600)
PAGES = (1, 1_000)
"""The least and the most that can be asked for."""

PAGE = 200
"""Rulings in an answer where the caller does not say how many."""

EXPORTED = 200
"""Cases in one piece of an export."""


class AdjudicationService(pb_grpc.AdjudicationServiceServicer):
    """How challenges are ruled on, and what was ruled."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._lexicons = lexicons

    async def SetAdjudication(self, request: pb.SetAdjudicationRequest, context: Context) -> pb.SetAdjudicationResponse:
        """How challenges are ruled on from now on."""
        if request.mode not in {events.MODE_AUTOMATIC, events.MODE_JUDGE, events.MODE_PANEL}:
            raise Invalid("mode", N_("expected automatic, judge or panel"))
        least, most = PANELS
        if request.mode == events.MODE_PANEL and not (least <= request.panel <= most and request.panel % 2):
            raise Invalid(
                "panel",
                N_("{panel} judges cannot form a panel: expected an odd number from {least} to {most}"),
                {"panel": request.panel, "least": least, "most": most},
            )
        if request.mode != events.MODE_PANEL and request.panel > 1:
            raise Invalid("panel", N_("is {given}; only a panel has more judges than one"), {"given": request.panel})
        _check_seconds("lease_seconds", request.lease_seconds, LEASES)
        _check_seconds("escalate_after_seconds", request.escalate_after_seconds, ESCALATIONS)

        async def facts(state: Adjudication, tournament: Tournament, at: Timestamp) -> list[Message]:
            needs = await self._needs(tournament)
            lease = request.lease_seconds or state.lease_seconds
            escalate = request.escalate_after_seconds or state.escalate_after_seconds
            return appointing.set_adjudication(state, request.mode, request.panel, lease, escalate, needs, at)

        return await self._direct(context, request, facts, pb.SetAdjudicationResponse)

    async def AppointJudge(self, request: pb.AppointJudgeRequest, context: Context) -> pb.AppointJudgeResponse:
        """Let someone rule on cases."""
        check_judge_id(request.judge_id)
        if not request.languages and not request.director:
            raise Invalid("languages", N_("are missing; expected one at least, such as ca"))
        if len(request.languages) > MOST_LANGUAGES:
            raise Invalid(
                "languages",
                N_("are {given}; expected {most} at most"),
                {"given": len(request.languages), "most": MOST_LANGUAGES},
            )
        for language in request.languages:
            if not LANGUAGE.fullmatch(language):
                raise Invalid(
                    "languages",
                    N_("{language} is not a language: expected an ISO 639-1 code such as ca"),
                    {"language": repr(language[:20])},
                )

        async def facts(state: Adjudication, tournament: Tournament, at: Timestamp) -> list[Message]:
            return appointing.appoint(
                state,
                request.judge_id,
                request.languages,
                director=request.director,
                needs=await self._needs(tournament),
                at=at,
                waiting=await self._waiting(request.tournament_id),
            )

        return await self._direct(context, request, facts, pb.AppointJudgeResponse)

    async def DismissJudge(self, request: pb.DismissJudgeRequest, context: Context) -> pb.DismissJudgeResponse:
        """Let someone rule no more."""
        check_judge_id(request.judge_id)

        async def facts(state: Adjudication, tournament: Tournament, at: Timestamp) -> list[Message]:
            waiting = await self._waiting(request.tournament_id)
            return appointing.dismiss(state, request.judge_id, await self._needs(tournament), at, waiting)

        return await self._direct(context, request, facts, pb.DismissJudgeResponse)

    async def ChooseLayers(self, request: pb.ChooseLayersRequest, context: Context) -> pb.ChooseLayersResponse:
        """Switch layers of the lexicon on."""

        async def facts(state: Adjudication, tournament: Tournament, at: Timestamp) -> list[Message]:
            known = self._lexicons.find(tournament.lexicon.digest).known_layers
            ruleset = await rules_of(self._record, tournament.ruleset)
            return appointing.choose_layers(state, tournament, ruleset, request.layers, known, at)

        return await self._direct(context, request, facts, pb.ChooseLayersResponse, guarded=True)

    async def GetAdjudication(self, request: pb.GetAdjudicationRequest, context: Context) -> pb.GetAdjudicationResponse:
        """How challenges are ruled on, and by whom."""
        tournament = await tournament_named(self._record, request.tournament_id)
        state = (await load_adjudication(self._record, request.tournament_id)).state
        judges = sorted(state.judges.values(), key=lambda judge: judge.judge_id)
        return pb.GetAdjudicationResponse(
            mode=state.mode,
            panel=state.panel,
            lease_seconds=state.lease_seconds,
            escalate_after_seconds=state.escalate_after_seconds,
            judges=[
                pb.Judge(judge_id=one.judge_id, languages=sorted(one.languages), director=one.director)
                for one in judges
            ],
            layers=layers_of(state, await rules_of(self._record, tournament.state.ruleset)),
        )

    async def ListRulings(self, request: pb.ListRulingsRequest, context: Context) -> pb.ListRulingsResponse:
        """The rulings of closed rounds, for the public."""
        if request.round < 0:
            raise Invalid(
                "round",
                N_("{round} is not a round: expected 1 or more, or 0 for every closed one"),
                {"round": request.round},
            )
        least, most = PAGES
        if request.page_size and not least <= request.page_size <= most:
            raise Invalid(
                "page_size",
                N_("is {given}; expected {least} to {most}, or 0 for {usual}"),
                {"given": request.page_size, "least": least, "most": most, "usual": PAGE},
            )
        await tournament_named(self._record, request.tournament_id)
        found, following, position = await reading.closed(
            self._record,
            request.tournament_id,
            round_=request.round,
            size=request.page_size or PAGE,
            after=_place(request.page_token),
        )
        return pb.ListRulingsResponse(
            position=position,
            rulings=[presenting.public(one, self._lexicons) for one in found],
            next_page_token=str(following or ""),
        )

    async def ExportRulings(
        self, request: pb.ExportRulingsRequest, context: Context
    ) -> AsyncIterator[pb.ExportRulingsResponse]:
        """Every ruling with reasons and sources, as CSV."""
        await tournament_named(self._record, request.tournament_id)
        found = await reading.of_tournament(self._record, request.tournament_id)
        ruled = [one for one in found if one.case.ruled]
        for start in range(0, max(1, len(ruled)), EXPORTED):
            piece = ruled[start : start + EXPORTED]
            yield pb.ExportRulingsResponse(lines=presenting.exported(piece, self._lexicons, header=start == 0))

    async def GetRulingTimes(self, request: pb.GetRulingTimesRequest, context: Context) -> pb.GetRulingTimesResponse:
        """How long cases waited for their ruling."""
        await tournament_named(self._record, request.tournament_id)
        found = await reading.of_tournament(self._record, request.tournament_id)
        cases = [one.case for one in found]
        return pb.GetRulingTimesResponse(times=presenting.times(cases), waiting=sum(case.waiting for case in cases))

    async def _direct(
        self,
        context: Context,
        request: Any,
        facts: Callable[[Adjudication, Tournament, Timestamp], Awaitable[list[Message]]],
        response: type[M],
        *,
        guarded: bool = False,
    ) -> M:
        """Carry out a director's command, on the tournament too if ``guarded``."""

        async def made() -> tuple[Decision, Callable[[int], M]]:
            tournament = await tournament_named(self._record, request.tournament_id)
            settings = await load_adjudication(self._record, request.tournament_id)
            decided = await facts(settings.state, tournament.state, to_timestamp(self._runtime.now()))
            name = adjudication.stream(request.tournament_id)
            writes = [Write(name, settings.version, decided, request.tournament_id)] if decided else []
            guards = [Guard(tournament_stream(request.tournament_id), tournament.version)] if guarded else []
            return Decision(writes, guards), lambda position: response(position=position)

        return await self._runtime.desk.handle(context, request, made, response=response)

    async def _waiting(self, tournament_id: str) -> list[Case]:
        # The docket follows the record and may lack the cases opened last. They were opened under the settings on which
        # the command is decided, which are staffed for every case that they open; one that is opened at the same moment
        # guards them. Only a case of earlier settings is missed, where directors change the mode faster than the docket
        # follows: it stays in the queue for whoever is appointed next.
        return await reading.waiting(self._record, tournament_id)

    async def _needs(self, tournament: Tournament) -> Needs:
        language = self._lexicons.find(tournament.lexicon.digest).tile_set.language
        return Needs.of(await rules_of(self._record, tournament.ruleset), language)


def check_judge_id(judge_id: str) -> None:
    """Raise ``Invalid`` for what no judge can be called."""
    if not JUDGE_ID.fullmatch(judge_id):
        raise Invalid(
            "judge_id",
            N_("{judge} is not the id of a judge: expected 1 to 40 of a-z, 0-9 and -, the first not a -"),
            {"judge": repr(judge_id[:64])},
        )


def _place(token: str) -> reading.Place | None:
    try:
        return reading.Place.read(token) if token else None
    except ValueError:
        raise Invalid(
            "page_token", N_("is not a token that an answer ended with: expected its next_page_token")
        ) from None


def _check_seconds(field: str, given: int, limits: tuple[int, int]) -> None:
    least, most = limits
    if given and not least <= given <= most:
        raise Invalid(
            field,
            N_("are {given}; expected {least} to {most}, or 0 to leave it as it is"),
            {"given": given, "least": least, "most": most},
        )

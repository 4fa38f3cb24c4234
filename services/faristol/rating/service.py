"""The rating service over gRPC: lists and the choice of a system. The contract documents its methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.event_store import Decision, Guard, Loaded, Write, load
from faristol.host import Runtime
from faristol.host.held_events import refuse_while_held
from faristol.host.rpc.dispatch import Answer, Context, Dispatcher
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.kernel.times import occurred_at
from faristol.pb.rating.v1 import rating_pb2 as pb
from faristol.rating import decide
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.estimates import Estimates
from faristol.rating.glicko import Glicko2
from faristol.rating.model import RatingList, evolve, stream, tournament_stream
from faristol.rating.naspa import Naspa
from faristol.rating.rated import load_rated
from faristol.rating.systems import DEFAULT_SYSTEM, SYSTEMS_BY_NAME, RatingSystem, system_named


def service(runtime: Runtime, earlier: EarlierDeviations) -> Dispatcher:
    """Build the dispatcher of the rating service."""
    lists = RatingListService(runtime, earlier)
    questions: Mapping[type[Message], Answer] = {
        pb.GetRatingListRequest: lists.get_list,
        pb.EstimateRatingsRequest: lists.estimate,
        pb.ListRatingSystemsRequest: list_systems,
    }
    descriptor = pb.DESCRIPTOR.services_by_name["RatingService"]
    return Dispatcher(descriptor, [pb.ChooseRatingSystemRequest], lists.choose, questions)


class RatingListService:
    """The methods of the rating service."""

    def __init__(self, runtime: Runtime, earlier: EarlierDeviations) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._earlier = earlier
        self._estimates = Estimates()

    async def get_list(self, request: pb.GetRatingListRequest, context: Context) -> pb.GetRatingListResponse:
        """Return the published list of a tournament, highest rating first. Raises ``NotFound`` if there is no list."""
        await refuse_while_held(self._record, request.tournament_id)
        found = (await self._list(request.tournament_id)).state
        if not found.tournament_id:
            raise NotFound("rating list", request.tournament_id)
        return like(pb.GetRatingListResponse, found, ratings=found.lines)

    async def estimate(self, request: pb.EstimateRatingsRequest, context: Context) -> pb.EstimateRatingsResponse:
        """Return the published list, or an estimate of it by the results so far."""
        await refuse_while_held(self._record, request.tournament_id)
        position = await self._record.last_position()
        published = await self._list(request.tournament_id)
        tournament = await load_rated(self._record, request.tournament_id)
        found, seen = published.state, tournament.state
        answer = pb.EstimateRatingsResponse(
            tournament_id=request.tournament_id, system=system_named(found.system).name, position=position
        )
        if found.tournament_id and seen.closed >= seen.rounds:
            answer.ratings.extend(found.lines)
            answer.published, answer.revision = True, found.revision
            answer.occurred_at.CopyFrom(found.occurred_at or Timestamp())
            if found.revised_at is not None:
                answer.revised_at.CopyFrom(found.revised_at)
            return answer
        seen = await self._earlier.before(request.tournament_id, seen, found, position)
        changes = await self._estimates.of(request.tournament_id, published, replace(tournament, state=seen))
        answer.ratings.extend(map(decide.line, changes))
        return answer

    async def choose(
        self, request: pb.ChooseRatingSystemRequest, context: Context, response: type[pb.ChooseRatingSystemResponse]
    ) -> pb.ChooseRatingSystemResponse:
        """Choose the system by which a tournament is rated."""
        if not request.system:
            raise Invalid("system", N_("is empty; expected one of {known}"), {"known": ", ".join(SYSTEMS_BY_NAME)})
        at = occurred_at(request, self._runtime.now)

        async def attempt() -> tuple[Decision, Callable[[int], pb.ChooseRatingSystemResponse]]:
            chosen = await self._list(request.tournament_id)
            tournament = await load_rated(self._record, request.tournament_id)
            new_events = decide.choose(
                chosen.state, tournament_id=request.tournament_id, system=request.system, occurred_at=at
            )
            write = Write(stream(request.tournament_id), chosen.version, new_events, request.tournament_id)
            guard = Guard(tournament_stream(request.tournament_id), tournament.version)
            return Decision([write], guards=[guard]), lambda position: response(position=position)

        return await self._runtime.command_handler.handle(context, request, attempt, response=response)

    async def _list(self, tournament_id: str) -> Loaded[RatingList]:
        if not tournament_id:
            raise Invalid("tournament_id", N_("is empty; expected the id of a tournament"))
        return await load(self._record, stream(tournament_id), RatingList(), evolve)


async def list_systems(request: pb.ListRatingSystemsRequest, context: Context) -> pb.ListRatingSystemsResponse:
    """List the systems that a tournament can choose."""
    return pb.ListRatingSystemsResponse(systems=map(_system, SYSTEMS_BY_NAME.values()))


def _system(system: RatingSystem) -> pb.RatingSystem:
    usual = system is DEFAULT_SYSTEM
    if isinstance(system, Glicko2):
        return like(pb.RatingSystem, system, usual=usual, tau=str(system.tau))
    base = system.base if isinstance(system, Naspa) else system
    return pb.RatingSystem(
        name=system.name,
        base=str(base.curve.base),
        per_point=str(base.curve.per_point),
        first_factors=[like(pb.RatingFactor, each) for each in base.first_factors],
        factors=[like(pb.RatingFactor, each) for each in base.factors],
        usual=usual,
        accelerated_points=system.accelerated_points if isinstance(system, Naspa) else 0,
    )

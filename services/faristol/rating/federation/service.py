"""The service of numbered rating lists over gRPC. The contract documents its methods."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Decision, Guard, Loaded, Write, load, load_at_once
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import OF_THE_CELL, methods_of
from faristol.kernel.likeness import like
from faristol.kernel.times import occurred_at, to_timestamp
from faristol.pb.rating.v1 import federation_events_pb2 as events
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.personal_data.people import names
from faristol.rating.cell_scope import check_covers_cell
from faristol.rating.federation.decide import (
    check_tournaments,
    find_list,
    list_moved,
    publish,
    refuse_without_change,
    revise,
)
from faristol.rating.federation.model import LISTS_STREAM, FederationLists, NumberedList, fold_lists
from faristol.rating.model import TournamentView, tournament_stream
from faristol.rating.rated import load_rated
from faristol.seasons.model import SEASONS_STREAM, Seasons, evolve


def federation_service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the service of numbered lists."""
    handler = FederationListHandler(runtime)
    commands = (pb.PublishFederationListRequest, pb.ReviseFederationListRequest)
    descriptor = pb.DESCRIPTOR.services_by_name["FederationRatingService"]
    return Dispatcher(descriptor, commands, handler.carry_out, methods_of(handler))


class FederationListHandler:
    """The methods of the service of numbered lists."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record = runtime.record

    async def carry_out(self, request: Any, context: Context, response: type[Any]) -> Message:
        """Publish or revise a list. The results that it is computed from are guarded.

        Raises ``Denied`` for a credential of some tournaments only.
        """
        check_covers_cell()
        at = occurred_at(request, self._runtime.now)

        async def attempt() -> tuple[Decision, Callable[[int], Message]]:
            lists = await self._load()
            seasons = await load(self._record, SEASONS_STREAM, Seasons(), evolve)
            if isinstance(request, pb.PublishFederationListRequest):
                views = await self._load_tournaments(request.tournament_ids)
                new_events = await asyncio.to_thread(
                    publish, lists.state, request, _states(views), at, seasons.state.person_of
                )
                fields: dict[str, Any] = {
                    "number": len(lists.state.lists) + 1,
                    "players": len(fold_lists(lists.state, new_events).ratings_after(len(lists.state.lists) + 1)),
                }
            else:
                find_list(lists.state, request.number)
                views = await self._load_tournaments(_list_tournaments(lists.state, request.number))
                revised = await asyncio.to_thread(
                    revise, lists.state, request.number, _states(views), at, seasons.state.person_of
                )
                refuse_without_change(revised, request.number)
                new_events, fields = revised.events, {"moved": revised.moved}
            write = Write(LISTS_STREAM, lists.version, new_events, OF_THE_CELL)
            guards = [Guard(tournament_stream(tournament_id), found.version) for tournament_id, found in views.items()]
            guards.append(Guard(SEASONS_STREAM, seasons.version))  # the merges of persons
            return Decision([write], guards=guards), lambda position: response(position=position, **fields)

        handled: Message = await self._runtime.command_handler.handle(
            context, request, attempt, response=response, queue=LISTS_STREAM
        )
        if isinstance(handled, pb.ReviseFederationListResponse):
            await self._add_names(handled.moved)  # not before: the record stores the answer of a command
        return handled

    async def preview(
        self, request: pb.PreviewFederationRevisionRequest, context: Context
    ) -> pb.PreviewFederationRevisionResponse:
        """Return the ratings that a revision would change. Raises ``NotFound`` for an unknown list."""
        lists = (await self._load()).state
        find_list(lists, request.number)
        views = await self._load_tournaments(_list_tournaments(lists, request.number))
        seasons = (await load(self._record, SEASONS_STREAM, Seasons(), evolve)).state
        revised = await asyncio.to_thread(
            revise, lists, request.number, _states(views), to_timestamp(self._runtime.now()), seasons.person_of
        )
        await self._add_names(revised.moved)
        return pb.PreviewFederationRevisionResponse(moved=revised.moved)

    async def list_lists(
        self, request: pb.ListFederationListsRequest, context: Context
    ) -> pb.ListFederationListsResponse:
        """Return the heads of all lists, the latest first."""
        position = await self._record.last_position()
        lists = (await self._load()).state
        heads = [_build_head(lists, each) for each in reversed(lists.lists)]
        return pb.ListFederationListsResponse(lists=heads, position=position)

    async def get_list(self, request: pb.GetFederationListRequest, context: Context) -> pb.GetFederationListResponse:
        """Return a list as of a revision. Raises ``NotFound`` for an unknown list or revision."""
        position = await self._record.last_position()
        lists = (await self._load()).state
        number = request.number or len(lists.lists)
        find_list(lists, number)
        latest = len(lists.lists[number - 1].revisions) - 1
        revision = request.revision if request.HasField("revision") else latest
        if not 0 <= revision <= latest:
            raise NotFound("rating list", f"{number}.{revision}")
        answer = await asyncio.to_thread(_build_list, lists, number, revision)
        await self._add_names(answer.moved)
        people = await names(self._record, [line.player_id for line in answer.ratings])
        for line in answer.ratings:
            if person := people.get(line.player_id):
                line.name, line.club = person.name, person.club
        answer.position = position
        return answer

    async def _add_names(self, moved: Collection[pb.MovedRating]) -> None:
        people = await names(self._record, {each.player_id for each in moved})
        for each in moved:
            each.name = people[each.player_id].name if each.player_id in people else ""

    async def _load(self) -> Loaded[FederationLists]:
        return await load_at_once(self._record, LISTS_STREAM, FederationLists(), fold_lists)

    async def _load_tournaments(self, tournament_ids: Iterable[str]) -> dict[str, Loaded[TournamentView]]:
        """Load what ratings depend on of tournaments.

        Raises ``Invalid`` for too many, ``NotFound`` for an unknown one, ``Refusal`` for one of duplicate games.
        """
        wanted = list(dict.fromkeys(tournament_ids))
        check_tournaments(wanted)
        return {tournament_id: await load_rated(self._record, tournament_id) for tournament_id in wanted}


def _states(loaded: Mapping[str, Loaded[TournamentView]]) -> dict[str, TournamentView]:
    return {tournament_id: each.state for tournament_id, each in loaded.items()}


def _list_tournaments(lists: FederationLists, number: int) -> list[str]:
    """Return the tournaments of a list and of all later ones."""
    return [tournament_id for each in lists.lists[number - 1 :] for tournament_id in each.tournament_ids]


def _build_head(lists: FederationLists, of: NumberedList) -> pb.FederationListHead:
    first, *later = of.revisions
    head = like(
        pb.FederationListHead,
        of,
        published_at=first.occurred_at,
        revisions=len(later),
        players=len(lists.ratings_after(of.number)),
    )
    if later:
        head.revised_at.CopyFrom(later[-1].occurred_at)
    return head


def _build_list(lists: FederationLists, number: int, revision: int) -> pb.GetFederationListResponse:
    """Return a list as of a revision, without names."""
    of = lists.lists[number - 1]
    ratings = lists.ratings_at(number, revision)
    changes: defaultdict[str, list[events.FederationRatingChanged]] = defaultdict(list)
    for change in of.revisions[revision].changes:
        changes[change.player_id].append(change)
    earlier = lists.ratings_before(number, revision)
    lines = [
        pb.FederationRating(
            player_id=player_id,
            rating=listed.rating,
            previous=earlier[player_id].rating if player_id in earlier else 0,
            games=sum(change.games for change in changes[player_id]),
            deviation=listed.deviation,
            changes=changes[player_id],
        )
        for player_id, listed in ratings.items()
    ]
    lines.sort(key=lambda line: (-line.rating, line.player_id))
    former = lists.ratings_at(number, revision - 1) if revision else ratings
    return pb.GetFederationListResponse(
        number=number,
        list=_build_head(lists, of),
        revision=revision,
        ratings=lines,
        moved=list_moved(number, revision, former, ratings) if revision else (),
    )

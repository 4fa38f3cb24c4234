"""The service of push subscriptions over gRPC. The contract names the methods and says what they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.event import microseconds
from faristol.host.rpc.dispatch import Context, Dispatcher, no_commands
from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.event_types import methods_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import push_pb2 as pb
from faristol.read_models.storage import lookup
from faristol.read_models.storage.lookup import Part
from faristol.read_models.storage.models import ReadModels
from faristol.text import LANGUAGES, SOURCE
from faristol.web_push import subscriptions
from faristol.web_push.encryption import AUTH_BYTES, check_public_key, from_base64
from faristol.web_push.subscriptions import Follow, Subscription, id_of
from faristol.web_push.vapid import PushKeys
from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.target import Network, check_callable, target_of

NAME_LOOKUP_SECONDS = 3.0
"""Seconds to resolve the name of a push service when a browser subscribes."""

FOLLOWS_EXCEEDED = N_("this browser already follows {most}: stop following one first")


def service(
    models: ReadModels,
    now: Callable[[], datetime],
    networks: Collection[Network],
    keys: PushKeys | None,
    changed: Callable[[], None],
) -> Dispatcher:
    """Return the dispatcher of push subscriptions; ``keys`` is None if the cell has none."""
    methods = PushSubscriptions(models, now, networks, keys, changed)
    return Dispatcher(pb.DESCRIPTOR.services_by_name["PushService"], (), no_commands, methods_of(methods))


class PushSubscriptions:
    """The calls of browsers."""

    def __init__(
        self,
        models: ReadModels,
        now: Callable[[], datetime],
        networks: Collection[Network],
        keys: PushKeys | None,
        changed: Callable[[], None],
    ) -> None:
        self._record = models.record
        self._now = now
        self._networks = networks
        self._keys = keys
        self._changed = changed
        self._delivery_slots = DeliverySlots(1)
        self._is_prepared = False

    async def get_key(self, request: pb.GetPushKeyRequest, context: Context) -> pb.GetPushKeyResponse:
        """Return the key for new subscriptions."""
        return pb.GetPushKeyResponse(key=self._require_keys().newest)

    async def follow(self, request: pb.FollowByPushRequest, context: Context) -> pb.FollowByPushResponse:
        """Store the subscription of a browser, and what it follows."""
        keys = self._require_keys()
        wanted = Subscription(
            request.endpoint,
            request.public_key,
            request.auth,
            request.key or keys.newest,
            request.language if request.language in LANGUAGES else SOURCE,
        )
        check_public_key("public_key", wanted.public_key)
        from_base64("auth", wanted.auth, AUTH_BYTES)
        if wanted.key not in keys:
            raise Invalid("key", N_("is not a key of this cell: subscribe again"))
        await self._check_endpoint(request.endpoint)
        follow = await self._find_follow(request)
        async with self._writing() as connection:
            known = await subscriptions.list_follows(connection, wanted.id)
            if follow not in known and len(known) >= subscriptions.MAX_FOLLOWS_COUNT:
                most = subscriptions.MAX_FOLLOWS_COUNT
                raise Refusal("TOO_MANY_FOLLOWS", FOLLOWS_EXCEEDED, {"most": most})
            if not known and await subscriptions.count(connection) >= subscriptions.MAX_SUBSCRIPTIONS_COUNT:
                most = subscriptions.MAX_SUBSCRIPTIONS_COUNT
                raise Refusal("TOO_MANY_SUBSCRIPTIONS", N_("there are already {most} subscriptions"), {"most": most})
            await subscriptions.store(connection, wanted, microseconds(self._now()))
            await subscriptions.add_follow(connection, wanted.id, follow)
            after = await subscriptions.list_follows(connection, wanted.id)
        self._changed()
        return pb.FollowByPushResponse(follows=_to_messages(after))

    async def unfollow(self, request: pb.UnfollowByPushRequest, context: Context) -> pb.UnfollowByPushResponse:
        """Remove a follow, or the whole subscription."""
        subscription = id_of(request.endpoint)
        async with self._writing() as connection:
            if request.follow.tournament_id:
                given = request.follow
                removed = Follow(given.tournament_id, given.kind, given.value)
                await subscriptions.remove_follow(connection, subscription, removed)
            else:
                await subscriptions.remove(connection, [subscription])
            after = await subscriptions.list_follows(connection, subscription)
        return pb.UnfollowByPushResponse(follows=_to_messages(after))

    async def list_follows(self, request: pb.ListPushFollowsRequest, context: Context) -> pb.ListPushFollowsResponse:
        """List the follows of a browser."""
        await self._prepare()
        async with self._record.reading() as connection:
            found = await subscriptions.list_follows(connection, id_of(request.endpoint))
        return pb.ListPushFollowsResponse(follows=_to_messages(found))

    async def _find_follow(self, request: pb.FollowByPushRequest) -> Follow:
        """Return the follow of a request. Raises ``NotFound`` for an unknown tournament or player."""
        tournament = request.tournament_id
        player = request.own_player_id or request.player_id
        if player:
            found = await lookup.tournament(self._record, tournament, Part.PLAYERS)
            if player not in found.of.players:
                raise NotFound("player", player[:64])
            return Follow(tournament, subscriptions.OWN if request.own_player_id else subscriptions.PLAYER, player)
        await lookup.tournament(self._record, tournament)
        if request.table:
            check_range("table", request.table, 1, 100_000)
            return Follow(tournament, subscriptions.TABLE, str(request.table))
        return Follow(tournament, subscriptions.MESSAGES)

    async def _check_endpoint(self, endpoint: str) -> None:
        """Raise ``Invalid`` for an address that may not be called, such as one inside a network."""
        try:
            target = target_of(endpoint)
        except Invalid as problem:
            raise Invalid("endpoint", problem.problem, problem.params) from None
        if not target.is_tls:
            raise Invalid("endpoint", N_("expected an address of a push service by https"))
        try:
            async with asyncio.timeout(NAME_LOOKUP_SECONDS):
                addresses = await self._delivery_slots.addresses(target)
        except (OSError, TimeoutError):
            addresses = []  # the name may resolve by the time of the first message
        try:
            check_callable(target, addresses, self._networks)
        except Invalid as problem:
            raise Invalid("endpoint", problem.problem, problem.params) from None

    def _require_keys(self) -> PushKeys:
        if self._keys is None:
            raise Refusal("NO_PUSH_KEYS", N_("this cell sends no notifications to locked phones"))
        return self._keys

    async def _prepare(self) -> None:
        if not self._is_prepared:
            await subscriptions.prepare(self._record)
            self._is_prepared = True

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        await self._prepare()
        async with self._record.writing() as connection:
            await subscriptions.lock(connection)
            yield connection


def _to_messages(found: Sequence[Follow]) -> list[pb.PushFollow]:
    return [pb.PushFollow(tournament_id=each.tournament, kind=each.kind, value=each.value) for each in found]

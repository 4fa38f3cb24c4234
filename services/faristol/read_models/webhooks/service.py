"""The service of webhooks over gRPC. The contract names the methods and says what they do."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.rpc.dispatch import Answer, Context, Dispatcher, no_commands
from faristol.host.security.authorization import caller
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.likeness import like
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import webhooks_pb2 as pb
from faristol.read_models.api.absence import retry_not_found
from faristol.read_models.api.public_events import NAMES_OF_PUBLIC
from faristol.read_models.storage import lookup
from faristol.read_models.storage.models import NO_POSITION, ReadModels
from faristol.webhooks import registry
from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.message import new_secret
from faristol.webhooks.registry import OLD_SECRET_LIFETIME, Filter, Secret, Webhook
from faristol.webhooks.retry_policy import DeadLetter, DeliveryState, Failure, apply_resume
from faristol.webhooks.target import Network, check_callable, target_of

MAX_TOURNAMENT_WEBHOOKS = 20
"""Webhooks of a tournament."""

MAX_CELL_WEBHOOKS = 1_000
"""Webhooks of a cell."""

MAX_FILTER_VALUES = 100
"""Games, rounds, tables and types that a filter may name, of each."""

NAME_LOOKUP_SECONDS = 3.0
"""Seconds to resolve a name when its webhook is added."""

MAX_OLD_SECRETS = 3
"""Limit of secrets that sign in addition to the newest."""

TOO_MANY = N_("{tournament} already has {most} webhooks: remove one first")
TOO_MANY_IN_CELL = N_("there are already {most} webhooks: remove one first")
NO_COMMAND_ID = N_("expected a UUID of the caller's choice, got {given}")
OTHER_COMMAND = N_("{command_id} was already used for another command: expected a new UUID for each command")
NO_TYPE = N_("there are no notifications of the type {type}; expected {expected}")
NOT_YET = N_("the record has not reached {position}: its last position is {last}")

_log = logging.getLogger(__name__)


def service(
    models: ReadModels, now: Callable[[], datetime], networks: Collection[Network], changed: Callable[[], None]
) -> Dispatcher:
    """Return the dispatcher of webhooks. ``changed`` is called after each change."""
    methods = WebhookService(models, now, networks, changed)
    questions: Mapping[type[Message], Answer] = {
        pb.AddWebhookRequest: partial(retry_not_found(methods.add), models),
        pb.ListWebhooksRequest: methods.list_all,
        pb.RemoveWebhookRequest: methods.remove,
        pb.ResumeWebhookRequest: methods.resume,
        pb.RotateWebhookSecretRequest: methods.rotate,
        pb.RedeliverNewsRequest: methods.redeliver,
        pb.DropNewsRequest: methods.drop,
    }
    # Webhooks are not on the record, so commands do not pass through its command handler.
    return Dispatcher(pb.DESCRIPTOR.services_by_name["WebhookService"], (), no_commands, questions)


class WebhookService:
    """The commands and queries of the webhooks of a cell."""

    def __init__(
        self,
        models: ReadModels,
        now: Callable[[], datetime],
        networks: Collection[Network],
        changed: Callable[[], None],
    ) -> None:
        self._record = models.record
        self._now = now
        self._networks = networks
        self._changed = changed
        self._delivery_slots = DeliverySlots(1)
        self._is_prepared = False

    async def add(self, _: ReadModels, request: pb.AddWebhookRequest, context: Context) -> pb.AddWebhookResponse:
        """Add a webhook."""
        webhook_id = _id_of(request.command_id)
        target = target_of(request.url)
        wanted = _filter(request.filter, with_content=request.with_content)
        await lookup.tournament(self._record, request.tournament_id)
        last = await self._record.last_position()
        position = _position(request, last)
        try:
            async with asyncio.timeout(NAME_LOOKUP_SECONDS):
                addresses = await self._delivery_slots.addresses(target)
        except (OSError, TimeoutError):
            addresses = []  # the name may resolve by the time of the first message
        check_callable(target, addresses, self._networks)
        new = Webhook(
            webhook_id,
            request.tournament_id,
            request.url,
            [Secret(new_secret())],
            wanted,
            self._now(),
            _subject(),
            DeliveryState(last if position is None else position),
        )
        async with self._writing() as connection:
            found = await registry.load_webhooks(connection, [webhook_id])
            if not found:
                await self._check_room(connection, request.tournament_id)
                await registry.add(connection, new)
            webhook = found[0] if found else new
        if (webhook.tournament, webhook.url, webhook.created_by) != (new.tournament, new.url, new.created_by):
            raise Invalid("command_id", OTHER_COMMAND, {"command_id": request.command_id})
        self._log_change("added", webhook)
        return pb.AddWebhookResponse(webhook=self._to_message(webhook), secret=webhook.secrets[0].key)

    async def list_all(self, request: pb.ListWebhooksRequest, context: Context) -> pb.ListWebhooksResponse:
        """List the webhooks of a tournament, or one with its dead letters."""
        await self._prepare()
        letters: list[DeadLetter] = []
        async with self._record.reading() as connection:
            if request.webhook_id:
                found = [await _find_webhook(connection, request)]
                letters = await registry.letters_of(connection, request.webhook_id)
            else:
                found = await registry.of_tournament(connection, request.tournament_id)
        return pb.ListWebhooksResponse(
            webhooks=map(self._to_message, found),
            dead_letters=map(_letter, letters),
            position=await self._record.last_position(),
        )

    async def remove(self, request: pb.RemoveWebhookRequest, context: Context) -> pb.RemoveWebhookResponse:
        """Remove a webhook."""
        async with self._writing() as connection:
            webhook = await _find_webhook(connection, request)
            await registry.remove(connection, webhook.webhook_id)
        self._log_change("removed", webhook)
        return pb.RemoveWebhookResponse()

    async def resume(self, request: pb.ResumeWebhookRequest, context: Context) -> pb.ResumeWebhookResponse:
        """Resume a webhook."""
        position = _position(request, await self._record.last_position())
        async with self._writing() as connection:
            webhook = await _find_webhook(connection, request)
            course = apply_resume(webhook.course, position)
            await registry.change(connection, webhook, course)
        self._log_change("resumed", webhook)
        return pb.ResumeWebhookResponse(webhook=self._to_message(replace(webhook, course=course)))

    async def rotate(self, request: pb.RotateWebhookSecretRequest, context: Context) -> pb.RotateWebhookSecretResponse:
        """Create a new secret for a webhook."""
        command, now = _id_of(request.command_id), self._now()
        async with self._writing() as connection:
            webhook = await _find_webhook(connection, request)
            if webhook.rotation != command:
                old = [replace(each, until=each.until or now + OLD_SECRET_LIFETIME) for each in webhook.secrets]
                signing = [each for each in old if each.until is not None and now < each.until]
                secrets = [Secret(new_secret()), *signing[:MAX_OLD_SECRETS]]
                webhook = replace(webhook, secrets=secrets, rotation=command)
                await registry.change(connection, webhook)
        self._log_change("has another secret", webhook)
        return pb.RotateWebhookSecretResponse(webhook=self._to_message(webhook), secret=webhook.secrets[0].key)

    async def redeliver(self, request: pb.RedeliverNewsRequest, context: Context) -> pb.RedeliverNewsResponse:
        """Mark dead letters for redelivery."""
        async with self._writing() as connection:
            webhook = await _find_webhook(connection, request)
            positions = await _positions(connection, request)
            count = await registry.redeliver(connection, webhook, positions)
        self._log_change("delivers dead letters once more", webhook)
        return pb.RedeliverNewsResponse(count=count)

    async def drop(self, request: pb.DropNewsRequest, context: Context) -> pb.DropNewsResponse:
        """Drop dead letters."""
        async with self._writing() as connection:
            webhook = await _find_webhook(connection, request)
            count = await registry.drop(connection, webhook, await _positions(connection, request))
        self._log_change("has dropped dead letters", webhook)
        return pb.DropNewsResponse(count=count)

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that excludes other changes of webhooks."""
        await self._prepare()
        async with self._record.writing() as connection:
            await registry.lock_webhooks(connection)
            yield connection

    async def _prepare(self) -> None:
        if not self._is_prepared:
            await registry.prepare(self._record)
            self._is_prepared = True

    async def _check_room(self, connection: AsyncConnection, tournament: str) -> None:
        if len(await registry.of_tournament(connection, tournament)) >= MAX_TOURNAMENT_WEBHOOKS:
            raise Refusal("TOO_MANY_WEBHOOKS", TOO_MANY, {"tournament": tournament, "most": MAX_TOURNAMENT_WEBHOOKS})
        if (await registry.numbers(connection)).all >= MAX_CELL_WEBHOOKS:
            raise Refusal("TOO_MANY_WEBHOOKS", TOO_MANY_IN_CELL, {"most": MAX_CELL_WEBHOOKS})

    def _log_change(self, what: str, webhook: Webhook) -> None:
        who = _subject() or "nobody"
        _log.info("the webhook %s of %s %s, by %s", webhook.webhook_id, webhook.tournament, what, who)
        self._changed()

    def _to_message(self, webhook: Webhook) -> pb.Webhook:
        """Return a webhook as listed, without its secrets."""
        course, wanted, now = webhook.course, webhook.filter, self._now()
        state = (
            pb.WEBHOOK_STATE_STOPPED
            if course.stop
            else pb.WEBHOOK_STATE_FAILING
            if course.failing_since
            else pb.WEBHOOK_STATE_LIVE
        )
        until = [each.until for each in webhook.secrets if each.until is not None and now < each.until]
        return like(
            pb.Webhook,
            course,
            webhook_id=webhook.webhook_id,
            tournament_id=webhook.tournament,
            url=webhook.url,
            filter=like(pb.WebhookFilter, wanted, game_ids=wanted.games),
            with_content=wanted.with_content,
            created_at=webhook.created_at,
            created_by=webhook.created_by,
            state=state,
            stop=f"WEBHOOK_STOP_{course.stop.name}" if course.stop else None,
            next_try_at=course.due,
            last_failure=_failure(course.last_failure),
            dead_letter_count=course.dead,
            old_secret_until=max(until, default=None),
        )


def _failure(failure: Failure) -> pb.WebhookFailure.ValueType:
    return pb.WebhookFailure.Value(f"WEBHOOK_FAILURE_{failure.name}") if failure else pb.WEBHOOK_FAILURE_UNSPECIFIED


def _letter(letter: DeadLetter) -> pb.DeadLetter:
    return like(pb.DeadLetter, letter, status=letter.outcome.status, failure=_failure(letter.outcome.failure))


async def _find_webhook(connection: AsyncConnection, request: Any) -> Webhook:
    """Return the webhook that a request names. Raises ``NotFound``, also for one of another tournament."""
    for webhook in await registry.load_webhooks(connection, [request.webhook_id]):
        if webhook.tournament == request.tournament_id:
            return webhook
    raise NotFound("webhook", request.webhook_id)


async def _positions(connection: AsyncConnection, request: Any) -> list[int]:
    """Return the dead letters that a request names, or all of them. Raises ``NotFound``."""
    known = [letter.position for letter in await registry.letters_of(connection, request.webhook_id)]
    for position in request.positions:
        if position not in known:
            raise NotFound("dead letter", str(position))
    return sorted(set(request.positions)) or known


def _id_of(command_id: str) -> str:
    """Convert a UUID to its usual form. Raises ``Invalid``."""
    try:
        return str(uuid.UUID(command_id))
    except ValueError:
        raise Invalid("command_id", NO_COMMAND_ID, {"given": repr(command_id)}) from None


def _position(request: Any, last: int) -> int | None:
    if not request.HasField("after_position"):
        return None
    position = int(request.after_position)
    if position < 0:
        raise Invalid("after_position", NO_POSITION, {"position": position})
    if position > last:
        raise Invalid("after_position", NOT_YET, {"position": position, "last": last})
    return position


def _filter(wanted: pb.WebhookFilter, *, with_content: bool) -> Filter:
    for field in ("game_ids", "rounds", "tables", "types"):
        if len(getattr(wanted, field)) > MAX_FILTER_VALUES:
            raise Invalid(f"filter.{field}", N_("expected {most} at most"), {"most": MAX_FILTER_VALUES})
    for name in wanted.types:
        if name not in NAMES_OF_PUBLIC:
            expected = nearest(name, sorted(NAMES_OF_PUBLIC)) or ", ".join(sorted(NAMES_OF_PUBLIC))
            raise Invalid("filter.types", NO_TYPE, {"type": repr(name), "expected": expected})
    games, types = list(wanted.game_ids), list(wanted.types)
    return Filter(games, list(wanted.rounds), list(wanted.tables), types, with_content=with_content)


def _subject() -> str:
    credential = caller()
    return credential.subject if credential else ""

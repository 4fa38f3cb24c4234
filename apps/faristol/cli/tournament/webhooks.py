"""`faristol webhook …`: addresses that are called with the news of a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import Tournament
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.results.v1 import webhooks_pb2 as pb
from faristol.presentation.catalogue import CATALOGUE
from faristol.table_terminal.shared.common import columns, localize

SUCCESSES = range(200, 300)
"""Status codes of a delivered message."""
LATER_ARRIVED = N_("the receiver refused a message; later messages have arrived")

NO_SUCH = N_("{tournament} has no webhook {webhook}; it has {known}")
SEVERAL = N_("{webhook} matches more than one of {known}; specify more of the id")

Which = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Id of the webhook, or its beginning.")]


def list_webhooks(client: Client, tournament: Tournament) -> None:
    """List the webhooks of a tournament with their states, the oldest first."""
    answer = client.answer_to(pb.ListWebhooksRequest(tournament_id=client.find_tournament(tournament)))
    rows = [(each.webhook_id, _state(each), str(each.position), each.url) for each in answer.webhooks]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


def show(client: Client, tournament: Tournament, webhook: Which) -> None:
    """Show a webhook: its filter, its position, its last failure, and its dead letters."""
    found = client.find_tournament(tournament)
    webhook_id = find_webhook_id(found, webhook, client)
    answer = client.answer_to(pb.ListWebhooksRequest(tournament_id=found, webhook_id=webhook_id))
    client.print(answer, _whole(answer))


def format_new_webhook(answer: pb.AddWebhookResponse) -> Iterator[str]:
    """Yield the lines of `webhook add`: the id, and the secret."""
    yield answer.webhook.webhook_id
    yield localize(CATALOGUE["RotateWebhookSecret"].said, secret=answer.secret)


def find_webhook_id(tournament_id: str, beginning: str, client: ServiceClient) -> str:
    """Find the id of a webhook by its prefix. Raises ``StartError`` for an unknown or ambiguous one."""
    found = client.answer_to(pb.ListWebhooksRequest(tournament_id=tournament_id))
    known = [str(each.webhook_id) for each in found.webhooks]
    meant = [each for each in known if each.startswith(beginning)]
    if len(meant) == 1:
        return meant[0]
    of = {"tournament": tournament_id, "webhook": repr(beginning)}
    if meant:
        raise StartError(localize(SEVERAL, known=", ".join(meant), **of))
    raise StartError(localize(NO_SUCH, known=", ".join(known) or localize(N_("none")), **of))


def _state(webhook: pb.Webhook) -> str:
    """Format a state with its reason: ``failing since 2026-03-07T10:00+00:00``."""
    state = localize(labels_of(pb.WebhookState.DESCRIPTOR)[webhook.state])
    if webhook.stop:
        return f"{state}: {localize(labels_of(pb.WebhookStop.DESCRIPTOR)[webhook.stop])}"
    if webhook.state == pb.WEBHOOK_STATE_FAILING:
        return localize(N_("failing since {at}"), at=_at(webhook.failing_since))
    return state


def _at(moment: Timestamp) -> str:
    return moment.ToDatetime(UTC).isoformat(timespec="minutes")


def _whole(answer: pb.ListWebhooksResponse) -> Iterator[str]:
    (webhook,) = answer.webhooks
    yield f"{webhook.webhook_id}  {_state(webhook)}"
    yield webhook.url
    if wanted := _filter(webhook.filter):
        yield wanted
    if webhook.with_content:
        yield localize(N_("with content"))
    yield localize(N_("delivered up to position {position} of {last}"), position=webhook.position, last=answer.position)
    if webhook.last_failure:
        yield localize(N_("last failure: {what}"), what=format_last_failure(webhook))
    if webhook.HasField("next_try_at"):
        yield localize(
            N_("attempts for the next message: {count}; next attempt at {at}"),
            count=webhook.tries,
            at=_at(webhook.next_try_at),
        )
    if webhook.HasField("old_secret_until"):
        yield localize(N_("an old secret also signs until {at}"), at=_at(webhook.old_secret_until))
    if answer.dead_letters:
        yield localize(N_("dead letters, by position:"))
        yield from columns([_letter(each) for each in answer.dead_letters])


def format_last_failure(webhook: pb.Webhook) -> str:
    """Format the last failure. The last status is that of a later answer if a message has arrived since."""
    if webhook.last_failure == pb.WEBHOOK_FAILURE_STATUS and webhook.last_status in SUCCESSES:
        return localize(LATER_ARRIVED)
    return _failure(webhook.last_failure, webhook.last_status)


def _letter(letter: pb.DeadLetter) -> Sequence[str]:
    what = _failure(letter.failure, letter.status)
    again = localize(N_("is redelivered")) if letter.again else ""
    return (str(letter.position), _at(letter.failed_at), f"× {letter.tries}", what, again)


def _failure(failure: pb.WebhookFailure.ValueType, status: int) -> str:
    return localize(labels_of(pb.WebhookFailure.DESCRIPTOR)[failure], status=status)


def _filter(wanted: pb.WebhookFilter) -> str:
    parts = (
        (N_("games: {which}"), wanted.game_ids),
        (N_("rounds: {which}"), wanted.rounds),
        (N_("tables: {which}"), wanted.tables),
        (N_("types: {which}"), wanted.types),
    )
    return "; ".join(localize(text, which=", ".join(map(str, given))) for text, given in parts if given)

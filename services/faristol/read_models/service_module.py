"""The results service as a part of a process."""

from __future__ import annotations

import logging
import re

from faristol.consumers import ProgressWatch, holder_of
from faristol.event_store.integrity.keys import KeyFileError
from faristol.host import Part, Runtime, StartError
from faristol.read_models.api.queries.fair_play import FairPlay
from faristol.read_models.api.service import fair_play_service, services
from faristol.read_models.projections.projection import projection
from faristol.read_models.push.delivery import PushDelivery, PushMeans
from faristol.read_models.push.service import service as push_service
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.webhooks.delivery import Delivery
from faristol.read_models.webhooks.sequencer import Content, WorkerContext
from faristol.read_models.webhooks.service import service as webhook_service
from faristol.web_push.vapid import NoPushKeys, PushKeys, load_keys
from faristol.webhooks.target import SETTING, Network, networks_of

_log = logging.getLogger(__name__)


def part(runtime: Runtime, content: Content | None = None) -> Part:
    """Return the projection of the read models, the service that shows them, and their webhooks.

    ``content`` returns the changed resources for webhooks with content.
    Raises ``StartError`` for invalid networks of webhooks.
    """
    kept = projection()
    pace = ProgressWatch(runtime.record)
    models = ReadModels(
        runtime.record,
        runtime.progress(kept.consumer),
        pace=pace,
        admission=lambda: runtime.admission,
        now=runtime.now,
        tells_minors=runtime.settings.pages_public_minors,
    )
    fair_play = FairPlay(models, runtime.settings.lexicons)
    networks = _networks(runtime.settings.webhook_networks)
    keys = _load_push_keys(runtime)
    push = (
        PushDelivery(
            PushMeans(
                runtime.record,
                runtime.progress(kept.consumer),
                keys,
                runtime.now,
                networks,
                _contact_of(runtime.settings.pages_contact),
            ),
            lambda: holder_of(runtime.place),
        )
        if keys
        else None
    )

    async def push_delivery() -> None:
        if push is not None:
            await push.run()

    means = WorkerContext(runtime.record, models.tail, runtime.now, networks, content)
    delivery = Delivery(means, lambda: holder_of(runtime.place))

    async def webhooks_delivery() -> None:
        await delivery.run()

    return Part(
        name="results",
        servicers=(
            *services(models),
            fair_play_service(fair_play),
            webhook_service(models, runtime.now, networks, delivery.tell),
            push_service(models, runtime.now, networks, keys, push.tell if push else lambda: None),
        ),
        projections=(kept,),
        tasks=(pace.keep_looking, webhooks_delivery, push_delivery, fair_play.analyses.run),
    )


def _load_push_keys(runtime: Runtime) -> PushKeys | None:
    """Return the keys for push services; None, with a warning, if the folder has none and cannot be written.

    Raises ``StartError`` for a file in it that is no such key.
    """
    folder = runtime.settings.push_folder()
    try:
        return load_keys(folder, runtime.now())
    except NoPushKeys as error:
        _log.warning("no notifications are sent to locked phones: %s", error)
        return None
    except KeyFileError as error:
        raise StartError(f"FARISTOL_PUSH_KEYS: {error}") from error


def _contact_of(contact: str) -> str:
    """Return the contact of the pages as an address for push services; empty for a name or a number."""
    if contact.startswith("https://"):
        return contact
    return f"mailto:{contact}" if re.fullmatch(r"[^@\s]+@[^@\s]+", contact) else ""


def _networks(setting: str) -> tuple[Network, ...]:
    try:
        return networks_of(setting)
    except ValueError as error:
        raise StartError(f"{SETTING}: {error}; expected networks with commas, as 10.20.0.0/16") from error

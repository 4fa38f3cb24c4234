"""The results service as a part of a process."""

from __future__ import annotations

from faristol.consumers import ProgressWatch, holder_of
from faristol.host import Part, Runtime, StartError
from faristol.read_models.api.service import service
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.webhooks.delivery import Delivery
from faristol.read_models.webhooks.sequencer import Content, WorkerContext
from faristol.read_models.webhooks.service import service as webhook_service
from faristol.webhooks.target import SETTING, Network, networks_of


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
        tells_minors=runtime.settings.pages_public_minors,
    )
    networks = _networks(runtime.settings.webhook_networks)
    means = WorkerContext(runtime.record, models.tail, runtime.now, networks, content)
    delivery = Delivery(means, lambda: holder_of(runtime.place))

    async def webhooks_delivery() -> None:
        await delivery.run()

    return Part(
        name="results",
        servicers=(
            service(models),
            webhook_service(models, runtime.now, networks, delivery.tell),
        ),
        projections=(kept,),
        tasks=(pace.keep_looking, webhooks_delivery),
    )


def _networks(setting: str) -> tuple[Network, ...]:
    try:
        return networks_of(setting)
    except ValueError as error:
        raise StartError(f"{SETTING}: {error}; expected networks with commas, as 10.20.0.0/16") from error

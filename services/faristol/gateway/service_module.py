"""Gateway as a part of a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from weakref import WeakSet

from opentelemetry import metrics

from faristol.event_store.tasks import cancel_tasks
from faristol.fanout import Fanout
from faristol.gateway.app import app
from faristol.gateway.http.gc_tuning import Collector
from faristol.gateway.http.server import listen, serve
from faristol.gateway.live.feed import OnNews
from faristol.host import Part, Runtime
from faristol.host.observability.telemetry import DURATION_BUCKETS
from faristol.host.record_parts import open_configured_key
from faristol.pb.results.v1 import results_pb2 as pb

_fanouts: WeakSet[Fanout] = WeakSet()
"""Fan-outs of this process."""


def _watching(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
    yield metrics.Observation(sum(fanout.watching for fanout in _fanouts))


_meter = metrics.get_meter("faristol.gateway")
_meter.create_observable_gauge(
    "faristol.viewers", [_watching], unit="{viewer}", description="connections that are subscribed to events"
)
_news_seconds = _meter.create_histogram(
    "faristol.news.delay",
    unit="s",
    description="time from the recording of an event to its sending to viewers",
    explicit_bucket_boundaries_advisory=DURATION_BUCKETS,
)


def measure_delays(now: Callable[[], datetime]) -> OnNews:
    """Measure the delay of each notification recorded from now on. Older ones are read at a start."""
    since = now()

    def record_delays(news: Sequence[pb.FollowResponse]) -> None:
        for each in news:
            if (at := each.recorded_at.ToDatetime(UTC)) >= since:
                _news_seconds.record(max(0.0, (now() - at).total_seconds()))

    return record_delays


def part(runtime: Runtime) -> Part:
    """Return the part that serves pages, JSON and streams.

    Raises ``StartError`` if the port is taken, or the key of packs cannot be read.

    If the port in the settings is 0, it is replaced by the port that was assigned.
    """
    settings = runtime.settings
    signs_packs = settings.pack_key or settings.seal_key
    pack_key = open_configured_key(signs_packs) if signs_packs else None
    sock = listen(settings.http_host, settings.http_port)
    settings.http_port = sock.getsockname()[1]

    async def http() -> None:
        web = app(runtime)
        web.state.pack_key = pack_key
        fanout = web.state.fanout
        _fanouts.add(fanout)
        if settings.is_measured:
            web.state.tail.on_news(measure_delays(runtime.now))
        watched = (web.state.tail, web.state.content, fanout, Collector(lambda: fanout.watching))
        beside = [asyncio.create_task(each.run(), name="news") for each in watched]
        serving = asyncio.create_task(serve(web, sock, settings), name="http")
        for task in beside:  # without these, streams would be silent
            task.add_done_callback(lambda _: serving.cancel())
        try:
            await serving
        except asyncio.CancelledError:
            for task in beside:
                if task.done():
                    await task  # re-raises its error
            raise
        finally:
            await cancel_tasks(beside)

    return Part(name="gateway", tasks=(http,))

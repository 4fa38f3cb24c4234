"""The cell that a fault is injected into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nats
from nats.aio.client import Client
from tests.campaigns.faults.cell import Cell
from tests.campaigns.faults.load import Load
from tests.campaigns.faults.release import Release
from tests.component import nats_cluster

from faristol.bus.permissions import NOTIFICATION_STREAM


class Untried(Exception):
    """The fault cannot be made on this machine; the message says why."""


@dataclass
class Scene:
    """The cell and the tools of a fault."""

    cell: Cell
    load: Load
    disk: Path | None
    """Where the disk is that can be filled."""
    release: Release | None


async def connect_to_nats(cell: Cell) -> Client:
    """Return a connection to the servers of NATS of a cell, by its certificates."""
    tls = cell.folder / "tls"
    urls = nats_cluster.url_of(cell.nodes, tls).split(",")
    return await nats.connect(urls, tls=nats_cluster.context_of(tls), connect_timeout=5)


async def find_leader(cell: Cell) -> nats_cluster.Node:
    """Return the server that leads the stream of notifications."""
    client = await connect_to_nats(cell)
    try:
        information = await client.jetstream().stream_info(NOTIFICATION_STREAM)
    finally:
        await client.close()
    assert information.cluster
    return cell.nodes[int(str(information.cluster.leader).rpartition("-")[2])]

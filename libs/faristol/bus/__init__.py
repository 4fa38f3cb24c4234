"""The bus: notifications of events over NATS JetStream. It can be wiped at any time without loss of data."""

from faristol.bus.connection import Bus
from faristol.bus.consumer import Consumer
from faristol.bus.errors import BusAway, BusError, BusRefused
from faristol.bus.generations import Live, NotBuilt, ProjectionError, read
from faristol.bus.pace import Pace
from faristol.bus.parked import Parked
from faristol.bus.progress import Progress
from faristol.bus.rebuild import Rebuild, Rebuilt
from faristol.bus.relay import Relay
from faristol.bus.server import NatsServer
from faristol.bus.shares import Share, Shares, holder_of
from faristol.bus.stopped import CannotTake, Stopped
from faristol.bus.work import Fold, Projection, Reaction, UnknownEvent

__all__ = [
    "Bus",
    "BusAway",
    "BusError",
    "BusRefused",
    "CannotTake",
    "Consumer",
    "Fold",
    "Live",
    "NatsServer",
    "NotBuilt",
    "Pace",
    "Parked",
    "Progress",
    "Projection",
    "ProjectionError",
    "Reaction",
    "Rebuild",
    "Rebuilt",
    "Relay",
    "Share",
    "Shares",
    "Stopped",
    "UnknownEvent",
    "holder_of",
    "read",
]

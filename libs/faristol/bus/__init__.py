"""The bus: news of the record over NATS JetStream. It can be wiped at any time without loss."""

from faristol.bus.connection import Bus, BusError
from faristol.bus.consumer import Consumer, Projection, Reaction
from faristol.bus.progress import Progress
from faristol.bus.relay import Relay
from faristol.bus.server import NatsServer

__all__ = ["Bus", "BusError", "Consumer", "NatsServer", "Progress", "Projection", "Reaction", "Relay"]

"""The bus: notifications of events over NATS JetStream. The event store does not depend on it."""

from faristol.bus.connection import Bus
from faristol.bus.errors import BusAway, BusError, BusRefused
from faristol.bus.relay import Relay
from faristol.bus.server import NatsServer

__all__ = ["Bus", "BusAway", "BusError", "BusRefused", "NatsServer", "Relay"]

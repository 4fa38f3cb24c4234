"""The bus: notifications of events over NATS JetStream. The event store does not depend on it."""

from faristol.bus.connection import Bus, Relay
from faristol.bus.errors import BusError, BusRefused, BusUnavailable
from faristol.bus.server import NatsServer

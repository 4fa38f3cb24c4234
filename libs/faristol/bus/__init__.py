"""The bus: notifications of events over NATS JetStream. The event store does not depend on it."""

from faristol.bus.connection import Bus
from faristol.bus.errors import BusError, BusRefused, BusUnavailable
from faristol.bus.relay import Relay
from faristol.bus.server import NatsServer

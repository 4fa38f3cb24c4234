"""What every process shares: settings, gRPC server, health, errors, telemetry, shutdown."""

from faristol.host.desk import Desk
from faristol.host.errors import AlreadyExists, Invalid, NotFound, Unreachable
from faristol.host.part import Part, Servicer, StartError
from faristol.host.runtime import Runtime
from faristol.host.settings import SERVICES, Settings

__all__ = [
    "SERVICES",
    "AlreadyExists",
    "Desk",
    "Invalid",
    "NotFound",
    "Part",
    "Runtime",
    "Servicer",
    "Settings",
    "StartError",
    "Unreachable",
]

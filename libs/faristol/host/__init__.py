"""The shared parts of every process: settings, gRPC server, health, errors, telemetry, shutdown.

Names are imported lazily: a command that calls a service needs its address, but not the store.
"""

from typing import TYPE_CHECKING

from faristol.kernel.lazy import names_of

if TYPE_CHECKING:
    from faristol.host.command_handler import CommandHandler
    from faristol.host.rpc.errors import Unreachable
    from faristol.host.runtime import Runtime
    from faristol.host.service_module import Part
    from faristol.host.services import SERVICES, StartError
    from faristol.host.settings import Addresses, Settings

_NAMES = {
    "command_handler": ("CommandHandler",),
    "rpc.errors": ("Unreachable",),
    "runtime": ("Runtime",),
    "service_module": ("Part",),
    "services": ("SERVICES", "StartError"),
    "settings": ("Addresses", "Settings"),
}

__getattr__ = names_of(__name__, _NAMES)

"""The access service as a part of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faristol.access_control.keyring import Keyring
from faristol.credentials.service import service
from faristol.event_store import RecordError
from faristol.host import Part, Runtime, StartError

if TYPE_CHECKING:
    from faristol.credentials.provider import Provider


def part(runtime: Runtime) -> Part:
    """Build the access service.

    Raises ``StartError`` without signing keys, or if the provider is not configured correctly.
    """
    try:
        keyring = Keyring(runtime.settings.access_folder())
        keyring.signer()
        keyring.digest("link", "")
    except RecordError as error:
        raise StartError(str(error)) from error
    return Part(
        name="access",
        servicers=(service(runtime, keyring, _provider(runtime)),),
    )


def _provider(runtime: Runtime) -> Provider | None:
    """Return the OpenID Connect provider of the settings, or None."""
    if runtime.settings.openid is None:
        return None
    from faristol.credentials.openid import load_openid  # deferred: only for cells with a provider
    from faristol.credentials.provider import Provider

    return Provider(load_openid(runtime.settings.openid), runtime.now)

"""Link that signs a browser in as a director, for the user who started the services on this machine."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from faristol.access_control.roles import DIRECTOR
from faristol.client.credentials import authorize, build_interceptors
from faristol.client.links import sign_in_link
from faristol.client.services import Api
from faristol.host import Settings
from faristol.host.rpc.channels import Channels
from faristol.launcher.processes import Running
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events_pb2

LINK_LIFETIME = timedelta(days=1)


def local_channels(process: Running) -> Channels:
    """Return channels to services of this process, with the credentials of its data folder."""
    address = process.grpc_address
    return Channels(lambda _: address, partial(_build_interceptors, process.runtime.settings), process.runtime.tls)


def _build_interceptors(settings: Settings, address: str) -> list[Any]:
    return build_interceptors(authorize(address, settings.access_folder(), record=settings.access_record()))


async def grant_director_link(
    process: Running, channels: Channels, tournament_ids: Sequence[str] = (), wanted: str = ""
) -> str:
    """Grant the role director for ``LINK_LIFETIME`` and return the sign-in link.

    Without tournaments the director may create them. After signing in, the browser shows the page ``wanted``. Raises
    ``grpc.aio.AioRpcError`` if the grant is refused.
    """
    request = access_pb2.GrantCredentialRequest(
        command_id=str(uuid.uuid4()),
        name="Director",
        role=DIRECTOR,
        scope=access_events_pb2.Scope(tournament_ids=tournament_ids),
        lifetime_seconds=int(LINK_LIFETIME.total_seconds()),
        form=access_events_pb2.FORM_LINK,
    )
    answer = await Api(channels.channel).access.GrantCredential(request)
    return sign_in_link(process.runtime.settings.http_address or process.http_address, answer.code, wanted)


def has_desktop() -> bool:
    """Check whether this machine has a desktop, on which a browser can open a page."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

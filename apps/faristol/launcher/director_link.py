"""Link that signs a browser in as a director, for the user who started the services on this machine."""

from __future__ import annotations

import os
import sys
import threading
import uuid
import webbrowser
from collections.abc import Sequence
from datetime import timedelta
from html import escape
from pathlib import Path

from faristol.access_control.roles import DIRECTOR
from faristol.client.credentials import authorize_at_console, build_interceptors
from faristol.client.links import sign_in_link
from faristol.client.services import Api
from faristol.host import Settings
from faristol.host.rpc.channels import Channels
from faristol.host.services import to_reachable_address
from faristol.launcher.processes import Running
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events_pb2

LINK_LIFETIME = timedelta(days=1)

REDIRECT = "begin.html"
"""Page in the data folder that leads to the link."""


def local_channels(process: Running) -> Channels:
    """Return channels to services of this process, with the keys of its data folder, wherever it listens."""
    settings, address = process.runtime.settings, to_reachable_address(process.grpc_address)
    authorize = authorize_at_console(settings.access_folder(), settings.access_record())
    return Channels(lambda _: address, lambda _: build_interceptors(authorize), process.runtime.tls, own=True)


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


def write_redirect(settings: Settings, link: str) -> Path:
    """Write a page that leads to ``link``, readable for this user only; return its path.

    A browser that gets the path shows the code of the link in no list of processes.
    """
    page = settings.data / REDIRECT
    page.unlink(missing_ok=True)
    content = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(link)}">'
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(content)
    return page


def remove_redirect(settings: Settings) -> None:
    """Remove the page of ``write_redirect``: its link is of no use after the services have stopped."""
    (settings.data / REDIRECT).unlink(missing_ok=True)


def open_in_browser(page: Path) -> None:
    """Open a page in the browser of this desktop. Some browsers return only when they end: do not wait for it."""
    threading.Thread(target=webbrowser.open, args=(page.absolute().as_uri(),), daemon=True).start()

"""Witnesses: places outside the record that store its seals, so that a rewritten record is detected.

Each seal has the digest of the previous one, so a witness has one chain. ``faristol record verify --witness`` compares
it with the record: rewritten events need new seals, and even with the right key those differ from the witness's.
"""

from __future__ import annotations

import urllib.parse
from pathlib import Path

from faristol.event_store.errors import RecordError
from faristol.event_store.witness.address import HttpWitness
from faristol.event_store.witness.delivery import deliver_to_all
from faristol.event_store.witness.folder import Folder
from faristol.event_store.witness.repository import Repository, is_bare, is_repository
from faristol.event_store.witness.witness import Fork, Witness, WitnessUnavailable, gap
from faristol.kernel.addresses import is_loopback


def open_witness(where: str, token: Path | None = None, *, to_deliver: bool = False) -> Witness:
    """Open the witness at an HTTP address, in a Git repository, or in a folder.

    ``token`` is a file whose content is sent with every request to an address. A bare repository can be read but not
    delivered to. Raises ``RecordError`` for an invalid place.
    """
    if "://" in where:
        return HttpWitness(_check_url(where, has_token=token is not None), token)
    path = Path(where).absolute()
    if not where or path.is_file():
        raise RecordError(f"{where!r} is not a witness: expected a folder, a Git repository or an HTTP address")
    if to_deliver and is_bare(path):
        raise RecordError(f"{path} is a bare Git repository, where no witness can commit: clone it, and give the clone")
    return Repository(path) if is_repository(path) else Folder(path)


def _check_url(url: str, *, has_token: bool) -> str:
    try:
        parts = urllib.parse.urlsplit(url)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right or parts.username or parts.fragment:
        raise RecordError(
            "a witness is at an address http://HOST/… or https://HOST/…, without a user name or a password in it"
        )
    if has_token and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise RecordError(
            f"the token for the witness at {parts.hostname} would be sent in plain text: a witness with a token needs"
            " an address https://…, or one on this machine"
        )
    return url

"""Sign-in of an entrant as a player, by the key of an accepted entry, which the service of registrations knows."""

from __future__ import annotations

import uuid
from datetime import datetime

import grpc

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import Unauthenticated
from faristol.access_control.keyring import Keyring
from faristol.access_control.roles import PLAYER
from faristol.credentials.grants import LINK_INVALID, MAX_CREDENTIAL_LIFETIME
from faristol.host import Runtime
from faristol.host.rpc.errors import Unreachable
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.pairing.v1 import registration_pb2_grpc as registration_grpc

ENTRY_TIMEOUT_SECONDS = 10.0
"""Timeout of the question to the service of registrations."""


async def find_entrant(runtime: Runtime, keyring: Keyring, key: str, now: datetime) -> Credential:
    """Return the credential of the player with an accepted entry: the same each time, valid for a season at most.

    Raises ``Unauthenticated`` for an unknown key, and for an entry that does not sign in. Raises ``Unreachable`` if the
    service of registrations does not answer.
    """
    stub = registration_grpc.RegistrationServiceStub(runtime.channel("pairing"))
    asked = registration.GetOwnEntryRequest(key=key)
    try:
        own = await stub.GetOwnEntry(asked, timeout=ENTRY_TIMEOUT_SECONDS, wait_for_ready=True)
    except grpc.aio.AioRpcError as problem:
        if problem.code() is grpc.StatusCode.NOT_FOUND:
            raise Unauthenticated("CODE_UNKNOWN", LINK_INVALID) from problem
        raise Unreachable("pairing", runtime.channels.address("pairing")) from problem
    if not own.may_sign_in:
        raise Unauthenticated("CODE_UNKNOWN", LINK_INVALID)
    player_id = own.entry.player_id
    digest = keyring.digest("entry", f"{own.tournament_id}\0{player_id}")
    return Credential(
        str(uuid.UUID(bytes=digest[:16])),
        player_id,
        PLAYER,
        Scope(tournaments=frozenset({own.tournament_id})),
        now,
        now + MAX_CREDENTIAL_LIFETIME,
        player=player_id,
    )

"""Stored events that are made without a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.event_store.append.group import Head
from faristol.event_store.event import GENESIS, compute_chained_hash
from faristol.event_store.integrity import merkle
from faristol.event_store.integrity.seals import FIRST_PREVIOUS_HASH, Seal, root_of
from faristol.event_store.stored import Stored
from faristol.pb.game.v1 import events_pb2

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"o" * 32)


def chain(streams: Sequence[str], *, recorded_at: int = 1_700_000_000_000_000) -> list[Stored]:
    """Return an event at each position: of the named stream, whose tournament is the part before the dot."""
    heads: dict[str, Head] = {}
    made = []
    for position, stream in enumerate(streams, 1):
        version, previous = heads.get(stream, (0, GENESIS))
        payload = events_pb2.Passed(turn=position, player_id="anna").SerializeToString(deterministic=True)
        event = {
            "stream": stream,
            "version": version + 1,
            "event_id": f"00000000-0000-4000-8000-{position:012}",
            "type": "faristol.game.v1.Passed",
            "schema_version": 1,
            "tournament": stream.partition("-")[2].partition("-")[0],
            "payload": payload,
            "metadata": '{"actor":"anna"}',
            "recorded_at": recorded_at + position,
        }
        digest = compute_chained_hash(previous, *event.values())  # type: ignore[arg-type]
        heads[stream] = (version + 1, digest)
        made.append(Stored(position=position, hash=digest, **event))  # type: ignore[arg-type]
    return made


def seal_events(events: Sequence[Stored], size: int, key: Ed25519PrivateKey = KEY) -> list[Seal]:
    """Return seals over all whole ranges of ``size`` events."""
    made: list[Seal] = []
    for start in range(0, len(events) - size + 1, size):
        tree = merkle.Tree()
        for event in events[start : start + size]:
            tree.add(event.hash)
        draft = Seal(
            from_position=start + 1,
            to_position=start + size,
            root=root_of(tree.root(), Counter(event.tournament for event in events[start : start + size])),
            previous=made[-1].digest if made else FIRST_PREVIOUS_HASH,
            key_id="",
            sealed_at=start,
        )
        made.append(draft.sign_with(key))
    return made

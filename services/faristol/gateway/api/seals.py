"""JSON of seals."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api.answers import Answer, Read, Shown
from faristol.pb.results.v1 import results_pb2 as pb


def _statement(seal: pb.Seal) -> str:
    return (
        f"faristol seal 1\npositions {seal.from_position} {seal.to_position}\n"
        f"root {seal.root.hex()}\nprevious {seal.previous.hex()}\n"
        f"key {seal.key_id}\nat {seal.sealed_at.ToMicroseconds()}\n"
    )


class Seal(Shown):
    """Signed statement about the exact sequence of events from one position to another."""

    from_position: int = Field(description="Position of the first sealed event.")
    to_position: int = Field(description="Position of the last sealed event.")
    root: str = Field(
        description="Root over the Merkle tree (RFC 6962, SHA-256) of the event hashes and the number of events of "
        "each tournament, in hex."
    )
    previous: str = Field(description="SHA-256 of the statement of the previous seal, in hex; zeros for the first.")
    key_id: str = Field(description="First 16 hexadecimal digits of SHA-256 over the 32 bytes of the public key.")
    signature: str = Field(description="Ed25519 signature of `statement`, in hex.")
    statement: Annotated[str, Read(_statement)] = Field(description="Signed text, byte for byte.")
    sealed_at: datetime


class Seals(Answer):
    """Seals of the record, in the order of their positions."""

    seals: list[Seal]

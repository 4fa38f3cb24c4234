"""The JSON of seals."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from faristol.gateway.answers import Answer, Shown


class Seal(Shown):
    """A signed statement about the events from one position to another: these and no others, in this order."""

    from_position: int = Field(description="The first event under it.")
    to_position: int = Field(description="The last event under it.")
    root: str = Field(
        description="Over the Merkle tree (RFC 6962, SHA-256) of the hashes of the events, and the number of events of "
        "each tournament, in hex."
    )
    previous: str = Field(description="SHA-256 of the statement of the seal before, in hex; zeros for the first.")
    key_id: str = Field(description="First 16 hexadecimal digits of SHA-256 over the 32 bytes of the public key.")
    signature: str = Field(description="Ed25519, in hex, over `statement`.")
    statement: str = Field(description="What is signed, byte for byte.")
    sealed_at: datetime

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """See ``Shown``."""
        return super().values(message) | {
            "statement": f"faristol seal 1\npositions {message.from_position} {message.to_position}\n"
            f"root {message.root.hex()}\nprevious {message.previous.hex()}\n"
            f"key {message.key_id}\nat {message.sealed_at.ToMicroseconds()}\n"
        }


class Seals(Answer):
    """Seals of the record, in the order of their positions."""

    seals: list[Seal]
